//! Campaigns: cases are proposed, run on all targets, judged, confirmed, recorded.
//!
//! [`hunt::run`] is the hunt for bugs and [`slowdown::run`] that for slowness; both are driven by `driver`, with cases from
//! `propose`. [`schedule`] and [`allocation`] say which chains of cases there are and how techniques share them, [`options`]
//! draws more configurations of a solver, `preference` says which cases are worth running. A [`campaign`] is a folder
//! with a record, which is the truth; [`record`] tells findings apart and exports each to a folder that appears complete or
//! not at all. [`replay`] runs a finding again, [`releases`] on other releases of its culprit. [`exhibit`] establishes the
//! evidence about the formula that a report shows; reports are in `smelt-report`. [`release_study`] compares many releases on a fixed corpus.
//! [`genetic`] searches for formulas on which a solver is slow by a genetic algorithm. What users ask of a hunt is a request
//! of [`configure`], from which [`prepare`] makes a plan.
//!
//! How one case is run on several solvers and who is wrong is decided in `smelt-trial`.
//!
//! | to find | look in |
//! |---|---|
//! | the loop of every hunt: propose, run, judge, confirm, record | `driver.rs`; the budget, record and findings that workers share in `ledger.rs` |
//! | where cases come from | `propose/`: `chains.rs` of techniques, `bandit.rs` for slowness |
//! | which chain is made from what | [`schedule`]; which are still to be done, and how many cases of each, in `queue.rs` |
//! | how techniques share the chains by what is new in their cases | [`allocation`], `shapes.rs`; what seeds have shown for what they cost, and what runs get at first, in `energy.rs` and `allowance.rs`; why so in `docs/design/schedule.md` |
//! | scripts and seeds below paths; grammars by name or file | [`inputs`], [`seeds`]; [`grammars`] |
//! | labels of seeds: asked once and kept; all seeds of a hunt | [`labels`]; [`seed_labels`] |
//! | counts of grammars, kept on disk | [`enumeration_cache`] |
//! | what a hunt is asked to be: options, profiles of `smelt.toml`, kinds of hunts | [`configure`] |
//! | from a request to a plan and its record; what a dry run prints | [`prepare`], `slowdown/prepare.rs`, `genetic/prepare.rs` |
//! | a campaign's folder: its lock, its record, its seeds and solvers | [`campaign`] |
//! | programs that the user has agreed to start | [`consent`]; why so in `docs/design/trust.md` |
//! | what is said to the user, and asked, on the way | [`dialogue`] |
//! | solvers that users name: found, fetched, probed, introduced | [`find_solvers`]; by `smelt.toml` in [`profiles`]; built from a commit in `sources.rs`, [`checkout`] and [`repository`] |
//! | what came of a hunt, for people and as JSON | [`summary`] |
//! | a campaign opened, begun or resumed | [`opening`] |
//! | the workers of a hunt, and its end | `workers.rs` |
//! | a solver under test with drawn options | [`options`] |
//! | from a verdict to what a finding keeps | `finding.rs` |
//! | the hunt for slowness | [`slowdown`]; measuring in `slowdown/measure.rs`, formulas in `maker.rs`, noise in `calibrate.rs`, findings again in `slowdown/replay.rs`, growing families in `families.rs`, measured in `scaling.rs` |
//! | telling findings apart; their folders; findings that users name | [`record`]; [`lookup`] |
//! | the evidence about the formula that a report shows | [`exhibit`] |
//! | cases that were not sent to a solver, and why | [`omissions`] |
//! | a finding run again; asked of other releases of its culprit | [`replay`], [`releases`] |
//! | the solvers of a finding, ready to be run again | [`solvers`] |
//! | the study of releases: references, releases, looking again | [`release_study`]; the formulas in `release_study/selection.rs`, the workers in `work.rs`, what counts in `confirm.rs` |
//! | cases without running anything | [`generation`] |
//! | solvers compared on a corpus of files | [`bench`] |
//! | what changes for those who replace a solver by another | [`compare`] |
//! | whether a solver solves mutants of a query with the same meaning | [`stability`] |
//! | what was measured of queries, in a file | [`query_journal`] |
//! | triples and rules, tried and proved | [`claims`] |
//! | a solver watched against a reference, for continuous integration | [`monitor`] |
//! | the genetic search for slow formulas on real solvers | [`genetic`]; on disk in `genetic/state.rs`, its tables and figures in `genetic/files.rs`; what running shows in `genetic/behaviour.rs` (statistics, traces) and `coverage.rs` (gcov, LLVM) |
//!
//! A verdict counts only if fresh processes show it again. A case is recorded when all is said about it, a new finding
//! before its folder is written. A hunt that was killed resumes at the first case that is not recorded.

pub mod allocation;
mod allowance;
pub mod bench;
pub mod campaign;
pub mod checkout;
pub mod claims;
pub mod compare;
pub mod configure;
pub mod consent;
pub mod dialogue;
mod driver;
mod energy;
pub mod enumeration_cache;
pub mod exhibit;
pub mod find_solvers;
mod finding;
pub mod generation;
pub mod genetic;
pub mod grammars;
pub mod hunt;
pub mod inputs;
pub mod labels;
mod ledger;
pub mod lookup;
pub mod monitor;
pub mod omissions;
pub mod opening;
pub mod options;
mod preference;
pub mod prepare;
pub mod profiles;
mod propose;
pub mod query_journal;
mod queue;
pub mod record;
pub mod release_study;
pub mod releases;
pub mod replay;
pub mod repository;
pub mod schedule;
pub mod seed_labels;
pub mod seeds;
mod shapes;
pub mod slowdown;
pub mod solvers;
mod sources;
pub mod stability;
pub mod summary;
pub mod visible;
mod workers;

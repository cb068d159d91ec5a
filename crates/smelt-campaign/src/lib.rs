//! Campaigns: cases are proposed, run on all targets, judged, confirmed, recorded.
//!
//! [`hunt::run`] is the hunt for bugs and [`slowdown::run`] that for slowness; both are driven by `driver`, with cases from
//! `propose`. [`schedule`] and [`allocation`] say which chains of cases there are and how techniques share them, [`options`]
//! draws more configurations of a solver, `preference` says which cases are worth running. A [`campaign`] is a folder
//! with a record, which is the truth; [`record`] tells findings apart and exports each to a folder that appears complete or
//! not at all. [`replay`] runs a finding again, [`releases`] on other releases of its culprit. [`exhibit`] establishes the
//! evidence about the formula that a report shows; reports are in `smelt-report`. [`release_study`] compares many releases on a fixed corpus.
//! [`genetic`] searches for formulas on which a solver is slow by a genetic algorithm.
//!
//! How one case is run on several solvers and who is wrong is decided in `smelt-trial`.

pub mod allocation;
pub mod campaign;
mod driver;
pub mod enumeration_cache;
pub mod exhibit;
mod finding;
pub mod genetic;
pub mod hunt;
pub mod labels;
mod ledger;
pub mod omissions;
pub mod options;
mod preference;
mod propose;
mod queue;
pub mod record;
pub mod release_study;
pub mod releases;
pub mod replay;
pub mod schedule;
pub mod seed_labels;
mod shapes;
pub mod slowdown;
pub mod solvers;
mod workers;

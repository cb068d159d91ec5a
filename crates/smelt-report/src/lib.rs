//! What a record says, for people and for other programs: tables, plots, pages.
//!
//! Everything here turns data into text; only [`finding::triage_files`] reads and writes files, those in the folder of a
//! finding. [`finding`] is the report of a finding for an issue tracker, with a script that replays it. [`plot`] draws figures of several panels as SVG;
//! [`evolution`] counts, tabulates and draws an evolution study; [`growth`] tells how times grow.
//!
//! | to find | look in |
//! |---|---|
//! | the report of a finding: titles, policies of developers, slowdowns, false steps of proofs, what can be checked without smelt | [`finding`], `finding/title.rs`, `policy.rs`, `slowdown.rs`, `false_claim.rs`, `without_smelt.rs`; the formula shown with its evidence in `exhibit.rs`, the shell script in `replay_script.rs`; why so in `docs/design/reports.md` |
//! | what triage adds to the folder of a finding | `finding/triage_files.rs`; in words in `triage_summary.rs` |
//! | a finding in a list | `finding/listing.rs` |
//! | an evolution study, counted | [`evolution`] |
//! | its plots, CSV files and page | `evolution/figures.rs`, `tables.rs`, `page.rs` |
//! | how times grow with n, fitted and drawn | [`growth`] |
//! | a run on a file, as text and JSON | [`run`] |
//! | what is wrong with scripts; the value of a formula | [`check`]; [`eval`] |
//! | what a solver takes, as a table, text and JSON | [`solver`] |
//! | grids of panels as SVG | [`plot`]; their axes in `plot/axis.rs` |
//!
//! Why the study is as it is, with numbers: `docs/design/evolution.md`.

pub mod check;
pub mod eval;
pub mod evolution;
pub mod finding;
pub mod growth;
pub mod plot;
pub mod run;
pub mod solver;

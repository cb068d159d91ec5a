//! One case on several solvers: it is run, judged, and what seems wrong is confirmed in fresh processes.
//!
//! This is the only code that decides who is wrong. Hunts, the monitor, the study of releases, replays and reductions
//! differ in where their cases come from and in what they do with the result.
//!
//! | to find | look in |
//! |---|---|
//! | a solver under test: how formulas are printed for it, and which ones it is not sent | [`target`], [`omission`] |
//! | the sessions of all targets, several cases at a time | [`worker`] |
//! | a case on its way: its texts, its runs, and what our evaluator says of them | [`trial`] |
//! | which judges are not content with the runs | [`judge`]; which still are not once sessions have answered them | [`screen`] |
//! | a solver asked for a proof, whose steps are tested | [`proof_steps`] |
//! | fresh processes, the questions of judges, and the verdicts that count | [`confirm`] |
//! | a solver that is not under test, asked in a dispute | [`arbiter`] |
//! | operators for which an old release follows an older definition | [`drift`] |
//! | a case or a session run again from the start | [`replay`] |
//!
//! The order is: [`trial::Trial::new`], [`trial::Trial::address`], [`worker::Worker::run`], [`trial::Trial::evaluate`],
//! [`screen::screen`], [`confirm::confirm`]. Nothing here records anything.

pub mod arbiter;
pub mod confirm;
pub mod drift;
mod failure;
pub mod judge;
pub mod omission;
pub mod proof_steps;
pub mod replay;
pub mod screen;
pub mod target;
pub mod trial;
pub mod worker;

pub use failure::SolverFailure;

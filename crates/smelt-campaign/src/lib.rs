//! The hunt: make cases, run solvers on them, judge, confirm in fresh processes, record.
//!
//! [`hunt::run`] is the loop over the chains of a [`schedule`], which techniques share in [`allocation`], [`target`] is one solver under test with what probing
//! found out about it, `preference` says which cases are worth running, `hearing` has judges look again in fresh processes,
//! [`options`] draws more configurations of it, [`drift`] finds operators on which an old
//! release follows an older definition. A [`campaign`] is a folder with a record, which is the truth; [`record`] tells
//! findings apart and exports each to a folder that appears complete or not at all. [`replay`] runs a finding again, [`releases`]
//! on other releases of its culprit. An [`exhibit`] is the formula that a [`report`] shows, with all evidence about it.
//! [`slowdown`] is a hunt of its own, guided by what runs cost.
//! [`release_study`] compares many releases on a fixed corpus.
//! [`genetic`] searches for formulas on which a solver is slow by a genetic algorithm.

pub mod allocation;
pub mod campaign;
pub mod dating;
pub mod drift;
mod evaluate;
pub mod exhibit;
pub mod genetic;
mod hearing;
pub mod hunt;
pub mod labels;
mod observe;
pub mod omissions;
pub mod options;
mod policy;
mod preference;
mod queue;
pub mod record;
pub mod release_study;
pub mod releases;
pub mod replay;
mod replay_script;
pub mod report;
pub mod schedule;
mod shapes;
pub mod slowdown;
pub mod target;
mod title;
mod workers;

//! The hunt: make cases, run solvers on them, judge, confirm in fresh processes, record.
//!
//! [`hunt::run`] is the loop over the chains of a [`schedule`], which techniques share in [`rounds`], [`target`] is one solver under test with what probing
//! found out about it, `preference` says which cases are worth running, `hearing` has judges look again in fresh processes,
//! [`options`] draws more configurations of it, [`drift`] finds operators on which an old
//! release follows an older definition. A [`campaign`] is a folder with a record, which is the truth; [`record`] tells
//! findings apart and exports each to a folder that appears complete or not at all. [`replay`] runs a finding again, [`releases`]
//! on other releases of its culprit. [`exhibit`] establishes the evidence about the formula that a report shows; reports are in `smelt-report`.
//! [`slowdown`] is a hunt of its own, guided by what runs cost.
//! [`evolution`] is no hunt: it runs many releases on fixed lists of formulas.
//! [`slow_evolution`] evolves formulas on which a solver is slow.

pub mod campaign;
pub mod drift;
pub mod enumeration_cache;
mod evaluate;
pub mod evolution;
pub mod exhibit;
mod hearing;
pub mod hunt;
pub mod labels;
mod observe;
pub mod omissions;
pub mod options;
mod preference;
mod queue;
pub mod record;
pub mod releases;
pub mod replay;
pub mod rounds;
pub mod schedule;
pub mod seed_labels;
mod shapes;
pub mod slow_evolution;
pub mod slowdown;
pub mod solvers;
pub mod target;
mod workers;

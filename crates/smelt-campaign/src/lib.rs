//! The hunt: make cases, run solvers on them, judge, confirm in fresh processes, record.
//!
//! [`hunt::run`] is the loop, [`target`] is one solver under test with what probing found out about it, `hearing` has
//! judges look again in fresh processes, [`drift`] finds
//! operators on which an old release follows an older definition, [`record`] writes findings to disk, each in a
//! folder that appears complete or not at all.

pub mod drift;
mod hearing;
pub mod hunt;
pub mod record;
pub mod seeds;
pub mod target;

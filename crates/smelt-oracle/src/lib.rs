//! What comes of running solvers on formulas, as plain data: runs and their answers.
//!
//! The crate is pure: no files, no clock, no processes. Whoever runs solvers fills these types; whoever judges reads
//! them.

pub mod case;
pub mod run;

//! Cases, runs, verdicts and findings as plain data, and the judges between them.
//!
//! Nobody is blamed without evidence: a `sat` refutes an `unsat` only if our own evaluator accepts its model, and where
//! nothing tells who is wrong, the verdict is *disputed* and names no culprit.
//!
//! The crate is pure: no files, no clock, no processes. Whoever runs solvers fills these types; whoever records
//! findings reads them.

pub mod assertion_values;
pub mod case;
pub mod evaluated;
pub mod finding;
pub mod finding_id;
pub mod flatten;
pub mod foreign_text;
pub mod judge;
pub mod references;
pub mod run;
pub mod signature;
pub mod slowness;

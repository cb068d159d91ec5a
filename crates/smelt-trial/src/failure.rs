//! The one error of this crate: a solver that cannot be run.

use std::io;

use crate::target::Target;

/// A solver could not be started, or its process could not be talked to.
#[derive(Debug, thiserror::Error)]
#[error("cannot run `{solver}`: {error}")]
pub struct SolverFailure {
    /// The name of the solver.
    pub solver: String,
    /// What the system says.
    pub error: io::Error,
}

impl SolverFailure {
    /// The failure of a target.
    pub fn of(target: &Target, error: io::Error) -> Self {
        SolverFailure { solver: target.solver.name.clone(), error }
    }
}

//! What must stay true of a script while it is reduced: what a command does with it, or that it shows a finding.
//!
//! A [`Reproduction`] answers that for one script after the other. Limits of time and memory, and the result on disk, are
//! added by [`super::bounded`].

mod command;
mod finding;
mod pair;
mod warm;

use std::io;

use smelt_campaign::hunt::HuntError;
use smelt_campaign::replay::ReplayError;

pub use command::{Behaviour, Command};
pub use finding::{DrawnOptions, FindingCriterion, NotReducible, is_reducible};
pub use pair::Pair;

/// Tells whether a script reproduces what is looked for.
pub trait Reproduction {
    /// Whether it does; an error ends the reduction.
    fn reproduces(&mut self, script: &str) -> Result<bool, CriterionError>;

    /// Another one that says the same and can be asked at the same time; none if there is only one.
    fn another(&self) -> Option<Box<dyn Reproduction + Send>> {
        None
    }

    /// Whether scripts can be shown to people while the reduction is under way.
    fn is_presentable(&self) -> bool {
        true
    }

    /// What it did, in words.
    fn effort(&self) -> String {
        String::new()
    }
}

/// Why a criterion cannot be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum CriterionError {
    /// There is no command.
    #[error("there is no command")]
    NoCommand,
    /// The program of the command does not exist.
    #[error("there is no program `{0}`")]
    NoProgram(String),
    /// There is no place for scripts.
    #[error("cannot make a temporary folder: {0}")]
    TemporaryFolder(io::Error),
    /// A script cannot be written.
    #[error("cannot write `{path}`: {error}")]
    Write {
        /// The path of its file.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// A program cannot be run.
    #[error("cannot run `{program}`: {error}")]
    Run {
        /// Its name.
        program: String,
        /// What the system says.
        error: io::Error,
    },
    /// A session cannot be run.
    #[error("cannot run solver `{solver}`: {error}")]
    Session {
        /// The name of the solver.
        solver: String,
        /// What the system says.
        error: io::Error,
    },
    /// A finding cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Times cannot be measured.
    #[error(transparent)]
    Measure(#[from] HuntError),
    /// A thread that asked the criterion has ended early.
    #[error("a run has panicked")]
    Panicked,
}

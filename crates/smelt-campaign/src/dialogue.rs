//! What the parts of a command that take long say to the user while they work, and what they ask.
//!
//! Libraries do not print. What tells the user something on the way is given a [`Dialogue`], which the command line
//! implements.

use std::io;
use std::path::{Path, PathBuf};

use smelt_runner::fetch::{FetchError, FetchEvent};
use smelt_runner::solver::UnknownSolver;

use crate::configure::profiles::ProfileError;
use crate::consent::ConsentItem;
use crate::find_solvers::SolverSearchError;

/// The user, as libraries talk to one.
pub trait Dialogue {
    /// Why a command ends early.
    type Failure: From<io::Error>
        + From<CannotWrite>
        + From<FetchError>
        + From<ProfileError>
        + From<SolverSearchError>
        + From<UnknownSolver>;

    /// Says something, in lines with their ends.
    fn message(&mut self, text: &str) -> Result<(), Self::Failure>;

    /// Says what went wrong and does not end the command.
    fn error(&mut self, text: &str) -> Result<(), Self::Failure>;

    /// Says why a part of the command failed, and continues where there is a point in that.
    fn report(&mut self, failure: Self::Failure) -> Result<(), Self::Failure>;

    /// Makes sure that all that was said is seen before something takes long.
    fn flush(&mut self) -> Result<(), Self::Failure>;

    /// Says how far something has come that takes long, in half a line; nothing once it is over. Most of these are not seen.
    fn progress(&mut self, done: Option<&str>);

    /// Says what happens while a release is fetched.
    fn fetching(&mut self, event: &FetchEvent);

    /// Asks the user to agree to what a source wants to start, unless that was done before.
    fn agree(&mut self, source: &str, items: &[ConsentItem]) -> Result<(), Self::Failure>;

    /// Whether the user has agreed to something.
    fn is_agreed(&self, item: &ConsentItem) -> bool;
}

/// A file or folder that the user asked for and that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`: {error}", path.display())]
pub struct CannotWrite {
    /// Where it should be.
    pub path: PathBuf,
    /// What the system says.
    pub error: io::Error,
}

impl CannotWrite {
    /// Makes the error of a file or folder.
    pub fn to(path: &Path) -> impl FnOnce(io::Error) -> CannotWrite + '_ {
        |error| CannotWrite { path: path.to_owned(), error }
    }
}

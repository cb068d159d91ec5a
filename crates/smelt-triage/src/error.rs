//! Why a part of triage fails.

use smelt_campaign::replay::ReplayError;
use smelt_campaign::solvers::TargetsError;

use crate::bisect::asking::AskError;
use crate::cluster::findings::SearchError;
use crate::file::NewestError;
use crate::reduce::criterion::{CriterionError, NotReducible};

/// What keeps a finding from being reduced, bisected or told apart.
#[derive(Debug, thiserror::Error)]
pub enum TriageError {
    /// Its solvers cannot be run.
    #[error(transparent)]
    Targets(#[from] TargetsError),
    /// It cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// It cannot be reduced.
    #[error(transparent)]
    NotReducible(#[from] NotReducible),
    /// Its reduction failed.
    #[error(transparent)]
    Criterion(#[from] CriterionError),
    /// The newest release cannot be asked.
    #[error(transparent)]
    Newest(#[from] NewestError),
    /// Releases cannot be asked.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// Duplicates cannot be looked for.
    #[error(transparent)]
    Search(#[from] SearchError),
}

//! Seeds that users name, with warnings about those that cannot be read.

use std::path::PathBuf;

use smelt_campaign::labels::Replies;
use smelt_campaign::seeds::{self, FoundSeeds};

use crate::config::solvers::cache_folder;
use crate::error::CliError;
use crate::render::diagnostics;
use crate::render::streams::Streams;

/// The seeds below paths, or the built-in ones. It is an error if none can be read; if others can, there is a warning.
pub(crate) fn find_seeds(paths: &[PathBuf], streams: &mut Streams) -> Result<FoundSeeds, CliError> {
    let found = seeds::find_seeds(paths);
    let problems = &found.unreadable;
    if found.texts.is_empty() {
        return Err(CliError::Diagnostics(problems.iter().map(diagnostics::render_unreadable).collect()));
    }
    for problem in problems.iter().take(MAX_REPORTED) {
        streams.diagnostics(&diagnostics::render_skipped(problem))?;
    }
    if problems.len() > MAX_REPORTED {
        streams
            .message(&format!("warning: {} more seeds cannot be read\n", problems.len() - MAX_REPORTED))?;
    }
    Ok(found)
}

/// What solvers said of seeds, kept for the user.
pub(crate) fn replies() -> Replies {
    Replies::in_folder(cache_folder().join("replies"))
}

/// Report at most this many seeds that cannot be read one by one.
const MAX_REPORTED: usize = 5;

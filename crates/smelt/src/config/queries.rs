//! What `compare` and `stability` have in common: a user's queries, how they are run, and how such a command ends.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use smelt_campaign::bench::Corpus;
use smelt_campaign::configure::values::parse_seconds;
use smelt_runner::interruption;

use super::memory::MemoryArg;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// Queries and how they are run.
#[derive(Debug, clap::Args)]
pub(crate) struct QueryArgs {
    /// Queries: files or folders (all .smt2 files below them)
    #[arg(value_name = "QUERIES", required = true)]
    paths: Vec<PathBuf>,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = 5.0)]
    pub(crate) timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Number of queries at once, each on a separate core
    #[arg(short, long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    pub(crate) jobs: NonZeroUsize,
    /// Print whole lists [default: ten queries of each]
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON objects instead of lists, one a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a table of all queries to this file [default: none]
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}

/// The files of queries.
pub(crate) struct QueryFiles {
    pub(crate) files: Vec<PathBuf>,
    /// Whether some of what was named cannot be used, which was reported.
    is_partial: bool,
}

impl QueryArgs {
    /// The files; an error if there are none.
    pub(crate) fn files(&self, streams: &mut Streams) -> Result<QueryFiles, CliError> {
        let Corpus { files, failures } = Corpus::below(&self.paths);
        failures.iter().try_for_each(|failure| streams.error(failure))?;
        match files.is_empty() {
            true => Err(CliError::usage("there are no queries to run")),
            false => Ok(QueryFiles { files, is_partial: !failures.is_empty() }),
        }
    }
}

impl QueryFiles {
    /// Reports what could not be measured, and tells how the command ends.
    pub(crate) fn conclude(
        &self,
        measured: usize,
        failures: &[String],
        has_findings: bool,
        streams: &mut Streams,
    ) -> Result<Exit, CliError> {
        failures.iter().try_for_each(|failure| streams.error(failure))?;
        if interruption::is_requested() {
            let all = self.files.len();
            streams.message(&format!("stopped after {measured} of {all}; the same command resumes it\n"))?;
            return Ok(Exit::Interrupted);
        }
        Ok(match has_findings {
            true => Exit::Findings,
            false if self.is_partial || !failures.is_empty() => Exit::BadInput,
            false => Exit::Done,
        })
    }
}

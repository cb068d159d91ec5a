//! `smelt check-proof`: does this log prove that this input has no model?

use std::io::Write;
use std::path::{Path, PathBuf};

use smelt_proof::check;

use crate::error::{CliError, Exit};
use crate::render::diagnostics;
use crate::render::streams::Streams;
use smelt_campaign::inputs::{self, ScriptInput};

/// Check a proof log written by `smelt solve --proof`
///
/// Every step is verified without the solver, or counted as trusted under the name of its rule.
/// Exit status 1 if a step does not hold, with its line; 2 if something cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt check-proof bug.smt2 bug.proof")]
pub(crate) struct Args {
    /// The script that was solved
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The log
    #[arg(value_name = "LOG")]
    log: PathBuf,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let (Some(input), Some(log)) = (read(&args.file, streams)?, read(&args.log, streams)?) else {
        return Ok(Exit::BadInput);
    };
    match check(&input, &log) {
        Ok(summary) => {
            writeln!(streams.results(), "{summary}")?;
            Ok(Exit::Done)
        }
        Err(rejected) => {
            let place = rejected.line.map_or(String::new(), |line| format!(", line {line}"));
            let verb = if rejected.is_broken { "read" } else { "accept" };
            let log = args.log.display();
            streams.error(&format!("cannot {verb} the log `{log}`{place}: {}", rejected.message))?;
            Ok(if rejected.is_broken { Exit::BadInput } else { Exit::Findings })
        }
    }
}

fn read(path: &Path, streams: &mut Streams) -> Result<Option<String>, CliError> {
    match inputs::read(&ScriptInput::File(path.to_owned())) {
        Ok(text) => Ok(Some(text)),
        Err(problem) => {
            streams.diagnostics(&diagnostics::render_unreadable(&problem))?;
            Ok(None)
        }
    }
}

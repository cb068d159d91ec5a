//! `smelt check`: are these files well-formed and well-sorted SMT-LIB?

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use smelt_campaign::inputs::{self, ScriptInput, UnreadableInput};
use smelt_report::check::{CheckLine, CheckTotals, ErrorLine};
use smelt_runner::parallel;
use smelt_smtlib::legibility::{TermCounts, change_by_printing};
use smelt_smtlib::read::read_script;
use smelt_smtlib::snippet::Severity;
use smelt_smtlib::term::Terms;

use crate::error::{CliError, Exit};
use crate::render::diagnostics;
use crate::render::streams::Streams;

/// Parse and sort-check SMT-LIB scripts, 2.5 and 2.6 spellings alike
///
/// Problems go to standard error with their place and advice, a summary goes to standard output.
/// The name of the logic is never enforced. Exit status 2 if a file has errors or cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt check benchmarks/ extra.smt2")]
pub(crate) struct Args {
    /// Files, folders (all .smt2 files below them) or - for standard input
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Print one JSON object per file instead of text [default: text]
    #[arg(long)]
    json: bool,
    /// Also print every well-sorted file, read that again, and report a difference as an error [default: only
    /// check]
    #[arg(long)]
    round_trip: bool,
    /// Number of files to check at once [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// What is known of one input after it was checked.
enum Checked {
    Good(TermCounts),
    Bad,
    Unreadable,
}

/// What to write for one input.
enum Output {
    Text(String),
    Json(Box<CheckLine>),
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let inputs = inputs::collect(&args.paths);
    let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
    let mut totals = CheckTotals::default();
    parallel::in_order(
        &inputs,
        jobs,
        |input| check(input, args),
        |(checked, output)| {
            match checked {
                Checked::Good(found) => totals.add_good(found),
                Checked::Bad => totals.add_bad(),
                Checked::Unreadable => totals.add_unreadable(),
            }
            match output {
                Output::Text(text) => streams.diagnostics(&text),
                Output::Json(line) => streams.json_line(&line),
            }
        },
    )?;
    if !args.json {
        writeln!(streams.results(), "{}", totals.text())?;
    }
    Ok(if totals.is_good() { Exit::Done } else { Exit::BadInput })
}

fn check(input: &Result<ScriptInput, UnreadableInput>, args: &Args) -> (Checked, Output) {
    let (name, source) = match inputs::read_collected(input) {
        Ok((input, source)) => (input.name(), source),
        Err(problem) => {
            let output = if args.json {
                let error = ErrorLine::unreadable(problem.place, problem.message, problem.help);
                Output::Json(Box::new(CheckLine::unreadable(problem.name, error)))
            } else {
                Output::Text(diagnostics::render_unreadable(&problem))
            };
            return (Checked::Unreadable, output);
        }
    };
    let mut terms = Terms::new();
    let mut reading = read_script(&mut terms, &source);
    if args.round_trip && reading.diagnostics.is_empty() {
        reading.diagnostics.extend(change_by_printing(&mut terms, &reading.script));
    }
    let checked = match reading.diagnostics.is_empty() {
        true => Checked::Good(TermCounts::of(&terms, &reading.script)),
        false => Checked::Bad,
    };
    let output = match args.json {
        true => Output::Json(Box::new(CheckLine::of(name, &source, &terms, &reading))),
        false => Output::Text(diagnostics::render(&name, &source, Severity::Error, &reading.diagnostics)),
    };
    (checked, output)
}

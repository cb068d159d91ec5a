//! `smelt check`: are these files well-formed and well-sorted SMT-LIB?

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Serialize;
use smelt_runner::parallel;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;

use crate::error::{CliError, Exit};
use crate::inputs::{self, Input, Unreadable};
use crate::report::{self, Severity};
use crate::streams::Streams;

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
    /// How many files to check at once [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// What is known of one input after it was checked.
enum Checked {
    Good,
    Bad,
    Unreadable,
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line {
    file: String,
    ok: bool,
    errors: Vec<LineError>,
    logic: Option<String>,
    dialect: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct LineError {
    line: Option<u32>,
    column: Option<u32>,
    message: String,
    help: Option<String>,
    kind: &'static str,
}

/// What to write for one input.
enum Output {
    Text(String),
    Json(Box<Line>),
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let inputs = inputs::collect(&args.paths);
    let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
    let (mut good, mut bad, mut unreadable) = (0u64, 0u64, 0u64);
    parallel::in_order(
        &inputs,
        jobs,
        |input| check(input, args.json),
        |(checked, output)| {
            match checked {
                Checked::Good => good += 1,
                Checked::Bad => bad += 1,
                Checked::Unreadable => unreadable += 1,
            }
            match output {
                Output::Text(text) => streams.diagnostics(&text),
                Output::Json(line) => streams.json_line(&line),
            }
        },
    )?;
    if !args.json {
        writeln!(streams.results(), "{}", summary(good, bad, unreadable))?;
    }
    Ok(if bad + unreadable == 0 { Exit::Done } else { Exit::BadInput })
}

fn summary(good: u64, bad: u64, unreadable: u64) -> String {
    let total = good + bad + unreadable;
    let mut parts = vec![format!("{good} well-sorted")];
    if bad > 0 {
        parts.push(format!("{bad} with errors"));
    }
    if unreadable > 0 {
        parts.push(format!("{unreadable} unreadable"));
    }
    format!("{total} file{}: {}", if total == 1 { "" } else { "s" }, parts.join(", "))
}

fn check(input: &Result<Input, Unreadable>, json: bool) -> (Checked, Output) {
    let (name, source) = match input.clone().and_then(|input| Ok((input.name(), inputs::read(&input)?))) {
        Ok(found) => found,
        Err(problem) => {
            let output = if json {
                Output::Json(Box::new(unreadable_line(problem)))
            } else {
                Output::Text(report::render_unreadable(&problem))
            };
            return (Checked::Unreadable, output);
        }
    };
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, &source);
    let checked = if reading.diagnostics.is_empty() { Checked::Good } else { Checked::Bad };
    if !json {
        let text = report::render(&name, &source, Severity::Error, &reading.diagnostics);
        return (checked, Output::Text(text));
    }
    let errors = report::in_text_order(&source, &reading.diagnostics)
        .into_iter()
        .map(|(diagnostic, place)| LineError {
            line: Some(place.line),
            column: Some(place.column),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            kind: report::problem_name(diagnostic.problem),
        })
        .collect::<Vec<_>>();
    let line = Line {
        file: name,
        ok: errors.is_empty(),
        errors,
        logic: reading.script.logic().map(|logic| terms.text(logic).to_owned()),
        dialect: Some(dialect_name(reading.script.dialect)),
    };
    (checked, Output::Json(Box::new(line)))
}

fn unreadable_line(problem: Unreadable) -> Line {
    let error = LineError {
        line: problem.place.map(|place| place.line),
        column: problem.place.map(|place| place.column),
        message: problem.message,
        help: problem.help,
        kind: "unreadable",
    };
    Line { file: problem.name, ok: false, errors: vec![error], logic: None, dialect: None }
}

fn dialect_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::V25 => "2.5",
        Dialect::V26 => "2.6",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_what_there_is() {
        assert_eq!(summary(1, 0, 0), "1 file: 1 well-sorted");
        assert_eq!(summary(3012, 2, 0), "3014 files: 3012 well-sorted, 2 with errors");
        assert_eq!(summary(0, 0, 1), "1 file: 0 well-sorted, 1 unreadable");
    }
}

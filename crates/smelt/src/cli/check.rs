//! `smelt check`: are these files well-formed and well-sorted SMT-LIB?

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Serialize;
use smelt_runner::parallel;
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::script::{Command, Origin, Script};
use smelt_smtlib::snippet::{LocatedDiagnostic, Severity, in_text_order};
use smelt_smtlib::source::Span;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::error::{CliError, Exit};
use crate::render::diagnostics;
use crate::render::streams::Streams;
use smelt_campaign::inputs::{self, ScriptInput, UnreadableInput};

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

/// How many distinct terms there are, and how many of them are opaque: carried along without being understood.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    terms: u64,
    opaque: u64,
}

impl Counts {
    fn of(terms: &Terms, script: &Script) -> Counts {
        let roots: Vec<Term> = script.commands.iter().flat_map(Command::terms).collect();
        let all = subterms(terms, &roots);
        let opaque = all.iter().filter(|term| matches!(terms.head(**term), Head::Opaque(_))).count();
        Counts { terms: all.len() as u64, opaque: opaque as u64 }
    }

    fn add(&mut self, other: Counts) {
        self.terms += other.terms;
        self.opaque += other.opaque;
    }
}

/// What is known of one input after it was checked.
enum Checked {
    Good(Counts),
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
    terms: Option<u64>,
    opaque: Option<u64>,
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
    let mut counts = Counts::default();
    parallel::in_order(
        &inputs,
        jobs,
        |input| check(input, args),
        |(checked, output)| {
            match checked {
                Checked::Good(found) => {
                    good += 1;
                    counts.add(found);
                }
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
        writeln!(streams.results(), "{}", summary(good, bad, unreadable, counts))?;
    }
    Ok(if bad + unreadable == 0 { Exit::Done } else { Exit::BadInput })
}

fn summary(good: u64, bad: u64, unreadable: u64, counts: Counts) -> String {
    let total = good + bad + unreadable;
    let mut parts = vec![format!("{good} well-sorted")];
    if bad > 0 {
        parts.push(format!("{bad} with errors"));
    }
    if unreadable > 0 {
        parts.push(format!("{unreadable} unreadable"));
    }
    if counts.opaque > 0 {
        parts.push(format!("{} of {} terms opaque", counts.opaque, counts.terms));
    }
    format!("{total} file{}: {}", if total == 1 { "" } else { "s" }, parts.join(", "))
}

fn check(input: &Result<ScriptInput, UnreadableInput>, args: &Args) -> (Checked, Output) {
    let (name, source) = match input.clone().and_then(|input| Ok((input.name(), inputs::read(&input)?))) {
        Ok(found) => found,
        Err(problem) => {
            let output = if args.json {
                Output::Json(Box::new(unreadable_line(problem)))
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
    let counts = Counts::of(&terms, &reading.script);
    let checked = if reading.diagnostics.is_empty() { Checked::Good(counts) } else { Checked::Bad };
    if !args.json {
        let text = diagnostics::render(&name, &source, Severity::Error, &reading.diagnostics);
        return (checked, Output::Text(text));
    }
    let errors = in_text_order(&source, &reading.diagnostics)
        .into_iter()
        .map(|LocatedDiagnostic { diagnostic, place }| LineError {
            line: Some(place.line),
            column: Some(place.column),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            kind: diagnostics::problem_name(diagnostic.problem),
        })
        .collect::<Vec<_>>();
    let line = Line {
        file: name,
        ok: errors.is_empty(),
        errors,
        logic: reading.script.logic().map(|logic| terms.text(logic).to_owned()),
        dialect: Some(dialect_name(reading.script.dialect)),
        terms: Some(counts.terms),
        opaque: Some(counts.opaque),
    };
    (checked, Output::Json(Box::new(line)))
}

/// What is wrong if a script is another one after it was printed and read again.
fn change_by_printing(terms: &mut Terms, script: &Script) -> Option<Diagnostic> {
    let text = script_text(terms, script);
    let again = read_script_as(terms, &text, script.dialect);
    if again.diagnostics.is_empty() && again.script.commands == script.commands {
        return None;
    }
    let commands = script.commands.iter().zip(&again.script.commands);
    let place = commands.take_while(|(first, second)| first == second).count();
    let span = match script.origins.get(place) {
        Some(Origin::Read(span)) => *span,
        _ => Span::new(0, 0),
    };
    let message = "this is something else after it was printed and read again, which is an error of smelt";
    Some(Diagnostic::new(Problem::Syntax, span, message))
}

fn unreadable_line(problem: UnreadableInput) -> Line {
    let error = LineError {
        line: problem.place.map(|place| place.line),
        column: problem.place.map(|place| place.column),
        message: problem.message,
        help: problem.help,
        kind: "unreadable",
    };
    Line {
        file: problem.name,
        ok: false,
        errors: vec![error],
        logic: None,
        dialect: None,
        terms: None,
        opaque: None,
    }
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
        let none = Counts { terms: 7, opaque: 0 };
        assert_eq!(summary(1, 0, 0, none), "1 file: 1 well-sorted");
        assert_eq!(summary(3012, 2, 0, none), "3014 files: 3012 well-sorted, 2 with errors");
        assert_eq!(summary(0, 0, 1, none), "1 file: 0 well-sorted, 1 unreadable");
        let some = Counts { terms: 9, opaque: 2 };
        assert_eq!(summary(1, 0, 0, some), "1 file: 1 well-sorted, 2 of 9 terms opaque");
    }
}

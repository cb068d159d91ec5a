//! `smelt eval`: does this model satisfy this formula?

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_oracle::model_report::{FormulaValue, ModelReport};
use smelt_runner::parallel;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{self, Model};
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::snippet::Severity;
use smelt_smtlib::term::Terms;

use crate::cli::print::DialectName;
use crate::error::{CliError, Exit};
use crate::render::diagnostics;
use crate::render::streams::Streams;
use smelt_campaign::inputs::{self, ScriptInput, UnreadableInput};

/// Evaluate the assertions of a formula under a model
///
/// The assertions are those in force at the last check of the script, with what that check assumes.
/// The model is what a solver printed for (get-model) or (get-value ..). The answer is exact: `true` or `false` by
/// the standard, or `unknown` with the reason. A symbol that the model leaves out has no value, unless --complete
/// gives it one. Exit status 0 if all formulas are true, 1 if one is false or unknown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: z3 -model bug.smt2 > bug.model; smelt eval bug.smt2 --model bug.model")]
pub(crate) struct Args {
    /// Files, folders (all .smt2 files below them) or - for standard input
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// The model: a file, - for standard input, or a folder with a NAME.model for each NAME.smt2
    /// [default: none; symbols have no value]
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Give symbols that the model leaves out a default value (false, 0, the empty string ..) where an assertion needs
    /// one, and name them; look for values of what the standard leaves open, such as divisions by zero. An assertion
    /// that is not true then is unknown, since another value may make it so
    /// [default: they have no value]
    #[arg(long)]
    complete: bool,
    /// The dialect that formulas and models are in: how escapes in strings are written, and what some operators mean
    /// [default: what the formula's operators show]
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<DialectName>,
    /// Print one JSON object per file instead of text [default: text]
    #[arg(long)]
    json: bool,
    /// Effort allowed for each file, in units of about a nanosecond
    #[arg(long, value_name = "UNITS", default_value_t = 1 << 29)]
    effort: u64,
    /// Number of files to evaluate at once [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line {
    file: String,
    result: &'static str,
    assertions: Vec<&'static str>,
    /// Why assertions are unknown, or what is wrong with the input.
    reasons: Vec<String>,
    /// Symbols that evaluation came across and that the model gives no value.
    missing: Vec<String>,
    /// Whether these have default values.
    completed: bool,
}

/// What is to be written for one file.
struct Evaluated {
    result: FileResult,
    line: Line,
    details: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileResult {
    True,
    False,
    Unknown,
    BadInput,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let inputs = inputs::collect(&args.paths);
    if let Some(message) = standard_input_twice(args, &inputs) {
        return Err(CliError::usage(message));
    }
    let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
    let mut worst = Exit::Done;
    parallel::in_order(
        &inputs,
        jobs,
        |input| evaluate(input, args),
        |evaluated| {
            worst = match (evaluated.result, worst) {
                (FileResult::BadInput, _) | (_, Exit::BadInput) => Exit::BadInput,
                (FileResult::False | FileResult::Unknown, _) => Exit::Findings,
                (FileResult::True, worst) => worst,
            };
            if args.json {
                return streams.json_line(&evaluated.line);
            }
            if evaluated.result == FileResult::BadInput {
                return streams.diagnostics(&evaluated.details);
            }
            let line = &evaluated.line;
            write!(streams.results(), "{}: {}\n{}", line.file, line.result, evaluated.details)
        },
    )?;
    Ok(worst)
}

fn standard_input_twice(
    args: &Args,
    inputs: &[Result<ScriptInput, UnreadableInput>],
) -> Option<&'static str> {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    (args.model.as_deref().is_some_and(is_stdin)
        && (inputs.len() > 1 || inputs.contains(&Ok(ScriptInput::Stdin))))
    .then_some("a model from standard input fits one formula from a file")
}

fn evaluate(input: &Result<ScriptInput, UnreadableInput>, args: &Args) -> Evaluated {
    let (input, source) = match input.clone().and_then(|input| Ok((input.clone(), inputs::read(&input)?))) {
        Ok(found) => found,
        Err(problem) => return unreadable(&problem),
    };
    let name = input.name();
    let mut terms = Terms::new();
    let reading = match args.dialect {
        Some(dialect) => read_script_as(&mut terms, &source, dialect.dialect()),
        None => read_script(&mut terms, &source),
    };
    let errors: Vec<_> = reading
        .diagnostics
        .iter()
        .filter(|problem| problem.problem != Problem::UnknownName)
        .cloned()
        .collect();
    if !errors.is_empty() {
        let details = diagnostics::render(&name, &source, Severity::Error, &errors);
        return bad_input(name, &errors, details);
    }
    let model = match &args.model {
        None => Model::new(),
        Some(path) => {
            let model_input = model_input(path, &input);
            let text = match inputs::read(&model_input) {
                Ok(text) => text,
                Err(problem) => {
                    let mut evaluated = unreadable(&problem);
                    evaluated.line.file = name;
                    evaluated.line.reasons =
                        vec![format!("cannot read model `{}`: {}", problem.name, problem.message)];
                    return evaluated;
                }
            };
            let dialect = match args.dialect {
                Some(dialect) => dialect.dialect(),
                None => Model::dialect_of(&text, reading.script.dialect),
            };
            match Model::parse(&mut terms, &reading.scope, &text, dialect) {
                Ok(model) => model,
                Err(problems) => {
                    let details = diagnostics::render(&model_input.name(), &text, Severity::Error, &problems);
                    return bad_input(name, &problems, details);
                }
            }
        }
    };
    let environment = Environment::at_last_check(&terms, &reading.script);
    let check = if args.complete { model::check_completed } else { model::check_as_given };
    let checked = check(&terms, &environment, &model, Budget::new(args.effort));
    let report = ModelReport::new(&mut terms, &environment, &model, &checked, args.complete);
    let result = match report.value {
        FormulaValue::True => FileResult::True,
        FormulaValue::False => FileResult::False,
        FormulaValue::Unknown => FileResult::Unknown,
    };
    let line = Line {
        file: name,
        result: report.value.word(),
        assertions: report.assertions,
        reasons: report.reasons,
        missing: report.missing,
        completed: report.is_completed,
    };
    Evaluated { result, line, details: report.details }
}

/// The model of a formula: the path itself, or the file with the formula's name in that folder.
fn model_input(path: &Path, formula: &ScriptInput) -> ScriptInput {
    match formula {
        _ if path.as_os_str() == "-" => ScriptInput::Stdin,
        ScriptInput::File(file) if path.is_dir() => {
            // Names such as `bug.1.smt2` have dots of their own.
            let mut name = file.file_stem().map_or_else(|| "model".into(), |stem| stem.to_owned());
            name.push(".model");
            ScriptInput::File(path.join(name))
        }
        _ => ScriptInput::File(path.to_owned()),
    }
}

fn unreadable(problem: &UnreadableInput) -> Evaluated {
    let mut evaluated = bad_input(problem.name.clone(), &[], diagnostics::render_unreadable(problem));
    evaluated.line.reasons = vec![problem.message.clone()];
    evaluated
}

fn bad_input(file: String, problems: &[Diagnostic], details: String) -> Evaluated {
    let reasons = problems.iter().map(|problem| problem.message.clone()).collect();
    let line = Line {
        file,
        // A formula that cannot be read has an unknown value, too.
        result: FormulaValue::Unknown.word(),
        assertions: Vec::new(),
        reasons,
        missing: Vec::new(),
        completed: false,
    };
    Evaluated { result: FileResult::BadInput, line, details }
}

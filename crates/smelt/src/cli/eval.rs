//! `smelt eval`: does this model satisfy this formula?

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use smelt_campaign::inputs::{self, ScriptInput, UnreadableInput};
use smelt_oracle::model_report::{EvaluatedFormula, FormulaValue, ModelOptions};
use smelt_report::eval::EvalLine;
use smelt_runner::parallel;
use smelt_smtlib::diagnostic::Diagnostic;
use smelt_smtlib::snippet::Severity;

use crate::cli::print::DialectName;
use crate::error::{CliError, Exit};
use crate::render::diagnostics;
use crate::render::streams::Streams;

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

/// What is to be written for one file.
struct Evaluated {
    name: String,
    /// None if there is something wrong with the input.
    value: Option<FormulaValue>,
    line: EvalLine,
    details: String,
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
            worst = match (evaluated.value, worst) {
                (None, _) | (_, Exit::BadInput) => Exit::BadInput,
                (Some(FormulaValue::True), worst) => worst,
                (Some(FormulaValue::False | FormulaValue::Unknown), _) => Exit::Findings,
            };
            match evaluated.value {
                _ if args.json => streams.json_line(&evaluated.line),
                None => streams.diagnostics(&evaluated.details),
                Some(value) => {
                    let Evaluated { name, details, .. } = evaluated;
                    write!(streams.results(), "{name}: {}\n{details}", value.word())
                }
            }
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
    let (input, source) = match inputs::read_collected(input) {
        Ok(found) => found,
        Err(problem) => {
            let details = diagnostics::render_unreadable(&problem);
            return bad_input(problem.name, vec![problem.message], details);
        }
    };
    let name = input.name();
    let ill_formed = |of: &str, text: &str, problems: Vec<Diagnostic>| {
        let reasons = problems.iter().map(|problem| problem.message.clone()).collect();
        bad_input(name.clone(), reasons, diagnostics::render(of, text, Severity::Error, &problems))
    };
    let options = ModelOptions {
        dialect: args.dialect.map(DialectName::dialect),
        is_completed: args.complete,
        effort: args.effort,
    };
    let formula = match EvaluatedFormula::read(&source, options) {
        Ok(formula) => formula,
        Err(problems) => return ill_formed(&name, &source, problems),
    };
    let model = args.model.as_ref().map(|path| model_input(path, &input));
    let text = match model.as_ref().map(inputs::read).transpose() {
        Ok(text) => text,
        Err(problem) => {
            let reason = format!("cannot read model `{}`: {}", problem.name, problem.message);
            return bad_input(name, vec![reason], diagnostics::render_unreadable(&problem));
        }
    };
    match formula.under(text.as_deref()) {
        Ok(mut report) => {
            let (value, details) = (Some(report.value), std::mem::take(&mut report.details));
            Evaluated { line: EvalLine::of(name.clone(), report), name, value, details }
        }
        Err(problems) => {
            let of = model.map_or_else(String::new, |model| model.name());
            ill_formed(&of, &text.unwrap_or_default(), problems)
        }
    }
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

fn bad_input(name: String, reasons: Vec<String>, details: String) -> Evaluated {
    Evaluated { line: EvalLine::unknown(name.clone(), reasons), name, value: None, details }
}

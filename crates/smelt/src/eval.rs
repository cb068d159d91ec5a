//! `smelt eval`: does this model satisfy this formula?

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_runner::parallel;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::{self, Checked, Model, Verdict};
use smelt_semantics::print::value_text;
use smelt_semantics::unknown::Unknown;
use smelt_semantics::value::Value;
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::Op;
use smelt_smtlib::print::{term_text, write_symbol};
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::term::{Head, Term, Terms};

use crate::error::{CliError, Exit};
use crate::inputs::{self, Input, Unreadable};
use crate::print::DialectName;
use crate::report::{self, Severity};
use crate::streams::Streams;

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
    /// one, and name them; an assertion that is not true then is unknown, since another value may make it so
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
    /// How many files to evaluate at once [default: one per core]
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
    result: Outcome,
    line: Line,
    details: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
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
                (Outcome::BadInput, _) | (_, Exit::BadInput) => Exit::BadInput,
                (Outcome::False | Outcome::Unknown, _) => Exit::Findings,
                (Outcome::True, worst) => worst,
            };
            if args.json {
                return streams.json_line(&evaluated.line);
            }
            if evaluated.result == Outcome::BadInput {
                return streams.diagnostics(&evaluated.details);
            }
            let line = &evaluated.line;
            write!(streams.results(), "{}: {}\n{}", line.file, line.result, evaluated.details)
        },
    )?;
    Ok(worst)
}

fn standard_input_twice(args: &Args, inputs: &[Result<Input, Unreadable>]) -> Option<&'static str> {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    (args.model.as_deref().is_some_and(is_stdin) && (inputs.len() > 1 || inputs.contains(&Ok(Input::Stdin))))
        .then_some("a model from standard input fits one formula from a file")
}

fn evaluate(input: &Result<Input, Unreadable>, args: &Args) -> Evaluated {
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
        let details = report::render(&name, &source, Severity::Error, &errors);
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
                    let details = report::render(&model_input.name(), &text, Severity::Error, &problems);
                    return bad_input(name, &problems, details);
                }
            }
        }
    };
    let environment = Environment::at_last_check(&terms, &reading.script);
    let check = if args.complete { model::check_completed } else { model::check_as_given };
    let checked = check(&terms, &environment, &model, Budget::new(args.effort));
    let mut evaluated = describe(&mut terms, name, &environment, &model, &checked.verdicts);
    evaluated.tell_missing(&terms, &checked, args.complete);
    evaluated
}

/// The model of a formula: the path itself, or the file with the formula's name in that folder.
fn model_input(path: &Path, formula: &Input) -> Input {
    match formula {
        _ if path.as_os_str() == "-" => Input::Stdin,
        Input::File(file) if path.is_dir() => {
            // Names such as `bug.1.smt2` have dots of their own.
            let mut name = file.file_stem().map_or_else(|| "model".into(), |stem| stem.to_owned());
            name.push(".model");
            Input::File(path.join(name))
        }
        _ => Input::File(path.to_owned()),
    }
}

fn describe(
    terms: &mut Terms,
    file: String,
    environment: &Environment,
    model: &Model,
    verdicts: &[Verdict],
) -> Evaluated {
    let mut details = String::new();
    let mut reasons = Vec::new();
    for (number, (assertion, verdict)) in environment.assertions.iter().zip(verdicts).enumerate() {
        match verdict {
            Verdict::True => {}
            Verdict::False => {
                details.push_str(&format!(
                    "  assertion {} is false: {}\n",
                    number + 1,
                    excerpt(terms, *assertion)
                ));
                details.push_str(&explain(terms, environment, model, *assertion));
            }
            Verdict::Unknown(unknown) => {
                let reason = unknown.describe(terms);
                details.push_str(&format!("  assertion {} is unknown: {reason}\n", number + 1));
                reasons.push(reason);
            }
        }
    }
    let result = if verdicts.contains(&Verdict::False) {
        Outcome::False
    } else if verdicts.iter().all(|verdict| *verdict == Verdict::True) {
        Outcome::True
    } else {
        Outcome::Unknown
    };
    let word = |verdict: &Verdict| match verdict {
        Verdict::True => "true",
        Verdict::False => "false",
        Verdict::Unknown(_) => "unknown",
    };
    let line = Line {
        file,
        result: result.word(),
        assertions: verdicts.iter().map(word).collect(),
        reasons,
        missing: Vec::new(),
        completed: false,
    };
    Evaluated { result, line, details }
}

impl Evaluated {
    /// Adds which symbols have no value in the model, if the result depends on them.
    fn tell_missing(&mut self, terms: &Terms, checked: &Checked, completes: bool) {
        let is_missing = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Unknown::NoValue(_)));
        if checked.missing.is_empty() || !completes && !checked.verdicts.iter().any(is_missing) {
            return;
        }
        self.line.missing = checked.missing.iter().map(|name| written(terms.text(*name))).collect();
        self.line.completed = completes;
        let shown = self.line.missing.iter().take(MAX_MISSING).cloned().collect::<Vec<_>>().join(", ");
        let more = match self.line.missing.len().saturating_sub(MAX_MISSING) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        self.details.push_str(&match completes {
            true => format!("  completed: the model has no value for {shown}{more}; defaults were used\n"),
            false => format!("  no value in the model: {shown}{more} (--complete uses default values)\n"),
        });
    }
}

/// So many symbols without a value are named.
const MAX_MISSING: usize = 10;

/// A symbol as it is written in SMT-LIB.
fn written(name: &str) -> String {
    let mut text = String::new();
    write_symbol(name, &mut text);
    text
}

/// The values of the parts of a false assertion: of the first false conjunct, if it is a conjunction.
fn explain(terms: &mut Terms, environment: &Environment, model: &Model, assertion: Term) -> String {
    let mut evaluator = Evaluator::new(terms, environment, model);
    let mut atom = assertion;
    loop {
        let next = match terms.head(atom) {
            Head::Op(Op::And, _) => {
                terms.args(atom).iter().copied().find(|arg| evaluator.eval(*arg) == Ok(Value::Bool(false)))
            }
            Head::Annotated(_) => terms.args(atom).first().copied(),
            _ => None,
        };
        match next {
            Some(next) => atom = next,
            None => break,
        }
    }
    if terms.is_binder(atom) {
        return String::new();
    }
    let parts: Vec<(Term, Value)> =
        terms.args(atom).iter().filter_map(|arg| Some((*arg, evaluator.eval(*arg).ok()?))).collect();
    let mut text = String::new();
    if atom != assertion {
        text.push_str(&format!("    because of {}\n", excerpt(terms, atom)));
    }
    for (part, value) in parts {
        let sort = terms.sort(part);
        if let Some(value) = value_text(terms, environment, &value, sort) {
            let part = excerpt(terms, part);
            if part != value {
                text.push_str(&format!("    {part} is {}\n", shortened(&value)));
            }
        }
    }
    text
}

fn excerpt(terms: &mut Terms, term: Term) -> String {
    shortened(&term_text(terms, term))
}

/// A text cut so that it fits a line.
fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn unreadable(problem: &Unreadable) -> Evaluated {
    let mut evaluated = bad_input(problem.name.clone(), &[], report::render_unreadable(problem));
    evaluated.line.reasons = vec![problem.message.clone()];
    evaluated
}

fn bad_input(file: String, problems: &[Diagnostic], details: String) -> Evaluated {
    let reasons = problems.iter().map(|problem| problem.message.clone()).collect();
    let line = Line {
        file,
        result: Outcome::BadInput.word(),
        assertions: Vec::new(),
        reasons,
        missing: Vec::new(),
        completed: false,
    };
    Evaluated { result: Outcome::BadInput, line, details }
}

impl Outcome {
    /// A formula that cannot be read has an unknown value, too.
    fn word(self) -> &'static str {
        match self {
            Outcome::True => "true",
            Outcome::False => "false",
            Outcome::Unknown | Outcome::BadInput => "unknown",
        }
    }
}

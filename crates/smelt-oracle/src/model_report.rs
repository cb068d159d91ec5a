//! What a model says of a formula, assertion by assertion, for people and programs.

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::explain::{excerpt, explain};
use smelt_semantics::model::{self, Checked, Evaluation, Model};
use smelt_semantics::unknown::Unknown;
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::write_symbol;
use smelt_smtlib::read::{Reading, read_script, read_script_as};
use smelt_smtlib::term::Terms;

/// The value of a formula under a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormulaValue {
    /// All assertions are true.
    True,
    /// An assertion is false.
    False,
    /// An assertion has no value that is known.
    Unknown,
}

impl FormulaValue {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            FormulaValue::True => "true",
            FormulaValue::False => "false",
            FormulaValue::Unknown => "unknown",
        }
    }
}

/// What a model says of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReport {
    /// The value of the formula.
    pub value: FormulaValue,
    /// For each assertion `true`, `false` or `unknown`.
    pub assertions: Vec<&'static str>,
    /// Why assertions are unknown.
    pub reasons: Vec<String>,
    /// Symbols that evaluation came across and that the model gives no value, if the result depends on them.
    pub missing: Vec<String>,
    /// Whether these were given default values.
    pub is_completed: bool,
    /// Lines about assertions that are not true.
    pub details: String,
}

/// How a formula is evaluated.
#[derive(Debug, Clone, Copy)]
pub struct ModelOptions {
    /// The dialect of formula and model; none for what they show.
    pub dialect: Option<Dialect>,
    /// Whether symbols that the model leaves out are given default values.
    pub is_completed: bool,
    /// Effort that may be spent.
    pub effort: u64,
}

/// A formula that was read to be evaluated.
#[derive(Debug)]
pub struct EvaluatedFormula {
    terms: Terms,
    reading: Reading,
    options: ModelOptions,
}

impl EvaluatedFormula {
    /// Reads a script, which may have names that are not known.
    pub fn read(source: &str, options: ModelOptions) -> Result<EvaluatedFormula, Vec<Diagnostic>> {
        let mut terms = Terms::new();
        let reading = match options.dialect {
            Some(dialect) => read_script_as(&mut terms, source, dialect),
            None => read_script(&mut terms, source),
        };
        let is_error = |diagnostic: &&Diagnostic| diagnostic.problem != Problem::UnknownName;
        let errors: Vec<Diagnostic> = reading.diagnostics.iter().filter(is_error).cloned().collect();
        if errors.is_empty() { Ok(EvaluatedFormula { terms, reading, options }) } else { Err(errors) }
    }

    /// Evaluates it under a model, or without one. It is an error if the model cannot be read.
    pub fn under(mut self, model: Option<&str>) -> Result<ModelReport, Vec<Diagnostic>> {
        let model = match model {
            None => Model::new(),
            Some(text) => {
                let dialect = self.options.dialect;
                let dialect = dialect.unwrap_or_else(|| Model::dialect_of(text, self.reading.script.dialect));
                Model::parse(&mut self.terms, &self.reading.scope, text, dialect)
                    .map_err(|problems| problems.0)?
            }
        };
        let environment = Environment::at_last_check(&self.terms, &self.reading.script);
        let ModelOptions { is_completed, effort, .. } = self.options;
        let check = if is_completed { model::check_completed } else { model::check_as_given };
        let checked = check(&self.terms, &environment, &model, Budget::new(effort));
        Ok(ModelReport::new(&mut self.terms, &environment, &model, &checked, is_completed))
    }
}

/// At most this many symbols without a value are named.
const MAX_MISSING: usize = 10;

impl ModelReport {
    /// What was found out about the assertions of an environment under a model; `is_completed` says whether symbols
    /// without a value were given default values.
    pub fn new(
        terms: &mut Terms,
        environment: &Environment,
        model: &Model,
        checked: &Checked,
        is_completed: bool,
    ) -> ModelReport {
        let evaluations = &checked.evaluations;
        let mut details = String::new();
        let mut reasons = Vec::new();
        for (number, (assertion, evaluation)) in (1..).zip(environment.assertions.iter().zip(evaluations)) {
            match evaluation {
                Evaluation::True => {}
                Evaluation::False => {
                    let excerpt = excerpt(terms, *assertion);
                    details.push_str(&format!("  assertion {number} is false: {excerpt}\n"));
                    details.push_str(&explain(terms, environment, model, *assertion));
                }
                Evaluation::Unknown(unknown) => {
                    let reason = unknown.describe(terms);
                    details.push_str(&format!("  assertion {number} is unknown: {reason}\n"));
                    reasons.push(reason);
                }
            }
        }
        let value = if evaluations.contains(&Evaluation::False) {
            FormulaValue::False
        } else if evaluations.iter().all(|evaluation| *evaluation == Evaluation::True) {
            FormulaValue::True
        } else {
            FormulaValue::Unknown
        };
        let word = |evaluation: &Evaluation| match evaluation {
            Evaluation::True => "true",
            Evaluation::False => "false",
            Evaluation::Unknown(_) => "unknown",
        };
        let assertions = evaluations.iter().map(word).collect();
        let mut report =
            ModelReport { value, assertions, reasons, missing: Vec::new(), is_completed: false, details };
        report.add_missing(terms, checked, is_completed);
        report
    }

    /// Adds which symbols have no value in the model, if the result depends on them.
    fn add_missing(&mut self, terms: &Terms, checked: &Checked, is_completed: bool) {
        let is_missing =
            |evaluation: &Evaluation| matches!(evaluation, Evaluation::Unknown(Unknown::NoValue(_)));
        if checked.missing.is_empty() || !is_completed && !checked.evaluations.iter().any(is_missing) {
            return;
        }
        self.missing = checked.missing.iter().map(|name| written(terms.text(*name))).collect();
        self.is_completed = is_completed;
        let shown = self.missing.iter().take(MAX_MISSING).cloned().collect::<Vec<_>>().join(", ");
        let more = match self.missing.len().saturating_sub(MAX_MISSING) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        self.details.push_str(&match is_completed {
            true => format!("  completed: the model has no value for {shown}{more}; defaults were used\n"),
            false => format!("  no value in the model: {shown}{more} (--complete uses default values)\n"),
        });
    }
}

/// A symbol as it is written in SMT-LIB.
fn written(name: &str) -> String {
    let mut text = String::new();
    write_symbol(name, &mut text);
    text
}

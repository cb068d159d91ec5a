//! A formula under a model that a solver printed, assertion by assertion, as text for reports.

use serde::{Deserialize, Serialize};
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::{Evaluation, Model, check};
use smelt_semantics::print::value_text;
use smelt_semantics::value::Value;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::term_text;
use smelt_smtlib::read::Reading;
use smelt_smtlib::term::{Head, Term, Terms};

use crate::contradictions::contradictions;

/// The most characters of a term that are shown.
const MAX_CHARS: usize = 200;

/// The most arguments of an assertion whose values are shown.
const MAX_PARTS: usize = 6;

/// An assertion with its value under a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionValue {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its text, shortened if it is long.
    pub assertion: String,
    /// `true`, `false`, or `unknown` with the reason.
    pub value: String,
    /// Its arguments and their values, as text.
    pub parts: Vec<(String, String)>,
    /// Whether it is false under every model, so that `sat` is the wrong answer.
    #[serde(default)]
    pub is_contradiction: bool,
}

/// The assertions in force at the last check, each with its value; nothing if the model cannot be read.
pub fn assertion_values(
    terms: &mut Terms,
    reading: &Reading,
    model: &str,
    dialect: Dialect,
) -> Vec<AssertionValue> {
    // To solvers of the old dialect a character is a byte, so what is not ASCII is ambiguous.
    if dialect == Dialect::V25 && !model.is_ascii() {
        return Vec::new();
    }
    let Ok(model) = Model::parse(terms, &reading.scope, model, dialect) else { return Vec::new() };
    let environment = Environment::at_last_check(terms, &reading.script);
    let verdicts = check(terms, &environment, &model, Budget::default());
    let assertions = environment.assertions.clone();
    let contradictions = contradictions(terms, &environment);
    (1..)
        .zip(assertions.into_iter().zip(verdicts))
        .map(|(number, (assertion, verdict))| AssertionValue {
            number,
            assertion: shortened(&term_text(terms, assertion)),
            value: match verdict {
                Evaluation::True => "true".to_owned(),
                Evaluation::False => "false".to_owned(),
                Evaluation::Unknown(unknown) => format!("unknown: {}", unknown.describe(terms)),
            },
            parts: parts(terms, &environment, &model, assertion),
            is_contradiction: contradictions.contains(&number),
        })
        .collect()
}

/// The assertions that are false under every model, with the values that need none.
pub fn contradiction_values(terms: &mut Terms, reading: &Reading) -> Vec<AssertionValue> {
    let mut lines = assertion_values(terms, reading, "()", Dialect::V26);
    lines.retain(|line| line.is_contradiction);
    lines
}

/// The arguments of an assertion and their values: of the first false conjunct, if it is a conjunction.
fn parts(
    terms: &mut Terms,
    environment: &Environment,
    model: &Model,
    assertion: Term,
) -> Vec<(String, String)> {
    let mut evaluator = Evaluator::new(terms, environment, model);
    let mut atom = assertion;
    loop {
        let next = match terms.head(atom) {
            Head::Op(Op::And, _) => {
                terms.args(atom).iter().copied().find(|arg| evaluator.eval(*arg) == Ok(Value::Bool(false)))
            }
            Head::Annotated(_) | Head::Op(Op::Not, _) => terms.args(atom).first().copied(),
            _ => None,
        };
        match next {
            Some(next) => atom = next,
            None => break,
        }
    }
    if terms.is_binder(atom) {
        return Vec::new();
    }
    let values: Vec<(Term, Value)> = terms
        .args(atom)
        .iter()
        .take(MAX_PARTS)
        .filter_map(|arg| Some((*arg, evaluator.eval(*arg).ok()?)))
        .collect();
    let mut parts: Vec<(String, String)> = Vec::new();
    for (part, value) in values {
        let sort = terms.sort(part);
        let Some(value) = value_text(terms, environment, &value, sort) else { continue };
        let part = term_text(terms, part);
        if part != value && parts.iter().all(|(other, _)| *other != part) {
            parts.push((shortened(&part), shortened(&value)));
        }
    }
    parts
}

/// A text on one line, cut if it is long.
fn shortened(text: &str) -> String {
    let text = text.replace('\n', " ");
    match text.char_indices().nth(MAX_CHARS) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::read::read_script;

    use super::*;

    #[test]
    fn every_assertion_has_its_value_and_those_of_its_arguments() {
        let mut terms = Terms::new();
        let source =
            "(declare-const z String)(assert (= \"a\" z))(assert (not (= (str.len z) 2)))(check-sat)";
        let reading = read_script(&mut terms, source);
        let lines = assertion_values(&mut terms, &reading, "((define-fun z () String \" \"))", Dialect::V26);
        let values: Vec<(usize, &str, &str)> =
            lines.iter().map(|line| (line.number, line.assertion.as_str(), line.value.as_str())).collect();
        assert_eq!(values, [(1, "(= \"a\" z)", "false"), (2, "(not (= (str.len z) 2))", "true")]);
        assert_eq!(lines[0].parts, [("z".to_owned(), "\" \"".to_owned())]);
        assert_eq!(lines[1].parts, [("(str.len z)".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn what_is_false_whatever_constants_are_is_a_contradiction() {
        let mut terms = Terms::new();
        let source = "(declare-const x Int)(declare-fun f (Int) Int)(assert (= x 1))(assert (< (* 2 3) 5))\
            (assert (and (> x 3) (< 2 1)))(assert (= (f 1) 2))(assert (= (div x 0) 7))(check-sat)";
        let reading = read_script(&mut terms, source);
        let model = "((define-fun x () Int 0)(define-fun f ((y Int)) Int 0))";
        let lines = assertion_values(&mut terms, &reading, model, Dialect::V26);
        let numbers = |is: fn(&AssertionValue) -> bool| -> Vec<usize> {
            lines.iter().filter(|line| is(line)).map(|line| line.number).collect()
        };
        assert_eq!(numbers(|line| line.value == "false"), [1, 2, 3, 4]);
        assert_eq!(numbers(|line| line.is_contradiction), [2, 3]);
    }

    #[test]
    fn bytes_of_old_solvers_are_not_evaluated() {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, "(declare-const z String)(assert (= \"a\" z))(check-sat)");
        let model = "((define-fun z () String \"\u{e9}\"))";
        assert_eq!(assertion_values(&mut terms, &reading, model, Dialect::V25), []);
    }
}

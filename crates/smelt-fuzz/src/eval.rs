//! Evaluation: ends within its budget, and no answer is ever taken back: not with more effort, not with a more
//! complete model, not for a term that means the same.

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::{EvalResult, Evaluator};
use smelt_semantics::model::{self, Model};
use smelt_semantics::print::value_text;
use smelt_semantics::value::Value;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{read_script, read_term};
use smelt_smtlib::share::share;
use smelt_smtlib::substitute::expand_lets;
use smelt_smtlib::term::{Term, Terms};

/// Enough for small terms; about a millisecond.
const SMALL_BUDGET: u64 = 1 << 16;
const LARGE_BUDGET: u64 = 1 << 20;

/// Evaluates the assertions of a script under several models.
pub fn check(source: &str) {
    let [script, model_text] = crate::parts(source);
    check_script(script, model_text);
    check_script(&crate::well_formed_part(script), model_text);
}

fn check_script(script: &str, model_text: &str) {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, script);
    let environment = Environment::at_last_check(&terms, &reading.script);
    let given = Model::parse(&mut terms, &reading.scope, model_text, reading.script.dialect);
    let models = [Model::new(), given.unwrap_or_default()];
    for model in models {
        let completed = model.completed();
        for assertion in environment.assertions.clone() {
            let small = evaluate(&terms, &environment, &model, SMALL_BUDGET, assertion);
            let large = evaluate(&terms, &environment, &model, LARGE_BUDGET, assertion);
            let complete = evaluate(&terms, &environment, &completed, LARGE_BUDGET, assertion);
            assert_agree(&small, &large);
            assert_agree(&large, &complete);
            if reading.diagnostics.is_empty() {
                for same in [expand_lets(&mut terms, assertion), share(&mut terms, assertion)] {
                    let other = evaluate(&terms, &environment, &model, LARGE_BUDGET, same);
                    assert_agree(&large, &other);
                }
                for part in terms.args(assertion).to_vec() {
                    check_printing(&mut terms, &environment, &completed, part);
                }
            }
        }
        model::check(&terms, &environment, &model, Budget::new(SMALL_BUDGET));
    }
}

fn evaluate(terms: &Terms, environment: &Environment, model: &Model, units: u64, term: Term) -> EvalResult {
    let mut evaluator = Evaluator::new(terms, environment, model);
    evaluator.budget = Budget::new(units);
    evaluator.eval(term)
}

/// Two answers for the same are the same.
fn assert_agree(one: &EvalResult, other: &EvalResult) {
    if let (Ok(one), Ok(other)) = (one, other)
        && !one.is_opaque_to_equality()
    {
        assert_eq!(one, other);
    }
}

/// The text of a value reads as a term with that value.
fn check_printing(terms: &mut Terms, environment: &Environment, model: &Model, term: Term) {
    if terms.has_locals(term) {
        return;
    }
    let Ok(value) = evaluate(terms, environment, model, SMALL_BUDGET, term) else { return };
    let sort = terms.sort(term);
    let Some(text) = value_text(terms, environment, &value, sort) else { return };
    if !can_be_read_back(&value) {
        return;
    }
    let again = read_term(terms, &mut smelt_smtlib::read::Scope::new(), &text, Dialect::V26);
    let again = again.unwrap_or_else(|problems| panic!("{text} does not read: {problems:?}"));
    match evaluate(terms, environment, model, LARGE_BUDGET, again) {
        Ok(read) => assert_eq!(value, read, "through {text}"),
        Err(unknown) => assert_eq!(unknown, smelt_semantics::unknown::Unknown::Limit, "through {text}"),
    }
}

/// Elements of uninterpreted sorts and constructors need a scope, which we do not have here, and so do containers that
/// may hold them. Languages and functions are not compared by what they are.
fn can_be_read_back(value: &Value) -> bool {
    !matches!(
        value,
        Value::Abstract(..)
            | Value::Data(_)
            | Value::Array(_)
            | Value::Seq(_)
            | Value::Tuple(_)
            | Value::Nullable(_)
            | Value::Set(_)
            | Value::Bag(_)
            | Value::Regex(_)
            | Value::Function(_)
    )
}

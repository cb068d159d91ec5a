//! What the satisfiable categories share: running a closed term, and a test with its model.

use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::print::value_text;
use smelt_semantics::value::Value;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{script_text, term_text, write_symbol};
use smelt_smtlib::read::{Scope, read_term};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use super::{Category, Test};
use crate::ground_truth::holds;

/// The value of a term without variables; none where the standard leaves it open.
pub(super) fn run(terms: &Terms, term: Term) -> Option<Value> {
    let (environment, model) = (Environment::default(), Model::new());
    Evaluator::new(terms, &environment, &model).eval(term).ok()
}

/// A value as a term.
pub(super) fn value_term(terms: &mut Terms, value: &Value, sort: Sort) -> Option<Term> {
    let text = value_text(terms, &Environment::default(), value, sort)?;
    read_term(terms, &mut Scope::new(), &text, Dialect::V26).ok()
}

/// The test of one formula with the values of its variables; none if our evaluator does not accept them.
pub(super) fn test(
    terms: &mut Terms,
    category: Category,
    detail: String,
    formula: Term,
    variables: &[(Symbol, Term)],
) -> Option<Test> {
    let mut script = Script { dialect: Dialect::V26, ..Script::default() };
    let mut model = Model::new();
    for (name, value) in variables {
        script.push(Command::DeclareConst(*name, terms.sort(*value)));
        model.set(terms, *name, *value);
    }
    script.push(Command::Assert(formula));
    script.push(Command::CheckSat);
    if !holds(terms, &script, &model) {
        return None;
    }
    let mut definitions = Vec::new();
    for (name, value) in variables {
        let mut definition = "(define-fun ".to_owned();
        write_symbol(terms.text(*name), &mut definition);
        definition.push_str(" () ");
        terms.sorts.write(&terms.symbols, terms.sort(*value), &mut definition);
        definition.push_str(&format!(" {})", term_text(terms, *value)));
        definitions.push(definition);
    }
    let script = script_text(terms, &script);
    Some(Test {
        category,
        detail,
        script,
        model: definitions,
        has_patterns: false,
        core: Vec::new(),
        is_minimal: false,
    })
}

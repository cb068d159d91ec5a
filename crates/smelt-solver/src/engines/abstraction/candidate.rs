//! From words and an assignment to values of the constants, and the evaluation that decides whether they are a model.

use rustc_hash::FxHashMap;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_semantics::string::Str;
use smelt_semantics::value::Value;
use smelt_smtlib::term::{Term, Terms};

use super::Abstraction;
use crate::model::Assignment;
use crate::theory::fixed_length::Var;
use crate::theory::search;

/// Longer words are not built for variables that nothing speaks of.
const MAX_FREE_LENGTH: u64 = 1 << 22;

/// The letter of words that may be anything.
const FREE_LETTER: u32 = 'a' as u32;

/// The values of all constants; none if one is too long to be written down.
pub(crate) fn values(
    abstraction: &Abstraction,
    assignment: &search::Assignment,
    words: &FxHashMap<Var, Vec<u32>>,
) -> Option<Assignment> {
    let mut values = Assignment::new();
    for (name, literal) in &abstraction.bool_constants {
        values.set(*name, Value::Bool(assignment.holds(*literal)));
    }
    for (name, variable) in &abstraction.int_constants {
        values.set(*name, Value::Int(assignment.integer(*variable).to_big()));
    }
    for (name, var) in &abstraction.string_constants {
        let word = match words.get(var) {
            Some(word) => word.clone(),
            None => {
                let length = assignment.integer(abstraction.lengths[*var as usize]).to_usize()?;
                if length as u64 > MAX_FREE_LENGTH {
                    return None;
                }
                vec![FREE_LETTER; length]
            }
        };
        values.set(*name, Value::Str(Str::from_code_points(word)?));
    }
    Some(values)
}

/// Whether all assertions evaluate to true.
pub(crate) fn is_model(
    terms: &mut Terms,
    assertions: &[Term],
    values: &Assignment,
    budget: &mut Budget,
) -> bool {
    let mut model = Model::new();
    let mut symbols: Vec<_> = values.symbols().collect();
    symbols.sort_unstable();
    for name in symbols {
        let literal = values.get(name).and_then(|value| literal::of_value(terms, value));
        if let Some(literal) = literal {
            model.set(terms, name, literal);
        }
    }
    let model = model.completed();
    let environment = Environment::default();
    let mut evaluator = Evaluator::new(terms, &environment, &model);
    evaluator.budget = budget.clone();
    let holds =
        assertions.iter().all(|assertion| matches!(evaluator.eval(*assertion), Ok(Value::Bool(true))));
    *budget = evaluator.budget;
    holds
}

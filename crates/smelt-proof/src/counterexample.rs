//! Evaluation on a sample of small values, to find a wrong step.
//!
//! A term that is true on the sample is not proved, so the step that it belongs to still counts as trusted.

use rustc_hash::FxHashSet;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::print::term_text;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

/// How many values are tried.
const TRIES: usize = 60;
/// Effort for all of them.
const BUDGET: u64 = 5_000_000;
/// Longer literals of the term are no values to try.
const MAX_LITERAL: usize = 12;

/// Values of the constants for which a term is false, as text; none if none was found, or if the term has constants
/// that are not declared in the input.
pub(crate) fn find(
    terms: &mut Terms,
    environment: &Environment,
    fresh: &FxHashSet<Symbol>,
    term: Term,
) -> Option<String> {
    let parts = subterms(terms, &[term]);
    let mut constants: Vec<(Symbol, Sort)> = Vec::new();
    for part in &parts {
        if let Head::Global(name) = terms.head(*part)
            && environment.declared.iter().any(|(declared, params, _)| *declared == name && params.is_empty())
        {
            constants.push((name, terms.sort(*part)));
        } else if matches!(terms.head(*part), Head::Global(name) if fresh.contains(&name)) {
            return None;
        }
    }
    let values = Values::of(terms, &parts);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut budget = Budget::new(BUDGET);
    for number in 0..TRIES {
        let mut model = Model::new();
        let mut chosen = Vec::new();
        for (name, sort) in &constants {
            let pool = values.of_sort(*sort)?;
            // The first try has the simplest value for all.
            let value = pool[if number == 0 { 0 } else { random.below(pool.len()) }];
            model.set(terms, *name, value);
            chosen.push((*name, value));
        }
        let model = model.completed();
        let mut evaluator = Evaluator::new(terms, environment, &model);
        evaluator.budget = budget.clone();
        let value = evaluator.eval(term);
        budget = evaluator.budget.clone();
        if matches!(value, Ok(Value::Bool(false))) {
            let texts = chosen.into_iter().map(|(name, value)| {
                format!("{} = {}", terms.text(name).to_owned(), term_text(terms, value))
            });
            let texts: Vec<String> = texts.collect();
            return Some(if texts.is_empty() { "all values".to_owned() } else { texts.join(", ") });
        }
        if budget.remaining() == 0 || constants.is_empty() {
            break;
        }
    }
    None
}

/// Values to try, simplest first.
struct Values {
    booleans: Vec<Term>,
    integers: Vec<Term>,
    strings: Vec<Term>,
}

impl Values {
    /// Small ones and those that occur in a term.
    fn of(terms: &mut Terms, parts: &[Term]) -> Self {
        let mut strings = Vec::new();
        for word in ["", "a", "b", "ab", "ba", "aa", "aba", "0", "12"] {
            strings.push(terms.literal(smelt_smtlib::term::Literal::Str, word, Sort::STRING));
        }
        let mut integers: Vec<Term> =
            [0, 1, -1, 2, 3, -2, 5].map(|value| literal::int(terms, &value.into())).to_vec();
        for part in parts {
            if let Some(value) = literal::int_value(terms, *part) {
                integers.push(*part);
                integers.push(literal::int(terms, &(value + dashu_int::IBig::ONE)));
            } else if literal::string_value(terms, *part).is_some_and(|word| word.len() <= MAX_LITERAL) {
                strings.push(*part);
            }
        }
        let booleans = [false, true].map(|value| terms.bool(value)).to_vec();
        Values { booleans, integers, strings }
    }

    fn of_sort(&self, sort: Sort) -> Option<&[Term]> {
        match sort {
            Sort::BOOL => Some(&self.booleans),
            Sort::INT => Some(&self.integers),
            Sort::STRING => Some(&self.strings),
            _ => None,
        }
    }
}

/// Marsaglia's xorshift: the same numbers every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

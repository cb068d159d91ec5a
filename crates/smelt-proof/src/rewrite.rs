//! Whether two terms are equal whatever their constants are.
//!
//! Both are brought into a normal form by the identities of a small table, each of which holds for all values: constant
//! folding by the evaluator, Boolean connectives, linear integer forms, concatenations, and functions of strings with
//! side conditions that the checker's own arithmetic decides. Terms with the same normal form are equal. Where the
//! normal forms differ, Boolean terms with few atoms are compared on all values of their atoms, integer terms by
//! arithmetic, and terms with an `ite` case by case.
//!
//! The table has no relation to the rewrite rules of a solver: it knows neither their names nor their order.

mod boolean;
mod conversion;
mod integer;
mod membership;
mod search;
mod string;
mod substring;
mod symbols;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{Rebuild, Rebuilt, rebuild, subterms};

use crate::arithmetic::{self, Verdict};
use crate::replay::replace;

/// An identity: a term that equals the one given, or nothing if it says nothing about it.
///
/// The arguments of the given term are in normal form. Applied again and again, identities come to an end.
type Identity = fn(&mut Terms, Term) -> Option<Term>;

/// All identities, with the operators that they are about.
const IDENTITIES: &[(&[Op], Identity)] = &[
    (&[Op::Not], boolean::negation),
    (&[Op::And], boolean::conjunction),
    (&[Op::Or, Op::Implies, Op::ImpliesWord], boolean::disjunction),
    (&[Op::Xor, Op::Iff, Op::Distinct], boolean::equivalence),
    (&[Op::Eq, Op::Le, Op::Lt, Op::Ge, Op::Gt, Op::StrLt, Op::StrLe], boolean::chain),
    (&[Op::Ite], boolean::choice),
    (&[Op::Eq], boolean::equation),
    (&[Op::Add, Op::Sub, Op::Neg, Op::Mul, Op::Mod, Op::IntDiv, Op::Abs], integer::sum),
    (&[Op::Le, Op::Lt, Op::Ge, Op::Gt], integer::at_most),
    (&[Op::Eq], integer::equation),
    (&[Op::Eq, Op::Le, Op::StrContains, Op::StrPrefixof, Op::StrSuffixof], integer::entailed),
    (&[Op::StrConcat], string::concatenation),
    (&[Op::StrLen], string::length),
    (&[Op::Eq], string::equation),
    (&[Op::StrLt, Op::StrLe], string::order),
    (&[Op::StrPrefixof, Op::StrSuffixof], string::prefix),
    (&[Op::StrAt, Op::StrSubstr], substring::substring),
    (&[Op::StrContains], search::contains),
    (&[Op::StrIndexof], search::index_of),
    (&[Op::StrReplace, Op::StrReplaceAll], search::replace),
    (&[Op::StrReplaceRe, Op::StrReplaceReAll], search::replace_language_of_one),
    (&[Op::StrToInt, Op::StrFromInt, Op::StrToCode, Op::StrFromCode, Op::StrIsDigit], conversion::conversion),
    (&[Op::Eq], conversion::equation),
    (&[Op::StrInRe], membership::membership),
];

/// Effort for the value of one term.
const BUDGET: u64 = 1 << 24;
/// Steps to the normal form of one term; then it stays as it is.
const MAX_STEPS: usize = 50_000;
/// Conditions that are tried true and false.
const MAX_CONDITIONS: usize = 6;

/// Normal forms that were found so far.
#[derive(Debug, Default)]
pub struct Identities {
    memo: FxHashMap<Term, Term>,
    steps_left: usize,
}

impl Identities {
    /// Whether the identities show that two terms are equal.
    pub fn are_equal(&mut self, terms: &mut Terms, one: Term, other: Term) -> bool {
        terms.sort(one) == terms.sort(other) && self.are_equal_in_all_cases(terms, one, other, MAX_CONDITIONS)
    }

    fn are_equal_in_all_cases(&mut self, terms: &mut Terms, one: Term, other: Term, depth: usize) -> bool {
        let [one, other] = [one, other].map(|term| self.normal(terms, term));
        if one == other {
            return true;
        }
        let is_shown = match terms.sort(one) {
            Sort::BOOL => {
                boolean::are_equal_on_all_values(terms, one, other)
                    || arithmetic::are_equal(terms, one, other)
            }
            Sort::INT => arithmetic::are_equal(terms, one, other),
            _ => false,
        };
        if is_shown {
            return true;
        }
        let choices = subterms(terms, &[one, other]);
        let choice = choices.into_iter().find(|part| terms.op(*part) == Some(Op::Ite));
        let Some(condition) = choice.map(|choice| terms.args(choice)[0]).filter(|_| depth > 0) else {
            return false;
        };
        [true, false].into_iter().all(|value| {
            let value = terms.bool(value);
            let map = FxHashMap::from_iter([(condition, value)]);
            match [one, other].map(|term| replace(terms, term, &map)) {
                [Some(one), Some(other)] => self.are_equal_in_all_cases(terms, one, other, depth - 1),
                _ => false,
            }
        })
    }

    /// The normal form of a term, which is equal to it.
    fn normal(&mut self, terms: &mut Terms, term: Term) -> Term {
        self.steps_left = MAX_STEPS;
        rebuild(terms, term, self)
    }
}

impl Rebuild for Identities {
    fn recall(&self, term: Term) -> Option<Term> {
        self.memo.get(&term).copied()
    }

    fn remember(&mut self, term: Term, result: Term) {
        self.memo.insert(term, result);
    }

    fn leave(&mut self, terms: &mut Terms, rebuilt: Term) -> Rebuilt {
        if let Some(result) = self.recall(rebuilt) {
            return Rebuilt::Done(result);
        }
        if self.steps_left > 0 {
            self.steps_left -= 1;
            if let Some(equal) = apply_identities(terms, rebuilt) {
                return Rebuilt::Again(equal);
            }
        }
        self.remember(rebuilt, rebuilt);
        Rebuilt::Done(rebuilt)
    }
}

/// What the first identity that changes a term makes of it.
fn apply_identities(terms: &mut Terms, term: Term) -> Option<Term> {
    let op = terms.op(term)?;
    if let Some(value) = value(terms, term) {
        return Some(value);
    }
    IDENTITIES
        .iter()
        .filter(|(ops, _)| ops.contains(&op))
        .find_map(|(_, identity)| identity(terms, term).filter(|equal| *equal != term))
}

/// The literal that a term without constants evaluates to, if that is another term.
fn value(terms: &mut Terms, term: Term) -> Option<Term> {
    if terms.sort(term) == Sort::REG_LAN || build::is_value(terms, term) {
        return None;
    }
    let args = terms.args(term).to_vec();
    let is_ground = |arg: &Term| {
        build::is_value(terms, *arg) || terms.sort(*arg) == Sort::REG_LAN && is_closed(terms, *arg)
    };
    if !args.iter().all(is_ground) {
        return None;
    }
    let (environment, model) = (Environment::default(), Model::new());
    let mut evaluator = Evaluator::new(terms, &environment, &model);
    evaluator.budget = Budget::new(BUDGET).with_words(BUDGET);
    let value = evaluator.eval(term).ok()?;
    literal::of_value(terms, &value)
}

/// Whether a term has no constants and no variables.
fn is_closed(terms: &Terms, term: Term) -> bool {
    subterms(terms, &[term]).iter().all(|part| matches!(terms.head(*part), Head::Op(..) | Head::Literal(..)))
}

/// Whether no values satisfy all these facts, by arithmetic on integers and lengths.
fn never(terms: &mut Terms, facts: &[Term]) -> bool {
    arithmetic::refute(terms, facts) == Verdict::Refuted
}

/// Whether an integer term is never less than another.
fn never_less(terms: &mut Terms, one: Term, other: Term) -> bool {
    let less = build::apply(terms, Op::Lt, &[one, other]);
    never(terms, &[less])
}

//! Constant folding: operators on literals, by the evaluator.

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

use super::{Ctx, MAX_DIGITS};

/// Effort for one operator, in units of the evaluator; about a fifth of a second.
const BUDGET: u64 = 1 << 27;
/// Machine words for its value; two characters fit into one.
const MAX_WORDS: u64 = 1 << 20;

/// The literal that a term with literal arguments, or with ground regular expressions, evaluates to.
pub fn fold(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let terms = &mut *ctx.terms;
    if terms.sort(term) == Sort::REG_LAN || build::is_value(terms, term) {
        return None;
    }
    let is_constant = |arg: &Term| {
        build::is_value(terms, *arg)
            || (terms.sort(*arg) == Sort::REG_LAN && ctx.facts.is_ground(terms, *arg))
    };
    // A constant without arguments is no operator; regular languages are ground all the way down.
    if terms.args(term).is_empty() || !terms.args(term).iter().all(is_constant) {
        return None;
    }
    // Literals that are made of literals must not get longer and longer.
    if terms.op(term) == Some(Op::Mul)
        && terms.args(term).iter().map(|arg| build::int_digits(terms, *arg)).sum::<usize>() > MAX_DIGITS
    {
        return None;
    }
    ctx.has_room_for_text(0).then(|| evaluate(ctx.terms, term)).flatten()
}

/// The literal that a ground term evaluates to.
pub fn evaluate(terms: &mut Terms, term: Term) -> Option<Term> {
    let environment = Environment::default();
    let model = Model::new();
    let mut evaluator = Evaluator::new(terms, &environment, &model);
    evaluator.budget = Budget::new(BUDGET).with_words(MAX_WORDS);
    let value = evaluator.eval(term).ok()?;
    literal::of_value(terms, &value)
}

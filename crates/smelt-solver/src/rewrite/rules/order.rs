//! Rules for the lexicographic order.

use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::Term;

use super::contains::{Stripped, strip_front};
use crate::rewrite::Ctx;

/// The order is total: x < y is not y <= x.
pub fn less_to_at_most(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[left, right] = ctx.terms.args(term) else { return None };
    let reverse = build::apply(ctx.terms, Op::StrLe, &[right, left]);
    Some(build::not(ctx.terms, reverse))
}

pub fn same(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[left, right] = ctx.terms.args(term) else { return None };
    (left == right).then(|| ctx.terms.bool(true))
}

/// The empty string is the least.
pub fn empty(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[left, right] = ctx.terms.args(term) else { return None };
    if build::is_empty_literal(ctx.terms, left) {
        return Some(ctx.terms.bool(true));
    }
    build::is_empty_literal(ctx.terms, right).then(|| build::eq(ctx.terms, left, right))
}

/// What both sides begin with does not matter; the first letters that differ decide.
pub fn strip(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[left, right] = ctx.terms.args(term) else { return None };
    let mut left = build::parts(ctx.terms, left);
    let mut right = build::parts(ctx.terms, right);
    match strip_front(ctx.terms, &mut left, &mut right) {
        Stripped::Nothing => None,
        Stripped::Clash => {
            let left = literal::string_value(ctx.terms, *left.first()?)?;
            let right = literal::string_value(ctx.terms, *right.first()?)?;
            Some(ctx.terms.bool(left <= right))
        }
        Stripped::Something => {
            let left = build::concat(ctx.terms, &left);
            let right = build::concat(ctx.terms, &right);
            Some(build::apply(ctx.terms, Op::StrLe, &[left, right]))
        }
    }
}

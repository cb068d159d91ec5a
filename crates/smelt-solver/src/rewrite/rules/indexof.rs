//! Rules for searching.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::Term;

use super::contains::{Found, find, is_contained, is_impossible};
use crate::rewrite::Ctx;
use crate::rewrite::entail::length_form;
use crate::rewrite::linear::Linear;

fn minus_one(ctx: &mut Ctx<'_>) -> Term {
    literal::int(ctx.terms, &IBig::NEG_ONE)
}

/// A start before the beginning or behind the end finds nothing.
pub fn outside(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, _, start] = ctx.terms.args(term) else { return None };
    let start = Linear::of(ctx.terms, start);
    let mut before = Linear::default().plus(&start, &IBig::NEG_ONE);
    before.constant -= IBig::ONE;
    let mut behind = start.plus(&length_form(ctx.terms, whole), &IBig::NEG_ONE);
    behind.constant -= IBig::ONE;
    (ctx.facts.is_nonnegative(ctx.terms, &before) || ctx.facts.is_nonnegative(ctx.terms, &behind))
        .then(|| minus_one(ctx))
}

/// The empty string is found where the search starts, if that is within the string.
pub fn empty_needle(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, part, start] = ctx.terms.args(term) else { return None };
    if !build::is_empty_literal(ctx.terms, part) {
        return None;
    }
    let zero = literal::int(ctx.terms, &IBig::ZERO);
    let length = build::len(ctx.terms, whole);
    let is_after = build::at_most(ctx.terms, zero, start);
    let is_before = build::at_most(ctx.terms, start, length);
    let is_within = build::and(ctx.terms, &[is_after, is_before]);
    let nowhere = minus_one(ctx);
    Some(build::ite(ctx.terms, is_within, start, nowhere))
}

/// Everything is found in itself at the start.
pub fn same(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, part, start] = ctx.terms.args(term) else { return None };
    (whole == part && literal::int_value(ctx.terms, start)? == IBig::ZERO).then_some(start)
}

/// What is longer than the string, or not in the literal, is not found.
pub fn impossible(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, part, _] = ctx.terms.args(term) else { return None };
    (is_impossible(ctx.terms, whole, part) || ctx.facts.is_longer(ctx.terms, part, whole))
        .then(|| minus_one(ctx))
}

/// What the first parts contain for sure is found there: the rest does not matter.
pub fn in_first(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, part, start] = ctx.terms.args(term) else { return None };
    let from = usize::try_from(&literal::int_value(ctx.terms, start)?).ok()?;
    let pieces = build::parts(ctx.terms, whole);
    if pieces.len() < 2 {
        return None;
    }
    if let (Some(first), Some(needle)) =
        (literal::string_value(ctx.terms, pieces[0]), literal::string_value(ctx.terms, part))
        && from <= first.len()
        && let Some(Found::At(position)) = find(&first.chars()[from..], needle.chars())
    {
        return Some(literal::int(ctx.terms, &IBig::from(from + position)));
    }
    if from > 0 {
        return None;
    }
    (1..pieces.len()).find_map(|count| {
        let front = build::concat(ctx.terms, &pieces[..count]);
        is_contained(ctx.terms, front, part)
            .then(|| build::apply(ctx.terms, Op::StrIndexof, &[front, part, start]))
    })
}

//! Rules for conversions between strings, integers and code points.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_semantics::string::{MAX_CHAR, Str};
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::Term;

use crate::rewrite::Ctx;
use crate::rewrite::fold;

/// A character by its code is a literal.
pub fn char_to_literal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    fold::evaluate(ctx.terms, term)
}

fn is_between(ctx: &mut Ctx<'_>, low: u32, number: Term, high: u32) -> Term {
    let low = literal::int(ctx.terms, &IBig::from(low));
    let high = literal::int(ctx.terms, &IBig::from(high));
    let is_after = build::at_most(ctx.terms, low, number);
    let is_before = build::at_most(ctx.terms, number, high);
    build::and(ctx.terms, &[is_after, is_before])
}

/// The argument of an argument, if that is an application of `op`.
fn under(ctx: &Ctx<'_>, term: Term, op: Op) -> Option<Term> {
    let arg = ctx.terms.args(term)[0];
    (ctx.terms.op(arg) == Some(op)).then(|| ctx.terms.args(arg)[0])
}

pub fn to_int_from_int(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let number = under(ctx, term, Op::StrFromInt)?;
    let zero = literal::int(ctx.terms, &IBig::ZERO);
    let is_written = build::at_most(ctx.terms, zero, number);
    let nothing = literal::int(ctx.terms, &IBig::NEG_ONE);
    Some(build::ite(ctx.terms, is_written, number, nothing))
}

/// A string with something else than a digit in it is no number.
pub fn to_int_no_digit(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let text = ctx.terms.args(term)[0];
    let is_digit = |letter: &u32| (0x30..=0x39).contains(letter);
    let has_other = build::parts(ctx.terms, text).iter().any(|part| {
        literal::string_value(ctx.terms, *part).is_some_and(|value| !value.chars().iter().all(is_digit))
    });
    has_other.then(|| literal::int(ctx.terms, &IBig::NEG_ONE))
}

pub fn from_int_negative(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let number = ctx.terms.args(term)[0];
    let is_negative = ctx.facts.integer(ctx.terms, number).max.is_some_and(|max| max < IBig::ZERO);
    is_negative.then(|| build::empty(ctx.terms))
}

pub fn to_code_from_code(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let number = under(ctx, term, Op::StrFromCode)?;
    let is_code = is_between(ctx, 0, number, MAX_CHAR);
    let nothing = literal::int(ctx.terms, &IBig::NEG_ONE);
    Some(build::ite(ctx.terms, is_code, number, nothing))
}

pub fn from_code_to_code(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let text = under(ctx, term, Op::StrToCode)?;
    let length = build::len(ctx.terms, text);
    let one = literal::int(ctx.terms, &IBig::ONE);
    let is_letter = build::eq(ctx.terms, length, one);
    let empty = build::empty(ctx.terms);
    Some(build::ite(ctx.terms, is_letter, text, empty))
}

/// What never has exactly one character has no code.
pub fn to_code_not_one(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let text = ctx.terms.args(term)[0];
    let bounds = ctx.facts.length(ctx.terms, text);
    let is_never_one = bounds.min.is_some_and(|min| min > IBig::ONE) || bounds.max == Some(IBig::ZERO);
    is_never_one.then(|| literal::int(ctx.terms, &IBig::NEG_ONE))
}

pub fn is_digit_to_code(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let text = ctx.terms.args(term)[0];
    let code = build::apply(ctx.terms, Op::StrToCode, &[text]);
    Some(is_between(ctx, 0x30, code, 0x39))
}

/// The argument of the side that is an application of `op`, and the other side.
fn equation_with(ctx: &Ctx<'_>, term: Term, op: Op) -> Option<(Term, Term)> {
    let &[left, right] = ctx.terms.args(term) else { return None };
    [(left, right), (right, left)]
        .into_iter()
        .find(|(side, _)| ctx.terms.op(*side) == Some(op))
        .map(|(side, other)| (ctx.terms.args(side)[0], other))
}

/// The number that a literal writes, or that none does.
pub fn equal_from_int(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (number, text) = equation_with(ctx, term, Op::StrFromInt)?;
    let text = literal::string_value(ctx.terms, text)?;
    if text.is_empty() {
        let last = literal::int(ctx.terms, &IBig::NEG_ONE);
        return Some(build::at_most(ctx.terms, number, last));
    }
    let mut budget = smelt_semantics::Budget::default();
    let value = text.to_int(&mut budget).ok()?;
    let is_written_so = Str::from_int(&value, &mut budget).ok()? == text;
    if !is_written_so {
        return Some(ctx.terms.bool(false));
    }
    let value = literal::int(ctx.terms, &value);
    Some(build::eq(ctx.terms, number, value))
}

/// The code of a letter, or that a literal is none.
pub fn equal_from_code(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (number, text) = equation_with(ctx, term, Op::StrFromCode)?;
    let text = literal::string_value(ctx.terms, text)?;
    match text.chars() {
        [] => {
            let is_code = is_between(ctx, 0, number, MAX_CHAR);
            Some(build::not(ctx.terms, is_code))
        }
        [letter] => {
            let code = literal::int(ctx.terms, &IBig::from(*letter));
            Some(build::eq(ctx.terms, number, code))
        }
        _ => Some(ctx.terms.bool(false)),
    }
}

/// The letter of a code.
pub fn equal_to_code(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (text, number) = equation_with(ctx, term, Op::StrToCode)?;
    let code = u32::try_from(&literal::int_value(ctx.terms, number)?).ok()?;
    let letter = Str::from_code_points(vec![code])?;
    let letter = literal::string(ctx.terms, &letter);
    Some(build::eq(ctx.terms, text, letter))
}

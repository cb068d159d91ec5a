//! Rules for substrings.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

use crate::rewrite::Ctx;
use crate::rewrite::entail::length_form;
use crate::rewrite::linear::Linear;

/// The character at a position is a substring of length one.
pub fn at_to_substr(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[text, position] = ctx.terms.args(term) else { return None };
    let one = literal::int(ctx.terms, &IBig::ONE);
    Some(build::apply(ctx.terms, Op::StrSubstr, &[text, position, one]))
}

/// The arguments of a substring with the linear forms of start and count.
struct Parts {
    text: Term,
    start: Term,
    count: Term,
    start_form: Linear,
    count_form: Linear,
}

impl Parts {
    fn of(ctx: &Ctx<'_>, term: Term) -> Option<Parts> {
        let &[text, start, count] = ctx.terms.args(term) else { return None };
        let start_form = Linear::of(ctx.terms, start);
        let count_form = Linear::of(ctx.terms, count);
        Some(Parts { text, start, count, start_form, count_form })
    }
}

/// Nothing is taken, from nowhere, or from behind the end.
pub fn empty(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let parts = Parts::of(ctx, term)?;
    let zero = Linear::default();
    let not_positive = zero.plus(&parts.count_form, &IBig::NEG_ONE);
    let mut negative = zero.plus(&parts.start_form, &IBig::NEG_ONE);
    negative.constant -= IBig::ONE;
    let behind = parts.start_form.plus(&length_form(ctx.terms, parts.text), &IBig::NEG_ONE);
    let is_empty = build::is_empty_literal(ctx.terms, parts.text)
        || ctx.facts.is_nonnegative(ctx.terms, &not_positive)
        || ctx.facts.is_nonnegative(ctx.terms, &negative)
        || ctx.facts.is_nonnegative(ctx.terms, &behind);
    is_empty.then(|| build::empty(ctx.terms))
}

/// Everything is taken.
pub fn whole(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let parts = Parts::of(ctx, term)?;
    if parts.start_form != Linear::default() {
        return None;
    }
    let slack = parts.count_form.plus(&length_form(ctx.terms, parts.text), &IBig::NEG_ONE);
    ctx.facts.is_nonnegative(ctx.terms, &slack).then_some(parts.text)
}

/// The substring starts behind the first part.
pub fn skip_first(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let parts = Parts::of(ctx, term)?;
    let pieces = build::parts(ctx.terms, parts.text);
    if pieces.len() < 2 {
        return None;
    }
    let rest_start = parts.start_form.plus(&length_form(ctx.terms, pieces[0]), &IBig::NEG_ONE);
    if !ctx.facts.is_nonnegative(ctx.terms, &rest_start) {
        return None;
    }
    let rest = build::concat(ctx.terms, &pieces[1..]);
    let start = rest_start.to_term(ctx.terms);
    Some(build::apply(ctx.terms, Op::StrSubstr, &[rest, start, parts.count]))
}

/// A first literal loses the characters before a constant start.
pub fn into_literal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let parts = Parts::of(ctx, term)?;
    let start = usize::try_from(parts.start_form.as_constant()?).ok().filter(|start| *start > 0)?;
    let pieces = build::parts(ctx.terms, parts.text);
    if pieces.len() < 2 {
        return None;
    }
    let first = literal::string_value(ctx.terms, pieces[0])?;
    if start >= first.len() {
        return None;
    }
    let shorter = Str::from_code_points(first.chars()[start..].to_vec())?;
    let mut pieces = pieces;
    pieces[0] = literal::string(ctx.terms, &shorter);
    let text = build::concat(ctx.terms, &pieces);
    let zero = literal::int(ctx.terms, &IBig::ZERO);
    Some(build::apply(ctx.terms, Op::StrSubstr, &[text, zero, parts.count]))
}

/// The substring ends before the last part begins.
pub fn drop_last(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let parts = Parts::of(ctx, term)?;
    let pieces = build::parts(ctx.terms, parts.text);
    if pieces.len() < 2 {
        return None;
    }
    let front = build::concat(ctx.terms, &pieces[..pieces.len() - 1]);
    let end = parts.start_form.plus(&parts.count_form, &IBig::ONE);
    let slack = length_form(ctx.terms, front).plus(&end, &IBig::NEG_ONE);
    ctx.facts
        .is_nonnegative(ctx.terms, &slack)
        .then(|| build::apply(ctx.terms, Op::StrSubstr, &[front, parts.start, parts.count]))
}

/// The substring starts at the first part and takes all of it.
pub fn take_first(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let parts = Parts::of(ctx, term)?;
    let pieces = build::parts(ctx.terms, parts.text);
    if pieces.len() < 2 || parts.start_form != Linear::default() {
        return None;
    }
    let rest_count = parts.count_form.plus(&length_form(ctx.terms, pieces[0]), &IBig::NEG_ONE);
    if !ctx.facts.is_nonnegative(ctx.terms, &rest_count) {
        return None;
    }
    let rest = build::concat(ctx.terms, &pieces[1..]);
    let count = rest_count.to_term(ctx.terms);
    let tail = build::apply(ctx.terms, Op::StrSubstr, &[rest, parts.start, count]);
    Some(build::concat(ctx.terms, &[pieces[0], tail]))
}

/// More than the rest is the rest: a count beyond the end is cut to the length of the string.
pub fn to_the_end(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let parts = Parts::of(ctx, term)?;
    let length = length_form(ctx.terms, parts.text);
    parts.start_form.as_constant()?;
    let end = parts.start_form.plus(&parts.count_form, &IBig::ONE);
    let excess = end.plus(&length, &IBig::NEG_ONE);
    // With start + count at least the length, any count that large does; the length is the canonical one.
    if excess.monomials.is_empty() && excess.constant == IBig::ZERO
        || !ctx.facts.is_nonnegative(ctx.terms, &excess)
        || !ctx.facts.is_nonnegative(ctx.terms, &parts.start_form)
    {
        return None;
    }
    // The new count is rewritten. If it may come out in another form than the length, only an excess that is gone
    // afterwards shows that the rule has done its work.
    let strict = excess.plus(&Linear::constant(IBig::ONE), &IBig::NEG_ONE);
    if !has_plain_lengths(ctx.terms, &length) && !ctx.facts.is_nonnegative(ctx.terms, &strict) {
        return None;
    }
    let count = length.plus(&parts.start_form, &IBig::NEG_ONE).to_term(ctx.terms);
    Some(build::apply(ctx.terms, Op::StrSubstr, &[parts.text, parts.start, count]))
}

/// Whether a length is a sum of lengths of constants, which no rule changes.
fn has_plain_lengths(terms: &Terms, length: &Linear) -> bool {
    length.monomials.iter().all(|(atom, _)| {
        terms.op(*atom) == Some(Op::StrLen) && build::constant_name(terms, terms.args(*atom)[0]).is_some()
    })
}

/// A substring of a substring is one of the whole, if it is known which of them ends first.
pub fn nested(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let outer = Parts::of(ctx, term)?;
    if ctx.terms.op(outer.text) != Some(Op::StrSubstr) {
        return None;
    }
    let inner = Parts::of(ctx, outer.text)?;
    if !ctx.facts.is_nonnegative(ctx.terms, &outer.start_form)
        || !ctx.facts.is_nonnegative(ctx.terms, &inner.start_form)
    {
        return None;
    }
    let left = inner.count_form.plus(&outer.start_form, &IBig::NEG_ONE);
    let slack = left.plus(&outer.count_form, &IBig::NEG_ONE);
    let count = if ctx.facts.is_nonnegative(ctx.terms, &slack) {
        outer.count
    } else {
        let slack = Linear::default().plus(&slack, &IBig::NEG_ONE);
        if !ctx.facts.is_nonnegative(ctx.terms, &slack) {
            return None;
        }
        left.to_term(ctx.terms)
    };
    let start = inner.start_form.plus(&outer.start_form, &IBig::ONE).to_term(ctx.terms);
    Some(build::apply(ctx.terms, Op::StrSubstr, &[inner.text, start, count]))
}

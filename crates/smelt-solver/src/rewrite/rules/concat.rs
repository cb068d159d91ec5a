//! Rules for concatenation and length.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::Term;

use crate::rewrite::Ctx;
use crate::rewrite::entail::length_form;
use crate::rewrite::linear::Linear;

/// A string of more parts is left as it is: most of what is done with it takes longer than its parts are many.
const MAX_PARTS: usize = 2_048;

pub fn flatten(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term);
    if !args.iter().any(|arg| ctx.terms.op(*arg) == Some(Op::StrConcat)) {
        return None;
    }
    let flat = super::flat_args(ctx, term).filter(|flat| flat.len() <= MAX_PARTS)?;
    Some(build::concat(ctx.terms, &flat))
}

pub fn drop_empty(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term);
    let kept: Vec<Term> =
        args.iter().copied().filter(|arg| !build::is_empty_literal(ctx.terms, *arg)).collect();
    (kept.len() < args.len()).then(|| build::concat(ctx.terms, &kept))
}

pub fn merge_literals(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term).to_vec();
    let is_literal = |arg: Term| build::is_string_literal(ctx.terms, arg);
    if !args.windows(2).any(|pair| is_literal(pair[0]) && is_literal(pair[1])) {
        return None;
    }
    let literals = args.iter().map(|arg| build::literal_len(ctx.terms, *arg).unwrap_or(0));
    if !ctx.has_room_for_text(literals.sum()) {
        return None;
    }
    let mut merged: Vec<Term> = Vec::with_capacity(args.len());
    let mut run: Vec<u32> = Vec::new();
    let mut in_run = false;
    for arg in args {
        match literal::string_value(ctx.terms, arg) {
            Some(value) => {
                run.extend_from_slice(value.chars());
                in_run = true;
            }
            None => {
                if std::mem::take(&mut in_run) {
                    let value = Str::from_code_points(std::mem::take(&mut run))?;
                    merged.push(literal::string(ctx.terms, &value));
                }
                merged.push(arg);
            }
        }
    }
    if in_run {
        let value = Str::from_code_points(run)?;
        merged.push(literal::string(ctx.terms, &value));
    }
    Some(build::concat(ctx.terms, &merged))
}

pub fn length_of_concat(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let text = ctx.terms.args(term)[0];
    (ctx.terms.op(text) == Some(Op::StrConcat)).then(|| length_form(ctx.terms, text).to_term(ctx.terms))
}

/// A replacement of equal length does not change the length.
pub fn length_of_replace(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let text = ctx.terms.args(term)[0];
    if !matches!(ctx.terms.op(text), Some(Op::StrReplace | Op::StrReplaceAll)) {
        return None;
    }
    let &[whole, old, new] = ctx.terms.args(text) else { return None };
    (length_form(ctx.terms, old) == length_form(ctx.terms, new)).then(|| build::len(ctx.terms, whole))
}

/// A substring within the string has the length asked for; one to the end has the length of the rest.
pub fn length_of_substr(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let text = ctx.terms.args(term)[0];
    if ctx.terms.op(text) != Some(Op::StrSubstr) {
        return None;
    }
    let &[whole, start, count] = ctx.terms.args(text) else { return None };
    let start_form = Linear::of(ctx.terms, start);
    let count_form = Linear::of(ctx.terms, count);
    if !ctx.facts.is_nonnegative(ctx.terms, &start_form) || !ctx.facts.is_nonnegative(ctx.terms, &count_form)
    {
        return None;
    }
    let rest = length_form(ctx.terms, whole).plus(&start_form, &IBig::NEG_ONE);
    let slack = rest.plus(&count_form, &IBig::NEG_ONE);
    if ctx.facts.is_nonnegative(ctx.terms, &slack) {
        return Some(count);
    }
    let over = Linear::default().plus(&slack, &IBig::NEG_ONE);
    (ctx.facts.is_nonnegative(ctx.terms, &rest) && ctx.facts.is_nonnegative(ctx.terms, &over))
        .then(|| rest.to_term(ctx.terms))
}

/// Some functions keep the length of their first argument.
pub fn length_kept(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let text = ctx.terms.args(term)[0];
    matches!(ctx.terms.op(text), Some(Op::StrRev | Op::StrToLower | Op::StrToUpper | Op::StrUpdate)).then(
        || {
            let whole = ctx.terms.args(text)[0];
            build::len(ctx.terms, whole)
        },
    )
}

/// The length of a choice is the choice of the lengths.
pub fn length_of_ite(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let text = ctx.terms.args(term)[0];
    let (Some(Op::Ite), &[condition, then, otherwise]) = (ctx.terms.op(text), ctx.terms.args(text)) else {
        return None;
    };
    let then = build::len(ctx.terms, then);
    let otherwise = build::len(ctx.terms, otherwise);
    Some(build::apply(ctx.terms, Op::Ite, &[condition, then, otherwise]))
}

//! Rules for replacement.

use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::Term;

use super::contains::{Found, find, is_contained, is_impossible};
use crate::rewrite::Ctx;

/// The same in place of the same.
pub fn nothing_changes(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, old, new] = ctx.terms.args(term) else { return None };
    (old == new).then_some(whole)
}

/// All of a string is replaced; the empty one has nothing in it that `replace_all` would replace.
pub fn whole(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, old, new] = ctx.terms.args(term) else { return None };
    if whole != old {
        return None;
    }
    if ctx.terms.op(term) == Some(Op::StrReplace) {
        return Some(new);
    }
    let empty = build::empty(ctx.terms);
    let is_empty = build::eq(ctx.terms, whole, empty);
    Some(build::ite(ctx.terms, is_empty, empty, new))
}

/// An empty needle is found in front by `replace` and nowhere by `replace_all`.
pub fn empty_needle(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, old, new] = ctx.terms.args(term) else { return None };
    if !build::is_empty_literal(ctx.terms, old) {
        return None;
    }
    match ctx.terms.op(term)? {
        Op::StrReplace => Some(build::concat(ctx.terms, &[new, whole])),
        Op::StrReplaceAll => Some(whole),
        _ => None,
    }
}

/// In the empty string only the empty one is found.
pub fn in_empty(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, old, new] = ctx.terms.args(term) else { return None };
    if !build::is_empty_literal(ctx.terms, whole) {
        return None;
    }
    if ctx.terms.op(term) == Some(Op::StrReplaceAll) {
        return Some(whole);
    }
    let is_empty = build::eq(ctx.terms, old, whole);
    Some(build::ite(ctx.terms, is_empty, new, whole))
}

/// What cannot be in a string is not replaced.
pub fn impossible(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, old, _] = ctx.terms.args(term) else { return None };
    (is_impossible(ctx.terms, whole, old) || ctx.facts.is_longer(ctx.terms, old, whole)).then_some(whole)
}

/// What a string begins with is replaced there.
pub fn leading(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, old, new] = ctx.terms.args(term) else { return None };
    let whole = build::parts(ctx.terms, whole);
    let old = build::parts(ctx.terms, old);
    if old.is_empty() || !whole.starts_with(&old) {
        return None;
    }
    let mut pieces = vec![new];
    pieces.extend_from_slice(&whole[old.len()..]);
    Some(build::concat(ctx.terms, &pieces))
}

/// What the first parts contain for sure is replaced there, and the rest stays.
pub fn in_first(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, old, new] = ctx.terms.args(term) else { return None };
    let pieces = build::parts(ctx.terms, whole);
    (1..pieces.len()).find_map(|count| {
        let front = build::concat(ctx.terms, &pieces[..count]);
        if !is_contained(ctx.terms, front, old) {
            return None;
        }
        let mut replaced = vec![build::apply(ctx.terms, Op::StrReplace, &[front, old, new])];
        replaced.extend_from_slice(&pieces[count..]);
        Some(build::concat(ctx.terms, &replaced))
    })
}

/// A letter is replaced in each part by itself; a literal part without it stays.
pub fn letter_in_parts(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, old, new] = ctx.terms.args(term) else { return None };
    let pieces = build::parts(ctx.terms, whole);
    let letter = literal::string_value(ctx.terms, old)?;
    if pieces.len() < 2 || letter.len() != 1 {
        return None;
    }
    let mut replaced = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let is_free_of_it = literal::string_value(ctx.terms, piece)
            .is_some_and(|value| find(value.chars(), letter.chars()) == Some(Found::Nowhere));
        replaced.push(if is_free_of_it {
            piece
        } else {
            build::apply(ctx.terms, Op::StrReplaceAll, &[piece, old, new])
        });
    }
    Some(build::concat(ctx.terms, &replaced))
}

/// A language of one string is searched for as that string; in the empty one nothing is found.
pub fn language_of_one(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[whole, language, new] = ctx.terms.args(term) else { return None };
    if ctx.terms.op(language) == Some(Op::ReNone) {
        return Some(whole);
    }
    if ctx.terms.op(language) != Some(Op::StrToRe) {
        return None;
    }
    let old = ctx.terms.args(language)[0];
    let op = match ctx.terms.op(term)? {
        Op::StrReplaceRe => Op::StrReplace,
        _ => Op::StrReplaceAll,
    };
    Some(build::apply(ctx.terms, op, &[whole, old, new]))
}

//! Rules for containment, prefixes and suffixes.

use smallvec::SmallVec;
use smelt_semantics::Budget;
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

use crate::rewrite::Ctx;

fn sides(ctx: &Ctx<'_>, term: Term) -> Option<(Term, Term)> {
    let &[left, right] = ctx.terms.args(term) else { return None };
    Some((left, right))
}

/// Everything contains itself and the empty string.
pub fn same(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (whole, part) = sides(ctx, term)?;
    (whole == part || build::is_empty_literal(ctx.terms, part)).then(|| ctx.terms.bool(true))
}

/// The empty string contains only itself.
pub fn in_empty(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (whole, part) = sides(ctx, term)?;
    build::is_empty_literal(ctx.terms, whole).then(|| build::eq(ctx.terms, whole, part))
}

pub fn too_long(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (whole, part) = sides(ctx, term)?;
    ctx.facts.is_longer(ctx.terms, part, whole).then(|| ctx.terms.bool(false))
}

/// A part that is never shorter than the whole is the whole.
pub fn same_length(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (whole, part) = sides(ctx, term)?;
    ctx.facts.is_at_least_as_long(ctx.terms, part, whole).then(|| build::eq(ctx.terms, whole, part))
}

/// Whether the parts of one concatenation occur as a run in another, by their terms and literals only.
pub(super) fn is_contained(terms: &Terms, whole: Term, part: Term) -> bool {
    let whole = build::parts(terms, whole);
    let part = build::parts(terms, part);
    if part.is_empty() {
        return true;
    }
    if part.len() > whole.len() {
        return false;
    }
    whole.windows(part.len()).any(|window| {
        let last = part.len() - 1;
        window.iter().zip(&part).enumerate().all(|(position, (have, want))| {
            if have == want {
                return true;
            }
            let (Some(have), Some(want)) =
                (literal::string_value(terms, *have), literal::string_value(terms, *want))
            else {
                return false;
            };
            // Literals at the border may be longer than what is wanted of them.
            match (position == 0, position == last) {
                (true, true) => matches!(find(have.chars(), want.chars()), Some(Found::At(_))),
                (true, false) => have.chars().ends_with(want.chars()),
                (false, true) => have.chars().starts_with(want.chars()),
                (false, false) => false,
            }
        })
    })
}

/// What came of a search for a word in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// It occurs, and here first.
    At(usize),
    /// It does not occur.
    Nowhere,
}

/// Looks for a word in another; none if that is too expensive to find out.
pub(super) fn find(whole: &[u32], part: &[u32]) -> Option<Found> {
    find_within(whole, part, Budget::default())
}

fn find_within(whole: &[u32], part: &[u32], mut budget: Budget) -> Option<Found> {
    let whole = Str::from_code_points(whole.to_vec())?;
    let part = Str::from_code_points(part.to_vec())?;
    let position = whole.index_of(&part, &0.into(), &mut budget).ok()?;
    Some(usize::try_from(&position).map_or(Found::Nowhere, Found::At))
}

pub fn run_of_parts(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (whole, part) = sides(ctx, term)?;
    is_contained(ctx.terms, whole, part).then(|| ctx.terms.bool(true))
}

/// Whether a literal cannot contain a string, because it does not contain the literals in it one behind the other.
pub(super) fn is_impossible(terms: &Terms, whole: Term, part: Term) -> bool {
    let Some(whole) = literal::string_value(terms, whole) else { return false };
    let mut from = 0;
    for piece in build::parts(terms, part) {
        if let Some(piece) = literal::string_value(terms, piece) {
            match find(&whole.chars()[from..], piece.chars()) {
                Some(Found::At(position)) => from += position + piece.len(),
                Some(Found::Nowhere) => return true,
                None => return false,
            }
        }
    }
    false
}

pub fn impossible(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (whole, part) = sides(ctx, term)?;
    is_impossible(ctx.terms, whole, part).then(|| ctx.terms.bool(false))
}

/// A letter is in a concatenation if it is in one of its parts.
pub fn letter_in_parts(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (whole, part) = sides(ctx, term)?;
    let pieces = build::parts(ctx.terms, whole);
    if pieces.len() < 2 || literal::string_value(ctx.terms, part)?.len() != 1 {
        return None;
    }
    let cases: Vec<Term> =
        pieces.iter().map(|piece| build::apply(ctx.terms, Op::StrContains, &[*piece, part])).collect();
    Some(build::or(ctx.terms, &cases))
}

/// The characters of a literal at an end that can take part in no occurrence of a literal go away.
pub fn strip_ends(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (whole, part) = sides(ctx, term)?;
    let needle = literal::string_value(ctx.terms, part)?;
    let mut pieces = build::parts(ctx.terms, whole);
    if pieces.len() < 2 || needle.is_empty() {
        return None;
    }
    let mut has_changed = false;
    if let Some(first) = literal::string_value(ctx.terms, pieces[0]) {
        // Only a suffix of the literal that begins the needle can be the start of an occurrence.
        let kept = overlap(first.chars(), needle.chars(), needle.len() - 1);
        if find(first.chars(), needle.chars()) == Some(Found::Nowhere) && kept < first.len() {
            let rest = Str::from_code_points(first.chars()[first.len() - kept..].to_vec())?;
            pieces[0] = literal::string(ctx.terms, &rest);
            has_changed = true;
        }
    }
    let last = pieces.len() - 1;
    if let Some(end) = literal::string_value(ctx.terms, pieces[last]) {
        let kept = overlap(needle.chars(), end.chars(), needle.len() - 1);
        if find(end.chars(), needle.chars()) == Some(Found::Nowhere) && kept < end.len() {
            let rest = Str::from_code_points(end.chars()[..kept].to_vec())?;
            pieces[last] = literal::string(ctx.terms, &rest);
            has_changed = true;
        }
    }
    has_changed.then(|| {
        let whole = build::concat(ctx.terms, &pieces);
        build::apply(ctx.terms, Op::StrContains, &[whole, part])
    })
}

/// The length of the longest end of `left` that is a start of `right`, up to some length.
fn overlap(left: &[u32], right: &[u32], most: usize) -> usize {
    (0..=most.min(left.len()).min(right.len()))
        .rev()
        .find(|&length| left[left.len() - length..] == right[..length])
        .unwrap_or(0)
}

/// (is it a prefix, the part, the whole).
fn prefix_sides(ctx: &Ctx<'_>, term: Term) -> Option<(bool, Term, Term)> {
    let &[part, whole] = ctx.terms.args(term) else { return None };
    Some((ctx.terms.op(term) == Some(Op::StrPrefixof), part, whole))
}

/// Prefixes and suffixes that always or never are some.
pub fn prefix_trivial(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (_, part, whole) = prefix_sides(ctx, term)?;
    if part == whole || build::is_empty_literal(ctx.terms, part) {
        return Some(ctx.terms.bool(true));
    }
    ctx.facts.is_longer(ctx.terms, part, whole).then(|| ctx.terms.bool(false))
}

/// Equal parts at the end where both begin go away; different letters there decide.
pub fn prefix_strip(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (is_prefix, part, whole) = prefix_sides(ctx, term)?;
    let mut part_pieces = build::parts(ctx.terms, part);
    let mut whole_pieces = build::parts(ctx.terms, whole);
    let stripped = match is_prefix {
        true => strip_front(ctx.terms, &mut part_pieces, &mut whole_pieces),
        false => strip_back(ctx.terms, &mut part_pieces, &mut whole_pieces),
    };
    match stripped {
        Stripped::Nothing => None,
        Stripped::Clash => Some(ctx.terms.bool(false)),
        Stripped::Something => {
            let part = build::concat(ctx.terms, &part_pieces);
            let whole = build::concat(ctx.terms, &whole_pieces);
            Some(build::apply(ctx.terms, ctx.terms.op(term)?, &[part, whole]))
        }
    }
}

/// A prefix that is never shorter than the whole is the whole.
pub fn prefix_same_length(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (_, part, whole) = prefix_sides(ctx, term)?;
    ctx.facts.is_at_least_as_long(ctx.terms, part, whole).then(|| build::eq(ctx.terms, part, whole))
}

/// What became of two lists of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stripped {
    Nothing,
    Something,
    /// Two literals differ where they meet.
    Clash,
}

/// Takes equal parts away from the front of both lists, and equal characters of literals.
pub(super) fn strip_front(
    terms: &mut Terms,
    left: &mut SmallVec<[Term; 4]>,
    right: &mut SmallVec<[Term; 4]>,
) -> Stripped {
    let equal = left.iter().zip(right.iter()).take_while(|(left, right)| left == right).count();
    left.drain(..equal);
    right.drain(..equal);
    let mut result = if equal > 0 { Stripped::Something } else { Stripped::Nothing };
    if let (Some(&first_left), Some(&first_right)) = (left.first(), right.first())
        && let (Some(left_word), Some(right_word)) =
            (literal::string_value(terms, first_left), literal::string_value(terms, first_right))
    {
        let (left_chars, right_chars) = (left_word.chars(), right_word.chars());
        let common = left_chars.iter().zip(right_chars).take_while(|(left, right)| left == right).count();
        if common < left_chars.len() && common < right_chars.len() {
            return Stripped::Clash;
        }
        if common > 0 {
            result = Stripped::Something;
            shorten_front(terms, left, &left_chars[common..]);
            shorten_front(terms, right, &right_chars[common..]);
        }
    }
    result
}

fn shorten_front(terms: &mut Terms, pieces: &mut SmallVec<[Term; 4]>, rest: &[u32]) {
    if rest.is_empty() {
        pieces.remove(0);
    } else if let Some(rest) = Str::from_code_points(rest.to_vec()) {
        pieces[0] = literal::string(terms, &rest);
    }
}

/// Takes equal parts away from the back of both lists, and equal characters of literals.
pub(super) fn strip_back(
    terms: &mut Terms,
    left: &mut SmallVec<[Term; 4]>,
    right: &mut SmallVec<[Term; 4]>,
) -> Stripped {
    let equal = left.iter().rev().zip(right.iter().rev()).take_while(|(left, right)| left == right).count();
    left.truncate(left.len() - equal);
    right.truncate(right.len() - equal);
    let mut result = if equal > 0 { Stripped::Something } else { Stripped::Nothing };
    if let (Some(&last_left), Some(&last_right)) = (left.last(), right.last())
        && let (Some(left_word), Some(right_word)) =
            (literal::string_value(terms, last_left), literal::string_value(terms, last_right))
    {
        let (left_chars, right_chars) = (left_word.chars(), right_word.chars());
        let common = left_chars
            .iter()
            .rev()
            .zip(right_chars.iter().rev())
            .take_while(|(left, right)| left == right)
            .count();
        if common < left_chars.len() && common < right_chars.len() {
            return Stripped::Clash;
        }
        if common > 0 {
            result = Stripped::Something;
            shorten_back(terms, left, &left_chars[..left_chars.len() - common]);
            shorten_back(terms, right, &right_chars[..right_chars.len() - common]);
        }
    }
    result
}

fn shorten_back(terms: &mut Terms, pieces: &mut SmallVec<[Term; 4]>, rest: &[u32]) {
    if rest.is_empty() {
        pieces.pop();
    } else if let (Some(last), Some(rest)) = (pieces.last_mut(), Str::from_code_points(rest.to_vec())) {
        *last = literal::string(terms, &rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_is_given_up_does_not_say_that_there_is_nothing() {
        let whole: Vec<u32> = (0..100).collect();
        assert_eq!(find_within(&whole, &[98, 99], Budget::default()), Some(Found::At(98)));
        assert_eq!(find_within(&whole, &[99, 98], Budget::default()), Some(Found::Nowhere));
        assert_eq!(find_within(&whole, &[98, 99], Budget::new(1)), None);
    }
}

//! Rules for equations of Booleans and strings; those of integers are in `arithmetic`.

use dashu_int::IBig;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::Term;

use super::contains::{Stripped, is_impossible, strip_back, strip_front};
use crate::rewrite::Ctx;

fn sides(ctx: &Ctx<'_>, term: Term) -> Option<(Term, Term)> {
    let &[left, right] = ctx.terms.args(term) else { return None };
    Some((left, right))
}

fn string_sides(ctx: &Ctx<'_>, term: Term) -> Option<(Term, Term)> {
    sides(ctx, term).filter(|(left, _)| ctx.terms.sort(*left) == Sort::STRING)
}

pub fn same(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = sides(ctx, term)?;
    (left == right).then(|| ctx.terms.bool(true))
}

pub fn boolean_constant(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = sides(ctx, term)?;
    let (value, other) = match build::bool_value(ctx.terms, left) {
        Some(value) => (value, right),
        None => (build::bool_value(ctx.terms, right)?, left),
    };
    Some(if value { other } else { build::not(ctx.terms, other) })
}

/// Negations move out of equations.
pub fn boolean_negation(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = sides(ctx, term)?;
    let negated = |term: Term| (ctx.terms.op(term) == Some(Op::Not)).then(|| ctx.terms.args(term)[0]);
    match (negated(left), negated(right)) {
        (Some(left), Some(right)) => Some(build::eq(ctx.terms, left, right)),
        (Some(left), None) => {
            let equal = build::eq(ctx.terms, left, right);
            Some(build::not(ctx.terms, equal))
        }
        (None, Some(right)) => {
            let equal = build::eq(ctx.terms, left, right);
            Some(build::not(ctx.terms, equal))
        }
        (None, None) => None,
    }
}

/// (= (ite c a b) v): if a is the literal v, then c or b = v; if a is another literal, then not c and b = v.
pub fn ite_literal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = sides(ctx, term)?;
    if ctx.terms.sort(left) == Sort::BOOL {
        return None;
    }
    let (choice, value) = if build::is_value(ctx.terms, right) { (left, right) } else { (right, left) };
    if !build::is_value(ctx.terms, value) || ctx.terms.op(choice) != Some(Op::Ite) {
        return None;
    }
    let &[condition, then, otherwise] = ctx.terms.args(choice) else { return None };
    let negated = build::not(ctx.terms, condition);
    for (branch, other, taken, not_taken) in
        [(then, otherwise, condition, negated), (otherwise, then, negated, condition)]
    {
        if !build::is_value(ctx.terms, branch) {
            continue;
        }
        let rest = build::eq(ctx.terms, other, value);
        return Some(if branch == value {
            build::or(ctx.terms, &[taken, rest])
        } else {
            build::and(ctx.terms, &[not_taken, rest])
        });
    }
    None
}

/// Sides in the order of their ids, so that equal equations are the same.
pub fn order(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = sides(ctx, term)?;
    (left > right).then(|| build::apply(ctx.terms, Op::Eq, &[right, left]))
}

/// A concatenation is empty if all its parts are.
pub fn empty_concat(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = string_sides(ctx, term)?;
    let (empty, other) = if build::is_empty_literal(ctx.terms, left) { (left, right) } else { (right, left) };
    if !build::is_empty_literal(ctx.terms, empty) || ctx.terms.op(other) != Some(Op::StrConcat) {
        return None;
    }
    let pieces = ctx.terms.args(other).to_vec();
    let all: Vec<Term> = pieces.iter().map(|piece| build::eq(ctx.terms, *piece, empty)).collect();
    Some(build::and(ctx.terms, &all))
}

/// Equal parts at both ends go away; different letters there decide.
pub fn strip(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = string_sides(ctx, term)?;
    let mut left_pieces = build::parts(ctx.terms, left);
    let mut right_pieces = build::parts(ctx.terms, right);
    let front = strip_front(ctx.terms, &mut left_pieces, &mut right_pieces);
    let back = match front {
        Stripped::Clash => Stripped::Clash,
        _ => strip_back(ctx.terms, &mut left_pieces, &mut right_pieces),
    };
    match (front, back) {
        (Stripped::Clash, _) | (_, Stripped::Clash) => Some(ctx.terms.bool(false)),
        (Stripped::Nothing, Stripped::Nothing) => None,
        _ => {
            let left = build::concat(ctx.terms, &left_pieces);
            let right = build::concat(ctx.terms, &right_pieces);
            Some(build::eq(ctx.terms, left, right))
        }
    }
}

pub fn lengths_differ(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = string_sides(ctx, term)?;
    (ctx.facts.is_longer(ctx.terms, left, right) || ctx.facts.is_longer(ctx.terms, right, left))
        .then(|| ctx.terms.bool(false))
}

/// x = u x v says that u and v are empty.
pub fn part_of_itself(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = string_sides(ctx, term)?;
    for (whole, concat) in [(left, right), (right, left)] {
        if ctx.terms.op(concat) != Some(Op::StrConcat) || ctx.terms.op(whole) == Some(Op::StrConcat) {
            continue;
        }
        let pieces = ctx.terms.args(concat).to_vec();
        if let Some(position) = pieces.iter().position(|piece| *piece == whole) {
            let empty = build::empty(ctx.terms);
            let mut all = Vec::new();
            for (other, piece) in pieces.iter().enumerate() {
                if other != position {
                    all.push(build::eq(ctx.terms, *piece, empty));
                }
            }
            return Some(build::and(ctx.terms, &all));
        }
    }
    None
}

/// Sides with the same variables and other letters are different.
pub fn letters_differ(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = string_sides(ctx, term)?;
    let mut parts: FxHashMap<Term, i64> = FxHashMap::default();
    let mut letters: FxHashMap<u32, i64> = FxHashMap::default();
    for (side, sign) in [(left, 1), (right, -1)] {
        for piece in build::parts(ctx.terms, side) {
            match literal::string_value(ctx.terms, piece) {
                Some(word) => {
                    word.chars().iter().for_each(|letter| *letters.entry(*letter).or_default() += sign);
                }
                None => *parts.entry(piece).or_default() += sign,
            }
        }
    }
    let has_same_parts = parts.values().all(|count| *count == 0);
    (has_same_parts && letters.values().any(|count| *count != 0)).then(|| ctx.terms.bool(false))
}

/// Parts of equal fixed length at the same end are equal, and so are the rests.
pub fn split_lengths(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = string_sides(ctx, term)?;
    let left = build::parts(ctx.terms, left);
    let right = build::parts(ctx.terms, right);
    if left.is_empty() || right.is_empty() || (left.len() == 1 && right.len() == 1) {
        return None;
    }
    for is_front in [true, false] {
        let outer =
            |pieces: &SmallVec<[Term; 4]>| if is_front { pieces[0] } else { pieces[pieces.len() - 1] };
        let rest = |pieces: &SmallVec<[Term; 4]>| -> SmallVec<[Term; 4]> {
            if is_front { pieces[1..].into() } else { pieces[..pieces.len() - 1].into() }
        };
        let (first_left, first_right) = (outer(&left), outer(&right));
        let (Some(left_length), Some(right_length)) =
            (ctx.facts.fixed_length(ctx.terms, first_left), ctx.facts.fixed_length(ctx.terms, first_right))
        else {
            continue;
        };
        let (mut left_rest, mut right_rest) = (rest(&left), rest(&right));
        let (mut first_left, mut first_right) = (first_left, first_right);
        if left_length > right_length {
            cut(ctx, &mut first_left, &mut left_rest, &right_length, is_front)?;
        } else if right_length > left_length {
            cut(ctx, &mut first_right, &mut right_rest, &left_length, is_front)?;
        }
        let equal_first = build::eq(ctx.terms, first_left, first_right);
        let left_rest = build::concat(ctx.terms, &left_rest);
        let right_rest = build::concat(ctx.terms, &right_rest);
        let equal_rest = build::eq(ctx.terms, left_rest, right_rest);
        return Some(build::and(ctx.terms, &[equal_first, equal_rest]));
    }
    None
}

/// Cuts a literal to a length and gives what is cut off back to the rest.
fn cut(
    ctx: &mut Ctx<'_>,
    piece: &mut Term,
    rest: &mut SmallVec<[Term; 4]>,
    length: &IBig,
    is_front: bool,
) -> Option<()> {
    let word = literal::string_value(ctx.terms, *piece)?;
    let length = usize::try_from(length).ok()?;
    let (front, back) = word.chars().split_at(if is_front { length } else { word.len() - length });
    let front = Str::from_code_points(front.to_vec())?;
    let back = Str::from_code_points(back.to_vec())?;
    let (front, back) = (literal::string(ctx.terms, &front), literal::string(ctx.terms, &back));
    if is_front {
        *piece = front;
        rest.insert(0, back);
    } else {
        *piece = back;
        rest.push(front);
    }
    Some(())
}

/// A literal that does not contain the literals of the other side one behind the other is different.
pub fn literal_impossible(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = string_sides(ctx, term)?;
    (is_impossible(ctx.terms, left, right) || is_impossible(ctx.terms, right, left))
        .then(|| ctx.terms.bool(false))
}

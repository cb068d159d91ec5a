//! Identities of concatenation, length, equations, the order and prefixes of strings.

use rustc_hash::FxHashMap;
use smelt_semantics::literal;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

use super::symbols::{
    Symbol, characters, clash, common_end, common_start, first_occurrence, pieces, symbols, text,
};
use super::{never, never_less};
use crate::linear::Form;

/// Literals longer than this are not cut to the length of a term on the other side.
const MAX_CUT: usize = 16;

pub(super) fn concatenation(terms: &mut Terms, term: Term) -> Option<Term> {
    let symbols = symbols(terms, term);
    Some(text(terms, &symbols))
}

/// Lengths are linear forms; some functions keep or determine the length.
pub(super) fn length(terms: &mut Terms, term: Term) -> Option<Term> {
    let text = terms.args(term)[0];
    let args = terms.args(text).to_vec();
    match (terms.op(text), args.as_slice()) {
        (Some(Op::Ite), &[condition, then, otherwise]) => {
            let [then, otherwise] = [then, otherwise].map(|branch| build::len(terms, branch));
            Some(apply(terms, Op::Ite, &[condition, then, otherwise]))
        }
        (Some(Op::StrRev | Op::StrToLower | Op::StrToUpper | Op::StrUpdate), &[whole, ..]) => {
            Some(build::len(terms, whole))
        }
        (Some(Op::StrReplace | Op::StrReplaceAll), &[whole, old, new]) => {
            let [old, new] = [old, new].map(|part| build::len(terms, part));
            (Form::of(terms, old) == Form::of(terms, new)).then(|| build::len(terms, whole))
        }
        (Some(Op::StrSubstr), &[whole, start, count]) => substring_length(terms, whole, start, count),
        _ => Some(Form::of(terms, term).to_term(terms)),
    }
}

/// The length of a substring that ends with the string, or before it.
fn substring_length(terms: &mut Terms, whole: Term, start: Term, count: Term) -> Option<Term> {
    let zero = literal::int(terms, &0.into());
    if !never_less(terms, start, zero) || !never_less(terms, count, zero) {
        return None;
    }
    let length = build::len(terms, whole);
    let rest = build::difference(terms, length, start);
    if never_less(terms, rest, count) {
        return Some(count);
    }
    (never_less(terms, rest, zero) && never_less(terms, count, rest)).then_some(rest)
}

pub(super) fn equation(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[one, other] = terms.args(term) else { return None };
    if terms.sort(one) != Sort::STRING {
        return None;
    }
    let (left, right) = (symbols(terms, one), symbols(terms, other));
    // What both sides begin or end with does not matter.
    let start = common_start(&left, &right);
    let (left, right) = (&left[start..], &right[start..]);
    let end = common_end(left, right);
    let (left, right) = (&left[..left.len() - end], &right[..right.len() - end]);
    if clash(left.first(), right.first()) || clash(left.last(), right.last()) {
        return Some(terms.bool(false));
    }
    if start + end > 0 {
        let [left, right] = [left, right].map(|side| text(terms, side));
        return Some(build::eq(terms, left, right));
    }
    for (side, opposite) in [(left, right), (right, left)] {
        if let Some(rest) = rest_around(side, opposite) {
            return Some(all_empty(terms, &rest));
        }
        if characters(side).is_some_and(|word| misses_literals(&word, opposite)) {
            return Some(terms.bool(false));
        }
    }
    if count_differently(left, right) {
        return Some(terms.bool(false));
    }
    split(terms, left, right)
}

/// The other symbols, if one of the symbols is all of the opposite side, or that side is empty.
fn rest_around(side: &[Symbol], opposite: &[Symbol]) -> Option<Vec<Symbol>> {
    match opposite {
        [] if side.len() > 1 => Some(side.to_vec()),
        [only @ Symbol::Text(_)] if side.len() > 1 => {
            let position = side.iter().position(|symbol| symbol == only)?;
            Some(side[..position].iter().chain(&side[position + 1..]).copied().collect())
        }
        _ => None,
    }
}

/// All parts are empty.
fn all_empty(terms: &mut Terms, symbols: &[Symbol]) -> Term {
    let empty = build::empty(terms);
    let parts = pieces(terms, symbols);
    let equations: Vec<Term> = parts.into_iter().map(|part| build::eq(terms, part, empty)).collect();
    build::and(terms, &equations)
}

/// Whether a word does not have the literals among the symbols one behind the other.
pub(super) fn misses_literals(word: &[u32], symbols: &[Symbol]) -> bool {
    let mut rest = word;
    let is_character = |symbol: &Symbol| matches!(symbol, Symbol::Char(_));
    for run in symbols.chunk_by(|left, right| is_character(left) && is_character(right)) {
        let Some(literal) = characters(run) else { continue };
        match first_occurrence(rest, &literal) {
            Some(position) => rest = &rest[position + literal.len()..],
            None => return true,
        }
    }
    false
}

/// Whether two sides have the same terms, and some character more often on one side.
fn count_differently(left: &[Symbol], right: &[Symbol]) -> bool {
    let mut texts: FxHashMap<Term, i64> = FxHashMap::default();
    let mut characters: FxHashMap<u32, i64> = FxHashMap::default();
    for (side, sign) in [(left, 1), (right, -1)] {
        for symbol in side {
            match symbol {
                Symbol::Text(text) => *texts.entry(*text).or_default() += sign,
                Symbol::Char(character) => *characters.entry(*character).or_default() += sign,
            }
        }
    }
    texts.values().all(|count| *count == 0) && characters.values().any(|count| *count != 0)
}

/// Starts of the same length are equal, and so are the rests; the same for ends.
fn split(terms: &mut Terms, left: &[Symbol], right: &[Symbol]) -> Option<Term> {
    if left.len() < 2 && right.len() < 2 {
        return None;
    }
    for (one, other) in [(left, right), (right, left)] {
        for is_start in [true, false] {
            let outer = if is_start { one.first() } else { one.last() };
            let Some(Symbol::Text(outer)) = outer else { continue };
            let length = build::len(terms, *outer);
            let most = other.len().min(MAX_CUT);
            let fits = (1..=most).find(|count| {
                let side = if is_start { &other[..*count] } else { &other[other.len() - count..] };
                let side = text(terms, side);
                let side = build::len(terms, side);
                let equal = build::eq(terms, length, side);
                let unequal = build::not(terms, equal);
                terms.op(equal) == Some(Op::True) || never(terms, &[unequal])
            });
            let Some(count) = fits.filter(|count| one.len() > 1 || *count < other.len()) else { continue };
            let (matched, rest, other_rest) = if is_start {
                (&other[..count], &one[1..], &other[count..])
            } else {
                let (rest, matched) = other.split_at(other.len() - count);
                (matched, &one[..one.len() - 1], rest)
            };
            let [matched, rest, other_rest] = [matched, rest, other_rest].map(|side| text(terms, side));
            let equal = build::eq(terms, *outer, matched);
            let equal_rests = build::eq(terms, rest, other_rest);
            return Some(build::and(terms, &[equal, equal_rests]));
        }
    }
    None
}

/// The order is total, and the empty string is its least.
pub(super) fn order(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[left, right] = terms.args(term) else { return None };
    if terms.op(term) == Some(Op::StrLt) {
        let reverse = apply(terms, Op::StrLe, &[right, left]);
        return Some(build::not(terms, reverse));
    }
    if left == right || build::is_empty_literal(terms, left) {
        return Some(terms.bool(true));
    }
    if build::is_empty_literal(terms, right) {
        return Some(build::eq(terms, left, right));
    }
    let (left, right) = (symbols(terms, left), symbols(terms, right));
    let start = common_start(&left, &right);
    if let (Some(Symbol::Char(one)), Some(Symbol::Char(other))) = (left.get(start), right.get(start)) {
        return Some(terms.bool(one < other));
    }
    let [left, right] = [&left[start..], &right[start..]].map(|side| text(terms, side));
    Some(apply(terms, Op::StrLe, &[left, right]))
}

/// A common start of both strings does not matter for a prefix, a common end not for a suffix.
pub(super) fn prefix(terms: &mut Terms, term: Term) -> Option<Term> {
    let op = terms.op(term)?;
    let &[part, whole] = terms.args(term) else { return None };
    let (one, other) = (symbols(terms, part), symbols(terms, whole));
    let (one, other) = if op == Op::StrPrefixof {
        let start = common_start(&one, &other);
        (&one[start..], &other[start..])
    } else {
        let end = common_end(&one, &other);
        (&one[..one.len() - end], &other[..other.len() - end])
    };
    let clashes = match op {
        Op::StrPrefixof => clash(one.first(), other.first()),
        _ => clash(one.last(), other.last()),
    };
    if clashes {
        return Some(terms.bool(false));
    }
    if one.is_empty() {
        return Some(terms.bool(true));
    }
    let [part, whole] = [one, other].map(|side| text(terms, side));
    let [part_length, whole_length] = [part, whole].map(|side| build::len(terms, side));
    if never_less(terms, part_length, whole_length) {
        return Some(build::eq(terms, part, whole));
    }
    Some(apply(terms, op, &[part, whole]))
}

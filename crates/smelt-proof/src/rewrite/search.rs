//! Identities of searching and replacing in strings.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

use super::string::misses_literals;
use super::symbols::{Symbol, characters, first_occurrence, occurs, pieces, symbols, text};
use super::{never, never_less};

pub(super) fn contains(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[whole, part] = terms.args(term) else { return None };
    let (outer, inner) = (symbols(terms, whole), symbols(terms, part));
    if occurs(&outer, &inner) {
        return Some(terms.bool(true));
    }
    if characters(&outer).is_some_and(|word| misses_literals(&word, &inner)) {
        return Some(terms.bool(false));
    }
    let [length, part_length] = [whole, part].map(|side| build::len(terms, side));
    if never_less(terms, part_length, length) {
        return Some(build::eq(terms, whole, part));
    }
    let needle = characters(&inner)?;
    if needle.len() == 1 {
        // One character is in a string if it is in one of its pieces.
        let parts = pieces(terms, &outer);
        let cases: Vec<Term> =
            parts.iter().map(|piece| apply(terms, Op::StrContains, &[*piece, part])).collect();
        return Some(build::or(terms, &cases));
    }
    let kept = without_idle_ends(&outer, &needle);
    let whole = text(terms, kept);
    Some(apply(terms, Op::StrContains, &[whole, part]))
}

/// The symbols without characters at both ends that cannot be part of an occurrence of a word.
fn without_idle_ends<'s>(symbols: &'s [Symbol], needle: &[u32]) -> &'s [Symbol] {
    let is_character = |symbol: &&Symbol| matches!(symbol, Symbol::Char(_));
    let mut kept = symbols;
    let start = kept.iter().take_while(is_character).count();
    if let Some(literal) =
        characters(&kept[..start]).filter(|literal| start < kept.len() && !occurs(literal, needle))
    {
        let most = needle.len() - 1;
        let overlap = (0..=most.min(start)).rev().find(|count| needle.starts_with(&literal[start - count..]));
        kept = &kept[start - overlap.unwrap_or(0)..];
    }
    let end = kept.iter().rev().take_while(is_character).count();
    let first = kept.len() - end;
    if let Some(literal) = characters(&kept[first..]).filter(|literal| first > 0 && !occurs(literal, needle))
    {
        let most = needle.len() - 1;
        let overlap = (0..=most.min(end)).rev().find(|count| needle.ends_with(&literal[..*count]));
        kept = &kept[..first + overlap.unwrap_or(0)];
    }
    kept
}

/// Whether a string never contains another, by literals or by lengths.
fn never_contains(terms: &mut Terms, whole: Term, part: Term) -> bool {
    let (outer, inner) = (symbols(terms, whole), symbols(terms, part));
    if characters(&outer).is_some_and(|word| misses_literals(&word, &inner)) {
        return true;
    }
    let [length, part_length] = [whole, part].map(|side| build::len(terms, side));
    let fits = build::at_most(terms, part_length, length);
    never(terms, &[fits])
}

/// The shortest front of a concatenation, with fewer pieces, that contains a string for sure; and the other pieces.
fn containing_front(terms: &mut Terms, whole: Term, part: Term) -> Option<(Vec<Term>, Vec<Term>)> {
    let (outer, inner) = (symbols(terms, whole), symbols(terms, part));
    let parts = pieces(terms, &outer);
    (1..parts.len()).find_map(|count| {
        let front = build::concat(terms, &parts[..count]);
        occurs(&symbols(terms, front), &inner).then(|| (parts[..count].to_vec(), parts[count..].to_vec()))
    })
}

pub(super) fn index_of(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[whole, part, start] = terms.args(term) else { return None };
    let [zero, nowhere] = [IBig::ZERO, IBig::NEG_ONE].map(|value| literal::int(terms, &value));
    let length = build::len(terms, whole);
    let is_inside = [build::at_most(terms, zero, start), build::at_most(terms, start, length)];
    if never(terms, &is_inside) || never_contains(terms, whole, part) {
        return Some(nowhere);
    }
    if build::is_empty_literal(terms, part) {
        let is_inside = build::and(terms, &is_inside);
        return Some(build::ite(terms, is_inside, start, nowhere));
    }
    let from = usize::try_from(&literal::int_value(terms, start)?).ok()?;
    if from == 0 && whole == part {
        return Some(zero);
    }
    // An occurrence within the characters at the start is the first one.
    let (outer, inner) = (symbols(terms, whole), symbols(terms, part));
    let literal_len = outer.iter().take_while(|symbol| matches!(symbol, Symbol::Char(_))).count();
    if from <= literal_len
        && characters(&inner).is_some()
        && let Some(position) = first_occurrence(&outer[from..literal_len], &inner)
    {
        return Some(literal::int(terms, &IBig::from(from + position)));
    }
    if from > 0 {
        return None;
    }
    let (front, _) = containing_front(terms, whole, part)?;
    let front = build::concat(terms, &front);
    Some(apply(terms, Op::StrIndexof, &[front, part, start]))
}

pub(super) fn replace(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[whole, old, new] = terms.args(term) else { return None };
    let is_all = terms.op(term) == Some(Op::StrReplaceAll);
    if old == new || never_contains(terms, whole, old) {
        return Some(whole);
    }
    let empty = build::empty(terms);
    if old == empty {
        return Some(if is_all { whole } else { build::concat(terms, &[new, whole]) });
    }
    if whole == empty {
        if is_all {
            return Some(empty);
        }
        let is_empty = build::eq(terms, old, empty);
        return Some(build::ite(terms, is_empty, new, empty));
    }
    if whole == old {
        if !is_all {
            return Some(new);
        }
        let is_empty = build::eq(terms, whole, empty);
        return Some(build::ite(terms, is_empty, empty, new));
    }
    if is_all { replace_all(terms, whole, old, new) } else { replace_first(terms, whole, old, new) }
}

/// What a string begins with is replaced there; what its front contains is replaced in the front.
fn replace_first(terms: &mut Terms, whole: Term, old: Term, new: Term) -> Option<Term> {
    let (outer, inner) = (symbols(terms, whole), symbols(terms, old));
    if outer.starts_with(&inner) {
        let rest = text(terms, &outer[inner.len()..]);
        return Some(build::concat(terms, &[new, rest]));
    }
    let (front, rest) = containing_front(terms, whole, old)?;
    let front = build::concat(terms, &front);
    let replaced = apply(terms, Op::StrReplace, &[front, old, new]);
    let parts: Vec<Term> = std::iter::once(replaced).chain(rest).collect();
    Some(build::concat(terms, &parts))
}

/// One character is replaced in each symbol.
fn replace_all(terms: &mut Terms, whole: Term, old: Term, new: Term) -> Option<Term> {
    let &[needle @ Symbol::Char(_)] = symbols(terms, old).as_slice() else { return None };
    let outer = symbols(terms, whole);
    let replaced: Vec<Symbol> = outer
        .into_iter()
        .map(|symbol| match symbol {
            Symbol::Text(text) => Symbol::Text(apply(terms, Op::StrReplaceAll, &[text, old, new])),
            _ if symbol == needle => Symbol::Text(new),
            _ => symbol,
        })
        .collect();
    Some(text(terms, &replaced))
}

/// The language of one string is found where the string is, and nothing is found in the empty language.
pub(super) fn replace_language_of_one(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[whole, language, new] = terms.args(term) else { return None };
    let op = match terms.op(term)? {
        Op::StrReplaceRe => Op::StrReplace,
        _ => Op::StrReplaceAll,
    };
    match terms.op(language)? {
        Op::ReNone => Some(whole),
        Op::StrToRe => {
            let old = terms.args(language)[0];
            Some(apply(terms, op, &[whole, old, new]))
        }
        _ => None,
    }
}

//! Words that fit: members of a regular expression, parts of a string.
//!
//! Random words are hardly ever matched by random expressions, and random strings hardly ever contain each other. So
//! some arguments are made from others: only likely to fit, never certain, because nothing here evaluates.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms};

/// Longer words are cut off.
const MAX_WORD: usize = 24;

/// Replaces an argument by one that fits another, for operators that look for something.
pub fn fit(terms: &mut Terms, op: Op, args: &mut [Term], rng: &mut Xoshiro256PlusPlus) {
    match op {
        Op::StrInRe if is_string_literal(terms, args[0]) && rng.random_bool(0.6) => {
            let word = member(terms, args[1], rng);
            args[0] = terms.literal(Literal::Str, &word, Sort::STRING);
        }
        Op::StrReplaceRe | Op::StrReplaceReAll | Op::StrIndexofRe
            if is_string_literal(terms, args[0]) && rng.random_bool(0.6) =>
        {
            let around = ["", "a", "b", "ab"];
            let mut word = (*around.choose(rng).expect("not empty")).to_owned();
            for _ in 0..rng.random_range(1..3) {
                word.push_str(&member(terms, args[1], rng));
                word.push_str(around.choose(rng).expect("not empty"));
            }
            args[0] = terms.literal(Literal::Str, &word, Sort::STRING);
        }
        Op::StrContains | Op::StrIndexof | Op::StrIndexofFromStart | Op::StrReplace | Op::StrReplaceAll => {
            fit_part(terms, args, 0, 1, rng);
        }
        Op::StrPrefixof | Op::StrSuffixof => fit_part(terms, args, 1, 0, rng),
        _ => {}
    }
}

/// Makes the string at `part` a part of the one at `whole`.
fn fit_part(terms: &mut Terms, args: &mut [Term], whole: usize, part: usize, rng: &mut Xoshiro256PlusPlus) {
    let Some(text) = string_literal(terms, args[whole]) else { return };
    // Cutting through an escape would give another word; that is left to chance.
    if text.contains(['\\', '"']) || !is_string_literal(terms, args[part]) || rng.random_bool(0.6) {
        return;
    }
    let start = rng.random_range(0..=text.len());
    let end = rng.random_range(start..=text.len());
    args[part] = terms.literal(Literal::Str, &text[start..end], Sort::STRING);
}

fn string_literal(terms: &Terms, term: Term) -> Option<String> {
    match terms.head(term) {
        Head::Literal(Literal::Str, text) => Some(terms.text(text).to_owned()),
        _ => None,
    }
}

fn is_string_literal(terms: &Terms, term: Term) -> bool {
    matches!(terms.head(term), Head::Literal(Literal::Str, _))
}

/// The text of a word that the expression probably has. Recursion is as deep as the term, which is shallow.
pub fn member(terms: &Terms, re: Term, rng: &mut Xoshiro256PlusPlus) -> String {
    let args = terms.args(re);
    let Head::Op(op, indices) = terms.head(re) else { return "a".to_owned() };
    let number = |position: usize| match terms.indices(indices).get(position) {
        Some(Index::Number(number)) => *number,
        _ => 0,
    };
    let mut word = String::new();
    let count = match op {
        Op::StrToRe => return string_literal(terms, args[0]).unwrap_or_default(),
        Op::ReRange => return string_literal(terms, args[rng.random_range(0..2)]).unwrap_or_default(),
        Op::ReAllChar => return (*["a", "b", "0"].choose(rng).expect("not empty")).to_owned(),
        Op::ReUnion => return member(terms, args[rng.random_range(0..args.len())], rng),
        Op::ReInter | Op::ReDiff => return member(terms, args[0], rng),
        Op::ReConcat => {
            args.iter().for_each(|arg| word.push_str(&member(terms, *arg, rng)));
            return shortened(word);
        }
        Op::ReStar | Op::ReLoopBetween => rng.random_range(0..4),
        Op::RePlus => rng.random_range(1..4),
        Op::ReOpt => rng.random_range(0..2),
        Op::RePower => number(0),
        Op::ReLoop => rng.random_range(number(0).min(number(1))..=number(1).max(number(0))),
        Op::ReLoopFrom => number(0) + rng.random_range(0..2),
        _ => return (*["", "a", "b", "ab"].choose(rng).expect("not empty")).to_owned(),
    };
    for _ in 0..count.min(MAX_WORD as u64) {
        word.push_str(&member(terms, args[0], rng));
    }
    shortened(word)
}

/// Cut only where no escape can be: at the end of a word without any.
fn shortened(word: String) -> String {
    if word.len() > MAX_WORD && word.is_ascii() && !word.contains(['\\', '"']) {
        word[..MAX_WORD].to_owned()
    } else {
        word
    }
}

//! Simpler literals: shorter strings, smaller numbers, bit-vectors of few ones.

use smelt_smtlib::sort::SortKind;
use smelt_smtlib::term::{Literal, Term, Terms};

use super::values::values;

/// Strings of so many letters lose any one of them; longer ones the first or the last.
const FEW_LETTERS: usize = 4;

/// Numbers up to this one are made smaller by one.
const SMALL_NUMBER: u64 = 8;

/// What a literal may become, what promises most first.
pub(super) fn simpler_literals(terms: &mut Terms, term: Term, kind: Literal, text: &str) -> Vec<Term> {
    let sort = terms.sort(term);
    let texts: Vec<String> = match kind {
        Literal::Str => shorter_strings(text),
        Literal::Numeral => smaller_numerals(text),
        // A field element may be written as a negative number.
        Literal::Field => smaller_numerals(text.trim_start_matches('-')),
        Literal::Decimal => {
            let whole = text.split('.').next().unwrap_or(text);
            let mut texts = vec!["0.0".to_owned(), "1.0".to_owned()];
            texts.extend(smaller_numerals(whole).iter().map(|number| format!("{number}.0")));
            texts.push(format!("{whole}.0"));
            texts
        }
        Literal::Hex | Literal::Binary | Literal::BvDecimal => {
            return simpler_bits(terms, term, kind, text);
        }
    };
    // Of letters `a` is the simplest.
    let order = |text: &str| (text.len(), kind == Literal::Str && text != "a", text.to_owned());
    let simpler = |other: &String| order(other) < order(text);
    let mut unique: Vec<String> = Vec::with_capacity(texts.len());
    for other in texts {
        if simpler(&other) && !unique.contains(&other) {
            unique.push(other);
        }
    }
    unique.iter().map(|other| terms.literal(kind, other, sort)).collect()
}

/// Halves of a string, its ends, and the string without one letter; in the end an `a` for each of few letters.
fn shorter_strings(text: &str) -> Vec<String> {
    // An escape is one letter.
    let letters = letters_of(text);
    let half = letters.len() / 2;
    let mut shorter = vec![String::new(), letters[..half].concat(), letters[half..].concat()];
    if letters.len() > 3 {
        shorter.extend([letters[0].to_owned(), letters[letters.len() - 1].to_owned()]);
    }
    let is_tried = |place: &usize| letters.len() <= FEW_LETTERS || *place == 0 || *place + 1 == letters.len();
    for left_out in (0..letters.len()).filter(is_tried) {
        shorter.push([&letters[..left_out], &letters[left_out + 1..]].concat().concat());
    }
    if letters.len() == 1 {
        shorter.push("a".to_owned());
    }
    shorter
}

fn letters_of(text: &str) -> Vec<&str> {
    let mut letters = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match rest.strip_prefix("\\u{").and_then(|inside| inside.find('}')) {
            Some(end) => end + 4,
            None if rest.starts_with("\\u") && rest.len() >= 6 && rest.is_char_boundary(6) => 6,
            None => first.len_utf8(),
        };
        let (letter, after) = rest.split_at(length);
        letters.push(letter);
        rest = after;
    }
    letters
}

fn smaller_numerals(text: &str) -> Vec<String> {
    let mut smaller = vec!["0".to_owned(), "1".to_owned()];
    if let Ok(number) = text.parse::<u64>() {
        smaller.extend([number / 10, number / 2].map(|number| number.to_string()));
        if number <= SMALL_NUMBER {
            smaller.push(number.saturating_sub(1).to_string());
        }
    } else {
        // The first digits of a long number.
        smaller.push(text[..text.len() / 2].to_owned());
    }
    smaller
}

/// Zero, one, and the value shifted to the right, in the shortest way to write them.
fn simpler_bits(terms: &mut Terms, term: Term, kind: Literal, text: &str) -> Vec<Term> {
    let sort = terms.sort(term);
    let mut found = values(terms, sort);
    let SortKind::BitVec(width) = *terms.sorts.kind(sort) else { return found };
    let value = match kind {
        Literal::Hex => u128::from_str_radix(text, 16),
        Literal::Binary => u128::from_str_radix(text, 2),
        _ => text.parse(),
    };
    let Ok(value) = value else { return found };
    for simpler in [value >> 5, value >> 3, value >> 1, value] {
        found.push(short_bits(terms, width, simpler));
    }
    found.retain(|other| *other != term);
    found
}

/// A bit-vector in the shortest way to write it.
pub(super) fn short_bits(terms: &mut Terms, width: u32, value: u128) -> Term {
    let sort = terms.sorts.bit_vec(width);
    match width % 4 {
        0 => terms.literal(Literal::Hex, &format!("{value:0digits$x}", digits = width as usize / 4), sort),
        _ => terms.literal(Literal::Binary, &format!("{value:0digits$b}", digits = width as usize), sort),
    }
}

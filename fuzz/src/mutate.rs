//! Changes of whole expressions: what libFuzzer does to bytes seldom leaves a script well-formed.
//!
//! An expression is replaced by another one of the text, copied beside itself, taken out, or put into a list with
//! others; an atom is replaced by a word that the reader knows.

use std::sync::LazyLock;

use smelt_smtlib::sexp::{Kind, Scanner, Tape};
use smelt_smtlib::source::Span;

use crate::seeds;

/// Atoms that change the meaning of many terms they stand in.
const ATOMS: &[&str] = &[
    "0",
    "1",
    "2",
    "7",
    "(- 1)",
    "0.0",
    "0.5",
    "(- 1.5)",
    "true",
    "false",
    "\"\"",
    "\"a\"",
    "\"ab\"",
    "\"\\u{2ffff}\"",
    "#b0",
    "#b1",
    "#x00",
    "#x80",
    "#xff",
    "RNE",
    "RTZ",
    "re.all",
    "re.none",
    "re.allchar",
    "Int",
    "Real",
    "Bool",
    "String",
    "x",
    "y",
    "_",
];

/// The dictionary, made once.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(seeds::words);

/// Changes the first `size` bytes of a buffer: every other time an expression, else bytes. Gives the new size.
pub fn mutate_bytes(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let changed = match str::from_utf8(&data[..size]) {
        Ok(source) if seed % 2 == 0 => mutate(source, max_size, seed),
        _ => None,
    };
    match changed {
        Some(text) => {
            data[..text.len()].copy_from_slice(text.as_bytes());
            text.len()
        }
        None => libfuzzer_sys::fuzzer_mutate(data, size, max_size),
    }
}

/// Changes a text of at most `max_len` bytes; none if the text is no sequence of expressions.
pub fn mutate(source: &str, max_len: usize, seed: u32) -> Option<String> {
    let spans = expressions(source);
    if spans.is_empty() {
        return None;
    }
    let mut rng = Rng(u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut text = source.to_owned();
    let target = spans[rng.below(spans.len())];
    let other = spans[rng.below(spans.len())];
    let word = match rng.below(4) {
        0 => WORDS[rng.below(WORDS.len())].trim_start_matches('(').trim_end().to_owned(),
        _ => ATOMS[rng.below(ATOMS.len())].to_owned(),
    };
    let (target_text, other_text) = (target.text(source), other.text(source));
    let new = match rng.below(8) {
        0 | 1 => other_text.to_owned(),
        2 | 3 => word,
        4 => format!("{target_text} {target_text}"),
        5 => format!("{target_text} {other_text}"),
        6 => format!("({word} {target_text} {other_text})"),
        _ => String::new(),
    };
    text.replace_range(target.start as usize..target.end as usize, &new);
    (text.len() <= max_len).then_some(text)
}

/// The places of all expressions and of the atoms in them.
fn expressions(source: &str) -> Vec<Span> {
    let mut scanner = Scanner::new(source);
    let mut tape = Tape::new();
    let mut spans = Vec::new();
    while scanner.read(&mut tape).unwrap_or(true) {
        let nodes = (0..tape.len()).map(|index| tape.node(index));
        // After an error the tape may hold lists that are still open.
        spans.extend(
            nodes
                .filter(|node| node.kind != Kind::List || node.span.end > node.span.start + 1)
                .map(|node| node.span),
        );
    }
    spans
}

/// Xorshift: libFuzzer gives the seed, so that a run can be repeated.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_stay_within_the_length_and_keep_parentheses_balanced() {
        let source = "(assert (= x (+ 1 2)))\n(check-sat)";
        for seed in 0..1_000 {
            let changed = mutate(source, 60, seed);
            assert!(changed.as_ref().is_none_or(|text| text.len() <= 60));
            assert!(changed.is_none_or(|text| !text.ends_with('(')));
        }
    }

    #[test]
    fn a_text_without_expressions_is_left_to_others() {
        assert_eq!(mutate("; nothing", 100, 1), None);
    }
}

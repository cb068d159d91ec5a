//! Changes of inputs: of whole expressions, because what libFuzzer does to bytes seldom leaves a script well-formed, and
//! of words and bytes, which is what the ordinary tests have instead of libFuzzer.
//!
//! An expression is replaced by another one of the text, copied beside itself, taken out, or put into a list with
//! others; an atom is replaced by a word that the reader knows. The same seed makes the same change.

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

/// Changes a text of at most `max_len` bytes; none if the text is no sequence of expressions.
pub fn mutate(source: &str, max_len: usize, seed: u32) -> Option<String> {
    let spans = expressions(source);
    if spans.is_empty() {
        return None;
    }
    let mut rng = Rng::new(seed);
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

/// Pieces of text that readers of data may stumble over.
const PIECES: &[&str] = &[
    "",
    "0",
    "-1",
    "1e999",
    "18446744073709551616",
    "9223372036854775807",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\"../../x\"",
    "\"a\\nb\"",
    "\\ud800",
    "\u{0}",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{1f980}",
    "é",
    "`",
    "```\n",
    "'\n",
    "$(true)",
    "<b>",
    "|",
    "---\n",
    "(",
    ")",
    "sat\n",
    "unsat\n",
    "(error \"",
];

/// Changes a text in one to four places: expressions if there are some, words and characters in any case. Another input,
/// of which parts may be taken, makes it more like real data.
pub fn mutant(source: &str, other: &str, seed: u32) -> String {
    let mut rng = Rng::new(seed);
    let mut text = source.to_owned();
    for change in 0..=rng.below(4) as u32 {
        let of_expressions = match rng.below(3) {
            0 => None,
            _ => mutate(&text, MAX_MUTANT, seed.wrapping_mul(31).wrapping_add(change)),
        };
        text = of_expressions.unwrap_or_else(|| with_piece(&text, other, &mut rng));
    }
    text
}

/// Mutants are not longer than this.
const MAX_MUTANT: usize = 1 << 14;

/// A text of which a word or a few characters are replaced, removed or doubled.
fn with_piece(text: &str, other: &str, rng: &mut Rng) -> String {
    let place = boundary(text, rng.below(text.len() + 1));
    let end = match rng.below(3) {
        0 => place,
        1 => boundary(text, (place + 1 + rng.below(8)).min(text.len())),
        // To the end of the word.
        _ => text[place..]
            .find(|character: char| !character.is_alphanumeric())
            .map_or(text.len(), |length| place + length),
    };
    let new = match rng.below(5) {
        0 => PIECES[rng.below(PIECES.len())].to_owned(),
        1 => text[place..end].repeat(2),
        2 => {
            let start = boundary(other, rng.below(other.len() + 1));
            other[start..boundary(other, (start + rng.below(40)).min(other.len()))].to_owned()
        }
        3 => char::from(rng.below(256) as u8).to_string(),
        _ => String::new(),
    };
    let changed = [&text[..place], &new, &text[end..]].concat();
    // Cutting a text off is what killed programs and full disks do.
    if rng.below(20) == 0 {
        changed[..boundary(&changed, place.min(changed.len()))].to_owned()
    } else {
        changed
    }
}

/// The last place up to this one where a character begins.
fn boundary(text: &str, place: usize) -> usize {
    (0..=place).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
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

/// Xorshift: the seed is given, so that a run can be repeated.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u32) -> Self {
        // A few bits of small seeds are not enough to start with.
        let mut rng = Rng((u64::from(seed) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            rng.below(2);
        }
        rng
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
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

    #[test]
    fn the_same_seed_makes_the_same_mutant_and_others_make_others() {
        let mutants: Vec<String> = (0..200).map(|seed| mutant("{\"a\": [1, \"é\"]}", "(x)", seed)).collect();
        assert_eq!(mutants[7], mutant("{\"a\": [1, \"é\"]}", "(x)", 7));
        let different: std::collections::BTreeSet<&String> = mutants.iter().collect();
        assert!(different.len() > 150, "{} of 200", different.len());
    }
}

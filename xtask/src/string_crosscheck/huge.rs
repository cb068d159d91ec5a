//! Huge numbers for random formulas, and formulas about words that are too long to be written down.
//!
//! Counters of loops, lengths, positions and other integers are drawn around powers of two at which machine words end.
//! Where a word cannot be written down, its length is planted instead: [`Generator::long_words`] puts languages together
//! that contain the word of so many letters `a` by construction, with arithmetic that knows no limits.

use dashu_int::IBig;
use dashu_int::ops::DivRem;
use rand::RngExt;
use rand::seq::IndexedRandom;
use smelt_semantics::literal;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::print::term_text;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Index, Literal, Term};

use super::formula::{Formula, Generator};

/// Huge numbers are near powers of two with these exponents.
const EXPONENTS: &[usize] = &[8, 16, 16, 21, 31, 32, 32, 33, 63, 63, 64, 64, 65, 96, 128];
/// Counts of loops that are nested or divide a length.
const FACTORS: &[u64] = &[
    2,
    3,
    4,
    5,
    7,
    256,
    65_535,
    65_536,
    0x7fff_ffff,
    0xffff_ffff,
    1 << 32,
    (1 << 63) - 1,
    1 << 63,
    u64::MAX,
];
/// How deep languages of long words are nested.
const MAX_DEPTH: u32 = 3;
/// Loops of more repetitions are too many for solvers that unroll them.
const MAX_UNROLLED: u64 = 200;

impl Generator {
    /// A number near the end of a machine word, or beyond.
    pub(super) fn huge_number(&mut self) -> IBig {
        let exponent = *EXPONENTS.choose(&mut self.rng).expect("not empty");
        (IBig::ONE << exponent) + IBig::from(self.rng.random_range(-2..=2))
    }

    /// A number for a loop, which is not always huge.
    pub(super) fn loop_count(&mut self) -> IBig {
        if self.rng.random_bool(0.5) { IBig::from(self.rng.random_range(0..4)) } else { self.huge_number() }
    }

    fn index(&mut self, number: &IBig) -> Index {
        match u64::try_from(number) {
            Ok(number) => Index::Number(number),
            Err(_) => Index::Text(self.terms.symbols.intern(&number.to_string())),
        }
    }

    /// A loop with counts of any size.
    pub(super) fn repeated(&mut self, op: Op, counts: &[IBig], language: Term) -> Term {
        let indices: Vec<Index> = counts.iter().map(|count| self.index(count)).collect();
        self.terms.apply(op, &indices, &[language]).expect("a loop takes a language")
    }

    /// A formula about words of one letter, of lengths that are planted.
    pub(super) fn long_words(mut self) -> Formula {
        let mut formula = Formula { declarations: Vec::new(), assertions: Vec::new(), plant: Vec::new() };
        let mut len = self.huge_number();
        while self.rng.random_bool(0.4) {
            len *= IBig::from(*FACTORS.choose(&mut self.rng).expect("not empty"));
        }
        let word = self.declare_word("x", &len, &mut formula);
        self.say_length(word, &len, &mut formula);
        if self.rng.random_bool(0.3) {
            let first_len =
                if self.rng.random_bool(0.5) { self.huge_number().min(len.clone()) } else { IBig::ONE };
            let parts = [("y", first_len.clone()), ("z", len - first_len)].map(|(name, len)| {
                let part = self.declare_word(name, &len, &mut formula);
                self.say_length(part, &len, &mut formula);
                part
            });
            let both = apply(&mut self.terms, Op::StrConcat, &parts);
            let equation = apply(&mut self.terms, Op::Eq, &[word, both]);
            formula.assertions.push(term_text(&mut self.terms, equation));
        }
        formula
    }

    fn declare_word(&mut self, name: &str, len: &IBig, formula: &mut Formula) -> Term {
        formula.declarations.push(format!("(declare-const {name} String)"));
        formula.plant.push(format!("{name} = {len} times the letter a"));
        let symbol = self.terms.symbols.intern(name);
        self.terms.constant(symbol, Sort::STRING)
    }

    /// Asserts some of what is true of the word of so many letters.
    fn say_length(&mut self, word: Term, len: &IBig, formula: &mut Formula) {
        for _ in 0..self.rng.random_range(1..=3) {
            let term = match self.rng.random_range(0..8) {
                0..=4 => {
                    let depth = self.rng.random_range(0..=MAX_DEPTH);
                    let language = self.language_with(len, depth);
                    apply(&mut self.terms, Op::StrInRe, &[word, language])
                }
                5 => {
                    let length = build::len(&mut self.terms, word);
                    let other = self.other_number(len);
                    let other = literal::int(&mut self.terms, &other);
                    let equation = apply(&mut self.terms, Op::Eq, &[length, other]);
                    apply(&mut self.terms, Op::Not, &[equation])
                }
                6 => {
                    let length = build::len(&mut self.terms, word);
                    let divisor = IBig::from(*FACTORS.choose(&mut self.rng).expect("not empty"));
                    let remainder = literal::int(&mut self.terms, &(len % &divisor));
                    let divisor = literal::int(&mut self.terms, &divisor);
                    let found = apply(&mut self.terms, Op::Mod, &[length, divisor]);
                    apply(&mut self.terms, Op::Eq, &[found, remainder])
                }
                _ => {
                    let length = build::len(&mut self.terms, word);
                    let other = self.other_number(len);
                    let op = if other < *len { Op::Gt } else { Op::Le };
                    let other = literal::int(&mut self.terms, &other);
                    apply(&mut self.terms, op, &[length, other])
                }
            };
            formula.assertions.push(term_text(&mut self.terms, term));
        }
    }

    /// A number that is not this one, near it or far away.
    fn other_number(&mut self, number: &IBig) -> IBig {
        let other = match self.rng.random_range(0..3) {
            0 => number + IBig::ONE,
            1 => number - IBig::ONE,
            _ => self.huge_number(),
        };
        if other == *number || other < IBig::ZERO { number + IBig::ONE } else { other }
    }

    /// A language with the word of so many letters `a`. Recursion is as deep as asked for.
    fn language_with(&mut self, len: &IBig, depth: u32) -> Term {
        if *len == IBig::ZERO {
            let word = self.terms.literal(Literal::Str, "", Sort::STRING);
            return apply(&mut self.terms, Op::StrToRe, &[word]);
        }
        if depth == 0 {
            return self.plain_language_with(len);
        }
        let below = depth - 1;
        let factor = IBig::from(*FACTORS.choose(&mut self.rng).expect("not empty"));
        match self.rng.random_range(0..10) {
            0..=2 => {
                let (rounds, rest) = len.div_rem(&factor);
                let body = self.language_with(&rounds, below);
                let repeated = self.repeated(Op::RePower, &[factor], body);
                self.followed_by(repeated, &rest, below)
            }
            3 => {
                let (rounds, rest) = len.div_rem(&factor);
                let body = self.language_with(&rounds, below);
                // No factor is smaller than 2.
                let less = &factor - IBig::from(self.rng.random_range(0..=2));
                let more = &factor + IBig::from(self.rng.random_range(0..=2));
                let repeated = self.repeated(Op::ReLoop, &[less, more], body);
                self.followed_by(repeated, &rest, below)
            }
            4 | 5 => {
                let body = self.language_with(&factor, below);
                let op = if factor <= *len && self.rng.random_bool(0.5) { Op::RePlus } else { Op::ReStar };
                let repeated = apply(&mut self.terms, op, &[body]);
                self.followed_by(repeated, &(len % &factor), below)
            }
            6 => {
                let first = self.huge_number().min(len.clone());
                let both = [self.language_with(&first, below), self.language_with(&(len - first), below)];
                apply(&mut self.terms, Op::ReConcat, &both)
            }
            7 => {
                let both = [self.language_with(len, below), self.language_with(len, below)];
                apply(&mut self.terms, Op::ReInter, &both)
            }
            8 => {
                let other = self.other_number(len);
                let both = [self.language_with(len, below), self.language_with(&other, below)];
                apply(&mut self.terms, Op::ReUnion, &both)
            }
            _ => {
                // Words of one length are none of another.
                let other = self.other_number(len);
                let letter = self.letter();
                let removed = self.repeated(Op::RePower, &[other], letter);
                let language = self.language_with(len, below);
                apply(&mut self.terms, Op::ReDiff, &[language, removed])
            }
        }
    }

    fn followed_by(&mut self, language: Term, rest: &IBig, depth: u32) -> Term {
        if *rest == IBig::ZERO {
            return language;
        }
        let rest = self.language_with(rest, depth);
        apply(&mut self.terms, Op::ReConcat, &[language, rest])
    }

    fn plain_language_with(&mut self, len: &IBig) -> Term {
        let letter = self.letter();
        match self.rng.random_range(0..6) {
            0 => apply(&mut self.terms, Op::ReStar, &[letter]),
            1 => apply(&mut self.terms, Op::RePlus, &[letter]),
            2 => {
                let less = self.other_number(len).min(len.clone());
                let more = self.other_number(len).max(len.clone());
                self.repeated(Op::ReLoop, &[less, more], letter)
            }
            _ => self.repeated(Op::RePower, std::slice::from_ref(len), letter),
        }
    }

    /// A language of words of one letter, `a` among them.
    fn letter(&mut self) -> Term {
        match self.rng.random_range(0..4) {
            0 => apply(&mut self.terms, Op::ReAllChar, &[]),
            1 => {
                let ends = ["a", "c"].map(|end| self.terms.literal(Literal::Str, end, Sort::STRING));
                apply(&mut self.terms, Op::ReRange, &ends)
            }
            _ => {
                let word = self.terms.literal(Literal::Str, "a", Sort::STRING);
                apply(&mut self.terms, Op::StrToRe, &[word])
            }
        }
    }
}

/// Whether a text has loops that a solver which unrolls them will not get through.
pub fn has_long_loops(text: &str) -> bool {
    ["(_ re.loop ", "(_ re.^ "].iter().any(|loop_head| {
        text.match_indices(loop_head).any(|(start, _)| {
            let counts = &text[start + loop_head.len()..];
            let counts = counts.split(')').next().unwrap_or_default().split(' ');
            counts.into_iter().any(|count| count.parse::<u64>().map_or(true, |count| count > MAX_UNROLLED))
        })
    })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use smelt_semantics::Budget;
    use smelt_semantics::environment::Environment;
    use smelt_semantics::eval::Evaluator;
    use smelt_semantics::model::Model;
    use smelt_semantics::value::Value;

    use super::*;
    use crate::string_crosscheck::formula::Kind;

    #[test]
    fn languages_have_the_word_that_they_are_made_for() {
        let mut decided = 0;
        for seed in 0..400 {
            let mut generator = Generator::new(Kind::Planted, Xoshiro256PlusPlus::seed_from_u64(seed)).huge();
            let len = generator.rng.random_range(0..12usize);
            let language = generator.language_with(&IBig::from(len), 3);
            let word = generator.terms.literal(Literal::Str, &"a".repeat(len), Sort::STRING);
            let is_in = apply(&mut generator.terms, Op::StrInRe, &[word, language]);
            let (environment, model) = (Environment::default(), Model::new());
            let mut evaluator = Evaluator::new(&generator.terms, &environment, &model);
            evaluator.budget = Budget::new(1_000_000);
            if let Ok(value) = evaluator.eval(is_in) {
                assert_eq!(value, Value::Bool(true), "{}", term_text(&mut generator.terms, is_in));
                decided += 1;
            }
        }
        assert!(decided > 200, "{decided}");
    }

    #[test]
    fn loops_are_told_by_their_counts() {
        assert!(has_long_loops("(assert (str.in_re x ((_ re.loop 0 201) re.allchar)))"));
        assert!(has_long_loops("((_ re.^ 2) ((_ re.^ 99999999999999999999999) re.allchar))"));
        assert!(!has_long_loops("((_ re.^ 200) ((_ re.loop 1 2) re.allchar)) (= i 4294967296)"));
    }
}

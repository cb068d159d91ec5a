//! Families of formulas that grow with a number.

use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Literal, Term, Terms};

use crate::random::Random;
use crate::random_formula::{Knobs, Weights, random_script};

/// A family of formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// A word is the concatenation of constants, each in the second argument of the one before: as deep as the size.
    ConcatsDeep,
    /// A word is a full binary tree of concatenations, as deep as the size.
    ConcatsBalanced,
    /// Deep concatenations, and single characters of some of the constants.
    ConcatsExtracts,
    /// `a ++ x = x ++ b` with a concatenation of as many constants as the size for `x`.
    Overlaps,
    /// As many constants as the size, with given lengths.
    Lengths,
    /// The same with given lengths of concatenations of two.
    LengthsConcats,
    /// One constant equals as many concatenations as the size, each with a prefix and a suffix of its own.
    Equality,
    /// One constant is in as many regular languages as the size, or not.
    Regex,
    /// One constant is in a regular language and not in another that differs in one word.
    RegexPair,
    /// Two deep concatenations that begin with different characters are equal.
    DifferentPrefix,
    /// A concatenation of constants equals a literal with arbitrary characters.
    RandomText,
    /// Random assertions over all operators.
    RandomAst,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 12] = [
        Family::ConcatsDeep,
        Family::ConcatsBalanced,
        Family::ConcatsExtracts,
        Family::Overlaps,
        Family::Lengths,
        Family::LengthsConcats,
        Family::Equality,
        Family::Regex,
        Family::RegexPair,
        Family::DifferentPrefix,
        Family::RandomText,
        Family::RandomAst,
    ];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Family::ConcatsDeep => "concats-deep",
            Family::ConcatsBalanced => "concats-balanced",
            Family::ConcatsExtracts => "concats-extracts",
            Family::Overlaps => "overlaps",
            Family::Lengths => "lengths",
            Family::LengthsConcats => "lengths-concats",
            Family::Equality => "equality",
            Family::Regex => "regex",
            Family::RegexPair => "regex-pair",
            Family::DifferentPrefix => "different-prefix",
            Family::RandomText => "random-text",
            Family::RandomAst => "random-ast",
        }
    }
}

/// How large a formula is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The number that the formula grows with; what it counts depends on the family.
    pub size: u32,
    /// How long literals are; a bound for lengths that are given.
    pub literal_length: u32,
    /// The operators of random assertions.
    pub weights: Weights,
}

/// Balanced trees are no deeper: they double with each level.
const MAX_BALANCED_DEPTH: u32 = 14;
/// Regular expressions and random assertions are at most so deep.
const MAX_TERM_DEPTH: u32 = 6;
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Makes a formula of a family: declarations, assertions, and one check.
pub fn generate(terms: &mut Terms, family: Family, settings: &Settings, random: &mut Random) -> Script {
    let mut making = Making { terms, settings, random, declared: Vec::new(), asserted: Vec::new() };
    match family {
        Family::ConcatsDeep => making.concats_deep(),
        Family::ConcatsBalanced => making.concats_balanced(),
        Family::ConcatsExtracts => making.concats_extracts(),
        Family::Overlaps => making.overlaps(),
        Family::Lengths => making.lengths(false),
        Family::LengthsConcats => making.lengths(true),
        Family::Equality => making.equality(),
        Family::Regex => making.regex(),
        Family::RegexPair => making.regex_pair(),
        Family::DifferentPrefix => making.different_prefix(),
        Family::RandomText => making.random_text(),
        Family::RandomAst => return making.random_ast(),
    }
    let Making { declared, asserted, .. } = making;
    let mut script = Script::default();
    declared.into_iter().for_each(|command| script.push(command));
    asserted.into_iter().for_each(|term| script.push(Command::Assert(term)));
    script.push(Command::CheckSat);
    script
}

/// A formula while it is made.
struct Making<'m> {
    terms: &'m mut Terms,
    settings: &'m Settings,
    random: &'m mut Random,
    declared: Vec<Command>,
    asserted: Vec<Term>,
}

impl Making<'_> {
    fn concats_deep(&mut self) {
        let whole = self.constant();
        let concat = self.deep(self.settings.size);
        self.assert_equal(whole, concat);
        let solution = self.word();
        self.assert_equal(whole, solution);
    }

    fn concats_balanced(&mut self) {
        let whole = self.constant();
        let leaves = 1_usize << self.settings.size.min(MAX_BALANCED_DEPTH);
        let mut level: Vec<Term> = (0..leaves).map(|_| self.constant()).collect();
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| self.terms_apply(Op::StrConcat, pair)).collect();
        }
        self.assert_equal(whole, level[0]);
        let solution = self.word();
        self.assert_equal(whole, solution);
    }

    fn concats_extracts(&mut self) {
        let whole = self.constant();
        let first = self.declared.len();
        let concat = self.deep(self.settings.size);
        self.assert_equal(whole, concat);
        let mut parts = self.declared[first..].to_vec();
        for _ in 0..parts.len().div_ceil(2) {
            let Some(Command::DeclareConst(name, sort)) = self.random.take(&mut parts) else { break };
            let part = self.terms.constant(name, sort);
            let bound = u64::from(self.settings.literal_length.max(1));
            let index = self.random.below(bound);
            let index = self.number(index);
            let at = self.terms_apply(Op::StrAt, &[part, index]);
            let letter = self.random_word(1);
            self.assert_equal(at, letter);
        }
    }

    fn overlaps(&mut self) {
        let middle = self.deep(self.settings.size.saturating_sub(1));
        let (left, right) = (self.word(), self.word());
        let left = self.terms_apply(Op::StrConcat, &[left, middle]);
        let right = self.terms_apply(Op::StrConcat, &[middle, right]);
        self.assert_equal(left, right);
    }

    fn lengths(&mut self, with_concats: bool) {
        let bound = u64::from(self.settings.literal_length) + 1;
        let mut constants: Vec<(Term, u64)> =
            (0..self.settings.size).map(|_| (self.constant(), self.random.below(bound))).collect();
        for (constant, length) in constants.clone() {
            self.assert_length(constant, length);
        }
        if !with_concats {
            return;
        }
        while constants.len() >= 2 {
            let Some((first, first_length)) = self.random.take(&mut constants) else { return };
            let Some((second, second_length)) = self.random.take(&mut constants) else { return };
            let concat = self.terms_apply(Op::StrConcat, &[first, second]);
            self.assert_length(concat, first_length + second_length);
        }
    }

    fn equality(&mut self) {
        const PARTS: usize = 3;
        let whole = self.constant();
        for _ in 0..self.settings.size {
            let mut parts = vec![self.word()];
            for _ in 0..PARTS {
                parts.push(if self.random.one_in(4) { self.word() } else { self.constant() });
            }
            parts.push(self.word());
            let concat = self.right_nested(&parts);
            self.assert_equal(whole, concat);
        }
    }

    fn regex(&mut self) {
        let matched = self.constant();
        for _ in 0..self.settings.size {
            let language = self.language();
            let member = self.terms_apply(Op::StrInRe, &[matched, language]);
            let is_member = self.random.one_in(2);
            let asserted = if is_member { member } else { self.terms_apply(Op::Not, &[member]) };
            self.asserted.push(asserted);
        }
        let length = self.terms_apply(Op::StrLen, &[matched]);
        let least = self.number(u64::from(self.settings.literal_length));
        let bound = self.terms_apply(Op::Le, &[least, length]);
        self.asserted.push(bound);
    }

    fn regex_pair(&mut self) {
        let matched = self.constant();
        let mut parts: Vec<Term> = (0..self.settings.size.max(1)).map(|_| self.language()).collect();
        let first = self.joined(&parts);
        let changed = self.random.position(parts.len());
        parts[changed] = self.language();
        let second = self.joined(&parts);
        for (language, is_member) in [(first, true), (second, false)] {
            let member = self.terms_apply(Op::StrInRe, &[matched, language]);
            let asserted = if is_member { member } else { self.terms_apply(Op::Not, &[member]) };
            self.asserted.push(asserted);
        }
    }

    fn different_prefix(&mut self) {
        let sides: Vec<Term> = ["a", "b"]
            .into_iter()
            .map(|letter| {
                let first = self.terms.literal(Literal::Str, letter, Sort::STRING);
                let rest = self.deep(self.settings.size);
                self.terms_apply(Op::StrConcat, &[first, rest])
            })
            .collect();
        self.assert_equal(sides[0], sides[1]);
    }

    fn random_text(&mut self) {
        let concat = self.deep(self.settings.size);
        let length = self.settings.literal_length as usize;
        // Characters of one byte, so that older solvers can read them, but for the one that dialects read differently.
        let backslash = u32::from(b'\\');
        let letter = |code: u32| if code == backslash { 0 } else { code };
        let codes: Vec<u32> = (0..length).map(|_| letter(self.random.below(256) as u32)).collect();
        let text = self.literal(codes);
        self.assert_equal(concat, text);
    }

    fn random_ast(self) -> Script {
        let knobs = Knobs {
            literal_length: self.settings.literal_length,
            variables: self.settings.size.clamp(1, 20),
            assertions: self.settings.size,
            depth: 4,
            weights: self.settings.weights.clone(),
        };
        random_script(self.terms, &knobs, self.random)
    }

    /// A concatenation of constants with so many operators, each in the second argument of the one before.
    fn deep(&mut self, depth: u32) -> Term {
        let parts: Vec<Term> = (0..=depth).map(|_| self.constant()).collect();
        self.right_nested(&parts)
    }

    fn right_nested(&mut self, parts: &[Term]) -> Term {
        let (last, others) = parts.split_last().expect("a concatenation has parts");
        others.iter().rev().fold(*last, |rest, part| self.terms_apply(Op::StrConcat, &[*part, rest]))
    }

    /// A concatenation of languages.
    fn joined(&mut self, parts: &[Term]) -> Term {
        match parts {
            [one] => *one,
            _ => self.terms_apply(Op::ReConcat, parts),
        }
    }

    /// A random concatenation of two regular expressions.
    fn language(&mut self) -> Term {
        let depth = 1 + self.random.below(u64::from(MAX_TERM_DEPTH / 2)) as u32;
        let parts = [self.star_term(depth), self.star_term(depth)];
        self.joined(&parts)
    }

    /// A regular expression of words, stars, pluses and unions, grown from its words upwards.
    fn star_term(&mut self, depth: u32) -> Term {
        let words = 1 << self.random.below(u64::from(depth) + 1);
        let mut level: Vec<Term> = (0..words)
            .map(|_| {
                let word = self.word();
                self.terms_apply(Op::StrToRe, &[word])
            })
            .collect();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| match (pair, self.random.below(3)) {
                    ([one], _) => *one,
                    (pair, 0) => self.terms_apply(Op::ReConcat, pair),
                    (pair, _) => self.terms_apply(Op::ReUnion, pair),
                })
                .collect();
        }
        let op = if self.random.one_in(2) { Op::ReStar } else { Op::RePlus };
        self.terms_apply(op, &[level[0]])
    }

    fn assert_equal(&mut self, first: Term, second: Term) {
        let equal = self.terms_apply(Op::Eq, &[first, second]);
        self.asserted.push(equal);
    }

    fn assert_length(&mut self, word: Term, length: u64) {
        let actual = self.terms_apply(Op::StrLen, &[word]);
        let given = self.number(length);
        self.assert_equal(actual, given);
    }

    fn terms_apply(&mut self, op: Op, args: &[Term]) -> Term {
        self.terms.apply(op, &[], args).expect("families apply operators to arguments of their sorts")
    }

    /// Declares one more constant of sort String.
    fn constant(&mut self) -> Term {
        let name = self.terms.symbols.intern(&format!("x{}", self.declared.len()));
        self.declared.push(Command::DeclareConst(name, Sort::STRING));
        self.terms.constant(name, Sort::STRING)
    }

    fn number(&mut self, number: u64) -> Term {
        self.terms.literal(Literal::Numeral, &number.to_string(), Sort::INT)
    }

    /// A literal as long as the settings say.
    fn word(&mut self) -> Term {
        self.random_word(self.settings.literal_length as usize)
    }

    fn random_word(&mut self, length: usize) -> Term {
        let codes = (0..length).map(|_| u32::from(LETTERS[self.random.position(LETTERS.len())])).collect();
        self.literal(codes)
    }

    fn literal(&mut self, codes: Vec<u32>) -> Term {
        super::transform::literal(self.terms, codes)
    }
}

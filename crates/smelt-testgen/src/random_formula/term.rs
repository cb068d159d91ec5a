//! Growing terms of a sort, level by level.

use smelt_smtlib::op::{Attribute, Op, SortPattern};
use smelt_smtlib::print::term_text;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Literal, Term, Terms};

use super::weights::signature;
use super::{Knobs, MAX_DEPTH};
use crate::operators::{draw_indices, param, wants_literals};
use crate::random::Random;

/// An associative operator gets three arguments once in so many draws.
const THREE_ARGUMENTS_ONE_IN: u64 = 6;
/// A leaf is a literal once in so many draws: what has literals only is decided by looking.
const LITERAL_ONE_IN: u64 = 4;
/// A string literal is empty once in so many draws.
const EMPTY_ONE_IN: u64 = 16;
/// A literal has few different characters once in so many draws, so that literals overlap.
const FEW_LETTERS_ONE_IN: u64 = 2;

const FEW_LETTERS: &[u8] = b"ab01";
const LETTERS: &[u8] =
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 +-*/=<>()[]{}.,:;!?#$%&@^_~|";

/// What is compared by operators that compare values of any sort; truth values last, because they take more levels.
const OPEN_SORTS: [Sort; 5] = [Sort::STRING, Sort::STRING, Sort::STRING, Sort::INT, Sort::BOOL];

/// Whether the arguments of an operator are literals in the formulas that we grow.
///
/// Words that are not literals make a regular expression depend on the model, which most solvers refuse.
pub(super) fn takes_literals(op: Op) -> bool {
    wants_literals(op) || op == Op::StrToRe
}

/// What there is to grow terms with.
pub(crate) struct Grower<'g> {
    pub terms: &'g mut Terms,
    pub knobs: &'g Knobs,
    /// The constants that may be used, of any of the sorts.
    pub constants: &'g [Term],
    pub random: &'g mut Random,
}

impl Grower<'_> {
    /// A formula to be asserted.
    pub(crate) fn assertion(&mut self) -> Term {
        self.term(Sort::BOOL, self.knobs.depth.max(2))
    }

    /// A term with so many levels, or fewer if operators of its sort have no weight.
    pub(crate) fn term(&mut self, sort: Sort, depth: u32) -> Term {
        let depth = depth.min(MAX_DEPTH);
        if depth > 1 {
            let weights = self.knobs.weights.iter();
            let mut candidates: Vec<(Op, u32)> = weights
                .filter(|(op, _)| {
                    signature(self.terms, *op, sort).is_some_and(|signature| {
                        // Truth values say nothing: where there is no room for an atom there is none for a connective.
                        let has_truth = signature.params.contains(&SortPattern::Fixed(Sort::BOOL));
                        !signature.params.is_empty() && (depth > 2 || !has_truth)
                    })
                })
                .collect();
            while let Some(op) = self.draw(&mut candidates) {
                if let Some(term) = self.application(op, sort, depth - 1, &mut Vec::new()) {
                    return term;
                }
            }
        }
        self.leaf(sort)
    }

    /// Takes one of the operators out by their weights.
    fn draw(&mut self, candidates: &mut Vec<(Op, u32)>) -> Option<Op> {
        let total: u64 = candidates.iter().map(|(_, weight)| u64::from(*weight)).sum();
        if total == 0 {
            return None;
        }
        let mut left = self.random.below(total);
        let place = candidates.iter().position(|(_, weight)| {
            let is_here = left < u64::from(*weight);
            left = left.saturating_sub(u64::from(*weight));
            is_here
        })?;
        Some(candidates.remove(place).0)
    }

    /// An application of an operator to arguments of at most so many levels, one of them exactly so many; those in `kept`
    /// come first where they fit.
    pub(crate) fn application(
        &mut self,
        op: Op,
        result: Sort,
        levels: u32,
        kept: &mut Vec<Term>,
    ) -> Option<Term> {
        let info = op.info();
        let signature = signature(self.terms, op, result)?;
        let arity = match info.attribute {
            Attribute::Fixed => signature.params.len(),
            // Some solvers take no more than two.
            _ if matches!(op, Op::StrLt | Op::StrLe) => 2,
            _ => 2 + usize::from(self.random.one_in(THREE_ARGUMENTS_ONE_IN)),
        };
        // No signature has more than one variable for a sort that is open.
        let first_kept = kept.first().map(|term| self.terms.sort(*term));
        let open = match first_kept.filter(|sort| OPEN_SORTS.contains(sort)) {
            _ if op == Op::Ite => result,
            Some(sort) => sort,
            None if levels < 2 => *self.random.choose(&OPEN_SORTS[..OPEN_SORTS.len() - 1])?,
            None => *self.random.choose(&OPEN_SORTS)?,
        };
        let sorts: Vec<Sort> = (0..arity)
            .map(|position| match param(info, signature, position) {
                SortPattern::Fixed(sort) => *sort,
                _ => open,
            })
            .collect();
        let indices = draw_indices(self.terms, op, &sorts, result, self.random)?;
        let deepest = if arity == 0 { 0 } else { self.random.position(arity) };
        let mut args = Vec::with_capacity(arity);
        for (position, sort) in sorts.iter().enumerate() {
            args.push(self.argument(op, *sort, levels, position == deepest, kept));
        }
        if op == Op::ReRange {
            // A range from a later to an earlier letter is empty, and two letters are drawn in either order.
            args.sort_by_key(|letter| term_text(self.terms, *letter));
        }
        self.terms.apply(op, &indices, &args).ok()
    }

    fn argument(&mut self, op: Op, sort: Sort, levels: u32, is_deepest: bool, kept: &mut Vec<Term>) -> Term {
        if op == Op::ReRange {
            return self.letter();
        }
        if takes_literals(op) {
            return self.literal();
        }
        if let Some(place) = kept.iter().position(|term| self.terms.sort(*term) == sort) {
            return kept.remove(place);
        }
        let depth = match levels {
            0 | 1 => 1,
            _ if is_deepest => levels,
            _ => 1 + self.random.below(u64::from(levels)) as u32,
        };
        let least = if sort == Sort::BOOL { 2 } else { 1 };
        self.term(sort, depth.max(least))
    }

    /// A constant or a literal; a word, range or named language for a regular expression.
    fn leaf(&mut self, sort: Sort) -> Term {
        let constants: Vec<Term> =
            self.constants.iter().copied().filter(|term| self.terms.sort(*term) == sort).collect();
        if !self.random.one_in(LITERAL_ONE_IN)
            && let Some(constant) = self.random.choose(&constants)
        {
            return *constant;
        }
        match sort {
            Sort::STRING => self.literal(),
            Sort::INT => self.number(),
            Sort::REG_LAN => self.language(),
            _ => match self.random.choose(&constants) {
                Some(constant) => *constant,
                None => {
                    let value = self.random.one_in(2);
                    self.terms.bool(value)
                }
            },
        }
    }

    /// A regular expression without regular expressions in it.
    fn language(&mut self) -> Term {
        let is_simple = |op: Op| takes_literals(op) || op.info().signatures[0].params.is_empty();
        let weights = self.knobs.weights.iter();
        let mut candidates: Vec<(Op, u32)> = weights
            .filter(|(op, _)| is_simple(*op) && signature(self.terms, *op, Sort::REG_LAN).is_some())
            .collect();
        while let Some(op) = self.draw(&mut candidates) {
            if let Some(term) = self.application(op, Sort::REG_LAN, 1, &mut Vec::new()) {
                return term;
            }
        }
        let word = self.literal();
        self.terms.apply(Op::StrToRe, &[], &[word]).expect("a word is a language")
    }

    /// A string literal.
    pub(crate) fn literal(&mut self) -> Term {
        let longest = u64::from(self.knobs.literal_length);
        let length = match longest == 0 || self.random.one_in(EMPTY_ONE_IN) {
            true => 0,
            false => 1 + self.random.below(longest),
        };
        let letters = if self.random.one_in(FEW_LETTERS_ONE_IN) { FEW_LETTERS } else { LETTERS };
        let text: String =
            (0..length).map(|_| char::from(letters[self.random.position(letters.len())])).collect();
        self.terms.literal(Literal::Str, &text, Sort::STRING)
    }

    /// A number that can be a length of a literal, or a little more.
    pub(crate) fn number(&mut self) -> Term {
        let number = self.random.below(u64::from(self.knobs.literal_length) + 2);
        self.terms.literal(Literal::Numeral, &number.to_string(), Sort::INT)
    }

    /// A string literal with one letter or digit.
    pub(crate) fn letter(&mut self) -> Term {
        const WORDS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let letter = char::from(WORDS[self.random.position(WORDS.len())]);
        self.terms.literal(Literal::Str, letter.encode_utf8(&mut [0; 4]), Sort::STRING)
    }
}

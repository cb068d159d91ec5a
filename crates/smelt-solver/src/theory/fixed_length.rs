//! Decides string constraints when all lengths and all integers are fixed.
//!
//! With lengths known, every variable is a row of *cells* that hold one letter each. Equations unite cells (`cells`), which is
//! linear in the lengths and decides most problems. What remains (disequalities, memberships, searches) becomes a
//! Boolean problem over a compressed alphabet (`symbols`, `gates`, `encode`). A refutation says which constraints it
//! rests on and for which lengths it holds (`lesson`).
//!
//! The interface:
//! - [`Problem`] lists lengths and constraints; the caller has replaced integer terms by their values.
//! - [`solve`] answers with words for all variables, a [`Refutation`], or nothing.
//!
//! The union of cells and the general lesson follow Mora, Berzish, Kulczynski, Nowotka and Ganesh, «Z3str4: a multi-armed
//! string solver», 2021, with the correction that a lesson holds only where the cells that it speaks of exist.

mod cells;
mod conflict;
mod encode;
mod evaluate;
mod gates;
mod minimise;
mod symbols;
#[cfg(test)]
mod tests;
mod unify;

use std::sync::Arc;

use dashu_int::IBig;
use smelt_semantics::{Budget, LimitReached};

use crate::theory::regex::{Occurrences, Re, Regexes};
use cells::Cells;
pub use conflict::{LengthCondition, Refutation, Relation};
pub use evaluate::holds;

/// How much more effort than on a refutation may be spent on making it smaller.
const MINIMISING_EFFORT: u64 = 8;

/// A string variable: an index into [`Problem::lengths`].
pub type Var = u32;

/// One part of a concatenation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Piece {
    /// A variable.
    Var(Var),
    /// A constant.
    Word(Arc<[u32]>),
}

impl Piece {
    /// A constant.
    pub fn word(letters: &[u32]) -> Piece {
        Piece::Word(letters.into())
    }
}

/// A string expression: the concatenation of its pieces.
pub type Text = Vec<Piece>;

/// Which matches are replaced. With all of them, empty matches do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matching {
    /// What matches.
    pub language: Re,
    /// Whether the first match is replaced, or all are.
    pub occurrences: Occurrences,
}

/// A constraint over string expressions and fixed integers.
#[derive(Debug, Clone, PartialEq)]
pub enum Constraint {
    /// Both sides are the same word.
    Equal(Text, Text),
    /// The sides are different words.
    Different(Text, Text),
    /// The word is in the language; for the contrary, use the complement of the language.
    Member(Text, Re),
    /// Whether `whole` begins with `part`.
    Prefix {
        /// The shorter one.
        part: Text,
        /// The longer one.
        whole: Text,
        /// Whether it must or must not.
        holds: bool,
    },
    /// Whether `whole` ends with `part`.
    Suffix {
        /// The shorter one.
        part: Text,
        /// The longer one.
        whole: Text,
        /// Whether it must or must not.
        holds: bool,
    },
    /// Whether `part` occurs in `whole`.
    Contains {
        /// Where to look.
        whole: Text,
        /// What to look for.
        part: Text,
        /// Whether it must or must not occur.
        holds: bool,
    },
    /// `left` comes before `right` in the order of words, or is the same if `or_equal`.
    Less {
        /// The smaller one.
        left: Text,
        /// The larger one.
        right: Text,
        /// Whether they may be the same.
        or_equal: bool,
    },
    /// `result` is the part of `source` from `start` on with at most `count` letters, in the sense of the theory.
    Substr {
        /// The part.
        result: Text,
        /// The whole.
        source: Text,
        /// Where the part begins.
        start: i64,
        /// How long it is at most.
        count: i64,
    },
    /// The first occurrence of `part` in `source` from `start` on is at `result`, in the sense of the theory.
    IndexOf {
        /// The position, or -1.
        result: i64,
        /// Where to look.
        source: Text,
        /// What to look for.
        part: Text,
        /// From where on.
        start: i64,
    },
    /// `result` is `source` with the first occurrence of `part` replaced by `new`.
    Replace {
        /// What comes out.
        result: Text,
        /// Where to look.
        source: Text,
        /// What to look for.
        part: Text,
        /// What to put there.
        new: Text,
    },
    /// `result` is `source` with all occurrences of `part`, from left to right, replaced by `new`.
    ReplaceAll {
        /// What comes out.
        result: Text,
        /// Where to look.
        source: Text,
        /// What to look for.
        part: Text,
        /// What to put there.
        new: Text,
    },
    /// `result` is `source` with matches of a language replaced by `new`, the leftmost and of these the shortest first.
    ReplaceRegex {
        /// What comes out.
        result: Text,
        /// Where to look.
        source: Text,
        /// What to look for.
        matching: Matching,
        /// What to put there.
        new: Text,
    },
    /// The code of the only letter of `text` is `code`; -1 if `text` has not one letter.
    ToCode {
        /// The code or -1.
        code: i64,
        /// The word.
        text: Text,
    },
    /// `result` is the letter with this code, or empty.
    FromCode {
        /// The letter.
        result: Text,
        /// The code.
        code: i64,
    },
    /// The number that the digits of `text` denote is `value`; -1 if `text` is not made of digits.
    ToInt {
        /// The number or -1.
        value: IBig,
        /// The digits.
        text: Text,
    },
    /// `result` is the decimal numeral of `value`, or empty if that is negative.
    FromInt {
        /// The numeral.
        result: Text,
        /// The number.
        value: IBig,
    },
}

impl Constraint {
    /// The string expressions of the constraint.
    pub fn texts(&self) -> Vec<&Text> {
        match self {
            Constraint::Equal(left, right) | Constraint::Different(left, right) => vec![left, right],
            Constraint::Less { left, right, .. } => vec![left, right],
            Constraint::Member(text, _)
            | Constraint::ToCode { text, .. }
            | Constraint::ToInt { text, .. }
            | Constraint::FromCode { result: text, .. }
            | Constraint::FromInt { result: text, .. } => vec![text],
            Constraint::Prefix { part, whole, .. }
            | Constraint::Suffix { part, whole, .. }
            | Constraint::Contains { whole, part, .. } => vec![part, whole],
            Constraint::Substr { result, source, .. } => vec![result, source],
            Constraint::IndexOf { source, part, .. } => vec![source, part],
            Constraint::ReplaceRegex { result, source, new, .. } => vec![result, source, new],
            Constraint::Replace { result, source, part, new }
            | Constraint::ReplaceAll { result, source, part, new } => vec![result, source, part, new],
        }
    }

    /// The variables of the constraint, sorted, without repetition.
    pub fn vars(&self) -> Vec<Var> {
        let pieces = self.texts().into_iter().flatten();
        let mut vars: Vec<Var> = pieces
            .filter_map(|piece| match piece {
                Piece::Var(var) => Some(*var),
                Piece::Word(_) => None,
            })
            .collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }
}

/// Constraints over variables of fixed lengths.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// The length of each variable.
    pub lengths: Vec<u64>,
    /// What must hold, all of it.
    pub constraints: Vec<Constraint>,
}

/// What came of a problem.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Words for all variables that satisfy all constraints.
    Sat(Vec<Vec<u32>>),
    /// No words of these lengths satisfy the constraints; found by complete reasoning.
    Unsat(Refutation),
    /// The budget is spent.
    Unknown,
}

/// Decides the problem within the budget.
pub fn solve(regexes: &mut Regexes, problem: &Problem, budget: &mut Budget) -> Answer {
    let before = budget.remaining();
    match decide(regexes, problem, budget) {
        Ok(Answer::Unsat(refutation)) => {
            // As much effort again as the refutation took, a few times over.
            let spent = before - budget.remaining();
            let granted = spent.saturating_mul(MINIMISING_EFFORT).min(budget.remaining());
            let mut part = Budget::new(granted);
            let refutation = minimise::minimise(regexes, problem, refutation, &mut part);
            // What the part has spent was there to be spent.
            let _ = budget.spend(granted - part.remaining());
            Answer::Unsat(refutation)
        }
        Ok(answer) => answer,
        Err(LimitReached) => Answer::Unknown,
    }
}

fn decide(regexes: &mut Regexes, problem: &Problem, budget: &mut Budget) -> Result<Answer, LimitReached> {
    let mut cells = Cells::new(problem, budget)?;
    let remaining = match unify::unite(regexes, problem, &mut cells, budget)? {
        unify::Unified::Refuted(refutation) => return Ok(Answer::Unsat(refutation)),
        unify::Unified::Open(remaining) => remaining,
    };
    if remaining.is_empty() {
        return Ok(Answer::Sat(cells.words(|_| None)));
    }
    // With a letter of its own for every free class, what differs somewhere differs for sure.
    let candidate = cells.words_of_distinct_letters(problem, regexes);
    let mut is_model = true;
    for &index in &remaining {
        is_model = is_model && holds(&problem.constraints[index], &candidate, regexes, budget)?;
    }
    if is_model {
        return Ok(Answer::Sat(candidate));
    }
    encode::solve(regexes, problem, &mut cells, &remaining, budget)
}

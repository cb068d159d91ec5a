//! Letter counts: what word equations say about how often letters occur.
//!
//! If two words are equal, every letter occurs in both equally often. With one integer |x|_c per variable x and letter c, and the
//! rest of the length for all other letters, each equation gives one linear equation per letter and one for the lengths.
//! After Parikh: the order of letters is forgotten, so this refutes and never solves.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::{Refuted, System, vars_of};
use crate::theory::fixed_length::{Piece, Text, Var};
use crate::theory::regex::progression::gcd;

/// How often letters occur in a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Count {
    /// How often this letter occurs in the variable: at least 0, and together with other letters at most the length.
    Letter(Var, u32),
    /// The length of the variable.
    Length(Var),
}

/// A linear equation between counts: the sum of `factor * count` and `constant` is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountEquation {
    /// The word equation that it follows from.
    pub equation: usize,
    /// Counts, sorted, each once, with factors that are not zero.
    pub terms: Vec<(Count, i64)>,
    /// The constant.
    pub constant: i64,
}

impl CountEquation {
    /// Whether no natural numbers satisfy the equation, as far as signs and divisors tell.
    pub fn is_refuted(&self) -> bool {
        if self.constant == 0 {
            return false;
        }
        let divisor = self.terms.iter().fold(0, |divisor, &(_, factor)| gcd(divisor, factor.unsigned_abs()));
        let signs_agree = |sign: i64| self.terms.iter().all(|&(_, factor)| factor * sign > 0);
        divisor == 0
            || !self.constant.unsigned_abs().is_multiple_of(divisor)
            || signs_agree(self.constant.signum())
    }
}

/// All linear equations between counts that follow from the system: for every letter of its constants, and for lengths.
///
/// The caller adds that counts are at least 0 and that the counts of a variable add up to at most its length.
pub fn count_equations(system: &System) -> Vec<CountEquation> {
    let mut letters: Vec<u32> = Vec::new();
    let mut seen = FxHashSet::default();
    for (left, right) in &system.equations {
        for piece in left.iter().chain(right) {
            if let Piece::Word(word) = piece {
                letters.extend(word.iter().filter(|&&letter| seen.insert(letter)));
            }
        }
    }
    letters.sort_unstable();
    let mut found = Vec::new();
    for (equation, (left, right)) in system.equations.iter().enumerate() {
        found.push(difference(equation, left, right, Count::Length, <[u32]>::len));
        for &letter in &letters {
            let occurrences = |word: &[u32]| word.iter().filter(|&&other| other == letter).count();
            found.push(difference(equation, left, right, |var| Count::Letter(var, letter), occurrences));
        }
    }
    found.retain(|equation| !equation.terms.is_empty() || equation.constant != 0);
    found
}

/// An equation that letter counts alone refute, if there is one.
pub fn refute(system: &System) -> Option<Refuted> {
    let refuted = count_equations(system).into_iter().find(CountEquation::is_refuted)?;
    Some(Refuted { equations: vec![refuted.equation] })
}

fn difference(
    equation: usize,
    left: &Text,
    right: &Text,
    count_of: impl Fn(Var) -> Count,
    count_in: impl Fn(&[u32]) -> usize,
) -> CountEquation {
    let mut factors: BTreeMap<Count, i64> = BTreeMap::new();
    let mut constant = 0;
    for (side, sign) in [(left, 1), (right, -1)] {
        for var in vars_of(side) {
            *factors.entry(count_of(var)).or_insert(0) += sign;
        }
        for piece in side {
            if let Piece::Word(word) = piece {
                constant += sign * count_in(word) as i64;
            }
        }
    }
    let terms = factors.into_iter().filter(|&(_, factor)| factor != 0).collect();
    CountEquation { equation, terms, constant }
}

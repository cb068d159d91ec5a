//! What an inference rests on: literals that are true under the assignment.
//!
//! An inference becomes a clause: the premises are false, or the conclusion is true. A premise is the guard of a fact or
//! a condition on lengths and integers, so the clause holds in every model.

use crate::theory::search::Literal;

/// Literals that are true under the assignment; sorted, without repetitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Premises(Vec<Literal>);

impl Premises {
    /// One literal.
    pub(super) fn of(literal: Literal) -> Premises {
        Premises(vec![literal])
    }

    /// Rests on these, too.
    pub(super) fn add(&mut self, other: &Premises) {
        self.0.extend_from_slice(&other.0);
        self.normalise();
    }

    /// Rests on this literal, too.
    pub(super) fn push(&mut self, literal: Literal) {
        self.0.push(literal);
        self.normalise();
    }

    /// Both together.
    pub(super) fn and(&self, other: &Premises) -> Premises {
        let mut both = self.clone();
        both.add(other);
        both
    }

    /// The clause that one of the conclusions follows.
    pub(super) fn imply(&self, conclusions: &[Literal]) -> Vec<Literal> {
        let mut clause: Vec<Literal> =
            self.0.iter().map(|literal| !*literal).chain(conclusions.iter().copied()).collect();
        clause.sort_unstable();
        clause.dedup();
        clause
    }

    fn normalise(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }
}

//! Systems of word equations as a whole.
//!
//! - `counts`: how often each letter occurs must agree on both sides. As linear equations for the arithmetic solver, and as a
//!   cheap refutation of single equations.
//! - `equation`: equations as rows of symbols, stripped at both ends.
//! - `nielsen`: Nielsen's transformation as a search with memory: decides *quadratic* systems, in which every variable
//!   occurs at most twice, and many others.

pub mod counts;
mod equation;
mod nielsen;
#[cfg(test)]
mod tests;

pub use nielsen::{is_quadratic, solve};

use crate::theory::fixed_length::{Text, Var};

/// Word equations that must hold together.
#[derive(Debug, Clone, Default)]
pub struct System {
    /// How many variables there are; they are numbered from 0.
    pub var_count: u32,
    /// The two sides of each equation.
    pub equations: Vec<(Text, Text)>,
}

/// What came of a system.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A word for each variable.
    Sat(Vec<Vec<u32>>),
    /// There is no solution.
    Unsat(Refuted),
    /// The budget is spent.
    Unknown,
}

/// A proof that some equations have no common solution. Only complete reasoning makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refuted {
    equations: Vec<usize>,
}

impl Refuted {
    /// The equations that have no common solution, as indices, ascending.
    pub fn equations(&self) -> &[usize] {
        &self.equations
    }
}

/// The variables of a text.
pub(crate) fn vars_of(text: &Text) -> impl Iterator<Item = Var> + '_ {
    text.iter().filter_map(|piece| match piece {
        crate::theory::fixed_length::Piece::Var(var) => Some(*var),
        crate::theory::fixed_length::Piece::Word(_) => None,
    })
}

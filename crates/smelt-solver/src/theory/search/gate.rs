//! Names for Boolean combinations of literals.

use super::Literal;

/// A Boolean combination of literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gate {
    /// One of them is true.
    Or(Vec<Literal>),
    /// Both are true or both are false.
    Iff(Literal, Literal),
    /// The second if the first is true, otherwise the third.
    Ite(Literal, Literal, Literal),
}

impl Gate {
    /// What it is made of.
    pub fn literals(&self) -> Vec<Literal> {
        match self {
            Gate::Or(literals) => literals.clone(),
            Gate::Iff(left, right) => vec![*left, *right],
            Gate::Ite(condition, then, otherwise) => vec![*condition, *then, *otherwise],
        }
    }

    /// The clauses that make a literal true if and only if the combination is.
    pub fn clauses(&self, name: Literal) -> Vec<Vec<Literal>> {
        match self {
            Gate::Or(literals) => {
                let mut clauses: Vec<Vec<Literal>> =
                    literals.iter().map(|literal| vec![name, !*literal]).collect();
                clauses.push(literals.iter().copied().chain([!name]).collect());
                clauses
            }
            Gate::Iff(left, right) => vec![
                vec![!name, !*left, *right],
                vec![!name, *left, !*right],
                vec![name, *left, *right],
                vec![name, !*left, !*right],
            ],
            Gate::Ite(condition, then, otherwise) => vec![
                vec![!name, !*condition, *then],
                vec![!name, *condition, *otherwise],
                vec![name, !*condition, !*then],
                vec![name, *condition, !*otherwise],
            ],
        }
    }
}

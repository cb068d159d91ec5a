//! Additions to an abstraction while the search goes on: further terms, and facts that follow from others.
//!
//! What is added counts in every later round in which its guard is true.

use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::Abstraction;
use super::facts::Shape;
use crate::theory::arith::{IntVar, Linear};
use crate::theory::fixed_length::{Piece, Text, Var};
use crate::theory::search::Literal;

impl Abstraction {
    /// Adds a fact that belongs to no term and counts whenever its guard is true.
    pub(crate) fn derive_fact(&mut self, guard: Literal, shape: Shape) -> usize {
        let position = self.push_fact(guard, shape);
        self.derived.push(position);
        position
    }

    /// Lets a constant of the arena stand for a string variable.
    pub(crate) fn name_string(&mut self, term: Term, var: Var) {
        self.texts.insert(term, vec![Piece::Var(var)]);
    }

    /// Lets a constant of the arena stand for an integer variable.
    pub(crate) fn name_integer(&mut self, term: Term, variable: IntVar) {
        self.integers.insert(term, Linear::variable(variable));
    }

    /// Adds a term and gives meaning to all that is new in it.
    pub(crate) fn extend(&mut self, terms: &Terms, root: Term) {
        for term in subterms(terms, &[root]) {
            let is_known = match terms.sort(term) {
                Sort::BOOL => self.literals.contains_key(&term),
                Sort::INT => self.integers.contains_key(&term),
                Sort::STRING => self.texts.contains_key(&term),
                _ => true,
            };
            if !is_known {
                self.add_term(terms, term);
                let facts = self.facts_of(term).to_vec();
                self.derived.extend(facts);
            }
        }
    }

    /// The text of a string term that was added.
    pub(crate) fn text(&self, term: Term) -> &Text {
        &self.texts[&term]
    }

    /// The linear form of an integer term that was added.
    pub(crate) fn linear(&self, term: Term) -> &Linear {
        &self.integers[&term]
    }
}

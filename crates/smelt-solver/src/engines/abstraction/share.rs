//! What an engine has learned, as clauses over the constants of the input, for the engines that come next.
//!
//! A lesson is a clause over guards of constraints and linear atoms. It can be told if all of these speak of terms of the
//! input: then the clause is a term that the input implies, whichever way the next engine sees the input. Lessons about parts
//! that an engine made up cannot be told.

use rustc_hash::FxHashMap;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

use super::Abstraction;
use crate::theory::arith::{IntVar, Linear};
use crate::theory::fixed_length::Piece;
use crate::theory::search::Literal;

/// Longer clauses are not told: they exclude little.
const MAX_LITERALS: usize = 12;

/// What literals and integer variables stand for in the input.
#[derive(Default)]
pub(crate) struct Meanings {
    /// Terms by the variable of their literal, with the sign.
    booleans: FxHashMap<usize, (Term, bool)>,
    integers: FxHashMap<IntVar, Term>,
}

/// A literal of a lesson, as far as its meaning is known without the search.
pub(crate) enum Said {
    /// The guard of a constraint is false.
    Not(Literal),
    /// A linear term is not zero.
    NotZero(Linear),
    /// A linear term is negative.
    Negative(Linear),
}

impl Meanings {
    /// The meanings of what an abstraction began with.
    pub(crate) fn of(abstraction: &Abstraction, terms: &mut Terms) -> Meanings {
        let mut meanings = Meanings::default();
        let mut booleans: Vec<(Term, Literal)> =
            abstraction.literals.iter().map(|(term, literal)| (*term, *literal)).collect();
        // Of several terms with one literal the first is taken, so that nothing depends on the order of a table.
        booleans.sort_unstable_by_key(|(term, _)| *term);
        for (term, literal) in booleans {
            meanings.booleans.entry(literal.variable()).or_insert((term, literal.is_positive()));
        }
        let mut texts: Vec<(Term, IntVar)> = Vec::new();
        for (term, text) in &abstraction.texts {
            if let [Piece::Var(var)] = text.as_slice() {
                texts.push((*term, abstraction.lengths[*var as usize]));
            }
        }
        texts.sort_unstable_by_key(|(term, _)| *term);
        for (term, length) in texts {
            let length_term = build::len(terms, term);
            meanings.integers.entry(length).or_insert(length_term);
        }
        let mut integers: Vec<(Term, IntVar)> = Vec::new();
        for (term, linear) in &abstraction.integers {
            if let Some(variable) = linear.as_variable() {
                integers.push((*term, variable));
            }
        }
        integers.sort_unstable_by_key(|(term, _)| *term);
        for (term, variable) in integers {
            meanings.integers.entry(variable).or_insert(term);
        }
        meanings
    }

    /// The clause as a term; none if it speaks of something that is not in the input, or is too long.
    pub(crate) fn clause(&self, terms: &mut Terms, said: &[Said]) -> Option<Term> {
        if said.len() > MAX_LITERALS {
            return None;
        }
        let mut disjuncts = Vec::with_capacity(said.len());
        for literal in said {
            disjuncts.push(match literal {
                Said::Not(guard) => {
                    let (term, sign) = *self.booleans.get(&guard.variable())?;
                    if sign == guard.is_positive() { build::not(terms, term) } else { term }
                }
                Said::NotZero(sum) => {
                    let (sum, zero) = (self.sum(terms, sum)?, zero(terms));
                    let is_zero = build::eq(terms, sum, zero);
                    build::not(terms, is_zero)
                }
                Said::Negative(sum) => {
                    let (sum, zero) = (self.sum(terms, sum)?, zero(terms));
                    build::apply(terms, Op::Lt, &[sum, zero])
                }
            });
        }
        Some(build::or(terms, &disjuncts))
    }

    fn sum(&self, terms: &mut Terms, linear: &Linear) -> Option<Term> {
        let mut summands = vec![literal::int(terms, &linear.constant_part().to_big())];
        for (variable, factor) in linear.terms() {
            let term = *self.integers.get(variable)?;
            let factor = literal::int(terms, &factor.to_big());
            summands.push(build::apply(terms, Op::Mul, &[factor, term]));
        }
        Some(build::sum(terms, &summands))
    }
}

fn zero(terms: &mut Terms) -> Term {
    literal::int(terms, &dashu_int::IBig::ZERO)
}

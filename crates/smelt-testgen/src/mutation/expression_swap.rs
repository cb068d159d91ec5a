//! `expression-swap`: puts an expression of the formula in the place of another of the same sort.
//!
//! Nothing is built: the mutant has the expressions of the formula and no others. This is what generative mutation is
//! compared with, and it finds bugs that need the same expression twice.
//!
//! The mutator of FuzzChick (Lampropoulos, Hicks and Pierce, OOPSLA 2019), as in section 5.3.1 of Winterer's thesis.

use smelt_smtlib::script::Script;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::free_names;

use super::generative::{is_replaceable, put};
use super::scope::{Surroundings, annotated_names};
use crate::mutant::Mutant;
use crate::random::Random;
use crate::technique::Technique;
use crate::term_index::TermIndex;

/// Expression swap.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExpressionSwap;

/// How many places are tried.
const PLACE_TRIES: usize = 32;
/// A copied expression has at most so many nodes, so that a chain grows slowly.
const MAX_NODES: u64 = 60;

impl Technique for ExpressionSwap {
    fn name(&self) -> &'static str {
        "expression-swap"
    }

    fn summary(&self) -> &'static str {
        "put an expression of the formula in the place of another"
    }

    fn chain_length(&self) -> u32 {
        60
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        mutant.truth.doubt();
        swap(terms, &mut mutant.script, random)
    }
}

/// Replaces one expression; false if there is none to replace, or none to replace it by.
fn swap(terms: &mut Terms, script: &mut Script, random: &mut Random) -> bool {
    let survey = TermIndex::new(terms, script, |term, facts| is_replaceable(terms, term, facts));
    let annotated = annotated_names(terms, &survey.terms);
    for _ in 0..PLACE_TRIES {
        let Some(place) = survey.draw(terms, random) else { return false };
        let surroundings = Surroundings::of(terms, &place);
        let mut candidates: Vec<Term> = survey
            .terms
            .iter()
            .copied()
            .filter(|term| {
                let facts = survey.facts(*term);
                terms.sort(*term) == terms.sort(place.term)
                    && *term != place.term
                    && facts.nodes <= MAX_NODES
                    && is_replaceable(terms, *term, facts)
            })
            .collect();
        if place.wants_literal(terms) {
            candidates.retain(|term| matches!(terms.head(*term), Head::Literal(..)));
        }
        while let Some(new) = random.take(&mut candidates) {
            let uses_label = !annotated.is_empty() && !free_names(terms, new).globals.is_disjoint(&annotated);
            if uses_label || !surroundings.admits(terms, new) {
                continue;
            }
            put(terms, script, &place, new);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{mutants, reachable};

    #[test]
    fn expression_swap() {
        let source = "(declare-const x Int) (declare-const y Int) (assert (< (+ x 1) y))";
        assert_eq!(
            reachable(&ExpressionSwap, source),
            [
                "(assert (< (+ (+ x 1) 1) y))",
                "(assert (< (+ 1 1) y))",
                "(assert (< (+ x (+ x 1)) y))",
                "(assert (< (+ x 1) (+ x 1)))",
                "(assert (< (+ x 1) 1))",
                "(assert (< (+ x 1) x))",
                "(assert (< (+ x x) y))",
                "(assert (< (+ x y) y))",
                "(assert (< (+ y 1) y))",
                "(assert (< 1 y))",
                "(assert (< x y))",
                "(assert (< y y))",
            ]
        );
    }

    #[test]
    fn variables_stay_below_their_binders() {
        let source = "(declare-const x Int) (assert (< x 1)) (assert (forall ((y Int)) (< y 2)))";
        for text in reachable(&ExpressionSwap, source) {
            let (outside, _) = text.split_once("(forall").unwrap_or((&text, ""));
            assert!(!outside.contains('y'), "{text}");
        }
    }

    #[test]
    fn the_ends_of_a_range_are_literals() {
        let source = "(declare-const x String) (assert (str.in_re (str.++ x \"b\") (re.range \"a\" \"c\")))";
        for text in mutants(&ExpressionSwap, source, 5) {
            assert!(text.split("(re.range ").skip(1).all(|ends| ends.starts_with('"')), "{text}");
        }
    }
}

//! `operator`: puts another operator in the place of one, over the same arguments.
//!
//! OpFuzz has classes of operators that may replace each other (Figure 4.5 of the thesis). Here a class is whatever
//! the operator table says: `f(a..)` may become `g(a..)` if g takes the sorts of the arguments, as many of them, and
//! gives the same sort. Indices are drawn anew. Arguments stay as they are, so nothing can be captured.
//!
//! Follows Winterer, Zhang and Su, "On the Unusual Effectiveness of Type-Aware Operator Mutations" (OOPSLA 2020).

mod candidates;

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashSet;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::replace_in_scope;
use smelt_smtlib::term::{Head, Indices, Term, Terms};
use smelt_smtlib::walk::variables_at;

use super::scope::Spoken;
use crate::mutant::Mutant;
use crate::operators::{OperatorSet, draw_indices, is_portable};
use crate::random::Random;
use crate::technique::Technique;
use crate::term_index::TermIndex;
use candidates::{Candidate, Candidates, Fit};

/// Operator mutation.
#[derive(Debug, Clone, Default)]
pub struct OperatorMutation {
    /// For some sets of operators, which of them may replace which.
    candidates: Arc<RwLock<Vec<Arc<Candidates>>>>,
}

/// How many places are tried at random before all are looked at.
const RANDOM_TRIES: usize = 16;

impl Technique for OperatorMutation {
    fn name(&self) -> &'static str {
        "operator"
    }

    fn summary(&self) -> &'static str {
        "put another operator of the same sorts in the place of one"
    }

    fn chain_length(&self) -> u32 {
        300
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        mutant.truth.doubt();
        let candidates = self.candidates(mutant.operators(terms, random));
        change_surveyed(terms, &mut mutant.script, &mut mutant.survey, &candidates, random)
    }
}

impl OperatorMutation {
    /// What was found of a set of operators before. There are few sets.
    fn candidates(&self, operators: &OperatorSet) -> Arc<Candidates> {
        let is_same = |candidates: &&Arc<Candidates>| candidates.operators == *operators;
        let known = self.candidates.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(candidates) = known.iter().find(is_same) {
            return candidates.clone();
        }
        drop(known);
        let candidates = Arc::new(Candidates::new(operators.clone()));
        self.candidates.write().unwrap_or_else(PoisonError::into_inner).push(candidates.clone());
        candidates
    }

    /// Changes one operator of a script to one of some; false if there is none to change.
    pub(crate) fn change(
        &self,
        terms: &mut Terms,
        script: &mut Script,
        operators: &OperatorSet,
        random: &mut Random,
    ) -> bool {
        let candidates = self.candidates(operators);
        change_surveyed(terms, script, &mut TermIndex::default(), &candidates, random)
    }

    /// The same arguments under another operator of some or other indices, if there is such a term.
    pub(crate) fn mutant(
        &self,
        terms: &mut Terms,
        term: Term,
        spoken: &Spoken,
        operators: &OperatorSet,
        random: &mut Random,
    ) -> Option<Term> {
        mutant(terms, term, spoken, &self.candidates(operators), random)
    }
}

/// As [`OperatorMutation::change`], with what was seen of scripts over the same terms.
fn change_surveyed(
    terms: &mut Terms,
    script: &mut Script,
    survey: &mut TermIndex,
    candidates: &Candidates,
    random: &mut Random,
) -> bool {
    survey.look(terms, script, |term, _| is_application(terms, term));
    let mut tried: Vec<Term> = Vec::new();
    for _ in 0..RANDOM_TRIES {
        if step_within(terms, script, survey, &mut Trying { candidates, tried: &mut tried }, random) {
            return true;
        }
    }
    // Few places can be changed or none: choose among those that can.
    let survey = TermIndex::new(terms, script, |_, _| false);
    let spoken = Spoken::by_script(terms, script);
    let untried: Vec<Term> = survey
        .terms
        .iter()
        .copied()
        .filter(|term| is_application(terms, *term) && !tried.contains(term))
        .collect();
    let changeable: FxHashSet<Term> = untried
        .into_iter()
        .filter(|term| mutant(terms, *term, &spoken, candidates, &mut random.clone()).is_some())
        .collect();
    let survey = TermIndex::new(terms, script, |term, _| changeable.contains(&term));
    (0..RANDOM_TRIES).any(|_| {
        step_within(terms, script, &survey, &mut Trying { candidates, tried: &mut Vec::new() }, random)
    })
}

/// What to try at a place, and what was tried in vain.
struct Trying<'t> {
    candidates: &'t Candidates,
    tried: &'t mut Vec<Term>,
}

/// Changes the script at one occurrence; false if what stands there cannot be changed.
fn step_within(
    terms: &mut Terms,
    script: &mut Script,
    survey: &TermIndex,
    trying: &mut Trying<'_>,
    random: &mut Random,
) -> bool {
    let Some(place) = survey.draw(terms, random) else { return false };
    if trying.tried.contains(&place.term) {
        return false;
    }
    let mut spoken = Spoken::by_script(terms, script);
    spoken.by_variables(terms, &variables_at(terms, place.root, &place.path));
    let Some(mutant) = mutant(terms, place.term, &spoken, trying.candidates, random) else {
        trying.tried.push(place.term);
        return false;
    };
    let root = replace_in_scope(terms, place.root, &place.path, mutant)
        .expect("a place leads to a term of its assertion");
    script.replace(place.command, Command::Assert(root));
    true
}

/// The same arguments under another operator or other indices, if there is such a term.
fn mutant(
    terms: &mut Terms,
    term: Term,
    spoken: &Spoken,
    known: &Candidates,
    random: &mut Random,
) -> Option<Term> {
    let Head::Op(old, _) = terms.head(term) else { return None };
    let args = terms.args(term).to_vec();
    let result = terms.sort(term);
    let mut candidates = known.of(terms, old, &args, result);
    while let Some(Candidate { op, fit }) = random.take(&mut candidates) {
        if fit == Fit::Never || spoken.contains(op) {
            continue;
        }
        let mutant = match fit {
            Fit::Always => Some(terms.intern(Head::Op(op, Indices::NONE), &args, result)),
            _ => apply(terms, op, &args, result, random),
        };
        if mutant.is_some_and(|mutant| mutant != term) {
            return mutant;
        }
    }
    None
}

/// An operator over some arguments with indices of our choice, if the result can be of this sort.
fn apply(terms: &mut Terms, op: Op, args: &[Term], result: Sort, random: &mut Random) -> Option<Term> {
    let sorts: Vec<Sort> = args.iter().map(|arg| terms.sort(*arg)).collect();
    if !is_portable(&terms.sorts, op, &sorts) {
        return None;
    }
    let indices = draw_indices(terms, op, &sorts, result, random)?;
    let applied = terms.apply(op, &indices, args).ok()?;
    (terms.sort(applied) == result).then_some(applied)
}

fn is_application(terms: &Terms, term: Term) -> bool {
    matches!(terms.head(term), Head::Op(..))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{mutants, reachable};

    #[test]
    fn operator() {
        let found = reachable(&OperatorMutation::default(), "(declare-const x String) (assert (str.< x x))");
        assert_eq!(
            found,
            [
                "(assert (= x x))",
                "(assert (distinct x x))",
                "(assert (str.<= x x))",
                "(assert (str.contains x x))",
                "(assert (str.prefixof x x))",
                "(assert (str.suffixof x x))",
            ]
        );
    }

    #[test]
    fn a_ternary_operator_becomes_one_that_takes_three_arguments() {
        let found = reachable(&OperatorMutation::default(), "(declare-const x Int) (assert (= x x x))");
        assert_eq!(
            found,
            [
                "(assert (< x x x))",
                "(assert (<= x x x))",
                "(assert (> x x x))",
                "(assert (>= x x x))",
                "(assert (distinct x x x))",
            ]
        );
    }

    #[test]
    fn regular_languages_are_not_compared() {
        let source = r#"(assert (str.in_re "" (re.union re.all re.all))) (check-sat)"#;
        assert!(mutants(&OperatorMutation::default(), source, 40).iter().all(|text| !text.contains("(=")));
    }

    #[test]
    fn integers_do_not_become_operands_of_real_division() {
        let source = "(declare-const i Int) (declare-const r Real) (assert (= r (to_real (+ i i))))";
        assert!(mutants(&OperatorMutation::default(), source, 100).iter().all(|text| !text.contains("(/")));
    }

    #[test]
    fn what_nothing_can_replace_stays() {
        let source = "(declare-fun p (Int) Bool) (declare-const x Int) (assert (p x))";
        assert_eq!(mutants(&OperatorMutation::default(), source, 5), [""; 0]);
    }

    #[test]
    fn patterns_are_left_alone() {
        let source =
            "(declare-fun p (Int) Bool) (assert (forall ((x Int)) (! (p (+ x 1)) :pattern ((p (+ x 1))))))";
        for text in mutants(&OperatorMutation::default(), source, 20) {
            assert!(text.contains(":pattern ((p (+ x 1)))"), "{text}");
        }
    }

    #[test]
    fn an_operator_whose_name_the_script_declares_is_not_introduced() {
        let source = "(declare-const |distinct| Bool) (declare-const x Bool) (assert (= x |distinct|))";
        for text in mutants(&OperatorMutation::default(), source, 40) {
            assert!(!text.contains("(distinct"), "{text}");
        }
    }

    #[test]
    fn an_operator_whose_name_is_bound_is_not_introduced() {
        let source = "(assert (forall ((xor Bool)) (and xor xor)))";
        for text in mutants(&OperatorMutation::default(), source, 40) {
            assert!(!text.contains("(xor xor"), "{text}");
        }
    }
}

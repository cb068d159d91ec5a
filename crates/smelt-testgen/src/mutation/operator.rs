//! `operator`: puts another operator in the place of one, over the same arguments.
//!
//! OpFuzz has classes of operators that may replace each other (Figure 4.5 of the thesis). Here a class is whatever
//! the operator table says: `f(a..)` may become `g(a..)` if g takes the sorts of the arguments, as many of them, and
//! gives the same sort. Indices are drawn anew. Arguments stay as they are, so nothing can be captured.
//!
//! Follows Winterer, Zhang and Su, "On the Unusual Effectiveness of Type-Aware Operator Mutations" (OOPSLA 2020).

use rustc_hash::FxHashSet;
use smelt_smtlib::op::{Op, SortPattern};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, Sorts};
use smelt_smtlib::substitute::replace_in_scope;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::typing::sort_of_application;
use smelt_smtlib::walk::variables_at;

use super::scope::Spoken;
use crate::operators::{OperatorSet, draw_indices, is_portable, may_be, param, takes_arity};
use crate::random::Random;
use crate::subject::Subject;
use crate::survey::Survey;
use crate::technique::Technique;

/// Operator mutation.
#[derive(Debug, Clone, Default)]
pub struct OperatorMutation {
    /// The operators that it may introduce.
    pub operators: OperatorSet,
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

    fn step(&self, terms: &mut Terms, subject: &mut Subject<'_>, random: &mut Random) -> bool {
        subject.truth.doubt();
        self.change(terms, &mut subject.script, random)
    }
}

impl OperatorMutation {
    /// Changes one operator of a script; false if there is none to change.
    pub(crate) fn change(&self, terms: &mut Terms, script: &mut Script, random: &mut Random) -> bool {
        let survey = Survey::new(terms, script, |term, _| is_application(terms, term));
        let mut tried: Vec<Term> = Vec::new();
        for _ in 0..RANDOM_TRIES {
            if self.step_within(terms, script, &survey, &mut tried, random) {
                return true;
            }
        }
        // Few places can be changed or none: choose among those that can.
        let spoken = Spoken::by_script(terms, script);
        let untried: Vec<Term> = survey
            .terms
            .iter()
            .copied()
            .filter(|term| is_application(terms, *term) && !tried.contains(term))
            .collect();
        let changeable: FxHashSet<Term> = untried
            .into_iter()
            .filter(|term| self.mutant(terms, *term, &spoken, &mut random.clone()).is_some())
            .collect();
        let survey = Survey::new(terms, script, |term, _| changeable.contains(&term));
        (0..RANDOM_TRIES).any(|_| self.step_within(terms, script, &survey, &mut Vec::new(), random))
    }

    /// Changes the script at one occurrence; false if what stands there cannot be changed.
    fn step_within(
        &self,
        terms: &mut Terms,
        script: &mut Script,
        survey: &Survey,
        tried: &mut Vec<Term>,
        random: &mut Random,
    ) -> bool {
        let Some(place) = survey.draw(terms, random) else { return false };
        if tried.contains(&place.term) {
            return false;
        }
        let mut spoken = Spoken::by_script(terms, script);
        spoken.by_variables(terms, &variables_at(terms, place.root, &place.path));
        let Some(mutant) = self.mutant(terms, place.term, &spoken, random) else {
            tried.push(place.term);
            return false;
        };
        let root = replace_in_scope(terms, place.root, &place.path, mutant)
            .expect("a place leads to a term of its assertion");
        script.replace(place.command, Command::Assert(root));
        true
    }

    /// The same arguments under another operator or other indices, if there is such a term.
    pub(crate) fn mutant(
        &self,
        terms: &mut Terms,
        term: Term,
        spoken: &Spoken,
        random: &mut Random,
    ) -> Option<Term> {
        let Head::Op(old, _) = terms.head(term) else { return None };
        let args = terms.args(term).to_vec();
        let sorts: Vec<Sort> = args.iter().map(|arg| terms.sort(*arg)).collect();
        let result = terms.sort(term);
        if sorts.contains(&Sort::UNKNOWN) || old.info().is_ascribed {
            return None;
        }
        // An integer where a real is wanted is not introduced, but where it is, it may stay.
        let coerces = !takes(&terms.sorts, old, &sorts, result, false);
        let first = sorts.first().copied().unwrap_or(result);
        let mut candidates: Vec<Op> = self
            .operators
            .near(first, result)
            .filter(|op| *op != old || !op.info().indices.is_empty())
            .filter(|op| takes(&terms.sorts, *op, &sorts, result, coerces))
            .collect();
        while let Some(op) = random.take(&mut candidates) {
            if !is_portable(&terms.sorts, op, &sorts) || spoken.contains(op) {
                continue;
            }
            let Some(indices) = draw_indices(terms, op, &sorts, result, random) else { continue };
            if sort_of_application(&mut terms.sorts, op, &indices, &sorts).ok() != Some(result) {
                continue;
            }
            if let Ok(mutant) = terms.apply(op, &indices, &args)
                && mutant != term
            {
                return Some(mutant);
            }
        }
        None
    }
}

fn is_application(terms: &Terms, term: Term) -> bool {
    matches!(terms.head(term), Head::Op(..))
}

/// Whether an operator may take arguments of these sorts to this result, as far as this is quick to see.
fn takes(sorts: &Sorts, op: Op, args: &[Sort], result: Sort, coerces: bool) -> bool {
    let info = op.info();
    info.signatures.iter().any(|signature| {
        takes_arity(info, signature, args.len())
            && may_be(sorts, &signature.result, result)
            && args.iter().enumerate().all(|(position, sort)| {
                let param = param(info, signature, position);
                may_be(sorts, param, *sort)
                    || (coerces && *param == SortPattern::Fixed(Sort::REAL) && *sort == Sort::INT)
            })
    })
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

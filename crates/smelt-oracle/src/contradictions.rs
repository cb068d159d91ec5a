//! Assertions that are false under every model, so that `sat` itself is wrong and no second solver is needed to see it.
//!
//! They are evaluated without a model: a constant has no value then, and what is false nevertheless is false whatever the
//! constants are. Where anything else is left to the model, nothing is claimed: operators whose value the standard leaves
//! open have none either, and formulas over sorts that a script only declares, over codatatypes or about the heap are
//! left alone, because what these consist of is part of the model.

use std::collections::HashSet;

use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::op::Theory;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

/// The assertions of an environment that are false under every model, counted from 1.
pub(crate) fn contradictions(terms: &Terms, environment: &Environment) -> Vec<usize> {
    let nothing = Model::new();
    let mut evaluator = Evaluator::new(terms, environment, &nothing);
    let mut is_contradiction = |assertion: Term| {
        evaluator.eval(assertion) == Ok(Value::Bool(false)) && is_fixed(terms, environment, assertion)
    };
    (1..)
        .zip(&environment.assertions)
        .filter(|(_, assertion)| is_contradiction(**assertion))
        .map(|(number, _)| number)
        .collect()
}

/// The parts of an assertion, and of the definitions that it uses.
pub fn parts_of(terms: &Terms, environment: &Environment, assertion: Term) -> Vec<Term> {
    let mut parts = Vec::new();
    let mut called: HashSet<Symbol> = HashSet::new();
    let mut pending = vec![assertion];
    while let Some(root) = pending.pop() {
        let of_root = subterms(terms, &[root]);
        for part in &of_root {
            if let Head::Global(name) | Head::Qualified(name) = terms.head(*part)
                && called.insert(name)
            {
                pending.extend(environment.definition(name).map(|definition| definition.body));
            }
        }
        parts.extend(of_root);
    }
    parts
}

/// Whether a model says nothing of what an assertion is about but the values of constants and functions.
fn is_fixed(terms: &Terms, environment: &Environment, assertion: Term) -> bool {
    let mut seen: HashSet<Sort> = HashSet::new();
    parts_of(terms, environment, assertion).into_iter().all(|part| {
        let is_about_heap = terms.op(part).is_some_and(|op| op.info().theory == Theory::Separation);
        let binders = match terms.head(part) {
            Head::Forall(binders) | Head::Exists(binders) | Head::Lambda(binders) => terms.binders(binders),
            _ => &[],
        };
        let mut sorts = binders.iter().map(|variable| variable.sort).chain([terms.sort(part)]);
        !is_about_heap && sorts.all(|sort| has_fixed_values(terms, environment, sort, &mut seen))
    })
}

/// Whether the script says all of what a sort consists of. What was seen before has been looked at.
fn has_fixed_values(terms: &Terms, environment: &Environment, sort: Sort, seen: &mut HashSet<Sort>) -> bool {
    let mut pending = vec![sort];
    while let Some(sort) = pending.pop() {
        if !seen.insert(sort) {
            continue;
        }
        match terms.sorts.kind(sort) {
            SortKind::Unknown => return false,
            SortKind::Named(name, _) => match environment.datatype(*name) {
                Some(datatype) if !datatype.is_codatatype => {
                    let selectors =
                        datatype.constructors.iter().flat_map(|constructor| &constructor.selectors);
                    pending.extend(selectors.map(|(_, field)| *field));
                }
                _ => return false,
            },
            _ => {}
        }
        pending.extend(terms.sorts.components(sort));
    }
    true
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::read::read_script;

    use super::*;

    fn numbers(source: &str) -> Vec<usize> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        assert!(reading.diagnostics.is_empty(), "{source}");
        contradictions(&terms, &Environment::at_last_check(&terms, &reading.script))
    }

    #[test]
    fn what_is_false_whatever_constants_are_is_a_contradiction() {
        let source = "(declare-const x Int)(declare-const s String)(define-fun f ((y Int)) Bool (< y y))\
            (assert (= x 1))(assert (< (* 2 3) 5))(assert (and (> x 3) (< 2 1)))(assert (f x))\
            (assert (= (str.len \"ab\") 3))(assert (f 2))(check-sat)";
        assert_eq!(numbers(source), [2, 3, 5, 6]);
        let assumed = "(declare-const p Bool)(assert p)(check-sat-assuming ((distinct 1 1)))";
        assert_eq!(numbers(assumed), [2]);
        assert_eq!(numbers("(push 1)(assert false)(pop 1)(assert true)(check-sat)"), [0; 0]);
    }

    #[test]
    fn what_the_standard_leaves_open_is_none() {
        for formula in [
            "(= (div 1 0) 7)",
            "(= (/ 1.0 0.0) 2.0)",
            "(= (fp.to_real (_ NaN 5 11)) 1.0)",
            "(fp.isNegative (fp.min (_ +zero 5 11) (_ -zero 5 11)))",
            "(= (seq.nth (as seq.empty (Seq Int)) 0) 1)",
        ] {
            assert_eq!(numbers(&format!("(assert {formula})(check-sat)")), [0; 0], "{formula}");
        }
    }

    #[test]
    fn what_else_is_up_to_the_model_is_none() {
        for script in [
            "(declare-sort U 0)(assert (exists ((x U) (y U)) (distinct x y)))(check-sat)",
            "(declare-sort U 0)(assert (forall ((x U) (y U)) (= x y)))(check-sat)",
            "(declare-sort U 0)(declare-datatype D ((c (d U))))(assert (forall ((x D) (y D)) (= x y)))(check-sat)",
            "(declare-heap (Int Int))(assert sep.emp)(check-sat)",
            "(declare-heap (Int Int))(assert (not sep.emp))(check-sat)",
            "(declare-codatatype S ((cons (head Int) (tail S))))(assert (exists ((x S)) (= x (tail x)))) (check-sat)",
            "(declare-fun f (Int) Int)(assert (= (f 1) 2))(check-sat)",
        ] {
            assert_eq!(numbers(script), [0; 0], "{script}");
        }
    }
}

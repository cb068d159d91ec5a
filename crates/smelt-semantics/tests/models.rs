//! Models as real solvers printed them are understood: `testdata/models/FORMULA/SOLVER.model`.
//!
//! The first line of a model says what the formula must evaluate to under it.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{Model, Verdict, check};
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn result(formula: &str, model: &str) -> (&'static str, Vec<String>) {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, formula);
    assert_eq!(reading.diagnostics, []);
    let model = Model::parse(&mut terms, &reading.scope, model, reading.script.dialect).unwrap();
    let environment = Environment::at_last_check(&terms, &reading.script);
    let verdicts = check(&terms, &environment, &model, Budget::default());
    let notes = verdicts
        .iter()
        .enumerate()
        .filter(|(_, verdict)| **verdict != Verdict::True)
        .map(|(number, verdict)| match verdict {
            Verdict::Unknown(unknown) => format!("assertion {}: {}", number + 1, unknown.describe(&terms)),
            _ => format!("assertion {} is false", number + 1),
        })
        .collect();
    let word = if verdicts.contains(&Verdict::False) {
        "false"
    } else if verdicts.iter().all(|verdict| *verdict == Verdict::True) {
        "true"
    } else {
        "unknown"
    };
    (word, notes)
}

#[test]
fn recorded_models_evaluate_as_their_first_line_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/models");
    let mut count = 0;
    for case in entries(&folder) {
        let formula = std::fs::read_to_string(case.join("formula.smt2")).unwrap();
        for path in entries(&case).iter().filter(|path| path.extension().is_some_and(|end| end == "model")) {
            let model = std::fs::read_to_string(path).unwrap();
            let expected = model.lines().next().and_then(|line| line.strip_prefix("; expect: ")).unwrap();
            let (found, notes) = result(&formula, &model);
            assert_eq!(found, expected, "{}: {notes:?}", path.display());
            count += 1;
        }
    }
    assert!(count >= 15, "only {count} models found");
}

#[test]
fn a_model_that_leaves_a_symbol_open_is_completed() {
    let formula =
        "(declare-const x Int)(declare-const y Int)(assert (= x 1))(assert (= (* 0 y) 0))(check-sat)";
    assert_eq!(result(formula, "((define-fun x () Int 1))").0, "true");
}

#[test]
fn a_completion_that_fails_proves_nothing() {
    let formula = "(declare-const x Int)(assert (= x 1))(check-sat)";
    assert_eq!(result(formula, "()").0, "unknown");
}

#[test]
fn values_of_single_terms_stand_in_for_what_the_standard_leaves_open() {
    let formula = "(declare-const x Int)(assert (= (div x 0) 4))(check-sat)";
    assert_eq!(result(formula, "((x 7) ((div x 0) 4))").0, "true");
    assert_eq!(result(formula, "((x 7) ((div x 0) 5))").0, "false");
    assert_eq!(result(formula, "((x 7))").0, "unknown");
}

#[test]
fn contradictory_choices_are_not_believed() {
    let formula = "(declare-const x Int)(declare-const y Int)\
        (assert (= (div x 0) 4))(assert (= (div y 0) 5))(check-sat)";
    assert_eq!(result(formula, "((x 7) (y 7) ((div x 0) 4) ((div y 0) 5))").0, "unknown");
}

#[test]
fn lambdas_that_list_cases_are_arrays() {
    let formula = "(declare-const a (Array Int Int))(declare-const b (Array Int Int))\
        (assert (= a (store b 3 4)))(check-sat)";
    let model = "((define-fun a () (Array Int Int) (lambda ((x Int)) (ite (= x 3) 4 0)))\
        (define-fun b () (Array Int Int) ((as const (Array Int Int)) 0)))";
    assert_eq!(result(formula, model).0, "true");
}

#[test]
fn lambdas_over_booleans_are_sets() {
    let formula =
        "(declare-const a (Array Int Bool))(assert (= a (store ((as const (Array Int Bool)) false) 3 true)))";
    let model = "((define-fun a () (Array Int Bool) (lambda ((x Int)) (= x 3))))";
    assert_eq!(result(formula, model).0, "true");
}

#[test]
fn a_model_that_contradicts_the_formula_is_false() {
    let formula = "(declare-const x String)(assert (str.in_re x (re.+ (str.to_re \"ab\"))))(check-sat)";
    assert_eq!(result(formula, "((define-fun x () String \"abab\"))").0, "true");
    assert_eq!(result(formula, "((define-fun x () String \"aba\"))").0, "false");
}

#[test]
fn only_the_assertions_in_force_at_the_last_check_count() {
    let formula = "(declare-const x Int)(assert (> x 0))(push 1)(assert (= x 1))(check-sat)(pop 1)\
        (check-sat-assuming ((= x 2)))(assert (= x 3))";
    assert_eq!(result(formula, "((x 2))").0, "true");
    assert_eq!(result(formula, "((x 1))").0, "false");
}

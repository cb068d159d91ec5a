//! Models as real solvers printed them are understood: `testdata/models/FORMULA/SOLVER.model`.
//!
//! The first line of a model says what the formula must evaluate to under it.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{Evaluation, Model, check};
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
    let evaluations = check(&terms, &environment, &model, Budget::default());
    let notes = evaluations
        .iter()
        .enumerate()
        .filter(|(_, evaluation)| **evaluation != Evaluation::True)
        .map(|(number, evaluation)| match evaluation {
            Evaluation::Unknown(unknown) => format!("assertion {}: {}", number + 1, unknown.describe(&terms)),
            _ => format!("assertion {} is false", number + 1),
        })
        .collect();
    let word = if evaluations.contains(&Evaluation::False) {
        "false"
    } else if evaluations.iter().all(|evaluation| *evaluation == Evaluation::True) {
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
    assert_eq!(result("(declare-const x Int)(assert (= (div x 0) x 4))", "((x 7))").0, "false");
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

#[test]
fn a_universe_that_the_model_lists_is_all_there_is() {
    let formula = "(declare-sort U 0)(declare-fun p (U) Bool)(declare-const a U)\
        (assert (forall ((x U)) (p x)))(assert (exists ((x U)) (not (= x a))))(check-sat)";
    let z3 = "((declare-fun U!val!0 () U)(declare-fun U!val!1 () U)\
        (forall ((x U)) (or (= x U!val!0) (= x U!val!1)))\
        (define-fun a () U U!val!0)(define-fun p ((x!0 U)) Bool true))";
    assert_eq!(result(formula, z3).0, "true");
    let cvc5 = "(\n; cardinality of U is 2\n; rep: (as @U_0 U)\n; rep: (as @U_1 U)\n\
        (define-fun a () U (as @U_0 U))\n(define-fun p ((x U)) Bool (= x (as @U_0 U)))\n)";
    assert_eq!(result(formula, cvc5).0, "false");
    assert_eq!(result(formula, &cvc5.replace("(= x (as @U_0 U))", "true")).0, "true");
}

#[test]
fn a_universe_that_lacks_a_value_of_the_model_is_not_believed() {
    let formula = "(declare-sort U 0)(declare-const a U)(assert (forall ((x U)) (= x x)))\
        (assert (forall ((x U) (y U)) (= x y)))(check-sat)";
    let complete = "(\n; cardinality of U is 1\n; rep: (as @U_0 U)\n(define-fun a () U (as @U_0 U))\n)";
    assert_eq!(result(formula, complete).0, "true");
    assert_eq!(result(formula, &complete.replace("is 1", "is 2")).0, "unknown");
    assert_eq!(result(formula, &complete.replace("() U (as @U_0 U)", "() U (as @U_7 U)")).0, "unknown");
}

#[test]
fn arrays_over_a_listed_universe_are_compared() {
    let formula = "(declare-sort U 0)(declare-const a (Array U Int))(declare-const b (Array U Int))\
        (assert (= a b))(check-sat)";
    let model = "((declare-fun U!val!0 () U)(forall ((x U)) (= x U!val!0))\
        (define-fun a () (Array U Int) ((as const (Array U Int)) 1))\
        (define-fun b () (Array U Int) (store ((as const (Array U Int)) 0) U!val!0 1)))";
    assert_eq!(result(formula, model).0, "true");
}

#[test]
fn definitions_of_a_model_may_use_later_ones() {
    let formula = "(declare-fun f (Int) Int)(assert (= (f 2) 7))(check-sat)";
    let model = "((define-fun f ((x!0 Int)) Int (f!1 (k!0 x!0)))(define-fun f!1 ((x!0 Int)) Int (+ x!0 4))\
        (define-fun k!0 ((x!0 Int)) Int (+ x!0 1)))";
    assert_eq!(result(formula, model).0, "true");
}

#[test]
fn what_the_standard_leaves_open_is_chosen_so_that_the_assertions_hold() {
    let formula = "(declare-const x Int)(declare-const y Real)(assert (= (div x 0) 4))\
        (assert (> (/ y 0.0) (/ 1.0 0.0)))(assert (= (mod x 0) (div x 0)))(check-sat)";
    assert_eq!(result(formula, "((x 7) (y 2.0))").0, "true");
    // One division has one value.
    let contradiction = "(declare-const x Int)(declare-const y Int)\
        (assert (= (div x 0) 4))(assert (= (div y 0) 5))(check-sat)";
    assert_eq!(result(contradiction, "((x 7) (y 8))").0, "true");
    assert_eq!(result(contradiction, "((x 7) (y 7))").0, "unknown");
}

#[test]
fn the_larger_of_opposite_zeros_is_one_of_them() {
    let formula = |test: &str| {
        format!(
            "(define-fun m () (_ FloatingPoint 3 5) (fp.max (_ -zero 3 5) (_ +zero 3 5)))(assert {test})(check-sat)"
        )
    };
    assert_eq!(result(&formula("(fp.isNegative m)"), "((x 1))").0, "true");
    assert_eq!(result(&formula("(= m (_ +oo 3 5))"), "((x 1))").0, "unknown");
}

#[test]
fn quantifiers_over_numbers_are_decided_by_elimination() {
    for (formula, expected) in [
        ("(forall ((x Int)) (=> (> x 0) (exists ((y Int)) (> x (* y 2)))))", "true"),
        ("(forall ((x Int)) (exists ((y Int)) (= x (* 2 y))))", "false"),
        ("(forall ((x Int)) (exists ((y Int)) (or (= x (* 2 y)) (= x (+ (* 2 y) 1)))))", "true"),
        ("(exists ((x Int)) (and (= (mod x 7) 3) (= (mod x 5) 2) (> x 100)))", "true"),
        ("(forall ((x Int)) (= x (+ (* 3 (div x 3)) (mod x 3))))", "true"),
        ("(forall ((x Real) (y Real)) (=> (< x y) (exists ((z Real)) (and (< x z) (< z y)))))", "true"),
        ("(exists ((x Real)) (forall ((y Real)) (<= x y)))", "false"),
        ("(exists ((x Real)) (and (> (* 2.0 x) 1.0) (< (* 3.0 x) 2.0)))", "true"),
        ("(exists ((x Int)) (and (> (* 2 x) 1) (< (* 3 x) 2)))", "false"),
        ("(forall ((s String)) (or (= s \"a\") (distinct s \"a\")))", "true"),
        ("(forall ((s String)) (= s \"a\"))", "false"),
        (
            "(exists ((s String) (t String)) (and (distinct s t) (distinct s \"a\") (distinct t \"a\")))",
            "true",
        ),
        (
            "(forall ((x (_ BitVec 32))) (exists ((y (_ BitVec 32))) (and (distinct x y) (distinct y #x00000000))))",
            "true",
        ),
    ] {
        assert_eq!(result(&format!("(assert {formula})(check-sat)"), "()").0, expected, "{formula}");
    }
}

#[test]
fn functions_and_arrays_of_a_model_are_cases_for_quantifiers() {
    let formula = "(declare-fun f (Int) Int)(declare-const a (Array Int Int))\
        (assert (forall ((x Int)) (>= (f x) 0)))(assert (forall ((x Int)) (=> (> x 2) (= (select a x) 1))))(check-sat)";
    let model = |value: &str, index: &str| {
        format!(
            "((define-fun f ((x!0 Int)) Int (ite (= x!0 7) {value} 0))\
            (define-fun a () (Array Int Int) (store ((as const (Array Int Int)) 1) {index} 5)))"
        )
    };
    assert_eq!(result(formula, &model("3", "2")).0, "true");
    assert_eq!(result(formula, &model("(- 3)", "2")).0, "false");
    assert_eq!(result(formula, &model("3", "9")).0, "false");
}

#[test]
fn a_variable_of_a_datatype_is_each_of_its_constructors() {
    let formula = "(declare-datatype Option (par (T) ((none) (some (value T)))))\
        (assert (forall ((x (Option Int))) (=> (and ((_ is some) x) (= (value x) 0)) (= x (some 0)))))(check-sat)";
    assert_eq!(result(formula, "()").0, "true");
    assert_eq!(result(&formula.replace("(some 0)", "(some 1)"), "()").0, "false");
}

#[test]
fn what_is_not_linear_stays_unknown() {
    let formula = "(assert (exists ((x Int)) (= (* x x x) 1000)))(check-sat)";
    assert_eq!(result(formula, "()").0, "unknown");
    // A part that does not matter does no harm.
    let formula = "(assert (forall ((x Int)) (or (> x 3) (= (* x x) 2) (< x 4))))(check-sat)";
    assert_eq!(result(formula, "()").0, "true");
}

#[test]
fn models_of_sets_bags_and_their_like_are_evaluated() {
    let formula = "(set-logic HO_ALL)(declare-const s (Set Int))(declare-const b (Bag Int))\
        (declare-const r (Set (Tuple Int Int)))(declare-const n (Nullable Int))(declare-const f (-> Int Int))\
        (assert (set.member 3 s))(assert (= (set.card s) 2))(assert (= (bag.count 4 b) 2))\
        (assert (set.member (tuple 1 3) (rel.tclosure r)))(assert (= (nullable.val n) 5))\
        (assert (= (f 1) 2))(assert (set.all (lambda ((x Int)) (> (f x) 0)) s))(check-sat)";
    let model = "(\n(define-fun s () (Set Int) (set.union (set.singleton 3) (set.singleton 1)))\n\
        (define-fun b () (Bag Int) (bag.union_disjoint (bag 4 2) (bag 0 1)))\n\
        (define-fun r () (Set (Tuple Int Int)) (set.union (set.singleton (tuple 1 2)) (set.singleton (tuple 2 3))))\n\
        (define-fun n () (Nullable Int) (nullable.some 5))\n\
        (define-fun f ((x Int)) Int (ite (= x 1) 2 4))\n)";
    assert_eq!(result(formula, model).0, "true");
    assert_eq!(result(formula, &model.replace("(bag 4 2)", "(bag 4 3)")).0, "false");
    assert_eq!(result(formula, &model.replace("2 4)", "2 (- 4))")).0, "false");
}

#[test]
fn the_choice_from_a_set_is_one_of_its_elements() {
    let formula = |element: &str| {
        format!("(declare-const s (Set Int))(assert (= (set.choose s) {element}))(check-sat)")
    };
    let model = "((define-fun s () (Set Int) (set.union (set.singleton 3) (set.singleton 1))))";
    assert_eq!(result(&formula("3"), model).0, "true");
    assert_eq!(result(&formula("2"), model).0, "unknown");
}

#[test]
fn no_model_is_known_to_satisfy_a_recursive_definition_without_a_solution() {
    let script = |body: &str| {
        format!(
            "(define-fun-rec f ((n Int)) Int {body})(declare-const x Int)(assert (= x 1))(assert (= x 2))"
        )
    };
    let check = |body: &str, last: &str| {
        let script = script(body).replace("(assert (= x 2))", last) + "(check-sat)";
        result(&script, "((define-fun x () Int 1))").0
    };
    assert_eq!(check("(+ 1 (f n))", ""), "unknown");
    assert_eq!(check("(+ 1 (f n))", "(assert (= x 2))"), "false");
    assert_eq!(check("(ite (<= n 0) 0 (+ 1 (f (- n 1))))", "(assert (= (f 3) 3))"), "true");
}

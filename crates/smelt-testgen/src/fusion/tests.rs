//! Tests of fusion: every triple inverts, every claim holds, nothing is captured.

use smelt_oracle::case::Expectation;
use smelt_smtlib::print::script_text;

use super::triple::{built_in, parse};
use super::verify::{Verification, doubts, verify};
use super::*;
use crate::chain::Chain;
use crate::library::Library;

#[test]
fn every_built_in_triple_inverts_on_small_domains() {
    let triples = built_in();
    assert!(triples.len() >= 40);
    for triple in triples {
        match verify(&triple) {
            Verification::Inverts(count) => assert!(count >= 4, "{}: {count}", triple.id),
            Verification::Fails(message) => panic!("{}: {message}", triple.id),
        }
    }
}

#[test]
fn ids_of_triples_are_unique() {
    let triples = built_in();
    let ids: FxHashSet<&str> = triples.iter().map(|triple| triple.id.as_str()).collect();
    assert_eq!(ids.len(), triples.len());
}

#[test]
fn solvers_are_asked_for_values_that_are_not_found_again() {
    let sum = built_in().remove(0);
    let scripts: Vec<String> = doubts(&sum).iter().map(|script| script.replace('\n', "")).collect();
    assert_eq!(
        scripts,
        ["(declare-const x Int)(declare-const y Int)(declare-const z Int)(assert (= z (+ x y)))\
          (assert (not (and (= x (- z y)) (= y (- z x)))))(check-sat)"]
    );
    assert!(built_in().iter().all(|triple| !doubts(triple).is_empty()));
}

fn check_refuted(block: &str, expected: &str) {
    let triples = parse(block).unwrap();
    assert_eq!(verify(&triples[0]), Verification::Fails(expected.to_owned()));
}

#[test]
fn a_product_without_its_condition_is_refuted() {
    check_refuted(
        "#begin p\n(declare-const x Int)(declare-const y Int)(declare-const z Int)\n\
         (assert (= z (* x y)))\n(assert (= x (div z y)))\n(assert (= y (div z x)))\n#end",
        "it does not invert for x = 0, y = 0",
    );
}

#[test]
fn a_wrong_inversion_is_refuted() {
    check_refuted(
        "#begin p\n(declare-const x (_ BitVec W))(declare-const y (_ BitVec W))(declare-const z (_ BitVec W))\n\
         (assert (= z (bvadd x y)))\n(assert (= x (bvxor z y)))\n(assert (= y (bvsub z x)))\n#end",
        "it does not invert for x = #b01, y = #b01",
    );
}

fn check_error(text: &str, expected: &str) {
    assert_eq!(parse(text).unwrap_err().to_string(), expected);
}

#[test]
fn what_is_wrong_with_a_block_is_told() {
    let declared = "(declare-const x Int)(declare-const y Int)(declare-const z Int)";
    check_error("#begin a", "cannot use triple `a` in line 1: `#end` is missing");
    check_error("\n#end", "cannot use triple `` in line 2: `#end` without `#begin`");
    check_error(
        "#begin a\n(declare-const x Int)\n#end",
        "cannot use triple `a` in line 1: `z` is not declared by `declare-const` with a sort that can be fused",
    );
    check_error(
        &format!("#begin a\n{declared}(assert (= z x))\n#end"),
        "cannot use triple `a` in line 1: there must be equations for `z`, `x` and `y`, in this order",
    );
    check_error(
        &format!("#begin a\n{declared}(assert (= z x))(assert (= (- z y) x))(assert (= y x))\n#end"),
        "cannot use triple `a` in line 1: `x` must stand alone on the left of its equation",
    );
    check_error(
        &format!("#begin a\n{declared}(assert (= z (+ z y)))(assert (= x x))(assert (= y x))\n#end"),
        "cannot use triple `a` in line 1: `z` occurs in what defines it",
    );
}

#[test]
fn the_form_of_the_thesis_is_read() {
    let triples = parse(
        "#begin\n(declare-const x Int)(declare-const y Int)\n(declare-const z Int)(declare-const c Int)\n\
         (assert (= z (+ (+ x y) c)))\n(assert (= x (- (- z y) c)))\n(assert (= y (- (- z x) c)))\n#end\n",
    )
    .unwrap();
    assert_eq!(triples[0].id, "triple-1");
    assert!(matches!(verify(&triples[0]), Verification::Inverts(_)));
    assert_eq!(parse(&triples[0].to_text()).unwrap()[0].to_text(), triples[0].to_text());
}

const SAT: &str = "; expect: sat\n; model: (define-fun x () Int 5)\n; model: (define-fun p () Bool true)\n\
    (declare-const x Int)(declare-const p Bool)(assert (and p (> x 3)))(assert (< x 9))(check-sat)";
const UNSAT: &str = "; expect: unsat\n(declare-const x Int)(assert (> x 3))(assert (< x 3))(check-sat)";

/// Cases from one seed with one other, each as its expectation and its text in one line.
fn cases(fusion: &Fusion, seed: &str, other: &str) -> Vec<(Expectation, String)> {
    let library = Library::new(vec![("other".to_owned(), other.to_owned())]);
    let mut terms = Terms::new();
    let seed = Seed::read(&mut terms, "seed", seed).unwrap();
    let mut chain = Chain::start(&mut terms, &seed, fusion, &library, 1);
    let cases = std::iter::from_fn(|| chain.next(&mut terms));
    cases.map(|case| (case.expectation, case.script.replace('\n', ""))).collect()
}

fn only(id: &str) -> Fusion {
    let mut fusion = Fusion::new(built_in().into_iter().filter(|triple| triple.id == id).collect());
    fusion.triples.choices = false;
    fusion
}

#[test]
fn sat_with_sat_is_certified_sat() {
    let found = cases(&only("int-sum"), SAT, SAT);
    assert_eq!(found.len(), 40);
    assert!(found.iter().all(|(expectation, _)| *expectation == Expectation::Sat));
    assert!(found.iter().any(|(_, text)| text.contains("(> (- z x_1) 3)")), "{found:#?}");
    assert!(found.iter().any(|(_, text)| text.contains("(< (- z x) 9)")), "{found:#?}");
}

#[test]
fn unsat_with_unsat_is_unsat_by_the_definition_of_z() {
    for (expectation, text) in cases(&only("int-sum"), UNSAT, UNSAT) {
        assert_eq!(expectation, Expectation::Unsat);
        assert!(
            text.contains("(assert (= z (+ x x_1)))") || text.contains("(assert (= z (+ x_1 x)))"),
            "{text}"
        );
        assert!(!text.contains("(assert (= x "), "{text}");
    }
}

#[test]
fn a_triple_that_need_not_invert_brings_its_inversions_into_an_unsat_fusion() {
    for (_, text) in cases(&only("int-product"), UNSAT, UNSAT) {
        for equation in ["(assert (= x (div z x_1)))", "(assert (= x_1 (div z x)))"] {
            assert!(text.contains(equation), "{equation} is not in {text}");
        }
    }
}

#[test]
fn mixed_seeds_give_both_answers() {
    let found = cases(&only("int-sum"), SAT, UNSAT);
    for (expectation, text) in &found {
        let is_disjunction = text.contains("(assert (or (and ");
        assert_eq!(*expectation == Expectation::Sat, is_disjunction, "{text}");
        assert_ne!(*expectation, Expectation::None, "{text}");
    }
    let sat = found.iter().filter(|(expectation, _)| *expectation == Expectation::Sat).count();
    assert!((5..35).contains(&sat), "{sat}");
}

#[test]
fn a_factor_of_zero_needs_a_quotient_by_zero_that_fits() {
    let zero =
        "; expect: sat\n; model: (define-fun x () Int 0)\n(declare-const x Int)(assert (< x 1))(check-sat)";
    let found = cases(&only("int-product"), zero, zero);
    assert!(found.iter().any(|(_, text)| text.contains("div z")));
    for (expectation, text) in found {
        // The standard leaves `(div 0 0)` open: 0 satisfies all that is asserted of it here.
        assert_eq!(expectation, Expectation::Sat, "{text}");
    }
}

#[test]
fn factors_of_zero_that_need_two_values_for_one_quotient_take_the_claim_away() {
    let zeros = "; expect: sat\n; model: (define-fun x () Int 0)\n; model: (define-fun y () Int 0)\n\
        (declare-const x Int)(declare-const y Int)(assert (= x 0))(assert (= y 0))(check-sat)";
    let others = "; expect: sat\n; model: (define-fun v () Int 5)\n; model: (define-fun w () Int 7)\n\
        (declare-const v Int)(declare-const w Int)(assert (= v 5))(assert (= w 7))(check-sat)";
    let found = cases(&only("int-product"), zeros, others);
    let needs = |text: &str, value: u32| {
        text.split("(assert ").any(|part| {
            part.starts_with(&format!("(= (div z x) {value})"))
                || part.starts_with(&format!("(= (div z y) {value})"))
                || part.starts_with(&format!("(= (div z_1 x) {value})"))
                || part.starts_with(&format!("(= (div z_1 y) {value})"))
        })
    };
    let mut refused = 0;
    for (expectation, text) in found {
        // `(div 0 0)` is 5 or 7, not both.
        if needs(&text, 5) && needs(&text, 7) {
            assert_eq!(expectation, Expectation::None, "{text}");
            refused += 1;
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_label_without_a_model_is_no_claim() {
    let label = "; expect: sat\n(declare-const x Int)(assert (< x 1))(check-sat)";
    for (expectation, text) in cases(&only("int-sum"), label, label) {
        assert_eq!(expectation, Expectation::None, "{text}");
    }
}

#[test]
fn bound_occurrences_are_left_alone() {
    let bound = "; expect: unsat\n(declare-const x Int)(assert (forall ((x Int)) (> x 3)))(assert (> x (let ((x 1)) x)))(check-sat)";
    for (_, text) in cases(&only("int-sum"), UNSAT, bound) {
        assert!(text.contains("(forall ((x_1 Int)) (> x_1 3))"), "{text}");
        assert!(text.contains("(let ((x_1 1)) x_1)"), "{text}");
    }
}

#[test]
fn variables_of_seeds_without_a_common_triple_are_not_fused() {
    assert_eq!(cases(&only("real-sum"), SAT, UNSAT), []);
}

#[test]
fn concatenation_entangles_nothing() {
    let library = Library::new(vec![("other".to_owned(), UNSAT.to_owned())]);
    let mut terms = Terms::new();
    let seed = Seed::read(&mut terms, "seed", UNSAT).unwrap();
    let mut mutant = Mutant::new(&seed, &library);
    assert!(Concatenation.step(&mut terms, &mut mutant, &mut Random::new(2)));
    assert_eq!(
        script_text(&mut terms, &mutant.script).replace('\n', ""),
        "(declare-const x Int)(declare-const x_1 Int)\
         (assert (or (and (> x 3) (< x 3)) (and (> x_1 3) (< x_1 3))))(check-sat)"
    );
}

#[test]
fn seeds_without_constants_that_a_triple_fits_are_linked_by_a_choice() {
    let declared = "(declare-sort S 0)(declare-fun f (S) S)(declare-const s S)(assert (distinct s (f s)))\
        (assert (= s (f (f s))))(check-sat)";
    let refuted = "; expect: unsat\n(declare-fun p (Int) Bool)(assert (p 1))(assert (not (p 1)))(check-sat)";
    let found = cases(&Fusion::default(), declared, refuted);
    assert!(found.len() > 20, "{}", found.len());
    assert!(found.iter().all(|(expectation, _)| *expectation == Expectation::Unsat));
    assert!(found.iter().any(|(_, text)| text.contains("(declare-const z S)") && text.contains("(ite ")));
    assert!(found.iter().all(|(_, text)| text.contains("(assert (= z (ite ")));
}

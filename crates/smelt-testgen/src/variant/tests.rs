//! Every way to ask the same, and that it is the same.

use smelt_oracle::case::{Case, Expectation};
use smelt_oracle::plain::plain;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::read_script_as;

use super::*;
use crate::chain::Chain;
use crate::library::Library;

fn cases(source: &str) -> Vec<(Case, String)> {
    let library = Library::default();
    let technique = Variant::default();
    let mut found = Vec::new();
    for random_seed in 0..60 {
        let mut terms = Terms::new();
        let seed = Seed::read(&mut terms, "a", source).unwrap();
        let mut chain = Chain::start(&mut terms, &seed, &technique, &library, random_seed);
        while let Some(case) = chain.next(&mut terms) {
            found.push((case, chain.detail().to_owned()));
        }
    }
    found
}

const SAT: &str = "; expect: sat\n; model: (define-fun x () Int 5)\n; model: (define-fun s () String \"abcde\")\n\
    (declare-const x Int)(declare-const s String)(assert (< 3 (+ x 1)))(assert (= (str.len s) x))(check-sat)";

const UNSAT: &str = "; expect: unsat\n; core: 1 2\n(declare-fun f (Int) Int)(declare-const x Int)\
    (assert (forall ((y Int)) (< (f y) (+ x y))))(assert (exists ((y Int)) (> (f y) (+ x y))))(assert (= x 4))(check-sat)";

#[test]
fn variant() {
    let found = cases(SAT);
    assert!(found.len() > 400, "{}", found.len());
    for way in Way::ALL {
        assert!(found.iter().any(|(_, detail)| detail == way.words()), "{} alone", way.words());
    }
    for expected in [
        "(declare-const k!0 ",
        "|a name 1|",
        "(declare-fun x () Int)",
        "(define-fun d ((p Int)) Int (+ p 1))",
        "(let ((l (+ x 1)))",
        "(check-sat-assuming (",
        "(assert (=> a ",
        "(pop 1)",
        "(declare-const s Bool)",
        "(set-option :random-seed ",
    ] {
        assert!(found.iter().any(|(case, _)| case.script.contains(expected)), "{expected}");
    }
}

#[test]
fn what_is_known_of_the_seed_is_known_of_the_variant() {
    for (source, expectation) in [(SAT, Expectation::Sat), (UNSAT, Expectation::Unsat)] {
        for (case, detail) in cases(source) {
            assert_eq!(case.expectation, expectation, "{detail}: {}", case.script);
        }
    }
    let unknown = SAT.replace("; expect: sat", ";").replace("; model:", ";");
    assert!(cases(&unknown).iter().all(|(case, _)| case.expectation == Expectation::None));
}

#[test]
fn at_the_last_check_the_seed_is_in_force_and_nothing_else() {
    for (case, detail) in cases(UNSAT) {
        // These leave the terms of the seed as they are.
        if !detail.split(", ").all(|way| ["another order", "scopes", "random seed"].contains(&way)) {
            continue;
        }
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, &case.script, Dialect::V26);
        let plain = plain(&reading.script).expect("a variant has a check");
        let text = script_text(&mut terms, &plain);
        let mut lines: Vec<&str> = text.lines().filter(|line| line.starts_with("(assert")).collect();
        lines.sort_unstable();
        let expected = [
            "(assert (= x 4))",
            "(assert (exists ((y Int)) (> (f y) (+ x y))))",
            "(assert (forall ((y Int)) (< (f y) (+ x y))))",
        ];
        assert_eq!(lines, expected, "{}", case.script);
    }
}

#[test]
fn variables_become_parameters() {
    let found = cases(UNSAT);
    let has = |part: &str| found.iter().any(|(case, _)| case.script.contains(part));
    assert!(has("(define-fun d ((y Int)) Int (f y))") && has("(d y)"));
    assert!(has("(define-fun d ((y Int) (p Int)) Int (+ p y))"));
}

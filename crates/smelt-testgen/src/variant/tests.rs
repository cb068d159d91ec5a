//! Every way to ask the same, and that it is the same.

use smelt_oracle::case::{Case, Expectation};
use smelt_oracle::flatten::flatten;
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
        let plain = flatten(&terms, &reading.script).expect("a variant has a check");
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

/// A list as in SMT-LIB 2.5 and Z3, with its testers spelled `is-nil` and `is-cons`.
const OLD_TESTERS: &str = "; expect: unsat\n(declare-datatypes () ((Lst nil (cons (hd Int) (tl Lst)))))\
    (declare-const l Lst)(declare-const n Int)(assert (is-cons l))(assert (= l (tl (cons n nil))))(check-sat)";

/// What a list script tests for, of what is in force at its last check, and which constructor has fields. What a
/// variant takes back before may test for anything.
fn tested_and_with_fields(script: &str) -> (String, String) {
    let mut terms = Terms::new();
    let reading = read_script_as(&mut terms, script, Dialect::V26);
    assert_eq!(reading.diagnostics, [], "{script}");
    let in_force = flatten(&terms, &reading.script).expect("a variant has a check");
    let mut tested = Vec::new();
    let roots: Vec<Term> = in_force.terms().collect();
    for term in smelt_smtlib::walk::subterms(&terms, &roots) {
        if let smelt_smtlib::term::Head::Tester(name) = terms.head(term) {
            tested.push(terms.text(name).to_owned());
        }
    }
    tested.sort_unstable();
    tested.dedup();
    let tested = tested.join(" ");
    let mut with_fields = String::new();
    for command in &reading.script.commands {
        let Command::DeclareDatatypes(datatypes) = command else { continue };
        let all = datatypes.iter().flat_map(|datatype| &datatype.constructors);
        let mut found = all.filter(|constructor| !constructor.selectors.is_empty());
        with_fields = found.next().map(|found| terms.text(found.name).to_owned()).unwrap_or_default();
    }
    (tested, with_fields)
}

#[test]
fn a_tester_in_the_old_spelling_tests_for_its_constructor_under_every_naming() {
    let mut terms = Terms::new();
    let seed = Seed::read(&mut terms, "a", OLD_TESTERS).unwrap();
    for naming in Naming::ALL {
        let text = seed.plain_text(&mut terms);
        let names = FreshNames::of(&terms, &seed.script, &text).unwrap();
        let renamed = rename(&text, &names.renamed(naming));
        let (tested, with_fields) = tested_and_with_fields(&renamed);
        assert_eq!(tested, with_fields, "{naming:?}: {renamed}");
    }
    let mut renamed = 0;
    for (case, detail) in cases(OLD_TESTERS) {
        let (tested, with_fields) = tested_and_with_fields(&case.script);
        assert_eq!(tested, with_fields, "{detail}: {}", case.script);
        assert_eq!(case.expectation, Expectation::Unsat);
        renamed += u32::from(detail.contains("other names"));
    }
    assert!(renamed > 50, "{renamed}");
}

#[test]
fn a_model_with_testers_in_the_old_spelling_is_renamed_with_its_formula() {
    let source = "; expect: sat\n; model: (define-fun l () Lst (cons 1 nil))\n; model: (define-fun p ((x Lst)) Bool (is-cons x))\n\
        (declare-datatypes () ((Lst nil (cons (hd Int) (tl Lst)))))\
        (declare-const l Lst)(declare-fun p (Lst) Bool)(assert (and (p l) (is-cons l) (not (p nil))))(check-sat)";
    let found = cases(source);
    assert!(found.iter().any(|(_, detail)| detail.contains("other names")));
    for (case, detail) in found {
        assert_eq!(case.expectation, Expectation::Sat, "{detail}: {}", case.script);
    }
}

#[test]
fn definitions_and_bindings_of_parts_with_labels_read_back() {
    let source = "; expect: sat\n; model: (define-fun x () Int 5)\n(declare-const x Int)\
        (assert (! (< 3 x) :named n1))(assert (! (or n1 (not (= (+ x 1) 6))) :named n2))(assert (and n1 n2 (< x 9)))(check-sat)";
    let found = cases(source);
    assert!(found.iter().any(|(case, _)| case.script.contains("(define-fun d")));
    for (case, detail) in found {
        let reading = read_script_as(&mut Terms::new(), &case.script, Dialect::V26);
        assert_eq!(reading.diagnostics, [], "{detail}: {}", case.script);
    }
}

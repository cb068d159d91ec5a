//! Tests of the judges of derived formulas, with invented replies.

use super::*;

fn runs(answer: Answer) -> [EvaluatedRun; 2] {
    [run("a", "cvc5", answer, ModelCheck::Missing), run("b", "z3", answer, ModelCheck::Missing)]
}

/// What a solver prints after the mark of the result.
fn printed(family: &str, result: &str) -> EvaluatedRun {
    let solver = if family == "cvc5" { "a" } else { "b" };
    printing(run(solver, family, Answer::Sat, ModelCheck::Missing), &format!("smelt-result-0\n{result}\n"))
}

fn defined(body: &str) -> EvaluatedRun {
    printed("cvc5", &format!("(define-fun smelt-derived () Bool {body})"))
}

/// The opinions of both solvers.
fn both(answer: Answer) -> Vec<EvaluatedRun> {
    runs(answer).to_vec()
}

/// The texts of the questions after some replies; nothing if the judge speaks.
fn questions(script: &str, name: &str, answer: Answer, replies: &[EvaluatedRun]) -> Vec<String> {
    let runs = runs(answer);
    match step_on(script, name, Setting::new(&runs), replies) {
        Ok(_) => Vec::new(),
        Err(questions) => questions.into_iter().map(|(_, text)| text).collect(),
    }
}

/// Whether the first solver is blamed after some replies.
fn is_blamed(script: &str, name: &str, answer: Answer, replies: &[EvaluatedRun]) -> bool {
    let runs = runs(answer);
    let spoken = step_on(script, name, Setting::new(&runs), replies).unwrap();
    let class = judge(name).unwrap().classes()[0];
    match classes(&spoken).as_slice() {
        [] => false,
        found => {
            assert_eq!(found, [blamed(class, "a")]);
            true
        }
    }
}

const PARTS: &str =
    "(declare-const x Int)(declare-const y Int)(assert (> x 5))(assert (and (< x 3) (> y 0)))(check-sat)";

#[test]
fn an_interpolant_is_between_two_parts_and_has_their_symbols() {
    let asked = questions(PARTS, "interpolant", Answer::Unsat, &[]);
    assert_eq!(asked.len(), 1);
    assert!(asked[0].starts_with("(set-option :produce-interpolants true)"), "{}", asked[0]);
    assert!(
        asked[0].ends_with("(get-interpolant smelt-derived (not (and (< x 3) (> y 0))))"),
        "{}",
        asked[0]
    );
    let check = |replies: &[EvaluatedRun]| is_blamed(PARTS, "interpolant", Answer::Unsat, replies);
    assert!(!check(&[defined("(> x 4)")]));
    assert!(!check(&[printed("cvc5", "fail")]));
    assert!(!check(&[printed("cvc5", "(error \"no\")")]));
    for wrong in ["(> x 7)", "(> x 1)"] {
        let wrong = vec![defined(wrong)];
        assert_eq!(questions(PARTS, "interpolant", Answer::Unsat, &wrong).len(), 2);
        assert!(check(&[wrong.clone(), both(Answer::Sat)].concat()));
        assert!(!check(&[wrong, both(Answer::Unsat)].concat()));
    }
    assert!(check(&[defined("(and (> x 4) (=> (> y 0) (> x 3)))")]));
    assert_eq!(questions(PARTS, "interpolant", Answer::Sat, &[]), [""; 0]);
}

const HALVES: &str = "(declare-const x Int)(declare-const y Int)(assert (= x (* 2 y)))(check-sat)";

#[test]
fn a_formula_without_its_quantifier_means_the_same() {
    let asked = questions(HALVES, "elimination", Answer::Sat, &[]);
    assert_eq!(asked.len(), 2);
    assert!(asked[0].contains("(get-qe (exists ((smelt-variable Int)) "), "{}", asked[0]);
    assert!(
        asked[1].contains("(assert (exists ") && asked[1].contains("(apply (try-for qe "),
        "{}",
        asked[1]
    );
    // What is left has no values for the constant that is bound.
    let is_y = asked[0].contains("(* 2 smelt-variable)");
    let right = if is_y { "(= (mod x 2) 0)" } else { "true" };
    let silent = printed("z3", "(error \"no\")");
    let of = |result: &str| vec![printed("cvc5", result), silent.clone()];
    let check = |replies: &[EvaluatedRun]| is_blamed(HALVES, "elimination", Answer::Sat, replies);
    assert!(!check(&[of(right), both(Answer::Unsat)].concat()));
    // Our evaluator tells that it is too strong, two solvers that it is too weak.
    assert!(check(&[of("false"), both(Answer::Sat)].concat()));
    assert!(!check(&[of("false"), both(Answer::Unsat)].concat()));
    assert!(check(&[of(right), both(Answer::Sat)].concat()));
    let one = vec![
        run("a", "cvc5", Answer::Sat, ModelCheck::Missing),
        run("b", "z3", Answer::Unknown, ModelCheck::Missing),
    ];
    assert!(!check(&[of(right), one].concat()));
    let bound = if is_y { "(= x (* 2 y))" } else { "(> x y)" };
    assert!(check(&of(bound)));
}

const GOAL: &str = "(declare-const x Int)(declare-const y Int)(assert (> x 5))(assert (> y 7))(check-sat)";

#[test]
fn an_abduct_implies_the_goal_and_agrees_with_the_rest() {
    let asked = questions(GOAL, "abduct", Answer::Sat, &[]);
    assert!(asked[0].contains("(get-abduct smelt-derived (> "), "{}", asked[0]);
    let check = |replies: &[EvaluatedRun]| is_blamed(GOAL, "abduct", Answer::Sat, replies);
    let right = vec![defined("(and (> x 9) (> y 9))")];
    assert!(!check(&[right.clone(), both(Answer::Sat)].concat()));
    assert!(check(&[right, both(Answer::Unsat)].concat()));
    let wrong = vec![defined("(distinct x 99)")];
    assert!(check(&[wrong.clone(), both(Answer::Sat)].concat()));
    assert!(!check(&[wrong, both(Answer::Unsat)].concat()));
}

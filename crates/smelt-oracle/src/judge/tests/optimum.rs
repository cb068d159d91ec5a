//! Tests of the judge of optima, with invented replies.

use super::*;
use crate::finding::OptimumProblem;

const CASE: &str = "(set-option :opt.priority lex)(declare-const x Int)(declare-const r Real)\
    (assert (<= x 5))(assert (< r 2.0))(maximize x)(maximize r)(check-sat)";

const SUPREMUM: &str = "(r (+ 2.0 (* (- 1.0) epsilon)))";

fn lex(values: &str, model: &str) -> EvaluatedRun {
    let output = format!("(objectives\n {values}\n)\n(\n {model}\n)");
    printing(run("a", "z3", Answer::Sat, ModelCheck::Missing), &output)
}

fn model(x: &str, r: &str) -> String {
    format!("(define-fun x () Int {x})\n (define-fun r () Real {r})")
}

fn runs() -> [EvaluatedRun; 2] {
    [run("a", "z3", Answer::Sat, ModelCheck::Missing), run("b", "cvc5", Answer::Sat, ModelCheck::Missing)]
}

/// What is asked after a first reply, without the declarations; nothing if the judge speaks at once.
fn asked(script: &str, reply: EvaluatedRun) -> Vec<String> {
    let runs = runs();
    let Err(questions) = step_on(script, "optimum", Setting::new(&runs), &[reply]) else { return Vec::new() };
    let solvers: Vec<&str> = questions.iter().map(|(question, _)| question.solver.as_str()).collect();
    assert!(solvers.chunks(2).all(|pair| pair == ["a", "b"]), "{solvers:?}");
    let last_assertion = |text: &str| text.rsplit_once("(assert ").unwrap().1.replace("(check-sat)", "");
    questions.iter().step_by(2).map(|(_, text)| last_assertion(text)).collect()
}

/// The problem that is found after some replies.
fn problem(script: &str, replies: &[EvaluatedRun]) -> Option<OptimumProblem> {
    let runs = runs();
    let spoken = step_on(script, "optimum", Setting::new(&runs), replies).unwrap();
    let verdict = spoken.first()?;
    assert_eq!(
        (verdict.class, verdict.culprit.as_deref(), spoken.len()),
        (Class::InvalidOptimum, Some("a"), 1)
    );
    let Evidence::Optimum { problem, .. } = &verdict.evidence else { panic!("{:?}", verdict.evidence) };
    Some(problem.clone())
}

fn unsat(solver: &str, family: &str) -> EvaluatedRun {
    run(solver, family, Answer::Unsat, ModelCheck::Missing)
}

#[test]
fn solvers_that_may_know_objectives_are_asked_for_their_values() {
    let runs = runs();
    let questions = step_on(CASE, "optimum", Setting::new(&runs), &[]).unwrap_err();
    assert_eq!(questions.len(), 1);
    assert_eq!(questions[0].0.solver, "a");
    assert!(
        questions[0].1.ends_with("(maximize r)(check-sat)(get-objectives)(get-model)"),
        "{}",
        questions[0].1
    );
    let unsaid = CASE.replace("(set-option :opt.priority lex)", "");
    let questions = step_on(&unsaid, "optimum", Setting::new(&runs), &[]).unwrap_err();
    assert!(questions[0].1.starts_with("(set-option :opt.priority lex)"), "{}", questions[0].1);
    assert_eq!(step("optimum", Setting::new(&runs), &[]).unwrap(), []);
    let undecided = [run("a", "z3", Answer::Unknown, ModelCheck::Missing)];
    assert_eq!(step_on(CASE, "optimum", Setting::new(&undecided), &[]).unwrap(), []);
}

#[test]
fn everybody_is_asked_for_something_better() {
    let reply = lex(&format!("(x 5) {SUPREMUM}"), &model("5", "(/ 3.0 2.0)"));
    let expected = ["(or (> x 5) (and (= x 5) (>= r 2.0))))", "(and (= x 5) (> r (/ 1999.0 1000.0))))"];
    assert_eq!(asked(CASE, reply), expected);
}

#[test]
fn a_model_that_is_better_convicts() {
    let reply = lex(&format!("(x 4) {SUPREMUM}"), &model("4", "(/ 3.0 2.0)"));
    let better =
        printing(run("b", "cvc5", Answer::Sat, ModelCheck::Accepted), &format!("({})", model("5", "0.0")));
    let granted = || run("a", "z3", Answer::Sat, ModelCheck::Accepted);
    let replies = [reply.clone(), unsat("a", "z3"), better.clone(), granted(), granted()];
    let found = problem(CASE, &replies);
    assert!(matches!(&found, Some(OptimumProblem::Better { solver, .. }) if solver == "b"), "{found:?}");
    for model in [ModelCheck::Undecided, ModelCheck::Refuted(vec![1]), ModelCheck::Missing] {
        let opinion = EvaluatedRun { model, ..better.clone() };
        let replies = [reply.clone(), unsat("a", "z3"), opinion, granted(), granted()];
        assert_eq!(problem(CASE, &replies), None);
    }
}

#[test]
fn the_model_of_a_solver_must_have_the_values_that_it_reports() {
    let reply = lex(&format!("(x 4) {SUPREMUM}"), &model("5", "0.0"));
    assert!(matches!(problem(CASE, &[reply]), Some(OptimumProblem::OtherValue { .. })));
    // A model that is none is the business of another judge.
    let refuted = lex(&format!("(x 7) {SUPREMUM}"), &model("6", "0.0"));
    assert_eq!(problem(CASE, &[refuted, unsat("a", "z3"), unsat("b", "cvc5")]), None);
    // What comes after a value that is not attained has any value.
    let open = CASE.replace("(maximize x)(maximize r)", "(maximize r)(maximize x)");
    let reply = lex(&format!("{SUPREMUM} (x 1)"), &model("5", "0.0"));
    assert_eq!(asked(&open, reply).len(), 2);
}

#[test]
fn a_value_that_two_lineages_deny_is_none() {
    let reply = lex("(x oo) (r 0)", &model("5", "0.0"));
    let grants = [run("a", "z3", Answer::Sat, ModelCheck::Undecided), unsat("b", "cvc5")];
    assert_eq!(problem(CASE, &[std::slice::from_ref(&reply), &grants[..]].concat()), None);
    let one = [unsat("a", "z3"), run("b", "cvc5", Answer::Unknown, ModelCheck::Missing)];
    assert_eq!(problem(CASE, &[std::slice::from_ref(&reply), &one[..]].concat()), None);
    let found = problem(CASE, &[reply, unsat("a", "z3"), unsat("b", "cvc5")]);
    assert!(matches!(found, Some(OptimumProblem::NotAttained { unsat }) if unsat == ["a", "b"]));
}

#[test]
fn in_a_box_each_value_must_be_attained_but_not_by_one_model() {
    let boxed = CASE.replace("lex", "box");
    let reply = lex(&format!("(x 5) {SUPREMUM}"), &model("3", "0.0"));
    let expected = ["(or (> x 5) (>= r 2.0)))", "(>= x 5))", "(> r (/ 1999.0 1000.0)))"];
    assert_eq!(asked(&boxed, reply), expected);
    let better = lex(&format!("(x 4) {SUPREMUM}"), &model("5", "0.0"));
    assert!(
        matches!(problem(&boxed, &[better]), Some(OptimumProblem::Better { solver, .. }) if solver == "a")
    );
}

#[test]
fn soft_constraints_cost_the_weights_of_those_that_are_false() {
    let script = "(declare-const x Int)(declare-const r Real)(assert (<= x 5))(assert-soft (> x 6) :weight 0.5 :id g)\
        (assert-soft (> x 4) :id g)(check-sat)";
    let right = lex("(g (/ 1.0 2.0))", &model("5", "0.0"));
    let better = "(< (+ (ite (> x 6) 0.0 (/ 1.0 2.0)) (ite (> x 4) 0.0 1.0)) (/ 1.0 2.0)))";
    assert_eq!(asked(script, right), [better]);
    let wrong = lex("(g 1)", &model("5", "0.0"));
    assert!(matches!(problem(script, &[wrong]), Some(OptimumProblem::OtherValue { .. })));
}

#[test]
fn answers_that_are_not_understood_say_nothing() {
    let runs = runs();
    let silent = |output: &str| {
        let reply = printing(run("a", "z3", Answer::Sat, ModelCheck::Missing), output);
        step_on(CASE, "optimum", Setting::new(&runs), &[reply]).map_err(|_| ())
    };
    for output in [
        "",
        "(error \"line 9 column 15: unknown command\")\n((define-fun x () Int 9))",
        "(objectives (x 1))\n((define-fun x () Int 9))",
        "(objectives (x 1) (r 1)",
        "(objectives (x (root-obj (+ (^ x 2) (- 2)) 2)) (r what))\n((define-fun x () Int 9))",
    ] {
        assert_eq!(silent(output), Ok(Vec::new()), "{output}");
    }
    for answer in [Answer::Unsat, Answer::Unknown, Answer::Timeout, Answer::Crash] {
        let reply = run("a", "z3", answer, ModelCheck::Missing);
        assert_eq!(step_on(CASE, "optimum", Setting::new(&runs), &[reply]).unwrap(), []);
    }
}

#[test]
fn objectives_of_a_scope_that_is_closed_do_not_count() {
    let script =
        CASE.replace("(maximize x)(maximize r)", "(maximize x)(push 1)(maximize r)(check-sat)(pop 1)");
    assert_eq!(asked(&script, lex("(x 5)", &model("5", "0.0"))), ["(> x 5))"]);
}

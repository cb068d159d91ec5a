//! The judges of what is printed besides answers, under limits and again.

use super::*;

const ASSUMING: &str = "(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(assert (=> p (> x 5)))\
    (check-sat)(check-sat-assuming (p q (not p)))";

fn session(answers: &[Answer], outputs: &[&str]) -> EvaluatedRun {
    let last = *answers.last().unwrap();
    let mut checked = printing(run("a", "z3", last, ModelCheck::Missing), outputs[outputs.len() - 1]);
    checked.run.answers = answers.to_vec();
    checked.run.outputs = outputs.iter().map(|output| (*output).to_owned()).collect();
    checked
}

/// A session in which these are the values after the first check and the assumptions needed after the second.
fn with(values: &str, needed: &str) -> EvaluatedRun {
    let model = "((define-fun p () Bool true)(define-fun q () Bool false)(define-fun x () Int 6))";
    session(&[Answer::Sat, Answer::Unsat], &[&format!("{model}\n{values}"), needed])
}

fn asked(replies: &[EvaluatedRun]) -> Result<Vec<Verdict>, Vec<String>> {
    let runs = [with("", "")];
    let step = step_on(ASSUMING, "values", Setting::new(&runs), replies);
    step.map_err(|questions| questions.into_iter().map(|(_, text)| text).collect())
}

const RIGHT: &str = "((p true) (q false) (x 6) ((=> p (> x 5)) true) ((> x 5) true) (5 5))";

#[test]
fn values_and_needed_assumptions_are_asked_for_as_answers_allow() {
    let questions = asked(&[]).unwrap_err();
    let expected = "(set-option :produce-unsat-assumptions true)(declare-const p Bool)(declare-const q Bool)\
        (declare-const x Int)(assert (=> p (> x 5)))(check-sat)(get-model)\
        (get-value (";
    let (before, _) = questions[0].split_once("(get-value").expect("values are asked for");
    assert!(expected.starts_with(before), "{before}");
    assert!(questions[0].ends_with("(get-unsat-assumptions)"), "{}", questions[0]);
}

#[test]
fn a_value_that_the_model_before_it_contradicts_is_an_invalid_model() {
    let wrong = with(&RIGHT.replace("((> x 5) true)", "((> x 5) false)"), "(error \"none\")");
    let questions = asked(std::slice::from_ref(&wrong)).unwrap_err();
    let pinned = "(assert (=> p (> x 5)))(assert (= (> x 5) false))(assert (= p true))(assert (= q false))\
        (assert (= x 6))(check-sat)";
    assert!(questions[1].ends_with(pinned), "{}", questions[1]);
    let reply = |answer| run("a", "z3", answer, ModelCheck::Missing);
    let spoken = asked(&[wrong.clone(), wrong.clone(), reply(Answer::Unsat)]).unwrap();
    assert_eq!(classes(&spoken), [blamed(Class::InvalidModel, "a")]);
    let Evidence::Trace { check: 1, printed: Some(printed), .. } = &spoken[0].evidence else {
        panic!("{:?}", spoken[0].evidence)
    };
    assert_eq!(printed, "((> x 5) false)");
    // Whoever calls it satisfiable may know something that we do not, and it must be printed again.
    assert_eq!(asked(&[wrong.clone(), wrong.clone(), reply(Answer::Sat)]).unwrap(), []);
    let right = with(RIGHT, "(error \"none\")");
    assert_eq!(asked(&[wrong, right.clone(), reply(Answer::Unsat)]).unwrap(), []);
    assert_eq!(asked(&[right]).unwrap(), []);
}

#[test]
fn needed_assumptions_with_a_model_do_not_suffice() {
    let wrong = with(RIGHT, "(p q)");
    let questions = asked(std::slice::from_ref(&wrong)).unwrap_err();
    assert!(
        questions[1].ends_with("(assert (=> p (> x 5)))(assert p)(assert q)(check-sat)"),
        "{questions:?}"
    );
    let reply = |answer, model| run("a", "z3", answer, model);
    let accepted = reply(Answer::Sat, ModelCheck::Accepted);
    let spoken = asked(&[wrong.clone(), wrong.clone(), accepted]).unwrap();
    assert_eq!(classes(&spoken), [blamed(Class::InvalidCore, "a")]);
    for (answer, model) in [(Answer::Sat, ModelCheck::Undecided), (Answer::Unsat, ModelCheck::Missing)] {
        assert_eq!(asked(&[wrong.clone(), wrong.clone(), reply(answer, model)]).unwrap(), []);
    }
    let right = with(RIGHT, "(p (not p))");
    let unsat = reply(Answer::Unsat, ModelCheck::Missing);
    assert_eq!(asked(&[right.clone(), right, unsat.clone()]).unwrap(), []);
    // One that was never made is wrong whatever follows from it.
    let foreign = with(RIGHT, "(p (not q))");
    assert_eq!(
        classes(&asked(&[foreign.clone(), foreign, unsat]).unwrap()),
        [blamed(Class::InvalidCore, "a")]
    );
    for unread in ["(error \"none\")", "", "(unknown-name)"] {
        assert_eq!(asked(&[with(RIGHT, unread)]).unwrap(), [], "{unread}");
    }
}

#[test]
fn output_that_differs_from_run_to_run_is_nondeterminism() {
    let runs = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    let questions = step("determinism", Setting::new(&runs), &[]).unwrap_err();
    assert_eq!(questions.len(), 3);
    assert!(questions[2].1.ends_with("(check-sat)(get-model)(get-info :rlimit)"), "{}", questions[2].1);
    let reply = |output: &str| printing(run("a", "z3", Answer::Sat, ModelCheck::Accepted), output);
    let heard =
        |outputs: [&str; 3]| classes(&step("determinism", Setting::new(&runs), &outputs.map(reply)).unwrap());
    assert_eq!(heard(["x", "x", "x"]), []);
    assert_eq!(heard(["x", "x", "y"]), [blamed(Class::Nondeterminism, "a")]);
    let mut late = reply("y");
    (late.run.answer, late.run.limit) = (Answer::Timeout, Some(crate::run::Limit::Cpu));
    let replies = [reply("x"), reply("x"), late];
    assert_eq!(step("determinism", Setting::new(&runs), &replies).unwrap(), []);
}

#[test]
fn under_a_limit_an_answer_may_be_lost_and_not_turned_around() {
    let runs = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    let heard = |sample_key, answers: [Answer; 2], cpu_ms| {
        let setting = || Setting { sample_key, ..Setting::new(&runs) };
        let questions = step("limits", setting(), &[]).unwrap_err();
        assert!(questions[0].1.starts_with("(set-option :"), "{}", questions[0].1);
        let reply = |answer| taking(run("a", "z3", answer, ModelCheck::Missing), cpu_ms);
        classes(&step("limits", setting(), &answers.map(reply)).unwrap())
    };
    assert_eq!(heard(1, [Answer::Unsat; 2], 1.0), [blamed(Class::Inconsistency, "a")]);
    assert_eq!(heard(1, [Answer::Unsat, Answer::Sat], 1.0), []);
    assert_eq!(heard(0, [Answer::Unknown, Answer::Timeout], 300.0), []);
    // Only a limit on time is about processor time.
    assert_eq!(heard(0, [Answer::Unknown; 2], 9_000.0), [blamed(Class::Hang, "a")]);
    assert_eq!(heard(1, [Answer::Unknown; 2], 9_000.0), []);
}

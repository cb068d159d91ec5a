//! The judge of traces, with invented sessions.

use super::*;

/// Three checks: a number is 9, then greater than 5 and less than 3, then greater than 5.
const SESSION: &str = "(declare-const x Int)(push 1)(assert (= x 9))(check-sat)(pop 1)\
    (assert (> x 5))(push 1)(assert (< x 3))(check-sat)(pop 1)(check-sat)";

const NINE: &str = "(declare-const x Int)(assert (= x 9))(check-sat)";
const NONE: &str = "(declare-const x Int)(assert (> x 5))(assert (< x 3))(check-sat)";
const LARGE: &str = "(declare-const x Int)(assert (> x 5))(check-sat)";

const SAT: Answer = Answer::Sat;
const UNSAT: Answer = Answer::Unsat;

/// A run of a session, with the value of the number after each answer; nothing where it is 0.
fn session(solver: &str, family: &str, said: &[(Answer, i64)]) -> EvaluatedRun {
    let mut checked =
        run(solver, family, said.last().map_or(Answer::Error, |last| last.0), ModelCheck::Missing);
    checked.run.answers = said.iter().map(|(answer, _)| *answer).collect();
    checked.run.outputs = said.iter().map(|(_, value)| model(*value)).collect();
    checked.run.output = checked.run.outputs.last().cloned().unwrap_or_default();
    checked
}

fn model(value: i64) -> String {
    if value == 0 { String::new() } else { format!("((define-fun x () Int {value}))") }
}

/// A reply to a plain form.
fn alone(solver: &str, family: &str, answer: Answer, model: ModelCheck) -> EvaluatedRun {
    run(solver, family, answer, model)
}

const RIGHT: [(Answer, i64); 3] = [(SAT, 9), (UNSAT, 0), (SAT, 7)];

/// What is asked next after these replies, as solver and text.
fn asked(runs: &[EvaluatedRun], replies: &[EvaluatedRun]) -> Vec<(String, String)> {
    let questions = step_on(SESSION, "trace", Setting::new(runs), replies).unwrap_err();
    questions.into_iter().map(|(question, text)| (question.solver, text)).collect()
}

fn spoken(runs: &[EvaluatedRun], replies: &[EvaluatedRun]) -> Vec<Verdict> {
    step_on(SESSION, "trace", Setting::new(runs), replies).unwrap()
}

fn to(solver: &str, text: &str) -> (String, String) {
    (solver.to_owned(), text.to_owned())
}

#[test]
fn models_are_asked_for_after_each_sat_and_plain_forms_of_what_they_do_not_settle() {
    let runs = [session("a", "z3", &[(SAT, 0), (UNSAT, 0), (SAT, 0)])];
    let with_models = SESSION.replacen("(check-sat)", "(check-sat)(get-model)", 1) + "(get-model)";
    assert_eq!(asked(&runs, &[]), [to("a", &with_models)]);
    assert_eq!(asked(&runs, &[session("a", "z3", &RIGHT)]), [to("a", NONE)]);
    let unsupported = [(SAT, 0), (UNSAT, 0), (SAT, 7)];
    assert_eq!(asked(&runs, &[session("a", "z3", &unsupported)]), [to("a", NINE), to("a", NONE)]);
    let right = [session("a", "z3", &RIGHT), alone("a", "z3", UNSAT, ModelCheck::Missing)];
    assert_eq!(spoken(&runs, &right), []);
}

#[test]
fn a_session_is_asked_for_without_models_and_under_a_limit_once_in_a_while() {
    let runs = [session("a", "z3", &RIGHT)];
    let asked = |sample_key| {
        let setting = Setting { sample_key, ..Setting::new(&runs) };
        step_on(SESSION, "trace", setting, &[]).unwrap_err()[0].1.clone()
    };
    assert_eq!(asked(8), SESSION);
    assert_eq!(asked(12), format!("(set-option :rlimit 3000){SESSION}"));
}

#[test]
fn an_unsat_in_a_session_is_wrong_if_a_model_of_the_plain_form_is_accepted() {
    let runs = [session("a", "z3", &RIGHT), session("b", "cvc5", &RIGHT)];
    let wrong = session("a", "z3", &[(SAT, 9), (UNSAT, 0), (UNSAT, 0)]);
    let mut replies = vec![wrong.clone(), session("b", "cvc5", &RIGHT)];
    assert_eq!(asked(&runs, &replies), [to("a", NONE), to("a", LARGE), to("b", NONE)]);
    let unsat = |solver, family| alone(solver, family, UNSAT, ModelCheck::Missing);
    let sat = |solver, family| printing(alone(solver, family, SAT, ModelCheck::Accepted), &model(7));
    replies.extend([unsat("a", "z3"), sat("a", "z3"), unsat("b", "cvc5")]);
    let again = asked(&runs, &replies);
    assert_eq!(again[0].0, "a");
    assert!(again[0].1.contains("(push 1)"), "{}", again[0].1);
    assert_eq!(again[1..], [to("a", LARGE), to("b", LARGE)]);
    let confirmed = [replies.clone(), vec![wrong.clone(), sat("a", "z3"), sat("b", "cvc5")]].concat();
    let verdicts = spoken(&runs, &confirmed);
    assert_eq!(classes(&verdicts), [blamed(Class::SoundnessRefutation, "a")]);
    let Evidence::Trace { check, said, script, alone: answered, model, .. } = &verdicts[0].evidence else {
        panic!("{:?}", verdicts[0].evidence)
    };
    assert_eq!((*check, *said, script.replace('\n', "").as_str()), (3, UNSAT, LARGE));
    let answers: Vec<(&str, Answer)> = answered.iter().map(|one| (one.solver.as_str(), one.answer)).collect();
    assert_eq!(answers, [("a", SAT), ("b", SAT)]);
    assert_eq!(model.as_ref().map(|model| model.false_assertions.len()), Some(0));
    // It must be seen again, and an answer alone is not enough for more than a contradiction.
    let right = session("a", "z3", &RIGHT);
    let gone = [replies.clone(), vec![right, sat("a", "z3"), sat("b", "cvc5")]].concat();
    assert_eq!(spoken(&runs, &gone), []);
    let without_model = |solver, family| alone(solver, family, SAT, ModelCheck::Undecided);
    let opinions = vec![wrong.clone(), without_model("a", "z3"), without_model("b", "cvc5")];
    let contradiction = [replies.clone(), opinions].concat();
    assert_eq!(classes(&spoken(&runs, &contradiction)), [blamed(Class::TraceInconsistency, "a")]);
    let unknown = alone("a", "z3", Answer::Unknown, ModelCheck::Missing);
    let undecided = [replies, vec![wrong, unknown, without_model("b", "cvc5")]].concat();
    assert_eq!(spoken(&runs, &undecided), []);
}

#[test]
fn a_sat_in_a_session_whose_model_fails_is_an_invalid_model() {
    let runs = [session("a", "z3", &RIGHT), session("b", "cvc5", &RIGHT), session("c", "smelt", &RIGHT)];
    let wrong = session("a", "z3", &[(SAT, 9), (SAT, 4), (SAT, 7)]);
    let right = |solver, family| session(solver, family, &RIGHT);
    let unsat = |solver, family| alone(solver, family, UNSAT, ModelCheck::Missing);
    let unknown = |solver, family| alone(solver, family, Answer::Unknown, ModelCheck::Missing);
    let begin = vec![
        wrong.clone(),
        right("b", "cvc5"),
        right("c", "smelt"),
        unknown("a", "z3"),
        unsat("b", "cvc5"),
        unsat("c", "smelt"),
    ];
    let with = |opinions: [EvaluatedRun; 3]| {
        let replies = [begin.clone(), vec![wrong.clone()], opinions.to_vec()].concat();
        classes(&spoken(&runs, &replies))
    };
    let one_vote = [unknown("a", "z3"), unsat("b", "cvc5"), unknown("c", "smelt")];
    assert_eq!(with(one_vote), [blamed(Class::InvalidModel, "a")]);
    let two_votes = [unknown("a", "z3"), unsat("b", "cvc5"), unsat("c", "smelt")];
    assert_eq!(with(two_votes), [blamed(Class::SoundnessSolution, "a")]);
}

#[test]
fn a_session_that_ends_early_is_asked_up_to_its_last_answer() {
    let cut = session("a", "z3", &[(SAT, 0)]);
    let questions = asked(&[cut], &[]);
    let expected = "(declare-const x Int)(push 1)(assert (= x 9))(check-sat)(get-model)";
    assert_eq!(questions, [to("a", expected)]);
    // The rest has no answer, and nothing is compared with it.
    let runs = [session("a", "z3", &[(SAT, 0)])];
    assert_eq!(spoken(&runs, &[session("a", "z3", &[(SAT, 9)])]), []);
    assert_eq!(spoken(&runs, &[session("a", "z3", &[])]), []);
}

#[test]
fn answers_that_are_not_decided_are_never_compared() {
    for answer in [Answer::Unknown, Answer::Timeout, Answer::Rejected, Answer::Error, Answer::Crash] {
        let runs = [session("a", "z3", &[(SAT, 0), (answer, 0), (answer, 0)])];
        assert_eq!(spoken(&runs, &[session("a", "z3", &[(SAT, 9), (answer, 0), (answer, 0)])]), []);
        let lost = [session("a", "z3", &[(answer, 0)])];
        assert_eq!(spoken(&lost, &[]), []);
    }
}

#[test]
fn plain_cases_and_those_with_unknown_commands_are_no_sessions() {
    let runs = [run("a", "z3", SAT, ModelCheck::Accepted)];
    assert_eq!(step("trace", Setting::new(&runs), &[]).unwrap(), []);
    let runs = [session("a", "z3", &RIGHT)];
    let unknown = SESSION.replacen("(push 1)", "(frobnicate)(push 1)", 1);
    let replies = [session("a", "z3", &[(UNSAT, 0), (SAT, 0), (SAT, 0)])];
    assert_eq!(step_on(&unknown, "trace", Setting::new(&runs), &replies).unwrap(), []);
}

#[test]
fn cases_with_few_checks_are_looked_at_by_their_share() {
    let few = "(declare-const x Int)(assert (> x 5))(check-sat)(push 1)(assert (< x 3))(check-sat)";
    let runs = [session("a", "z3", &[(SAT, 0), (UNSAT, 0)])];
    let looks_at =
        |sample_key| step_on(few, "trace", Setting { sample_key, ..Setting::new(&runs) }, &[]).is_err();
    assert!(looks_at(8) && !looks_at(9));
    assert!((0..20).all(|key| looks_at(always_looked_at(key))));
}

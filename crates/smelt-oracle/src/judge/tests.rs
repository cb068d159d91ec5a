mod optimum;

use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::read_script;

use super::*;
use crate::evaluated::{ModelCheck, Version};
use crate::run::Run;

mod printed;
mod traces;

/// Two assertions that contradict each other, and one that does not matter.
const SCRIPT: &str = "(declare-const x Int)\
    (assert (> x 5))(assert (< x 3))(assert (= x x))(check-sat)";

fn run(solver: &str, family: &str, answer: Answer, model: ModelCheck) -> EvaluatedRun {
    let run = Run {
        solver: solver.to_owned(),
        answer,
        answers: vec![answer],
        output: "((x 1))".to_owned(),
        outputs: Vec::new(),
        reason: None,
        crash_signature: (answer == Answer::Crash).then(|| "signal 11".to_owned()),
        reports: Vec::new(),
        cpu_ms: 1.0,
        limit: None,
        wall_ms: 1.0,
        max_rss_kb: None,
        leaked: 0,
    };
    EvaluatedRun {
        run,
        family: family.to_owned(),
        version: None,
        dialect: Dialect::V26,
        is_warm: false,
        model,
    }
}

fn printing(mut checked: EvaluatedRun, output: &str) -> EvaluatedRun {
    checked.run.output = output.to_owned();
    checked
}

fn taking(mut checked: EvaluatedRun, cpu_ms: f64) -> EvaluatedRun {
    checked.run.cpu_ms = cpu_ms;
    checked
}

fn release(mut checked: EvaluatedRun, version: &str) -> EvaluatedRun {
    checked.version = Version::parse(version);
    checked
}

fn warm(mut checked: EvaluatedRun) -> EvaluatedRun {
    checked.is_warm = true;
    checked
}

/// What is observed of [`SCRIPT`] in a test.
struct Setting<'c> {
    expectation: Expectation,
    basis: Basis,
    runs: &'c [EvaluatedRun],
    first: Option<&'c [EvaluatedRun]>,
    /// The formula before it, how it follows from it, and what is known of its runs.
    parent: Option<(&'static str, Relation, Option<&'c [EvaluatedRun]>)>,
    sample_key: u64,
}

impl<'c> Setting<'c> {
    fn new(runs: &'c [EvaluatedRun]) -> Self {
        Setting {
            expectation: Expectation::None,
            basis: Basis::Certain,
            runs,
            first: None,
            parent: None,
            sample_key: 0,
        }
    }
}

/// Lets a judge speak; questions are shown as solver and text, answers as class and culprit.
fn step(
    name: &str,
    setting: Setting<'_>,
    replies: &[EvaluatedRun],
) -> Result<Vec<Verdict>, Vec<(Question, String)>> {
    step_on(SCRIPT, name, setting, replies)
}

fn step_on(
    script: &str,
    name: &str,
    setting: Setting<'_>,
    replies: &[EvaluatedRun],
) -> Result<Vec<Verdict>, Vec<(Question, String)>> {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, script);
    let formula = Formula::new(&terms, &reading);
    let parent =
        setting.parent.map(|(text, relation, runs)| (read_script(&mut terms, text).script, relation, runs));
    let observed = Observed {
        expectation: setting.expectation,
        basis: &setting.basis,
        script: &reading.script,
        formula: &formula,
        runs: setting.runs,
        first: setting.first,
        parent: parent.as_ref().map(|(script, relation, runs)| Parent {
            script,
            relation: *relation,
            change: "a rule",
            runs: *runs,
        }),
        sample_key: setting.sample_key,
    };
    match judge(name).unwrap().step(&mut terms, &observed, replies) {
        JudgeStep::Done(verdicts) => Ok(verdicts),
        JudgeStep::Ask(questions) => Err(questions
            .into_iter()
            .map(|question| {
                let text = script_text(&mut terms, &question.script).replace('\n', "");
                (question, text)
            })
            .collect()),
    }
}

fn verdicts(name: &str, runs: &[EvaluatedRun]) -> Vec<(Class, Option<String>)> {
    classes(&step(name, Setting::new(runs), &[]).expect("it speaks at once"))
}

fn classes(verdicts: &[Verdict]) -> Vec<(Class, Option<String>)> {
    verdicts.iter().map(|verdict| (verdict.class, verdict.culprit.clone())).collect()
}

fn blamed(class: Class, solver: &str) -> (Class, Option<String>) {
    (class, Some(solver.to_owned()))
}

#[test]
fn names_are_unique_and_found() {
    for known in judges() {
        assert_eq!(judge(known.name()).unwrap().about(), known.about());
    }
    assert!(judge("jury").is_none());
}

#[test]
fn an_accepted_model_refutes_every_unsat() {
    let runs = [
        run("a", "z3", Answer::Sat, ModelCheck::Accepted),
        run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
        run("c", "cvc4", Answer::Unsat, ModelCheck::Missing),
    ];
    assert_eq!(
        verdicts("differential", &runs),
        [blamed(Class::SoundnessRefutation, "b"), blamed(Class::SoundnessRefutation, "c")]
    );
}

#[test]
fn a_refuted_model_is_a_finding_and_leaves_the_dispute_open() {
    let runs = [
        run("a", "z3", Answer::Sat, ModelCheck::Refuted(vec![1])),
        run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
    ];
    assert_eq!(verdicts("model", &runs), [blamed(Class::InvalidModel, "a")]);
    assert_eq!(verdicts("differential", &runs), [(Class::Disputed, None)]);
}

#[test]
fn a_sat_is_wrong_where_an_assertion_is_false_under_every_model() {
    let runs = [
        run("a", "z3", Answer::Sat, ModelCheck::Impossible(vec![2])),
        run("b", "cvc5", Answer::Sat, ModelCheck::Undecided),
        run("c", "yices", Answer::Unsat, ModelCheck::Missing),
    ];
    let found = step("model", Setting::new(&runs), &[]).unwrap();
    assert_eq!(classes(&found), [blamed(Class::SoundnessSolution, "a")]);
    assert_eq!(found[0].evidence, Evidence::FalseUnderEveryModel { assertions: vec![2] });
    // No other judge says it again, and who is wrong has no voice.
    assert_eq!(verdicts("differential", &[runs[0].clone(), runs[2].clone()]), []);
    assert_eq!(against_unsat(&runs[..1], Basis::Certain), []);
    assert_eq!(against_unsat(&runs[..1], Basis::Unconfirmed), []);
    let others = against_unsat(&runs, Basis::Certain);
    assert_eq!(classes(&others), [blamed(Class::SoundnessSolution, "b")]);
}

#[test]
fn two_other_families_settle_it() {
    let runs = [
        run("a", "z3", Answer::Sat, ModelCheck::Refuted(vec![1])),
        run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
        run("c", "yices", Answer::Unsat, ModelCheck::Missing),
    ];
    assert_eq!(verdicts("differential", &runs), [blamed(Class::SoundnessSolution, "a")]);
}

#[test]
fn two_families_of_one_lineage_do_not() {
    for [one, other] in [["cvc4", "cvc5"], ["cvc5", "cvc5-gpl"], ["bitwuzla", "boolector"]] {
        let runs = [
            run("a", "z3", Answer::Sat, ModelCheck::Refuted(vec![1])),
            run("b", one, Answer::Unsat, ModelCheck::Missing),
            run("c", other, Answer::Unsat, ModelCheck::Missing),
        ];
        assert_eq!(verdicts("differential", &runs), [(Class::Disputed, None)], "{one}, {other}");
    }
}

#[test]
fn two_releases_of_one_family_do_not() {
    let runs = [
        run("a", "z3", Answer::Sat, ModelCheck::Refuted(vec![1])),
        run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
        run("c", "cvc5", Answer::Unsat, ModelCheck::Missing),
    ];
    assert_eq!(verdicts("differential", &runs), [(Class::Disputed, None)]);
}

#[test]
fn an_undecided_model_blames_nobody() {
    let runs = [
        run("a", "z3", Answer::Sat, ModelCheck::Undecided),
        run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
        run("c", "cvc4", Answer::Unsat, ModelCheck::Missing),
    ];
    assert_eq!(verdicts("differential", &runs), [(Class::Disputed, None)]);
}

/// What is said of runs in fresh processes of a case that is claimed to be unsatisfiable.
fn against_unsat(runs: &[EvaluatedRun], basis: Basis) -> Vec<Verdict> {
    let setting = Setting { expectation: Expectation::Unsat, basis, first: Some(runs), ..Setting::new(runs) };
    step("ground-truth", setting, &[]).unwrap()
}

#[test]
fn when_every_family_contradicts_a_claim_without_certificate_nobody_is_blamed() {
    let runs = [
        run("a", "z3", Answer::Sat, ModelCheck::Undecided),
        run("b", "cvc5", Answer::Sat, ModelCheck::Refuted(vec![1])),
        run("c", "yices", Answer::Unknown, ModelCheck::Missing),
    ];
    let found = against_unsat(&runs, Basis::Certain);
    assert_eq!(classes(&found), [(Class::Disputed, None)]);
    let solvers = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(found[0].evidence, Evidence::SuspectClaim { solvers, refuted_by: None });
    assert_eq!(Class::Disputed.severity(), "low");
}

#[test]
fn a_claim_that_another_solver_supports_blames_who_contradicts_it() {
    let runs = [
        run("a", "z3", Answer::Sat, ModelCheck::Undecided),
        run("b", "cvc5", Answer::Sat, ModelCheck::Undecided),
        run("c", "smelt", Answer::Unsat, ModelCheck::Missing),
    ];
    let expected = [blamed(Class::SoundnessSolution, "a"), blamed(Class::SoundnessSolution, "b")];
    assert_eq!(classes(&against_unsat(&runs, Basis::Certain)), expected);
}

#[test]
fn a_model_that_is_one_makes_the_claim_suspect() {
    let runs = [
        run("a", "z3", Answer::Sat, ModelCheck::Accepted),
        run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
    ];
    let found = against_unsat(&runs, Basis::Certain);
    assert_eq!(classes(&found), [(Class::Disputed, None)]);
    let refuted_by = Some("a".to_owned());
    assert_eq!(found[0].evidence, Evidence::SuspectClaim { solvers: vec!["a".to_owned()], refuted_by });
    let setting = Setting { expectation: Expectation::Unsat, ..Setting::new(&runs) };
    let differential = step("differential", setting, &[]).unwrap();
    assert_eq!(classes(&differential), [blamed(Class::SoundnessRefutation, "b")]);
}

#[test]
fn one_family_is_not_blamed_before_the_arbiter_was_asked() {
    let runs = [run("a", "z3", Answer::Sat, ModelCheck::Undecided)];
    let first = Setting { expectation: Expectation::Unsat, ..Setting::new(&runs) };
    assert_eq!(classes(&step("ground-truth", first, &[]).unwrap()), [(Class::Disputed, None)]);
    assert_eq!(classes(&against_unsat(&runs, Basis::Certain)), [blamed(Class::SoundnessSolution, "a")]);
    let [own] = runs;
    let contradicted = [own, run("smelt", "smelt", Answer::Sat, ModelCheck::Undecided)];
    assert_eq!(classes(&against_unsat(&contradicted, Basis::Certain)), [(Class::Disputed, None)]);
}

#[test]
fn a_claim_that_is_not_certain_blames_nobody() {
    let agreed = Basis::Agreed(vec!["cvc5".to_owned(), "z3".to_owned()]);
    for basis in [Basis::Unconfirmed, agreed] {
        let alone = [run("a", "z3", Answer::Sat, ModelCheck::Undecided)];
        assert_eq!(classes(&against_unsat(&alone, basis.clone())), [(Class::Disputed, None)]);
        let runs = [
            run("a", "z3", Answer::Sat, ModelCheck::Undecided),
            run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
        ];
        assert_eq!(against_unsat(&runs, basis.clone()), []);
        let setting = Setting { expectation: Expectation::Unsat, basis, ..Setting::new(&runs) };
        assert_eq!(classes(&step("differential", setting, &[]).unwrap()), [(Class::Disputed, None)]);
    }
}

#[test]
fn construction_is_proof() {
    let check = |expectation, answer| {
        let runs = [run("a", "z3", answer, ModelCheck::Missing)];
        let setting = Setting { expectation, first: Some(&runs), ..Setting::new(&runs) };
        classes(&step("ground-truth", setting, &[]).unwrap())
    };
    assert_eq!(check(Expectation::Unsat, Answer::Sat), [blamed(Class::SoundnessSolution, "a")]);
    assert_eq!(check(Expectation::Sat, Answer::Unsat), [blamed(Class::SoundnessRefutation, "a")]);
    assert_eq!(check(Expectation::Sat, Answer::Sat), []);
    assert_eq!(check(Expectation::None, Answer::Unsat), []);
}

#[test]
fn a_crash_is_a_finding_whatever_the_others_say() {
    let runs = [
        run("a", "z3", Answer::Crash, ModelCheck::Missing),
        run("b", "cvc5", Answer::Sat, ModelCheck::Accepted),
    ];
    assert_eq!(verdicts("crash", &runs), [blamed(Class::Crash, "a")]);
}

#[test]
fn unknown_timeouts_and_rejections_are_no_findings() {
    let runs = [
        run("a", "z3", Answer::Unknown, ModelCheck::Missing),
        run("b", "cvc5", Answer::Timeout, ModelCheck::Missing),
        run("c", "cvc4", Answer::Rejected, ModelCheck::Missing),
        run("d", "yices", Answer::Sat, ModelCheck::Accepted),
    ];
    for judge in ["ground-truth", "differential", "model", "crash", "incompleteness"] {
        assert_eq!(verdicts(judge, &runs), [], "{judge}");
    }
}

#[test]
fn a_core_with_a_model_is_invalid() {
    let runs = [
        run("a", "z3", Answer::Unsat, ModelCheck::Missing),
        run("b", "cvc5", Answer::Unknown, ModelCheck::Missing),
    ];
    let questions = step("core", Setting::new(&runs), &[]).unwrap_err();
    assert_eq!(questions.len(), 1);
    assert_eq!(questions[0].0.solver, "a");
    assert_eq!(
        questions[0].1,
        "(set-option :produce-unsat-cores true)(declare-const x Int)\
         (assert (! (> x 5) :named smelt-core-0))(assert (! (< x 3) :named smelt-core-1))\
         (assert (! (= x x) :named smelt-core-2))(check-sat)(get-unsat-core)"
    );
    let core = printing(run("a", "z3", Answer::Unsat, ModelCheck::Missing), "(smelt-core-0 |smelt-core-2|)");
    let questions = step("core", Setting::new(&runs), std::slice::from_ref(&core)).unwrap_err();
    assert_eq!(
        questions.iter().map(|(question, _)| question.solver.as_str()).collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert_eq!(questions[0].1, "(declare-const x Int)(assert (> x 5))(assert (= x x))(check-sat)");
    let model = run("b", "cvc5", Answer::Sat, ModelCheck::Accepted);
    let opinion = run("a", "z3", Answer::Unsat, ModelCheck::Missing);
    let spoken = step("core", Setting::new(&runs), &[core.clone(), opinion.clone(), model]).unwrap();
    assert_eq!(classes(&spoken), [blamed(Class::InvalidCore, "a")]);
    assert!(matches!(&spoken[0].evidence, Evidence::Core { assertions, .. } if assertions == &[1, 3]));
    let unsure = run("b", "cvc5", Answer::Sat, ModelCheck::Undecided);
    assert_eq!(step("core", Setting::new(&runs), &[core, opinion, unsure]).unwrap(), []);
}

/// A proof that rewrites an assertion of [`SCRIPT`] to this.
fn proof_with(result: &str) -> String {
    format!("((proof (mp (asserted (> x 5)) (rewrite (= (> x 5) {result})) {result})))")
}

#[test]
fn a_false_step_of_a_proof_is_blamed_unless_a_solver_says_that_it_holds() {
    let runs = [
        run("a", "z3", Answer::Unsat, ModelCheck::Missing),
        run("b", "cvc5", Answer::Unknown, ModelCheck::Missing),
    ];
    let questions = step("proof", Setting::new(&runs), &[]).unwrap_err();
    assert_eq!(questions.len(), 1);
    assert_eq!(
        questions[0].1,
        "(set-option :produce-proofs true)(declare-const x Int)(assert (> x 5))(assert (< x 3))\
         (assert (= x x))(check-sat)(get-proof)"
    );
    let refuted = |text: String| printing(run("a", "z3", Answer::Unsat, ModelCheck::Missing), &text);
    let right = refuted(proof_with("(not (<= x 5))"));
    assert_eq!(step("proof", Setting::new(&runs), &[right]).unwrap(), []);
    let wrong = refuted(proof_with("(not (< x 5))"));
    let questions = step("proof", Setting::new(&runs), std::slice::from_ref(&wrong)).unwrap_err();
    let asked: Vec<&str> = questions.iter().map(|(question, _)| question.solver.as_str()).collect();
    assert_eq!(asked, ["a", "b"]);
    assert_eq!(
        questions[0].1,
        "(declare-const x Int)(assert (not (= (> x 5) (not (< x 5)))))(assert (= x 5))(check-sat)"
    );
    let sat = |name: &str| run(name, "z3", Answer::Sat, ModelCheck::Accepted);
    let spoken = step("proof", Setting::new(&runs), &[wrong.clone(), sat("a"), sat("b")]).unwrap();
    assert_eq!(classes(&spoken), [blamed(Class::InvalidProofStep, "a")]);
    let Evidence::FalseClaim { rule, values, confirmed_by, .. } = &spoken[0].evidence else {
        panic!("{:?}", spoken[0].evidence)
    };
    assert_eq!((rule.as_str(), values.as_slice()), ("rewrite", ["x = 5".to_owned()].as_slice()));
    assert_eq!(confirmed_by, &["a", "b"]);
    let unsat = run("b", "cvc5", Answer::Unsat, ModelCheck::Missing);
    assert_eq!(step("proof", Setting::new(&runs), &[wrong, sat("a"), unsat]).unwrap(), []);
}

/// The reply to a question of the judge of simplifications, with the results by their numbers.
fn simplified(results: &[(usize, &str)]) -> EvaluatedRun {
    let lines = results.iter().map(|(number, text)| format!("smelt-result-{number}\n{text}\n"));
    printing(run("a", "z3", Answer::Sat, ModelCheck::Missing), &lines.collect::<String>())
}

#[test]
fn a_simplification_with_another_value_is_blamed() {
    let runs = [run("a", "z3", Answer::Unsat, ModelCheck::Missing)];
    let questions = step("simplify", Setting::new(&runs), &[]).unwrap_err();
    let asked = &questions[0].1;
    assert!(
        asked.starts_with("(declare-const x Int)(check-sat)(echo \"smelt-result-0\")(simplify (> x 5))"),
        "{asked}"
    );
    assert!(asked.contains("(apply (try-for simplify 200))"), "{asked}");
    let right = simplified(&[(0, "(not (<= x 5))"), (1, "(error \"x\")"), (2, "true")]);
    assert_eq!(step("simplify", Setting::new(&runs), &[right]).unwrap(), []);
    let wrong = simplified(&[(0, "(not (<= x 6))")]);
    assert!(step("simplify", Setting::new(&runs), std::slice::from_ref(&wrong)).is_err());
    let sat = run("a", "z3", Answer::Sat, ModelCheck::Accepted);
    let spoken = step("simplify", Setting::new(&runs), &[wrong, sat]).unwrap();
    assert_eq!(classes(&spoken), [blamed(Class::InvalidSimplification, "a")]);
}

#[test]
fn goals_of_tactics_are_compared_with_what_they_were_applied_to() {
    let runs = [run("a", "z3", Answer::Unsat, ModelCheck::Missing)];
    let questions = step("simplify", Setting::new(&runs), &[]).unwrap_err();
    let asked = &questions[0].1;
    let before = asked.split("(apply ").next().unwrap();
    let number = before.matches("smelt-result-").count() - 1;
    let goal = |formula: &str, precision: &str| {
        format!("(goals\n(goal\n  {formula}\n  :precision {precision} :depth 1)\n)")
    };
    let check = |text: &str| step("simplify", Setting::new(&runs), &[simplified(&[(number, text)])]);
    assert_eq!(check(&goal("false", "precise")).unwrap(), []);
    assert!(check(&goal("(> x 5)", "precise")).is_err());
    assert_eq!(check(&goal("(> x 5)", "over")).unwrap(), []);
}

#[test]
fn the_script_of_a_finding_about_a_core_can_be_judged_again() {
    let script = "(set-option :produce-unsat-cores true)(declare-const x Int)\
         (assert (! (> x 5) :named smelt-core-0))(assert (! (< x 3) :named smelt-core-2))\
         (assert (! (= x 4) :named mine))(check-sat)(get-unsat-core)";
    let runs = [run("a", "z3", Answer::Unsat, ModelCheck::Missing)];
    let questions = step_on(script, "core", Setting::new(&runs), &[]).unwrap_err();
    let asked = &questions[0].1;
    for named in ["(> x 5) :named smelt-core-0", "(< x 3) :named smelt-core-1"] {
        assert!(asked.contains(&format!("(assert (! {named}))")), "{asked}");
    }
    // A name of the user may be used elsewhere, so it stays.
    assert!(asked.contains("(assert (! (! (= x 4) :named mine) :named smelt-core-2))"), "{asked}");
}

#[test]
fn cores_are_asked_for_on_a_share_of_the_cases() {
    let runs = [run("a", "z3", Answer::Unsat, ModelCheck::Missing)];
    assert_eq!(step("core", Setting { sample_key: 1, ..Setting::new(&runs) }, &[]).unwrap(), []);
    let sat = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    assert_eq!(step("core", Setting::new(&sat), &[]).unwrap(), []);
}

#[test]
fn a_core_that_cannot_be_read_says_nothing() {
    let runs = [run("a", "z3", Answer::Unsat, ModelCheck::Missing)];
    for output in ["(error \"no cores\")", "", "(x y)"] {
        let reply = printing(run("a", "z3", Answer::Unsat, ModelCheck::Missing), output);
        assert_eq!(step("core", Setting::new(&runs), &[reply]).unwrap(), [], "{output}");
    }
}

const VALUES: u64 = 1;
const ASSUMPTIONS: u64 = 17;
const NAMES: u64 = 33;
const ORDER: u64 = 49;

#[test]
fn the_same_is_asked_in_four_ways() {
    let runs = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    let text = |sample_key| {
        step("consistency", Setting { sample_key, ..Setting::new(&runs) }, &[]).unwrap_err()[0].1.clone()
    };
    assert!(text(VALUES).contains("(get-model)(get-value (x 5 "), "{}", text(VALUES));
    assert!(text(ASSUMPTIONS).contains("(check-sat-assuming (assumed"), "{}", text(ASSUMPTIONS));
    assert!(text(NAMES).contains("(declare-const x0 Int)"), "{}", text(NAMES));
    assert!(text(ORDER).contains("(assert (= x x))(assert (< x 3))(assert (> x 5))"), "{}", text(ORDER));
}

#[test]
fn an_opposite_answer_is_an_inconsistency() {
    let runs = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    for sample_key in [ASSUMPTIONS, NAMES, ORDER] {
        let replied = |answer| {
            let reply = run("a", "z3", answer, ModelCheck::Missing);
            classes(&step("consistency", Setting { sample_key, ..Setting::new(&runs) }, &[reply]).unwrap())
        };
        assert_eq!(replied(Answer::Unsat), [blamed(Class::Inconsistency, "a")]);
        assert_eq!(replied(Answer::Sat), []);
        assert_eq!(replied(Answer::Unknown), []);
        assert_eq!(replied(Answer::Rejected), []);
    }
}

/// [`SCRIPT`] with its assertions in two scopes, and one that is taken back.
const SCOPES: &str = "(declare-const x Int)(push 1)(assert (= x 9))(check-sat)(pop 1)\
    (assert (> x 5))(push 1)(assert (< x 3))(assert (= x x))(check-sat)";

#[test]
fn other_ways_to_ask_start_from_the_plain_form() {
    let runs = [run("a", "z3", Answer::Unsat, ModelCheck::Missing)];
    let text = |name, sample_key| {
        let setting = Setting { sample_key, ..Setting::new(&runs) };
        step_on(SCOPES, name, setting, &[]).unwrap_err()[0].1.clone()
    };
    assert!(!text("consistency", ASSUMPTIONS).contains("(= x 9)"));
    let core = text("core", 0);
    assert!(!core.contains("(= x 9)") && core.contains("(assert (! (= x x) :named smelt-core-2))"), "{core}");
}

#[test]
fn a_value_that_the_model_contradicts_is_an_inconsistency() {
    let runs = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    let replied = |output: &str| {
        let reply = printing(run("a", "z3", Answer::Sat, ModelCheck::Missing), output);
        classes(
            &step("consistency", Setting { sample_key: VALUES, ..Setting::new(&runs) }, &[reply]).unwrap(),
        )
    };
    assert_eq!(replied("((define-fun x () Int 7))((x 7) ((> x 5) true))"), []);
    assert_eq!(
        replied("((define-fun x () Int 7))((x 8) ((> x 5) true))"),
        [blamed(Class::Inconsistency, "a")]
    );
}

#[test]
fn a_later_release_that_is_slower_each_time_is_a_slowdown() {
    let decided = |name: &str, version: &str, cpu_ms| {
        taking(release(run(name, "z3", Answer::Sat, ModelCheck::Accepted), version), cpu_ms)
    };
    let runs = [decided("old", "4.8.7", 50.0), decided("new", "5.4", 1500.0)];
    let questions = step("slowdown", Setting::new(&runs), &[]).unwrap_err();
    let asked: Vec<&str> = questions.iter().map(|(question, _)| question.solver.as_str()).collect();
    assert_eq!(asked, ["new", "old"].repeat(5));
    let measured = |slow: [f64; 5]| {
        let replies: Vec<EvaluatedRun> =
            slow.iter().flat_map(|ms| [decided("new", "5.4", *ms), decided("old", "4.8.7", 60.0)]).collect();
        classes(&step("slowdown", Setting::new(&runs), &replies).unwrap())
    };
    assert_eq!(measured([1500.0, 1400.0, 1600.0, 1500.0, 1500.0]), [blamed(Class::Slowdown, "new")]);
    assert_eq!(measured([1500.0, 70.0, 1600.0, 1500.0, 1500.0]), []);
}

#[test]
fn an_earlier_release_or_another_family_may_be_slower() {
    let decided = |name: &str, family: &str, version: &str, cpu_ms| {
        taking(release(run(name, family, Answer::Sat, ModelCheck::Accepted), version), cpu_ms)
    };
    let earlier = [decided("old", "z3", "4.8.7", 1500.0), decided("new", "z3", "5.4", 50.0)];
    assert_eq!(step("slowdown", Setting::new(&earlier), &[]).unwrap(), []);
    let other = [decided("z3", "z3", "5.4", 1500.0), decided("cvc5", "cvc5", "1.4", 50.0)];
    assert_eq!(step("slowdown", Setting::new(&other), &[]).unwrap(), []);
    let little = [decided("old", "z3", "4.8.7", 1.0), decided("new", "z3", "5.4", 90.0)];
    assert_eq!(step("slowdown", Setting::new(&little), &[]).unwrap(), []);
}

#[test]
fn a_solver_that_never_ends_hangs() {
    let slow = || taking(run("a", "z3", Answer::Timeout, ModelCheck::Missing), 2000.0);
    let fast = || taking(run("b", "cvc5", Answer::Unsat, ModelCheck::Missing), 20.0);
    let runs = [slow(), fast()];
    let questions = step("hang", Setting::new(&runs), &[]).unwrap_err();
    assert_eq!(questions.len(), 10);
    assert!(questions.iter().all(|(question, _)| question.time_factor > 1));
    let again: Vec<EvaluatedRun> = (0..5).flat_map(|_| [slow(), fast()]).collect();
    assert_eq!(classes(&step("hang", Setting::new(&runs), &again).unwrap()), [blamed(Class::Hang, "a")]);
    let mut once = again;
    once[2].run.answer = Answer::Sat;
    assert_eq!(step("hang", Setting::new(&runs), &once).unwrap(), []);
}

#[test]
fn giving_up_where_an_earlier_release_is_right_is_a_regression() {
    let earlier = release(run("old", "z3", Answer::Sat, ModelCheck::Accepted), "4.8.7");
    let later = release(run("new", "z3", Answer::Unknown, ModelCheck::Missing), "5.4");
    let runs = [earlier, later];
    assert_eq!(verdicts("incompleteness", &runs), [blamed(Class::IncompletenessRegression, "new")]);
    let [earlier, mut later] = runs;
    later.run.reason = Some("(incomplete (theory unsupported))".to_owned());
    assert_eq!(verdicts("incompleteness", &[earlier.clone(), later]), []);
    let uncertified = EvaluatedRun { model: ModelCheck::Undecided, ..earlier };
    let later = release(run("new", "z3", Answer::Unknown, ModelCheck::Missing), "5.4");
    assert_eq!(verdicts("incompleteness", &[uncertified, later]), []);
}

#[test]
fn an_earlier_unsat_needs_another_family() {
    let earlier = release(run("old", "z3", Answer::Unsat, ModelCheck::Missing), "4.8.7");
    let later = release(run("new", "z3", Answer::Unknown, ModelCheck::Missing), "5.4");
    assert_eq!(verdicts("incompleteness", &[earlier.clone(), later.clone()]), []);
    let related = |name| run(name, name, Answer::Unsat, ModelCheck::Missing);
    let [old, new] = [("old", "cvc4"), ("new", "cvc5")].map(|(name, family)| {
        let answer = if name == "old" { Answer::Unsat } else { Answer::Unknown };
        release(run(name, family, answer, ModelCheck::Missing), "1.8")
    });
    assert_eq!(verdicts("incompleteness", &[old, new, related("cvc5-gpl")]), []);
    let other = related("cvc5");
    assert_eq!(
        verdicts("incompleteness", &[earlier, later, other]),
        [blamed(Class::IncompletenessRegression, "new")]
    );
}

#[test]
fn an_answer_that_depends_on_the_session_is_seen_twice() {
    let first = [warm(run("a", "z3", Answer::Unsat, ModelCheck::Missing))];
    let cold = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    assert!(
        step("warm-cold", Setting { sample_key: 2, ..Setting::new(&first) }, &[]).unwrap_err().is_empty()
    );
    let setting = || Setting { first: Some(&first), ..Setting::new(&cold) };
    let questions = step("warm-cold", setting(), &[]).unwrap_err();
    assert_eq!((questions.len(), questions[0].0.venue), (1, Venue::Session));
    assert_eq!(classes(&step("warm-cold", setting(), &first).unwrap()), [blamed(Class::WarmCold, "a")]);
    assert_eq!(step("warm-cold", setting(), &cold).unwrap(), []);
}

#[test]
fn giving_up_in_a_session_is_no_difference() {
    let first = [warm(run("a", "z3", Answer::Unknown, ModelCheck::Missing))];
    let cold = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    assert_eq!(step("warm-cold", Setting { first: Some(&first), ..Setting::new(&cold) }, &[]).unwrap(), []);
}

const STRONGER: &str = "(declare-const x Int)(assert (> x 6))(assert (< x 3))(assert (= x x))(check-sat)";
const WEAKER: &str = "(declare-const x Int)(assert (> x 5))(assert (= x x))(check-sat)";

fn unknown(solver: &str) -> EvaluatedRun {
    run(solver, "z3", Answer::Unknown, ModelCheck::Missing)
}

fn implied<'c>(
    runs: &'c [EvaluatedRun],
    parent: (&'static str, Relation, Option<&'c [EvaluatedRun]>),
) -> Setting<'c> {
    Setting { parent: Some(parent), ..Setting::new(runs) }
}

#[test]
fn who_gives_up_on_what_follows_from_what_it_decides_is_incomplete() {
    let runs = [unknown("a")];
    let asked = step("implication", implied(&runs, (STRONGER, Relation::Weaker, None)), &[]).unwrap_err();
    let asked: Vec<(&str, &str)> =
        asked.iter().map(|(question, text)| (question.solver.as_str(), text.as_str())).collect();
    assert_eq!(asked, [("a", STRONGER)]);
    let replies = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    let spoken = step("implication", implied(&runs, (STRONGER, Relation::Weaker, None)), &replies).unwrap();
    assert_eq!(classes(&spoken), [blamed(Class::IncompletenessImplication, "a")]);
    let Evidence::EarlierLink { formula, answer, change, .. } = &spoken[0].evidence else {
        panic!("{:?}", spoken[0].evidence)
    };
    assert_eq!(
        (formula.replace('\n', "").as_str(), *answer, change.as_str()),
        (STRONGER, Answer::Sat, "a rule")
    );
}

#[test]
fn nothing_is_said_of_an_answer_that_implies_nothing() {
    let runs = [unknown("a")];
    for (relation, answer) in [
        (Relation::Weaker, Answer::Unsat),
        (Relation::Stronger, Answer::Sat),
        (Relation::Weaker, Answer::Unknown),
        (Relation::Equal, Answer::Timeout),
    ] {
        let known = [run("a", "z3", answer, ModelCheck::Missing)];
        let setting = implied(&runs, (WEAKER, relation, Some(&known)));
        assert_eq!(classes(&step("implication", setting, &[]).expect("it asks nothing")), []);
        let setting = implied(&runs, (WEAKER, relation, None));
        assert_eq!(classes(&step("implication", setting, &known).unwrap()), []);
    }
}

#[test]
fn an_answer_that_others_contradict_implies_nothing() {
    let known = [
        run("a", "z3", Answer::Sat, ModelCheck::Undecided),
        run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
    ];
    let setting = implied(&[], (STRONGER, Relation::Weaker, Some(&known)));
    let runs = [unknown("a")];
    let setting = Setting { runs: &runs, ..setting };
    assert_eq!(classes(&step("implication", setting, &[]).expect("it asks nothing")), []);
    let replies = [run("a", "z3", Answer::Sat, ModelCheck::Refuted(vec![1]))];
    let setting = implied(&runs, (STRONGER, Relation::Weaker, None));
    assert_eq!(classes(&step("implication", setting, &replies).unwrap()), []);
    let runs = [unknown("a"), run("b", "cvc5", Answer::Unsat, ModelCheck::Missing)];
    let setting = implied(&runs, (STRONGER, Relation::Weaker, None));
    let replies = [run("a", "z3", Answer::Sat, ModelCheck::Accepted)];
    assert_eq!(classes(&step("implication", setting, &replies).unwrap()), []);
}

#[test]
fn giving_up_on_a_quantifier_that_was_put_in_is_no_news() {
    let runs = [unknown("a")];
    let mut quantified = Setting::new(&runs);
    quantified.parent = Some((WEAKER, Relation::Equal, None));
    let asked = step_on(
        "(declare-const x Int)(assert (exists ((y Int)) (= x y)))(check-sat)",
        "implication",
        quantified,
        &[],
    );
    assert_eq!(classes(&asked.expect("it asks nothing")), []);
}

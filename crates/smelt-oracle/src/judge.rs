//! Judging the runs of a case. Ground truth is certified: a `sat` counts for more than an opinion only if our evaluator
//! accepts its model, an `unsat` only by construction or by the agreement of others.

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{Model, Verdict as Truth, check};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, Scope};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use crate::case::Expectation;
use crate::finding::{Class, Evidence, Verdict};
use crate::run::{Answer, Run};

/// A formula that was read, ready for models to be checked against it.
#[derive(Debug)]
pub struct Formula {
    environment: Environment,
    scope: Scope,
}

/// What our evaluator says of a model that a solver printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelCheck {
    /// There is no model, or none that could be read.
    Missing,
    /// It satisfies every assertion.
    Accepted,
    /// It makes these assertions false, counted from 1.
    Refuted(Vec<usize>),
    /// Some assertion has no value that we know.
    Undecided,
}

/// One run with the family of its solver and what became of its model.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The run.
    pub run: Run,
    /// The family of the solver.
    pub family: String,
    /// The verdict on its model.
    pub model: ModelCheck,
}

impl Formula {
    /// What the models of a script that was read must satisfy.
    pub fn new(terms: &Terms, reading: &Reading) -> Self {
        Formula::of_script(terms, &reading.script, reading.scope.clone())
    }

    /// The same for a script with the declarations in force at its end.
    pub fn of_script(terms: &Terms, script: &Script, scope: Scope) -> Self {
        Formula { environment: Environment::at_last_check(terms, script), scope }
    }

    /// Evaluates the formula under the model that a solver printed after `sat`.
    pub fn check_model(
        &self,
        terms: &mut Terms,
        output: &str,
        dialect: Dialect,
        budget: Budget,
    ) -> ModelCheck {
        if !output.contains('(') || output.contains("(error") {
            return ModelCheck::Missing;
        }
        let Ok(model) = Model::parse(terms, &self.scope, output, dialect) else { return ModelCheck::Missing };
        let truths = check(terms, &self.environment, &model, budget);
        let refuted: Vec<usize> = truths
            .iter()
            .enumerate()
            .filter(|(_, truth)| **truth == Truth::False)
            .map(|(number, _)| number + 1)
            .collect();
        if !refuted.is_empty() {
            ModelCheck::Refuted(refuted)
        } else if truths.iter().all(|truth| *truth == Truth::True) {
            ModelCheck::Accepted
        } else {
            ModelCheck::Undecided
        }
    }
}

/// All that is wrong with the runs of a case.
pub fn judge(expectation: Expectation, runs: &[Checked]) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = runs.iter().filter_map(crash).collect();
    verdicts.extend(runs.iter().filter_map(invalid_model));
    verdicts.extend(soundness(expectation, runs));
    verdicts
}

fn crash(checked: &Checked) -> Option<Verdict> {
    (checked.run.answer == Answer::Crash).then(|| Verdict {
        class: Class::Crash,
        culprit: Some(checked.run.solver.clone()),
        evidence: Evidence::Signature(checked.run.crash_signature.clone().unwrap_or_default()),
    })
}

fn invalid_model(checked: &Checked) -> Option<Verdict> {
    let ModelCheck::Refuted(assertions) = &checked.model else { return None };
    (checked.run.answer == Answer::Sat).then(|| Verdict {
        class: Class::InvalidModel,
        culprit: Some(checked.run.solver.clone()),
        evidence: Evidence::FalseAssertions {
            model: checked.run.output.clone(),
            assertions: assertions.clone(),
        },
    })
}

fn soundness(expectation: Expectation, runs: &[Checked]) -> Vec<Verdict> {
    let saying = |answer: Answer| runs.iter().filter(move |checked| checked.run.answer == answer);
    let blame = |class: Class, checked: &Checked, evidence: Evidence| Verdict {
        class,
        culprit: Some(checked.run.solver.clone()),
        evidence,
    };
    let certificate = saying(Answer::Sat).find(|checked| checked.model == ModelCheck::Accepted);
    let proof_of_sat = match (certificate, expectation) {
        (Some(checked), _) => {
            Some(Evidence::Model { solver: checked.run.solver.clone(), model: checked.run.output.clone() })
        }
        (None, Expectation::Sat) => Some(Evidence::Construction),
        (None, _) => None,
    };
    if let Some(evidence) = proof_of_sat {
        return saying(Answer::Unsat)
            .map(|checked| blame(Class::SoundnessRefutation, checked, evidence.clone()))
            .collect();
    }
    if expectation == Expectation::Unsat {
        return saying(Answer::Sat)
            .map(|checked| blame(Class::SoundnessSolution, checked, Evidence::Construction))
            .collect();
    }
    let names = |answer: Answer| saying(answer).map(|checked| checked.run.solver.clone()).collect::<Vec<_>>();
    let (sat, unsat) = (names(Answer::Sat), names(Answer::Unsat));
    if sat.is_empty() || unsat.is_empty() {
        return Vec::new();
    }
    // Nobody's model holds. Two other families against a `sat` whose model fails are enough to blame it.
    let mut verdicts = Vec::new();
    for checked in saying(Answer::Sat).filter(|checked| matches!(checked.model, ModelCheck::Refuted(_))) {
        let mut families: Vec<&str> = saying(Answer::Unsat)
            .map(|other| other.family.as_str())
            .filter(|family| *family != checked.family)
            .collect();
        families.sort_unstable();
        families.dedup();
        if families.len() >= 2 {
            let evidence = Evidence::Agreement { solvers: unsat.clone() };
            verdicts.push(blame(Class::SoundnessSolution, checked, evidence));
        }
    }
    if verdicts.is_empty() {
        let evidence = Evidence::Disagreement { sat, unsat };
        verdicts.push(Verdict { class: Class::Disputed, culprit: None, evidence });
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(solver: &str, family: &str, answer: Answer, model: ModelCheck) -> Checked {
        let run = Run {
            solver: solver.to_owned(),
            answer,
            answers: vec![answer],
            output: "((x 1))".to_owned(),
            reason: None,
            crash_signature: (answer == Answer::Crash).then(|| "signal 11".to_owned()),
            cpu_ms: 1.0,
            wall_ms: 1.0,
            max_rss_kb: None,
        };
        Checked { run, family: family.to_owned(), model }
    }

    fn classes(expectation: Expectation, runs: &[Checked]) -> Vec<(Class, Option<String>)> {
        judge(expectation, runs).into_iter().map(|verdict| (verdict.class, verdict.culprit)).collect()
    }

    fn blamed(class: Class, solver: &str) -> (Class, Option<String>) {
        (class, Some(solver.to_owned()))
    }

    #[test]
    fn an_accepted_model_refutes_every_unsat() {
        let runs = [
            run("a", "z3", Answer::Sat, ModelCheck::Accepted),
            run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
            run("c", "cvc4", Answer::Unsat, ModelCheck::Missing),
        ];
        assert_eq!(
            classes(Expectation::None, &runs),
            [blamed(Class::SoundnessRefutation, "b"), blamed(Class::SoundnessRefutation, "c")]
        );
    }

    #[test]
    fn a_refuted_model_is_a_finding_and_leaves_the_dispute_open() {
        let runs = [
            run("a", "z3", Answer::Sat, ModelCheck::Refuted(vec![1])),
            run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
        ];
        assert_eq!(
            classes(Expectation::None, &runs),
            [blamed(Class::InvalidModel, "a"), (Class::Disputed, None)]
        );
    }

    #[test]
    fn two_other_families_settle_it() {
        let runs = [
            run("a", "z3", Answer::Sat, ModelCheck::Refuted(vec![1])),
            run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
            run("c", "cvc4", Answer::Unsat, ModelCheck::Missing),
        ];
        assert_eq!(
            classes(Expectation::None, &runs),
            [blamed(Class::InvalidModel, "a"), blamed(Class::SoundnessSolution, "a")]
        );
    }

    #[test]
    fn two_releases_of_one_family_do_not() {
        let runs = [
            run("a", "z3", Answer::Sat, ModelCheck::Refuted(vec![1])),
            run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
            run("c", "cvc5", Answer::Unsat, ModelCheck::Missing),
        ];
        assert_eq!(classes(Expectation::None, &runs)[1], (Class::Disputed, None));
    }

    #[test]
    fn an_undecided_model_blames_nobody() {
        let runs = [
            run("a", "z3", Answer::Sat, ModelCheck::Undecided),
            run("b", "cvc5", Answer::Unsat, ModelCheck::Missing),
        ];
        assert_eq!(classes(Expectation::None, &runs), [(Class::Disputed, None)]);
    }

    #[test]
    fn construction_is_proof() {
        let sat = [run("a", "z3", Answer::Sat, ModelCheck::Missing)];
        assert_eq!(classes(Expectation::Unsat, &sat), [blamed(Class::SoundnessSolution, "a")]);
        let unsat = [run("a", "z3", Answer::Unsat, ModelCheck::Missing)];
        assert_eq!(classes(Expectation::Sat, &unsat), [blamed(Class::SoundnessRefutation, "a")]);
    }

    #[test]
    fn a_crash_is_a_finding_whatever_the_others_say() {
        let runs = [
            run("a", "z3", Answer::Crash, ModelCheck::Missing),
            run("b", "cvc5", Answer::Sat, ModelCheck::Accepted),
        ];
        assert_eq!(classes(Expectation::None, &runs), [blamed(Class::Crash, "a")]);
    }

    #[test]
    fn unknown_timeouts_and_rejections_are_no_findings() {
        let runs = [
            run("a", "z3", Answer::Unknown, ModelCheck::Missing),
            run("b", "cvc5", Answer::Timeout, ModelCheck::Missing),
            run("c", "cvc4", Answer::Rejected, ModelCheck::Missing),
            run("d", "yices", Answer::Sat, ModelCheck::Accepted),
        ];
        assert_eq!(classes(Expectation::None, &runs), []);
    }

    #[test]
    fn models_are_checked_by_evaluation() {
        let mut terms = Terms::new();
        let source = "(declare-const s String)(assert (= (str.len s) 2))(check-sat)";
        let reading = smelt_smtlib::read::read_script(&mut terms, source);
        let formula = Formula::new(&terms, &reading);
        let mut check = |model: &str| formula.check_model(&mut terms, model, Dialect::V26, Budget::default());
        assert_eq!(check("((define-fun s () String \"ab\"))"), ModelCheck::Accepted);
        assert_eq!(check("((define-fun s () String \"a\"))"), ModelCheck::Refuted(vec![1]));
        assert_eq!(check("(error \"no model\")"), ModelCheck::Missing);
        assert_eq!(check(""), ModelCheck::Missing);
    }
}

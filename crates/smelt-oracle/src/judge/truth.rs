//! Wrong answers: against what the case was made to be, and against other solvers.

use smelt_smtlib::term::Terms;

use super::{Judge, Observed, Step, blame};
use crate::case::Expectation;
use crate::checked::{Checked, ModelCheck};
use crate::finding::{Class, Evidence, Verdict};
use crate::run::Answer;

/// Compares answers with what the case was made to be.
#[derive(Debug)]
pub(super) struct GroundTruth;

impl Judge for GroundTruth {
    fn name(&self) -> &'static str {
        "ground-truth"
    }

    fn about(&self) -> &'static str {
        "a solver contradicts the answer that the case was made to have"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::SoundnessRefutation, Class::SoundnessSolution]
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[Checked]) -> Step {
        let (wrong, class) = match observed.expectation {
            Expectation::Sat => (Answer::Unsat, Class::SoundnessRefutation),
            Expectation::Unsat => (Answer::Sat, Class::SoundnessSolution),
            Expectation::None => return Step::Done(Vec::new()),
        };
        if certificate(observed).is_some() {
            // A model in hand is the better evidence, and the other judge has it.
            return Step::Done(Vec::new());
        }
        let blamed = observed.saying(wrong).map(|checked| blame(class, checked, Evidence::Construction));
        Step::Done(blamed.collect())
    }
}

/// Compares solvers with each other.
#[derive(Debug)]
pub(super) struct Differential;

impl Judge for Differential {
    fn name(&self) -> &'static str {
        "differential"
    }

    fn about(&self) -> &'static str {
        "solvers disagree; an accepted model or two other families tell who is wrong"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::SoundnessRefutation, Class::SoundnessSolution, Class::Disputed]
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[Checked]) -> Step {
        if let Some(certificate) = certificate(observed) {
            let evidence = Evidence::Model {
                solver: certificate.run.solver.clone(),
                model: certificate.run.output.clone(),
            };
            let blamed = observed
                .saying(Answer::Unsat)
                .map(|checked| blame(Class::SoundnessRefutation, checked, evidence.clone()));
            return Step::Done(blamed.collect());
        }
        if observed.expectation != Expectation::None {
            return Step::Done(Vec::new());
        }
        Step::Done(without_certificate(observed))
    }
}

/// The run whose model our evaluator accepts.
pub(super) fn certificate<'c>(observed: &Observed<'c>) -> Option<&'c Checked> {
    observed.saying(Answer::Sat).find(|checked| checked.model == ModelCheck::Accepted)
}

/// Nobody's model holds. Two other families against a `sat` whose model fails are enough to blame it.
fn without_certificate(observed: &Observed<'_>) -> Vec<Verdict> {
    let names =
        |answer| observed.saying(answer).map(|checked| checked.run.solver.clone()).collect::<Vec<_>>();
    let (sat, unsat) = (names(Answer::Sat), names(Answer::Unsat));
    if sat.is_empty() || unsat.is_empty() {
        return Vec::new();
    }
    let mut verdicts = Vec::new();
    for checked in observed.saying(Answer::Sat) {
        if !matches!(checked.model, ModelCheck::Refuted(_)) {
            continue;
        }
        let mut families: Vec<&str> = observed
            .saying(Answer::Unsat)
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

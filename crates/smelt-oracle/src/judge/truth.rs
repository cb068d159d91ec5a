//! Wrong answers: against what the case was made to be, and against other solvers.
//!
//! How strong a claim is decides what a contradiction to it means.
//!
//! - `sat` is claimed only with a model that our evaluator accepted: a certificate. Who says `unsat` is wrong.
//! - `unsat` is claimed by construction, from seeds that are known to be unsatisfiable. There is no certificate, and a
//!   mistake of a technique or a wrong seed would make every solver look wrong. So a solver is blamed only if the claim
//!   is not alone: another run says `unsat` too. If every family that decided says `sat`, and these are two or more, the
//!   claim is what is suspect, and nobody is blamed. If there is one family only, an arbiter that is not under test is
//!   asked first; where it does not know either, a claim by construction counts against that one family.
//! - A claim that rests on the agreement of solvers about a seed, or on the label of a seed which no solver has
//!   confirmed, is an opinion. It never blames by itself: where solvers disagree they are compared as if there were no
//!   claim, and where they all say `sat` it is suspect.
//! - A model of the case that our evaluator accepts refutes a claim of `unsat`, which is said as well.
//! - A `sat` where an assertion is false under every model is wrong whatever others say. The judge of models says so, and
//!   here such a run has no voice.

use smelt_smtlib::term::Terms;

use super::weigh::{is_outvoted, is_refuted, lineages};
use super::{Judge, JudgeStep, Observed, blame};
use crate::case::Expectation;
use crate::evaluated::{EvaluatedRun, ModelCheck};
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
        &[Class::SoundnessRefutation, Class::SoundnessSolution, Class::Disputed]
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[EvaluatedRun]) -> JudgeStep {
        JudgeStep::Done(match observed.expectation {
            // A model in hand is the better evidence, and the other judge has it.
            Expectation::Sat if certificate(observed).is_some() => Vec::new(),
            Expectation::Sat => observed
                .saying(Answer::Unsat)
                .map(|checked| blame(Class::SoundnessRefutation, checked, Evidence::Construction))
                .collect(),
            Expectation::Unsat => against_unsat(observed),
            Expectation::None => Vec::new(),
        })
    }
}

/// What to say where some answer `sat` to a case that is claimed to be unsatisfiable.
fn against_unsat(observed: &Observed<'_>) -> Vec<Verdict> {
    let families = lineages(possibly_sat(observed).map(|checked| checked.family.as_str()));
    if families.is_empty() {
        return Vec::new();
    }
    let refuted_by = certificate(observed).map(|checked| checked.run.solver.clone());
    let is_supported = observed.saying(Answer::Unsat).next().is_some();
    // On the first runs the arbiter has not been asked yet; a dispute is what makes it heard.
    let is_alone = !is_supported && (families.len() > 1 || observed.first.is_none());
    if refuted_by.is_some() || is_alone || (!observed.basis.is_certain() && !is_supported) {
        let solvers = possibly_sat(observed).map(|checked| checked.run.solver.clone()).collect();
        let evidence = Evidence::SuspectClaim { solvers, refuted_by };
        return vec![Verdict { class: Class::Disputed, culprit: None, evidence }];
    }
    if !observed.basis.is_certain() {
        return Vec::new();
    }
    possibly_sat(observed)
        .map(|checked| blame(Class::SoundnessSolution, checked, Evidence::Construction))
        .collect()
}

/// The runs that say `sat`, where no assertion shows that it is wrong.
fn possibly_sat<'c>(observed: &Observed<'c>) -> impl Iterator<Item = &'c EvaluatedRun> {
    observed.saying(Answer::Sat).filter(|checked| !matches!(checked.model, ModelCheck::Impossible(_)))
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

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[EvaluatedRun]) -> JudgeStep {
        if let Some(certificate) = certificate(observed) {
            let evidence = Evidence::Model {
                solver: certificate.run.solver.clone(),
                model: certificate.run.output.clone(),
            };
            let refuted = observed.runs.iter().filter(|checked| is_refuted(checked.run.answer, true));
            let blamed = refuted.map(|checked| blame(Class::SoundnessRefutation, checked, evidence.clone()));
            return JudgeStep::Done(blamed.collect());
        }
        if observed.expectation != Expectation::None && observed.basis.is_certain() {
            return JudgeStep::Done(Vec::new());
        }
        JudgeStep::Done(without_certificate(observed))
    }
}

/// The run whose model our evaluator accepts.
pub(super) fn certificate<'c>(observed: &Observed<'c>) -> Option<&'c EvaluatedRun> {
    observed.saying(Answer::Sat).find(|checked| checked.model == ModelCheck::Accepted)
}

/// Nobody's model holds. Two other families against a `sat` whose model fails are enough to blame it.
fn without_certificate(observed: &Observed<'_>) -> Vec<Verdict> {
    let name = |checked: &EvaluatedRun| checked.run.solver.clone();
    let sat: Vec<String> = possibly_sat(observed).map(name).collect();
    let unsat: Vec<String> = observed.saying(Answer::Unsat).map(name).collect();
    if sat.is_empty() || unsat.is_empty() {
        return Vec::new();
    }
    let mut verdicts = Vec::new();
    for checked in observed.saying(Answer::Sat) {
        if !matches!(checked.model, ModelCheck::Refuted(_)) {
            continue;
        }
        let families = observed.saying(Answer::Unsat).map(|other| other.family.as_str());
        if is_outvoted(&checked.family, families) {
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

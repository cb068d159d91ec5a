//! Steps of proofs: what a solver claims on the way to an `unsat` must be true, also where the answer is right.
//!
//! Solvers that say `unsat` are asked for a proof, and its steps are evaluated: see [`smelt_proof::steps`].

use smelt_proof::steps::read_proof;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;

use super::claim::{FalseClaim, about, false_claim, judged};
use super::{Judge, JudgeStep, Observed, Question};
use crate::evaluated::EvaluatedRun;
use crate::finding::Class;
use crate::flatten::flatten;
use crate::proof_request::proof_request;
use crate::run::Answer;

/// Blames a solver for a step of a proof that is false.
#[derive(Debug)]
pub(super) struct InvalidProof;

impl Judge for InvalidProof {
    fn name(&self) -> &'static str {
        "proof"
    }

    fn about(&self) -> &'static str {
        "a step of the proof of an `unsat` is false"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::InvalidProofStep]
    }

    /// A proof costs a run of its own, mostly longer than the first.
    fn is_usual(&self) -> bool {
        false
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let Some(script) = flatten(terms, observed.script) else { return JudgeStep::Done(Vec::new()) };
        let questions: Vec<Question> = observed
            .saying(Answer::Unsat)
            .filter_map(|checked| {
                let asking = proof_request(terms, &script, &checked.family, None)?;
                Some(Question { time_factor: 2, ..observed.ask(checked, asking) })
            })
            .collect();
        if questions.is_empty() {
            return JudgeStep::Done(Vec::new());
        }
        if replies.is_empty() {
            return JudgeStep::Ask(questions);
        }
        let (proofs, opinions) = replies.split_at(questions.len().min(replies.len()));
        let plain = script_text(terms, &script);
        let found: Vec<FalseClaim> = proofs
            .iter()
            .enumerate()
            .filter(|(_, reply)| reply.run.answer == Answer::Unsat)
            .filter_map(|(position, reply)| false_step(&plain, reply, position))
            .collect();
        if opinions.is_empty() && !found.is_empty() {
            return JudgeStep::Ask(found.iter().flat_map(|step| about(terms, observed, step)).collect());
        }
        // All solvers were asked about the first step, then about the second, and so on.
        let opinions = opinions.chunks(observed.runs.len().max(1));
        let verdicts = found.into_iter().zip(opinions).filter_map(|(step, opinions)| {
            let claimant = &proofs[step.position];
            judged(Class::InvalidProofStep, step, claimant, opinions)
        });
        JudgeStep::Done(verdicts.collect())
    }
}

/// A false step of a proof.
fn false_step(plain: &str, reply: &EvaluatedRun, position: usize) -> Option<FalseClaim> {
    // Terms of a proof are many, and nobody needs them later.
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, plain);
    let derivation = read_proof(&mut terms, &reading.scope, &reply.run.output, reply.dialect).ok()?;
    false_claim(&mut terms, &reading.script, &derivation, position)
}

//! Warm and cold: a solver that answered other formulas before must not answer this one differently.
//!
//! Whatever looks wrong is run again in fresh processes anyway; besides, a share of all warm runs is. If answers
//! contradict each other, or only the session crashes, the session is replayed in a new process with everything that
//! came before, and must end like the first.

use smelt_smtlib::term::Terms;

use super::{Judge, JudgeStep, Observed, Question, Venue, blame};
use crate::evaluated::EvaluatedRun;
use crate::finding::{Class, Evidence};
use crate::run::Answer;

/// One in so many cases is looked at, besides those that crash.
const SHARE: u64 = 64;

/// Blames a solver for answers that depend on what it was asked before.
#[derive(Debug)]
pub(super) struct WarmCold;

impl Judge for WarmCold {
    fn name(&self) -> &'static str {
        "warm-cold"
    }

    fn about(&self) -> &'static str {
        "a solver answers differently after it has answered other formulas"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::WarmCold]
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let Some(first) = observed.first else {
            // Not the cases that other judges look at.
            let is_drawn = observed.sample_key % SHARE == 2;
            let is_worth_it = |checked: &EvaluatedRun| {
                let is_drawn_answer = is_drawn && checked.run.answer.is_decided();
                checked.is_warm && (is_drawn_answer || checked.run.answer == Answer::Crash)
            };
            let is_asked = observed.runs.iter().any(is_worth_it);
            return if is_asked { JudgeStep::Ask(Vec::new()) } else { JudgeStep::Done(Vec::new()) };
        };
        let differing: Vec<(&EvaluatedRun, &EvaluatedRun)> = first
            .iter()
            .filter(|warm| warm.is_warm)
            .filter_map(|warm| {
                Some((warm, observed.runs.iter().find(|cold| cold.run.solver == warm.run.solver)?))
            })
            .filter(|(warm, cold)| differ(warm.run.answer, cold.run.answer))
            .collect();
        if replies.is_empty() && !differing.is_empty() {
            let ask = |(warm, _): &(&EvaluatedRun, &EvaluatedRun)| Question {
                venue: Venue::Session,
                ..observed.ask(warm, observed.script.clone())
            };
            return JudgeStep::Ask(differing.iter().map(ask).collect());
        }
        let confirmed =
            differing.iter().zip(replies).filter(|((warm, _), reply)| reply.run.answer == warm.run.answer);
        let blamed = confirmed.map(|((warm, cold), _)| {
            let evidence = Evidence::WarmCold {
                warm: warm.run.answer,
                cold: cold.run.answer,
                signature: warm.run.crash_signature.clone(),
            };
            blame(Class::WarmCold, warm, evidence)
        });
        JudgeStep::Done(blamed.collect())
    }
}

/// Whether two answers to the same question cannot both be right. Giving up or running out of time can.
fn differ(warm: Answer, cold: Answer) -> bool {
    let contradict = warm.is_decided() && cold.is_decided() && warm != cold;
    let only_warm_crashes = warm == Answer::Crash && cold != Answer::Crash;
    contradict || only_warm_crashes
}

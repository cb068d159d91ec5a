//! Incompleteness: a newer release gives up where an earlier one of its family knows the right answer.
//!
//! The right answer is certified as for every other judge. A release that says that it does not support something, or
//! that ran out of time or memory, is not blamed.

use smelt_smtlib::term::Terms;

use super::{Judge, JudgeStep, Observed, blame};
use crate::evaluated::{EvaluatedRun, ModelCheck};
use crate::finding::{Class, Evidence};
use crate::references::lineage;
use crate::run::Answer;

/// Blames a release for giving up where an earlier one did not.
#[derive(Debug)]
pub(super) struct Regression;

impl Judge for Regression {
    fn name(&self) -> &'static str {
        "incompleteness"
    }

    fn about(&self) -> &'static str {
        "a release gives up where an earlier release of the same solver gives the right answer"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::IncompletenessRegression]
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[EvaluatedRun]) -> JudgeStep {
        let blamed = observed.saying(Answer::Unknown).filter(|later| gives_up(later)).filter_map(|later| {
            let knows =
                |earlier: &&EvaluatedRun| earlier.is_earlier_release_of(later) && is_right(observed, earlier);
            let earlier = observed.runs.iter().find(knows)?;
            let evidence = Evidence::EarlierAnswer {
                solver: earlier.run.solver.clone(),
                answer: earlier.run.answer,
                reason: later.run.reason.clone().unwrap_or_default(),
            };
            Some(blame(Class::IncompletenessRegression, later, evidence))
        });
        JudgeStep::Done(blamed.collect())
    }
}

/// Parts of words in the reason of an `unknown` that mean something else than giving up.
const OTHER_REASONS: &[&str] =
    &["upported", "timeout", "timed out", "cancel", "memory", "memout", "resource", "interrupt"];

/// Whether an `unknown` is for want of a method, not of time, memory or support.
pub(super) fn gives_up(checked: &EvaluatedRun) -> bool {
    let reason = checked.run.reason.as_deref().unwrap_or_default().to_ascii_lowercase();
    !OTHER_REASONS.iter().any(|words| reason.contains(words))
}

/// Whether an answer is certified: by an accepted model, or by another family that refutes too.
fn is_right(observed: &Observed<'_>, checked: &EvaluatedRun) -> bool {
    match checked.run.answer {
        Answer::Sat => checked.model == ModelCheck::Accepted,
        Answer::Unsat => {
            let nobody_finds_a_model = observed.saying(Answer::Sat).next().is_none();
            let is_other = |other: &EvaluatedRun| lineage(&other.family) != lineage(&checked.family);
            nobody_finds_a_model && observed.saying(Answer::Unsat).any(is_other)
        }
        _ => false,
    }
}

//! Crashes: signals, failed assertions, internal errors, reports of sanitizers.

use smelt_smtlib::term::Terms;

use super::{Judge, JudgeStep, Observed, blame};
use crate::evaluated::EvaluatedRun;
use crate::finding::{Class, Evidence};
use crate::run::Answer;

/// Blames a solver for crashing, whatever the others say.
#[derive(Debug)]
pub(super) struct Crash;

impl Judge for Crash {
    fn name(&self) -> &'static str {
        "crash"
    }

    fn about(&self) -> &'static str {
        "a solver ends by a signal, a failed assertion or an internal error, or a sanitizer reports one of its bugs"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::Crash]
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[EvaluatedRun]) -> JudgeStep {
        let signatures = |checked: &'_ EvaluatedRun| -> Vec<String> {
            let is_silent = checked.run.answer == Answer::Crash && checked.run.crash_signature.is_none();
            is_silent.then(String::new).into_iter().chain(checked.run.signatures().cloned()).collect()
        };
        let blamed = observed.runs.iter().flat_map(|checked| {
            let blame = |signature| blame(Class::Crash, checked, Evidence::Signature(signature));
            signatures(checked).into_iter().map(blame)
        });
        JudgeStep::Done(blamed.collect())
    }
}

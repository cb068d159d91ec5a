//! Crashes: signals, failed assertions, internal errors.

use smelt_smtlib::term::Terms;

use super::{Judge, Observed, Step};
use crate::checked::Checked;
use crate::finding::{Class, Evidence, Verdict};
use crate::run::Answer;

/// Blames a solver for crashing, whatever the others say.
#[derive(Debug)]
pub(super) struct Crash;

impl Judge for Crash {
    fn name(&self) -> &'static str {
        "crash"
    }

    fn about(&self) -> &'static str {
        "a solver ends by a signal, a failed assertion or an internal error"
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[Checked]) -> Step {
        let verdict = |checked: &Checked| Verdict {
            class: Class::Crash,
            culprit: Some(checked.run.solver.clone()),
            evidence: Evidence::Signature(checked.run.crash_signature.clone().unwrap_or_default()),
        };
        Step::Done(observed.saying(Answer::Crash).map(verdict).collect())
    }
}

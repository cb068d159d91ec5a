//! Crashes: signals, failed assertions, internal errors.

use smelt_smtlib::term::Terms;

use super::{Judge, Observed, Step, blame};
use crate::checked::Checked;
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
        "a solver ends by a signal, a failed assertion or an internal error"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::Crash]
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[Checked]) -> Step {
        let blamed = observed.saying(Answer::Crash).map(|checked| {
            let signature = checked.run.crash_signature.clone().unwrap_or_default();
            blame(Class::Crash, checked, Evidence::Signature(signature))
        });
        Step::Done(blamed.collect())
    }
}

//! Invalid models: our evaluator refutes the model of a `sat`.

use smelt_smtlib::term::Terms;

use super::{Judge, Observed, Step};
use crate::checked::{Checked, ModelCheck};
use crate::finding::{Class, Evidence, Verdict};
use crate::run::Answer;

/// Blames a solver for a model that makes an assertion false.
#[derive(Debug)]
pub(super) struct InvalidModel;

impl Judge for InvalidModel {
    fn name(&self) -> &'static str {
        "model"
    }

    fn about(&self) -> &'static str {
        "a solver prints a model that our evaluator refutes"
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[Checked]) -> Step {
        let verdict = |checked: &Checked| {
            let ModelCheck::Refuted(assertions) = &checked.model else { return None };
            Some(Verdict {
                class: Class::InvalidModel,
                culprit: Some(checked.run.solver.clone()),
                evidence: Evidence::FalseAssertions {
                    model: checked.run.output.clone(),
                    assertions: assertions.clone(),
                },
            })
        };
        Step::Done(observed.saying(Answer::Sat).filter_map(verdict).collect())
    }
}

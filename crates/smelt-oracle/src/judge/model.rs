//! Invalid models: our evaluator refutes the model of a `sat`.

use smelt_smtlib::term::Terms;

use super::{Judge, JudgeStep, Observed, blame};
use crate::evaluated::{EvaluatedRun, ModelCheck};
use crate::finding::{Class, Evidence};
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

    fn classes(&self) -> &'static [Class] {
        &[Class::InvalidModel]
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[EvaluatedRun]) -> JudgeStep {
        let blamed = observed.saying(Answer::Sat).filter_map(|checked| {
            let ModelCheck::Refuted(assertions) = &checked.model else { return None };
            let (model, assertions) = (checked.run.output.clone(), assertions.clone());
            Some(blame(Class::InvalidModel, checked, Evidence::FalseAssertions { model, assertions }))
        });
        JudgeStep::Done(blamed.collect())
    }
}

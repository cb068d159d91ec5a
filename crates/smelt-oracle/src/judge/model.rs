//! Invalid models: our evaluator refutes the model of a `sat`, or every model: then `sat` itself is wrong.

use smelt_smtlib::term::Terms;

use super::{Judge, JudgeStep, Observed, blame};
use crate::evaluated::{EvaluatedRun, ModelCheck};
use crate::finding::{Class, Evidence};
use crate::run::Answer;

/// Blames a solver for a model that makes an assertion false, or for a `sat` where every model does.
#[derive(Debug)]
pub(super) struct InvalidModel;

impl Judge for InvalidModel {
    fn name(&self) -> &'static str {
        "model"
    }

    fn about(&self) -> &'static str {
        "a solver prints a model that our evaluator refutes, or says `sat` where it refutes every model"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::InvalidModel, Class::SoundnessSolution]
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, _: &[EvaluatedRun]) -> JudgeStep {
        let blamed = observed.saying(Answer::Sat).filter_map(|checked| match &checked.model {
            ModelCheck::Refuted(assertions) => {
                let (model, assertions) = (checked.run.output.clone(), assertions.clone());
                Some(blame(Class::InvalidModel, checked, Evidence::FalseAssertions { model, assertions }))
            }
            ModelCheck::Impossible(assertions) => {
                let evidence = Evidence::FalseUnderEveryModel { assertions: assertions.clone() };
                Some(blame(Class::SoundnessSolution, checked, evidence))
            }
            ModelCheck::Missing | ModelCheck::Accepted | ModelCheck::Undecided => None,
        });
        JudgeStep::Done(blamed.collect())
    }
}

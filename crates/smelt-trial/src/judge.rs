//! What judges say at once of the runs of a trial, and which of them are not content with the first ones.

use smelt_oracle::evaluated::EvaluatedRun;
use smelt_oracle::finding::{Class, Verdict};
use smelt_oracle::judge::{Judge, Step};
use smelt_smtlib::term::Terms;

use crate::trial::Trial;

/// A judge that has something to say about the first runs, or to ask.
pub struct Suspicion {
    pub(crate) judge: &'static dyn Judge,
    /// What it says of the first runs; none if it asks for more.
    pub(crate) verdicts: Option<Vec<Verdict>>,
}

impl Suspicion {
    pub(crate) fn is_dispute(&self) -> bool {
        self.verdicts.iter().flatten().any(|verdict| verdict.class == Class::Disputed)
    }
}

/// Has judges look at the runs of a trial that was evaluated.
pub fn suspicions(terms: &mut Terms, trial: &Trial, judges: &[&'static dyn Judge]) -> Vec<Suspicion> {
    let observed = trial.observed(&trial.evaluated, None);
    judges
        .iter()
        .filter_map(|judge| match judge.step(terms, &observed, &[]) {
            Step::Done(verdicts) if verdicts.is_empty() => None,
            Step::Done(verdicts) => Some(Suspicion { judge: *judge, verdicts: Some(verdicts) }),
            Step::Ask(_) => Some(Suspicion { judge: *judge, verdicts: None }),
        })
        .collect()
}

/// What judges say at once of some runs of the case of a trial; those that ask for more runs say nothing.
pub fn verdicts(
    terms: &mut Terms,
    trial: &Trial,
    runs: &[EvaluatedRun],
    judges: &[&'static dyn Judge],
) -> Vec<Verdict> {
    let observed = trial.observed(runs, None);
    let said = |judge: &&'static dyn Judge| match judge.step(terms, &observed, &[]) {
        Step::Done(verdicts) => verdicts,
        Step::Ask(_) => Vec::new(),
    };
    judges.iter().flat_map(said).collect()
}

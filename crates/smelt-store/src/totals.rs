//! What a campaign has done so far, all its hunts together.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smelt_oracle::checked::ModelWord;
use smelt_oracle::run::Answer;

use crate::recorder::CaseRecord;
use crate::refusals::Refusals;

/// Counters of a campaign. They always say what the recorded cases say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Cases made and run.
    pub cases: u64,
    /// Runs of solvers, those included that judges asked for.
    pub runs: u64,
    /// Runs by answer.
    pub answers: Vec<(Answer, u64)>,
    /// Models that solvers printed, by what our evaluator said: accepted, refuted, undecided.
    pub models: [u64; 3],
    /// Processor time of the solvers.
    pub solver_cpu: Duration,
    /// Our own processor time.
    pub own_cpu: Duration,
    /// Hunting time.
    pub elapsed: Duration,
    /// Findings by class, in the words of the classes.
    pub findings: Vec<(String, u64)>,
    /// Verdicts that fresh processes did not show again.
    pub unconfirmed: u64,
    /// Positions of the seeds that could not be used.
    pub unusable_seeds: BTreeSet<u64>,
    /// What solvers refused or failed on, by their positions in the configuration.
    #[serde(default)]
    pub refusals: BTreeMap<usize, Refusals>,
}

impl Totals {
    /// Adds a case with its runs and verdicts.
    pub(crate) fn add_case(&mut self, case: &CaseRecord) {
        self.cases += 1;
        for run in &case.runs {
            self.refusals.entry(run.solver).or_default().add(run.answer, run.message.as_deref());
        }
        for run in case.runs.iter().chain(&case.further_runs) {
            self.runs += 1;
            self.solver_cpu += run.cpu;
            match self.answers.iter_mut().find(|(answer, _)| *answer == run.answer) {
                Some((_, count)) => *count += 1,
                None => self.answers.push((run.answer, 1)),
            }
            match run.model {
                Some(ModelWord::Accepted) => self.models[0] += 1,
                Some(ModelWord::Refuted) => self.models[1] += 1,
                Some(ModelWord::Undecided) => self.models[2] += 1,
                None => {}
            }
        }
        self.unconfirmed += case.unconfirmed;
    }

    /// Adds a finding of a class.
    pub(crate) fn add_finding(&mut self, class: &str) {
        match self.findings.iter_mut().find(|(known, _)| known == class) {
            Some((_, count)) => *count += 1,
            None => self.findings.push((class.to_owned(), 1)),
        }
    }

    /// How many findings there are.
    pub fn all_findings(&self) -> u64 {
        self.findings.iter().map(|(_, count)| count).sum()
    }

    /// The part of all processor time that the solvers used; none before anything was used.
    pub fn solver_share(&self) -> Option<f64> {
        let all = self.solver_cpu + self.own_cpu;
        (!all.is_zero()).then(|| self.solver_cpu.as_secs_f64() / all.as_secs_f64())
    }
}

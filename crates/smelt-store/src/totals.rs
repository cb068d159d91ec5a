//! What a campaign has done so far, all its hunts together.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smelt_oracle::evaluated::ModelWord;
use smelt_oracle::run::{Answer, Limit};

use crate::recorder::CaseRecord;
use crate::refusals::Refusals;

/// Counters of a campaign. They always say what the recorded cases say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Cases made and run; what was sent to no solver is none.
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
    /// Formulas that were made and sent to no solver, by the reason.
    #[serde(default)]
    pub not_sent: BTreeMap<String, u64>,
    /// Cases that solvers were not asked about by a choice of the hunt, by their positions in the configuration.
    #[serde(default)]
    pub withheld: BTreeMap<usize, u64>,
    /// Runs that the clock ended although they were repeated.
    #[serde(default)]
    pub starved: u64,
    /// Runs that were repeated because the clock had ended them.
    #[serde(default)]
    pub repeated: u64,
}

/// After this many formulas that no solver could be asked about
const MANY_NOT_SENT: u64 = 1000;
/// a hunt is over if there are more than this many of them for each case.
const NOT_SENT_PER_CASE: u64 = 50;

impl Totals {
    /// Adds a case with its runs and verdicts.
    pub(crate) fn add_case(&mut self, case: &CaseRecord) {
        if let Some(reason) = &case.not_sent {
            *self.not_sent.entry(reason.clone()).or_default() += 1;
            return;
        }
        self.cases += 1;
        self.repeated += case.repeated;
        for solver in &case.withheld {
            *self.withheld.entry(*solver).or_default() += 1;
        }
        for run in &case.runs {
            self.starved += u64::from(run.limit == Some(Limit::Wall));
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

    /// Takes a finding of a class back.
    pub(crate) fn drop_finding(&mut self, class: &str) {
        for (_, count) in self.findings.iter_mut().filter(|(known, _)| known == class) {
            *count = count.saturating_sub(1);
        }
    }

    /// How many formulas were sent to no solver.
    pub fn all_not_sent(&self) -> u64 {
        self.not_sent.values().sum()
    }

    /// Whether next to nothing of what is made can be sent to any solver.
    pub fn is_vain(&self) -> bool {
        let not_sent = self.all_not_sent();
        not_sent >= MANY_NOT_SENT && not_sent > NOT_SENT_PER_CASE * self.cases
    }

    /// How many formulas the solver at this position was or could have been asked about, had it taken them.
    pub fn meant_for(&self, solver: usize) -> u64 {
        let withheld = self.withheld.get(&solver).copied().unwrap_or_default();
        (self.cases + self.all_not_sent()).saturating_sub(withheld)
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

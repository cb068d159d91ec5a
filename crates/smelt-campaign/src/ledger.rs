//! What all workers of a hunt share: when it ends, its record, and its findings.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use smelt_oracle::judge::Judge;
use smelt_runner::clock;
use smelt_smtlib::term::Terms;
use smelt_store::configuration::Budget;
use smelt_store::recorder::{CaseRecord, Recorder, VerdictRecord};
use smelt_trial::confirm::{Confirmed, confirm};
use smelt_trial::screen::screen;
use smelt_trial::trial::Trial;
use smelt_trial::worker::{Stop, Worker};

use crate::finding::{finding_of, most_cpu, run_records};
use crate::hunt::HuntError;
use crate::record::{Counted, Findings};

/// The budget, the record and the findings of a hunt.
pub(crate) struct Ledger<'p> {
    pub judges: Vec<&'static dyn Judge>,
    pub budget: &'p Budget,
    /// How findings are counted against the budget.
    pub counted: fn(&Findings) -> usize,
    pub started: Instant,
    /// How long earlier hunts of the campaign took.
    pub elapsed_before: Duration,
    /// Processor time that was used to prepare the hunt.
    pub prepared_cpu: Duration,
    pub stop: &'p AtomicBool,
    pub recorder: Recorder,
    pub findings: Mutex<Findings>,
}

impl Ledger<'_> {
    pub(crate) fn lock_findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all workers have to drop what they do.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether all findings are made that were asked for.
    fn has_enough(&self) -> bool {
        self.budget.findings.is_some_and(|most| (self.counted)(&self.lock_findings()) as u64 >= most)
    }

    /// Whether work goes on with what has been run.
    pub(crate) fn may_judge(&self) -> ControlFlow<Stop> {
        match (self.is_interrupted(), self.has_enough()) {
            (true, _) => ControlFlow::Break(Stop::Interrupted),
            (false, true) => ControlFlow::Break(Stop::BudgetUsed),
            (false, false) => ControlFlow::Continue(()),
        }
    }

    /// Whether more cases are begun.
    pub(crate) fn may_begin(&self) -> ControlFlow<Stop> {
        let elapsed = self.elapsed_before + clock::since(self.started);
        let is_late = self.budget.time_secs.is_some_and(|most| elapsed.as_secs_f64() >= most);
        let used = || self.prepared_cpu + self.recorder.cpu();
        let is_exhausted = self.budget.cpu_secs.is_some_and(|most| used().as_secs_f64() >= most);
        if is_late || is_exhausted || self.recorder.is_vain() {
            return ControlFlow::Break(Stop::BudgetUsed);
        }
        self.may_judge()
    }

    /// Has the judges look at a trial that was evaluated, confirms what they say, and notes it in the record of the case.
    pub(crate) fn judge(
        &self,
        worker: &mut Worker<'_>,
        terms: &mut Terms,
        trial: &mut Trial,
        record: &mut CaseRecord,
    ) -> Result<ControlFlow<Stop>, HuntError> {
        let confirmed = screen(worker, terms, trial, &self.judges)
            .and_then(|judges| confirm(worker, terms, trial, &judges));
        if trial.fresh.is_empty() && trial.extra_runs.is_empty() && confirmed.is_ok() {
            return Ok(ControlFlow::Continue(()));
        }
        // Once we are stopped, a run may have been ended by ourselves and says nothing.
        if self.is_interrupted() {
            return Ok(ControlFlow::Break(Stop::Interrupted));
        }
        let confirmed = confirmed?;
        record.unconfirmed += trial.unconfirmed;
        record.further_runs.extend(run_records(worker.targets(), &trial.fresh));
        record.further_runs.extend(run_records(worker.targets(), &trial.extra_runs));
        let cpu = most_cpu(trial.evaluated.iter().chain(&trial.fresh).chain(&trial.extra_runs));
        for confirmed in confirmed {
            let verdict = self.add_finding(worker, terms, trial, confirmed, record.id())?;
            record.verdicts.push(VerdictRecord { cpu, ..verdict });
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Records the finding of a confirmed verdict, and says for which finding it counts.
    pub(crate) fn add_finding(
        &self,
        worker: &Worker<'_>,
        terms: &mut Terms,
        trial: &Trial,
        confirmed: Confirmed,
        place: u64,
    ) -> Result<VerdictRecord, HuntError> {
        let (verdict, cpu) = (confirmed.verdict.clone(), most_cpu(confirmed.runs.iter()));
        let recorded = finding_of(worker, terms, trial, confirmed);
        let Counted { id: finding, alike } = self.lock_findings().add(recorded, place, &self.recorder)?;
        Ok(VerdictRecord { verdict, finding, alike, cpu })
    }
}

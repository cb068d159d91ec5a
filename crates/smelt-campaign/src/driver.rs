//! The loop of every hunt: cases are proposed, run, judged, confirmed and recorded.
//!
//! Where cases come from, and what is learned from them, is up to a [`Proposer`]. A case is recorded when everything is
//! known about it; one that is cut short leaves no trace, and is run again when the hunt is resumed.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use smelt_smtlib::term::Terms;
use smelt_store::recorder::CaseRecord;
use smelt_trial::trial::Trial;
use smelt_trial::worker::{Stop, Worker};

use crate::hunt::HuntError;
use crate::ledger::Ledger;

/// How many cases are made in a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// The most cases.
    pub cases: usize,
    /// Stop adding cases to a batch at this many bytes, because large formulas keep solvers busy.
    pub bytes: usize,
}

impl Room {
    /// The room of a batch.
    pub(crate) const BATCH: Room = Room { cases: 160, bytes: 1 << 17 };
}

/// A source of cases, which may learn from their results.
pub(crate) trait Proposer {
    /// Makes cases, ready to be run; none if there are no more.
    fn next(&mut self, worker: &Worker<'_>, room: Room) -> Result<Vec<Trial>, HuntError>;

    /// Runs the first of some trials and more, until some are to be judged; says how many.
    fn run(
        &mut self,
        worker: &mut Worker<'_>,
        trials: &mut [Trial],
        stop: &AtomicBool,
    ) -> Result<ControlFlow<Stop, usize>, HuntError>;

    /// Evaluates the runs of a trial and begins its record; none if there is nothing to judge.
    fn begin_record(
        &mut self,
        worker: &Worker<'_>,
        trial: &mut Trial,
    ) -> Result<ControlFlow<Stop, Option<CaseRecord>>, HuntError>;

    /// The terms of a trial.
    fn terms(&mut self, trial: &Trial) -> &mut Terms;

    /// Records a case that was judged, and learns from it.
    fn learn(&mut self, trial: Trial, record: CaseRecord) -> Result<(), HuntError>;
}

/// Runs and judges the cases of a proposer until it has no more, or the hunt ends.
pub(crate) fn drive(
    ledger: &Ledger<'_>,
    worker: &mut Worker<'_>,
    proposer: &mut dyn Proposer,
) -> Result<ControlFlow<Stop>, HuntError> {
    loop {
        let mut trials = proposer.next(worker, Room::BATCH)?;
        if trials.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        while !trials.is_empty() {
            if let ControlFlow::Break(stop) = ledger.may_begin() {
                return Ok(ControlFlow::Break(stop));
            }
            let done = match proposer.run(worker, &mut trials, ledger.stop)? {
                ControlFlow::Continue(done) => done,
                ControlFlow::Break(stop) => return Ok(ControlFlow::Break(stop)),
            };
            for mut trial in trials.drain(..done) {
                worker.repeat_starved(&mut trial, ledger.stop)?;
                worker.repeat_promising(&mut trial, ledger.stop)?;
                if let ControlFlow::Break(stop) = finish(ledger, worker, proposer, trial)? {
                    return Ok(ControlFlow::Break(stop));
                }
            }
        }
    }
}

/// Judges and records a trial that was run.
fn finish(
    ledger: &Ledger<'_>,
    worker: &mut Worker<'_>,
    proposer: &mut dyn Proposer,
    mut trial: Trial,
) -> Result<ControlFlow<Stop>, HuntError> {
    if let ControlFlow::Break(stop) = ledger.may_judge() {
        return Ok(ControlFlow::Break(stop));
    }
    let mut record = match proposer.begin_record(worker, &mut trial)? {
        ControlFlow::Continue(Some(record)) => record,
        ControlFlow::Continue(None) => return Ok(ControlFlow::Continue(())),
        ControlFlow::Break(stop) => return Ok(ControlFlow::Break(stop)),
    };
    if let ControlFlow::Break(stop) = ledger.judge(worker, proposer.terms(&trial), &mut trial, &mut record)? {
        return Ok(ControlFlow::Break(stop));
    }
    proposer.learn(trial, record)?;
    Ok(ControlFlow::Continue(()))
}

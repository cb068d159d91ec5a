//! The workers of a hunt, and what is left to do when they are done.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use smelt_runner::descendants::end_all;
use smelt_store::error::StoreError;
use smelt_store::recorder::Recorder;
use smelt_store::totals::Totals;

use crate::hunt::HuntError;
use crate::record::Findings;

/// How often a hunt is reported on and looked at whether it is stopped.
const REPORT_PAUSE: Duration = Duration::from_millis(250);

/// Lets so many workers work until all are done. Every now and then `report` is called; when `is_stopped` says so, the
/// processes of solvers are ended at once.
pub(crate) fn work_together(
    jobs: usize,
    work: impl Fn() -> Result<(), HuntError> + Sync,
    report: impl Fn(),
    is_stopped: impl Fn() -> bool,
) -> Result<(), HuntError> {
    let work = &work;
    std::thread::scope(|scope| {
        let (is_working, all_done) = channel::<()>();
        let workers: Vec<_> = (0..jobs.max(1))
            .map(|_| {
                let is_working = is_working.clone();
                scope.spawn(move || {
                    let result = work();
                    drop(is_working);
                    result
                })
            })
            .collect();
        drop(is_working);
        while let Err(RecvTimeoutError::Timeout) = all_done.recv_timeout(REPORT_PAUSE) {
            report();
            if is_stopped() {
                end_all();
            }
        }
        let results: Vec<Result<(), HuntError>> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        results.into_iter().collect()
    })
}

/// Ends the record of a hunt.
pub(crate) fn finish(
    worked: Result<(), HuntError>,
    recorder: Recorder,
    findings: Mutex<Findings>,
) -> Result<(Totals, Findings), HuntError> {
    let recorded = recorder.finish();
    let (_, totals) = match worked {
        // Whatever a worker says of a record that cannot be written, the recorder knows why.
        Ok(()) | Err(HuntError::Store(StoreError::Stopped)) => recorded?,
        Err(error) => return Err(error),
    };
    let mut findings = findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    findings.flush()?;
    Ok((totals, findings))
}

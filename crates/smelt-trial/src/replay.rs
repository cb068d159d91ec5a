//! A case or a session run from the start, in fresh processes only.

use smelt_oracle::judge::Judge;
use smelt_oracle::run::Run;
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_smtlib::term::Terms;

use crate::SolverFailure;
use crate::confirm::{Confirmed, confirm};
use crate::target::Target;
use crate::trial::{Trial, evaluated};
use crate::worker::Worker;

/// Runs a trial in a fresh process of every target that takes its case, judges and confirms it. The culprit is run even
/// if it is known not to take such formulas.
pub fn replay_case(
    worker: &Worker<'_>,
    terms: &mut Terms,
    trial: &mut Trial,
    judging: &Judging<'_>,
) -> Result<Vec<Confirmed>, SolverFailure> {
    for target in worker.targets() {
        let is_culprit = judging.culprit == Some(target.solver.name.as_str());
        if !is_culprit && target.takes(terms, &trial.reading.script).is_none() {
            continue;
        }
        let text = target.text(terms, &trial.reading.script);
        let run =
            target.run_cold(&text, worker.limits()).map_err(|error| SolverFailure::of(target, error))?;
        trial.evaluated.push(evaluated(terms, &trial.formula, target, run));
    }
    confirm(worker, terms, trial, &judging.judges)
}

/// Who judges a replay, and whom.
pub struct Judging<'j> {
    /// The judges.
    pub judges: Vec<&'static dyn Judge>,
    /// The solver that is run in any case.
    pub culprit: Option<&'j str>,
}

/// What came of a session that was run again.
#[derive(Debug)]
pub struct SessionReplay {
    /// Its last run; none if it was asked nothing.
    pub warm: Option<Run>,
    /// The last formula in a fresh process.
    pub cold: Run,
}

/// Runs the formulas of a transcript in a new session, and the last one also in a fresh process.
pub fn replay_session(
    target: &Target,
    transcript: &str,
    limits: &Limits,
) -> Result<SessionReplay, SolverFailure> {
    let failed = |error| SolverFailure::of(target, error);
    let mut last = None;
    let mut warm = None;
    let between = Isolation::of_transcript(transcript);
    let mut session = Session::new(target.solver.clone(), between, *limits);
    for script in between.scripts(transcript) {
        warm = Some(session.run(&script).map_err(failed)?);
        last = Some(script);
    }
    let cold = target.run_cold(&last.unwrap_or_default(), limits).map_err(failed)?;
    Ok(SessionReplay { warm, cold })
}

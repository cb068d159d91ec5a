//! The runs of a study: pieces of work for several workers, recorded as they are done.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use smelt_oracle::evaluated::{EvaluatedRun, Formula, ModelWord};
use smelt_oracle::run::{Answer, Run};
use smelt_runner::timing::Timing;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::term::Terms;
use smelt_store::study::{Role, RunRow, StudyStore, TheoryRecord};

use super::{ReleaseStudy, StudyError, StudySubject};
use smelt_trial::target::{Mode, Target};
use smelt_trial::trial::evaluated;
use smelt_trial::worker::TargetSession;

/// Some formulas for one solver.
pub(super) struct Unit<'s> {
    pub theory: &'s TheoryRecord,
    pub subject: &'s StudySubject,
    pub role: Role,
    /// Their numbers.
    pub formulas: Vec<u32>,
}

/// Has workers do all units, each on a core of its own. A row is in the record before its worker goes on, whatever happens
/// then; `recorded` hears of each.
pub(super) fn carry_out<'s>(
    store: &mut StudyStore,
    units: &[Unit<'s>],
    jobs: NonZeroUsize,
    work: impl Fn(&Unit<'s>, &mut dyn FnMut(RunRow) -> bool) -> Result<(), StudyError> + Sync,
    recorded: &mut dyn FnMut(),
) -> Result<(), StudyError> {
    let next_unit = AtomicUsize::new(0);
    let store = Mutex::new(store);
    let timing = Timing::begin(jobs.get());
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<Result<(), StudyError>>();
        for _ in 0..jobs.get().min(units.len()) {
            let sender = sender.clone();
            let (next_unit, store, work, timing) = (&next_unit, &store, &work, &timing);
            scope.spawn(move || {
                let _core = timing.pin();
                let mut is_wanted = true;
                while is_wanted && let Some(unit) = units.get(next_unit.fetch_add(1, Ordering::Relaxed)) {
                    let done = work(unit, &mut |row| {
                        let written = store.lock().unwrap_or_else(PoisonError::into_inner).record(&[row]);
                        is_wanted = written.is_ok();
                        is_wanted &= sender.send(written.map_err(StudyError::from)).is_ok();
                        is_wanted
                    });
                    if let Err(error) = done {
                        let _ = sender.send(Err(error));
                        return;
                    }
                }
            });
        }
        drop(sender);
        // When this returns early, the receiver is gone, and workers notice with their next row.
        for done in receiver {
            done?;
            recorded();
        }
        Ok(())
    })
}

/// Runs a solver on the formulas of a unit until `stop` is set or nobody wants the rows.
pub(super) fn run_unit(
    study: &ReleaseStudy,
    unit: &Unit<'_>,
    certified: &[Vec<bool>],
    stop: &AtomicBool,
    send: &mut dyn FnMut(RunRow) -> bool,
) -> Result<(), StudyError> {
    let limits = study.limits(unit.role);
    let target = unit.subject.warm_target(unit.role);
    let target = target.as_ref().unwrap_or(&unit.subject.target);
    let mut session = TargetSession::new(target, limits);
    let position = study.theories.iter().position(|theory| theory.id == unit.theory.id);
    let certified = &certified[position.expect("a unit is about a theory of the study")];
    for number in &unit.formulas {
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut question = Question::new(&unit.theory.formulas[*number as usize].script);
        let run = match target.mode {
            // As users start it: the quick start of runners hides what a start costs.
            Mode::Cold => question.ask_cold(target, &limits),
            _ => question.ask(&mut session),
        };
        let run = run.map_err(|error| solver_error(target, error))?;
        let run = run.map(|run| question.evaluated(target, run));
        let mut row = question.row(unit, *number, run.as_ref());
        // A model of a formula that has one already is evidence of nothing new.
        if unit.role == Role::Release && certified[*number as usize] {
            row.output = None;
        }
        if !send(row) {
            return Ok(());
        }
    }
    Ok(())
}

pub(super) fn solver_error(target: &Target, error: io::Error) -> StudyError {
    StudyError::Solver { name: target.solver.name.clone(), error }
}

impl StudySubject {
    /// References are asked for answers and not for times, so they are always run in sessions.
    fn warm_target(&self, role: Role) -> Option<Target> {
        (role == Role::Reference).then(|| Target { mode: Mode::Warm, ..self.target.clone() })
    }
}

/// A formula as it is put to solvers.
pub(super) struct Question {
    pub terms: Terms,
    pub reading: Reading,
    pub formula: Formula,
}

impl Question {
    pub fn new(script: &str) -> Self {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, script, Dialect::V26);
        let formula = Formula::new(&terms, &reading);
        Question { terms, reading, formula }
    }

    /// Asks in a session; none if the solver is known not to take the formula.
    fn ask(&mut self, session: &mut TargetSession<'_>) -> io::Result<Option<Run>> {
        let target = session.target();
        let Some(fragments) = target.takes(&self.terms, &self.reading.script) else { return Ok(None) };
        let script = target.text(&mut self.terms, &self.reading.script);
        session.run(&script, fragments).map(Some)
    }

    /// Asks in a fresh process; none if the solver is known not to take the formula.
    pub fn ask_cold(
        &mut self,
        target: &Target,
        limits: &smelt_runner::limits::Limits,
    ) -> io::Result<Option<Run>> {
        if target.takes(&self.terms, &self.reading.script).is_none() {
            return Ok(None);
        }
        let script = target.text(&mut self.terms, &self.reading.script);
        target.run_cold(&script, limits).map(Some)
    }

    /// A run with what our evaluator says of its model.
    pub fn evaluated(&mut self, target: &Target, run: Run) -> EvaluatedRun {
        evaluated(&mut self.terms, &self.formula, target, run)
    }

    /// The row of a run; without a run the formula was refused.
    pub fn row(&self, unit: &Unit<'_>, number: u32, run: Option<&EvaluatedRun>) -> RunRow {
        let millis = |millis: f64| Duration::from_secs_f64(millis.max(0.0) / 1e3);
        let mut row = RunRow {
            theory: unit.theory.id,
            role: unit.role,
            solver: unit.subject.id,
            formula: number,
            answer: Answer::Rejected,
            limit: None,
            model: None,
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            output: None,
            class: None,
            note: None,
        };
        if let Some(EvaluatedRun { run, model, .. }) = run {
            row.answer = run.answer;
            row.limit = run.limit;
            row.model = ModelWord::of(model);
            row.output = (row.model == Some(ModelWord::Accepted)).then(|| run.output.clone());
            row.cpu = millis(run.cpu_ms);
            row.wall = millis(run.wall_ms);
            row.note = run.crash_signature.clone();
        }
        row
    }
}

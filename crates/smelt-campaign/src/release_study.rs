//! A study of releases: many releases on fixed lists of formulas, each run once at the largest time limit.
//!
//! Three phases: references say what the answers should be, releases are run, and whatever of that seems wrong is looked
//! at again in fresh processes. Every run is recorded when it is done; a study goes on with the runs that are missing.
//!
//! Follows the thesis "Solidifying Modern SMT Solvers", section 7.4. Unlike there, models settle who is wrong, and both
//! references speak about all releases.

mod confirm;
pub mod prepare;
pub mod selection;
mod work;

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_runner::limits::Limits;
use smelt_store::error::StoreError;
use smelt_store::study::{Role, RunRow, StudyConfiguration, StudyStore, TheoryRecord};

use smelt_trial::target::Target;
use work::{Unit, carry_out};

/// A study, ready to be run.
#[derive(Debug)]
pub struct ReleaseStudy {
    /// What it is about.
    pub configuration: StudyConfiguration,
    /// Its theories with their formulas.
    pub theories: Vec<TheoryRecord>,
    /// Its solvers.
    pub subjects: Vec<StudySubject>,
    /// How many workers there are.
    pub jobs: NonZeroUsize,
}

/// A solver of a study.
#[derive(Debug)]
pub struct StudySubject {
    /// Its number in the record.
    pub id: u32,
    /// The solver; its mode is that of the study.
    pub target: Target,
    /// Whether it is under test.
    pub is_release: bool,
    /// Whether others are compared with it.
    pub is_reference: bool,
}

/// What a study is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Asking references.
    References,
    /// Running releases.
    Releases,
    /// Looking again at what seems wrong.
    Again,
}

/// How far a phase has come.
#[derive(Debug, Clone, Copy)]
pub struct StudyProgress {
    /// The phase.
    pub phase: Phase,
    /// Runs that were recorded before.
    pub before: u64,
    /// Runs that are recorded, with those before.
    pub done: u64,
    /// All runs of the phase.
    pub total: u64,
}

impl StudyProgress {
    /// How it goes in words, for a phase that began so long ago: `releases: 1200 of 5000 runs (45/s), 84 s left`.
    pub fn line(&self, elapsed: Duration) -> String {
        let phase = match self.phase {
            Phase::References => "references",
            Phase::Releases => "releases",
            Phase::Again => "looking again",
        };
        let rate = (self.done - self.before) as f64 / elapsed.as_secs_f64().max(0.1);
        let mut text = format!("{phase}: {} of {} runs ({rate:.0}/s)", self.done, self.total);
        if rate > 0.0 && elapsed > Duration::from_secs(2) {
            let left = (self.total - self.done) as f64 / rate;
            text.push_str(&match left {
                left if left > 90.0 => format!(", {:.0} min left", left / 60.0),
                left => format!(", {left:.0} s left"),
            });
        }
        text
    }
}

/// Why a study cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The record.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A solver cannot be started.
    #[error("cannot run solver `{name}`: {error}")]
    Solver {
        /// Its name.
        name: String,
        /// What the system says.
        error: io::Error,
    },
}

/// Runs all that is missing of a study, or as much as there is before `stop` is set.
pub fn run(
    study: &ReleaseStudy,
    store: &mut StudyStore,
    stop: &AtomicBool,
    told: &mut dyn FnMut(&StudyProgress),
) -> Result<(), StudyError> {
    for (phase, role) in [(Phase::References, Role::Reference), (Phase::Releases, Role::Release)] {
        let (units, before) = missing(study, store, role)?;
        let certified = certified(study, store)?;
        let total = before + units.iter().map(|unit| unit.formulas.len() as u64).sum::<u64>();
        let mut progress = StudyProgress { phase, before, done: before, total };
        let work = |unit: &Unit<'_>, send: &mut dyn FnMut(RunRow) -> bool| {
            work::run_unit(study, unit, &certified, stop, send)
        };
        carry_out(store, &units, study.jobs, work, &mut || {
            progress.done += 1;
            told(&progress);
        })?;
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
    }
    confirm::run(study, store, stop, told)
}

/// So many formulas a worker takes at once. All releases are run on some formulas before any is run on the next, so that
/// a machine that is busy for a while is so for all of them.
const BLOCK: usize = 250;

/// The runs of a role that are not recorded, in pieces, and how many are.
fn missing<'s>(
    study: &'s ReleaseStudy,
    store: &StudyStore,
    role: Role,
) -> Result<(Vec<Unit<'s>>, u64), StudyError> {
    let mut pieces: Vec<(usize, Unit<'s>)> = Vec::new();
    let mut before = 0;
    for theory in &study.theories {
        for subject in study.subjects.iter().filter(|subject| subject.has(role)) {
            let done = store.done(theory.id, role, subject.id)?;
            before += done.len() as u64;
            let all: Vec<u32> = (0..theory.formulas.len() as u32).collect();
            for (number, block) in all.chunks(BLOCK).enumerate() {
                let formulas: Vec<u32> = block.iter().copied().filter(|one| !done.contains(one)).collect();
                if !formulas.is_empty() {
                    pieces.push((number, Unit { theory, subject, role, formulas }));
                }
            }
        }
    }
    pieces.sort_by_key(|(number, _)| *number);
    Ok((pieces.into_iter().map(|(_, unit)| unit).collect(), before))
}

impl StudySubject {
    fn has(&self, role: Role) -> bool {
        match role {
            Role::Reference => self.is_reference,
            Role::Release | Role::Again => self.is_release,
        }
    }

    fn family(&self) -> &'static str {
        self.target.solver.family.name()
    }
}

/// For each theory and formula whether a reference has shown a model of it.
fn certified(study: &ReleaseStudy, store: &StudyStore) -> Result<Vec<Vec<bool>>, StudyError> {
    let mut found = Vec::new();
    for theory in &study.theories {
        let mut is_certified = vec![false; theory.formulas.len()];
        for row in store.runs(theory.id)? {
            if row.role == Role::Reference && row.output.is_some() {
                is_certified[row.formula as usize] = true;
            }
        }
        found.push(is_certified);
    }
    Ok(found)
}

/// Time on the clock for each second of processor time, and in any case.
const WALL_FACTOR: u32 = 20;
const MIN_WALL: Duration = Duration::from_secs(20);

impl ReleaseStudy {
    /// Processor time is what counts. The clock only ends what waits for ever: on a machine with much else to do a run
    /// may get a small part of a processor.
    fn limits(&self, role: Role) -> Limits {
        let limits = Limits::for_seconds(match role {
            Role::Reference => self.configuration.reference_timeout_secs,
            Role::Release | Role::Again => self.configuration.timeout_secs,
        });
        Limits { wall: limits.cpu * WALL_FACTOR + MIN_WALL, ..limits }
    }

    fn subject(&self, id: u32) -> Option<&StudySubject> {
        self.subjects.iter().find(|subject| subject.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_the_rate_of_this_process_and_what_is_left() {
        let done = StudyProgress { phase: Phase::Releases, before: 100, done: 200, total: 1000 };
        let text = done.line(Duration::from_secs(10));
        assert_eq!(text, "releases: 200 of 1000 runs (10/s), 80 s left");
    }
}

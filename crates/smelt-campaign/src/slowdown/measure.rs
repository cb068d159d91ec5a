//! Measurements: what a formula costs each solver, in processor time of fresh processes.
//!
//! A loaded machine must not end runs early, so the clock is no limit to speak of. A run that is ended for the clock all
//! the same says nothing of how long a solver takes.

use std::time::Duration;

use smelt_oracle::evaluated::{EvaluatedRun, Formula, ModelCheck};
use smelt_oracle::run::{Answer, Run};
use smelt_oracle::slowness::{Measured, Measurement, Tally, Threshold, is_suspicious};
use smelt_runner::limits::Limits;
use smelt_runner::options::random_seed;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::term::Terms;

use smelt_trial::SolverFailure;
use smelt_trial::target::Target;
use smelt_trial::trial::evaluated;

/// How often solvers are measured in turn before anything is said.
pub const REPEATS: usize = 5;

/// How many random seeds are tried.
pub const SEEDS: u32 = 30;

/// A formula that solvers are run on.
#[derive(Debug)]
pub(crate) struct Subject {
    pub terms: Terms,
    pub reading: Reading,
    pub formula: Formula,
}

impl Subject {
    /// A formula as SMT-LIB 2.6.
    pub(crate) fn read(text: &str) -> Subject {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, text, Dialect::V26);
        let formula = Formula::new(&terms, &reading);
        Subject { terms, reading, formula }
    }
}

/// The solvers that are measured, the suspect last.
pub(crate) struct Bench<'b> {
    pub targets: &'b [Target],
    pub limits: Limits,
}

/// A solver that the suspect is compared with under several random seeds.
pub(crate) struct Rival<'r> {
    pub reference: &'r Target,
    /// How many random seeds are tried.
    pub seeds: u32,
    /// What is slow.
    pub threshold: &'r Threshold,
}

/// Limits for measuring: processor time as given, and so much on the clock that it does not matter.
pub fn limits(seconds: f64) -> Limits {
    let usual = Limits::for_seconds(seconds);
    Limits { wall: usual.cpu * 20 + Duration::from_secs(10), ..usual }
}

impl Bench<'_> {
    /// One run of a solver; none if it does not take the formula.
    pub(crate) fn run(
        &self,
        target: &Target,
        subject: &mut Subject,
    ) -> Result<Option<EvaluatedRun>, SolverFailure> {
        self.run_within(target, subject, &self.limits)
    }

    fn run_within(
        &self,
        target: &Target,
        subject: &mut Subject,
        limits: &Limits,
    ) -> Result<Option<EvaluatedRun>, SolverFailure> {
        let Subject { terms, reading, formula } = subject;
        if target.takes(terms, &reading.script).is_none() {
            return Ok(None);
        }
        let text = target.plain_text(terms, &reading.script);
        let run = target.run_cold(&text, limits).map_err(|error| SolverFailure::of(target, error))?;
        Ok(Some(evaluated(terms, formula, target, run)))
    }

    /// What a run says of the time that a solver takes.
    pub(crate) fn measurement(&self, checked: &EvaluatedRun) -> Measurement {
        measurement(&checked.run, &checked.model, &self.limits)
    }

    /// One run of each solver. The suspect is spared a formula that none of the others decides.
    pub(crate) fn once(&self, subject: &mut Subject) -> Result<Vec<Option<EvaluatedRun>>, SolverFailure> {
        let mut runs: Vec<Option<EvaluatedRun>> = Vec::new();
        for (position, target) in self.targets.iter().enumerate() {
            let is_last = position + 1 == self.targets.len();
            let is_decided = |run: &EvaluatedRun| self.measurement(run).answer.is_decided();
            let is_spared = is_last && !runs.iter().flatten().any(is_decided);
            runs.push(if is_spared { None } else { self.run(target, subject)? });
        }
        Ok(runs)
    }

    /// Runs as measurements, one of each solver.
    pub(crate) fn measured(&self, runs: &[Option<EvaluatedRun>]) -> Vec<Measured> {
        let one = |(target, run): (&Target, &Option<EvaluatedRun>)| Measured {
            solver: target.solver.name.clone(),
            runs: run.iter().map(|run| self.measurement(run)).collect(),
        };
        self.targets.iter().zip(runs).map(one).collect()
    }

    /// So many more measurements, all solvers in turn; the runs.
    pub(crate) fn repeat(
        &self,
        subject: &mut Subject,
        measured: &mut [Measured],
        turns: usize,
    ) -> Result<Vec<EvaluatedRun>, SolverFailure> {
        let mut runs = Vec::new();
        for _ in 0..turns {
            for (target, measured) in self.targets.iter().zip(measured.iter_mut()) {
                let run = self.run(target, subject)?;
                measured.runs.extend(run.as_ref().map(|run| self.measurement(run)));
                runs.extend(run);
            }
        }
        Ok(runs)
    }

    /// With how many random seeds the suspect is slower than a reference; none if it has no such option, or if
    /// `is_stopped` says so on the way.
    ///
    /// A reference without random seeds is the same each time.
    pub(crate) fn tally(
        &self,
        subject: &mut Subject,
        rival: &Rival<'_>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Tally>, SolverFailure> {
        let Some(suspect) = self.targets.last() else { return Ok(None) };
        let Rival { reference, seeds, threshold } = *rival;
        let mut tally = Tally { shown: 0, tried: 0 };
        for seed in 1..=seeds {
            let Some(seeded_suspect) = with_seed(suspect, seed) else { return Ok(None) };
            let seeded_reference = with_seed(reference, seed).unwrap_or_else(|| reference.clone());
            let mut once = Vec::new();
            for target in [&seeded_reference, &seeded_suspect] {
                // The suspect need not run longer than it takes to be slow.
                let limits = match once.first() {
                    Some(fast) => self.enough(fast, threshold),
                    None => self.limits,
                };
                let run = self.run_within(target, subject, &limits)?;
                let runs = run.iter().map(|run| measurement(&run.run, &run.model, &limits)).collect();
                once.push(Measured { solver: target.solver.name.clone(), runs });
            }
            if is_stopped() {
                return Ok(None);
            }
            tally.tried += 1;
            tally.shown += u32::from(is_suspicious(&once, threshold));
        }
        Ok(Some(tally))
    }

    /// The time after which a suspect is slow, rounded up to whole seconds, which limits are.
    fn enough(&self, fast: &Measured, threshold: &Threshold) -> Limits {
        let fast_ms = fast.greatest_ms();
        let slow_ms = (fast_ms + threshold.difference_ms).max(fast_ms * threshold.ratio);
        let seconds = (slow_ms / 1e3 + 0.01).ceil();
        if seconds < self.limits.cpu.as_secs_f64() { limits(seconds) } else { self.limits }
    }
}

fn with_seed(target: &Target, seed: u32) -> Option<Target> {
    let mut seeded = target.clone();
    let options = random_seed(target.solver.family, seed)?;
    seeded.solver.invocation.args.extend(options.into_iter().map(Into::into));
    Some(seeded)
}

/// What a run under limits says of the time that a solver takes.
fn measurement(run: &Run, model: &ModelCheck, limits: &Limits) -> Measurement {
    let limit_ms = limits.cpu.as_secs_f64() * 1e3;
    let answer = match (run.answer, model) {
        // It is wrong, so nobody shall be as fast.
        (Answer::Sat, model) if model.is_refuted() => Answer::Error,
        _ if run.is_cut_by_the_clock() => Answer::Error,
        (Answer::Sat | Answer::Unsat | Answer::Unknown, _) if run.cpu_ms >= limit_ms => Answer::Timeout,
        (answer, _) => answer,
    };
    let cpu_ms = if answer == Answer::Timeout { limit_ms } else { run.cpu_ms.min(limit_ms) };
    Measurement { answer, cpu_ms }
}

#[cfg(test)]
pub(crate) mod tests {
    use smelt_oracle::run::Limit;

    use super::*;

    /// A run that says no more than this.
    pub(crate) fn run(answer: Answer, cpu_ms: f64) -> Run {
        Run {
            solver: "s".to_owned(),
            answer,
            answers: vec![answer],
            output: String::new(),
            outputs: Vec::new(),
            reason: None,
            crash_signature: None,
            reports: Vec::new(),
            limit: None,
            cpu_ms,
            wall_ms: cpu_ms,
            max_rss_kb: None,
            leaked: 0,
        }
    }

    fn measured(answer: Answer, cpu_ms: f64) -> (Answer, f64) {
        let Measurement { answer, cpu_ms } =
            measurement(&run(answer, cpu_ms), &ModelCheck::Missing, &limits(3.0));
        (answer, cpu_ms)
    }

    #[test]
    fn times_end_at_the_limit() {
        assert_eq!(measured(Answer::Sat, 20.0), (Answer::Sat, 20.0));
        assert_eq!(measured(Answer::Sat, 3100.0), (Answer::Timeout, 3000.0));
        assert_eq!(measured(Answer::Timeout, 2950.0), (Answer::Timeout, 3000.0));
        assert_eq!(measured(Answer::Crash, 3100.0), (Answer::Crash, 3000.0));
    }

    #[test]
    fn a_run_that_the_clock_has_ended_says_nothing() {
        let cut = Run { limit: Some(Limit::Wall), ..run(Answer::Timeout, 700.0) };
        let Measurement { answer, cpu_ms } = measurement(&cut, &ModelCheck::Missing, &limits(3.0));
        assert_eq!((answer, cpu_ms), (Answer::Error, 700.0));
    }

    #[test]
    fn a_wrong_answer_is_no_reference() {
        let refuted = ModelCheck::Refuted(vec![1]);
        let Measurement { answer, .. } = measurement(&run(Answer::Sat, 20.0), &refuted, &limits(3.0));
        assert_eq!(answer, Answer::Error);
    }

    #[test]
    fn the_clock_leaves_twenty_times_the_limit() {
        assert!(limits(3.0).wall >= Duration::from_secs(60));
        assert_eq!(limits(3.0).cpu, Duration::from_secs(3));
    }
}

//! A worker: the sessions of all targets, in which trials are run several at a time.
//!
//! Running a solver evicts our working set from the caches of the processor, so it is several times cheaper to make, run
//! and judge several cases in a row than one after the other. A trial knows how many formulas each session had been asked
//! by then, so judges that want to know what came before it see just that, whatever the session was asked since.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_oracle::case::Expectation;
use smelt_oracle::evaluated::EvaluatedRun;
use smelt_oracle::run::{Limit, Run};
use smelt_runner::clock;
use smelt_runner::fragment::Fragments;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_runner::solver::{Invocation, Solver};
use smelt_smtlib::term::Terms;

use crate::SolverFailure;
use crate::target::{Mode, Target};
use crate::trial::Trial;

/// How long results wait to be judged together with others.
const PATIENCE: Duration = Duration::from_secs(1);

/// A solver gets one in this many cases with operators that it defines in an older way: most of what they show is just
/// that.
const DRIFT_SHARE: u64 = 8;

/// Why work ends before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Everything is to be dropped at once; runs may have been ended by ourselves and say nothing.
    Interrupted,
    /// The time or the number of findings that was asked for is reached.
    BudgetUsed,
}

/// Who proposed trials, and may change its mind about them while they are run.
pub trait RunFilter {
    /// Whether a trial is still wanted on a target that it can be sent to.
    fn is_wanted(&self, trial: &Trial, target: usize) -> bool;

    /// Hears of a run.
    fn note_run(&mut self, trial: &Trial, target: usize, run: &Run);

    /// How much processor time the run of a trial on a target gets at first.
    fn first_limit(&self, _trial: &Trial, _target: usize) -> FirstLimit {
        FirstLimit::FULL
    }
}

/// How much processor time a run gets at first, where what counts is how many cases are decided in all.
///
/// Most runs end within milliseconds, and those that reach a limit of seconds are nearly always lost: a few of them cost
/// more than all others together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstLimit {
    /// Processor time; never more than the limit of all runs.
    pub cpu: Duration,
    /// Whether a run that this ended is repeated with more, if its case is promising.
    pub is_repeated: bool,
}

impl FirstLimit {
    /// The limit of all runs.
    pub const FULL: FirstLimit = FirstLimit { cpu: Duration::MAX, is_repeated: false };

    /// The limits of a run, where all runs have these at most.
    pub(crate) fn within(self, limits: &Limits) -> Limits {
        Limits { cpu: limits.cpu.min(self.cpu), ..*limits }
    }

    /// The same with what a promising case gets.
    fn repeated_within(self, limits: &Limits) -> Limits {
        Limits { cpu: limits.cpu.min(self.cpu.saturating_mul(REPEATED_FACTOR)), ..*limits }
    }
}

/// A run of a promising case gets this many times its first limit when it is repeated.
pub const REPEATED_FACTOR: u32 = 4;

/// Which cases with operators of an older definition a solver is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OlderCases {
    /// All.
    All,
    /// A sample.
    Sample,
}

/// The targets of a hunt with their sessions, and who is asked in a dispute.
#[derive(Debug)]
pub struct Worker<'t> {
    targets: &'t [Target],
    sessions: Vec<TargetSession<'t>>,
    /// The sessions that answer questions of judges, apart from those of cases, whose history judges may want to know.
    questions: Vec<TargetSession<'t>>,
    /// For each target the first that wants formulas printed as it does.
    alike: Vec<usize>,
    limits: Limits,
    arbiter: Option<&'t Solver>,
}

impl<'t> Worker<'t> {
    /// A worker that has not started anything yet. The arbiter is not asked if it is one of the targets.
    pub fn new(targets: &'t [Target], limits: Limits, arbiter: Option<&'t Solver>) -> Self {
        let is_target = |solver: &&Solver| targets.iter().any(|target| target.solver.name == solver.name);
        let sessions = || targets.iter().map(|target| TargetSession::new(target, limits)).collect();
        Worker {
            targets,
            sessions: sessions(),
            questions: sessions(),
            alike: targets.iter().map(|target| first_alike(targets, target)).collect(),
            limits,
            arbiter: arbiter.filter(|solver| !is_target(solver)),
        }
    }

    /// The targets.
    pub fn targets(&self) -> &'t [Target] {
        self.targets
    }

    /// The limits of each run.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn arbiter(&self) -> Option<&'t Solver> {
        self.arbiter
    }

    /// The position of the target with this name.
    pub(crate) fn position(&self, solver: &str) -> Option<usize> {
        self.targets.iter().position(|target| target.solver.name == solver)
    }

    /// Prints a trial for the targets that can be asked about it.
    pub fn address(&self, terms: &mut Terms, trial: &mut Trial, older: OlderCases) {
        let script = &trial.reading.script;
        let is_in_sample = older == OlderCases::All || trial.sample_key.is_multiple_of(DRIFT_SHARE);
        // For each text the target that it was printed for.
        let mut writers: Vec<usize> = Vec::new();
        for (position, target) in self.targets.iter().enumerate() {
            let mut why_not = target.why_not(terms, script, &trial.profile);
            if why_not.is_none() && !is_in_sample {
                why_not = target.older_in(&trial.profile);
            }
            trial.sent.push(match why_not {
                Some(reason) => Err(reason),
                None => {
                    let known = writers.iter().position(|writer| self.alike[*writer] == self.alike[position]);
                    Ok(known.unwrap_or_else(|| {
                        writers.push(position);
                        trial.texts.push(target.text(terms, script));
                        trial.texts.len() - 1
                    }))
                }
            });
        }
        trial.runs = self.targets.iter().map(|_| None).collect();
        trial.asked_before = vec![None; self.targets.len()];
        trial.first_limits = vec![FirstLimit::FULL; self.targets.len()];
    }

    /// Runs the first of some trials on all targets, and more until some are to be judged; says how many are done.
    pub fn run(
        &mut self,
        trials: &mut [Trial],
        filter: &mut dyn RunFilter,
        stop: &AtomicBool,
    ) -> Result<ControlFlow<Stop, usize>, SolverFailure> {
        let mut count = trials.len();
        for target in 0..self.sessions.len() {
            match self.run_on(target, &mut trials[..count], filter, stop)? {
                ControlFlow::Continue(done) => count = done,
                stopped => return Ok(stopped),
            }
        }
        Ok(ControlFlow::Continue(count))
    }

    /// The same on one target.
    fn run_on(
        &mut self,
        target: usize,
        trials: &mut [Trial],
        filter: &mut dyn RunFilter,
        stop: &AtomicBool,
    ) -> Result<ControlFlow<Stop, usize>, SolverFailure> {
        let session = &mut self.sessions[target];
        let started = clock::now();
        loop {
            let is_open = |trial: &Trial| {
                trial.runs[target].is_none() && trial.sent[target].is_ok() && filter.is_wanted(trial, target)
            };
            let mut open: Vec<usize> =
                (0..trials.len()).filter(|position| is_open(&trials[*position])).collect();
            let first_limits: Vec<FirstLimit> =
                open.iter().map(|position| filter.first_limit(&trials[*position], target)).collect();
            let is_same = |limit: &&FirstLimit| limit.cpu == first_limits[0].cpu;
            open.truncate(first_limits.iter().take_while(is_same).count());
            let texts: Vec<(&str, Fragments)> =
                open.iter().map(|position| trials[*position].text(target)).collect();
            let Some((script, fragments)) = texts.first() else {
                return Ok(ControlFlow::Continue(trials.len()));
            };
            // A session that ends forgets what it was asked, which judges may want to know.
            let is_due = session.would_forget(script, *fragments) || clock::since(started) > PATIENCE;
            if open[0] > 0 && is_due {
                return Ok(ControlFlow::Continue(open[0]));
            }
            let limits = first_limits[0].within(&session.limits);
            let runs = session.run_some(&texts, PATIENCE, &limits);
            if stop.load(Ordering::Relaxed) {
                return Ok(ControlFlow::Break(Stop::Interrupted));
            }
            let runs = runs.map_err(|error| SolverFailure::of(session.target, error))?;
            let first = (session.history().len() + 1).saturating_sub(runs.len());
            let limited = open.into_iter().zip(first_limits);
            for (asked, ((position, first_limit), run)) in (first..).zip(limited.zip(runs)) {
                let trial = &mut trials[position];
                trial.first_limits[target] = first_limit;
                filter.note_run(trial, target, &run);
                trial.asked_before[target] = session.is_warm(trial.profile.fragments).then_some(asked);
                trial.runs[target] = Some(run);
            }
        }
    }

    /// Repeats the runs of a trial that the clock ended, now that others are done: such a run depends on what else the
    /// machine does.
    pub fn repeat_starved(&mut self, trial: &mut Trial, stop: &AtomicBool) -> Result<(), SolverFailure> {
        let is_stopped = || stop.load(Ordering::Relaxed);
        for (target, session) in self.sessions.iter_mut().enumerate() {
            let run = trial.runs.get(target).and_then(Option::as_ref);
            let is_starved = run.is_some_and(Run::is_cut_by_the_clock);
            if !is_starved || is_stopped() || !session.may_repeat() {
                continue;
            }
            let repeated = session.repeat(trial.text(target).0);
            if is_stopped() {
                continue;
            }
            trial.runs[target] = Some(repeated.map_err(|error| SolverFailure::of(session.target, error))?);
            trial.asked_before[target] = None;
            trial.repeated += 1;
        }
        Ok(())
    }

    /// Repeats runs of a trial with more time that a small limit ended, if another solver decides the case or something is
    /// claimed of it.
    pub fn repeat_promising(&mut self, trial: &mut Trial, stop: &AtomicBool) -> Result<(), SolverFailure> {
        let is_decided = |run: &Option<Run>| run.as_ref().is_some_and(|run| run.answer.is_decided());
        if trial.case.expectation == Expectation::None && !trial.runs.iter().any(is_decided) {
            return Ok(());
        }
        for (target, session) in self.sessions.iter_mut().enumerate() {
            let run = trial.runs.get(target).and_then(Option::as_ref);
            let first_limit = trial.first_limits[target];
            let limits = first_limit.repeated_within(&session.limits);
            let is_early = limits.cpu > first_limit.within(&session.limits).cpu;
            let is_cut = run.is_some_and(|run| run.limit == Some(Limit::Cpu));
            if !(first_limit.is_repeated && is_early && is_cut) || stop.load(Ordering::Relaxed) {
                continue;
            }
            let repeated = session.target.run_as(&session.quick, trial.text(target).0, &limits);
            if stop.load(Ordering::Relaxed) {
                continue;
            }
            let repeated = repeated.map_err(|error| SolverFailure::of(session.target, error))?;
            if let Some(run) = trial.runs[target].replace(repeated) {
                let family = session.target.solver.family.name();
                trial.extra_runs.push(EvaluatedRun::without_model(family, run));
            }
            trial.asked_before[target] = None;
        }
        Ok(())
    }

    /// Asks a question in a session of the target that is kept for questions, where sessions pay.
    pub(crate) fn ask(
        &mut self,
        target: usize,
        script: &str,
        fragments: Fragments,
        limits: &Limits,
    ) -> Result<Run, SolverFailure> {
        let session = &mut self.questions[target];
        let runs = session.run_some(&[(script, fragments)], Duration::ZERO, limits);
        let mut runs = runs.map_err(|error| SolverFailure::of(session.target, error))?;
        Ok(runs.pop().expect("the first script is run"))
    }

    /// Everything that the session of a target had been asked up to a trial; nothing if that was run in a fresh process.
    pub(crate) fn history(&self, target: usize, trial: &Trial) -> &[String] {
        let history = self.sessions[target].history();
        let asked = trial.asked_before.get(target).copied().flatten().unwrap_or(0);
        &history[..asked.min(history.len())]
    }
}

/// The position of the first target that wants formulas printed as another does.
fn first_alike(targets: &[Target], target: &Target) -> usize {
    let wording = target.wording();
    targets.iter().position(|other| other.wording() == wording).expect("the target is one of them")
}

/// A target with its session, which is started by the first formula of a kind for which sessions pay.
#[derive(Debug)]
pub struct TargetSession<'t> {
    target: &'t Target,
    /// How it is started here; findings are confirmed as users start it.
    quick: Invocation,
    session: Session,
    limits: Limits,
    /// How many runs in a row were repeated in vain.
    vain_repeats: u32,
}

/// After this many runs in a row that the clock ended again, runs are not repeated: the solver hangs, and the machine has
/// nothing to do with it.
const MAX_VAIN_REPEATS: u32 = 3;

impl<'t> TargetSession<'t> {
    /// A session that has not started anything yet.
    pub fn new(target: &'t Target, limits: Limits) -> Self {
        let quick = target.solver.invocation.quick();
        let solver = Solver { invocation: quick.clone(), ..target.solver.clone() };
        let session = Session::new(solver, target.between(), limits);
        TargetSession { target, quick, session, limits, vain_repeats: 0 }
    }

    /// The target.
    pub fn target(&self) -> &'t Target {
        self.target
    }

    /// Whether a formula of these fragments is run in the session.
    fn is_warm(&self, fragments: Fragments) -> bool {
        match self.target.mode {
            Mode::Auto => self.target.probe.prefers_warm(fragments),
            Mode::Warm | Mode::Incremental => self.target.probe.warm_cpu_ms().is_some(),
            Mode::Cold => false,
        }
    }

    /// Everything that the session was asked, up to the last formula; nothing if there was none.
    fn history(&self) -> &[String] {
        self.session.history()
    }

    /// Whether the session would be replaced before it is asked this, and its history forgotten.
    fn would_forget(&self, script: &str, fragments: Fragments) -> bool {
        self.is_warm(fragments) && self.session.would_forget(script)
    }

    /// Whether it makes sense to repeat a run that the clock ended.
    fn may_repeat(&self) -> bool {
        self.vain_repeats < MAX_VAIN_REPEATS
    }

    /// Runs a script again that the clock ended, in a fresh process.
    fn repeat(&mut self, script: &str) -> io::Result<Run> {
        let run = self.target.run_as(&self.quick, script, &self.limits)?;
        self.vain_repeats = if run.is_cut_by_the_clock() { self.vain_repeats + 1 } else { 0 };
        Ok(run)
    }

    /// Runs a script of these fragments, in the session if that pays.
    pub fn run(&mut self, script: &str, fragments: Fragments) -> io::Result<Run> {
        let limits = self.limits;
        let mut runs = self.run_some(&[(script, fragments)], Duration::ZERO, &limits)?;
        Ok(runs.pop().expect("the first script is run"))
    }

    /// Runs the first of some scripts of some fragments, and those after it until `patience` has passed or the session would
    /// forget the ones before.
    fn run_some(
        &mut self,
        scripts: &[(&str, Fragments)],
        patience: Duration,
        limits: &Limits,
    ) -> io::Result<Vec<Run>> {
        let warm: Vec<&str> = scripts
            .iter()
            .take_while(|(_, fragments)| self.is_warm(*fragments))
            .map(|(script, _)| *script)
            .collect();
        if warm.is_empty() {
            return Ok(vec![self.target.run_as(&self.quick, scripts[0].0, limits)?]);
        }
        self.session.set_cpu_limit(limits.cpu);
        self.session.run_some(&warm, patience)
    }
}

#[cfg(test)]
mod tests {
    use smelt_oracle::case::Case;
    use smelt_oracle::run::Answer;

    use super::*;
    use crate::target::tests::{INTEGERS as FORMULA, target};
    use smelt_runner::family::Family;

    /// Wants everything, with one limit.
    struct Limited(FirstLimit);

    impl RunFilter for Limited {
        fn is_wanted(&self, _: &Trial, _: usize) -> bool {
            true
        }

        fn note_run(&mut self, _: &Trial, _: usize, _: &Run) {}

        fn first_limit(&self, _: &Trial, _: usize) -> FirstLimit {
            self.0
        }
    }

    #[test]
    fn a_run_that_a_small_limit_ended_is_repeated_with_more_where_the_case_is_promising() {
        let mut busy = target(Family::Generic, &[]);
        busy.solver.invocation.program = "/bin/sh".into();
        let script = "cat > /dev/null; i=0; while [ $i -lt 1000000000 ]; do i=$((i+1)); done";
        busy.solver.invocation.args = vec!["-c".into(), script.into()];
        let (targets, stop) = ([busy], AtomicBool::new(false));
        let mut worker = Worker::new(&targets, Limits::for_seconds(0.3), None);
        let wanted =
            [(Expectation::Sat, true, 1), (Expectation::Sat, false, 0), (Expectation::None, true, 0)];
        for (expectation, is_repeated, repetitions) in wanted {
            let mut terms = Terms::new();
            let case = Case { expectation, ..Case::unclaimed("", FORMULA.to_owned()) };
            let mut trial = Trial::read(&mut terms, case);
            worker.address(&mut terms, &mut trial, OlderCases::All);
            let mut filter = Limited(FirstLimit { cpu: Duration::from_millis(20), is_repeated });
            let done = worker.run(std::slice::from_mut(&mut trial), &mut filter, &stop).unwrap();
            assert_eq!(done.continue_value(), Some(1));
            worker.repeat_promising(&mut trial, &stop).unwrap();
            let run = trial.runs[0].as_ref().unwrap();
            assert_eq!((run.answer, run.limit), (Answer::Timeout, Some(Limit::Cpu)));
            assert_eq!(trial.extra_runs.len(), repetitions);
            assert!(trial.extra_runs.iter().all(|first| first.run.cpu_ms < run.cpu_ms));
        }
    }

    #[test]
    fn a_run_that_the_clock_ended_is_repeated_but_not_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let awake = folder.path().join("awake");
        let script = format!("cat > /dev/null; [ -e {} ] || sleep 1000; echo sat", awake.display());
        let mut sleeper = target(Family::Generic, &[]);
        sleeper.solver.invocation.program = "/bin/sh".into();
        sleeper.solver.invocation.args = vec!["-c".into(), script.into()];
        let limits = Limits { wall: Duration::from_millis(50), ..Limits::default() };
        let mut session = TargetSession::new(&sleeper, limits);
        assert!(session.run(FORMULA, Fragments::default()).unwrap().is_cut_by_the_clock());
        for _ in 0..MAX_VAIN_REPEATS {
            assert!(session.may_repeat());
            assert!(session.repeat(FORMULA).unwrap().is_cut_by_the_clock());
        }
        assert!(!session.may_repeat());
        std::fs::write(awake, "").unwrap();
        let patient = Limits { wall: Duration::from_secs(60), ..limits };
        assert_eq!(TargetSession::new(&sleeper, patient).repeat(FORMULA).unwrap().answer, Answer::Sat);
    }
}

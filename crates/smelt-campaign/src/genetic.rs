//! The genetic search for slow formulas: a population that is run on real solvers, and the final front looked at again.
//!
//! The last solver is the target, the others are references. A formula is run once on each, in processor time of fresh
//! processes, one after the other because measurements disturb each other. What the target did comes from a provider of
//! coverage and, where the variant wants it, a trace. When the time is over, every formula of the front is run again at a
//! larger limit: only what reaches that while a reference answers is confirmed. After every generation there is a
//! checkpoint, from which the search continues after it was stopped or killed.
//!
//! The search is in [`smelt_testgen::search::evolution`]; what running shows in `behaviour` and `coverage`; what is kept
//! on disk in `state`.

mod behaviour;
pub mod coverage;
pub mod files;
pub mod prepare;
pub mod state;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smelt_oracle::run::{Answer, Run};
use smelt_runner::answer::read_run;
use smelt_runner::clock;
use smelt_runner::cold;
use smelt_runner::limits::Limits;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;
use smelt_store::error::StoreError;
use smelt_testgen::random_formula::Weights;
use smelt_testgen::search::evolution::{
    Candidate, Covered, Evolution, Generation, Individual, Measured, Settings, Trace,
};

use crate::configure::values::TraceSource;
use crate::hunt::HuntError;
use behaviour::{Traced, statistics, traced};
use coverage::Provider;
use smelt_trial::target::Target;
use state::{FORMAT, GeneticRecord, Rerun, State};

/// What to evolve, on what, for how long.
pub struct Plan {
    /// The solvers; the last one is the target, the others are references.
    pub targets: Vec<Target>,
    /// The numbers of the search.
    pub search: Settings,
    /// The random seed.
    pub random_seed: u64,
    /// How long the search may take; looking again comes on top.
    pub time: Duration,
    /// Processor time for each run of the search, in seconds.
    pub timeout_secs: f64,
    /// Processor time for each run of looking again, in seconds.
    pub confirm_secs: f64,
    /// Where it is known from what the target did.
    pub coverage: Provider,
    /// Where traces come from.
    pub traces: TraceSource,
    /// A folder for files of single runs.
    pub scratch: PathBuf,
    /// What is recorded of all this.
    pub about: GeneticRecord,
}

/// A formula of the front.
#[derive(Debug, Clone)]
pub struct Member {
    /// The formula and what the search knows of it.
    pub individual: Individual,
    /// What came of running it at the larger limit; none if that was not done yet.
    pub rerun: Option<Rerun>,
}

impl Member {
    /// Whether the target reached the larger limit while a reference decided the formula.
    pub fn is_confirmed(&self) -> bool {
        self.rerun.as_ref().is_some_and(Rerun::is_timeout)
    }
}

/// The result of a genetic search, or what it has found so far.
#[derive(Debug)]
pub struct GeneticResult {
    /// The front, the slowest formula first.
    pub front: Vec<Member>,
    /// How generations were.
    pub history: Vec<Generation>,
    /// How many formulas were run.
    pub evaluated: u64,
    /// How many rows were covered.
    pub rows: usize,
    /// Formulas on which the target crashed.
    pub crashes: Vec<String>,
    /// Formulas that the target and a reference decided differently; who is wrong is not known.
    pub disagreements: Vec<String>,
    /// How long it took, earlier parts of it included.
    pub elapsed: Duration,
}

impl GeneticResult {
    /// How many formulas of the front were not run at the larger limit.
    pub fn open(&self) -> usize {
        self.front.iter().filter(|member| member.rerun.is_none()).count()
    }
}

/// What happens during a genetic search.
#[derive(Debug)]
pub enum GeneticEvent<'e> {
    /// A formula was run.
    Formula(GeneticProgress),
    /// A moment to write everything to disk.
    Checkpoint(&'e GeneticResult, &'e State),
}

/// How it goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeneticProgress {
    /// How many generations are complete.
    pub generations: usize,
    /// How many formulas were run.
    pub evaluated: u64,
    /// The time score of the slowest formula of the last complete generation.
    pub best_time: f64,
    /// How many formulas of the front were run again.
    pub rerun: usize,
    /// How many formulas of the front are to be run again; none before the search is over.
    pub to_rerun: usize,
}

impl GeneticProgress {
    /// How a search goes that has taken this long, in a line.
    pub fn line(&self, elapsed: Duration) -> String {
        let GeneticProgress { generations, evaluated, best_time, rerun, to_rerun } = self;
        let rest = if *to_rerun > 0 { format!(", ran {rerun} of {to_rerun} again") } else { String::new() };
        let seconds = elapsed.as_secs_f64();
        format!(
            "{seconds:.0} s: {generations} generations, {evaluated} formulas, best time score {best_time:.2}{rest}"
        )
    }
}

/// The operators that all solvers know and mean alike, with their usual weights.
pub fn common_weights(targets: &[Target]) -> Weights {
    Weights::default().filter(|op: Op| {
        targets.iter().all(|target| {
            target.probe.capabilities.takes_operator(op)
                && !target.meanings.older.contains(&op)
                && !target.meanings.none.contains(&op)
        })
    })
}

/// Isolation two checkpoints at most, unless a single formula takes longer.
const CHECKPOINT_PAUSE: Duration = Duration::from_secs(60);

/// Evolves until the time is over or `stop` is set, and looks again at what is left; then runs of solvers are ended at
/// once. It begins anew or continues from where a search with the same plan was left. The last event is a checkpoint
/// with what is returned.
pub fn run(
    plan: &Plan,
    before: Option<State>,
    stop: &AtomicBool,
    listener: &mut dyn FnMut(GeneticEvent<'_>) -> io::Result<()>,
) -> Result<GeneticResult, HuntError> {
    let started = clock::now();
    let mut search = Search::new(plan, before, stop);
    let mut listen = |event: GeneticEvent<'_>| {
        listener(event).map_err(|error| HuntError::Store(StoreError::of_files(&plan.scratch, error)))
    };
    let mut saved = clock::now();
    let mut generations = search.evolution.history().len();
    while !stop.load(Ordering::Relaxed) && clock::since(started) < plan.time {
        // Every candidate is told of before the next one is asked for, so there always is one.
        let Some(candidate) = search.evolution.ask() else { break };
        if search.evolution.history().len() > generations || clock::since(saved) >= CHECKPOINT_PAUSE {
            generations = search.evolution.history().len();
            saved = clock::now();
            listen(GeneticEvent::Checkpoint(&search.outcome(), &search.state()))?;
        }
        let Some(measured) = search.bench.evaluate(&candidate)? else { break };
        search.evolution.tell(candidate.number, measured);
        listen(GeneticEvent::Formula(search.progress(0, 0)))?;
    }
    // What there is must not depend on whether looking again comes to an end.
    let front = search.outcome().front;
    listen(GeneticEvent::Checkpoint(&search.outcome(), &search.state()))?;
    for (number, member) in front.iter().enumerate().filter(|(_, member)| member.rerun.is_none()) {
        let Some(rerun) = search.bench.confirm(&member.individual)? else { break };
        search.reruns.push(rerun);
        listen(GeneticEvent::Formula(search.progress(number + 1, front.len())))?;
        listen(GeneticEvent::Checkpoint(&search.outcome(), &search.state()))?;
    }
    let outcome = search.outcome();
    listen(GeneticEvent::Checkpoint(&outcome, &search.state()))?;
    Ok(outcome)
}

/// A genetic search under way.
struct Search<'p> {
    plan: &'p Plan,
    evolution: Evolution,
    bench: Bench<'p>,
    reruns: Vec<Rerun>,
    started: Instant,
    elapsed_before: f64,
}

impl<'p> Search<'p> {
    fn new(plan: &'p Plan, before: Option<State>, stop: &'p AtomicBool) -> Self {
        let mut bench = Bench { plan, stop, crashes: Vec::new(), disagreements: Vec::new() };
        let (settings, random_seed) = (plan.search.clone(), plan.random_seed);
        let (evolution, reruns, elapsed_before) = match before {
            None => (Evolution::new(settings, random_seed), Vec::new(), 0.0),
            Some(state) => {
                (bench.crashes, bench.disagreements) = (state.crashes, state.disagreements);
                let evolution = Evolution::resume(settings, random_seed, state.search);
                (evolution, state.reruns, state.elapsed_secs)
            }
        };
        Search { plan, evolution, bench, reruns, started: clock::now(), elapsed_before }
    }

    fn elapsed_secs(&self) -> f64 {
        self.elapsed_before + clock::since(self.started).as_secs_f64()
    }

    fn outcome(&self) -> GeneticResult {
        let member = |individual: &Individual| Member {
            rerun: self.reruns.iter().find(|rerun| rerun.number == individual.number).cloned(),
            individual: individual.clone(),
        };
        GeneticResult {
            front: self.evolution.front().into_iter().take(self.plan.search.population).map(member).collect(),
            history: self.evolution.history().to_vec(),
            evaluated: self.evolution.evaluated(),
            rows: self.evolution.coverage().known().rows(),
            crashes: self.bench.crashes.clone(),
            disagreements: self.bench.disagreements.clone(),
            elapsed: Duration::from_secs_f64(self.elapsed_secs()),
        }
    }

    fn state(&self) -> State {
        State {
            format: FORMAT,
            about: self.plan.about.clone(),
            search: self.evolution.snapshot(),
            reruns: self.reruns.clone(),
            crashes: self.bench.crashes.clone(),
            disagreements: self.bench.disagreements.clone(),
            elapsed_secs: self.elapsed_secs(),
        }
    }

    fn progress(&self, rerun: usize, to_rerun: usize) -> GeneticProgress {
        let history = self.evolution.history();
        GeneticProgress {
            generations: history.len(),
            evaluated: self.evolution.evaluated(),
            best_time: history.last().map_or(0.0, |generation| generation.best_time),
            rerun,
            to_rerun,
        }
    }
}

/// Limits for measuring: processor time as given, and so much on the clock that a loaded machine does not matter.
fn limits(seconds: f64) -> Limits {
    let usual = Limits::for_seconds(seconds);
    Limits { wall: usual.cpu * 20 + Duration::from_secs(10), memory: Some(8 << 30), ..usual }
}

struct Bench<'p> {
    plan: &'p Plan,
    stop: &'p AtomicBool,
    crashes: Vec<String>,
    disagreements: Vec<String>,
}

impl Bench<'_> {
    /// Runs a solver in a fresh process; none if the user wants an end, since then the run says nothing.
    fn run(&self, target: &Target, text: &str, seconds: f64) -> Result<Option<Run>, HuntError> {
        let name = &target.solver.name;
        let raw = cold::run_until(&target.solver.invocation, text, &limits(seconds), self.stop);
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let raw = raw.map_err(|error| HuntError::Solver { solver: name.clone(), error })?;
        Ok(Some(read_run(name, &raw)))
    }

    /// Runs a formula on all solvers; none if the user wants an end, which ends all that runs with an error.
    fn evaluate(&mut self, candidate: &Candidate) -> Result<Option<Measured>, HuntError> {
        let measured = self.measure(candidate);
        if self.stop.load(Ordering::Relaxed) { Ok(None) } else { measured }
    }

    fn measure(&mut self, candidate: &Candidate) -> Result<Option<Measured>, HuntError> {
        let plan = self.plan;
        let limit = plan.timeout_secs;
        let mut subject = Subject::read(&candidate.text);
        let Some((target, references)) = plan.targets.split_last() else {
            return Ok(Some(Measured::default()));
        };
        let Some(reference) = self.fastest(references, &mut subject, limit)? else { return Ok(None) };
        let mut measured = Measured {
            reference_secs: reference.as_ref().map_or(limit, |(_, _, seconds)| *seconds),
            ..Measured::default()
        };
        if target.takes(&subject.terms, &subject.script).is_none() {
            return Ok(Some(measured));
        }
        let failed = |error: io::Error| HuntError::Solver { solver: target.solver.name.clone(), error };
        let watched = self.watched(target);
        let text = subject.text_with_statistics(target);
        plan.coverage.before(&plan.scratch).map_err(failed)?;
        let Some(mut run) = self.run(&watched, &text, limit)? else { return Ok(None) };
        let answer = answer_within(&run, limit);
        measured.target_secs = match answer {
            Answer::Crash | Answer::Error => 0.0,
            Answer::Timeout => limit,
            _ => (run.cpu_ms / 1e3).min(limit),
        };
        self.note(candidate, answer, reference.as_ref().map(|(_, answer, _)| *answer));
        if answer == Answer::Timeout {
            // A solver that is killed says nothing of what it did; one that gives up by itself does.
            let millis = (limit * 1e3) as u64;
            let text = format!("{}{text}", target.solver.family.check_limit_of(millis));
            plan.coverage.before(&plan.scratch).map_err(failed)?;
            let Some(again) = self.run(&watched, &text, limit)? else { return Ok(None) };
            run = again;
        }
        let counters = statistics(&run.output);
        measured.covered = match plan.coverage.after(&plan.scratch).map_err(failed)? {
            Some(covered) => covered,
            None => behaviour::signature(&counters),
        };
        if plan.search.variant.needs_traces() {
            measured.trace = self.trace(target, &mut subject, &measured.covered).map_err(failed)?;
        }
        Ok(Some(measured))
    }

    /// The trace of a run of the target.
    fn trace(&self, target: &Target, subject: &mut Subject, covered: &Covered) -> io::Result<Trace> {
        let traced = match self.plan.traces {
            TraceSource::Solver => {
                let text = target.text(&mut subject.terms, &subject.script);
                let watched = Traced { target, scratch: &self.plan.scratch, stop: self.stop };
                traced(&watched, &text, self.plan.timeout_secs)?
            }
            TraceSource::Statistics => None,
        };
        Ok(traced.unwrap_or_else(|| behaviour::as_trace(covered)))
    }

    /// The target as the provider of coverage wants it to be started.
    fn watched(&self, target: &Target) -> Target {
        let mut watched = target.clone();
        let environment = self.plan.coverage.environment(&self.plan.scratch);
        // What it covers it writes to files that we read.
        watched.solver.invocation.is_confined &= environment.is_empty();
        watched.solver.invocation.environment.extend(environment);
        watched
    }

    /// The fastest of some solvers that decide a formula, if one does; none at all if the user wants an end.
    fn fastest(
        &self,
        references: &[Target],
        subject: &mut Subject,
        limit: f64,
    ) -> Result<Option<Option<Fastest>>, HuntError> {
        let mut fastest: Option<Fastest> = None;
        for reference in references {
            if reference.takes(&subject.terms, &subject.script).is_none() {
                continue;
            }
            let text = reference.text(&mut subject.terms, &subject.script);
            let Some(run) = self.run(reference, &text, limit)? else { return Ok(None) };
            let name = reference.solver.name.clone();
            let (answer, seconds) = (answer_within(&run, limit), run.cpu_ms / 1e3);
            let is_faster = fastest.as_ref().is_none_or(|(_, _, best)| seconds < *best);
            if answer.is_decided() && is_faster {
                fastest = Some((name, answer, seconds));
            }
        }
        Ok(Some(fastest))
    }

    /// Remembers what a hunt for other bugs would look at.
    fn note(&mut self, candidate: &Candidate, target: Answer, reference: Option<Answer>) {
        if target == Answer::Crash {
            self.crashes.push(candidate.text.clone());
        }
        if let Some(reference) = reference
            && target.is_decided()
            && target != reference
        {
            self.disagreements.push(candidate.text.clone());
        }
    }

    /// Runs a formula of the front again, at the larger limit; none if the user wants an end.
    fn confirm(&self, individual: &Individual) -> Result<Option<Rerun>, HuntError> {
        let limit = self.plan.confirm_secs;
        let mut subject = Subject::read(&individual.text);
        let mut rerun = Rerun { number: individual.number, target: (Answer::Error, 0.0), reference: None };
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let Some((target, references)) = self.plan.targets.split_last() else { return Ok(Some(rerun)) };
        let Some(reference) = self.fastest(references, &mut subject, limit)? else { return Ok(None) };
        let text = target.text(&mut subject.terms, &subject.script);
        let Some(run) = self.run(target, &text, limit)? else { return Ok(None) };
        rerun.reference = reference;
        rerun.target = (answer_within(&run, limit), (run.cpu_ms / 1e3).min(limit));
        Ok(Some(rerun))
    }
}

/// The name of a solver, what it says, and its processor time in seconds.
type Fastest = (String, Answer, f64);

/// What a run says if so much processor time is allowed. A run that the clock has ended early says nothing.
fn answer_within(run: &Run, limit: f64) -> Answer {
    let seconds = run.cpu_ms / 1e3;
    match run.answer {
        Answer::Timeout if run.is_cut_by_the_clock() => Answer::Error,
        Answer::Sat | Answer::Unsat | Answer::Unknown if seconds >= limit => Answer::Timeout,
        answer => answer,
    }
}

/// A formula that solvers are run on.
struct Subject {
    terms: Terms,
    script: Script,
}

impl Subject {
    fn read(text: &str) -> Subject {
        let mut terms = Terms::new();
        let script = read_script_as(&mut terms, text, Dialect::V26).script;
        Subject { terms, script }
    }

    /// The formula as a solver takes it, and a request for statistics after its check.
    fn text_with_statistics(&mut self, target: &Target) -> String {
        let mut script = self.script.clone();
        script.push(Command::GetInfo(self.terms.symbols.intern(":all-statistics")));
        target.text(&mut self.terms, &script)
    }
}

#[cfg(test)]
mod tests;

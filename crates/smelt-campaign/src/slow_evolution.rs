//! The evolution of slow formulas: a population that is run on real solvers, and the final front looked at again.
//!
//! The last solver is the target, the others are references. A formula is run once on each, in processor time of fresh
//! processes, one after the other because measurements disturb each other. What the target did comes from a provider of
//! coverage and, where the variant wants it, a trace. When the time is over, every formula of the front is run again at a
//! larger limit: only what reaches that while a reference answers is confirmed.
//!
//! The search is in [`smelt_testgen::search::evolution`]; what running shows in `behaviour` and `coverage`.

mod behaviour;
pub mod coverage;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smelt_oracle::run::{Answer, Run};
use smelt_runner::limits::Limits;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;
use smelt_testgen::random_formula::Weights;
use smelt_testgen::search::evolution::{
    Candidate, Covered, Evolution, Generation, Individual, Measured, Settings, Trace,
};

use crate::hunt::HuntError;
use crate::target::Target;
use behaviour::{statistics, traced};
use coverage::Provider;

/// What to evolve, on what, for how long.
pub struct Plan {
    /// The solvers; the last one is the target, the others are references.
    pub targets: Vec<Target>,
    /// The numbers of the search.
    pub search: Settings,
    /// Where chance starts.
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
    pub traces: Traces,
    /// A folder for files of single runs.
    pub scratch: PathBuf,
}

/// Where traces come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Traces {
    /// From the target itself if it is Z3, or else from its statistics.
    #[default]
    Solver,
    /// From its statistics.
    Statistics,
}

/// A formula of the final front after looking again.
#[derive(Debug, Clone)]
pub struct Confirmed {
    /// The formula and what the search knows of it.
    pub individual: Individual,
    /// What the target said at the larger limit, and its processor time in seconds.
    pub target: (Answer, f64),
    /// The same of the fastest reference that decided it, with its name.
    pub reference: Option<(String, Answer, f64)>,
}

impl Confirmed {
    /// Whether the target reached the larger limit while a reference decided the formula.
    pub fn is_timeout(&self) -> bool {
        self.target.0 == Answer::Timeout && self.reference.is_some()
    }
}

/// What came of an evolution.
#[derive(Debug)]
pub struct Outcome {
    /// The final front, looked at again; the slowest first.
    pub front: Vec<Confirmed>,
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
    /// How long it took.
    pub elapsed: Duration,
}

/// How it goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// How many generations are complete.
    pub generations: usize,
    /// How many formulas were run.
    pub evaluated: u64,
    /// The time score of the slowest formula of the last complete generation.
    pub best_time: f64,
    /// How many formulas were looked at again, and of how many.
    pub confirmed: (usize, usize),
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

/// Evolves until the time is over or `stop` is set, and looks again at what is left; `report` is called after each formula.
pub fn run(plan: &Plan, stop: &AtomicBool, report: &dyn Fn(&Progress)) -> Result<Outcome, HuntError> {
    let started = Instant::now();
    let mut evolution = Evolution::new(plan.search.clone(), plan.random_seed);
    let mut bench = Bench { plan, crashes: Vec::new(), disagreements: Vec::new() };
    let is_over = || stop.load(Ordering::Relaxed) || started.elapsed() >= plan.time;
    while !is_over() {
        // Every candidate is told of before the next one is asked for, so there always is one.
        let Some(candidate) = evolution.ask() else { break };
        let measured = bench.evaluate(&candidate)?;
        evolution.tell(candidate.number, measured);
        report(&progress(&evolution, (0, 0)));
    }
    let most = plan.search.population;
    let front: Vec<Individual> = evolution.front().into_iter().take(most).cloned().collect();
    let mut confirmed = Vec::new();
    let all = front.len();
    for individual in front {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        confirmed.push(bench.confirm(individual)?);
        report(&progress(&evolution, (confirmed.len(), all)));
    }
    Ok(Outcome {
        front: confirmed,
        history: evolution.history().to_vec(),
        evaluated: evolution.evaluated(),
        rows: evolution.coverage().known().rows(),
        crashes: bench.crashes,
        disagreements: bench.disagreements,
        elapsed: started.elapsed(),
    })
}

fn progress(evolution: &Evolution, confirmed: (usize, usize)) -> Progress {
    let history = evolution.history();
    Progress {
        generations: history.len(),
        evaluated: evolution.evaluated(),
        best_time: history.last().map_or(0.0, |generation| generation.best_time),
        confirmed,
    }
}

/// Limits for measuring: processor time as given, and so much on the clock that a loaded machine does not matter.
fn limits(seconds: f64) -> Limits {
    let usual = Limits::for_seconds(seconds);
    Limits { wall: usual.cpu * 20 + Duration::from_secs(10), memory: 8 << 30, ..usual }
}

struct Bench<'p> {
    plan: &'p Plan,
    crashes: Vec<String>,
    disagreements: Vec<String>,
}

impl Bench<'_> {
    /// Runs a formula on all solvers.
    fn evaluate(&mut self, candidate: &Candidate) -> Result<Measured, HuntError> {
        let plan = self.plan;
        let limit = plan.timeout_secs;
        let mut subject = Subject::read(&candidate.text);
        let Some((target, references)) = plan.targets.split_last() else { return Ok(Measured::default()) };
        let reference = self.fastest(references, &mut subject, limit)?;
        let mut measured = Measured {
            reference_secs: reference.as_ref().map_or(limit, |(_, _, seconds)| *seconds),
            ..Measured::default()
        };
        if target.takes(&subject.terms, &subject.script).is_none() {
            return Ok(measured);
        }
        let failed = |error: io::Error| HuntError::Solver { solver: target.solver.name.clone(), error };
        let watched = self.watched(target);
        let text = subject.text_with_statistics(target);
        plan.coverage.before(&plan.scratch).map_err(failed)?;
        let mut run = watched.run_cold(&text, &limits(limit)).map_err(failed)?;
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
            run = watched.run_cold(&text, &limits(limit)).map_err(failed)?;
        }
        let counters = statistics(&run.output);
        measured.covered = match plan.coverage.after(&plan.scratch).map_err(failed)? {
            Some(covered) => covered,
            None => behaviour::signature(&counters),
        };
        if plan.search.variant.needs_traces() {
            measured.trace = self.trace(target, &mut subject, &measured.covered).map_err(failed)?;
        }
        Ok(measured)
    }

    /// The trace of a run of the target.
    fn trace(&self, target: &Target, subject: &mut Subject, covered: &Covered) -> io::Result<Trace> {
        let traced = match self.plan.traces {
            Traces::Solver => {
                let text = target.text(&mut subject.terms, &subject.script);
                traced(target, &text, &self.plan.scratch, self.plan.timeout_secs)?
            }
            Traces::Statistics => None,
        };
        Ok(traced.unwrap_or_else(|| behaviour::as_trace(covered)))
    }

    /// The target as the provider of coverage wants it to be started.
    fn watched(&self, target: &Target) -> Target {
        let mut watched = target.clone();
        watched.solver.invocation.environment.extend(self.plan.coverage.environment(&self.plan.scratch));
        watched
    }

    /// The fastest of some solvers that decide a formula: its name, what it says, and its processor time in seconds.
    fn fastest(
        &self,
        references: &[Target],
        subject: &mut Subject,
        limit: f64,
    ) -> Result<Option<(String, Answer, f64)>, HuntError> {
        let mut fastest: Option<(String, Answer, f64)> = None;
        for reference in references {
            if reference.takes(&subject.terms, &subject.script).is_none() {
                continue;
            }
            let text = reference.text(&mut subject.terms, &subject.script);
            let name = reference.solver.name.clone();
            let run = reference
                .run_cold(&text, &limits(limit))
                .map_err(|error| HuntError::Solver { solver: name.clone(), error })?;
            let (answer, seconds) = (answer_within(&run, limit), run.cpu_ms / 1e3);
            let is_faster = fastest.as_ref().is_none_or(|(_, _, best)| seconds < *best);
            if answer.is_decided() && is_faster {
                fastest = Some((name, answer, seconds));
            }
        }
        Ok(fastest)
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

    /// Runs a formula of the front again, at the larger limit.
    fn confirm(&self, individual: Individual) -> Result<Confirmed, HuntError> {
        let limit = self.plan.confirm_secs;
        let mut subject = Subject::read(&individual.text);
        let mut confirmed = Confirmed { individual, target: (Answer::Error, 0.0), reference: None };
        let Some((target, references)) = self.plan.targets.split_last() else { return Ok(confirmed) };
        confirmed.reference = self.fastest(references, &mut subject, limit)?;
        let text = target.text(&mut subject.terms, &subject.script);
        let run = target
            .run_cold(&text, &limits(limit))
            .map_err(|error| HuntError::Solver { solver: target.solver.name.clone(), error })?;
        confirmed.target = (answer_within(&run, limit), (run.cpu_ms / 1e3).min(limit));
        Ok(confirmed)
    }
}

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

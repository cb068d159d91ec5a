//! The loop of a hunt: chains of mutants, each run on all targets, judged, confirmed, recorded.
//!
//! Chain number i is made from a seed and a technique, with random numbers that depend on i only, so the cases of a hunt
//! do not depend on how many workers share them. A hunt that is bounded by time leaves a chain on which no solver ends. A verdict counts only if fresh processes show it again.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use smelt_oracle::case::Case;
use smelt_oracle::checked::{Checked, Formula, ModelCheck};
use smelt_oracle::finding::{Class, Verdict};
use smelt_oracle::judge::Judge;
use smelt_oracle::run::Answer;
use smelt_runner::limits::Limits;
use smelt_smtlib::canonical::canonical;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::script::Command;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;
use smelt_testgen::chain::Chain;
use smelt_testgen::seed::Seed;
use smelt_testgen::technique::Technique;

use crate::drift;
use crate::hearing::{Hearing, checked};
use crate::record::{Findings, Observation};
use crate::seeds::Seeds;
use crate::target::{Runner, Target};

/// What to hunt with, on what, for how long.
pub struct Plan {
    /// The solvers under test.
    pub targets: Vec<Target>,
    /// Seed formulas.
    pub seeds: Seeds,
    /// The techniques, used in turn.
    pub techniques: Vec<Box<dyn Technique>>,
    /// Who judges.
    pub judges: Vec<&'static dyn Judge>,
    /// Where chance starts.
    pub random_seed: u64,
    /// How many workers share the cases.
    pub jobs: usize,
    /// How many cases to make at most, rounded up to whole chains.
    pub max_cases: Option<u64>,
    /// How long to go on at most.
    pub max_time: Option<Duration>,
    /// Limits of each run.
    pub limits: Limits,
    /// The campaign's folder.
    pub folder: PathBuf,
}

/// What draws the seed of a chain from its random numbers, apart from what the technique draws.
const SEED_DRAW: u64 = u64::MAX - 1;

/// How many cases a chain has.
pub const CHAIN_LENGTH: u32 = 10;

/// What a hunt has done so far.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    /// Cases made.
    pub cases: u64,
    /// Runs of solvers.
    pub runs: u64,
    /// Runs by answer.
    pub answers: Vec<(Answer, u64)>,
    /// Models that solvers printed, by what our evaluator said: accepted, refuted, undecided.
    pub models: [u64; 3],
    /// Processor time of the solvers.
    pub solver_cpu: Duration,
    /// Findings that are new.
    pub new_findings: u64,
    /// Verdicts that fresh processes did not show again.
    pub unconfirmed: u64,
    /// Positions of the seeds that could not be used.
    pub unusable_seeds: BTreeSet<usize>,
}

impl Totals {
    fn count(&mut self, checked: &Checked) {
        self.runs += 1;
        self.solver_cpu += Duration::from_secs_f64(checked.run.cpu_ms / 1e3);
        match self.answers.iter_mut().find(|(answer, _)| *answer == checked.run.answer) {
            Some((_, count)) => *count += 1,
            None => self.answers.push((checked.run.answer, 1)),
        }
        match checked.model {
            ModelCheck::Accepted => self.models[0] += 1,
            ModelCheck::Refuted(_) => self.models[1] += 1,
            ModelCheck::Undecided => self.models[2] += 1,
            ModelCheck::Missing => {}
        }
    }
}

/// Why a hunt could not go on.
#[derive(Debug, thiserror::Error)]
pub enum HuntError {
    /// A solver could not be started.
    #[error("cannot run `{solver}`: {error}")]
    Solver {
        /// The solver.
        solver: String,
        /// What the system says.
        error: io::Error,
    },
    /// A finding could not be written.
    #[error("cannot write findings below `{folder}`: {error}")]
    Record {
        /// The campaign's folder.
        folder: String,
        /// What the system says.
        error: io::Error,
    },
    /// No seed could be read.
    #[error("none of the seeds can be used")]
    NoSeeds,
}

/// Shared by the workers of a hunt.
struct State<'p> {
    plan: &'p Plan,
    started: Instant,
    next_chain: AtomicU64,
    stop: &'p AtomicBool,
    totals: Mutex<Totals>,
    findings: Mutex<Findings>,
}

/// Hunts until the plan is done or `stop` is set. `report` is called with the totals after every chain.
pub fn run(
    plan: &Plan,
    stop: &AtomicBool,
    report: &(dyn Fn(&Totals) + Sync),
) -> Result<(Totals, Findings), HuntError> {
    let record_error = |error| HuntError::Record { folder: plan.folder.display().to_string(), error };
    let findings = Findings::open(&plan.folder).map_err(record_error)?;
    let state = State {
        plan,
        started: Instant::now(),
        next_chain: AtomicU64::new(0),
        stop,
        totals: Mutex::new(Totals::default()),
        findings: Mutex::new(findings),
    };
    let results: Vec<Result<(), HuntError>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..plan.jobs.max(1)).map(|_| scope.spawn(|| state.work(report))).collect();
        workers
            .into_iter()
            .map(|worker| match worker.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    results.into_iter().collect::<Result<Vec<()>, HuntError>>()?;
    let findings = state.findings.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    findings.flush().map_err(record_error)?;
    let totals = state.totals.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if totals.cases == 0 && !totals.unusable_seeds.is_empty() {
        return Err(HuntError::NoSeeds);
    }
    Ok((totals, findings))
}

impl State<'_> {
    fn work(&self, report: &(dyn Fn(&Totals) + Sync)) -> Result<(), HuntError> {
        let mut runners: Vec<Runner<'_>> =
            self.plan.targets.iter().map(|target| Runner::new(target, self.plan.limits)).collect();
        while let Some(chain) = self.take_chain() {
            let result = self.hunt_chain(chain, &mut runners);
            if result.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            result?;
            report(&self.totals());
        }
        Ok(())
    }

    fn totals(&self) -> Totals {
        self.lock_totals().clone()
    }

    fn lock_totals(&self) -> std::sync::MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The number of the next chain, unless the hunt is over.
    fn take_chain(&self) -> Option<u64> {
        if self.is_over() {
            return None;
        }
        let chain = self.next_chain.fetch_add(1, Ordering::Relaxed);
        let is_planned = self.plan.max_cases.is_none_or(|most| chain * u64::from(CHAIN_LENGTH) < most);
        // A hunt over nothing but seeds that cannot be used makes no cases and must end all the same.
        let is_hopeless = self.lock_totals().unusable_seeds.len() >= self.plan.seeds.len();
        (is_planned && !is_hopeless).then_some(chain)
    }

    fn is_over(&self) -> bool {
        let is_late = self.plan.max_time.is_some_and(|most| self.started.elapsed() >= most);
        is_late || self.stop.load(Ordering::Relaxed)
    }

    fn hunt_chain(&self, number: u64, runners: &mut [Runner<'_>]) -> Result<(), HuntError> {
        let mut terms = Terms::new();
        let random_seed = mix(self.plan.random_seed, number);
        let position = self.plan.seeds.draw(mix(random_seed, SEED_DRAW));
        let (name, source) = &self.plan.seeds.all()[position];
        let technique = &self.plan.techniques[(number % self.plan.techniques.len() as u64) as usize];
        let Ok(seed) = Seed::read(&mut terms, name, source) else {
            self.lock_totals().unusable_seeds.insert(position);
            return Ok(());
        };
        let mut chain = Chain::start(&mut terms, &seed, technique.as_ref(), random_seed);
        for _ in 0..CHAIN_LENGTH {
            if self.plan.max_cases.is_none() && self.is_over() {
                break;
            }
            let Some(case) = chain.next(&mut terms) else { break };
            let is_decided = self.hunt_case(&mut terms, &case, runners)?;
            if self.plan.max_cases.is_none() && !is_decided {
                break;
            }
        }
        Ok(())
    }

    /// Whether any solver decided the case.
    fn hunt_case(
        &self,
        terms: &mut Terms,
        case: &Case,
        runners: &mut [Runner<'_>],
    ) -> Result<bool, HuntError> {
        let reading = read_script_as(terms, &case.script, Dialect::V26);
        let formula = Formula::new(terms, &reading);
        let mut runs = Vec::with_capacity(runners.len());
        for runner in runners.iter_mut() {
            let target = runner.target();
            let Some(kinds) = target.takes(terms, &reading.script) else { continue };
            let text = target.text(terms, &reading.script);
            let is_warm = runner.is_warm(kinds);
            let run = runner.run(&text, kinds).map_err(|error| solver_error(target, error))?;
            runs.push(Checked { is_warm, ..checked(terms, &formula, target, run) });
        }
        let hearing = Hearing {
            case,
            reading: &reading,
            formula: &formula,
            lot: mix(case.lineage.random_seed, u64::from(case.lineage.step)),
            limits: self.plan.limits,
        };
        let concerns = hearing.concerns(terms, &self.plan.judges, &runs);
        let mut totals = self.lock_totals();
        totals.cases += 1;
        runs.iter().for_each(|checked| totals.count(checked));
        drop(totals);
        let is_decided = runs.iter().any(|checked| checked.run.answer.is_decided());
        if concerns.is_empty() {
            return Ok(is_decided);
        }
        let outcome = hearing
            .hear(terms, runners, &runs, concerns)
            .map_err(|(solver, error)| HuntError::Solver { solver, error })?;
        let mut totals = self.lock_totals();
        totals.unconfirmed += outcome.unconfirmed;
        outcome.runs.iter().chain(&outcome.extra_runs).for_each(|checked| totals.count(checked));
        drop(totals);
        for (verdict, script) in outcome.verdicts {
            self.record(terms, case, &reading, &outcome.runs, verdict, script)?;
        }
        Ok(is_decided)
    }

    fn record(
        &self,
        terms: &mut Terms,
        case: &Case,
        reading: &Reading,
        runs: &[Checked],
        mut verdict: Verdict,
        asked: Option<String>,
    ) -> Result<(), HuntError> {
        let assertions: Vec<Term> = reading.script.assertions().collect();
        let culprit =
            self.plan.targets.iter().find(|target| Some(&target.solver.name) == verdict.culprit.as_ref());
        let suspects: Vec<&Target> = match culprit {
            Some(target) => vec![target],
            None => self.plan.targets.iter().collect(),
        };
        let drifting: Vec<String> = suspects
            .iter()
            .flat_map(|target| drift::involved(terms, &assertions, target))
            .map(|op| op.info().name.to_owned())
            .collect();
        if !drifting.is_empty() && verdict.class.is_about_meaning() {
            verdict.class = Class::Drift;
        }
        let script = match (asked, culprit) {
            (Some(asked), _) => asked,
            (None, Some(target)) => target.text(terms, &reading.script),
            (None, None) => case.script.clone(),
        };
        let observation = Observation {
            verdict,
            script: header(case) + &script,
            canonical: canonical_text(terms, reading, &assertions),
            operators: operators(terms, &assertions),
            drifting,
            lineage: case.lineage.clone(),
            runs: runs.iter().map(|checked| checked.run.clone()).collect(),
        };
        let mut findings = self.findings.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_new = findings
            .add(observation)
            .map_err(|error| HuntError::Record { folder: self.plan.folder.display().to_string(), error })?;
        drop(findings);
        if is_new {
            self.lock_totals().new_findings += 1;
        }
        Ok(())
    }
}

fn solver_error(target: &Target, error: io::Error) -> HuntError {
    HuntError::Solver { solver: target.solver.name.clone(), error }
}

/// The first comment lines of a case.
fn header(case: &Case) -> String {
    let lineage = &case.lineage;
    format!(
        "; expect: {}\n; technique: {}\n; lineage: seed {}, random seed {}, step {}\n",
        case.expectation.word(),
        lineage.technique,
        lineage.seed,
        lineage.random_seed,
        lineage.step
    )
}

fn canonical_text(terms: &mut Terms, reading: &Reading, assertions: &[Term]) -> String {
    let kept: Vec<_> = reading
        .script
        .commands
        .iter()
        .flat_map(|command| match command {
            Command::DeclareDatatypes(datatypes) => datatypes.clone(),
            _ => Vec::new(),
        })
        .flat_map(|datatype| datatype.constructors)
        .flat_map(|constructor| {
            let selectors = constructor.selectors.into_iter().map(|(selector, _)| selector);
            selectors.chain([constructor.name]).collect::<Vec<_>>()
        })
        .collect();
    let forms = canonical(terms, assertions, |_, symbol| kept.contains(&symbol));
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    for form in forms {
        printer.term(form);
    }
    printer.finish()
}

fn operators(terms: &Terms, assertions: &[Term]) -> Vec<String> {
    let mut names: Vec<String> = subterms(terms, assertions)
        .into_iter()
        .filter_map(|term| terms.op(term))
        .map(|op| op.info().name.to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// A seed for chain `number`: neighbours must not look alike (the finalizer of SplitMix64).
fn mix(seed: u64, number: u64) -> u64 {
    let mut mixed = seed.wrapping_add((number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

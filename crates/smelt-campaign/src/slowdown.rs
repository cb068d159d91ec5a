//! The hunt for slowness: one search, its formulas measured on all solvers, what looks slow measured again.
//!
//! The last solver is under test, the others say how fast it could be. Measurements disturb each other, so there is one
//! worker, and solvers run one after the other. Wrong answers and answers that are lost on the way are judged and confirmed
//! as in every hunt. What was confirmed is recorded at once; a search that goes on after it was stopped begins with an
//! empty queue.
//!
//! The search is in [`smelt_testgen::search::bandit`]; why things are measured as they are: `docs/design/slowness.md`.

pub mod calibrate;
pub mod maker;
pub mod measure;
pub mod replay;
pub mod scaling;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use smelt_oracle::case::{Case, Expectation, Lineage};
use smelt_oracle::checked::Checked;
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::finding_id::FindingId;
use smelt_oracle::judge::{Judge, judges};
use smelt_oracle::slowness::{Measured, Threshold, is_suspicious, score_ms};
use smelt_report::finding::slowdown as report;
use smelt_runner::cache::Cache;
use smelt_runner::clock;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_runner::timing::Timing;
use smelt_runner::usage::own_cpu;
use smelt_smtlib::op::Op;
use smelt_store::configuration::{Budget, Origin, SeedRecord};
use smelt_store::finding::Finding;
use smelt_store::recorder::{CaseRecord, ChainEnd, ChainRecord, Recorder, Session, VerdictRecord};
use smelt_store::totals::Totals;
use smelt_testgen::random::Random;
use smelt_testgen::search::bandit::{Outcome, Search, Settings};

use crate::campaign::{Campaign, record_seed};
use crate::hearing::{Demonstration, Hearing};
use crate::hunt::{HuntError, lot};
use crate::observe::{Around, Link, Seen, most_cpu, run_records};
use crate::record::{Counted, Findings};
use crate::schedule::mix;
use crate::target::{Runner, Target};
use crate::workers::{self, work_together};
use calibrate::Noise;
use maker::FormulaMaker;
use measure::{Bench, REPEATS, Subject};
use replay::verdict_of;

/// What to hunt with, on what, for how long.
pub struct Plan {
    /// The solvers; the last one is under test.
    pub targets: Vec<Target>,
    /// What makes formulas for them.
    pub maker: FormulaMaker,
    /// The numbers of the search.
    pub search: Settings,
    /// What is slow.
    pub threshold: Threshold,
    /// Where chance starts.
    pub random_seed: u64,
    /// When the campaign is done. Trying random seeds comes on top.
    pub budget: Budget,
    /// Processor time allowed for each run, in seconds.
    pub timeout_secs: f64,
    /// With how many random seeds of the solvers findings are tried.
    pub seeds: u32,
    /// How many findings are tried with random seeds, the slowest first.
    pub tried: usize,
    /// Who is asked where the targets disagree and nothing tells who is right, unless it is one of them.
    pub opinion: Option<Solver>,
}

/// The judges of wrong and lost answers, which need no more than the runs that there are.
const OTHER_CLASSES: [Class; 5] = [
    Class::SoundnessRefutation,
    Class::Disputed,
    Class::InvalidModel,
    Class::Crash,
    Class::IncompletenessRegression,
];

/// The judges that listen to a hunt for slowness.
pub fn listening() -> Vec<&'static dyn Judge> {
    let is_wanted = |judge: &&'static dyn Judge| {
        judge.classes().iter().any(|class| OTHER_CLASSES.contains(class)) && judge.is_usual()
    };
    judges().into_iter().filter(is_wanted).collect()
}

/// What stands for the seed of all formulas in the record.
pub fn seed_records() -> Vec<SeedRecord> {
    vec![record_seed(NO_SEED, Origin::Text(String::new()), "")]
}

const NO_SEED: &str = "nothing";

/// Makes formulas without operators on which one of the solvers gives up, and says which these are. Solvers are asked what
/// the cache does not know.
pub fn leave_out_unknown(plan: &mut Plan, cache: &Cache) -> Result<Vec<Op>, HuntError> {
    plan.maker.leave_out_unknown(&plan.targets, cache).map_err(solver_failed)
}

/// How much the times of the solver under test vary: up to so many formulas are measured.
pub fn noise(plan: &Plan, formulas: usize) -> Result<Noise, HuntError> {
    let mut maker = plan.maker.clone();
    let bench = Bench { targets: &plan.targets, limits: measure::limits(plan.timeout_secs) };
    let mut random = Random::new(mix(plan.random_seed, u64::MAX - 1));
    calibrate::calibrate(&bench, &mut maker, (&plan.search.start, formulas), &mut random)
}

struct State<'p> {
    plan: &'p Plan,
    limits: Limits,
    judges: Vec<&'static dyn Judge>,
    started: Instant,
    elapsed_before: Duration,
    cases_before: u64,
    stop: &'p AtomicBool,
    recorder: Recorder,
    findings: Mutex<Findings>,
}

/// Hunts until the campaign is done or `stop` is set; then the processes of solvers are ended at once. `report` is
/// called every now and then with the totals of the campaign, and with what is being done.
///
/// The campaign must have begun with the configuration of this plan.
pub fn run(
    plan: &Plan,
    campaign: Campaign,
    stop: &AtomicBool,
    report: &dyn Fn(&Totals),
) -> Result<(Totals, Findings), HuntError> {
    let Campaign { folder, mut store, _lock } = campaign;
    let findings = Findings::open(&folder, &mut store)?;
    let totals = store.campaign()?.map(|recorded| recorded.totals).unwrap_or_default();
    let first = store.unfinished()?.next;
    let (elapsed_before, cases_before) = (totals.elapsed, totals.cases);
    let session = Session { smelt: env!("CARGO_PKG_VERSION"), jobs: 1, own_cpu };
    let state = State {
        plan,
        limits: measure::limits(plan.timeout_secs),
        judges: listening(),
        started: clock::now(),
        elapsed_before,
        cases_before,
        stop,
        recorder: Recorder::start(store, totals, session)?,
        findings: Mutex::new(findings),
    };
    let timing = Timing::begin(1);
    let worked = work_together(
        1,
        || {
            let _core = timing.pin();
            state.search(first).and_then(|()| state.try_seeds())
        },
        || report(&state.recorder.totals()),
        || state.is_stopped(),
    );
    workers::finish(worked, state.recorder, state.findings)
}

/// What came of a formula, and whether a slowdown was confirmed.
struct Done {
    outcome: Outcome,
    is_confirmed: bool,
}

impl State<'_> {
    /// The search, from the formula with this number on.
    fn search(&self, first: u64) -> Result<(), HuntError> {
        let plan = self.plan;
        let mut maker = plan.maker.clone();
        let mut random = Random::new(mix(plan.random_seed, first));
        let mut search: Search<String> = Search::new(plan.search, maker.operators().len());
        let runners: Vec<Runner<'_>> =
            plan.targets.iter().map(|target| Runner::new(target, self.limits)).collect();
        let mut number = first;
        while !self.is_over(number - first) {
            let formula = search.ask(&mut maker, &mut random);
            let Some(done) = self.hunt_case(number, &formula, &runners)? else { return Ok(()) };
            search.tell(&done.outcome);
            if done.is_confirmed {
                search.found();
            }
            number += 1;
        }
        Ok(())
    }

    fn lock_findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether no more formulas are to be made, after so many in this hunt.
    fn is_over(&self, made: u64) -> bool {
        let budget = &self.plan.budget;
        let elapsed = self.elapsed_before + clock::since(self.started);
        let is_late = budget.time_secs.is_some_and(|most| elapsed.as_secs_f64() >= most);
        let is_enough = budget.findings.is_some_and(|most| self.lock_findings().len() as u64 >= most);
        let is_complete = budget.cases.is_some_and(|most| self.cases_before + made >= most);
        is_late || is_enough || is_complete || self.is_stopped()
    }

    /// Measures, judges and records a formula; nothing if it was cut short and is not recorded.
    fn hunt_case(
        &self,
        number: u64,
        formula: &str,
        runners: &[Runner<'_>],
    ) -> Result<Option<Done>, HuntError> {
        let plan = self.plan;
        let technique = plan.search.variant.name().to_owned();
        let random_seed = mix(plan.random_seed, number);
        let lineage =
            Lineage { technique: technique.clone(), seed: NO_SEED.to_owned(), random_seed, step: 1 };
        let case =
            Case { script: formula.to_owned(), expectation: Expectation::None, is_doubtful: false, lineage };
        let link = Link { case: &case, detail: "" };
        let mut subject = Subject::read(formula);
        let bench = Bench { targets: &plan.targets, limits: self.limits };
        let once = bench.once(&mut subject);
        if self.is_stopped() {
            return Ok(None);
        }
        let once = once.map_err(solver_failed)?;
        let mut measured = bench.measured(&once);
        let outcome = self.outcome(&measured);
        let runs: Vec<Checked> = once.into_iter().flatten().collect();
        let mut record = CaseRecord {
            chain: number,
            step: 1,
            runs: run_records(&self.plan.targets, &runs),
            ..CaseRecord::default()
        };
        self.recorder.begin(ChainRecord { number, seed: 0, technique, random_seed })?;
        let mut is_confirmed = false;
        if outcome.is_slow {
            let repeated = bench.repeat(&mut subject, &mut measured, REPEATS - 1);
            if self.is_stopped() {
                return Ok(None);
            }
            record.further_runs = run_records(&self.plan.targets, &repeated.map_err(solver_failed)?);
            match verdict_of(&measured, &plan.threshold) {
                Some(verdict) => {
                    is_confirmed = true;
                    self.record(&mut subject, &link, &runs, (verdict, None), &mut record)?;
                }
                None => record.unconfirmed += 1,
            }
        }
        if !self.judge(&mut subject, &link, &runs, runners, &mut record)? {
            return Ok(None);
        }
        self.recorder.case(record)?;
        self.recorder.end(number, ChainEnd::Done)?;
        Ok(Some(Done { outcome, is_confirmed }))
    }

    /// What the search is told.
    fn outcome(&self, measured: &[Measured]) -> Outcome {
        let limit = self.plan.timeout_secs;
        let time = |one: &Measured| one.runs.first().map_or(limit, |run| run.cpu_ms / 1e3);
        Outcome {
            times: measured.iter().map(time).collect(),
            score: score_ms(measured).map(|score| score / 1e3),
            is_slow: is_suspicious(measured, &self.plan.threshold),
        }
    }

    /// Hears the judges of wrong and lost answers; false if it was cut short.
    fn judge(
        &self,
        subject: &mut Subject,
        link: &Link<'_>,
        runs: &[Checked],
        runners: &[Runner<'_>],
        record: &mut CaseRecord,
    ) -> Result<bool, HuntError> {
        let Subject { terms, reading, formula } = subject;
        let hearing = Hearing {
            case: link.case,
            reading,
            formula,
            parent: None,
            lot: lot(&link.case.lineage),
            limits: self.limits,
            opinion: self.plan.opinion.as_ref(),
        };
        let concerns = hearing.concerns(terms, &self.judges, runs);
        if concerns.is_empty() {
            return Ok(true);
        }
        let outcome = hearing.hear(terms, runners, runs, concerns);
        if self.is_stopped() {
            return Ok(false);
        }
        let outcome = outcome.map_err(solver_failed)?;
        record.unconfirmed += outcome.unconfirmed;
        record.further_runs.extend(run_records(&self.plan.targets, &outcome.runs));
        record.further_runs.extend(run_records(&self.plan.targets, &outcome.extra_runs));
        for (verdict, asked) in outcome.verdicts {
            self.record(subject, link, &outcome.runs, (verdict, asked), record)?;
        }
        Ok(true)
    }

    /// Records a confirmed verdict.
    fn record(
        &self,
        subject: &mut Subject,
        link: &Link<'_>,
        runs: &[Checked],
        (verdict, asked): (Verdict, Option<Demonstration>),
        record: &mut CaseRecord,
    ) -> Result<(), HuntError> {
        let Subject { terms, reading, .. } = subject;
        let around = Around {
            targets: &self.plan.targets,
            limits: &self.limits,
            timeout_secs: self.plan.timeout_secs,
        };
        let observation =
            around.observe(terms, link, Seen { reading, runs, verdict: verdict.clone(), asked })?;
        let cpu = most_cpu(runs.iter());
        let Counted { id: finding, alike } =
            self.lock_findings().add(observation, record.id(), &self.recorder)?;
        record.verdicts.push(VerdictRecord { verdict, finding, alike, cpu });
        Ok(())
    }

    /// Tries the slowest findings with random seeds of the solvers, those that have not been tried.
    fn try_seeds(&self) -> Result<(), HuntError> {
        if self.plan.seeds == 0 {
            return Ok(());
        }
        let mut findings = slowdowns(&self.lock_findings());
        findings.truncate(self.plan.tried);
        for Slow { id, reference, .. } in findings {
            let recorded = self.lock_findings().get(&id).cloned();
            let is_tried = self.lock_findings().added(&id).seeds.is_some();
            let reference = self.plan.targets.iter().find(|target| target.solver.name == reference);
            let (Some(recorded), Some(reference), false) = (recorded, reference, is_tried) else { continue };
            let text = recorded.finding.formula.as_deref().unwrap_or(&recorded.script);
            let mut subject = Subject::read(text);
            let bench = Bench { targets: &self.plan.targets, limits: self.limits };
            let seeds = (reference, self.plan.seeds);
            let tally = bench.tally(&mut subject, seeds, &self.plan.threshold, &|| self.is_stopped());
            if self.is_stopped() {
                return Ok(());
            }
            if let Some(tally) = tally.map_err(solver_failed)? {
                self.lock_findings().add_seeds(&id, &tally)?;
            }
        }
        Ok(())
    }
}

fn solver_failed((solver, error): measure::Failed) -> HuntError {
    HuntError::Solver { solver, error }
}

/// A slowdown among findings.
#[derive(Debug, Clone, PartialEq)]
pub struct Slow {
    /// The finding.
    pub id: FindingId,
    /// The fastest of the other solvers.
    pub reference: String,
    /// The first solver that is slow.
    pub first_bad: String,
    /// The times of all solvers.
    pub measured: Vec<Measured>,
    /// How many times slower the culprit is, by the medians.
    pub ratio: f64,
    /// The number of its pattern of times, from zero: those with one cause often have one pattern.
    pub pattern: usize,
}

/// The slowdowns among findings, the slowest first.
pub fn slowdowns(findings: &Findings) -> Vec<Slow> {
    let slow = |finding: &&Finding| match &finding.verdict.evidence {
        Evidence::Slowdown { reference, first_bad, measured, .. } => Some(Slow {
            id: finding.id.clone(),
            reference: reference.clone(),
            first_bad: first_bad.clone(),
            ratio: report::ratio(measured, reference).unwrap_or(0.0),
            measured: measured.clone(),
            pattern: 0,
        }),
        _ => None,
    };
    let mut found: Vec<Slow> = findings.all().iter().filter_map(slow).collect();
    found.sort_by(|left, right| right.ratio.total_cmp(&left.ratio).then(left.id.cmp(&right.id)));
    let patterns = report::patterns(&found.iter().map(|slow| slow.measured.as_slice()).collect::<Vec<_>>());
    for (slow, pattern) in found.iter_mut().zip(patterns) {
        slow.pattern = pattern;
    }
    found
}

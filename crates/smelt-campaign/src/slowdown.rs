//! The hunt for slowness: one search, its formulas measured on all solvers, what looks slow measured again.
//!
//! The last solver is under test, the others say how fast it could be. Measurements disturb each other, so there is one
//! worker, and solvers run one after the other. Wrong answers and answers that are lost on the way are judged and confirmed
//! as in every hunt. What was confirmed is recorded at once; a search that is resumed begins with an empty queue.
//!
//! The search is in [`smelt_testgen::search::bandit`] and proposes its formulas by `propose::bandit`; why things are measured as they are: `docs/design/slowness.md`.

pub mod calibrate;
pub mod families;
pub mod maker;
pub mod measure;
pub mod prepare;
pub mod replay;
pub mod scaling;

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use smelt_oracle::finding::{Class, Evidence};
use smelt_oracle::finding_id::FindingId;
use smelt_oracle::judge::{Judge, judges};
use smelt_oracle::slowness::{Measured, Threshold};
use smelt_report::finding::slowdown as report;
use smelt_runner::cache::Cache;
use smelt_runner::clock;
use smelt_runner::solver::Solver;
use smelt_runner::timing::Timing;
use smelt_runner::usage::own_cpu;
use smelt_smtlib::op::Op;
use smelt_store::configuration::{Budget, Origin, SeedRecord};
use smelt_store::finding::Finding;
use smelt_store::recorder::{Recorder, Session};
use smelt_store::totals::Totals;
use smelt_testgen::random::Random;
use smelt_testgen::search::bandit::Settings;
use smelt_trial::target::Target;
use smelt_trial::worker::Worker;

use crate::campaign::{Campaign, record_seed};
use crate::driver::drive;
use crate::hunt::HuntError;
use crate::ledger::Ledger;
use crate::propose::bandit::Bandit;
use crate::record::Findings;
use crate::schedule::mix;
use crate::workers::{self, work_together};
use calibrate::{Noise, NoiseSample};
use maker::FormulaMaker;
use measure::{Bench, Rival, Subject};

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
    /// Random seed; the same seed makes the same formulas.
    pub random_seed: u64,
    /// When the campaign is done. Trying random seeds comes on top.
    pub budget: Budget,
    /// Processor time allowed for each run, in seconds.
    pub timeout_secs: f64,
    /// With how many random seeds of the solvers findings are tried.
    pub seeds: u32,
    /// How many findings are tried with random seeds, the slowest first.
    pub tried: usize,
    /// The arbiter, asked in disputes unless it is one of the targets.
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

pub(crate) const NO_SEED: &str = "nothing";

/// Makes formulas without operators on which one of the solvers gives up, and says which these are. Solvers are asked what
/// the cache does not know.
pub fn leave_out_unknown(plan: &mut Plan, cache: &Cache) -> Result<Vec<Op>, HuntError> {
    Ok(plan.maker.leave_out_unknown(&plan.targets, cache)?)
}

/// How much the times of the solver under test vary: up to so many formulas are measured.
pub fn noise(plan: &Plan, formulas: usize) -> Result<Noise, HuntError> {
    let mut maker = plan.maker.clone();
    let bench = Bench { targets: &plan.targets, limits: measure::limits(plan.timeout_secs) };
    let mut random = Random::new(mix(plan.random_seed, u64::MAX - 1));
    let sample = NoiseSample { complexity: &plan.search.start, formulas };
    calibrate::calibrate(&bench, &mut maker, &sample, &mut random)
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
    let ledger = Ledger {
        judges: listening(),
        budget: &plan.budget,
        counted: Findings::len,
        started: clock::now(),
        elapsed_before,
        prepared_cpu: Duration::ZERO,
        stop,
        recorder: Recorder::start(store, totals, session)?,
        findings: Mutex::new(findings),
    };
    let timing = Timing::begin(1);
    let worked = work_together(
        1,
        || {
            let _core = timing.pin();
            let mut worker =
                Worker::new(&plan.targets, measure::limits(plan.timeout_secs), plan.opinion.as_ref());
            let mut bandit = Bandit::new(plan, &ledger, first, cases_before);
            // Random seeds are tried also if the search has used up its time.
            let _stop = drive(&ledger, &mut worker, &mut bandit)?;
            try_seeds(plan, &ledger)
        },
        || report(&ledger.recorder.totals()),
        || ledger.is_interrupted(),
    );
    workers::finish(worked, ledger.recorder, ledger.findings)
}

/// Tries the slowest findings with random seeds of the solvers, those that have not been tried.
fn try_seeds(plan: &Plan, ledger: &Ledger<'_>) -> Result<(), HuntError> {
    if plan.seeds == 0 {
        return Ok(());
    }
    let mut findings = slowdowns(&ledger.lock_findings());
    findings.truncate(plan.tried);
    for Slow { id, reference, .. } in findings {
        let finding = ledger.lock_findings().get(&id).cloned();
        let is_tried = ledger.lock_findings().added(&id).seeds.is_some();
        let reference = plan.targets.iter().find(|target| target.solver.name == reference);
        let (Some(finding), Some(reference), false) = (finding, reference, is_tried) else { continue };
        let text = finding.formula.as_deref().unwrap_or(&finding.script);
        let mut subject = Subject::read(text);
        let bench = Bench { targets: &plan.targets, limits: measure::limits(plan.timeout_secs) };
        let rival = Rival { reference, seeds: plan.seeds, threshold: &plan.threshold };
        let tally = bench.tally(&mut subject, &rival, &|| ledger.is_interrupted());
        if ledger.is_interrupted() {
            return Ok(());
        }
        if let Some(tally) = tally? {
            ledger.lock_findings().add_seeds(&id, &tally)?;
        }
    }
    Ok(())
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

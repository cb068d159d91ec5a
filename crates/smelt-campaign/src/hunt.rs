//! The hunt for bugs: what it is made with, and how its workers share it.
//!
//! The cases come from [`propose::chains`](crate::propose::chains); how each is run, judged, confirmed and recorded is in
//! [`driver`](crate::driver).

use std::io;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_oracle::case::Lineage;
use smelt_oracle::judge::Judge;
use smelt_runner::clock;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_runner::usage::own_cpu;
use smelt_store::configuration::{Budget, Sharing};
use smelt_store::error::StoreError;
use smelt_store::recorder::{Recorder, Session};
use smelt_store::store::Unfinished;
use smelt_store::totals::Totals;
use smelt_store::yields::{RecordedChain, RecordedYields};
use smelt_testgen::library::Library;
use smelt_testgen::technique::Technique;
use smelt_trial::SolverFailure;
use smelt_trial::target::Target;
use smelt_trial::worker::Worker;

use crate::allocation::TechniqueYield;
use crate::campaign::Campaign;
use crate::driver::drive;
use crate::ledger::Ledger;
use crate::omissions::Omissions;
use crate::propose::chains::{Chains, OpenChains};
use crate::queue::{Done, Queue};
use crate::record::Findings;
use crate::schedule::{Schedule, Share, mix};
use crate::workers::{self, work_together};

/// What to hunt with, on what, for how long.
pub struct Plan {
    /// The solvers under test.
    pub targets: Vec<Target>,
    /// Seed formulas.
    pub seeds: Library,
    /// The techniques with their weights.
    pub techniques: Vec<(Box<dyn Technique>, u32)>,
    /// The judges.
    pub judges: Vec<&'static dyn Judge>,
    /// Random seed; the same seed makes the same cases.
    pub random_seed: u64,
    /// How many workers share the cases.
    pub jobs: usize,
    /// When the campaign is done.
    pub budget: Budget,
    /// Processor time that was used to prepare the hunt, which counts too.
    pub prepared_cpu: Duration,
    /// Processor time allowed for each run, in seconds.
    pub timeout_secs: f64,
    /// How the techniques share the chains.
    pub sharing: Sharing,
    /// How many steps all chains have; none if that is up to the techniques.
    pub steps: Option<u32>,
    /// The arbiter, asked in disputes unless it is one of the targets.
    pub opinion: Option<Solver>,
}

impl Plan {
    /// What the chains are made of.
    pub fn schedule(&self) -> Schedule<'_> {
        Schedule::new(&self.seeds, &self.shares(), self.random_seed)
    }

    pub(crate) fn shares(&self) -> Vec<Share> {
        shares(&self.techniques, self.steps)
    }

    fn limits(&self) -> Limits {
        Limits::for_seconds(self.timeout_secs)
    }

    /// The limit of runs that get less than that at first; none where a number of cases is to be the same every time, or
    /// where it counts how long solvers take.
    pub(crate) fn first_limit(&self) -> Option<Duration> {
        let is_about_time = self.judges.iter().any(|judge| judge.is_about_time());
        (self.budget.cases.is_none() && !is_about_time).then(|| self.limits().cpu)
    }
}

/// What techniques with these weights get of a hunt; without `steps`, chains have the length of their technique.
pub fn shares(techniques: &[(Box<dyn Technique>, u32)], steps: Option<u32>) -> Vec<Share> {
    techniques.iter().map(|(technique, weight)| Share::of(technique.as_ref(), *weight, steps)).collect()
}

/// Why a hunt could not continue.
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
    /// The record or the findings could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No seed could be read.
    #[error("none of the seeds can be used")]
    NoSeeds,
}

impl From<SolverFailure> for HuntError {
    fn from(SolverFailure { solver, error }: SolverFailure) -> Self {
        HuntError::Solver { solver, error }
    }
}

/// What came of a hunt.
pub struct Hunted {
    /// Of the whole campaign.
    pub totals: Totals,
    /// Of the whole campaign.
    pub findings: Findings,
    /// What each technique has found in the whole campaign.
    pub yields: Vec<TechniqueYield>,
    /// What solvers were not asked in this hunt.
    pub omissions: Omissions,
}

/// Hunts until the campaign is done or `stop` is set; then the processes of solvers are ended at once. `report` is
/// called every now and then with the totals of the campaign. In the end there is also what each technique has found,
/// and what solvers were not asked.
///
/// The campaign must have begun with the configuration of this plan.
pub fn run(
    plan: &Plan,
    campaign: Campaign,
    stop: &AtomicBool,
    report: &dyn Fn(&Totals),
) -> Result<Hunted, HuntError> {
    let Campaign { folder, mut store, _lock } = campaign;
    let findings = Findings::open(&folder, &mut store)?;
    let totals = store.campaign()?.map(|recorded| recorded.totals).unwrap_or_default();
    let yields = store.yields()?;
    let queue = queue_of(plan.budget.cases, &store.unfinished()?, &yields);
    let elapsed_before = totals.elapsed;
    let session = Session { smelt: env!("CARGO_PKG_VERSION"), jobs: plan.jobs, own_cpu };
    let ledger = Ledger {
        judges: plan.judges.clone(),
        budget: &plan.budget,
        // Several findings that are most likely one bug count once.
        counted: Findings::distinct,
        started: clock::now(),
        elapsed_before,
        prepared_cpu: plan.prepared_cpu,
        stop,
        recorder: Recorder::start(store, totals, session)?,
        findings: Mutex::new(findings),
    };
    let chains = Chains::new(plan, &ledger, queue, yields);
    let worked = work_together(
        plan.jobs,
        || {
            let result = work(plan, &chains, &ledger);
            if result.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            result
        },
        || report(&ledger.recorder.totals()),
        || ledger.is_interrupted(),
    );
    let (yields, omissions) = chains.finish();
    let (totals, findings) = workers::finish(worked, ledger.recorder, ledger.findings)?;
    if totals.cases == 0 && !totals.unusable_seeds.is_empty() {
        return Err(HuntError::NoSeeds);
    }
    Ok(Hunted { totals, findings, yields, omissions })
}

/// What one worker does until the hunt ends.
fn work(plan: &Plan, chains: &Chains<'_>, ledger: &Ledger<'_>) -> Result<(), HuntError> {
    let mut worker = Worker::new(&plan.targets, plan.limits(), plan.opinion.as_ref());
    loop {
        let mut taken = chains.take()?;
        if taken.is_empty() {
            return Ok(());
        }
        let mut open = OpenChains::start(chains, &mut taken);
        let driven = drive(ledger, &mut worker, &mut open);
        open.count_dropped();
        match driven? {
            ControlFlow::Continue(()) => open.end()?,
            ControlFlow::Break(_) => return Ok(()),
        }
    }
}

/// The chains of a campaign that is resumed.
fn queue_of(budget: Option<u64>, unfinished: &Unfinished, yields: &RecordedYields) -> Queue {
    let mut queue = Queue::new(budget);
    for RecordedChain { number, has_ended, .. } in &yields.chains {
        let open = unfinished.chains.iter().find(|(open, _)| open == number);
        let cases = yields.cases.get(number).map_or(0, |cases| cases.len() as u64);
        queue.add_known(*number, Done { steps: open.map_or(0, |(_, steps)| *steps), cases }, *has_ended);
    }
    queue
}

/// The number that is drawn for a case.
pub(crate) fn sample_key(lineage: &Lineage) -> u64 {
    mix(lineage.random_seed, u64::from(lineage.step))
}

//! The loop of a hunt: chains of mutants, each run on all targets, judged, confirmed, recorded.
//!
//! The cases of a hunt do not depend on how many workers share them, on how often the hunt is stopped and resumed, nor on
//! how fast the machine is.
//! A verdict counts only if fresh processes show it again. In a hunt that is not bounded by its cases, a solver that does
//! not end on a case is spared the rest of the chain, and a chain on which no solver ends is left. A case is recorded
//! when all is said about it; one that was cut short leaves no trace and is run again when the hunt goes on.
//! A formula that no solver can be asked about is not a case; it is counted apart.

mod batch;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use smelt_oracle::case::{Expectation, Lineage};
use smelt_oracle::evaluated::EvaluatedRun;
use smelt_oracle::finding::Verdict;
use smelt_oracle::judge::{Judge, Parent};
use smelt_oracle::run::Run;
use smelt_runner::clock;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_runner::usage::own_cpu;
use smelt_smtlib::read::Reading;
use smelt_smtlib::term::Terms;
use smelt_store::configuration::{Budget, Sharing};
use smelt_store::error::StoreError;
use smelt_store::recorder::{CaseRecord, ChainEnd, ChainRecord, Recorder, Session, VerdictRecord};
use smelt_store::store::Unfinished;
use smelt_store::totals::Totals;
use smelt_store::yields::{CaseYield, RecordedYields};
use smelt_testgen::chain::Chain;
use smelt_testgen::library::Library;
use smelt_testgen::technique::Technique;

use crate::allocation::{Allocation, TechniqueYield};
use crate::campaign::Campaign;
use crate::hearing::{Demonstration, Hearing, checked, with_model};
use crate::observe::{Around, Link, Seen, most_cpu, run_records};
use crate::omissions::{Omissions, Reason};
use crate::options;
use crate::preference::{Preference, seed_draws, who_can_be_asked};
use crate::queue::{Done, Next as Turns, Queue, Turn};
use crate::record::{Counted, Findings};
use crate::schedule::{Schedule, Share, mix};
use crate::shapes::shapes;
use crate::target::{Runner, Target};
use crate::workers::{self, work_together};
use batch::{Asked, Made, Ran, Taken, Trail};

/// What to hunt with, on what, for how long.
pub struct Plan {
    /// The solvers under test.
    pub targets: Vec<Target>,
    /// Seed formulas.
    pub seeds: Library,
    /// The techniques with their weights.
    pub techniques: Vec<(Box<dyn Technique>, u32)>,
    /// Who judges.
    pub judges: Vec<&'static dyn Judge>,
    /// Where chance starts.
    pub random_seed: u64,
    /// How many workers share the cases.
    pub jobs: usize,
    /// When the campaign is done.
    pub budget: Budget,
    /// Processor time allowed for each run, in seconds.
    pub timeout_secs: f64,
    /// How the techniques share the chains.
    pub sharing: Sharing,
    /// How many steps all chains have; none if that is up to the techniques.
    pub steps: Option<u32>,
    /// Who is asked where the targets disagree and nothing tells who is right, unless it is one of them.
    pub opinion: Option<Solver>,
}

impl Plan {
    /// What the chains are made of.
    pub fn schedule(&self) -> Schedule<'_> {
        Schedule::new(&self.seeds, &self.shares(), self.random_seed)
    }

    fn shares(&self) -> Vec<Share> {
        shares(&self.techniques, self.steps)
    }

    fn limits(&self) -> Limits {
        Limits::for_seconds(self.timeout_secs)
    }
}

/// What techniques with these weights get of a hunt; without `steps`, chains have the length of their technique.
pub fn shares(techniques: &[(Box<dyn Technique>, u32)], steps: Option<u32>) -> Vec<Share> {
    techniques.iter().map(|(technique, weight)| Share::of(technique.as_ref(), *weight, steps)).collect()
}

/// A chain ends after this many undecided cases in a row: its mutants are most likely no easier.
const MAX_UNDECIDED: u32 = 10;

/// How long a worker waits for others who are still at the chains that decide its next one.
const ROUND_PAUSE: Duration = Duration::from_millis(5);

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
    /// The record or the findings could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No seed could be read.
    #[error("none of the seeds can be used")]
    NoSeeds,
}

/// Shared by the workers of a hunt.
struct State<'p> {
    plan: &'p Plan,
    schedule: Schedule<'p>,
    limits: Limits,
    started: Instant,
    elapsed_before: Duration,
    queue: Mutex<Queue>,
    allocation: Mutex<Allocation>,
    stop: &'p AtomicBool,
    recorder: Recorder,
    findings: Mutex<Findings>,
    omissions: Mutex<Omissions>,
    /// For each target the first that wants formulas as it does.
    alike: Vec<usize>,
    /// For each seed which targets can be asked about it, found when it is first drawn; none if it cannot be used.
    askable: Vec<OnceLock<Option<Vec<bool>>>>,
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
    let allocation = Allocation::resumed(&plan.shares(), plan.sharing, plan.random_seed, yields);
    let elapsed_before = totals.elapsed;
    let session = Session { smelt: env!("CARGO_PKG_VERSION"), jobs: plan.jobs, own_cpu };
    let state = State {
        plan,
        schedule: plan.schedule(),
        limits: plan.limits(),
        started: clock::now(),
        elapsed_before,
        queue: Mutex::new(queue),
        allocation: Mutex::new(allocation),
        stop,
        recorder: Recorder::start(store, totals, session)?,
        findings: Mutex::new(findings),
        omissions: Mutex::default(),
        alike: plan.targets.iter().map(|target| first_alike(&plan.targets, target)).collect(),
        askable: (0..plan.seeds.len()).map(|_| OnceLock::new()).collect(),
    };
    let worked =
        work_together(plan.jobs, || state.work(), || report(&state.recorder.totals()), || state.is_stopped());
    let (totals, findings) = workers::finish(worked, state.recorder, state.findings)?;
    if totals.cases == 0 && !totals.unusable_seeds.is_empty() {
        return Err(HuntError::NoSeeds);
    }
    let yields = state.allocation.into_inner().unwrap_or_else(PoisonError::into_inner).totals();
    let omissions = state.omissions.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Hunted { totals, findings, yields, omissions })
}

impl State<'_> {
    fn work(&self) -> Result<(), HuntError> {
        let mut runners: Vec<Runner<'_>> =
            self.plan.targets.iter().map(|target| Runner::new(target, self.limits)).collect();
        loop {
            let result = match self.take_chains() {
                Ok(chains) if chains.is_empty() => return Ok(()),
                Ok(mut chains) => self.hunt_chains(&mut chains, &mut runners),
                Err(error) => Err(error),
            };
            if result.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            result?;
        }
    }

    fn lock_findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Chains for a batch; none if the campaign is done.
    fn take_chains(&self) -> Result<Vec<Taken<'_>>, HuntError> {
        let mut chains = Vec::new();
        let mut cases = 0;
        while cases < self.batch_cases() {
            // A hunt over nothing but seeds that cannot be used makes no cases and must end all the same.
            let is_hopeless = self.recorder.unusable_seeds() >= self.plan.seeds.len();
            if self.is_over() || is_hopeless {
                break;
            }
            match self.next_chain() {
                Next::Chain(next) => {
                    cases += next.cases_left();
                    chains.extend(self.begin_chain(&next)?);
                }
                // The chains that decide the next one may be our own.
                Next::Undecided if chains.is_empty() => std::thread::sleep(ROUND_PAUSE),
                Next::Undecided | Next::None => break,
            }
        }
        Ok(chains)
    }

    /// How many cases a worker takes at once: of a campaign with few cases no more than its share.
    fn batch_cases(&self) -> usize {
        let share = self.plan.budget.cases.map(|most| most as usize / self.plan.jobs.max(1) / 2);
        share.map_or(batch::MAX_CASES, |share| share.clamp(1, batch::MAX_CASES))
    }

    /// Takes the next chain, if it is decided and part of the campaign.
    fn next_chain(&self) -> Next {
        let mut allocation = self.lock_allocation();
        let length =
            |number| allocation.technique(number).map(|technique| allocation.length(number, technique));
        let turn = match self.lock_queue().take(length) {
            Turns::Turn(turn) => turn,
            Turns::Undecided => return Next::Undecided,
            Turns::Nothing => return Next::None,
        };
        let technique = allocation.technique(turn.number).expect("its length was known");
        let in_turn = self.plan.techniques[technique].0.takes_every_seed();
        let seed_in_turn = in_turn.then(|| self.schedule.seed_in_turn(allocation.turns_before(turn.number)));
        Next::Chain(NextChain { turn, technique, seed_in_turn })
    }

    /// Records that a chain begins, and reads its seed; none if that cannot be used.
    fn begin_chain(&self, next: &NextChain) -> Result<Option<Taken<'_>>, HuntError> {
        let NextChain { turn, technique, seed_in_turn } = *next;
        let number = turn.number;
        let random_seed = self.schedule.random_seed(number);
        let position = seed_in_turn.unwrap_or_else(|| self.draw_seed(number));
        self.recorder.begin(ChainRecord {
            number,
            seed: position as u64,
            technique: self.plan.techniques[technique].0.name().to_owned(),
            random_seed,
        })?;
        let (Some(askable), Some((terms, seed))) = (self.askable(position), self.plan.seeds.copy(position))
        else {
            self.end_chain(number, ChainEnd::Unusable, 0)?;
            return Ok(None);
        };
        Ok(Some(Taken { turn, technique, random_seed, askable, terms, seed }))
    }

    fn lock_allocation(&self) -> MutexGuard<'_, Allocation> {
        self.allocation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether everybody has to drop what they do.
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether no more cases are to be begun.
    fn is_over(&self) -> bool {
        let elapsed = self.elapsed_before + clock::since(self.started);
        let is_late = self.plan.budget.time_secs.is_some_and(|most| elapsed.as_secs_f64() >= most);
        is_late || self.has_enough() || self.is_stopped() || self.recorder.is_vain()
    }

    /// Whether all findings are made that were wanted. Several that are most likely one bug count once.
    fn has_enough(&self) -> bool {
        self.plan.budget.findings.is_some_and(|most| self.lock_findings().distinct() as u64 >= most)
    }

    /// Makes, runs and judges the cases of some chains, batch by batch.
    fn hunt_chains(&self, chains: &mut [Taken<'_>], runners: &mut [Runner<'_>]) -> Result<(), HuntError> {
        let techniques: Vec<usize> = chains.iter().map(|taken| taken.technique).collect();
        let mut trails: Vec<Trail<'_>> = chains.iter_mut().map(|taken| self.start(taken)).collect();
        let result = self.hunt_trails(&mut trails, runners);
        let mut omissions = self.omissions.lock().unwrap_or_else(PoisonError::into_inner);
        for (trail, technique) in trails.iter().zip(techniques) {
            omissions.count_dropped(self.plan.techniques[technique].0.name(), trail.chain.dropped());
        }
        result
    }

    fn hunt_trails(&self, trails: &mut [Trail<'_>], runners: &mut [Runner<'_>]) -> Result<(), HuntError> {
        loop {
            let batch = self.make_batch(trails);
            if batch.is_empty() {
                break;
            }
            if !self.hunt_batch(trails, batch, runners)? {
                return Ok(());
            }
        }
        for trail in trails {
            // A chain that ends with the budget is not at its end, and goes on if it gets more.
            match trail.is_cut() {
                true => {
                    let done = Done { steps: trail.chain.step(), cases: trail.cases };
                    self.lock_queue().give_back(trail.number, done);
                }
                false => self.end_chain(trail.number, ChainEnd::Done, trail.cases)?,
            }
        }
        Ok(())
    }

    fn start<'t>(&'t self, taken: &'t mut Taken<'_>) -> Trail<'t> {
        let Taken { turn, technique, random_seed, askable, terms, seed } = taken;
        let technique = self.plan.techniques[*technique].0.as_ref();
        let chain = Chain::start(terms, seed, technique, &self.plan.seeds, *random_seed);
        Trail {
            number: turn.number,
            chain: chain.with_length(turn.length),
            most: turn.most,
            cases: turn.done.cases,
            takes_every_seed: technique.takes_every_seed(),
            preference: Preference::of_chain(&self.plan.targets, *random_seed, askable),
            terms,
            steps_done: turn.done.steps,
            spared: options::left_out(&self.plan.targets, *random_seed),
            left_out: options::left_out(&self.plan.targets, *random_seed),
            runs_before: None,
            undecided: 0,
            is_complete: false,
            is_left: false,
        }
    }

    /// The position of the seed of a chain, preferably one that all solvers can be asked about.
    fn draw_seed(&self, number: u64) -> usize {
        let (mut seed, random_seed) = (self.schedule.seed(number, 0), self.schedule.random_seed(number));
        let is_for_all = |seed| self.askable(seed).is_some_and(|askable| !askable.contains(&false));
        for draw in 1..=seed_draws(random_seed) {
            if is_for_all(seed) {
                break;
            }
            seed = self.schedule.seed(number, draw);
        }
        seed
    }

    /// For each target whether it can be asked about a seed; none if the seed cannot be used.
    fn askable(&self, seed: usize) -> Option<&[bool]> {
        let find = || {
            let (terms, seed) = self.plan.seeds.copy(seed)?;
            Some(who_can_be_asked(&terms, &seed.script, &self.plan.targets))
        };
        self.askable[seed].get_or_init(find).as_deref()
    }

    /// Ends a chain that has this many cases.
    fn end_chain(&self, number: u64, end: ChainEnd, cases: u64) -> Result<(), HuntError> {
        self.recorder.end(number, end)?;
        self.lock_allocation().end(number);
        self.lock_queue().end(number, cases);
        Ok(())
    }

    /// Judges and records a case; false if it was cut short and is not recorded.
    fn judge(
        &self,
        trail: &mut Trail<'_>,
        asked: Asked,
        runners: &mut [Runner<'_>],
    ) -> Result<bool, HuntError> {
        let Asked { made, runs: ran, repeated, .. } = asked;
        let Made { case, detail, relation, before, reading, formula, contents, sample_key, .. } = &made;
        let was_run: Vec<bool> = ran.iter().map(Option::is_some).collect();
        let mut runs: Vec<EvaluatedRun> = Vec::with_capacity(ran.len());
        for (target, ran) in self.plan.targets.iter().zip(ran) {
            let Some(Ran { run, is_warm, .. }) = ran else { continue };
            let same = runs.iter().find(|seen| is_said_again(seen, &run, target));
            let checked = match same.map(|seen| seen.model.clone()) {
                Some(model) => with_model(target, run, model),
                None => checked(trail.terms, formula, target, run),
            };
            runs.push(EvaluatedRun { is_warm, ..checked });
        }
        if made.is_done {
            trail.runs_before = Some(runs);
            return Ok(true);
        }
        let parent = relation.map(|relation| Parent {
            script: before,
            relation,
            change: detail,
            runs: trail.runs_before.as_deref(),
        });
        let link = Link { case, detail };
        let shapes = shapes(trail.terms, contents);
        let mut found = CaseYield {
            has_claim: case.expectation != Expectation::None,
            shapes: self.lock_allocation().unseen(shapes),
            findings: Vec::new(),
        };
        let mut record = CaseRecord {
            chain: trail.number,
            step: case.lineage.step,
            runs: run_records(&self.plan.targets, &runs),
            repeated,
            withheld: withheld(trail, &made, &was_run),
            ..CaseRecord::default()
        };
        let hearing = Hearing {
            case,
            reading,
            formula,
            parent,
            sample_key: *sample_key,
            limits: self.limits,
            opinion: self.plan.opinion.as_ref(),
        };
        let concerns = hearing.concerns(trail.terms, &self.plan.judges, &runs);
        if !concerns.is_empty() {
            let outcome = hearing.hear(trail.terms, runners, &runs, concerns);
            if self.is_stopped() {
                return Ok(false);
            }
            let outcome = outcome.map_err(|(solver, error)| HuntError::Solver { solver, error })?;
            record.unconfirmed = outcome.unconfirmed;
            record.further_runs = run_records(&self.plan.targets, &outcome.runs);
            record.further_runs.extend(run_records(&self.plan.targets, &outcome.extra_runs));
            let cpu = most_cpu(runs.iter().chain(&outcome.runs).chain(&outcome.extra_runs));
            let scene = Scene { link: &link, reading, runs: &outcome.runs, place: record.id() };
            for (verdict, asked) in outcome.verdicts {
                let Counted { id: finding, alike } =
                    self.record(trail.terms, &scene, verdict.clone(), asked)?;
                record.verdicts.push(VerdictRecord { verdict, finding, alike, cpu });
            }
            found.findings = record.verdicts.iter().map(|verdict| verdict.alike).collect();
        }
        record.found = found.clone();
        self.recorder.case(record)?;
        self.lock_allocation().add_case(trail.number, found);
        if self.plan.budget.cases.is_none() {
            trail.note_decided(runs.iter().any(|checked| checked.run.answer.is_decided()));
        }
        trail.runs_before = Some(runs);
        self.count_omissions(trail, &made, &was_run);
        Ok(true)
    }

    /// Counts for each solver that was not asked about a case why it was not.
    fn count_omissions(&self, trail: &Trail<'_>, made: &Made, was_run: &[bool]) {
        let mut omissions = self.omissions.lock().unwrap_or_else(PoisonError::into_inner);
        for (solver, target) in self.plan.targets.iter().enumerate().filter(|(solver, _)| !was_run[*solver]) {
            let reason = match &made.sent[solver] {
                _ if trail.left_out[solver] => Reason::OtherOptions,
                Err(reason) => reason.clone(),
                Ok(_) => Reason::Spared,
            };
            omissions.count(&target.solver.name, reason);
        }
    }

    /// Records that no solver can be asked about a formula.
    fn leave_out(&self, trail: &mut Trail<'_>, made: &Made) -> Result<(), HuntError> {
        trail.runs_before = Some(Vec::new());
        if made.is_done {
            return Ok(());
        }
        let asked = made.sent.iter().zip(&trail.left_out).filter(|(_, is_left_out)| !**is_left_out);
        let reasons: Vec<String> = asked.filter_map(|(sent, _)| Some(sent.as_ref().err()?.brief())).collect();
        let reason = reasons.into_iter().min().unwrap_or_default();
        let step = made.case.lineage.step;
        let chain = trail.number;
        self.recorder.case(CaseRecord { chain, step, not_sent: Some(reason), ..CaseRecord::default() })?;
        Ok(())
    }

    /// Records a confirmed verdict and says for which finding it counts.
    fn record(
        &self,
        terms: &mut Terms,
        scene: &Scene<'_>,
        verdict: Verdict,
        asked: Option<Demonstration>,
    ) -> Result<Counted, HuntError> {
        let around = Around {
            targets: &self.plan.targets,
            limits: &self.limits,
            timeout_secs: self.plan.timeout_secs,
        };
        let &Scene { link, reading, runs, place } = scene;
        let observation = around.observe(terms, link, Seen { reading, runs, verdict, asked })?;
        Ok(self.lock_findings().add(observation, place, &self.recorder)?)
    }
}

/// Where something is found.
struct Scene<'s> {
    link: &'s Link<'s>,
    reading: &'s Reading,
    /// The confirming runs.
    runs: &'s [EvaluatedRun],
    /// The place of the case in the order of cases.
    place: u64,
}

/// The chains of a campaign that goes on.
fn queue_of(budget: Option<u64>, unfinished: &Unfinished, yields: &RecordedYields) -> Queue {
    let mut queue = Queue::new(budget);
    for (number, has_ended) in &yields.chains {
        let open = unfinished.chains.iter().find(|(open, _)| open == number);
        let cases = yields.cases.get(number).map_or(0, |cases| cases.len() as u64);
        queue.add_known(*number, Done { steps: open.map_or(0, |(_, steps)| *steps), cases }, *has_ended);
    }
    queue
}

/// The solvers that were not asked about a case by a choice of the hunt, not because they lack something.
fn withheld(trail: &Trail<'_>, made: &Made, was_run: &[bool]) -> Vec<usize> {
    let is_withheld = |solver: &usize| {
        let is_chosen = matches!(made.sent[*solver], Ok(_) | Err(Reason::Older(_)));
        !was_run[*solver] && (trail.left_out[*solver] || is_chosen)
    };
    (0..was_run.len()).filter(is_withheld).collect()
}

/// A chain that a worker may begin.
struct NextChain {
    turn: Turn,
    /// The position of the technique.
    technique: usize,
    /// The position of its seed, if its technique takes one after the other.
    seed_in_turn: Option<usize>,
}

impl NextChain {
    /// How many cases are left to do at most.
    fn cases_left(&self) -> usize {
        let length = u64::from(self.turn.length);
        let most = self.turn.most.map_or(length, |most| most.min(length));
        most.saturating_sub(self.turn.done.cases) as usize
    }
}

/// What a worker finds when it wants a chain.
enum Next {
    Chain(NextChain),
    /// It depends on chains that are not done.
    Undecided,
    /// All are taken.
    None,
}

/// The position of the first target that wants formulas as another does.
fn first_alike(targets: &[Target], target: &Target) -> usize {
    let words = target.words();
    targets.iter().position(|other| other.words() == words).expect("the target is one of them")
}

/// Whether a run of a target shows the model that was seen before, so that it need not be evaluated again.
fn is_said_again(seen: &EvaluatedRun, run: &Run, target: &Target) -> bool {
    seen.dialect == target.dialect() && seen.run.answer == run.answer && seen.run.output == run.output
}

/// Of the cases with operators that a solver defines in an older way, it gets one in so many: most of what they show is
/// just that. Seeds as they are it gets all.
const DRIFT_SHARE: u64 = 8;

/// The number that is drawn for a case.
pub(crate) fn sample_key(lineage: &Lineage) -> u64 {
    mix(lineage.random_seed, u64::from(lineage.step))
}

pub(crate) fn solver_error(target: &Target, error: io::Error) -> HuntError {
    HuntError::Solver { solver: target.solver.name.clone(), error }
}

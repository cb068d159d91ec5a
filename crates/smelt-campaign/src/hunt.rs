//! The loop of a hunt: chains of mutants, each run on all targets, judged, confirmed, recorded.
//!
//! The cases of a hunt do not depend on how many workers share them, nor on how often the hunt is stopped and resumed,
//! as far as what solvers say does not.
//! A verdict counts only if fresh processes show it again. In a hunt that is not bounded by its cases, a solver that does
//! not end on a case is spared the rest of the chain, and a chain on which no solver ends is left. A case is recorded when all is said about it; one that was
//! cut short leaves no trace and is run again when the hunt goes on.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use smelt_oracle::case::{Expectation, Lineage};
use smelt_oracle::checked::{Checked, Formula, ModelCheck};
use smelt_oracle::finding::Verdict;
use smelt_oracle::judge::{Judge, Parent};
use smelt_oracle::run::Answer;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_runner::usage::own_cpu;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::term::Terms;
use smelt_store::configuration::{Budget, Sharing};
use smelt_store::error::StoreError;
use smelt_store::recorder::{CaseRecord, ChainEnd, ChainRecord, Recorder, RunRecord, Session, VerdictRecord};
use smelt_store::totals::Totals;
use smelt_store::yields::CaseYield;
use smelt_testgen::chain::Chain;
use smelt_testgen::library::Library;
use smelt_testgen::seed::Seed;
use smelt_testgen::technique::Technique;

use crate::campaign::Campaign;
use crate::drift;
use crate::hearing::{Hearing, checked};
use crate::observe::{Around, Link, Seen, operator_names, run_record};
use crate::options;
use crate::preference::{Preference, can_be_asked, seed_draws};
use crate::record::Findings;
use crate::rounds::{Rounds, TechniqueYield};
use crate::schedule::{ChainPlan, Remaining, Schedule, Share, mix};
use crate::target::{Runner, Target};
use crate::workers::{self, work_together};

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
    /// When the campaign is done. Cases are rounded up to whole chains.
    pub budget: Budget,
    /// Processor time allowed for each run, in seconds.
    pub timeout_secs: f64,
    /// How the techniques share the chains.
    pub sharing: Sharing,
    /// Who is asked where the targets disagree and nothing tells who is right, unless it is one of them.
    pub opinion: Option<Solver>,
}

impl Plan {
    /// What the chains are made of.
    pub fn schedule(&self) -> Schedule<'_> {
        Schedule::new(&self.seeds, &shares(&self.techniques), self.random_seed)
    }

    fn limits(&self) -> Limits {
        Limits::for_seconds(self.timeout_secs)
    }
}

/// What techniques with these weights get of a hunt.
pub fn shares(techniques: &[(Box<dyn Technique>, u32)]) -> Vec<Share> {
    techniques.iter().map(|(technique, weight)| Share::of(technique.as_ref(), *weight)).collect()
}

/// How many cases a chain has at most.
pub const CHAIN_LENGTH: u32 = 10;

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
    remaining: Mutex<Remaining>,
    rounds: Mutex<Rounds>,
    stop: &'p AtomicBool,
    recorder: Recorder,
    findings: Mutex<Findings>,
}

/// Hunts until the campaign is done or `stop` is set; then the processes of solvers are ended at once. `report` is
/// called every now and then with the totals of the campaign. In the end there is also what each technique has found.
///
/// The campaign must have begun with the configuration of this plan.
pub fn run(
    plan: &Plan,
    campaign: Campaign,
    stop: &AtomicBool,
    report: &dyn Fn(&Totals),
) -> Result<(Totals, Findings, Vec<TechniqueYield>), HuntError> {
    let Campaign { folder, mut store, _lock } = campaign;
    let findings = Findings::open(&folder, &mut store)?;
    let totals = store.campaign()?.map(|recorded| recorded.totals).unwrap_or_default();
    let remaining = Remaining::new(store.unfinished()?);
    let rounds = Rounds::resumed(&shares(&plan.techniques), plan.sharing, store.yields()?);
    let elapsed_before = totals.elapsed;
    let session = Session { smelt: env!("CARGO_PKG_VERSION"), jobs: plan.jobs, own_cpu };
    let state = State {
        plan,
        schedule: plan.schedule(),
        limits: plan.limits(),
        started: Instant::now(),
        elapsed_before,
        remaining: Mutex::new(remaining),
        rounds: Mutex::new(rounds),
        stop,
        recorder: Recorder::start(store, totals, session)?,
        findings: Mutex::new(findings),
    };
    let worked =
        work_together(plan.jobs, || state.work(), || report(&state.recorder.totals()), || state.is_stopped());
    let (totals, findings) = workers::finish(worked, state.recorder, state.findings)?;
    if totals.cases == 0 && !totals.unusable_seeds.is_empty() {
        return Err(HuntError::NoSeeds);
    }
    let yields = state.rounds.into_inner().unwrap_or_else(PoisonError::into_inner).totals();
    Ok((totals, findings, yields))
}

impl State<'_> {
    fn work(&self) -> Result<(), HuntError> {
        let mut runners: Vec<Runner<'_>> =
            self.plan.targets.iter().map(|target| Runner::new(target, self.limits)).collect();
        while let Some((chain, steps_done, technique)) = self.take_chain() {
            let result = self.hunt_chain(chain, steps_done, technique, &mut runners);
            if result.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            result?;
        }
        Ok(())
    }

    fn lock_findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the next chain, how many of its cases are done and the position of its technique, unless the
    /// campaign is done.
    fn take_chain(&self) -> Option<(u64, u32, usize)> {
        loop {
            // A hunt over nothing but seeds that cannot be used makes no cases and must end all the same.
            let is_hopeless = self.recorder.totals().unusable_seeds.len() >= self.plan.seeds.len();
            if self.is_over() || is_hopeless {
                return None;
            }
            let mut remaining = self.remaining.lock().unwrap_or_else(PoisonError::into_inner);
            let number = remaining.next();
            let mut rounds = self.lock_rounds();
            if let Some(technique) = rounds.technique(number) {
                let is_planned = self.plan.budget.cases.is_none_or(|most| rounds.cases_before(number) < most);
                let (_, steps_done) = remaining.take();
                return is_planned.then_some((number, steps_done, technique));
            }
            drop((rounds, remaining));
            // Others are still at the chains that decide this one.
            std::thread::sleep(ROUND_PAUSE);
        }
    }

    fn lock_rounds(&self) -> MutexGuard<'_, Rounds> {
        self.rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether everybody has to drop what they do.
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether no more cases are to be begun.
    fn is_over(&self) -> bool {
        let budget = &self.plan.budget;
        let elapsed = self.elapsed_before + self.started.elapsed();
        let is_late = budget.time_secs.is_some_and(|most| elapsed.as_secs_f64() >= most);
        let is_enough = budget.findings.is_some_and(|most| self.lock_findings().len() as u64 >= most);
        is_late || is_enough || self.is_stopped()
    }

    fn hunt_chain(
        &self,
        number: u64,
        steps_done: u32,
        technique: usize,
        runners: &mut [Runner<'_>],
    ) -> Result<(), HuntError> {
        let ChainPlan { random_seed, .. } = self.schedule.chain(number);
        let (technique, _) = &self.plan.techniques[technique];
        let (seed, copy) = self.draw_seed(number);
        self.recorder.begin(ChainRecord {
            number,
            seed: seed as u64,
            technique: technique.name().to_owned(),
            random_seed,
        })?;
        let Some((mut terms, seed)) = copy else {
            return self.end_chain(number, ChainEnd::Unusable);
        };
        let mut chain = Chain::start(&mut terms, &seed, technique.as_ref(), &self.plan.seeds, random_seed);
        let preference = Preference::of_chain(&self.plan.targets, random_seed, &terms, &seed.script);
        let mut spared = options::left_out(&self.plan.targets, random_seed);
        let mut runs_before: Option<Vec<Checked>> = None;
        for step in 1..=CHAIN_LENGTH {
            let is_done = step <= steps_done;
            if !is_done && self.is_over() {
                return Ok(());
            }
            let before = chain.script().clone();
            let next = chain.next_liked(&mut terms, |terms, script| preference.likes(terms, script));
            let Some(case) = next else { break };
            if is_done {
                continue;
            }
            let parent = chain.relation().map(|relation| Parent {
                script: &before,
                relation,
                change: chain.detail(),
                runs: runs_before.as_deref(),
            });
            let link = Link { case: &case, detail: chain.detail(), parent };
            let Some(done) = self.hunt_case(&mut terms, &link, number, runners, &spared)? else {
                return Ok(());
            };
            runs_before = Some(done.runs);
            // Its mutants are most likely no easier.
            if self.plan.budget.cases.is_none() {
                done.endless.into_iter().for_each(|position| spared[position] = true);
                if spared.iter().all(|is_spared| *is_spared) {
                    break;
                }
            }
        }
        self.end_chain(number, ChainEnd::Done)
    }

    /// The seed of a chain and its position, preferably one that all solvers can be asked about; no seed if it cannot be
    /// used.
    fn draw_seed(&self, number: u64) -> (usize, Option<(Terms, Arc<Seed>)>) {
        let ChainPlan { mut seed, random_seed, .. } = self.schedule.chain(number);
        let mut copy = self.plan.seeds.copy(seed);
        for draw in 1..=seed_draws(random_seed) {
            let is_for_all = copy.as_ref().is_some_and(|(terms, seed)| {
                self.plan.targets.iter().all(|target| can_be_asked(terms, &seed.script, target))
            });
            if is_for_all {
                break;
            }
            seed = self.schedule.seed(number, draw);
            copy = self.plan.seeds.copy(seed);
        }
        (seed, copy)
    }

    fn end_chain(&self, number: u64, end: ChainEnd) -> Result<(), HuntError> {
        self.recorder.end(number, end)?;
        self.lock_rounds().end(number);
        Ok(())
    }

    /// Runs, judges and records a case; nothing if it was cut short and is not recorded.
    fn hunt_case(
        &self,
        terms: &mut Terms,
        link: &Link<'_>,
        chain: u64,
        runners: &mut [Runner<'_>],
        spared: &[bool],
    ) -> Result<Option<Done>, HuntError> {
        let case = link.case;
        let reading = read_script_as(terms, &case.script, Dialect::V26);
        let formula = Formula::new(terms, &reading);
        let lot = lot(&case.lineage);
        let mut runs = Vec::with_capacity(runners.len());
        let mut endless = Vec::new();
        for (position, runner) in runners.iter_mut().enumerate() {
            let target = runner.target();
            if spared[position] {
                continue;
            }
            let Some(kinds) = target.takes(terms, &reading.script) else { continue };
            if !lot.is_multiple_of(DRIFT_SHARE) && drift::concerns(terms, &reading.script, target) {
                continue;
            }
            let text = target.text(terms, &reading.script);
            let is_warm = runner.is_warm(kinds);
            let run = runner.run(&text, kinds);
            // Once we are stopped, a run may have been ended by ourselves and says nothing.
            if self.is_stopped() {
                return Ok(None);
            }
            let run = run.map_err(|error| solver_error(target, error))?;
            if matches!(run.answer, Answer::Timeout | Answer::Memout) {
                endless.push(position);
            }
            runs.push(Checked { is_warm, ..checked(terms, &formula, target, run) });
        }
        let behaviours = self.behaviours(terms, &reading, &runs);
        let mut record = CaseRecord {
            chain,
            step: case.lineage.step,
            runs: self.run_records(&runs),
            further_runs: Vec::new(),
            verdicts: Vec::new(),
            unconfirmed: 0,
            has_claim: case.expectation != Expectation::None,
            behaviours: self.lock_rounds().unseen(behaviours),
        };
        let hearing = Hearing {
            case,
            reading: &reading,
            formula: &formula,
            parent: link.parent,
            lot,
            limits: self.limits,
            opinion: self.plan.opinion.as_ref(),
        };
        let concerns = hearing.concerns(terms, &self.plan.judges, &runs);
        if !concerns.is_empty() {
            let outcome = hearing.hear(terms, runners, &runs, concerns);
            if self.is_stopped() {
                return Ok(None);
            }
            let outcome = outcome.map_err(|(solver, error)| HuntError::Solver { solver, error })?;
            record.unconfirmed = outcome.unconfirmed;
            record.further_runs = self.run_records(&outcome.runs);
            record.further_runs.extend(self.run_records(&outcome.extra_runs));
            for (verdict, asked) in outcome.verdicts {
                let finding = self.record(terms, link, &reading, &outcome.runs, verdict.clone(), asked)?;
                record.verdicts.push(VerdictRecord { verdict, finding });
            }
        }
        let found = CaseYield {
            has_claim: record.has_claim,
            behaviours: record.behaviours.clone(),
            findings: record.verdicts.iter().map(|verdict| verdict.finding.clone()).collect(),
        };
        self.recorder.case(record)?;
        self.lock_rounds().add_case(chain, found);
        Ok(Some(Done { endless, runs }))
    }

    /// What solvers did with a case: for each of its operators what all of them said. Options are drawn for a chain
    /// and would make everything look new.
    fn behaviours(&self, terms: &Terms, reading: &Reading, runs: &[Checked]) -> Vec<u64> {
        let said: Vec<String> = self
            .plan
            .targets
            .iter()
            .filter(|target| target.options_of.is_none())
            .map(|target| match runs.iter().find(|checked| checked.run.solver == target.solver.name) {
                Some(checked) => format!("{} {}", checked.run.answer.word(), model_word(checked)),
                None => "nothing".to_owned(),
            })
            .collect();
        let said = said.join(", ");
        operator_names(terms, &reading.script)
            .iter()
            .map(|op| {
                let hash = blake3::hash(format!("{op}: {said}").as_bytes());
                let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
                u64::from_le_bytes(*first)
            })
            .collect()
    }

    fn run_records(&self, runs: &[Checked]) -> Vec<RunRecord> {
        let solver = |checked: &Checked| {
            self.plan.targets.iter().position(|target| target.solver.name == checked.run.solver)
        };
        runs.iter().filter_map(|checked| Some(run_record(solver(checked)?, checked))).collect()
    }

    /// Records a confirmed verdict and says for which finding it counts.
    fn record(
        &self,
        terms: &mut Terms,
        link: &Link<'_>,
        reading: &Reading,
        runs: &[Checked],
        verdict: Verdict,
        asked: Option<String>,
    ) -> Result<String, HuntError> {
        let around = Around {
            targets: &self.plan.targets,
            limits: &self.limits,
            timeout_secs: self.plan.timeout_secs,
        };
        let observation = around.observe(terms, link, Seen { reading, runs, verdict, asked })?;
        Ok(self.lock_findings().add(observation, &self.recorder)?)
    }
}

/// What came of a case.
struct Done {
    /// The positions of the solvers that did not end.
    endless: Vec<usize>,
    runs: Vec<Checked>,
}

/// Of the cases with operators that a solver defines in an older way, it gets one in so many: most of what they show is
/// just that.
const DRIFT_SHARE: u64 = 8;

/// The number that is drawn for a case.
pub(crate) fn lot(lineage: &Lineage) -> u64 {
    mix(lineage.random_seed, u64::from(lineage.step))
}

fn model_word(checked: &Checked) -> &'static str {
    match checked.model {
        ModelCheck::Accepted => "accepted",
        ModelCheck::Refuted(_) => "refuted",
        ModelCheck::Undecided => "undecided",
        ModelCheck::Missing => "missing",
    }
}

pub(crate) fn solver_error(target: &Target, error: io::Error) -> HuntError {
    HuntError::Solver { solver: target.solver.name.clone(), error }
}

//! Open chains: the chains that one worker makes cases of, a batch at a time.
//!
//! In a hunt that is not bounded by its cases, a solver that does not end on a case is spared the rest of the chain, and
//! a chain on which no solver ends is left. A formula that no solver can be asked about is not a case; it is counted
//! apart.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use smelt_oracle::case::{Case, Expectation};
use smelt_oracle::evaluated::EvaluatedRun;
use smelt_oracle::run::{Answer, Limit, Run};
use smelt_runner::script_profile::ScriptProfile;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
use smelt_store::recorder::{CaseRecord, ChainEnd};
use smelt_store::rounds::{ALL_REPEATED, RoundDecision};
use smelt_store::yields::{CaseYield, RunCost};
use smelt_testgen::chain::Chain;
use smelt_trial::omission::Omission;
use smelt_trial::target::Target;
use smelt_trial::trial::{ParentFormula, Trial};
use smelt_trial::worker::{FirstLimit, OlderCases, RunFilter, Stop, Worker};

use super::{Chains, TakenChain};
use crate::allowance::limit_in_chain;
use crate::driver::{Proposer, Room};
use crate::finding::run_records;
use crate::hunt::{HuntError, sample_key};
use crate::options;
use crate::preference::Preference;
use crate::queue::Done;
use crate::schedule::mix;
use crate::shapes::{outcomes, shapes};

/// The most cases of one chain in a batch: those of a chain that is then left are made in vain.
const MAX_CASES_PER_CHAIN: usize = 40;

/// A chain ends after this many undecided cases in a row: its mutants are most likely no easier.
const MAX_UNDECIDED: u32 = 10;

/// A solver is spared the rest of a chain after this many runs in a row that a small limit ended; after one that the full
/// limit ended.
const MAX_CUT: u32 = 2;

/// It is too after this many runs in a row that it refused.
const MAX_REFUSED: u32 = 3;

/// What draws whether a run is repeated from the sample key of its case, apart from what else draws.
const REPEAT_DRAW: u64 = u64::MAX - 3;

/// A chain that cases are made of.
struct OpenChain<'t> {
    number: u64,
    terms: &'t mut Terms,
    chain: Chain<'t>,
    /// The position of its technique.
    technique: usize,
    /// After how many of its cases the budget ends.
    most: Option<u64>,
    /// How many cases were made of it, those of an earlier hunt included.
    cases: u64,
    preference: Preference<'t>,
    /// Whether every solver gets all cases that it can take.
    older: OlderCases,
    /// How many of its steps were done before.
    steps_done: u32,
    /// For each target whether it is not run on the rest of the chain.
    spared: Vec<bool>,
    /// For each target how it fares.
    record: Vec<TargetRecord>,
    /// What was decided for its round.
    decision: &'t RoundDecision,
    /// For each target whether it has options other than those that were drawn for the chain.
    left_out: Vec<bool>,
    /// The runs of the case before.
    runs_before: Option<Vec<EvaluatedRun>>,
    /// How many of its last cases no solver has decided.
    undecided: u32,
    /// Whether no more cases are made of it.
    is_complete: bool,
    /// Whether cases that were made of it are not looked at any more.
    is_left: bool,
}

/// How a target fares on a chain.
#[derive(Debug, Clone, Copy, Default)]
struct TargetRecord {
    /// The most processor time of a run that no limit ended.
    need: Option<Duration>,
    /// How many of its last runs a limit ended.
    cut: u32,
    /// How many of its last runs it refused.
    refused: u32,
}

impl TargetRecord {
    fn note(&mut self, run: &Run) {
        let is_cut = matches!(run.answer, Answer::Timeout | Answer::Memout) && !run.is_cut_by_the_clock();
        let is_refused = matches!(run.answer, Answer::Rejected | Answer::Error);
        self.cut = if is_cut { self.cut + 1 } else { 0 };
        self.refused = if is_refused { self.refused + 1 } else { 0 };
        if run.answer.is_decided() || run.answer == Answer::Unknown {
            self.need = self.need.max(Some(cpu_of(run)));
        }
    }
}

impl<'t> OpenChain<'t> {
    fn start(chains: &'t Chains<'_>, taken: &'t mut TakenChain<'_>) -> Self {
        let plan = chains.plan;
        let TakenChain { turn, technique: position, random_seed, decision, askable, terms, seed } = taken;
        let technique = plan.techniques[*position].0.as_ref();
        let chain = Chain::start(terms, seed, technique, &plan.seeds, *random_seed);
        let left_out = options::left_out(&plan.targets, *random_seed);
        OpenChain {
            number: turn.number,
            chain: chain.with_length(turn.length),
            technique: *position,
            most: turn.most,
            cases: turn.done.cases,
            older: if technique.takes_every_seed() { OlderCases::All } else { OlderCases::Sample },
            preference: Preference::of_chain(&plan.targets, *random_seed, askable),
            terms,
            steps_done: turn.done.steps,
            spared: left_out.clone(),
            record: vec![TargetRecord::default(); left_out.len()],
            decision,
            left_out,
            runs_before: None,
            undecided: 0,
            is_complete: false,
            is_left: false,
        }
    }

    /// Makes the next case that is not done; none if there are no more. The last one that is done is made too: judges
    /// compare the next one with it.
    fn make(&mut self) -> Option<Trial> {
        while !self.is_complete {
            if self.is_cut() {
                return None;
            }
            let before = self.chain.script().clone();
            let preference = &self.preference;
            let mut profile = None;
            let next = self.chain.next_liked(self.terms, |terms, script| {
                let profile = profile.insert(ScriptProfile::of(terms, script));
                preference.likes(terms, script, profile)
            });
            let (Some(case), Some(profile)) = (next, profile) else { break };
            if case.lineage.step >= self.steps_done {
                return Some(self.trial(case, before, profile));
            }
        }
        self.is_complete = true;
        None
    }

    /// The trial of a case, which has these profile and was made from `before`.
    fn trial(&mut self, case: Case, before: Script, profile: ScriptProfile) -> Trial {
        let reading = self.chain.take_reading().expect("a case has been read back");
        let key = sample_key(&case.lineage);
        let mut trial = Trial::new(self.terms, case, reading, profile);
        trial.sample_key = key;
        trial.detail = self.chain.detail().to_owned();
        let relation = self.chain.relation();
        trial.parent = relation.map(|relation| ParentFormula { script: before, relation, runs: None });
        trial
    }

    /// Whether the budget has ended it.
    fn is_cut(&self) -> bool {
        !self.is_complete && self.most.is_some_and(|most| self.cases >= most)
    }

    /// Whether a trial of it was recorded before.
    fn is_done(&self, trial: &Trial) -> bool {
        trial.case.lineage.step == self.steps_done
    }

    /// Notes what runs needed that were repeated with more time.
    fn note_repeated(&mut self, trial: &Trial) {
        for (record, run) in self.record.iter_mut().zip(&trial.runs) {
            if let Some(run) = run.as_ref().filter(|run| run.answer.is_decided()) {
                record.need = record.need.max(Some(cpu_of(run)));
            }
        }
    }

    /// Notes whether some solver has decided a case. A chain whose cases are not decided any more is left.
    fn note_decided(&mut self, is_decided: bool) {
        self.undecided = if is_decided { 0 } else { self.undecided + 1 };
        if self.undecided >= MAX_UNDECIDED {
            self.is_complete = true;
            self.is_left = true;
        }
    }

    /// Notes a run of a target, which is perhaps spared the rest. A chain that half of its solvers are spared is left:
    /// what is left of it compares little.
    fn note_run(&mut self, target: usize, run: &Run) {
        let record = &mut self.record[target];
        record.note(run);
        let most_cut = if self.decision.limits.is_empty() { 1 } else { MAX_CUT };
        if record.cut >= most_cut || record.refused >= MAX_REFUSED {
            self.spared[target] = true;
        }
        let is_cut = |target: &usize| self.record[*target].cut >= most_cut;
        let asked: Vec<usize> = (0..self.spared.len()).filter(|target| !self.left_out[*target]).collect();
        let cut = asked.iter().copied().filter(|target| is_cut(target)).count();
        self.is_complete |= !self.spared.contains(&false) || 2 * cut >= asked.len();
    }

    /// Whether some solver is asked about a case of it, unless it is spared.
    fn is_sent(&self, trial: &Trial) -> bool {
        trial.sent.iter().zip(&self.left_out).any(|(sent, is_left_out)| sent.is_ok() && !is_left_out)
    }

    /// The solvers that were not asked about a case by a choice of the hunt, not because they lack something.
    fn withheld(&self, trial: &Trial) -> Vec<usize> {
        let is_withheld = |solver: &usize| {
            let is_chosen = matches!(trial.sent[*solver], Ok(_) | Err(Omission::Older(_)));
            trial.runs[*solver].is_none() && (self.left_out[*solver] || is_chosen)
        };
        (0..trial.runs.len()).filter(is_withheld).collect()
    }
}

/// The chains that a worker works on.
pub(crate) struct OpenChains<'t> {
    shared: &'t Chains<'t>,
    chains: Vec<OpenChain<'t>>,
}

impl<'t> OpenChains<'t> {
    /// Opens chains that were taken.
    pub(crate) fn start(shared: &'t Chains<'t>, taken: &'t mut [TakenChain<'_>]) -> Self {
        let chains = taken.iter_mut().map(|taken| OpenChain::start(shared, taken)).collect();
        OpenChains { shared, chains }
    }

    /// Ends the chains. One that the budget has cut is not at its end, and is continued if there is more of it.
    pub(crate) fn end(&self) -> Result<(), HuntError> {
        for chain in &self.chains {
            match chain.is_cut() {
                true => {
                    let done = Done { steps: chain.chain.step(), cases: chain.cases };
                    self.shared.lock_queue().give_back(chain.number, done);
                }
                false => self.shared.end(chain.number, ChainEnd::Done, chain.cases)?,
            }
        }
        Ok(())
    }

    /// Counts the cases that did not read back.
    pub(crate) fn count_dropped(&self) {
        let mut omissions = self.shared.lock_omissions();
        for chain in &self.chains {
            let technique = self.shared.plan.techniques[chain.technique].0.name();
            omissions.count_dropped(technique, chain.chain.dropped());
        }
    }

    fn has_no_case_limit(&self) -> bool {
        self.shared.plan.budget.cases.is_none()
    }
}

impl RunFilter for OpenChains<'_> {
    fn is_wanted(&self, trial: &Trial, target: usize) -> bool {
        let chain = &self.chains[trial.origin];
        !chain.spared[target] && !chain.is_left
    }

    fn note_run(&mut self, trial: &Trial, target: usize, run: &Run) {
        // The mutants of what does not end are most likely no easier.
        if self.has_no_case_limit() {
            self.chains[trial.origin].note_run(target, run);
        }
    }

    fn first_limit(&self, trial: &Trial, target: usize) -> FirstLimit {
        let chain = &self.chains[trial.origin];
        let Some(limit) = chain.decision.limits.get(target) else { return FirstLimit::FULL };
        let drawn = mix(trial.sample_key, REPEAT_DRAW) % u64::from(ALL_REPEATED);
        FirstLimit {
            cpu: limit_in_chain(*limit, chain.record[target].need),
            is_repeated: drawn < u64::from(limit.repeated),
        }
    }
}

impl Proposer for OpenChains<'_> {
    fn next(&mut self, worker: &Worker<'_>, room: Room) -> Result<Vec<Trial>, HuntError> {
        let mut trials = Vec::new();
        let mut bytes = 0;
        for (origin, chain) in self.chains.iter_mut().enumerate() {
            let most = (trials.len() + MAX_CASES_PER_CHAIN).min(room.cases);
            while trials.len() < most && bytes < room.bytes {
                let Some(mut trial) = chain.make() else { break };
                trial.origin = origin;
                worker.address(chain.terms, &mut trial, chain.older);
                chain.cases += u64::from(!chain.is_done(&trial) && chain.is_sent(&trial));
                bytes += trial.case.script.len();
                trials.push(trial);
            }
        }
        Ok(trials)
    }

    fn run(
        &mut self,
        worker: &mut Worker<'_>,
        trials: &mut [Trial],
        stop: &AtomicBool,
    ) -> Result<ControlFlow<Stop, usize>, HuntError> {
        Ok(worker.run(trials, self, stop)?)
    }

    fn begin_record(
        &mut self,
        worker: &Worker<'_>,
        trial: &mut Trial,
    ) -> Result<ControlFlow<Stop, Option<CaseRecord>>, HuntError> {
        let chain = &mut self.chains[trial.origin];
        let is_done = chain.is_done(trial);
        chain.note_repeated(trial);
        if !chain.is_left && !chain.is_sent(trial) {
            chain.runs_before = Some(Vec::new());
            if !is_done {
                self.shared.record_not_sent(chain.number, trial, &chain.left_out)?;
            }
            return Ok(ControlFlow::Continue(None));
        }
        // A formula that no solver was asked about because all are spared is not a case, nor is one after the end of its
        // chain.
        let is_run = trial.runs.iter().any(Option::is_some);
        if chain.is_left || !chain.spared.contains(&false) && !is_run {
            return Ok(ControlFlow::Continue(None));
        }
        trial.evaluate(chain.terms, worker.targets());
        if is_done {
            chain.runs_before = Some(std::mem::take(&mut trial.evaluated));
            return Ok(ControlFlow::Continue(None));
        }
        if let Some(parent) = &mut trial.parent {
            parent.runs = chain.runs_before.take();
        }
        let shapes = shapes(chain.terms, &trial.profile);
        let allocation = self.shared.lock_allocation();
        let outcomes = match allocation.counts_costs() {
            true => allocation.unseen_outcomes(outcomes(&shapes, worker.targets(), &trial.evaluated)),
            false => Vec::new(),
        };
        Ok(ControlFlow::Continue(Some(CaseRecord {
            chain: chain.number,
            step: trial.case.lineage.step,
            runs: run_records(worker.targets(), &trial.evaluated),
            repeated: trial.repeated,
            withheld: chain.withheld(trial),
            found: CaseYield {
                has_claim: trial.case.expectation != Expectation::None,
                shapes: allocation.unseen(shapes),
                outcomes,
                costs: costs(worker.targets(), &trial.evaluated),
                ..CaseYield::default()
            },
            ..CaseRecord::default()
        })))
    }

    fn terms(&mut self, trial: &Trial) -> &mut Terms {
        self.chains[trial.origin].terms
    }

    fn learn(&mut self, mut trial: Trial, mut record: CaseRecord) -> Result<(), HuntError> {
        let has_no_case_limit = self.has_no_case_limit();
        let chain = &mut self.chains[trial.origin];
        record.found.findings = record.verdicts.iter().map(|verdict| verdict.alike).collect();
        record.found.cpu = record.runs.iter().chain(&record.further_runs).map(|run| run.cpu).sum();
        let found = record.found.clone();
        self.shared.ledger.recorder.case(record)?;
        self.shared.lock_allocation().add_case(chain.number, found);
        if has_no_case_limit {
            chain.note_decided(trial.evaluated.iter().any(|run| run.run.answer.is_decided()));
        }
        self.shared.count_omissions(&trial, &chain.left_out);
        chain.runs_before = Some(std::mem::take(&mut trial.evaluated));
        Ok(())
    }
}

fn cpu_of(run: &Run) -> Duration {
    Duration::try_from_secs_f64(run.cpu_ms / 1e3).unwrap_or_default()
}

/// What the runs of a case cost.
fn costs(targets: &[Target], runs: &[EvaluatedRun]) -> Vec<RunCost> {
    let cost = |checked: &EvaluatedRun| {
        let solver = targets.iter().position(|target| target.solver.name == checked.run.solver)?;
        let is_cut = checked.run.limit == Some(Limit::Cpu);
        let is_decided = checked.run.answer.is_decided();
        Some(RunCost { solver, cpu: cpu_of(&checked.run), is_decided, is_cut })
    };
    runs.iter().filter_map(cost).collect()
}

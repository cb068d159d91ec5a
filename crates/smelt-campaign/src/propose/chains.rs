//! Chains of cases: which are begun by which worker, and what each of them came to.
//!
//! The cases of a hunt do not depend on how many workers share them, on how often the hunt is stopped and resumed, nor on
//! how fast the machine is.

mod open;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use smelt_smtlib::term::Terms;
use smelt_store::recorder::{CaseRecord, ChainEnd, ChainRecord};
use smelt_store::rounds::{MAX_ENERGY, RoundDecision};
use smelt_store::yields::RecordedYields;
use smelt_testgen::seed::Seed;
use smelt_trial::omission::Omission;
use smelt_trial::trial::Trial;

use crate::allocation::{Allocation, TechniqueYield};
use crate::driver::Room;
use crate::energy::Energy;
use crate::hunt::{HuntError, Plan};
use crate::ledger::Ledger;
use crate::omissions::Omissions;
use crate::preference::{seed_draws, who_can_be_asked};
use crate::queue::{Next as Turns, Queue, Turn};
use crate::schedule::{Schedule, mix};
pub(crate) use open::OpenChains;

/// How long a worker waits for others that are still at the chains that decide its next one.
const ROUND_PAUSE: Duration = Duration::from_millis(5);

/// What draws whether a seed has the energy from the random numbers of a chain, apart from what else draws.
const ENERGY_DRAW: u64 = u64::MAX - 2000;

/// The allocation of a hunt of which nothing is done yet. Where a number of cases is to be the same every time, costs do
/// not count.
fn allocation_of(plan: &Plan) -> Allocation {
    let allocation = Allocation::new(&plan.shares(), plan.sharing, plan.random_seed);
    match plan.budget.cases {
        Some(_) => allocation,
        None => allocation.with_energy(Energy::new(plan.targets.len(), plan.first_limit())),
    }
}

/// The chains of a hunt, shared by its workers.
pub(crate) struct Chains<'p> {
    plan: &'p Plan,
    ledger: &'p Ledger<'p>,
    schedule: Schedule<'p>,
    queue: Mutex<Queue>,
    allocation: Mutex<Allocation>,
    omissions: Mutex<Omissions>,
    /// For each seed which targets can be asked about it, found when it is first drawn; none if it cannot be used.
    askable: Vec<OnceLock<Option<Vec<bool>>>>,
}

/// A chain that a worker has taken, with terms that no other chain has.
pub(crate) struct TakenChain<'t> {
    turn: Turn,
    /// The position of its technique.
    technique: usize,
    random_seed: u64,
    /// What was decided for its round.
    decision: Arc<RoundDecision>,
    /// For each target whether it can be asked about the seed.
    askable: &'t [bool],
    terms: Terms,
    seed: Arc<Seed>,
}

/// A chain that a worker may begin.
#[derive(Clone)]
struct NextChain {
    turn: Turn,
    /// The position of the technique.
    technique: usize,
    /// The position of its seed, if its technique takes one after the other.
    seed_in_turn: Option<usize>,
    /// What was decided for its round.
    decision: Arc<RoundDecision>,
}

impl NextChain {
    /// The most cases that are left to do.
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

impl<'p> Chains<'p> {
    /// The chains of a hunt that has these to do, where techniques have found this before.
    pub(crate) fn new(plan: &'p Plan, ledger: &'p Ledger<'p>, queue: Queue, yields: RecordedYields) -> Self {
        Chains {
            plan,
            ledger,
            schedule: plan.schedule(),
            queue: Mutex::new(queue),
            allocation: Mutex::new(allocation_of(plan).resumed(yields)),
            omissions: Mutex::default(),
            askable: (0..plan.seeds.len()).map(|_| OnceLock::new()).collect(),
        }
    }

    /// What each technique has found, and what solvers were not asked.
    pub(crate) fn finish(self) -> (Vec<TechniqueYield>, Omissions) {
        let yields = self.allocation.into_inner().unwrap_or_else(PoisonError::into_inner).totals();
        (yields, self.omissions.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Chains for a batch; none if the campaign is done.
    pub(crate) fn take(&self) -> Result<Vec<TakenChain<'_>>, HuntError> {
        let mut chains = Vec::new();
        let mut cases = 0;
        while cases < self.batch_cases() {
            // A hunt over nothing but seeds that cannot be used makes no cases and must end all the same.
            let is_hopeless = self.ledger.recorder.unusable_seeds() >= self.plan.seeds.len();
            if self.ledger.may_begin().is_break() || is_hopeless {
                break;
            }
            match self.next_chain()? {
                Next::Chain(next) => {
                    cases += next.cases_left();
                    chains.extend(self.begin(next)?);
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
        share.map_or(Room::BATCH.cases, |share| share.clamp(1, Room::BATCH.cases))
    }

    /// Takes the next chain, if it is decided and part of the campaign.
    fn next_chain(&self) -> Result<Next, HuntError> {
        let mut allocation = self.lock_allocation();
        let length =
            |number| allocation.technique(number).map(|technique| allocation.length(number, technique));
        let turn = self.lock_queue().take(length);
        for (round, decision) in allocation.take_unrecorded() {
            self.ledger.recorder.round(round, &decision)?;
        }
        let turn = match turn {
            Turns::Turn(turn) => turn,
            Turns::Undecided => return Ok(Next::Undecided),
            Turns::Nothing => return Ok(Next::None),
        };
        let technique = allocation.technique(turn.number).expect("its length was known");
        let in_turn = self.plan.techniques[technique].0.takes_every_seed();
        let seed_in_turn = in_turn.then(|| self.schedule.seed_in_turn(allocation.turns_before(turn.number)));
        let decision = allocation.decision(turn.number);
        Ok(Next::Chain(NextChain { turn, technique, seed_in_turn, decision }))
    }

    /// Records that a chain begins, and reads its seed; none if that cannot be used.
    fn begin(&self, next: NextChain) -> Result<Option<TakenChain<'_>>, HuntError> {
        let NextChain { turn, technique, seed_in_turn, decision } = next;
        let number = turn.number;
        let random_seed = self.schedule.random_seed(number);
        let position = seed_in_turn.unwrap_or_else(|| self.draw_seed(number, &decision));
        self.lock_allocation().begin(number, position as u64);
        self.ledger.recorder.begin(ChainRecord {
            number,
            seed: position as u64,
            technique: self.plan.techniques[technique].0.name().to_owned(),
            random_seed,
        })?;
        let (Some(askable), Some((terms, seed))) = (self.askable(position), self.plan.seeds.copy(position))
        else {
            self.end(number, ChainEnd::Unusable, 0)?;
            return Ok(None);
        };
        Ok(Some(TakenChain { turn, technique, random_seed, decision, askable, terms, seed }))
    }

    /// Ends a chain that has this many cases.
    fn end(&self, number: u64, end: ChainEnd, cases: u64) -> Result<(), HuntError> {
        self.ledger.recorder.end(number, end)?;
        self.lock_allocation().end(number);
        self.lock_queue().end(number, cases);
        Ok(())
    }

    /// The position of the seed of a chain, preferably one that all solvers can be asked about, and more often one that
    /// has the energy.
    fn draw_seed(&self, number: u64, decision: &RoundDecision) -> usize {
        let random_seed = self.schedule.random_seed(number);
        let preferred = seed_draws(random_seed);
        let is_for_all = |seed| self.askable(seed).is_some_and(|askable| !askable.contains(&false));
        let has_energy = |seed: usize, draw: u32| {
            let drawn = mix(random_seed, ENERGY_DRAW - u64::from(draw)) % u64::from(MAX_ENERGY);
            drawn < u64::from(decision.energy(seed as u64))
        };
        let is_taken = |(draw, seed): &(u32, usize)| {
            (*draw >= preferred || is_for_all(*seed)) && has_energy(*seed, *draw)
        };
        let last = preferred + MAX_ENERGY;
        let draws = (0..last).map(|draw| (draw, self.schedule.seed(number, draw)));
        let taken = draws.into_iter().find(is_taken).map(|(_, seed)| seed);
        taken.unwrap_or_else(|| self.schedule.seed(number, last))
    }

    /// For each target whether it can be asked about a seed; none if the seed cannot be used.
    fn askable(&self, seed: usize) -> Option<&[bool]> {
        let find = || {
            let (terms, seed) = self.plan.seeds.copy(seed)?;
            Some(who_can_be_asked(&terms, &seed.script, &self.plan.targets))
        };
        self.askable[seed].get_or_init(find).as_deref()
    }

    fn lock_allocation(&self) -> MutexGuard<'_, Allocation> {
        self.allocation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_omissions(&self) -> MutexGuard<'_, Omissions> {
        self.omissions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts for each solver that was not asked about a case why it was not. `left_out` are those whose options are not
    /// the chain's.
    fn count_omissions(&self, trial: &Trial, left_out: &[bool]) {
        let mut omissions = self.lock_omissions();
        let not_run =
            self.plan.targets.iter().enumerate().filter(|(solver, _)| trial.runs[*solver].is_none());
        for (solver, target) in not_run {
            let reason = match &trial.sent[solver] {
                _ if left_out[solver] => Omission::OtherOptions,
                Err(reason) => reason.clone(),
                Ok(_) => Omission::Spared,
            };
            omissions.count(&target.solver.name, reason);
        }
    }

    /// Records that no solver can be asked about a formula, which is then not a case.
    fn record_not_sent(&self, chain: u64, trial: &Trial, left_out: &[bool]) -> Result<(), HuntError> {
        let asked = trial.sent.iter().zip(left_out).filter(|(_, is_left_out)| !**is_left_out);
        let reasons: Vec<String> = asked.filter_map(|(sent, _)| Some(sent.as_ref().err()?.brief())).collect();
        let not_sent = Some(reasons.into_iter().min().unwrap_or_default());
        let step = trial.case.lineage.step;
        self.ledger.recorder.case(CaseRecord { chain, step, not_sent, ..CaseRecord::default() })?;
        Ok(())
    }
}

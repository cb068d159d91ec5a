//! Allocation of chains to techniques: how techniques share a campaign by their yield, and what each has found.
//!
//! A round is a fixed number of chains. Which technique each chain of round r has is decided by the yield of rounds up
//! to r - 2, which must be complete: so a worker that is ahead need not wait for the round before, and the decision
//! depends neither on the number of workers nor on how a campaign is cut into hunts. Yield is counted in the order of
//! chains, never in the order of time: a shape or a finding is new if no earlier chain has it.
//!
//! Where the number of cases is given, turns are shared by shapes alone, which follow from the formulas: what solvers say
//! depends on how fast the machine is, and decides nothing. Where time is given, what solvers do with shapes counts too, and
//! what it costs: [`crate::energy`]. What is decided for a round is recorded before its first chain, and followed when the
//! campaign is resumed.
//!
//! Why it is so, and what it does not promise: `docs/design/schedule.md`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;
use smelt_store::configuration::Sharing;
use smelt_store::rounds::RoundDecision;
use smelt_store::yields::{CaseYield, RecordedYields};

use crate::energy::Energy;
use crate::schedule::{Share, mix, turns};

/// In a round every technique has so many turns on average,
const TURNS_ON_AVERAGE: u32 = 8;
/// of which it has so many whatever it finds.
const MIN_TURNS: u32 = 2;
/// Where costs count, rounds are half as long: there is more to learn from them.
const SHORTER: u32 = 2;
/// Only so many rounds before count: what a technique finds at first it finds once.
const ROUNDS_THAT_COUNT: usize = 6;
/// Cases without yield that every technique is thought to have had: few cases tell little.
const DOUBT_CASES: u64 = 20;
/// Parts that a yield per case is counted in.
const SCALE: u64 = 1 << 20;

/// What a technique has found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TechniqueYield {
    /// Its cases.
    pub cases: u64,
    /// Those of them of which something was claimed.
    pub claims: u64,
    /// Shapes of formulas that no case before had.
    pub shapes: u64,
    /// Findings that no case before had shown; those that are most likely one bug count once.
    pub findings: u64,
    /// What solvers did with a shape and nobody had seen before, where that counts.
    pub outcomes: u64,
    /// The processor time of the cases.
    pub cpu: Duration,
}

impl TechniqueYield {
    fn add(&mut self, other: &TechniqueYield) {
        self.cases += other.cases;
        self.claims += other.claims;
        self.shapes += other.shapes;
        self.findings += other.findings;
        self.outcomes += other.outcomes;
        self.cpu += other.cpu;
    }

    /// What it has shown that was new.
    fn shown(&self) -> u64 {
        self.shapes + self.outcomes
    }

    /// How much new a second shows on average, in parts, where a case takes so long on average.
    fn per_second(&self, case: Duration) -> u64 {
        let micros = (self.cpu + case * DOUBT_CASES as u32).as_micros().max(1);
        (u128::from(self.shown() + 1) * u128::from(SCALE) * 1_000_000 / micros) as u64
    }

    /// How many new shapes a case of it has on average, in parts.
    fn per_case(&self) -> u64 {
        (self.shapes + 1) * SCALE / (self.cases + DOUBT_CASES)
    }
}

/// The rounds of a campaign.
#[derive(Debug, Clone)]
pub(crate) struct Allocation {
    shares: Vec<Share>,
    sharing: Sharing,
    /// How many chains a round has.
    chains: u64,
    /// What was decided for each round that was opened,
    decisions: Vec<Arc<RoundDecision>>,
    /// and how many of these are recorded.
    recorded: usize,
    /// For each of these rounds the technique of each of its chains.
    turns: Vec<Vec<usize>>,
    /// For each of these rounds how many turns each technique had before it.
    turns_before: Vec<Vec<u64>>,
    /// Where the chance of the campaign starts.
    random_seed: u64,
    /// Rounds that are not complete, the first of them first.
    open: VecDeque<OpenRound>,
    /// What each technique found in the complete rounds, the newest last.
    complete: Vec<Vec<TechniqueYield>>,
    seen: Seen,
    /// What rounds have cost, where that counts.
    energy: Option<Energy>,
}

/// A round that is not complete.
#[derive(Debug, Clone, Default)]
struct OpenRound {
    /// How many of its chains have ended.
    ended: u64,
    /// What the cases of each chain found.
    cases: BTreeMap<u64, Vec<CaseYield>>,
    /// The seed of each chain.
    seeds: BTreeMap<u64, u64>,
}

/// What the chains of complete rounds have found.
#[derive(Debug, Clone, Default)]
struct Seen {
    shapes: FxHashSet<u64>,
    findings: FxHashSet<u64>,
    outcomes: FxHashSet<u64>,
}

impl Seen {
    /// Counts what a case found and nobody before it.
    fn count(&mut self, case: &CaseYield) -> TechniqueYield {
        let shapes = case.shapes.iter().filter(|shape| self.shapes.insert(**shape));
        let findings = case.findings.iter().filter(|finding| self.findings.insert(**finding));
        let outcomes = case.outcomes.iter().filter(|outcome| self.outcomes.insert(**outcome));
        TechniqueYield {
            cases: 1,
            claims: u64::from(case.has_claim),
            shapes: shapes.count() as u64,
            findings: findings.count() as u64,
            outcomes: outcomes.count() as u64,
            cpu: case.cpu,
        }
    }
}

impl Allocation {
    /// The rounds of a campaign of which nothing is done yet.
    pub(crate) fn new(shares: &[Share], sharing: Sharing, random_seed: u64) -> Self {
        let chains = round_length(shares, sharing);
        assert!(chains > 0, "a campaign has techniques");
        Allocation {
            shares: shares.to_vec(),
            sharing,
            chains,
            decisions: Vec::new(),
            recorded: 0,
            turns: Vec::new(),
            turns_before: vec![vec![0; shares.len()]],
            random_seed,
            open: VecDeque::new(),
            complete: Vec::new(),
            seen: Seen::default(),
            energy: None,
        }
    }

    /// The same where costs count.
    pub(crate) fn with_energy(mut self, energy: Energy) -> Self {
        if self.sharing == Sharing::Yield {
            self.chains /= u64::from(SHORTER);
        }
        self.energy = Some(energy);
        self
    }

    /// The rounds of a campaign that goes on: what was decided stays.
    pub(crate) fn resumed(mut self, recorded: RecordedYields) -> Self {
        let usual = round_length(&self.shares, self.sharing);
        let length = |decision: &RoundDecision| decision.turns.iter().map(|turns| u64::from(*turns)).sum();
        match recorded.rounds.first().map(length) {
            // The campaign may have begun with another kind of budget.
            Some(first) if [usual, usual / u64::from(SHORTER)].contains(&first) => self.chains = first,
            // Earlier releases recorded no decisions, and made them by shapes alone.
            None if !recorded.chains.is_empty() => {
                let (shares, sharing, random_seed) = (self.shares, self.sharing, self.random_seed);
                self = Allocation::new(&shares, sharing, random_seed);
            }
            _ => {}
        }
        let (techniques, chains) = (self.shares.len(), self.chains);
        // What no hunt has written cannot be followed.
        let is_sound =
            |decision: &RoundDecision| decision.turns.len() == techniques && length(decision) == chains;
        recorded.rounds.into_iter().take_while(is_sound).for_each(|decision| self.open_next(decision));
        self.recorded = self.decisions.len();
        let mut cases = recorded.cases;
        for chain in recorded.chains {
            if self.technique(chain.number).is_none() {
                // Nothing of the kind is recorded by a hunt: it would have waited.
                break;
            }
            self.begin(chain.number, chain.seed);
            for case in cases.remove(&chain.number).unwrap_or_default() {
                self.add_case(chain.number, case);
            }
            if chain.has_ended {
                self.end(chain.number);
            }
        }
        self
    }

    /// The position of the technique of a chain; none as long as the rounds that decide it are not complete.
    pub(crate) fn technique(&mut self, number: u64) -> Option<usize> {
        let round = (number / self.chains) as usize;
        while self.turns.len() <= round {
            let next = self.turns.len();
            if self.complete.len() + 1 < next {
                return None;
            }
            let mut decision = RoundDecision { turns: self.weights(next), ..RoundDecision::default() };
            if let Some(energy) = &self.energy {
                energy.decide(&mut decision);
            }
            self.open_next(decision);
        }
        Some(self.turns[round][(number % self.chains) as usize])
    }

    /// Opens the next round.
    fn open_next(&mut self, decision: RoundDecision) {
        let turns = turns(&decision.turns);
        let mut turns_before = self.turns_before.last().cloned().unwrap_or_default();
        turns.iter().for_each(|technique| turns_before[*technique] += 1);
        self.turns_before.push(turns_before);
        self.turns.push(turns);
        self.decisions.push(Arc::new(decision));
        self.open.push_back(OpenRound::default());
    }

    /// What was decided for the round of a chain whose technique is known.
    pub(crate) fn decision(&self, number: u64) -> Arc<RoundDecision> {
        Arc::clone(&self.decisions[(number / self.chains) as usize])
    }

    /// What was decided for rounds, by their numbers, and is to be recorded now.
    pub(crate) fn take_unrecorded(&mut self) -> Vec<(u64, Arc<RoundDecision>)> {
        let first = std::mem::replace(&mut self.recorded, self.decisions.len());
        (first..self.recorded).map(|round| (round as u64, Arc::clone(&self.decisions[round]))).collect()
    }

    /// Notes the seed of a chain.
    pub(crate) fn begin(&mut self, number: u64, seed: u64) {
        if let Some(round) = self.open_round(number) {
            round.seeds.insert(number, seed);
        }
    }

    /// Whether it counts what solvers do with shapes, and what that costs.
    pub(crate) fn counts_costs(&self) -> bool {
        self.energy.is_some()
    }

    /// How many cases the chain with this number has at most if it is of a technique.
    pub(crate) fn length(&self, number: u64, technique: usize) -> u32 {
        self.shares[technique].lengths.of_chain(number, mix(self.random_seed, number))
    }

    /// How many chains before this one have its technique, which must be known.
    pub(crate) fn turns_before(&self, number: u64) -> u64 {
        let (round, turn) = ((number / self.chains) as usize, (number % self.chains) as usize);
        let technique = self.turns[round][turn];
        let here = self.turns[round][..turn].iter().filter(|other| **other == technique).count();
        self.turns_before[round][technique] + here as u64
    }

    /// Of the shapes of a case those that no complete round has. What a complete round has is old for every chain that is
    /// still running.
    pub(crate) fn unseen(&self, mut shapes: Vec<u64>) -> Vec<u64> {
        shapes.retain(|shape| !self.seen.shapes.contains(shape));
        shapes
    }

    /// The same of what solvers did with them.
    pub(crate) fn unseen_outcomes(&self, mut outcomes: Vec<u64>) -> Vec<u64> {
        outcomes.retain(|outcome| !self.seen.outcomes.contains(outcome));
        outcomes
    }

    /// Adds what a case of a chain found.
    pub(crate) fn add_case(&mut self, number: u64, case: CaseYield) {
        if let Some(round) = self.open_round(number) {
            round.cases.entry(number).or_default().push(case);
        }
    }

    /// Ends a chain, and with it perhaps its round.
    pub(crate) fn end(&mut self, number: u64) {
        if let Some(round) = self.open_round(number) {
            round.ended += 1;
        }
        while self.open.front().is_some_and(|round| round.ended == self.chains) {
            let Some(round) = self.open.pop_front() else { return };
            let mut seen = std::mem::take(&mut self.seen);
            let mut energy = self.energy.take();
            let found = self.found_in(self.complete.len(), &round, &mut seen, &mut |chain, case, found| {
                if let (Some(energy), Some(seed)) = (&mut energy, round.seeds.get(&chain)) {
                    energy.note(*seed, found.shown(), case);
                }
            });
            if let Some(energy) = &mut energy {
                energy.end_round();
            }
            self.energy = energy;
            self.seen = seen;
            self.complete.push(found);
        }
    }

    /// What each technique has found so far.
    pub(crate) fn totals(&self) -> Vec<TechniqueYield> {
        let mut totals = vec![TechniqueYield::default(); self.shares.len()];
        let mut seen = self.seen.clone();
        let open = self.open.iter().enumerate();
        let unfinished = open.map(|(number, round)| {
            self.found_in(self.complete.len() + number, round, &mut seen, &mut |_, _, _| {})
        });
        for found in self.complete.iter().cloned().chain(unfinished.collect::<Vec<_>>()) {
            totals.iter_mut().zip(&found).for_each(|(total, found)| total.add(found));
        }
        totals
    }

    fn open_round(&mut self, number: u64) -> Option<&mut OpenRound> {
        let round = (number / self.chains) as usize;
        self.open.get_mut(round.checked_sub(self.complete.len())?)
    }

    /// What each technique found in a round, in the order of chains.
    fn found_in(
        &self,
        number: usize,
        round: &OpenRound,
        seen: &mut Seen,
        note: &mut dyn FnMut(u64, &CaseYield, &TechniqueYield),
    ) -> Vec<TechniqueYield> {
        let mut found = vec![TechniqueYield::default(); self.shares.len()];
        for (chain, cases) in &round.cases {
            let technique = self.turns[number][(chain % self.chains) as usize];
            for case in cases {
                let counted = seen.count(case);
                note(*chain, case, &counted);
                found[technique].add(&counted);
            }
        }
        found
    }

    /// How many turns each technique has in a round.
    fn weights(&self, round: usize) -> Vec<u32> {
        let decided = round.saturating_sub(1).min(self.complete.len());
        let on_average = (self.chains / self.shares.len() as u64) as u32;
        let least = on_average * MIN_TURNS / TURNS_ON_AVERAGE;
        if self.sharing == Sharing::Fixed {
            return self.shares.iter().map(|share| share.weight).collect();
        }
        if decided == 0 {
            return vec![on_average; self.shares.len()];
        }
        let mut recent = vec![TechniqueYield::default(); self.shares.len()];
        for found in &self.complete[decided.saturating_sub(ROUNDS_THAT_COUNT)..decided] {
            recent.iter_mut().zip(found).for_each(|(sum, found)| sum.add(found));
        }
        let cases = recent.iter().map(|found| found.cases as u32).sum::<u32>().max(1);
        let case = recent.iter().map(|found| found.cpu).sum::<Duration>() / cases;
        let yields = recent.iter().map(|found| match self.energy.is_some() {
            true => found.per_second(case),
            false => found.per_case(),
        });
        share_out((on_average - least) * self.shares.len() as u32, &yields.collect::<Vec<_>>())
            .into_iter()
            .map(|extra| least + extra)
            .collect()
    }
}

/// How many chains a round has, unless it is one of the shorter ones.
fn round_length(shares: &[Share], sharing: Sharing) -> u64 {
    match sharing {
        Sharing::Fixed => shares.iter().map(|share| u64::from(share.weight)).sum(),
        Sharing::Yield => shares.len() as u64 * u64::from(TURNS_ON_AVERAGE),
    }
}

/// Shares out turns in proportion to some numbers, not all of them zero; what is left over by rounding goes to the
/// largest remainders, and of equal ones to the first.
fn share_out(turns: u32, parts: &[u64]) -> Vec<u32> {
    let sum: u128 = parts.iter().map(|part| u128::from(*part)).sum::<u128>().max(1);
    let exact = |part: u64| u128::from(part) * u128::from(turns);
    let mut given: Vec<u32> = parts.iter().map(|part| (exact(*part) / sum) as u32).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|position| std::cmp::Reverse(exact(parts[*position]) % sum));
    let left = turns - given.iter().sum::<u32>();
    order.into_iter().take(left as usize).for_each(|position| given[position] += 1);
    given
}

#[cfg(test)]
mod tests {
    use smelt_store::yields::RecordedChain;

    use super::*;
    use crate::schedule::Lengths;

    fn share(weight: u32, length: u32) -> Share {
        Share { weight, lengths: Lengths::of(length, Some(length)), takes_every_seed: false }
    }

    fn rounds(sharing: Sharing) -> Allocation {
        Allocation::new(&[share(1, 10), share(1, 10)], sharing, 0)
    }

    fn case(shapes: &[u64], findings: &[u64]) -> CaseYield {
        CaseYield { shapes: shapes.to_vec(), findings: findings.to_vec(), ..CaseYield::default() }
    }

    /// Does all chains of a round in an order; the second technique finds something new in every case.
    fn do_round(rounds: &mut Allocation, round: u64, order: impl Iterator<Item = u64>) {
        for number in order.map(|place| round * 16 + place) {
            let technique = rounds.technique(number).unwrap();
            let shape = if technique == 1 { number } else { u64::MAX };
            rounds.add_case(number, case(&[shape], &[]));
            rounds.end(number);
        }
    }

    fn turns_of(rounds: &mut Allocation, round: u64) -> Vec<usize> {
        (0..16).map(|place| rounds.technique(round * 16 + place).unwrap()).collect()
    }

    #[test]
    fn who_finds_more_gets_more_and_nobody_gets_nothing() {
        let mut rounds = rounds(Sharing::Yield);
        for round in 0..3 {
            do_round(&mut rounds, round, 0..16);
        }
        let count = |turns: &[usize]| turns.iter().filter(|technique| **technique == 0).count();
        assert_eq!(count(&turns_of(&mut rounds, 1)), 8);
        assert!((2..5).contains(&count(&turns_of(&mut rounds, 3))), "{:?}", turns_of(&mut rounds, 3));
        let totals = rounds.totals();
        assert_eq!(totals[0].shapes, 1);
        assert_eq!(totals[1].shapes, totals[1].cases);
    }

    #[test]
    fn the_order_in_which_chains_end_does_not_matter() {
        let (mut first, mut second) = (rounds(Sharing::Yield), rounds(Sharing::Yield));
        for round in 0..4 {
            do_round(&mut first, round, 0..16);
            do_round(&mut second, round, (0..16).rev());
            assert_eq!(turns_of(&mut first, round), turns_of(&mut second, round));
        }
        assert_eq!(first.totals(), second.totals());
    }

    #[test]
    fn a_round_opens_when_the_one_before_the_last_is_complete() {
        let mut rounds = rounds(Sharing::Yield);
        assert!(rounds.technique(31).is_some());
        assert_eq!(rounds.technique(32), None);
        do_round(&mut rounds, 0, 0..16);
        assert!(rounds.technique(47).is_some());
        assert_eq!(rounds.technique(48), None);
    }

    #[test]
    fn a_campaign_goes_on_as_it_would_have() {
        let mut whole = rounds(Sharing::Yield);
        let mut recorded = RecordedYields::default();
        for number in 0..70 {
            let technique = whole.technique(number).unwrap();
            let found = case(&[number % 9 + technique as u64 * number], if number == 5 { &[7] } else { &[] });
            recorded.chains.push(RecordedChain { number, seed: 0, has_ended: true });
            recorded.cases.insert(number, vec![found.clone()]);
            whole.add_case(number, found);
            whole.end(number);
        }
        let mut resumed = rounds(Sharing::Yield).resumed(recorded);
        assert_eq!(turns_of(&mut resumed, 5), turns_of(&mut whole, 5));
        assert_eq!(resumed.totals(), whole.totals());
    }

    #[test]
    fn fixed_weights_stay() {
        let mut rounds = Allocation::new(&[share(3, 10), share(1, 1)], Sharing::Fixed, 0);
        let turns: Vec<usize> = (0..8).map(|number| rounds.technique(number).unwrap()).collect();
        assert_eq!(turns, [0, 0, 1, 0, 0, 0, 1, 0]);
        assert_eq!(
            (0..8).map(|number| rounds.turns_before(number)).collect::<Vec<_>>(),
            [0, 1, 0, 2, 3, 4, 1, 5]
        );
    }

    #[test]
    fn what_solvers_say_decides_nothing() {
        let (mut quiet, mut loud) = (rounds(Sharing::Yield), rounds(Sharing::Yield));
        for number in 0..64 {
            let technique = quiet.technique(number).unwrap();
            assert_eq!(loud.technique(number), Some(technique));
            quiet.add_case(number, case(&[number % 7], &[]));
            loud.add_case(number, case(&[number % 7], if technique == 0 { &[7, 8] } else { &[] }));
            quiet.end(number);
            loud.end(number);
        }
        assert_eq!((quiet.totals()[0].findings, loud.totals()[0].findings), (0, 2));
    }

    fn with_costs() -> Allocation {
        rounds(Sharing::Yield).with_energy(Energy::new(1, Some(Duration::from_secs(2))))
    }

    /// Does all chains of a round of eight: both techniques show something new in every case, the first at ten times the
    /// cost, and from a seed of its own.
    fn do_costly_round(rounds: &mut Allocation, round: u64) {
        for number in round * 8..round * 8 + 8 {
            let technique = rounds.technique(number).unwrap();
            let cpu = Duration::from_millis(if technique == 0 { 500 } else { 5 });
            rounds.begin(number, technique as u64);
            rounds.add_case(number, CaseYield { outcomes: vec![number], cpu, ..CaseYield::default() });
            rounds.end(number);
        }
    }

    #[test]
    fn where_time_is_given_turns_and_seeds_follow_what_is_new_for_the_cost() {
        let mut rounds = with_costs();
        (0..4).for_each(|round| do_costly_round(&mut rounds, round));
        assert!(rounds.technique(4 * 8).is_some());
        let decision = rounds.decision(4 * 8);
        assert_eq!(decision.turns.iter().sum::<u32>(), 8);
        assert!(decision.turns[1] > decision.turns[0], "{decision:?}");
        assert!(decision.energy(1) > decision.energy(0), "{decision:?}");
        assert_eq!(decision.limits.len(), 1);
    }

    #[test]
    fn what_was_decided_is_followed_and_recorded_once() {
        let mut rounds = with_costs();
        do_costly_round(&mut rounds, 0);
        assert!(rounds.technique(8).is_some());
        let decided = rounds.take_unrecorded();
        assert_eq!(decided.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1]);
        assert!(rounds.take_unrecorded().is_empty());
        // Whatever would be decided now: this is what the chains that are there were made by.
        let turns = |first| RoundDecision { turns: vec![first, 8 - first], ..RoundDecision::default() };
        let recorded = RecordedYields { rounds: vec![turns(4), turns(7)], ..RecordedYields::default() };
        let mut resumed = with_costs().resumed(recorded);
        assert_eq!(*resumed.decision(8), turns(7));
        let techniques: Vec<usize> = (8..16).map(|number| resumed.technique(number).unwrap()).collect();
        assert_eq!(techniques.iter().filter(|technique| **technique == 0).count(), 7);
        assert!(resumed.take_unrecorded().is_empty());
        // A damaged record is not followed any further.
        let damaged = [vec![4, 4], vec![1 << 31, 1 << 31]]
            .map(|turns| RoundDecision { turns, ..RoundDecision::default() });
        let recorded = RecordedYields { rounds: damaged.to_vec(), ..RecordedYields::default() };
        assert_eq!(with_costs().resumed(recorded).decisions.len(), 1);
    }

    #[test]
    fn turns_are_shared_out_to_the_last() {
        assert_eq!(share_out(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(share_out(10, &[0, 3, 1]), [0, 8, 2]);
    }
}

//! Which chain is made from what, and which chains are still to be done.
//!
//! The seed and the chance of chain number i depend on i only. Techniques have turns by their weights here; hunts give
//! them turns in [`crate::rounds`]. Nothing here depends on time or on the number of workers, so a campaign has the same
//! cases however it is cut into hunts.

use std::collections::VecDeque;

use smelt_store::store::Unfinished;
use smelt_testgen::library::Library;
use smelt_testgen::technique::Technique;

use crate::hunt::CHAIN_LENGTH;

/// What a chain is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainPlan {
    /// The position of its seed.
    pub seed: usize,
    /// The position of its technique.
    pub technique: usize,
    /// Where its chance starts.
    pub random_seed: u64,
}

/// What draws the seed of a chain from its random numbers, apart from what the technique draws.
const SEED_DRAW: u64 = u64::MAX - 1;

/// What every chain of a campaign is made of.
#[derive(Debug, Clone)]
pub struct Schedule<'s> {
    seeds: &'s Library,
    turns: Vec<usize>,
    random_seed: u64,
}

/// How often a technique has its turn, and how many cases it then makes.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// Compared with the others.
    pub weight: u32,
    /// The most cases of a chain.
    pub chain_length: u32,
}

impl Share {
    /// What a technique with this weight gets.
    pub fn of(technique: &dyn Technique, weight: u32) -> Self {
        Share { weight, chain_length: technique.chain_length().min(CHAIN_LENGTH) }
    }
}

impl<'s> Schedule<'s> {
    /// The schedule for seeds and for techniques with these shares, neither of them none.
    pub fn new(seeds: &'s Library, shares: &[Share], random_seed: u64) -> Self {
        let turns = turns(&shares.iter().map(|share| share.weight).collect::<Vec<_>>());
        assert!(!seeds.is_empty() && !turns.is_empty(), "a campaign has seeds and techniques");
        Schedule { seeds, turns, random_seed }
    }

    /// What a chain is made of.
    pub fn chain(&self, number: u64) -> ChainPlan {
        let random_seed = mix(self.random_seed, number);
        ChainPlan {
            seed: self.seed(number, 0),
            technique: self.turns[(number % self.turns.len() as u64) as usize],
            random_seed,
        }
    }

    /// The position of the seed that a chain draws, or draws after so many others.
    pub(crate) fn seed(&self, number: u64, draws_before: u32) -> usize {
        let random_seed = mix(self.random_seed, number);
        self.seeds.draw(mix(random_seed, SEED_DRAW - u64::from(draws_before)))
    }
}

/// The positions of techniques in the order of their turns: each as often as its weight says, evenly spread.
pub(crate) fn turns(weights: &[u32]) -> Vec<usize> {
    let sum: i64 = weights.iter().map(|weight| i64::from(*weight)).sum();
    let mut credit = vec![0; weights.len()];
    let mut turns = Vec::new();
    for _ in 0..sum {
        let mut best = 0;
        for (position, weight) in weights.iter().enumerate() {
            credit[position] += i64::from(*weight);
            if credit[position] > credit[best] {
                best = position;
            }
        }
        credit[best] -= sum;
        turns.push(best);
    }
    turns
}

/// A number for `number`, such as a chain: neighbours must not look alike (the finalizer of SplitMix64).
pub(crate) fn mix(seed: u64, number: u64) -> u64 {
    let mut mixed = seed.wrapping_add((number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The chains that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct Remaining {
    left_over: VecDeque<(u64, u32)>,
    next: u64,
}

impl Remaining {
    pub(crate) fn new(unfinished: Unfinished) -> Self {
        Remaining { left_over: unfinished.chains.into(), next: unfinished.next }
    }

    /// The number of the next chain.
    pub(crate) fn next(&self) -> u64 {
        self.left_over.front().map_or(self.next, |(number, _)| *number)
    }

    /// Takes the next chain, and how many of its cases are done.
    pub(crate) fn take(&mut self) -> (u64, u32) {
        self.left_over.pop_front().unwrap_or_else(|| {
            self.next += 1;
            (self.next - 1, 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn techniques_have_turns_by_their_weights() {
        assert_eq!(turns(&[1, 1]), [0, 1]);
        assert_eq!(turns(&[3, 1]), [0, 0, 1, 0]);
        assert_eq!(turns(&[0, 2, 1]), [1, 2, 1]);
    }

    #[test]
    fn every_seed_and_every_technique_has_its_turn() {
        let seeds = Library::new(vec![("a".to_owned(), String::new()), ("b".to_owned(), String::new())]);
        let share = Share { weight: 1, chain_length: 10 };
        let schedule = Schedule::new(&seeds, &[share, share], 7);
        let chains: Vec<ChainPlan> = (0..20).map(|number| schedule.chain(number)).collect();
        for seed in 0..2 {
            for technique in 0..2 {
                assert!(chains.iter().any(|chain| (chain.seed, chain.technique) == (seed, technique)));
            }
        }
        assert_ne!(chains[0].random_seed, chains[2].random_seed);
    }

    #[test]
    fn what_was_left_over_comes_first() {
        let mut remaining = Remaining::new(Unfinished { chains: vec![(1, 0), (2, 4)], next: 5 });
        let taken: Vec<(u64, u32)> = (0..4).map(|_| remaining.take()).collect();
        assert_eq!(taken, [(1, 0), (2, 4), (5, 0), (6, 0)]);
    }
}

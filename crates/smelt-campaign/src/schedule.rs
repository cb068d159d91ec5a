//! Which chain is made from what, and which chains are still to be done.
//!
//! The seed and the chance of chain number i depend on i only. Techniques have turns by their weights here; hunts give
//! them turns in [`crate::rounds`]. Nothing here depends on time or on the number of workers, so a campaign has the same
//! cases however it is cut into hunts.

use smelt_testgen::library::Library;
use smelt_testgen::technique::Technique;

/// What a chain is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainPlan {
    /// The position of its seed.
    pub seed: usize,
    /// The position of its technique.
    pub technique: usize,
    /// Where its chance starts.
    pub random_seed: u64,
    /// How many cases it has at most.
    pub length: u32,
}

/// What draws the seed of a chain from its random numbers, apart from what the technique draws.
const SEED_DRAW: u64 = u64::MAX - 1;

/// What every chain of a campaign is made of.
#[derive(Debug, Clone)]
pub struct Schedule<'s> {
    seeds: &'s Library,
    shares: Vec<Share>,
    turns: Vec<usize>,
    random_seed: u64,
}

/// How often a technique has its turn, and how many cases it then makes.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// Compared with the others.
    pub weight: u32,
    /// How many cases its chains have.
    pub lengths: Lengths,
    /// Whether it takes one seed after the other.
    pub takes_every_seed: bool,
}

impl Share {
    /// What a technique with this weight gets, with chains of `steps` steps, or of the technique's own length.
    pub fn of(technique: &dyn Technique, weight: u32, steps: Option<u32>) -> Self {
        let lengths = Lengths::of(technique.chain_length(), steps);
        Share { weight, lengths, takes_every_seed: technique.takes_every_seed() }
    }
}

/// How many cases the chains of a technique have at most.
///
/// A chain that is as long as is good for its technique stays at one seed for as long as many short ones together, which
/// visit as many seeds. So a chain is either short or as long as that, and long ones are so seldom that about half of all
/// cases are in long ones. The first chains of a campaign are all short. Why so: `docs/design/schedule.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    short: u32,
    long: u32,
}

/// How many cases a short chain has.
pub const SHORT_CHAIN: u32 = 10;

/// So many chains are short before the first long one.
const SHORT_AT_FIRST: u64 = 20;

/// What draws whether a chain is long from its random numbers, apart from what else draws.
const LENGTH_DRAW: u64 = u64::MAX - 1000;

impl Lengths {
    /// For a technique with chains of this length, or for chains of so many steps. One step that cannot be followed by
    /// another is not.
    pub fn of(own: u32, steps: Option<u32>) -> Self {
        match steps {
            Some(steps) if own > 1 => Lengths { short: steps, long: steps },
            _ => Lengths { short: own.min(SHORT_CHAIN), long: own },
        }
    }

    /// The length of a chain with this number and random seed.
    pub fn of_chain(self, number: u64, random_seed: u64) -> u32 {
        let one_in = u64::from(self.long.div_ceil(self.short.max(1)));
        let is_drawn = || mix(random_seed, LENGTH_DRAW).is_multiple_of(one_in);
        let is_long = one_in <= 1 || number >= SHORT_AT_FIRST && is_drawn();
        if is_long { self.long } else { self.short }
    }
}

impl<'s> Schedule<'s> {
    /// The schedule for seeds and for techniques with these shares, neither of them none.
    pub fn new(seeds: &'s Library, shares: &[Share], random_seed: u64) -> Self {
        let turns = turns(&shares.iter().map(|share| share.weight).collect::<Vec<_>>());
        assert!(!seeds.is_empty() && !turns.is_empty(), "a campaign has seeds and techniques");
        Schedule { seeds, shares: shares.to_vec(), turns, random_seed }
    }

    /// What a chain is made of.
    pub fn chain(&self, number: u64) -> ChainPlan {
        let random_seed = self.random_seed(number);
        let (cycle, turn) = (number / self.turns.len() as u64, (number % self.turns.len() as u64) as usize);
        let technique = self.turns[turn];
        let Share { lengths, takes_every_seed, .. } = self.shares[technique];
        let count = |turns: &[usize]| turns.iter().filter(|other| **other == technique).count() as u64;
        let seed = match takes_every_seed {
            true => self.seed_in_turn(cycle * count(&self.turns) + count(&self.turns[..turn])),
            false => self.seed(number, 0),
        };
        ChainPlan { seed, technique, random_seed, length: lengths.of_chain(number, random_seed) }
    }

    /// Where the chance of a chain starts.
    pub(crate) fn random_seed(&self, number: u64) -> u64 {
        mix(self.random_seed, number)
    }

    /// The position of the seed that a technique takes which takes one after the other, and has taken so many.
    pub(crate) fn seed_in_turn(&self, taken_before: u64) -> usize {
        (taken_before % self.seeds.len() as u64) as usize
    }

    /// The position of the seed that a chain draws, or draws after so many others.
    pub(crate) fn seed(&self, number: u64, draws_before: u32) -> usize {
        let random_seed = self.random_seed(number);
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
        let share = Share { weight: 1, lengths: Lengths::of(10, None), takes_every_seed: false };
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
    fn chains_are_as_long_as_their_techniques_say_and_half_of_the_cases_are_in_short_ones() {
        for own in [25, 40, 60, 300] {
            let lengths = Lengths::of(own, None);
            let length = |number| lengths.of_chain(number, mix(5, number));
            let chains: Vec<u32> = (0..3000).map(length).collect();
            assert_eq!(chains[..SHORT_AT_FIRST as usize].iter().max(), Some(&SHORT_CHAIN));
            let cases = |length: u32| chains.iter().filter(|chain| **chain == length).sum::<u32>();
            let (short, long) = (cases(SHORT_CHAIN), cases(own));
            assert_eq!(short + long, chains.iter().sum::<u32>(), "{own}");
            assert!(2 * short > long && 2 * long > short, "{own}: {short} {long}");
        }
        assert_eq!(Lengths::of(8, None).of_chain(0, 1), 8);
        assert_eq!(Lengths::of(1, Some(50)).of_chain(0, 1), 1);
    }

    #[test]
    fn steps_change_the_length_of_all_chains() {
        let lengths = Lengths::of(25, Some(70));
        assert!((0..100).all(|number| lengths.of_chain(number, mix(5, number)) == 70));
    }

    #[test]
    fn every_seed_is_taken_once_before_any_is_taken_again() {
        let seeds =
            Library::new((0..7).map(|number| (number.to_string(), "a".repeat(1 + 999 * number))).collect());
        let drawn = Share { weight: 2, lengths: Lengths::of(10, None), takes_every_seed: false };
        let in_turn = Share { takes_every_seed: true, weight: 3, ..drawn };
        let schedule = Schedule::new(&seeds, &[drawn, in_turn], 7);
        let chains = (0..).map(|number| schedule.chain(number)).filter(|chain| chain.technique == 1);
        let taken: Vec<usize> = chains.map(|chain| chain.seed).take(14).collect();
        assert_eq!(taken, [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6]);
    }
}

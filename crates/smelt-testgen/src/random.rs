//! The source of every random choice.
//!
//! The generator has a name and a fixed algorithm, and so has every way to draw from it: the lineage of a case
//! must lead to the same bytes with every later release of the libraries below.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A seeded generator of random choices: Xoshiro256++.
#[derive(Debug, Clone)]
pub struct Random {
    generator: Xoshiro256PlusPlus,
}

impl Random {
    /// The generator that starts from this number.
    pub fn new(random_seed: u64) -> Self {
        Random { generator: Xoshiro256PlusPlus::seed_from_u64(random_seed) }
    }

    /// A number smaller than `bound`, which is not zero.
    ///
    /// By one multiplication, without rejection: the bias is below `bound / 2^64`.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below zero");
        ((u128::from(self.generator.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Any number, each with the same chance.
    pub fn word(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A position in a list of this length, which is not zero.
    pub fn position(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// True once in `times` draws on average.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of some items; none of none.
    pub fn choose<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        if items.is_empty() { None } else { Some(&items[self.position(items.len())]) }
    }

    /// Takes one of the items out of a list, so that the next draw gives another; none if none is left.
    pub fn take<T>(&mut self, items: &mut Vec<T>) -> Option<T> {
        if items.is_empty() { None } else { Some(items.swap_remove(self.position(items.len()))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_the_same_for_ever() {
        let mut random = Random::new(7);
        let drawn: Vec<u64> = (0..6).map(|_| random.below(1000)).collect();
        assert_eq!(drawn, [55, 172, 717, 427, 963, 465]);
    }

    #[test]
    fn taking_gives_every_item_once() {
        let mut random = Random::new(1);
        let mut items: Vec<u32> = (0..10).collect();
        let mut taken: Vec<u32> = std::iter::from_fn(|| random.take(&mut items)).collect();
        taken.sort_unstable();
        assert_eq!(taken, (0..10).collect::<Vec<u32>>());
    }
}

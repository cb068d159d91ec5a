//! The seeds of a hunt, drawn by chance, small ones more often: solvers answer them faster and people like to read them.
//!
//! Techniques that need more than one seed get the others from here, with other names where names would clash.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;
use smelt_smtlib::term::Terms;

use crate::fresh_names::{FreshNames, rename};
use crate::random::Random;
use crate::readers::Readers;
use crate::seed::Seed;
use crate::term_pool::TermPool;

/// Seed formulas that can be drawn.
#[derive(Debug, Clone, Default)]
pub struct Library {
    seeds: Vec<(String, String)>,
    /// For each seed the sum of the weights up to and including it.
    sums: Vec<u64>,
    /// For each seed what it takes to join it to others, found when it is asked for; none if it cannot be.
    partners: Vec<OnceLock<Option<Partner>>>,
    /// For each seed its terms, read when they are asked for; none if it is no seed.
    read: Vec<OnceLock<Option<Copied>>>,
    /// Small terms of all seeds, harvested when they are asked for.
    bank: OnceLock<TermPool>,
}

/// A seed, and an arena with its terms.
type Copied = (Terms, Arc<Seed>);

/// A seed that can be joined to others.
#[derive(Debug, Clone)]
struct Partner {
    /// The names that it gives things.
    names: FreshNames,
    /// The families of solvers that read it.
    readers: Readers,
    /// Its plain text.
    text: String,
}

/// What a seed shall be like that another one is joined to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish<'w> {
    /// It had better have a constant of one of these classes of sorts.
    pub classes: &'w FxHashSet<String>,
    /// A family of these had better read it too.
    pub readers: Readers,
}

impl Wish<'_> {
    fn admits(&self, partner: &Partner) -> bool {
        // What nobody reads alone cannot become worse.
        let is_lost = [self.readers, partner.readers].contains(&Readers::NONE);
        is_lost || self.readers.and(partner.readers) != Readers::NONE
    }
}

/// Seeds are kept as terms if there are at most so many, and if they have at most so many bytes.
const MAX_KEPT: usize = 1024;
const MAX_KEPT_BYTES: usize = 8192;

/// A seed weighs `SCALE / (SMALL + bytes)`: what is much smaller than `SMALL` weighs the same.
const SMALL: u64 = 400;
const SCALE: u64 = 1 << 32;

impl Library {
    /// Seeds by name and text.
    pub fn new(seeds: Vec<(String, String)>) -> Self {
        let mut sum = 0;
        let sums = seeds
            .iter()
            .map(|(_, text)| {
                sum += (SCALE / (SMALL + text.len() as u64)).max(1);
                sum
            })
            .collect();
        let partners = seeds.iter().map(|_| OnceLock::new()).collect();
        let read = seeds.iter().map(|_| OnceLock::new()).collect();
        Library { seeds, sums, partners, read, bank: OnceLock::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.seeds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.seeds.is_empty()
    }

    /// All of them, by name and text.
    pub fn all(&self) -> &[(String, String)] {
        &self.seeds
    }

    /// The position of the seed that a number draws. There must be seeds.
    pub fn draw(&self, number: u64) -> usize {
        let sum = *self.sums.last().expect("a hunt has seeds");
        let mark = ((u128::from(number) * u128::from(sum)) >> 64) as u64;
        self.sums.partition_point(|before| *before <= mark)
    }

    /// A seed with terms of its own, which may be added to; none if it cannot be used. In a small library seeds are drawn again
    /// and again, and are read only once.
    pub fn copy(&self, position: usize) -> Option<Copied> {
        let read = || {
            let (name, source) = &self.seeds[position];
            let mut terms = Terms::new();
            let seed = Seed::read(&mut terms, name, source).ok()?;
            Some((terms, Arc::new(seed)))
        };
        let is_kept = self.seeds.len() <= MAX_KEPT && self.seeds[position].1.len() <= MAX_KEPT_BYTES;
        if is_kept { self.read[position].get_or_init(read).clone() } else { read() }
    }

    /// Draws a seed and reads it with names that are not taken, and are then; none if it cannot be used.
    pub(crate) fn draw_apart_from(
        &self,
        terms: &mut Terms,
        taken: &mut FxHashSet<String>,
        wish: Wish<'_>,
        random: &mut Random,
    ) -> Option<Seed> {
        if self.is_empty() {
            return None;
        }
        let is_admitted = |partner: &&Partner| wish.admits(partner);
        let mut position = 0;
        for _ in 0..DRAWS {
            position = self.draw(random.below(u64::MAX));
            let partner = self.partner(position).filter(is_admitted);
            if partner.is_some_and(|partner| partner.names.has_constant_of(wish.classes)) {
                break;
            }
        }
        let Partner { names, text, .. } = self.partner(position).filter(is_admitted)?;
        let renamed = rename(text, &names.apart_from(taken)?);
        Some(Seed::read_plain(terms, &self.seeds[position].0, &renamed))
    }

    /// Small terms of all seeds.
    pub(crate) fn bank(&self) -> &TermPool {
        self.bank.get_or_init(|| TermPool::harvest(&self.seeds))
    }

    fn partner(&self, position: usize) -> Option<&Partner> {
        let find = || {
            let (mut terms, seed) = self.copy(position)?;
            let text = seed.plain_text(&mut terms);
            let names = FreshNames::of(&terms, &seed.script, &text)?;
            Some(Partner { names, readers: seed.readers(&terms), text })
        };
        self.partners[position].get_or_init(find).as_ref()
    }
}

/// How often a seed is drawn before one with other sorts is taken.
const DRAWS: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    fn library(sizes: &[usize]) -> Library {
        Library::new(sizes.iter().map(|size| (String::new(), "a".repeat(*size))).collect())
    }

    /// How often each seed is drawn by 1000 numbers spread evenly.
    fn counts(library: &Library) -> Vec<usize> {
        let mut counts = vec![0; library.len()];
        for step in 0..1000 {
            counts[library.draw(step * (u64::MAX / 1000))] += 1;
        }
        counts
    }

    #[test]
    fn small_seeds_are_drawn_more_often_and_large_ones_too() {
        let counts = counts(&library(&[100, 100, 10_000, 1_000_000]));
        assert!((480..=500).contains(&counts[0]) && (480..=500).contains(&counts[1]), "{counts:?}");
        assert!((10..=40).contains(&counts[2]), "{counts:?}");
    }

    #[test]
    fn the_extremes_draw_the_first_and_the_last() {
        let library = library(&[1, 1, 1]);
        assert_eq!((library.draw(0), library.draw(u64::MAX)), (0, 2));
    }
}

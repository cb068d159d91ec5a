//! Going through large spaces of choices in a shuffled order, several of them taking turns.
//!
//! The order is an arithmetic progression with a step that has no factor in common with the size of the space: every
//! index comes once, neighbours are far apart, and nothing has to be held.

use crate::random::Random;

/// Sizes beyond this are refused, so that sums of two indices fit.
const MOST: u128 = 1 << 126;

/// The number of choices of one each; none if there are too many.
pub(super) fn product(sizes: impl IntoIterator<Item = u128>) -> Option<u128> {
    sizes
        .into_iter()
        .try_fold(1u128, |product, size| product.checked_mul(size))
        .filter(|product| *product <= MOST)
}

/// The choices that an index means, the first one turning fastest.
pub(super) fn digits(mut index: u128, sizes: &[u128]) -> Vec<u128> {
    sizes
        .iter()
        .map(|size| {
            let digit = index % size;
            index /= size;
            digit
        })
        .collect()
}

/// Goes through the indices below a size, each once.
#[derive(Debug, Clone)]
pub(super) struct Shuffle {
    size: u128,
    step: u128,
    current: u128,
    left: u128,
}

impl Shuffle {
    /// An order by chance.
    pub(super) fn new(size: u128, random: &mut Random) -> Shuffle {
        assert!(size <= MOST, "spaces are made by `product`");
        let mut draw = || u128::from(random.below(u64::MAX)) << 64 | u128::from(random.below(u64::MAX));
        let (mut step, current) = (draw() % size.max(1), draw() % size.max(1));
        while greatest_common_divisor(step, size) > 1 {
            step += 1;
        }
        Shuffle { size, step: step % size.max(1), current, left: size }
    }
}

impl Iterator for Shuffle {
    type Item = u128;

    fn next(&mut self) -> Option<u128> {
        self.left = self.left.checked_sub(1)?;
        self.current = (self.current + self.step) % self.size;
        Some(self.current)
    }
}

fn greatest_common_divisor(first: u128, second: u128) -> u128 {
    if second == 0 { first } else { greatest_common_divisor(second, first % second) }
}

/// Lets shuffles take turns until all have ended; gives the number of each with its index.
pub(super) fn in_turns(mut shuffles: Vec<Shuffle>) -> impl Iterator<Item = (usize, u128)> {
    let mut at = 0;
    let mut ended = 0;
    std::iter::from_fn(move || {
        while ended < shuffles.len() {
            let number = at;
            at = (at + 1) % shuffles.len();
            match shuffles[number].next() {
                Some(index) => {
                    ended = 0;
                    return Some((number, index));
                }
                None => ended += 1,
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_gives_every_index_once() {
        for size in 0..40 {
            let mut found: Vec<u128> = Shuffle::new(size, &mut Random::new(size as u64)).collect();
            found.sort_unstable();
            assert_eq!(found, (0..size).collect::<Vec<u128>>());
        }
    }

    #[test]
    fn turns_end_when_all_have_ended() {
        let mut random = Random::new(0);
        let shuffles = vec![Shuffle::new(1, &mut random), Shuffle::new(3, &mut random)];
        let numbers: Vec<usize> = in_turns(shuffles).map(|(number, _)| number).collect();
        assert_eq!(numbers, [0, 1, 1, 1]);
    }

    #[test]
    fn an_index_means_choices() {
        assert_eq!(digits(7, &[2, 5]), [1, 3]);
        assert_eq!(product([1 << 100, 1 << 100]), None);
    }
}

//! The seeds of a hunt, drawn by chance, small ones more often: solvers answer them faster and people like to read them.

/// Seed formulas that can be drawn.
#[derive(Debug, Clone, Default)]
pub struct Seeds {
    seeds: Vec<(String, String)>,
    /// For each seed the sum of the weights up to and including it.
    sums: Vec<u64>,
}

/// A seed weighs `SCALE / (SMALL + bytes)`: what is much smaller than `SMALL` weighs the same.
const SMALL: u64 = 400;
const SCALE: u64 = 1 << 32;

impl Seeds {
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
        Seeds { seeds, sums }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(sizes: &[usize]) -> Seeds {
        Seeds::new(sizes.iter().map(|size| (String::new(), "a".repeat(*size))).collect())
    }

    /// How often each seed is drawn by 1000 numbers spread evenly.
    fn counts(seeds: &Seeds) -> Vec<usize> {
        let mut counts = vec![0; seeds.len()];
        for step in 0..1000 {
            counts[seeds.draw(step * (u64::MAX / 1000))] += 1;
        }
        counts
    }

    #[test]
    fn small_seeds_are_drawn_more_often_and_large_ones_too() {
        let counts = counts(&seeds(&[100, 100, 10_000, 1_000_000]));
        assert!((480..=500).contains(&counts[0]) && (480..=500).contains(&counts[1]), "{counts:?}");
        assert!((10..=40).contains(&counts[2]), "{counts:?}");
    }

    #[test]
    fn the_extremes_draw_the_first_and_the_last() {
        let seeds = seeds(&[1, 1, 1]);
        assert_eq!((seeds.draw(0), seeds.draw(u64::MAX)), (0, 2));
    }
}

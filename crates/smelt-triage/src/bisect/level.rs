//! Repeated measurements of one thing: where they lie, and how far apart.

/// All measurements of a trigger at a point.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Level {
    /// In order.
    samples: Vec<f64>,
}

/// Of so many measurements the lowest and the highest one do not count: a machine has its moments.
const TRIMMED: usize = 8;

impl Level {
    pub(super) fn add(&mut self, samples: Vec<f64>) {
        self.samples.extend(samples);
        self.samples.sort_by(f64::total_cmp);
    }

    /// How many measurements there are.
    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    pub(super) fn median(&self) -> f64 {
        let middle = self.samples.len() / 2;
        match self.samples.len() {
            0 => 0.0,
            count if count % 2 == 1 => self.samples[middle],
            _ => f64::midpoint(self.samples[middle - 1], self.samples[middle]),
        }
    }

    /// The lowest and the highest that count.
    fn range(&self) -> (f64, f64) {
        let trimmed = self.samples.len() / TRIMMED;
        let kept = &self.samples[trimmed..self.samples.len() - trimmed];
        (kept.first().copied().unwrap_or(0.0), kept.last().copied().unwrap_or(0.0))
    }

    /// How far the measurements lie apart.
    fn spread(&self) -> f64 {
        let (low, high) = self.range();
        high - low
    }

    /// Whether two levels are apart by more than either spreads and by more than `floor`.
    pub(super) fn differs(&self, other: &Level, floor: f64) -> bool {
        let gap = (self.median() - other.median()).abs();
        let ((low, high), (other_low, other_high)) = (self.range(), other.range());
        let is_disjoint = high < other_low || other_high < low;
        is_disjoint && gap > self.spread().max(other.spread()).max(floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(samples: &[f64]) -> Level {
        let mut level = Level::default();
        level.add(samples.to_vec());
        level
    }

    #[test]
    fn levels_differ_if_the_gap_is_above_the_noise() {
        let low = level(&[1.0, 1.1, 0.9]);
        assert!(low.differs(&level(&[2.0, 2.1, 1.9]), 0.0));
        assert!(!low.differs(&level(&[2.0, 2.1, 1.9]), 1.5));
        assert!(!low.differs(&level(&[2.0, 3.1, 1.2]), 0.0));
        assert!(!low.differs(&level(&[1.2, 1.3, 1.15]), 0.0));
        assert!(!low.differs(&low, 0.0));
    }

    #[test]
    fn one_of_many_measurements_may_be_far_off() {
        let calm = [1.0, 1.0, 1.1, 1.0, 1.1, 1.0, 1.0];
        let with_hiccup = level(&[&calm[..], &[9.0]].concat());
        assert!(with_hiccup.differs(&level(&[2.0, 2.0, 2.1]), 0.0));
        assert_eq!(with_hiccup.median(), 1.0);
    }
}

//! Arithmetic progressions as a cheap account of the lengths of a language.
//!
//! Every node of the arena carries one. It always contains all lengths; if [`Progression::is_exact`] it contains
//! no others. Counted loops are handled by arithmetic on their counts and never unrolled.

/// The lengths `min`, `min + step`, `min + 2 step`, .. up to `max`, if there is a `max`.
///
/// `step` is 0 exactly if there is only one length. An exact progression belongs to a language with words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progression {
    /// The smallest length.
    pub min: u64,
    /// The largest length; on the grid of `step`.
    pub max: Option<u64>,
    /// The distance of neighbours.
    pub step: u64,
    /// Whether every length of the progression is that of some word.
    pub is_exact: bool,
}

impl Progression {
    /// One length.
    pub fn single(len: u64) -> Self {
        Progression { min: len, max: Some(len), step: 0, is_exact: true }
    }

    /// All lengths, not known to occur.
    pub fn any() -> Self {
        Progression { min: 0, max: None, step: 1, is_exact: false }
    }

    /// Lengths from `min` to `max`, not known to occur.
    pub fn between(min: u64, max: Option<u64>) -> Self {
        Progression::new(min, max, 1, false)
    }

    /// Whether there can be a word of this length.
    pub fn contains(&self, len: u64) -> bool {
        let Some(distance) = len.checked_sub(self.min) else { return false };
        let is_on_grid = if self.step == 0 { distance == 0 } else { distance.is_multiple_of(self.step) };
        is_on_grid && self.max.is_none_or(|max| len <= max)
    }

    /// The lengths of concatenations.
    pub fn plus(&self, other: &Progression) -> Progression {
        let Some(min) = self.min.checked_add(other.min) else { return beyond_counting() };
        let Some(max) = add_options(self.max, other.max) else { return Progression::between(min, None) };
        let step = gcd(self.step, other.step);
        let (fine, coarse) = if self.step <= other.step { (self, other) } else { (other, self) };
        // With one length on one side the other side is shifted. Otherwise the finer side must fill the gaps.
        let is_gapless = fine.step == 0
            || (coarse.step.is_multiple_of(fine.step)
                && fine.max.is_none_or(|max| max - fine.min >= coarse.step - fine.step));
        Progression::new(min, max, step, self.is_exact && other.is_exact && is_gapless)
    }

    /// The lengths of unions.
    pub fn or(&self, other: &Progression) -> Progression {
        let (low, high) = if self.min <= other.min { (self, other) } else { (other, self) };
        let max = match (low.max, high.max) {
            (Some(one), Some(two)) => Some(one.max(two)),
            _ => None,
        };
        let step = gcd(gcd(low.step, high.step), high.min - low.min);
        let fits = |side: &Progression| side.step == step || side.step == 0;
        let is_gapless =
            fits(low) && fits(high) && low.max.is_none_or(|max| high.min <= max.saturating_add(step));
        Progression::new(low.min, max, step, low.is_exact && high.is_exact && is_gapless)
    }

    /// What remains for the lengths of an intersection; `None` if nothing does.
    pub fn and(&self, other: &Progression) -> Option<Progression> {
        let max = match (self.max, other.max) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        let (first, step) = common_grid(self, other)?;
        if max.is_some_and(|max| first > max) {
            return None;
        }
        Some(Progression::new(first, max, step, false))
    }

    /// The lengths of a loop that runs between `min_count` and `max_count` times.
    pub fn times(&self, min_count: u64, max_count: Option<u64>) -> Progression {
        if max_count == Some(0) {
            return Progression::single(0);
        }
        let Some(min) = self.min.checked_mul(min_count) else { return beyond_counting() };
        let max = match (self.max, max_count) {
            (Some(0), _) => Some(0),
            (Some(len), Some(count)) => len.checked_mul(count),
            _ => None,
        };
        if self.max.is_some() && max_count.is_some() && max.is_none() {
            return Progression::between(min, None);
        }
        if max_count == Some(min_count) {
            return Progression::new(min, max, self.step, self.is_exact);
        }
        let step = gcd(self.step, self.min);
        // The lengths for k rounds go from k min to k max; those for k + 1 rounds must begin before the next
        // grid point. The first k is the hardest.
        let first_spread = match self.max {
            Some(max) => (max - self.min).checked_mul(min_count),
            None if min_count > 0 => Some(self.min),
            None => Some(0),
        };
        let is_gapless = self.step == 0 || self.step == step;
        let is_gapless =
            is_gapless && first_spread.is_some_and(|spread| self.min <= spread.saturating_add(step));
        Progression::new(min, max, step, self.is_exact && is_gapless)
    }

    /// Keeps the invariants: the maximum on the grid, and step 0 for one length.
    fn new(min: u64, max: Option<u64>, step: u64, is_exact: bool) -> Progression {
        match max {
            Some(max) if step == 0 || max < min.saturating_add(step) => {
                debug_assert!(max >= min || !is_exact);
                Progression { min, max: Some(min), step: 0, is_exact }
            }
            Some(max) => Progression { min, max: Some(max - (max - min) % step), step, is_exact },
            None => Progression { min, max, step: step.max(1), is_exact: is_exact && step > 0 },
        }
    }
}

/// Lengths above all that can be counted.
fn beyond_counting() -> Progression {
    Progression { min: u64::MAX, max: None, step: 1, is_exact: false }
}

/// The sum of two maxima: `None` if it is too large to count, `Some(None)` if there is no maximum.
fn add_options(one: Option<u64>, two: Option<u64>) -> Option<Option<u64>> {
    match (one, two) {
        (Some(one), Some(two)) => one.checked_add(two).map(Some),
        _ => Some(None),
    }
}

/// The first common element of two progressions without maxima and the distance to the next one.
///
/// Where the numbers are too large to compute with, the answer is a coarser grid, never a finer one.
fn common_grid(one: &Progression, two: &Progression) -> Option<(u64, u64)> {
    let low = one.min.max(two.min);
    match (one.step, two.step) {
        (0, _) => (two.min <= one.min && on_grid(one.min, two)).then_some((one.min, 0)),
        (_, 0) => (one.min <= two.min && on_grid(two.min, one)).then_some((two.min, 0)),
        (1, 1) => Some((low, 1)),
        (first_step, second_step) => {
            let common = gcd(first_step, second_step);
            if !one.min.abs_diff(two.min).is_multiple_of(common) {
                return None;
            }
            // Steps through the coarser progression; a few steps decide, or the grid of one side is kept.
            let (fine, coarse) = if first_step <= second_step { (one, two) } else { (two, one) };
            let mut candidate = align_up(low, coarse)?;
            for _ in 0..fine.step.min(1000) {
                if candidate >= fine.min && (candidate - fine.min).is_multiple_of(fine.step) {
                    let step = (first_step / common).checked_mul(second_step).unwrap_or(coarse.step);
                    return Some((candidate, step));
                }
                candidate = candidate.checked_add(coarse.step)?;
            }
            Some((align_up(low, coarse)?, coarse.step))
        }
    }
}

fn on_grid(len: u64, grid: &Progression) -> bool {
    if grid.step == 0 { len == grid.min } else { (len - grid.min).is_multiple_of(grid.step) }
}

/// The first number from `low` on that is on the grid; `None` beyond all counting.
fn align_up(low: u64, grid: &Progression) -> Option<u64> {
    let distance = low - grid.min;
    low.checked_add((grid.step - distance % grid.step) % grid.step)
}

/// The greatest common divisor; that of 0 and n is n.
pub fn gcd(mut one: u64, mut two: u64) -> u64 {
    while two != 0 {
        (one, two) = (two, one % two);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 60;

    fn all() -> Vec<Progression> {
        let mut found = Vec::new();
        for min in 0..4 {
            found.push(Progression::single(min));
            for step in 1..4 {
                found.push(Progression::new(min, None, step, true));
                for count in 1..3 {
                    found.push(Progression::new(min, Some(min + step * count), step, true));
                }
            }
        }
        found
    }

    fn elements(progression: &Progression) -> Vec<u64> {
        (0..LIMIT).filter(|&len| progression.contains(len)).collect()
    }

    fn check(expected: &[u64], computed: &Progression, up_to: u64) {
        for len in 0..up_to {
            let is_expected = expected.contains(&len);
            assert!(!is_expected || computed.contains(len), "{computed:?} lacks {len}");
            assert!(
                !computed.is_exact || is_expected == computed.contains(len),
                "{computed:?} has {len} of {expected:?}"
            );
        }
    }

    #[test]
    fn sums_and_unions_contain_what_they_must() {
        for one in all() {
            for two in all() {
                let (left, right) = (elements(&one), elements(&two));
                let sums: Vec<u64> = left.iter().flat_map(|x| right.iter().map(move |y| x + y)).collect();
                check(&sums, &one.plus(&two), 40);
                let union: Vec<u64> = left.iter().chain(&right).copied().collect();
                check(&union, &one.or(&two), LIMIT);
            }
        }
    }

    #[test]
    fn intersections_contain_what_they_must() {
        for one in all() {
            for two in all() {
                let right = elements(&two);
                let common: Vec<u64> = elements(&one).into_iter().filter(|len| right.contains(len)).collect();
                match one.and(&two) {
                    Some(both) => {
                        check(&common, &both, LIMIT);
                        assert!(common.is_empty() || both.min == common[0], "{one:?} {two:?} {both:?}");
                    }
                    None => assert_eq!(common, [0u64; 0], "{one:?} {two:?}"),
                }
            }
        }
    }

    #[test]
    fn loops_contain_what_they_must() {
        for body in all() {
            for min_count in 0..4 {
                for max_count in [Some(min_count), Some(min_count + 1), Some(min_count + 2), None] {
                    let mut reached = vec![0u64];
                    let mut lengths = Vec::new();
                    for count in 0..=max_count.unwrap_or(LIMIT) {
                        if count >= min_count {
                            lengths.extend(&reached);
                        }
                        let mut next: Vec<u64> = Vec::new();
                        for x in &reached {
                            next.extend(elements(&body).iter().map(|y| x + y).filter(|&sum| sum < 30));
                        }
                        next.sort_unstable();
                        next.dedup();
                        reached = next;
                    }
                    check(&lengths, &body.times(min_count, max_count), 30);
                }
            }
        }
    }

    #[test]
    fn huge_numbers_stay_sound() {
        let huge = Progression::single(u64::MAX / 2);
        assert!(huge.times(3, Some(3)).max.is_none());
        assert!(huge.plus(&huge).plus(&huge).max.is_none());
        assert_eq!(huge.plus(&huge).max, Some(u64::MAX - 1));
    }
}

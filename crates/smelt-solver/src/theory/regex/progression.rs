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
        if max.is_some_and(|max| first > u128::from(max)) {
            return None;
        }
        match u64::try_from(first) {
            Ok(first) => Some(Progression::new(first, max, step, false)),
            Err(_) => Some(beyond_counting()),
        }
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
            Some(max) if step == 0 || max < min || max - min < step => {
                debug_assert!(max >= min || !is_exact);
                Progression { min, max: Some(min), step: 0, is_exact }
            }
            Some(max) => Progression { min, max: Some(max - (max - min) % step), step, is_exact },
            None => Progression { min, max, step: step.max(1), is_exact: is_exact && step > 0 },
        }
    }
}

/// Lengths above all that can be counted. The smallest of them is a bound from below and no more.
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

/// The first common element of two progressions without maxima and the distance to the next one; `None` if there is none.
///
/// All numbers here are below 2^128, so nothing is rounded. A distance that cannot be counted is replaced by a divisor of it.
fn common_grid(one: &Progression, two: &Progression) -> Option<(u128, u64)> {
    let (low, high) = if one.min <= two.min { (one, two) } else { (two, one) };
    let first = u128::from(high.min);
    match (low.step, high.step) {
        // The only length of `low`, if `high` begins there.
        (0, _) => (low.min == high.min).then_some((first, 0)),
        (step, 0) => (high.min - low.min).is_multiple_of(step).then_some((first, 0)),
        (step, other_step) => {
            let common = gcd(step, other_step);
            let distance = high.min - low.min;
            if !distance.is_multiple_of(common) {
                return None;
            }
            // high.min + rounds * other_step is on the other grid: distance + rounds * other_step = 0 modulo step.
            let modulus = step / common;
            let needed = (modulus - distance / common % modulus) % modulus;
            let inverse = inverse_modulo(other_step / common % modulus, modulus);
            let rounds = u128::from(needed) * u128::from(inverse) % u128::from(modulus);
            let first = first + rounds * u128::from(other_step);
            let step = modulus.checked_mul(other_step).unwrap_or(step.max(other_step));
            Some((first, step))
        }
    }
}

/// The number that gives 1 modulo `modulus` when multiplied by `number`, which has no divisor in common with it.
fn inverse_modulo(number: u64, modulus: u64) -> u64 {
    let modulus = i128::from(modulus);
    // Both remainders are multiples of `number` by their factors, modulo `modulus`.
    let (mut remainder, mut next_remainder) = (modulus, i128::from(number));
    let (mut factor, mut next_factor) = (0i128, 1i128);
    while next_remainder != 0 {
        let quotient = remainder / next_remainder;
        (remainder, next_remainder) = (next_remainder, remainder - quotient * next_remainder);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    u64::try_from(factor.rem_euclid(modulus)).expect("a remainder is below its modulus")
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
    use proptest::prelude::*;

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

    /// Whether there can be a word of this length, which may be one that cannot be counted.
    fn may_contain(progression: &Progression, len: u128) -> bool {
        let Some(distance) = len.checked_sub(u128::from(progression.min)) else { return false };
        let step = u128::from(progression.step);
        let is_on_grid = if step == 0 { distance == 0 } else { distance.is_multiple_of(step) };
        is_on_grid && progression.max.is_none_or(|max| len <= u128::from(max))
    }

    /// Progressions around the places where counts of 32 and 64 bits end.
    fn huge() -> Vec<Progression> {
        let mut found = vec![beyond_counting(), Progression::any()];
        for min in [0, 1, 3, u64::MAX >> 32, 1 << 63, u64::MAX - 2, u64::MAX - 1, u64::MAX] {
            found.push(Progression::single(min));
            for step in [1, 2, 3, 1 << 32, (1 << 63) - 1, 1 << 63, u64::MAX] {
                found.push(Progression::new(min, None, step, true));
                let maxima =
                    [1u64, 2].into_iter().filter_map(|count| min.checked_add(step.checked_mul(count)?));
                found.extend(maxima.map(|max| Progression::new(min, Some(max), step, true)));
            }
        }
        found
    }

    /// The first lengths of a progression, and its last one.
    fn first_and_last(progression: &Progression) -> Vec<u128> {
        let len = |count: u128| u128::from(progression.min) + count * u128::from(progression.step);
        let mut lengths: Vec<u128> = (0..4).map(len).filter(|len| may_contain(progression, *len)).collect();
        lengths.extend(progression.max.map(u128::from));
        lengths
    }

    #[test]
    fn near_the_end_of_counting_sums_unions_and_intersections_lose_no_length() {
        for one in huge() {
            for two in huge() {
                let (sum, union, both) = (one.plus(&two), one.or(&two), one.and(&two));
                for left in first_and_last(&one) {
                    assert!(may_contain(&union, left), "{one:?} {two:?} {union:?} lacks {left}");
                    if may_contain(&two, left) {
                        let both = both.unwrap_or_else(|| panic!("{one:?} {two:?} share {left}"));
                        assert!(may_contain(&both, left), "{one:?} {two:?} {both:?} lacks {left}");
                    }
                    for right in first_and_last(&two) {
                        let len = left + right;
                        assert!(may_contain(&sum, len), "{one:?} {two:?} {sum:?} lacks {len}");
                    }
                }
            }
        }
    }

    #[test]
    fn near_the_end_of_counting_loops_lose_no_length() {
        let counts = [0, 1, 2, 3, u64::MAX >> 32, 1 << 63, u64::MAX - 1, u64::MAX];
        for body in huge() {
            for min_count in counts {
                for max_count in [None, Some(min_count), min_count.checked_add(1), Some(u64::MAX)] {
                    let whole = body.times(min_count, max_count);
                    for count in [Some(min_count), max_count].into_iter().flatten() {
                        for len in first_and_last(&body) {
                            // Longer ones are beyond all that is compared here.
                            let Some(len) = len.checked_mul(u128::from(count)) else { continue };
                            assert!(
                                may_contain(&whole, len),
                                "{body:?} {min_count}..{max_count:?}: {whole:?} lacks {len}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn lengths_beyond_counting_may_be_on_any_grid() {
        let even = Progression::new(0, None, 2, true);
        let both = beyond_counting().and(&even).unwrap();
        assert_eq!((both.min, both.max), (u64::MAX, None));
    }

    proptest! {
        #[test]
        fn a_length_that_two_progressions_share_is_not_lost(
            (len, steps, rounds) in (
                0..u128::from(u64::MAX) * 4,
                [prop_oneof![1..50u64, any::<u64>()], prop_oneof![1..50u64, any::<u64>()]],
                [prop_oneof![0..50u64, any::<u64>()], prop_oneof![0..50u64, any::<u64>()]],
            )
        ) {
            let sides = [0, 1].map(|side| {
                let step = u128::from(steps[side]).max(1);
                // The smallest number of rounds after which the beginning can be counted.
                let least = len.saturating_sub(u128::from(u64::MAX)).div_ceil(step);
                let rounds = (least + u128::from(rounds[side])).min(len / step);
                let min = u64::try_from(len - rounds * step).ok()?;
                Some(Progression::new(min, None, steps[side].max(1), true))
            });
            if let [Some(one), Some(two)] = sides {
                let both = one.and(&two).expect("they share a length");
                prop_assert!(may_contain(&both, len), "{one:?} {two:?} {both:?} lacks {len}");
                prop_assert_eq!(Some(both), two.and(&one));
            }
        }

        #[test]
        fn the_first_common_length_is_exact(
            (mins, steps) in ([0..200u64, 0..200u64], [1..60u64, 1..60u64])
        ) {
            let [one, two] = [0, 1].map(|side| Progression::new(mins[side], None, steps[side], true));
            let first = (0..200 + 60 * 60).find(|&len| one.contains(len) && two.contains(len));
            prop_assert_eq!(one.and(&two).map(|both| both.min), first);
        }
    }
}

//! Dynamic time warping: how far two sequences of numbers are apart if either may be stretched.
//!
//! Two formulas whose times jump at neighbouring releases look alike to it. Sequences here are as long as there are
//! releases, so the whole table is walked, without a band.

/// The least sum of differences over all ways to walk along both sequences, in steps along one or both.
///
/// Two empty sequences are equal; nothing can be matched with an empty one otherwise, and the distance is infinite.
pub fn distance(left: &[f64], right: &[f64]) -> f64 {
    let mut row = vec![f64::INFINITY; right.len() + 1];
    row[0] = 0.0;
    for left in left {
        let mut diagonal = row[0];
        row[0] = f64::INFINITY;
        for (column, right) in right.iter().enumerate() {
            let cheapest = diagonal.min(row[column]).min(row[column + 1]);
            diagonal = row[column + 1];
            row[column + 1] = (left - right).abs() + cheapest;
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn drawn(random: &mut Random) -> Vec<f64> {
        (0..1 + random.below(6)).map(|_| random.below(20) as f64).collect()
    }

    #[test]
    fn small_cases_are_as_computed_by_hand() {
        assert_eq!(distance(&[1.0, 2.0, 3.0], &[2.0, 2.0, 4.0]), 2.0);
        assert_eq!(distance(&[0.0, 10.0], &[0.0, 4.0]), 6.0);
        // The table, row by row: 1 2 5, 3 3 2, 3 3 4.
        assert_eq!(distance(&[0.0, 3.0, 1.0], &[1.0, 1.0, 3.0]), 4.0);
    }

    #[test]
    fn a_jump_that_comes_later_is_no_difference() {
        assert_eq!(distance(&[0.0, 0.0, 9.0], &[0.0, 9.0, 9.0]), 0.0);
        assert_eq!(distance(&[0.0, 9.0, 0.0], &[0.0, 0.0, 0.0]), 9.0);
    }

    #[test]
    fn nothing_matches_only_nothing() {
        assert_eq!(distance(&[], &[]), 0.0);
        assert_eq!(distance(&[], &[1.0]), f64::INFINITY);
        assert_eq!(distance(&[1.0], &[]), f64::INFINITY);
    }

    #[test]
    fn it_is_symmetric_zero_on_equals_and_no_more_than_walking_in_step() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let (left, right) = (drawn(&mut random), drawn(&mut random));
            let apart = distance(&left, &right);
            assert_eq!(apart, distance(&right, &left));
            assert_eq!(distance(&left, &left), 0.0);
            if left.len() == right.len() {
                let in_step: f64 = left.iter().zip(&right).map(|(one, other)| (one - other).abs()).sum();
                assert!(apart <= in_step, "{left:?} {right:?}");
            }
            // Both ends are matched whatever happens.
            let ends = (left[0] - right[0]).abs().max((left[left.len() - 1] - right[right.len() - 1]).abs());
            assert!(apart >= ends, "{left:?} {right:?}");
        }
    }

    #[test]
    fn stretching_a_sequence_changes_nothing() {
        let mut random = Random::new(4);
        for _ in 0..200 {
            let sequence = drawn(&mut random);
            let stretched: Vec<f64> = sequence.iter().flat_map(|value| [*value, *value]).collect();
            assert_eq!(distance(&sequence, &stretched), 0.0);
        }
    }
}

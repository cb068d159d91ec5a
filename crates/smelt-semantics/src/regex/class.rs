//! Sets of characters as sorted intervals.

use crate::string::MAX_CHAR;

/// A set of characters.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct CharClass {
    /// Closed intervals, in order, with at least one character between two of them.
    ranges: Box<[(u32, u32)]>,
}

impl CharClass {
    pub(super) fn full() -> Self {
        CharClass::range(0, MAX_CHAR)
    }

    pub(super) fn empty() -> Self {
        CharClass { ranges: Box::new([]) }
    }

    /// The characters from `low` to `high`; none if they are out of order.
    pub(super) fn range(low: u32, high: u32) -> Self {
        if low > high { CharClass::empty() } else { CharClass { ranges: Box::new([(low, high)]) } }
    }

    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(super) fn contains(&self, character: u32) -> bool {
        let after = self.ranges.partition_point(|&(low, _)| low <= character);
        after > 0 && character <= self.ranges[after - 1].1
    }

    /// The union of the intervals, which may come in any order and overlap.
    pub(super) fn from_ranges(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let joins = next.0 <= last.1.saturating_add(1);
            if joins {
                last.1 = last.1.max(next.1);
            }
            joins
        });
        CharClass { ranges: ranges.into() }
    }

    pub(super) fn complement(&self) -> Self {
        let mut gaps = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(low, high) in &self.ranges {
            if next < low {
                gaps.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= MAX_CHAR {
            gaps.push((next, MAX_CHAR));
        }
        CharClass { ranges: gaps.into() }
    }

    pub(super) fn intersect(&self, other: &CharClass) -> Self {
        let mut common = Vec::new();
        let (mut left, mut right) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some(&&(low1, high1)), Some(&&(low2, high2))) = (left.peek(), right.peek()) {
            let (low, high) = (low1.max(low2), high1.min(high2));
            if low <= high {
                common.push((low, high));
            }
            if high1 < high2 {
                left.next();
            } else {
                right.next();
            }
        }
        CharClass { ranges: common.into() }
    }
}

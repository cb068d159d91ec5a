//! Sets of letters as sorted lists of intervals.
//!
//! A letter is a code point from 0 to [`MAX_LETTER`]. Nothing here walks over single letters.

use crate::string::MAX_CHAR;

/// The largest letter.
pub const MAX_LETTER: u32 = MAX_CHAR;

/// A set of letters.
///
/// The intervals are inclusive, sorted, disjoint, and no two of them touch; so equal sets are equal values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LetterSet {
    intervals: Box<[(u32, u32)]>,
}

impl LetterSet {
    /// No letter.
    pub fn empty() -> Self {
        LetterSet { intervals: Box::new([]) }
    }

    /// Every letter.
    pub fn full() -> Self {
        LetterSet { intervals: Box::new([(0, MAX_LETTER)]) }
    }

    /// One letter.
    pub fn single(letter: u32) -> Self {
        LetterSet::range(letter, letter)
    }

    /// The letters from `low` to `high`; none if they are not in order.
    pub fn range(low: u32, high: u32) -> Self {
        let high = high.min(MAX_LETTER);
        if low > high { LetterSet::empty() } else { LetterSet { intervals: Box::new([(low, high)]) } }
    }

    /// The union of intervals in any order, overlapping or not.
    pub fn from_intervals(mut intervals: Vec<(u32, u32)>) -> Self {
        intervals.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(intervals.len());
        for (low, high) in intervals {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        LetterSet { intervals: merged.into() }
    }

    /// The intervals, in order.
    pub fn intervals(&self) -> &[(u32, u32)] {
        &self.intervals
    }

    /// Whether there is no letter in the set.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// How many letters there are.
    pub fn len(&self) -> u32 {
        self.intervals.iter().map(|(low, high)| high - low + 1).sum()
    }

    /// Whether the letter is in the set.
    pub fn contains(&self, letter: u32) -> bool {
        let after = self.intervals.partition_point(|&(low, _)| low <= letter);
        after > 0 && letter <= self.intervals[after - 1].1
    }

    /// The letters of both sets.
    pub fn intersect(&self, other: &LetterSet) -> LetterSet {
        let mut common = Vec::new();
        let (mut left, mut right) = (self.intervals.iter().peekable(), other.intervals.iter().peekable());
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
        LetterSet { intervals: common.into() }
    }

    /// The letters of one set or the other.
    pub fn union(&self, other: &LetterSet) -> LetterSet {
        LetterSet::from_intervals([&self.intervals[..], &other.intervals[..]].concat())
    }

    /// All letters that are not in the set.
    pub fn complement(&self) -> LetterSet {
        let mut gaps = Vec::with_capacity(self.intervals.len() + 1);
        let mut next = 0;
        for &(low, high) in &self.intervals {
            if next < low {
                gaps.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= MAX_LETTER {
            gaps.push((next, MAX_LETTER));
        }
        LetterSet { intervals: gaps.into() }
    }

    /// Up to `count` letters of the set, readable ones first, without repetition.
    pub fn pick(&self, count: usize) -> Vec<u32> {
        let mut picked = Vec::new();
        let mut rest = self.clone();
        for (from, to) in [('a', 'z'), ('A', 'Z'), ('0', '9'), ('!', '~'), ('\0', '\u{2FFFF}')] {
            let nice = LetterSet::range(from as u32, to as u32);
            let letters = rest.intersect(&nice);
            let letters = letters.intervals.iter().flat_map(|&(low, high)| low..=high);
            picked.extend(letters.take(count - picked.len()));
            if picked.len() == count {
                break;
            }
            rest = rest.intersect(&nice.complement());
        }
        picked
    }

    /// The letter that is easiest to read, if there is any.
    pub fn pick_one(&self) -> Option<u32> {
        self.pick(1).first().copied()
    }
}

/// The letter from `low` to `high` that is easiest to read.
pub fn readable_letter(low: u32, high: u32) -> u32 {
    LetterSet::range(low, high).pick_one().unwrap_or(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_intervals_become_one() {
        let set = LetterSet::from_intervals(vec![(5, 9), (0, 2), (3, 4), (8, 12)]);
        assert_eq!(set.intervals(), [(0, 12)]);
    }

    #[test]
    fn complement_of_the_complement_is_the_set() {
        let set = LetterSet::from_intervals(vec![(0, 4), (97, 122), (MAX_LETTER, MAX_LETTER)]);
        assert_eq!(set.complement().intervals(), [(5, 96), (123, MAX_LETTER - 1)]);
        assert_eq!(set.complement().complement(), set);
        assert!(set.intersect(&set.complement()).is_empty());
        assert_eq!(set.union(&set.complement()), LetterSet::full());
        assert_eq!(set.len() + set.complement().len(), MAX_LETTER + 1);
    }

    #[test]
    fn readable_letters_are_picked_first() {
        assert_eq!(LetterSet::full().pick(2), [97, 98]);
        assert_eq!(LetterSet::range(0, 50).pick(3), [48, 49, 50]);
        assert_eq!(LetterSet::range(0, 50).pick(6), [48, 49, 50, 33, 34, 35]);
        assert_eq!(LetterSet::full().pick(MAX_LETTER as usize + 9).len(), MAX_LETTER as usize + 1);
        assert_eq!(LetterSet::range(3, 4).pick(9), [3, 4]);
        assert_eq!(LetterSet::empty().pick_one(), None);
    }

    #[test]
    fn membership_is_by_interval() {
        let set = LetterSet::from_intervals(vec![(3, 4), (8, 8)]);
        let members: Vec<u32> = (0..12).filter(|&letter| set.contains(letter)).collect();
        assert_eq!(members, [3, 4, 8]);
    }
}

//! The letters that a problem tells apart.
//!
//! Sets of letters cut the alphabet into *classes*: two letters are in the same class if they are in the same sets. A problem
//! that mentions letters only through these sets cannot tell letters of one class apart, except by comparing them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Node, Re, Regexes};
use smelt_semantics::letters::{LetterSet, MAX_LETTER};

/// A partition of all letters into classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alphabet {
    /// Disjoint, not empty, together all letters; ordered by their first letter.
    classes: Vec<LetterSet>,
    /// For every interval of letters of the same class its first letter and the class.
    pieces: Vec<(u32, u32)>,
}

impl Alphabet {
    /// The classes of letters that no set tells apart.
    pub fn of_sets<'a>(sets: impl IntoIterator<Item = &'a LetterSet>) -> Self {
        let sets: FxHashSet<&LetterSet> = sets.into_iter().collect();
        let mut sets: Vec<&LetterSet> = sets.into_iter().collect();
        sets.sort_unstable_by_key(|set| set.intervals());
        let mut edges = vec![0];
        for (low, high) in sets.iter().flat_map(|set| set.intervals()) {
            edges.push(*low);
            edges.push(high + 1);
        }
        edges.sort_unstable();
        edges.dedup();
        edges.retain(|&edge| edge <= MAX_LETTER);
        // Splits the classes of the pieces between two edges by one set after the other.
        let mut class_of_piece = vec![0u32; edges.len()];
        let mut class_count = 1;
        for set in sets {
            let mut split: FxHashMap<u32, u32> = FxHashMap::default();
            for &(low, high) in set.intervals() {
                let from = edges.partition_point(|&edge| edge < low);
                let to = edges.partition_point(|&edge| edge <= high);
                for class in &mut class_of_piece[from..to] {
                    *class = *split.entry(*class).or_insert_with(|| {
                        class_count += 1;
                        class_count - 1
                    });
                }
            }
        }
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut intervals: Vec<Vec<(u32, u32)>> = Vec::new();
        let mut pieces = Vec::new();
        for (piece, &low) in edges.iter().enumerate() {
            let high = edges.get(piece + 1).map_or(MAX_LETTER, |next| next - 1);
            let number = *numbers.entry(class_of_piece[piece]).or_insert(intervals.len() as u32);
            if number as usize == intervals.len() {
                intervals.push(Vec::new());
            }
            intervals[number as usize].push((low, high));
            pieces.push((low, number));
        }
        Alphabet { classes: intervals.into_iter().map(LetterSet::from_intervals).collect(), pieces }
    }

    /// The classes, ordered by their first letter.
    pub fn classes(&self) -> &[LetterSet] {
        &self.classes
    }

    /// The number of the class of a letter.
    pub fn class_of(&self, letter: u32) -> usize {
        let after = self.pieces.partition_point(|&(low, _)| low <= letter);
        self.pieces[after - 1].1 as usize
    }
}

impl Regexes {
    /// All sets of letters that the expression mentions, single letters of words included.
    pub fn letter_sets(&self, re: Re) -> Vec<LetterSet> {
        let mut sets = Vec::new();
        let mut letters = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut pending = vec![re];
        while let Some(re) = pending.pop() {
            if !seen.insert(re) {
                continue;
            }
            match self.node(re) {
                Node::EmptyWord => {}
                Node::Letters(set) => sets.push(set.clone()),
                Node::Word { word, start } => letters.extend(self.word_letters(*word, *start)),
                Node::Concat { head, tail } => pending.extend([head, tail]),
                Node::Union(operands) | Node::Inter(operands) => pending.extend(operands),
                Node::Complement(part) | Node::Loop { body: part, .. } | Node::Path { from: part, .. } => {
                    pending.push(*part);
                }
                Node::Replaced { replacement, body, .. } => {
                    pending.push(*body);
                    letters.extend(self.replacements[*replacement as usize].letters());
                }
                Node::Preimage { map, body } => {
                    pending.push(*body);
                    for (set, image) in self.map(*map).parts() {
                        sets.push(set.clone());
                        letters.extend(image.iter());
                    }
                }
            }
        }
        sets.extend(letters.into_iter().map(LetterSet::single));
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_in_one_class_exactly_if_no_set_tells_them_apart() {
        let sets =
            [LetterSet::range(2, 6), LetterSet::from_intervals(vec![(0, 0), (5, 9)]), LetterSet::single(3)];
        let alphabet = Alphabet::of_sets(&sets);
        for one in 0..12 {
            for two in 0..12 {
                let same = sets.iter().all(|set| set.contains(one) == set.contains(two));
                assert_eq!(alphabet.class_of(one) == alphabet.class_of(two), same, "{one} {two}");
            }
            assert!(alphabet.classes()[alphabet.class_of(one)].contains(one));
        }
        assert_eq!(alphabet.class_of(MAX_LETTER), alphabet.class_of(1));
    }

    #[test]
    fn without_sets_there_is_one_class() {
        assert_eq!(Alphabet::of_sets([]).classes(), [LetterSet::full()]);
    }
}

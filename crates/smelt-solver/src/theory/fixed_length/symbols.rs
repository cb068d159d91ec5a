//! The compressed alphabet: for every class of letters that the constraints do not tell apart, as many letters as can matter.
//!
//! Take any solution, and for everything that must differ one pair of cells that does. Letters of one class may be exchanged for each
//! other as long as these pairs stay different. If d pairs are needed, the letters of the solution are the nodes of a graph
//! with d edges, and a graph that needs k colours has at least k (k - 1) / 2 edges: so the largest such k is enough.
//! Where the order of letters matters, classes are cut into intervals and the edges point upwards; the longest path has at most d
//! edges, so d + 1 letters of each interval, taken in order, are enough.

use smelt_semantics::LimitReached;

use crate::theory::regex::Regexes;
use crate::theory::regex::alphabet::Alphabet;
use smelt_semantics::letters::LetterSet;

use super::{Constraint, Problem, conflict::text_len};

/// Larger alphabets are not tried.
const MAX_SYMBOLS: usize = 1 << 16;

/// The letters that solutions are looked for in, ascending.
#[derive(Debug)]
pub(super) struct Symbols {
    letters: Vec<u32>,
}

impl Symbols {
    /// For the open constraints, with the letters that occur as constants.
    pub(super) fn new(
        regexes: &Regexes,
        problem: &Problem,
        open: &[usize],
        constants: impl Iterator<Item = u32>,
        class_count: usize,
    ) -> Result<Self, LimitReached> {
        let mut sets: Vec<LetterSet> = constants.map(LetterSet::single).collect();
        let mut differences: u64 = 0;
        let mut is_ordered = false;
        for &index in open {
            let constraint = &problem.constraints[index];
            differences = differences.saturating_add(needed_differences(problem, constraint));
            match constraint {
                Constraint::Member(_, re) => sets.extend(regexes.letter_sets(*re)),
                Constraint::ReplaceRegex { matching, .. } => {
                    sets.extend(regexes.letter_sets(matching.language));
                }
                Constraint::ToInt { .. } => sets.push(LetterSet::range('0' as u32, '9' as u32)),
                Constraint::Less { .. } => is_ordered = true,
                _ => {}
            }
        }
        let per_class = if is_ordered { differences.saturating_add(1) } else { colours(differences) };
        let per_class = usize::try_from(per_class).unwrap_or(usize::MAX).min(class_count.max(1));
        let mut letters = Vec::new();
        for class in Alphabet::of_sets(&sets).classes() {
            if letters.len() > MAX_SYMBOLS {
                return Err(LimitReached);
            }
            if is_ordered {
                for &(low, high) in class.intervals() {
                    letters.extend(LetterSet::range(low, high).pick(per_class));
                }
            } else {
                letters.extend(class.pick(per_class));
            }
        }
        letters.sort_unstable();
        Ok(Symbols { letters })
    }

    pub(super) fn letters(&self) -> &[u32] {
        &self.letters
    }

    /// The number of a letter that occurs as a constant.
    pub(super) fn of_letter(&self, letter: u32) -> usize {
        self.letters.binary_search(&letter).expect("every constant is a class of its own")
    }

    /// How many bits a symbol needs.
    pub(super) fn bit_count(&self) -> u32 {
        usize::BITS - (self.letters.len() - 1).leading_zeros()
    }
}

/// The largest number of colours that a graph with this number of edges can need.
fn colours(edges: u64) -> u64 {
    let edges = u128::from(edges);
    let mut colours: u128 = 1;
    while (colours + 1) * colours / 2 <= edges {
        colours += 1;
    }
    colours as u64
}

/// How many pairs of cells must differ at most, for the constraint to hold.
fn needed_differences(problem: &Problem, constraint: &Constraint) -> u64 {
    match constraint {
        Constraint::Contains { whole, .. } => text_len(problem, whole) + 1,
        Constraint::IndexOf { source, .. } => text_len(problem, source) + 1,
        Constraint::Replace { source, .. } | Constraint::ReplaceAll { source, .. } => {
            text_len(problem, source) + 1
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_graphs_need_the_most_colours() {
        let needed: Vec<u64> = (0..11).map(colours).collect();
        assert_eq!(needed, [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5]);
    }
}

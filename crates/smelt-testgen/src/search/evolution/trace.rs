//! Traces of runs: how alike two are, and how far a formula is from the others by that.
//!
//! Lines are compared as sets with repetitions, not in order as `diff` would: traces have millions of lines, and of two
//! that are the same but for order nothing new is learned.

use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

/// The lines of a trace, each with how often it occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    counts: FxHashMap<u64, u64>,
    lines: u64,
}

impl Trace {
    /// The trace with these lines.
    pub fn of_lines<'l>(lines: impl IntoIterator<Item = &'l [u8]>) -> Trace {
        let mut trace = Trace::default();
        let hasher = BuildHasherDefault::<FxHasher>::default();
        for line in lines {
            *trace.counts.entry(hasher.hash_one(line)).or_default() += 1;
            trace.lines += 1;
        }
        trace
    }

    /// How many lines it has.
    pub fn len(&self) -> u64 {
        self.lines
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// How many lines it shares with another.
    pub fn shared(&self, other: &Trace) -> u64 {
        let common = |(line, count): (&u64, &u64)| (*count).min(other.counts.get(line).copied().unwrap_or(0));
        self.counts.iter().map(common).sum()
    }

    /// Equation 3: from 0, nothing in common, to 1, the same lines.
    pub fn similarity(&self, other: &Trace) -> f64 {
        similarity(self.shared(other), self.lines, other.lines)
    }
}

/// Equation 3 for two traces of so many lines that share so many. Two traces without lines are the same.
pub fn similarity(shared: u64, first: u64, second: u64) -> f64 {
    if first + second == 0 {
        return 1.0;
    }
    2.0 * shared as f64 / (first + second) as f64
}

/// Equation 4: one minus the mean similarity to the others of a front; 1 for one that is alone.
pub fn crowding(traces: &[&Trace]) -> Vec<f64> {
    let mut sums = vec![0.0; traces.len()];
    for first in 0..traces.len() {
        for second in first + 1..traces.len() {
            let alike = traces[first].similarity(traces[second]);
            sums[first] += alike;
            sums[second] += alike;
        }
    }
    let others = traces.len().saturating_sub(1).max(1) as f64;
    sums.into_iter().map(|sum| 1.0 - sum / others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(lines: &str) -> Trace {
        Trace::of_lines(lines.split(' ').map(str::as_bytes))
    }

    #[test]
    fn the_similarity_of_individuals_c_and_d() {
        assert!((similarity(1_680_940, 4_553_000, 4_430_457) - 0.374).abs() < 0.0005);
    }

    #[test]
    fn lines_are_shared_as_often_as_both_have_them() {
        assert_eq!(trace("a a b").shared(&trace("a b b")), 2);
        assert!((trace("a a b").similarity(&trace("a b b")) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(trace("a b").similarity(&trace("b a")), 1.0);
        assert_eq!(trace("a").similarity(&trace("b")), 0.0);
        assert_eq!(Trace::default().similarity(&Trace::default()), 1.0);
        assert_eq!(Trace::default().similarity(&trace("a")), 0.0);
    }

    /// By hand: the first two share one of two lines, the third shares nothing.
    #[test]
    fn what_is_unlike_the_others_is_far_from_them() {
        let traces = [trace("a b"), trace("a c"), trace("d e")];
        let distances = crowding(&traces.iter().collect::<Vec<_>>());
        assert_eq!(distances, [0.75, 0.75, 1.0]);
        assert_eq!(crowding(&[&traces[0]]), [1.0]);
    }

    #[test]
    fn similarity_is_symmetric() {
        let (first, second) = (trace("a b c d"), trace("c d d e f"));
        assert_eq!(first.similarity(&second), second.similarity(&first));
    }
}

//! What makes a formula good: how slow the target is on it, what it makes the target do that nothing did before, and how
//! simple it is.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::{Term, Terms};

/// Equation 1: the time of the target, and once more what it is slower than the reference.
pub fn time_score(target_secs: f64, reference_secs: f64) -> f64 {
    target_secs + (target_secs - reference_secs).max(0.0)
}

/// Equation 2 without its sign: each node counts as much as its level. A root and its arguments are both on level 1, which
/// is how the examples of the paper count.
pub fn complexity(terms: &Terms, script: &Script) -> u64 {
    let mut sum = 0_u64;
    // How often each term stands on a level: a formula may stand for a far larger tree.
    let mut level: FxHashMap<Term, u64> = FxHashMap::default();
    for root in script.assertions() {
        *level.entry(root).or_default() += 1;
    }
    for depth in 0_u64.. {
        if level.is_empty() {
            break;
        }
        let mut next: FxHashMap<Term, u64> = FxHashMap::default();
        for (term, count) in level {
            sum = sum.saturating_add(depth.max(1).saturating_mul(count));
            for arg in terms.args(term) {
                let below = next.entry(*arg).or_default();
                *below = below.saturating_add(count);
            }
        }
        level = next;
    }
    sum
}

/// What a run covered: for each file the rows that were executed, and how often. Where there is no source, a file is
/// whatever is counted, and a row how much of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// Rows that were not executed are not listed.
    pub files: BTreeMap<String, BTreeMap<u64, u64>>,
}

impl Covered {
    /// How many rows it covers.
    pub fn rows(&self) -> usize {
        self.files.values().map(BTreeMap::len).sum()
    }
}

/// All that was covered so far, with how often a row was executed at most.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    known: Covered,
}

impl Coverage {
    /// Continues with what an earlier search has covered.
    pub fn of_known(known: Covered) -> Self {
        Coverage { known }
    }

    /// Algorithm 2: the score of a run, which is known from now on.
    ///
    /// A new file counts 1000; in a file that is known, a new row counts 100 times its executions, a row that is executed
    /// more often than ever 10 times the increase, and any other row 1. The paper's listing multiplies by the executions
    /// where its text says increase, and adds 1 to new rows; the text is followed.
    pub fn score(&mut self, covered: &Covered) -> u64 {
        let mut score = 0_u64;
        for (file, rows) in &covered.files {
            let Some(known) = self.known.files.get(file) else {
                score = score.saturating_add(1000);
                continue;
            };
            for (row, count) in rows {
                let bonus = match known.get(row) {
                    None => count.saturating_mul(100),
                    Some(most) if count > most => (count - most).saturating_mul(10),
                    Some(_) => 1,
                };
                score = score.saturating_add(bonus);
            }
        }
        for (file, rows) in &covered.files {
            let known = self.known.files.entry(file.clone()).or_default();
            for (row, count) in rows {
                let most = known.entry(*row).or_default();
                *most = (*most).max(*count);
            }
        }
        score
    }

    /// All that was covered.
    pub fn known(&self) -> &Covered {
        &self.known
    }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::read::read_script;

    use super::*;

    /// Individual D of the paper: five seconds, the limit, on the target, and 0.01731 s on the reference.
    #[test]
    fn the_time_score_of_the_paper_s_example() {
        assert!((time_score(5.0, 0.01731) - 9.98269).abs() < 1e-9);
        assert_eq!(time_score(1.0, 2.0), 1.0);
        assert_eq!(time_score(1.0, 1.0), 1.0);
    }

    fn check_complexity(assertions: &str, expected: u64) {
        let mut terms = Terms::new();
        let source = format!(
            "(set-logic QF_S) (declare-fun var3 () Int) (declare-fun var0 () String) \
             (declare-fun var2 () String) {assertions} (check-sat)"
        );
        let reading = read_script(&mut terms, &source);
        assert_eq!(reading.diagnostics, []);
        assert_eq!(complexity(&terms, &reading.script), expected);
    }

    #[test]
    fn the_complexities_of_figure_1() {
        let slow = r#"(assert (> (str.indexof "+]YAPKJ8b8" var2 var3) (str.to.int var0)))"#;
        check_complexity(&format!(r#"(assert (< (str.to.int "8b8") 9)) {slow}"#), 16);
        check_complexity(slow, 11);
    }

    fn covered(rows: &[(&str, u64, u64)]) -> Covered {
        let mut covered = Covered::default();
        for (file, row, count) in rows {
            covered.files.entry((*file).to_owned()).or_default().insert(*row, *count);
        }
        covered
    }

    #[test]
    fn coverage_is_scored_as_the_text_of_the_paper_says() {
        let mut coverage = Coverage::default();
        // Two files that nobody has seen.
        assert_eq!(coverage.score(&covered(&[("a", 1, 5), ("a", 2, 1), ("b", 1, 1)])), 2000);
        // Row 1 three times more often, row 2 less often, row 3 new with four executions, file b as before.
        assert_eq!(
            coverage.score(&covered(&[("a", 1, 8), ("a", 2, 1), ("a", 3, 4), ("b", 1, 1)])),
            30 + 1 + 400 + 1
        );
        assert_eq!(coverage.score(&covered(&[("a", 1, 8), ("a", 3, 2)])), 2);
        assert_eq!(coverage.known(), &covered(&[("a", 1, 8), ("a", 2, 1), ("a", 3, 4), ("b", 1, 1)]));
        assert_eq!(coverage.known().rows(), 4);
    }
}

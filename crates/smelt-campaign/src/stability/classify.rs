//! From the answers to the mutants of a query to how stable a solver is on it.
//!
//! The classes and thresholds are those of Mariposa: a query is stable if at least 95 % of its mutants are solved,
//! unsolvable if at most 5 % are, unstable in between. Two protocols tell which it is. The fixed one asks a fixed number
//! of mutants and compares the share with both thresholds by a z-test, as Mariposa does. The sequential one asks one
//! mutant after the other and stops when Wald's test has decided, which for a query that is far from both thresholds
//! takes a third of the runs or fewer.

use serde::{Deserialize, Serialize};

/// How a solver does on the mutants of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stability {
    /// It solves some and does not solve others.
    Unstable,
    /// The share of those that it solves is too close to a threshold.
    Inconclusive,
    /// It solves next to none.
    Unsolvable,
    /// It solves next to all.
    Stable,
}

impl Stability {
    /// All classes, the one to look at first.
    pub const ALL: [Stability; 4] =
        [Stability::Unstable, Stability::Inconclusive, Stability::Unsolvable, Stability::Stable];

    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            Stability::Unstable => "unstable",
            Stability::Inconclusive => "inconclusive",
            Stability::Unsolvable => "unsolvable",
            Stability::Stable => "stable",
        }
    }
}

/// How many runs there are at most, of the query itself and of 60 mutants, as Mariposa has it.
pub const MAX_RUNS: usize = 61;

/// Which mutants are asked, and what follows from the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// One after the other until the class is known.
    Sequential,
    /// A fixed number, and z-tests.
    Mariposa,
}

/// A word that is not the name of a protocol.
#[derive(Debug, thiserror::Error)]
#[error("unknown protocol (expected one of: sequential, mariposa)")]
pub struct UnknownProtocol;

impl std::str::FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(word: &str) -> Result<Self, UnknownProtocol> {
        match word {
            "sequential" => Ok(Protocol::Sequential),
            "mariposa" => Ok(Protocol::Mariposa),
            _ => Err(UnknownProtocol),
        }
    }
}

impl Protocol {
    /// The class after these runs, each of which solved its mutant or did not; none if more are needed.
    pub fn class(self, solved: &[bool]) -> Option<Stability> {
        match self {
            Protocol::Sequential => sequential(solved),
            Protocol::Mariposa => (solved.len() >= MAX_RUNS).then(|| fixed(solved)),
        }
    }
}

/// What counts as stable and as unsolvable: the shares of solved mutants.
const STABLE: f64 = 0.95;
const SOLVABLE: f64 = 0.05;
/// The normal quantile of an error of 5 % on one side.
const Z: f64 = 1.644_853_626_951_472;

fn fixed(solved: &[bool]) -> Stability {
    let count = solved.len() as f64;
    let share = solved.iter().filter(|is_solved| **is_solved).count() as f64 / count;
    let z = |threshold: f64| (share - threshold) / (threshold * (1.0 - threshold) / count).sqrt();
    if z(SOLVABLE) <= -Z {
        Stability::Unsolvable
    } else if z(STABLE) >= Z {
        Stability::Stable
    } else if z(STABLE) <= -Z {
        Stability::Unstable
    } else {
        Stability::Inconclusive
    }
}

/// The sequential test errs in one of a hundred cases if at least this share of mutants is solved, or at most one minus
/// this share,
const NEARLY_ALL: f64 = 0.99;
/// or if at most this share is solved, and at least one minus it.
const CLEARLY_LESS: f64 = 0.75;
/// The error.
const ERROR: f64 = 0.01;

/// Two tests of Wald: nearly all against clearly less, for what is solved and for what is not.
fn sequential(solved: &[bool]) -> Option<Stability> {
    let is_stable = wald(solved.iter().copied());
    let is_unsolvable = wald(solved.iter().map(|is_solved| !is_solved));
    match (is_stable, is_unsolvable) {
        (Some(true), _) => Some(Stability::Stable),
        (_, Some(true)) => Some(Stability::Unsolvable),
        (Some(false), Some(false)) => Some(Stability::Unstable),
        _ if solved.len() >= MAX_RUNS => Some(Stability::Inconclusive),
        _ => None,
    }
}

/// Whether nearly all of a sequence are true, if that was decided somewhere in it.
fn wald(outcomes: impl Iterator<Item = bool>) -> Option<bool> {
    let bound = ((1.0 - ERROR) / ERROR).ln();
    let if_true = (NEARLY_ALL / CLEARLY_LESS).ln();
    let if_false = ((1.0 - NEARLY_ALL) / (1.0 - CLEARLY_LESS)).ln();
    let mut evidence = 0.0;
    for outcome in outcomes {
        evidence += if outcome { if_true } else { if_false };
        if evidence >= bound {
            return Some(true);
        }
        if evidence <= -bound {
            return Some(false);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use smelt_testgen::random::Random;

    use super::*;

    fn runs(solved: usize, failed: usize) -> Vec<bool> {
        [vec![true; solved], vec![false; failed]].concat()
    }

    #[test]
    fn the_fixed_protocol_needs_all_runs_and_has_the_thresholds_of_mariposa() {
        assert_eq!(Protocol::Mariposa.class(&runs(60, 0)), None);
        let class = |solved| Protocol::Mariposa.class(&runs(solved, MAX_RUNS - solved)).unwrap();
        assert_eq!(class(61), Stability::Stable);
        assert_eq!(class(60), Stability::Inconclusive);
        assert_eq!(class(56), Stability::Inconclusive);
        assert_eq!(class(55), Stability::Unstable);
        assert_eq!(class(1), Stability::Unstable);
        assert_eq!(class(0), Stability::Unsolvable);
    }

    #[test]
    fn clear_queries_need_less_than_a_third_of_the_runs() {
        let needed = |outcome: bool| {
            (1..=MAX_RUNS).find(|count| sequential(&vec![outcome; *count]).is_some()).unwrap()
        };
        assert_eq!((needed(true), needed(false)), (17, 17));
        assert_eq!(sequential(&runs(17, 0)), Some(Stability::Stable));
        assert_eq!(sequential(&runs(0, 17)), Some(Stability::Unsolvable));
        assert_eq!(sequential(&[true, false, true, false]), Some(Stability::Unstable));
        assert_eq!(sequential(&runs(16, 1)), None);
    }

    #[test]
    fn the_sequential_test_keeps_its_error() {
        let mut random = Random::new(7);
        let mut wrong_share = |solved_of_1000: u64, right: Stability| {
            let wrong = (0..2000).filter(|_| {
                let mut solved = Vec::new();
                loop {
                    solved.push(random.below(1000) < solved_of_1000);
                    match sequential(&solved) {
                        None => {}
                        class => break class != Some(right) && class != Some(Stability::Inconclusive),
                    }
                }
            });
            wrong.count() as f64 / 2000.0
        };
        assert!(wrong_share(990, Stability::Stable) <= 0.02);
        assert!(wrong_share(10, Stability::Unsolvable) <= 0.02);
        assert!(wrong_share(750, Stability::Unstable) <= 0.02);
        assert!(wrong_share(500, Stability::Unstable) <= 0.01);
        assert!(wrong_share(250, Stability::Unstable) <= 0.02);
    }
}

//! What a study is about, as far as it may not change while the study goes on.

use serde::{Deserialize, Serialize};

/// All that decides which formulas are run, and how. Releases and theories may be added later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyConfiguration {
    /// How many formulas each theory has.
    pub formulas: u32,
    /// Where chance starts.
    pub random_seed: u64,
    /// The largest size of formulas that are drawn.
    pub max_size: u32,
    /// How many variables formulas have.
    pub variables: u32,
    /// How many assertions.
    pub asserts: u32,
    /// The largest time limit, in seconds of processor time; all others follow from it.
    pub timeout_secs: f64,
    /// The time limit of references.
    pub reference_timeout_secs: f64,
    /// `warm` or `cold`.
    pub mode: String,
    /// The references, as the user names them.
    pub references: Vec<String>,
}

impl StudyConfiguration {
    /// What is not the same in another one, in words.
    pub fn differences(&self, other: &StudyConfiguration) -> Vec<String> {
        let mut found = Vec::new();
        let mut compare = |option: &str, own: String, others: String| {
            if own != others {
                found.push(format!("{option} was {own} and is {others}"));
            }
        };
        compare("--formulas", self.formulas.to_string(), other.formulas.to_string());
        compare("--seed", self.random_seed.to_string(), other.random_seed.to_string());
        compare("--max-size", self.max_size.to_string(), other.max_size.to_string());
        compare("--variables", self.variables.to_string(), other.variables.to_string());
        compare("--asserts", self.asserts.to_string(), other.asserts.to_string());
        compare("--timeout", self.timeout_secs.to_string(), other.timeout_secs.to_string());
        compare(
            "--reference-timeout",
            self.reference_timeout_secs.to_string(),
            other.reference_timeout_secs.to_string(),
        );
        compare("--mode", self.mode.clone(), other.mode.clone());
        compare("--reference", self.references.join(","), other.references.join(","));
        found
    }

    /// All time limits in seconds: 1/64 and its doubles below the largest, and the largest.
    pub fn timeouts(&self) -> Vec<f64> {
        let doubles = std::iter::successors(Some(1.0 / 64.0), |seconds| Some(seconds * 2.0));
        let smaller = doubles.take_while(|seconds| *seconds < self.timeout_secs);
        smaller.chain([self.timeout_secs]).collect()
    }
}

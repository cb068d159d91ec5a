//! Cases: formulas with an expectation and a lineage.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::run::Answer;

/// What must hold of the answers to a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// Satisfiable, by a model that our evaluator has accepted.
    Sat,
    /// Unsatisfiable, by construction.
    Unsat,
    /// Nothing is known.
    None,
}

impl Expectation {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            Expectation::Sat => "sat",
            Expectation::Unsat => "unsat",
            Expectation::None => "none",
        }
    }

    /// The answer that is expected, if one is.
    pub fn answer(self) -> Option<Answer> {
        match self {
            Expectation::Sat => Some(Answer::Sat),
            Expectation::Unsat => Some(Answer::Unsat),
            Expectation::None => None,
        }
    }
}

/// How a case follows from the one before it in its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Every model of the one before is a model of it.
    Weaker,
    /// Every model of it is a model of the one before.
    Stronger,
    /// Both have the same models.
    Equal,
}

impl Relation {
    /// What must hold of the case if this is the answer to the one before it.
    pub fn expectation(self, before: Expectation) -> Expectation {
        match (self, before) {
            (Relation::Weaker | Relation::Equal, Expectation::Sat) => Expectation::Sat,
            (Relation::Stronger | Relation::Equal, Expectation::Unsat) => Expectation::Unsat,
            _ => Expectation::None,
        }
    }
}

/// Where a case comes from: enough to make it again, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lineage {
    /// The technique that made it.
    pub technique: String,
    /// The seed formula it was made from.
    pub seed: String,
    /// The start of the generator of random numbers for this chain.
    pub random_seed: u64,
    /// How many steps of the chain led here.
    pub step: u32,
}

impl Lineage {
    /// Where a case comes from, and what the last step did, in one line.
    pub fn push_line(&self, detail: &str, text: &mut String) {
        text.push_str("seed ");
        push_in_one_line(&self.seed, text);
        let numbers = write!(text, ", random seed {}, step {}", self.random_seed, self.step);
        numbers.expect("a string takes any text");
        if !detail.is_empty() {
            text.push_str(", ");
            push_in_one_line(detail, text);
        }
    }
}

fn push_in_one_line(part: &str, text: &mut String) {
    if part.bytes().any(|byte| matches!(byte, b'\n' | b'\r')) {
        text.push_str(&part.replace(['\n', '\r'], " "));
    } else {
        text.push_str(part);
    }
}

/// A formula with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The formula as SMT-LIB 2.6 text.
    pub script: String,
    /// What must hold.
    pub expectation: Expectation,
    /// Whether that rests on the label of a seed which no solver has confirmed.
    #[serde(default)]
    pub is_doubtful: bool,
    /// Where it comes from.
    pub lineage: Lineage,
}

impl Case {
    /// The comments that a case starts with when it is written to a file.
    pub fn push_header(&self, detail: &str, text: &mut String) {
        text.push_str("; expect: ");
        text.push_str(self.expectation.word());
        text.push_str("\n; technique: ");
        text.push_str(&self.lineage.technique);
        text.push_str("\n; lineage: ");
        self.lineage.push_line(detail, text);
        text.push('\n');
    }
}

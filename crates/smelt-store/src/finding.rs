//! Findings as they are recorded and exported.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smelt_oracle::assertion_values::AssertionValue;
use smelt_oracle::case::Lineage;
use smelt_oracle::finding::Verdict;
use smelt_oracle::finding_id::FindingId;
use smelt_oracle::run::Run;

use crate::configuration::SolverCommand;

/// The version of `finding.json`.
pub const FORMAT: u32 = 1;

/// What is known of a finding, as in `finding.json`, and its case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The version of this format.
    pub format: u32,
    /// The name of its folder.
    pub id: FindingId,
    /// What is wrong, who is to blame, and why.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Whether fresh processes showed it again.
    pub confirmed: bool,
    /// How many cases showed it.
    pub count: u64,
    /// Where the first case comes from.
    pub lineage: Lineage,
    /// What the last step of its chain did, for people; empty if there is nothing to say.
    #[serde(default)]
    pub detail: String,
    /// The operators of the formula.
    pub operators: Vec<String>,
    /// Operators on which the culprit follows an older definition.
    pub drifting: Vec<String>,
    /// The confirming runs.
    pub runs: Vec<Run>,
    /// How the solvers of these runs were started.
    #[serde(default)]
    pub commands: Vec<SolverCommand>,
    /// The processor time that was allowed for each run, in seconds.
    #[serde(default)]
    pub timeout_secs: Option<f64>,
    /// The size of the case.
    pub bytes: usize,
    /// The case as SMT-LIB 2.6, before it is put in the words of a solver or asked in another way.
    #[serde(default)]
    pub formula: Option<String>,
    /// What solvers were given that take other words than the case has, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other_words: BTreeMap<String, String>,
    /// The assertions of the case under the model that is the evidence; none if the evidence is not a model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evaluated: Vec<AssertionValue>,
    /// Whether it shows in safe mode; none if the solver has no such mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safe_mode: Option<SafeMode>,
    /// The text of the case, as it was given to the culprit. It has a file of its own.
    #[serde(skip)]
    pub script: String,
}

impl Finding {
    /// The same about another formula.
    pub fn about(&self, formula: &str) -> Finding {
        Finding { script: formula.to_owned(), formula: Some(formula.to_owned()), ..self.clone() }
    }

    /// Whether its solver has a safe mode and was run without it, so that its developers may not take a report.
    pub fn is_outside_safe_mode(&self) -> bool {
        self.safe_mode == Some(SafeMode::Outside)
    }
}

/// Whether a finding shows in the safe mode of its solver, which has no experimental features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SafeMode {
    /// It does.
    Inside,
    /// The solver was run with default options or others.
    Outside,
}

impl SafeMode {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            SafeMode::Inside => "inside safe mode",
            SafeMode::Outside => "outside safe mode",
        }
    }
}

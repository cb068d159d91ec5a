//! Findings: what judges say is wrong, with the culprit and the evidence.

use serde::{Deserialize, Serialize};

/// What kind of wrong a finding is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Says `unsat` on a satisfiable formula.
    SoundnessRefutation,
    /// Says `sat` on an unsatisfiable formula.
    SoundnessSolution,
    /// The model of a `sat` does not satisfy the formula.
    InvalidModel,
    /// A signal, a failed assertion or an internal error.
    Crash,
    /// Solvers disagree, and nothing tells who is wrong.
    Disputed,
    /// The solver follows an older definition of an operator.
    Drift,
}

impl Class {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            Class::SoundnessRefutation => "soundness-refutation",
            Class::SoundnessSolution => "soundness-solution",
            Class::InvalidModel => "invalid-model",
            Class::Crash => "crash",
            Class::Disputed => "disputed",
            Class::Drift => "drift",
        }
    }
}

/// Why we say so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Our evaluator accepted a model of the formula, printed by this solver.
    Model {
        /// Who printed the model.
        solver: String,
        /// The model as it was printed.
        model: String,
    },
    /// The model that the culprit printed makes these assertions false.
    FalseAssertions {
        /// The model as it was printed.
        model: String,
        /// Which assertions are false, counted from 1.
        assertions: Vec<usize>,
    },
    /// The case was made to have this answer.
    Construction,
    /// Solvers of two other families say otherwise, and the culprit's model fails.
    Agreement {
        /// Who they are.
        solvers: Vec<String>,
    },
    /// The crash itself.
    Signature(String),
    /// Who says `sat` and who says `unsat`.
    Disagreement {
        /// Those who say `sat`.
        sat: Vec<String>,
        /// Those who say `unsat`.
        unsat: Vec<String>,
    },
}

/// What one judge says of the runs of one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// What is wrong.
    pub class: Class,
    /// The solver to blame; none where nothing tells.
    pub culprit: Option<String>,
    /// Why.
    pub evidence: Evidence,
}

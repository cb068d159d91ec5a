//! The exhibit of a finding: one formula, and all evidence about that very formula.
//!
//! A report shows the formula of an exhibit and nothing about any other. Exhibits are made by `smelt_campaign::exhibit`,
//! which runs the solvers.

use serde::{Deserialize, Serialize};
use smelt_oracle::assertion_values::AssertionValue;
use smelt_oracle::finding::Verdict;
use smelt_oracle::guilty_step::GuiltyStep;
use smelt_oracle::run::{Answer, Limit};
use smelt_runner::cold::End;
use smelt_store::configuration::SolverCommand;

/// The version of `shown.json`.
pub const FORMAT: u32 = 1;

/// A formula with all evidence about it, as in `shown.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    /// The version of this format.
    pub format: u32,
    /// The formula as SMT-LIB 2.6, without requests and options.
    pub formula: String,
    /// The script that shows the finding by itself, in the words of the culprit.
    pub script: String,
    /// What is wrong, with the evidence for this formula.
    pub verdict: Verdict,
    /// The operators of the formula.
    pub operators: Vec<String>,
    /// Those of which the culprit follows an older definition.
    pub drifting: Vec<String>,
    /// The assertions under the model that is the evidence.
    pub evaluated: Vec<AssertionValue>,
    /// What solvers do with the formula, the culprit first.
    pub transcripts: Vec<Transcript>,
    /// What the culprit says when it is asked about its own evidence.
    pub itself: Option<OwnWords>,
    /// The first false step of the proof of a wrong `unsat`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guilty: Option<GuiltyStep>,
}

/// One solver on the formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// The name that users give the solver.
    pub solver: String,
    /// How it was started, where that is known.
    pub command: Option<SolverCommand>,
    /// What it says that it is.
    pub version: Option<String>,
    /// BLAKE3 of its program, or of the library that the program loads.
    pub hash: Option<String>,
    /// What it was given, where that differs from the script of the exhibit.
    pub script: Option<String>,
    /// Its answer.
    pub answer: Answer,
    /// Standard output.
    pub printed: String,
    /// Standard error.
    pub errors: String,
    /// How it ended, where that is known.
    pub end: Option<Ending>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// With this status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It was ended because it used more time than allowed.
    TimeLimit,
    /// It was ended because it used more memory than allowed, or had too many processes.
    MemoryLimit,
    /// It was ended because it printed more than allowed.
    OutputLimit,
}

impl From<End> for Ending {
    fn from(end: End) -> Self {
        match end {
            End::Exited(status) => Ending::Exit(status),
            End::Signalled(signal) => Ending::Signal(signal),
            End::Flooded => Ending::OutputLimit,
            End::Cut(Limit::Cpu | Limit::Wall) => Ending::TimeLimit,
            End::Cut(Limit::Memory | Limit::Processes) => Ending::MemoryLimit,
        }
    }
}

/// The culprit, asked about the evidence against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnWords {
    /// What it was asked.
    pub script: String,
    /// What it says.
    pub transcript: Transcript,
    /// The answer by which it contradicts itself.
    pub contradiction: Answer,
}

impl OwnWords {
    /// Whether it contradicts itself.
    pub fn is_contradiction(&self) -> bool {
        self.transcript.answer == self.contradiction
    }
}

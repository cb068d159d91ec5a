//! One solver configuration on one formula, and what came of it.
//!
//! A crash, a hang or garbage on standard output is data here and never an error.

use serde::{Deserialize, Serialize};

/// What a solver said, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Satisfiable.
    Sat,
    /// Unsatisfiable.
    Unsat,
    /// The solver gives up.
    Unknown,
    /// No answer within the time limit.
    Timeout,
    /// No answer within the memory limit.
    Memout,
    /// More output than allowed.
    Flood,
    /// A signal, a failed assertion or an internal error.
    Crash,
    /// An error that is neither a crash nor a rejection, or output that is no answer.
    Error,
    /// The solver does not take the formula: a parse error, an unknown operator, an unsupported feature.
    Rejected,
}

impl Answer {
    /// All answers.
    pub const ALL: [Answer; 9] = [
        Answer::Sat,
        Answer::Unsat,
        Answer::Unknown,
        Answer::Timeout,
        Answer::Memout,
        Answer::Flood,
        Answer::Crash,
        Answer::Error,
        Answer::Rejected,
    ];

    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown => "unknown",
            Answer::Timeout => "timeout",
            Answer::Memout => "memout",
            Answer::Flood => "flood",
            Answer::Crash => "crash",
            Answer::Error => "error",
            Answer::Rejected => "rejected",
        }
    }

    /// Whether the solver decided the formula.
    pub fn is_decided(self) -> bool {
        matches!(self, Answer::Sat | Answer::Unsat)
    }
}

/// The limit that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Processor time.
    Cpu,
    /// Time on the clock in which the solver did not compute: it slept or waited for something.
    Wall,
    /// Memory.
    Memory,
    /// The number of processes.
    Processes,
}

impl Limit {
    /// All limits.
    pub const ALL: [Limit; 4] = [Limit::Cpu, Limit::Wall, Limit::Memory, Limit::Processes];

    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            Limit::Cpu => "cpu",
            Limit::Wall => "wall",
            Limit::Memory => "memory",
            Limit::Processes => "processes",
        }
    }
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The configuration that was run, by the name that users give it.
    pub solver: String,
    /// The answer to the last check of the script.
    pub answer: Answer,
    /// The answers to all its checks.
    pub answers: Vec<Answer>,
    /// What the solver printed after its last verdict: a model, a core, values.
    pub output: String,
    /// The same after each verdict, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Why there is no verdict, in the solver's words: the reason of an unknown, the first error message.
    pub reason: Option<String>,
    /// What tells one crash from another, as [`crate::signature::Signature`] writes it.
    pub crash_signature: Option<String>,
    /// The same of what sanitizers reported although the solver went on: undefined behaviour, data races, leaks. Whatever
    /// the answer is, each of them is a bug.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// The limit that ended it without an answer; none if it ended by itself, also if it says that its time is up.
    #[serde(default)]
    pub limit: Option<Limit>,
    /// Processor time in milliseconds.
    pub cpu_ms: f64,
    /// Time on the clock in milliseconds.
    pub wall_ms: f64,
    /// Most memory in use in KiB, where it is known.
    pub max_rss_kb: Option<u64>,
    /// Processes that the solver had abandoned and that still ran at its end. They were ended.
    #[serde(default)]
    pub leaked: usize,
}

impl Run {
    /// A run of which nothing but the answer is known.
    pub fn saying(solver: &str, answer: Answer) -> Run {
        Run {
            solver: solver.to_owned(),
            answer,
            answers: vec![answer],
            output: String::new(),
            outputs: Vec::new(),
            reason: None,
            crash_signature: None,
            reports: Vec::new(),
            limit: None,
            cpu_ms: 0.0,
            wall_ms: 0.0,
            max_rss_kb: None,
            leaked: 0,
        }
    }

    /// The signatures of all that went wrong: of the crash, and of what sanitizers reported.
    pub fn signatures(&self) -> impl Iterator<Item = &String> {
        self.crash_signature.iter().chain(&self.reports)
    }

    /// Whether the clock ended it. Such a run depends on the machine and must not decide anything: neither that the
    /// solver is slow or hangs, nor that it behaves differently from another one.
    pub fn is_cut_by_the_clock(&self) -> bool {
        self.limit == Some(Limit::Wall)
    }
}

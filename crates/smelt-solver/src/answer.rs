//! What a check says, and why it says nothing more.

use std::fmt;

/// The answer to a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// There is a model, and it was evaluated on the assertions.
    Sat,
    /// There is no model.
    Unsat,
    /// Neither was found.
    Unknown(Reason),
}

impl Answer {
    /// Whether it is `sat` or `unsat`.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Answer::Unknown(_))
    }

    /// The word that SMT-LIB has for it.
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        }
    }
}

/// Why a check ended without a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The interrupt flag was set.
    Interrupted,
    /// The effort allowed is spent.
    Effort,
    /// Something in the input is outside of what the solver decides.
    Unsupported(String),
    /// No engine decides this formula.
    Incomplete(String),
    /// An engine gave a model that does not satisfy the input: a bug of the solver, never an answer.
    FailedModelCheck(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Interrupted => formatter.write_str("interrupted"),
            Reason::Effort => formatter.write_str("effort limit reached"),
            Reason::Unsupported(what) => write!(formatter, "unsupported: {what}"),
            Reason::Incomplete(what) => write!(formatter, "incomplete: {what}"),
            Reason::FailedModelCheck(what) => write!(formatter, "internal error: failed model check: {what}"),
        }
    }
}

//! Why a hunt cannot be run as it was asked for: which option, why, and what is expected.

use std::fmt;

use super::kind::HuntKind;

/// A request that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// A word that is none of those that an option takes.
    #[error("unknown {what} `{word}` (expected one of: {})", expected.join(", "))]
    UnknownWord {
        /// What the words are for.
        what: &'static str,
        /// The word.
        word: String,
        /// The words that are known.
        expected: Vec<&'static str>,
    },
    /// A value that an option does not take.
    #[error("--{option} cannot be `{value}` (expected {expected})")]
    BadValue {
        /// The long name of the option.
        option: &'static str,
        /// The value.
        value: String,
        /// What is expected instead.
        expected: &'static str,
    },
    /// A weight that is not one.
    #[error("the weight of technique `{0}` must be a number from 1 to 1000")]
    Weight(String),
    /// A technique that is in the list twice.
    #[error("technique `{0}` is named twice")]
    Repeated(String),
    /// An option that has no effect in this kind of hunt.
    #[error("{option} has no effect in {kind}; it belongs to {}", one_or_another(belongs_to))]
    Misplaced {
        /// The option.
        option: GivenOption,
        /// The kind of hunt.
        kind: HuntKind,
        /// The kinds that have the option.
        belongs_to: &'static [HuntKind],
    },
    /// An option that must have one value in this kind of hunt.
    #[error("{option} must be {expected} in {kind}: {why}")]
    Restricted {
        /// The option.
        option: GivenOption,
        /// The kind of hunt.
        kind: HuntKind,
        /// The only value.
        expected: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// A search for slowdowns where bugs are the goal.
    #[error("--technique {0} looks for slowdowns; it does not go together with --goal bugs")]
    SearchForBugs(String),
    /// Two options that exclude each other.
    #[error("--{0} does not go together with --{1}")]
    Exclusive(&'static str, &'static str),
    /// More configurations for a campaign that has its own.
    #[error(
        "--options has no effect with --resume: a campaign continues with the configurations that it began with"
    )]
    OptionsOfResumed,
    /// A search for slowdowns with fewer than two solvers.
    #[error("name two solvers or more with --solver; the last one is under test")]
    TooFewSolvers,
}

impl RequestError {
    /// A word that is none of these; `what` says what they are, as in `engine`.
    pub fn unknown_word(
        what: &'static str,
        word: &str,
        expected: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        RequestError::UnknownWord { what, word: word.to_owned(), expected: expected.into_iter().collect() }
    }

    pub(super) fn bad_value(option: &'static str, value: impl fmt::Display, expected: &'static str) -> Self {
        RequestError::BadValue { option, value: value.to_string(), expected }
    }
}

/// An option, and where it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenOption {
    /// On the command line, as users write it there.
    CommandLine(&'static str),
    /// In a profile.
    Profile {
        /// Its name there.
        option: &'static str,
        /// The name of the profile.
        profile: String,
    },
}

impl fmt::Display for GivenOption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GivenOption::CommandLine("seeds") => formatter.write_str("SEEDS"),
            GivenOption::CommandLine(option) => write!(formatter, "--{option}"),
            GivenOption::Profile { option, profile } => {
                write!(formatter, "`{option}` of profile `{profile}`")
            }
        }
    }
}

fn one_or_another(kinds: &[HuntKind]) -> String {
    kinds.iter().map(HuntKind::to_string).collect::<Vec<_>>().join(" or ")
}

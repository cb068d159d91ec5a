//! Why a solver is not asked about a case.

use smelt_runner::capability::Lacking;

/// Why a solver was not asked about a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Omission {
    /// The case has something that it does not know.
    Unknown(String),
    /// The case has an operator of which it follows an older definition, and is not in the sample that it gets.
    Older(String),
    /// It did not end on a case before in the chain.
    Spared,
    /// It has drawn options, and the chain is run with others.
    OtherOptions,
}

impl Omission {
    /// That a solver lacks something.
    pub(crate) fn lacking(lacking: Lacking) -> Self {
        Omission::Unknown(match lacking {
            Lacking::Operator(op) => op.info().name.to_owned(),
            Lacking::Sort(sort) => format!("{sort:?}"),
            Lacking::Feature(feature) => feature.name().to_owned(),
        })
    }

    /// What it is about, in a word or two.
    pub fn brief(&self) -> String {
        match self {
            Omission::Unknown(what) => what.clone(),
            Omission::Older(what) => format!("{what} in an older sense"),
            Omission::Spared | Omission::OtherOptions => self.words().to_owned(),
        }
    }

    /// What it is about, if it is about something in the case.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Omission::Unknown(what) | Omission::Older(what) => Some(what),
            Omission::Spared | Omission::OtherOptions => None,
        }
    }

    /// The reason as the end of a sentence about cases.
    pub fn words(&self) -> &'static str {
        match self {
            Omission::Unknown(_) => "have something that it does not know",
            Omission::Older(_) => "have operators that it defines in an older way",
            Omission::Spared => "follow one on which it did not end",
            Omission::OtherOptions => "belong to chains with other options",
        }
    }
}

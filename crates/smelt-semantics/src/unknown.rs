//! Why a term has no value that we could name.

use std::fmt;

use smelt_smtlib::op::Op;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::Terms;

use crate::LimitReached;

/// The reason why evaluation has no answer. Never a guess: an answer that is given is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// The effort allowed is spent, or a value would be too large.
    Limit,
    /// The model does not say what this symbol means.
    NoValue(Symbol),
    /// The standard leaves the value of this operator on these arguments open, and the model does not say.
    Open(Op),
    /// The selector is applied to another constructor's value, which the standard leaves open.
    OpenSelector(Symbol),
    /// A quantifier over too large a domain that no tried instance decides.
    Quantifier,
    /// A value that is no rational number, such as a root or a transcendental function's.
    Irrational,
    /// An operator of the table to which evaluation gives no meaning.
    NoMeaning(Op),
    /// An operator or value that we do not know.
    Opaque(Symbol),
    /// Equality of functions or of arrays over a sort of unknown size, or of values that hold some.
    FunctionEquality,
    /// A recursive definition of the script is an axiom that may have no solution, so no model is known to satisfy it.
    Recursion,
    /// Terms that are not well-sorted have no value.
    IllSorted,
}

impl From<LimitReached> for Unknown {
    fn from(_: LimitReached) -> Self {
        Unknown::Limit
    }
}

impl Unknown {
    /// The reason in words.
    pub fn describe(self, terms: &Terms) -> String {
        match self {
            Unknown::Limit => "the effort limit is reached".to_owned(),
            Unknown::NoValue(symbol) => format!("the model has no value for `{}`", terms.text(symbol)),
            Unknown::Open(op) => format!("the standard leaves `{}` open on these arguments", op.info().name),
            Unknown::OpenSelector(symbol) => {
                format!("selector `{}` is applied to a value of another constructor", terms.text(symbol))
            }
            Unknown::Quantifier => "a quantifier ranges over too many values".to_owned(),
            Unknown::Irrational => "a value is not a rational number".to_owned(),
            Unknown::NoMeaning(op) => format!("evaluation gives `{}` no meaning", op.info().name),
            Unknown::Opaque(symbol) => format!("`{}` is not known", terms.text(symbol)),
            Unknown::FunctionEquality => {
                "functions, or arrays over a sort of unknown size, are compared".to_owned()
            }
            Unknown::Recursion => "a recursive definition may have no solution".to_owned(),
            Unknown::IllSorted => "the term is not well-sorted".to_owned(),
        }
    }

    /// A short name of the kind of reason, for counting.
    pub fn kind(self) -> &'static str {
        match self {
            Unknown::Limit => "limit",
            Unknown::NoValue(_) => "no-value",
            Unknown::Open(_) => "open",
            Unknown::OpenSelector(_) => "open-selector",
            Unknown::Quantifier => "quantifier",
            Unknown::Irrational => "irrational",
            Unknown::NoMeaning(_) => "no-meaning",
            Unknown::Opaque(_) => "opaque",
            Unknown::FunctionEquality => "function-equality",
            Unknown::Recursion => "recursion",
            Unknown::IllSorted => "ill-sorted",
        }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind())
    }
}

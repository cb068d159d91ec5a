//! Why a step of a log is rejected.

use std::fmt;

/// The reason why a step does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StepError {
    /// A step that may only be the last one.
    AfterTheEnd,
    /// The last formula is not `false`.
    NotFalse,
    /// The last step refutes nothing.
    NothingRefuted,
    /// A constant is declared that exists.
    KnownConstant,
    /// No formula has this number.
    UnknownFormula(usize),
    /// A formula has this number already.
    KnownFormula(usize),
    /// No meaning was given to this Boolean variable.
    UnknownVariable(i32),
    /// This Boolean variable has a meaning already.
    KnownVariable(i32),
    /// A literal that does not stand for a formula.
    OtherMeaning {
        /// The literal.
        literal: i32,
        /// The number of the formula.
        formula: usize,
    },
    /// Unit propagation does not derive the clause.
    NotPropagated,
    /// Integers exist that make the clause false.
    WrongArithmetic,
    /// These values of the constants make the step false.
    FalseFor(String),
    /// The formula is not the assertion that it refers to.
    OtherAssertion,
    /// The formula does not follow from its premises by this rule.
    DoesNotFollow(String),
    /// A premise that does not define a constant.
    NotADefinition,
}

impl fmt::Display for StepError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::AfterTheEnd => write!(out, "the log continues after its last step"),
            StepError::NotFalse => write!(out, "the formula is not `false`"),
            StepError::NothingRefuted => write!(out, "the log ends before anything is refuted"),
            StepError::KnownConstant => write!(out, "the constant is not new"),
            StepError::UnknownFormula(number) => write!(out, "unknown formula {number}"),
            StepError::KnownFormula(number) => write!(out, "there is another formula {number}"),
            StepError::UnknownVariable(variable) => write!(out, "{variable} stands for nothing"),
            StepError::KnownVariable(variable) => write!(out, "{variable} stands for something else already"),
            StepError::OtherMeaning { literal, formula } => {
                write!(out, "{literal} does not stand for formula {formula}")
            }
            StepError::NotPropagated => write!(out, "unit propagation does not show this"),
            StepError::WrongArithmetic => write!(out, "the clause does not hold in arithmetic"),
            StepError::FalseFor(values) => write!(out, "this is false for {values}"),
            StepError::OtherAssertion => write!(out, "this is not that assertion of the input"),
            StepError::DoesNotFollow(rule) => write!(out, "this does not follow by `{rule}`"),
            StepError::NotADefinition => write!(out, "a premise does not say what a constant is"),
        }
    }
}

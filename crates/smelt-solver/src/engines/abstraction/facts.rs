//! String constraints as the abstraction keeps them: with linear terms where the fixed-length backend wants numbers.

use dashu_int::IBig;

use crate::theory::arith::Linear;
use crate::theory::fixed_length::{Constraint, Piece, Text, Var};
use crate::theory::search::{Assignment, Literal};

/// A string constraint that holds whenever its guard is true.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// The literal that asserts the constraint.
    pub(crate) guard: Literal,
    /// The constraint.
    pub(crate) shape: Shape,
}

/// A string constraint over string variables and integers that are not known yet.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// A constraint without integers.
    Plain(Constraint),
    /// `result` is a position in `source`.
    IndexOf { result: Linear, source: Text, part: Text, start: Linear },
    /// `code` is the letter of `text`.
    ToCode { code: Linear, text: Text },
    /// `result` is the letter with this code.
    FromCode { result: Text, code: Linear },
    /// `value` is the number that `text` denotes.
    ToInt { value: Linear, text: Text },
    /// `result` denotes the number `value`.
    FromInt { result: Text, value: Linear },
}

impl Shape {
    /// The integers of the constraint.
    pub(crate) fn integers(&self) -> Vec<&Linear> {
        match self {
            Shape::Plain(_) => Vec::new(),
            Shape::IndexOf { result, start, .. } => vec![result, start],
            Shape::ToCode { code: integer, .. }
            | Shape::FromCode { code: integer, .. }
            | Shape::ToInt { value: integer, .. }
            | Shape::FromInt { value: integer, .. } => vec![integer],
        }
    }

    /// The string expressions of the constraint.
    pub(crate) fn texts(&self) -> Vec<&Text> {
        match self {
            Shape::Plain(constraint) => constraint.texts(),
            Shape::IndexOf { source, part, .. } => vec![source, part],
            Shape::ToCode { text, .. }
            | Shape::FromCode { result: text, .. }
            | Shape::ToInt { text, .. }
            | Shape::FromInt { result: text, .. } => vec![text],
        }
    }

    /// The variables of the constraint, with repetitions.
    pub(crate) fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.texts().into_iter().flatten().filter_map(|piece| match piece {
            Piece::Var(var) => Some(*var),
            Piece::Word(_) => None,
        })
    }

    /// The constraint for the integers of an assignment; none if they are too long for the backend.
    pub(crate) fn instantiate(&self, assignment: &Assignment) -> Option<Constraint> {
        let number = |integer: &Linear| assignment.value(integer).to_i64();
        let big = |integer: &Linear| -> IBig { assignment.value(integer).to_big() };
        Some(match self {
            Shape::Plain(constraint) => constraint.clone(),
            Shape::IndexOf { result, source, part, start } => Constraint::IndexOf {
                result: number(result)?,
                source: source.clone(),
                part: part.clone(),
                start: number(start)?,
            },
            Shape::ToCode { code, text } => Constraint::ToCode { code: number(code)?, text: text.clone() },
            Shape::FromCode { result, code } => {
                Constraint::FromCode { result: result.clone(), code: number(code)? }
            }
            Shape::ToInt { value, text } => Constraint::ToInt { value: big(value), text: text.clone() },
            Shape::FromInt { result, value } => {
                Constraint::FromInt { result: result.clone(), value: big(value) }
            }
        })
    }
}

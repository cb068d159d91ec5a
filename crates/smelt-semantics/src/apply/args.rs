//! The arguments of an operator by position and kind, and results as values.
//!
//! This and the charging of budgets is the hot path of evaluation, so what is short is inlined into the other files.

use std::sync::Arc;

use dashu_int::{IBig, UBig};

use crate::bitvec::BitVec;
use crate::eval::EvalResult;
use crate::float::{Float, RoundingMode};
use crate::regex::Re;
use crate::string::Str;
use crate::unknown::Unknown;
use crate::value::{Array, Multiset, Seq, Value};

/// The arguments of an application.
#[derive(Clone, Copy)]
pub(super) struct Args<'a>(pub(super) &'a [Value]);

impl<'a> Args<'a> {
    #[inline]
    pub(super) fn get(self, position: usize) -> Result<&'a Value, Unknown> {
        self.0.get(position).ok_or(Unknown::IllSorted)
    }

    #[inline]
    pub(super) fn bool(self, position: usize) -> Result<bool, Unknown> {
        match self.get(position)? {
            Value::Bool(value) => Ok(*value),
            _ => Err(Unknown::IllSorted),
        }
    }

    pub(super) fn bools(self) -> Result<Vec<bool>, Unknown> {
        (0..self.0.len()).map(|position| self.bool(position)).collect()
    }

    #[inline]
    pub(super) fn mode(self, position: usize) -> Result<RoundingMode, Unknown> {
        match self.get(position)? {
            Value::RoundingMode(mode) => Ok(*mode),
            _ => Err(Unknown::IllSorted),
        }
    }

    #[inline]
    pub(super) fn re(self, position: usize) -> Result<Re, Unknown> {
        match self.get(position)? {
            Value::Regex(re) => Ok(*re),
            _ => Err(Unknown::IllSorted),
        }
    }

    pub(super) fn regexes(self) -> Result<Vec<Re>, Unknown> {
        (0..self.0.len()).map(|position| self.re(position)).collect()
    }

    /// Whether a relation holds between all neighbours.
    pub(super) fn chain(self, mut holds: impl FnMut(&Value, &Value) -> Result<bool, Unknown>) -> EvalResult {
        for pair in self.0.windows(2) {
            if !holds(&pair[0], &pair[1])? {
                return false.ok();
            }
        }
        true.ok()
    }
}

macro_rules! accessors {
    ($($name:ident: $variant:ident($type:ty);)*) => {
        impl Value {
            $(
                /// The content, if the value is of that kind.
                #[inline]
                pub(crate) fn $name(&self) -> Result<&$type, Unknown> {
                    match self {
                        Value::$variant(content) => Ok(content),
                        _ => Err(Unknown::IllSorted),
                    }
                }
            )*
        }

        impl<'a> Args<'a> {
            $(
                #[inline]
                pub(super) fn $name(self, position: usize) -> Result<&'a $type, Unknown> {
                    self.get(position)?.$name()
                }
            )*
        }
    };
}

accessors! {
    int: Int(IBig);
    bv: BitVec(BitVec);
    float: Float(Float);
    str: Str(Str);
    array: Array(Arc<Array>);
    tuple_content: Tuple(Arc<Seq>);
    nullable_content: Nullable(Arc<Seq>);
    set: Set(Arc<Multiset>);
    bag: Bag(Arc<Multiset>);
    field: Field(UBig);
}

/// Wrapping of results, so that the match reads as a list of definitions.
pub(super) trait IntoOutcome {
    fn ok(self) -> EvalResult;
}

macro_rules! into_outcome {
    ($($from:ty => $variant:ident,)*) => {
        $(impl IntoOutcome for $from {
            fn ok(self) -> EvalResult {
                Ok(Value::$variant(self))
            }
        })*
    };
}

into_outcome! {
    bool => Bool,
    IBig => Int,
    BitVec => BitVec,
    Float => Float,
    Str => Str,
    Re => Regex,
}

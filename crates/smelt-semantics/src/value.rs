//! Values of every sort.
//!
//! Values are immutable. Equality is that of SMT-LIB's `=`: arrays are compared by what they map to, floating point has
//! one NaN and two zeros. Only regular languages are compared as expressions here; whether two expressions denote the
//! same language is for the evaluator, which has their arena.
//!
//! Containers share their parts, so that a small formula can build a value that is astronomically large when
//! written out. Each therefore knows its [`Shape`]: how much it would be, how deep it is, its hash. Whoever
//! compares, copies or prints values charges a [`Budget`](crate::Budget) by that first.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::FxBuildHasher;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Variable};

use crate::bitvec::BitVec;
use crate::cost::{fraction_words, int_words};
use crate::float::{Float, RoundingMode};
use crate::regex::Re;
use crate::string::Str;

mod array;
mod collection;
mod compare;

pub use array::{Array, IndexCount};
pub(crate) use collection::ENTRY_WORDS;
pub use collection::Multiset;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// Of sort `Bool`.
    Bool(bool),
    /// Of sort `Int`.
    Int(IBig),
    /// Of sort `Real`.
    Real(RBig),
    /// Of a bit-vector sort.
    BitVec(BitVec),
    /// Of a floating-point sort.
    Float(Float),
    /// Of sort `RoundingMode`.
    RoundingMode(RoundingMode),
    /// Of sort `String`.
    Str(Str),
    /// Of sort `RegLan`, in the arena of the evaluator.
    Regex(Re),
    /// Of an array sort.
    Array(Arc<Array>),
    /// Of a sequence sort.
    Seq(Arc<Seq>),
    /// Of a datatype.
    Data(Arc<Data>),
    /// Of a tuple sort.
    Tuple(Arc<Seq>),
    /// Of a sort of nullables; null has no element.
    Nullable(Arc<Seq>),
    /// Of a sort of finite sets, in which everything occurs once.
    Set(Arc<Multiset>),
    /// Of a sort of bags.
    Bag(Arc<Multiset>),
    /// Of a finite field: a number below its order.
    Field(UBig),
    /// An element of an uninterpreted sort, known by its name in the model.
    Abstract(Sort, Symbol),
    /// A function, or an array that is given by one.
    Function(Arc<Closure>),
}

/// A sequence, or what else consists of values one after the other.
#[derive(Debug, Clone)]
pub struct Seq {
    /// Its elements.
    pub elements: Vec<Value>,
    shape: Shape,
}

/// A constructor applied to values.
#[derive(Debug, Clone)]
pub struct Data {
    /// The constructor.
    pub constructor: Symbol,
    /// Its fields.
    pub fields: Vec<Value>,
    shape: Shape,
}

/// A function as a value: a body over parameters and captured variables.
#[derive(Debug, Clone)]
pub struct Closure {
    /// The parameters.
    pub params: Vec<Variable>,
    /// The body.
    pub body: Term,
    /// The sort of what it gives: an Int that the body gives is a Real where that is declared.
    pub result: Sort,
    /// What the variables around the function stood for.
    pub captured: Vec<(Symbol, Value)>,
    shape: Shape,
}

/// What a container knows of itself without looking inside again.
#[derive(Debug, Clone, Copy)]
struct Shape {
    /// How deeply values are nested.
    depth: u32,
    /// How many machine words it takes when nothing is shared; saturates.
    weight: u64,
    /// Whether a language or a function is inside.
    is_opaque: bool,
    hash: u64,
}

/// Values nested deeper than this are not built: dropping or comparing one takes stack for each level.
pub(crate) const MAX_DEPTH: u32 = 2_000;

impl Value {
    /// A sequence of these elements, unless that nests too deeply.
    pub fn seq(elements: Vec<Value>) -> Option<Value> {
        let shape = Shape::around(0, &elements)?;
        Some(Value::Seq(Arc::new(Seq { elements, shape })))
    }

    /// A tuple of these components, unless that nests too deeply.
    pub fn tuple(elements: Vec<Value>) -> Option<Value> {
        let shape = Shape::around(1, &elements)?;
        Some(Value::Tuple(Arc::new(Seq { elements, shape })))
    }

    /// A nullable with a content, or null, unless that nests too deeply.
    pub fn nullable(content: Option<Value>) -> Option<Value> {
        let elements: Vec<Value> = content.into_iter().collect();
        let shape = Shape::around(2, &elements)?;
        Some(Value::Nullable(Arc::new(Seq { elements, shape })))
    }

    /// A constructor applied to fields, unless that nests too deeply.
    pub fn data(constructor: Symbol, fields: Vec<Value>) -> Option<Value> {
        let shape = Shape::around(hash_of(&constructor), &fields)?;
        Some(Value::Data(Arc::new(Data { constructor, fields, shape })))
    }

    /// A function, unless what it captures nests too deeply.
    pub(crate) fn function(
        params: Vec<Variable>,
        body: Term,
        result: Sort,
        captured: Vec<(Symbol, Value)>,
    ) -> Option<Value> {
        let names: Vec<Symbol> = captured.iter().map(|(name, _)| *name).collect();
        let own = hash_of(&(&params, body, result, names));
        let mut shape = Shape::around(own, captured.iter().map(|(_, value)| value))?;
        shape.is_opaque = true;
        Some(Value::Function(Arc::new(Closure { params, body, result, captured, shape })))
    }

    /// Whether equality of this value needs more than [`PartialEq`]: it holds a language or a function.
    pub fn is_opaque_to_equality(&self) -> bool {
        matches!(self, Value::Regex(_)) || self.shape().is_some_and(|shape| shape.is_opaque)
    }

    /// How many machine words the value takes when nothing is shared; saturates.
    pub fn weight(&self) -> u64 {
        match self {
            Value::Str(text) => 1 + text.len() as u64 / 2,
            _ => self.shape().map_or_else(|| 1 + self.own_words(), |shape| shape.weight),
        }
    }

    /// How many machine words a copy takes: long numbers are copied, all else is shared.
    pub(crate) fn own_words(&self) -> u64 {
        match self {
            Value::Int(number) => int_words(number),
            Value::Real(number) => fraction_words(number),
            Value::BitVec(bits) => bits.word_count(),
            Value::Float(float) => float.word_count(),
            Value::Field(number) => number.as_words().len() as u64,
            Value::Bool(_)
            | Value::RoundingMode(_)
            | Value::Str(_)
            | Value::Regex(_)
            | Value::Abstract(..)
            | Value::Array(_)
            | Value::Seq(_)
            | Value::Data(_)
            | Value::Tuple(_)
            | Value::Nullable(_)
            | Value::Set(_)
            | Value::Bag(_)
            | Value::Function(_) => 0,
        }
    }

    /// How many machine words are read or copied when the value becomes a part of a container, which hashes it.
    pub(crate) fn part_words(&self) -> u64 {
        if self.shape().is_some() { 1 } else { self.weight() }
    }

    /// How deeply values are nested in this one; a number or string has depth 0.
    fn depth(&self) -> u32 {
        self.shape().map_or(0, |shape| shape.depth)
    }

    fn shape(&self) -> Option<&Shape> {
        match self {
            Value::Array(array) => Some(array.shape()),
            Value::Seq(seq) | Value::Tuple(seq) | Value::Nullable(seq) => Some(&seq.shape),
            Value::Set(collection) | Value::Bag(collection) => Some(collection.shape()),
            Value::Data(data) => Some(&data.shape),
            Value::Function(closure) => Some(&closure.shape),
            Value::Bool(_)
            | Value::Int(_)
            | Value::Real(_)
            | Value::BitVec(_)
            | Value::Float(_)
            | Value::Field(_)
            | Value::RoundingMode(_)
            | Value::Str(_)
            | Value::Regex(_)
            | Value::Abstract(..) => None,
        }
    }
}

impl Shape {
    /// The shape of a container with a head and these parts; none if it is too deep.
    fn around<'v>(head_hash: u64, parts: impl IntoIterator<Item = &'v Value>) -> Option<Shape> {
        let mut shape = Shape { depth: 1, weight: 1, is_opaque: false, hash: head_hash };
        for part in parts {
            shape.add(part);
            shape.hash = hash_of(&(shape.hash, part));
        }
        (shape.depth <= MAX_DEPTH).then_some(shape)
    }

    /// Takes a part into account, but for the hash.
    fn add(&mut self, part: &Value) {
        self.depth = self.depth.max(part.depth() + 1);
        self.weight = self.weight.saturating_add(part.weight());
        self.is_opaque |= part.is_opaque_to_equality();
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}

impl PartialEq for Seq {
    fn eq(&self, other: &Self) -> bool {
        self.shape.hash == other.shape.hash && self.elements == other.elements
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        self.shape.hash == other.shape.hash
            && self.constructor == other.constructor
            && self.fields == other.fields
    }
}

impl PartialEq for Closure {
    fn eq(&self, other: &Self) -> bool {
        self.shape.hash == other.shape.hash
            && self.body == other.body
            && self.result == other.result
            && self.params == other.params
            && self.captured == other.captured
    }
}

macro_rules! hash_by_shape {
    ($($container:ty)*) => {
        $(
            impl Eq for $container {}

            impl Hash for $container {
                fn hash<H: Hasher>(&self, state: &mut H) {
                    state.write_u64(self.shape.hash);
                }
            }
        )*
    };
}

hash_by_shape! { Seq Data Closure }

#[cfg(test)]
mod tests {
    use super::*;

    fn nil() -> Value {
        let mut terms = smelt_smtlib::term::Terms::new();
        Value::data(terms.symbols.intern("nil"), Vec::new()).unwrap()
    }

    /// The same value twice, and that twice, and so on.
    fn doubled(depth: u32) -> Option<Value> {
        (0..depth).try_fold(nil(), |value, _| match &value {
            Value::Data(data) => Value::data(data.constructor, vec![value.clone(), value]),
            _ => None,
        })
    }

    #[test]
    fn values_do_not_nest_without_end() {
        assert!(doubled(MAX_DEPTH - 1).is_some());
        assert_eq!(doubled(MAX_DEPTH), None);
    }

    #[test]
    fn shared_parts_make_values_heavy_and_cheap_to_hash() {
        let value = doubled(1_000).unwrap();
        assert_eq!(value.weight(), u64::MAX);
        assert_eq!(hash_of(&value), hash_of(&doubled(1_000).unwrap()));
        assert_ne!(value, doubled(999).unwrap());
    }

    #[test]
    fn a_function_is_opaque_wherever_it_is() {
        let mut terms = smelt_smtlib::term::Terms::new();
        let body = terms.bool(true);
        let function = Value::function(Vec::new(), body, Sort::BOOL, Vec::new()).unwrap();
        let pair = Value::seq(vec![Value::Bool(true), function]).unwrap();
        assert!(pair.is_opaque_to_equality());
    }
}

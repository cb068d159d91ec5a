//! Values of every sort.
//!
//! Values are immutable and cheap to clone. Equality is that of SMT-LIB's `=`: arrays are compared by what they map to,
//! floating point has one NaN and two zeros. Only regular languages are compared as expressions here; whether two
//! expressions denote the same language is for the evaluator, which has their arena.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use dashu_int::IBig;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Variable};

use crate::bitvec::BitVec;
use crate::float::{Float, RoundingMode};
use crate::regex::Re;
use crate::string::Str;

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
    /// An element of an uninterpreted sort, known by its name in the model.
    Abstract(Sort, Symbol),
    /// A function, or an array that is given by one.
    Function(Arc<Closure>),
}

/// A total map: finitely many entries over a default.
#[derive(Debug, Clone)]
pub struct Array {
    /// How many indices there are, where that is a number below 2^64.
    index_count: Option<u64>,
    /// Only what differs from the default.
    entries: FxHashMap<Value, Value>,
    default: Value,
    depth: u32,
}

/// A sequence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Seq {
    /// Its elements.
    pub elements: Vec<Value>,
    depth: u32,
}

/// A constructor applied to values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Data {
    /// The constructor.
    pub constructor: Symbol,
    /// Its fields.
    pub fields: Vec<Value>,
    depth: u32,
}

/// A function as a value: a body over parameters and captured variables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Closure {
    /// The parameters.
    pub params: Vec<Variable>,
    /// The body.
    pub body: Term,
    /// What the variables around the function stood for.
    pub captured: Vec<(Symbol, Value)>,
}

/// Values nested deeper than this are not built: dropping or comparing one takes stack for each level.
pub(crate) const MAX_DEPTH: u32 = 2_000;

impl Value {
    /// How deeply values are nested in this one; a number or string has depth 0.
    fn depth(&self) -> u32 {
        match self {
            Value::Array(array) => array.depth,
            Value::Seq(seq) => seq.depth,
            Value::Data(data) => data.depth,
            Value::Function(closure) => depth_around(closure.captured.iter().map(|(_, value)| value)),
            Value::Bool(_)
            | Value::Int(_)
            | Value::Real(_)
            | Value::BitVec(_)
            | Value::Float(_)
            | Value::RoundingMode(_)
            | Value::Str(_)
            | Value::Regex(_)
            | Value::Abstract(..) => 0,
        }
    }

    /// A sequence of these elements, unless that nests too deeply.
    pub fn seq(elements: Vec<Value>) -> Option<Value> {
        let depth = depth_around(elements.iter());
        (depth <= MAX_DEPTH).then(|| Value::Seq(Arc::new(Seq { elements, depth })))
    }

    /// A constructor applied to fields, unless that nests too deeply.
    pub fn data(constructor: Symbol, fields: Vec<Value>) -> Option<Value> {
        let depth = depth_around(fields.iter());
        (depth <= MAX_DEPTH).then(|| Value::Data(Arc::new(Data { constructor, fields, depth })))
    }

    /// Whether equality of this value needs more than [`PartialEq`]: it holds a language or a function.
    pub fn is_opaque_to_equality(&self) -> bool {
        match self {
            Value::Regex(_) | Value::Function(_) => true,
            Value::Array(array) => {
                array.default.is_opaque_to_equality()
                    || array.entries.iter().any(|(index, element)| {
                        index.is_opaque_to_equality() || element.is_opaque_to_equality()
                    })
            }
            Value::Seq(seq) => seq.elements.iter().any(Value::is_opaque_to_equality),
            Value::Data(data) => data.fields.iter().any(Value::is_opaque_to_equality),
            Value::Bool(_)
            | Value::Int(_)
            | Value::Real(_)
            | Value::BitVec(_)
            | Value::Float(_)
            | Value::RoundingMode(_)
            | Value::Str(_)
            | Value::Abstract(..) => false,
        }
    }
}

fn depth_around<'v>(parts: impl Iterator<Item = &'v Value>) -> u32 {
    parts.map(Value::depth).max().map_or(1, |depth| depth + 1)
}

impl Array {
    /// The array that maps everything to `default`, unless that nests too deeply. `index_count` is the number of
    /// indices if it is a number below 2^64.
    pub fn constant(default: Value, index_count: Option<u64>) -> Option<Array> {
        let depth = depth_around([&default].into_iter());
        let array = Array { index_count, entries: FxHashMap::default(), default, depth };
        (depth <= MAX_DEPTH).then_some(array)
    }

    /// What the array maps an index to.
    pub fn select(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// The array that maps `index` to `element` and is otherwise this one, unless that nests too deeply.
    pub fn store(&self, index: Value, element: Value) -> Option<Array> {
        let mut array = self.clone();
        array.depth = array.depth.max(depth_around([&index, &element].into_iter()));
        if element == array.default {
            array.entries.remove(&index);
        } else {
            array.entries.insert(index, element);
        }
        (array.depth <= MAX_DEPTH).then_some(array)
    }

    /// The entries that differ from the default, in no order.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }

    /// How many entries there are.
    pub fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// What all other indices map to.
    pub fn default(&self) -> &Value {
        &self.default
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        let agrees = |left: &Array, right: &Array| {
            left.entries.iter().all(|(index, element)| right.select(index) == element)
        };
        if !agrees(self, other) || !agrees(other, self) {
            return false;
        }
        if self.default == other.default {
            return true;
        }
        // The defaults differ, but does any index map to them in both?
        let extra = self.entries.keys().filter(|index| !other.entries.contains_key(index)).count();
        self.index_count == Some((other.entries.len() + extra) as u64)
    }
}

impl Eq for Array {}

impl Hash for Array {
    /// Arrays over few indices have several forms, so nothing of the form may enter.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index_count.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(default: bool, stores: &[(bool, bool)]) -> Array {
        let constant = Array::constant(Value::Bool(default), Some(2)).unwrap();
        stores.iter().fold(constant, |array, (index, element)| {
            array.store(Value::Bool(*index), Value::Bool(*element)).unwrap()
        })
    }

    #[test]
    fn arrays_over_few_indices_are_equal_whatever_their_default() {
        assert_eq!(array(true, &[(true, false), (false, false)]), array(false, &[]));
        assert_ne!(array(true, &[(true, false)]), array(false, &[]));
    }

    #[test]
    fn storing_the_default_is_no_entry() {
        assert_eq!(array(true, &[(true, false), (true, true)]).entry_count(), 0);
    }

    #[test]
    fn arrays_over_infinitely_many_indices_need_equal_defaults() {
        let zero = Array::constant(Value::Int(IBig::ZERO), None).unwrap();
        let one = Array::constant(Value::Int(IBig::ONE), None).unwrap();
        assert_ne!(zero, one);
    }

    #[test]
    fn values_do_not_nest_without_end() {
        let nil = Value::data_for_test(0);
        let mut list = Some(nil);
        for _ in 0..=MAX_DEPTH {
            list = list.and_then(|tail| match &tail {
                Value::Data(data) => Value::data(data.constructor, vec![tail.clone()]),
                _ => None,
            });
        }
        assert_eq!(list, None);
    }

    impl Value {
        fn data_for_test(_: u32) -> Value {
            let mut terms = smelt_smtlib::term::Terms::new();
            Value::data(terms.symbols.intern("nil"), Vec::new()).unwrap()
        }
    }
}

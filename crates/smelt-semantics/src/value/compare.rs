//! Equality of values within a budget.
//!
//! Values share parts, so comparing them as trees may take exponential time. Here every pair of containers is looked at
//! once: if two values differ, some pair of parts does, so a pair that is still being compared may be taken as equal.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Array, Value};
use crate::{Budget, LimitReached};

/// What looking at a pair of containers costs, besides their parts.
const PAIR_COST: u64 = 32;
/// What looking an index up in an array costs, besides comparing it.
const LOOKUP_COST: u64 = 64;

/// What a comparison may take for granted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Functions and languages are their texts, and arrays have further indices.
    AsWritten,
    /// Functions and languages may be equal whatever their texts, and arrays may have no further indices.
    Lenient,
}

impl Value {
    /// Whether two values are equal, as [`PartialEq`] has it.
    pub fn equals(&self, other: &Value, budget: &mut Budget) -> Result<bool, LimitReached> {
        self.is_equal(other, Reading::AsWritten, budget)
    }

    /// Whether two values differ, whatever is not known of functions, languages and sorts inside of them.
    pub(crate) fn surely_differs(&self, other: &Value, budget: &mut Budget) -> Result<bool, LimitReached> {
        Ok(!self.is_equal(other, Reading::Lenient, budget)?)
    }

    fn is_equal(&self, other: &Value, reading: Reading, budget: &mut Budget) -> Result<bool, LimitReached> {
        let mut seen = FxHashSet::default();
        let mut comparison = Comparison { reading, pending: vec![(self, other)] };
        while let Some((left, right)) = comparison.pending.pop() {
            if is_same_container(left, right) {
                continue;
            }
            let (Some(left_shape), Some(right_shape)) = (left.shape(), right.shape()) else {
                budget.spend(left.weight().min(right.weight()))?;
                let is_open = reading == Reading::Lenient && matches!(left, Value::Regex(_));
                if left != right && !is_open {
                    return Ok(false);
                }
                continue;
            };
            budget.spend(PAIR_COST)?;
            let has_form = reading == Reading::AsWritten || !(left_shape.is_opaque || right_shape.is_opaque);
            if has_form && left_shape.hash != right_shape.hash {
                return Ok(false);
            }
            if !seen.insert((address(left), address(right))) {
                continue;
            }
            if !comparison.push_parts(left, right, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Pairs of values that must be equal.
struct Comparison<'v> {
    reading: Reading,
    pending: Vec<(&'v Value, &'v Value)>,
}

impl<'v> Comparison<'v> {
    /// Adds the pairs of parts that must be equal for two containers to be; false if there is another difference.
    fn push_parts(
        &mut self,
        left: &'v Value,
        right: &'v Value,
        budget: &mut Budget,
    ) -> Result<bool, LimitReached> {
        match (left, right) {
            (Value::Function(_), _) | (_, Value::Function(_)) if self.reading == Reading::Lenient => Ok(true),
            (Value::Seq(left), Value::Seq(right))
            | (Value::Tuple(left), Value::Tuple(right))
            | (Value::Nullable(left), Value::Nullable(right)) => {
                budget.spend(left.elements.len() as u64)?;
                self.pending.extend(left.elements.iter().zip(&right.elements));
                Ok(left.elements.len() == right.elements.len())
            }
            (Value::Data(left), Value::Data(right)) => {
                budget.spend(left.fields.len() as u64)?;
                self.pending.extend(left.fields.iter().zip(&right.fields));
                Ok(left.constructor == right.constructor && left.fields.len() == right.fields.len())
            }
            (Value::Function(left), Value::Function(right)) => {
                budget.spend(left.captured.len() as u64)?;
                let captured = |(name, _): &(_, _)| *name;
                let pairs = left.captured.iter().zip(&right.captured);
                self.pending.extend(pairs.map(|(left, right)| (&left.1, &right.1)));
                Ok(left.body == right.body
                    && left.params == right.params
                    && left.captured.iter().map(captured).eq(right.captured.iter().map(captured)))
            }
            // What is in a collection is comparable as it is written, and looked up by its hash.
            (Value::Set(left), Value::Set(right)) | (Value::Bag(left), Value::Bag(right)) => {
                budget.spend(left.shape().weight.min(right.shape().weight).saturating_mul(2))?;
                Ok(left == right)
            }
            (Value::Array(left), Value::Array(right)) => {
                self.push_entries(left, right, budget)?;
                self.push_entries(right, left, budget)?;
                // Different defaults do not matter if no index maps to them in both.
                let may_be_covered = self.reading == Reading::Lenient && left.may_cover_all_indices();
                if !may_be_covered && !left.covers_all_indices_with(right) {
                    self.pending.push((left.default(), right.default()));
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn push_entries(
        &mut self,
        from: &'v Array,
        to: &'v Array,
        budget: &mut Budget,
    ) -> Result<(), LimitReached> {
        for (index, element) in from.entries() {
            // The index is looked up in every level.
            budget.spend(index.weight().saturating_mul(8).saturating_add(LOOKUP_COST))?;
            if self.reading == Reading::AsWritten || !index.is_opaque_to_equality() {
                self.pending.push((element, to.select(index)));
            }
        }
        Ok(())
    }
}

/// Whether two values are one and the same container.
fn is_same_container(left: &Value, right: &Value) -> bool {
    address(left) != 0 && address(left) == address(right)
}

/// Where a container lies; 0 for other values.
fn address(value: &Value) -> usize {
    match value {
        Value::Array(array) => Arc::as_ptr(array).addr(),
        Value::Seq(seq) | Value::Tuple(seq) | Value::Nullable(seq) => Arc::as_ptr(seq).addr(),
        Value::Set(collection) | Value::Bag(collection) => Arc::as_ptr(collection).addr(),
        Value::Data(data) => Arc::as_ptr(data).addr(),
        Value::Function(closure) => Arc::as_ptr(closure).addr(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::IndexCount;

    fn nil() -> Value {
        Value::data(smelt_smtlib::term::Terms::new().symbols.intern("nil"), Vec::new()).unwrap()
    }

    /// A tree in which each level has the one below twice, over some leaf.
    fn doubled(leaf: Value, depth: u32) -> Value {
        (0..depth).fold(leaf, |value, _| Value::seq(vec![value.clone(), value]).unwrap())
    }

    #[test]
    fn shared_parts_are_compared_once() {
        let budget = &mut Budget::new(10_000);
        assert_eq!(doubled(nil(), 100).equals(&doubled(nil(), 100), budget), Ok(true));
        assert_eq!(doubled(nil(), 100).equals(&doubled(Value::Bool(true), 100), budget), Ok(false));
    }

    #[test]
    fn equality_is_that_of_the_trait() {
        let array = |default: bool, stores: &[bool]| {
            let constant = Array::constant(Value::Bool(default), IndexCount::Exactly(2)).unwrap();
            let store =
                |array: Array, index: &bool| array.store(Value::Bool(*index), Value::Bool(!default)).unwrap();
            Value::Array(Arc::new(stores.iter().fold(constant, store)))
        };
        let arrays = [
            array(true, &[]),
            array(true, &[true]),
            array(true, &[true, false]),
            array(false, &[]),
            array(false, &[false]),
            array(false, &[true, false]),
        ];
        for left in &arrays {
            for right in &arrays {
                assert_eq!(
                    left.equals(right, &mut Budget::default()),
                    Ok(left == right),
                    "{left:?} {right:?}"
                );
            }
        }
    }

    #[test]
    fn long_values_that_are_equal_reach_the_limit() {
        let long = || Value::seq(vec![nil(); 1_000]).unwrap();
        assert_eq!(long().equals(&long(), &mut Budget::new(500)), Err(LimitReached));
    }
}

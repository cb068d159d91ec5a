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

impl Value {
    /// Whether two values are equal, as [`PartialEq`] has it.
    pub fn equals(&self, other: &Value, budget: &mut Budget) -> Result<bool, LimitReached> {
        let mut seen = FxHashSet::default();
        let mut pending = vec![(self, other)];
        while let Some((left, right)) = pending.pop() {
            if is_same_container(left, right) {
                continue;
            }
            if !matches!((left.shape(), right.shape()), (Some(_), Some(_))) {
                budget.spend(left.weight().min(right.weight()))?;
                if left != right {
                    return Ok(false);
                }
                continue;
            }
            budget.spend(PAIR_COST)?;
            if left.shape().map(|shape| shape.hash) != right.shape().map(|shape| shape.hash) {
                return Ok(false);
            }
            if !seen.insert((address(left), address(right))) {
                continue;
            }
            if !push_parts(left, right, &mut pending, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Adds the pairs of parts that must be equal for two containers to be; false if there is another difference.
fn push_parts<'v>(
    left: &'v Value,
    right: &'v Value,
    pending: &mut Vec<(&'v Value, &'v Value)>,
    budget: &mut Budget,
) -> Result<bool, LimitReached> {
    match (left, right) {
        (Value::Seq(left), Value::Seq(right)) => {
            budget.spend(left.elements.len() as u64)?;
            pending.extend(left.elements.iter().zip(&right.elements));
            Ok(left.elements.len() == right.elements.len())
        }
        (Value::Data(left), Value::Data(right)) => {
            budget.spend(left.fields.len() as u64)?;
            pending.extend(left.fields.iter().zip(&right.fields));
            Ok(left.constructor == right.constructor && left.fields.len() == right.fields.len())
        }
        (Value::Function(left), Value::Function(right)) => {
            budget.spend(left.captured.len() as u64)?;
            let captured = |(name, _): &(_, _)| *name;
            pending
                .extend(left.captured.iter().zip(&right.captured).map(|(left, right)| (&left.1, &right.1)));
            Ok(left.body == right.body
                && left.params == right.params
                && left.captured.iter().map(captured).eq(right.captured.iter().map(captured)))
        }
        (Value::Array(left), Value::Array(right)) => {
            push_entries(left, right, pending, budget)?;
            push_entries(right, left, pending, budget)?;
            // Different defaults do not matter if no index maps to them in both.
            if !left.covers_all_indices_with(right) {
                pending.push((left.default(), right.default()));
            }
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn push_entries<'v>(
    from: &'v Array,
    to: &'v Array,
    pending: &mut Vec<(&'v Value, &'v Value)>,
    budget: &mut Budget,
) -> Result<(), LimitReached> {
    for (index, element) in from.entries() {
        // The index is looked up in every level.
        budget.spend(index.weight().saturating_mul(8).saturating_add(LOOKUP_COST))?;
        pending.push((element, to.select(index)));
    }
    Ok(())
}

/// Whether two values are one and the same container.
fn is_same_container(left: &Value, right: &Value) -> bool {
    address(left) != 0 && address(left) == address(right)
}

/// Where a container lies; 0 for other values.
fn address(value: &Value) -> usize {
    match value {
        Value::Array(array) => Arc::as_ptr(array).addr(),
        Value::Seq(seq) => Arc::as_ptr(seq).addr(),
        Value::Data(data) => Arc::as_ptr(data).addr(),
        Value::Function(closure) => Arc::as_ptr(closure).addr(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let constant = Array::constant(Value::Bool(default), Some(2)).unwrap();
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

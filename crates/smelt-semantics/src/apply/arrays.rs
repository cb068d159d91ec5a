//! Arrays that are given by their entries, among them the sets of Z3, which are arrays of `Bool`.
//!
//! The evaluator applies arrays that are given by a function before it comes here.

use std::sync::Arc;

use dashu_int::IBig;
use rustc_hash::FxHashSet;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};

use super::args::{Args, IntoOutcome};
use super::context::Context;
use super::{Application, apply_named};
use crate::domain::Domains;
use crate::eval::EvalResult;
use crate::unknown::Unknown;
use crate::value::{Array, IndexCount, Value};

/// The element at an index.
pub(super) fn select(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let (array, index) = (args.array(0)?, args.get(1)?);
    if index.is_opaque_to_equality() && array.entry_count() > 0 {
        return Err(Unknown::FunctionEquality);
    }
    ctx.budget.spend(index.weight().saturating_mul(8))?;
    ctx.copy(array.select(index))
}

/// An array with another element at an index.
pub(super) fn store(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let (array, index, element) = (args.array(0)?, args.get(1)?, args.get(2)?);
    if index.is_opaque_to_equality() {
        return Err(Unknown::FunctionEquality);
    }
    ctx.budget.spend(index.weight().saturating_mul(8))?;
    ctx.budget.spend_words(array.store_words(index, element))?;
    let stored = if element.equals(array.default(), ctx.budget)? {
        array.store_default(index.clone())
    } else {
        array.store_other(index.clone(), element.clone())
    };
    Ok(Value::Array(Arc::new(stored.ok_or(Unknown::Limit)?)))
}

/// An array with one element everywhere.
pub(super) fn constant(ctx: &mut Context<'_>, args: Args<'_>, sort: Sort) -> EvalResult {
    let index = match ctx.terms.sorts.kind(sort) {
        SortKind::Array(index, _) => *index,
        // To Z3 a function is an array.
        SortKind::Arrow(parts) => match **parts {
            [index, _] => index,
            _ => return Err(Unknown::NoMeaning(Op::ConstArray)),
        },
        _ => return Err(Unknown::IllSorted),
    };
    let domains = Domains { terms: ctx.terms, environment: ctx.environment, universes: ctx.universes };
    let index_count = domains.index_count(index, ctx.budget)?;
    let default = ctx.part(args.get(0)?)?;
    let array = Array::constant(default, index_count).ok_or(Unknown::Limit)?;
    Ok(Value::Array(Arc::new(array)))
}

/// What an array maps all but some indices to, where that is told by its other values.
pub(super) fn default(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let array = args.array(0)?;
    match array.index_count() {
        IndexCount::Many => ctx.copy(array.default()),
        _ if array.entry_count() == 0 => ctx.copy(array.default()),
        _ => Err(Unknown::Open(Op::ArrayDefault)),
    }
}

/// How many indices an array of `Bool` maps to true; none if these are infinitely many, or more than can be counted.
pub(super) fn size(ctx: &mut Context<'_>, array: &Array) -> Result<Option<u64>, Unknown> {
    ctx.budget.spend(array.entry_count() as u64)?;
    let entries = array.entry_count() as u64;
    match (array.default(), array.index_count()) {
        (Value::Bool(false), _) => Ok(Some(entries)),
        (Value::Bool(true), IndexCount::Exactly(count)) => Ok(Some(count - entries)),
        (Value::Bool(true), IndexCount::Many) => Ok(None),
        (Value::Bool(true), IndexCount::Unknown) => Err(Unknown::FunctionEquality),
        _ => Err(Unknown::IllSorted),
    }
}

/// Folds arrays of `Bool` index by index.
pub(super) fn pointwise(
    ctx: &mut Context<'_>,
    args: Args<'_>,
    combine: fn(bool, bool) -> bool,
) -> EvalResult {
    let bool = |value: &Value| match value {
        Value::Bool(value) => Ok(*value),
        _ => Err(Unknown::IllSorted),
    };
    let mut result = args.get(0)?.clone();
    for position in 1..args.0.len() {
        let (left, right) = (result.array()?, args.array(position)?);
        let default = combine(bool(left.default())?, bool(right.default())?);
        let mut array = Array::constant(Value::Bool(default), left.index_count()).ok_or(Unknown::Limit)?;
        for (index, _) in left.entries().chain(right.entries()) {
            let element = Value::Bool(combine(bool(left.select(index))?, bool(right.select(index))?));
            ctx.budget.spend_words(array.store_words(index, &element))?;
            array = array.store(index.clone(), element).ok_or(Unknown::Limit)?;
        }
        result = Value::Array(Arc::new(array));
    }
    Ok(result)
}

/// The array of `Bool` that is true where another is false.
pub(super) fn complement(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let all = Array::constant(Value::Bool(true), args.array(0)?.index_count()).ok_or(Unknown::Limit)?;
    let pair = [Value::Array(Arc::new(all)), args.get(0)?.clone()];
    pointwise(ctx, Args(&pair), |a, b| a && !b)
}

/// An operator applied to the elements of arrays, index by index.
pub(super) fn map_operator(ctx: &mut Context<'_>, application: &Application<'_>) -> EvalResult {
    let args = Args(application.args);
    let arrays =
        (0..args.0.len()).map(|place| Ok(&**args.array(place)?)).collect::<Result<Vec<&Array>, Unknown>>()?;
    let SortKind::Array(_, element_sort) = *ctx.terms.sorts.kind(application.sort) else {
        return Err(Unknown::IllSorted);
    };
    let operator = application.indices.first();
    let defaults: Vec<Value> = arrays.iter().map(|array| array.default().clone()).collect();
    let default = apply_named(ctx, operator, &defaults, element_sort)?;
    let index_count = arrays.first().ok_or(Unknown::IllSorted)?.index_count();
    let mut result = Array::constant(default, index_count).ok_or(Unknown::Limit)?;
    for index in arrays.iter().flat_map(|array| array.entries()).map(|(index, _)| index) {
        let elements: Vec<Value> = arrays.iter().map(|array| array.select(index).clone()).collect();
        let element = apply_named(ctx, operator, &elements, element_sort)?;
        ctx.budget.spend_words(result.store_words(index, &element))?;
        result = result.store(index.clone(), element).ok_or(Unknown::Limit)?;
    }
    Ok(Value::Array(Arc::new(result)))
}

/// Whether two arrays agree at all indices from one to another; of bit-vectors as unsigned numbers.
pub(super) fn equal_in_range(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let (left, right) = (args.array(0)?, args.array(1)?);
    let number = |value: &Value| match value {
        Value::Int(number) => Ok(number.clone()),
        Value::BitVec(bits) => Ok(IBig::from(bits.to_ubig())),
        _ => Err(Unknown::NoMeaning(Op::EqRange)),
    };
    let (low, high) = (number(args.get(2)?)?, number(args.get(3)?)?);
    let mut inside: FxHashSet<&Value> = FxHashSet::default();
    for (index, _) in left.entries().chain(right.entries()) {
        ctx.budget.spend(index.weight().saturating_mul(16))?;
        let place = number(index)?;
        if low <= place
            && place <= high
            && inside.insert(index)
            && !ctx.equal(left.select(index), right.select(index))?
        {
            return false.ok();
        }
    }
    let has_others = high - low + IBig::ONE > IBig::from(inside.len());
    (!has_others || ctx.equal(left.default(), right.default())?).ok()
}

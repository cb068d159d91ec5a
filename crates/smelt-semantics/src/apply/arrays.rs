//! Arrays that are given by their entries.
//!
//! The evaluator applies arrays that are given by a function before it comes here.

use std::sync::Arc;

use smelt_smtlib::sort::{Sort, SortKind};

use super::Outcome;
use super::args::Args;
use super::context::Context;
use crate::domain;
use crate::unknown::Unknown;
use crate::value::{Array, Value};

/// The element at an index.
pub(super) fn select(ctx: &mut Context<'_>, args: Args<'_>) -> Outcome {
    let (array, index) = (args.array(0)?, args.get(1)?);
    if index.is_opaque_to_equality() && array.entry_count() > 0 {
        return Err(Unknown::FunctionEquality);
    }
    ctx.budget.spend(index.weight().saturating_mul(8))?;
    ctx.copy(array.select(index))
}

/// An array with another element at an index.
pub(super) fn store(ctx: &mut Context<'_>, args: Args<'_>) -> Outcome {
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
pub(super) fn constant(ctx: &mut Context<'_>, args: Args<'_>, sort: Sort) -> Outcome {
    let SortKind::Array(index, _) = *ctx.terms.sorts.kind(sort) else {
        return Err(Unknown::IllSorted);
    };
    let index_count = domain::index_count(ctx.terms, ctx.environment, index, ctx.budget)?;
    let default = ctx.part(args.get(0)?)?;
    let array = Array::constant(default, index_count).ok_or(Unknown::Limit)?;
    Ok(Value::Array(Arc::new(array)))
}

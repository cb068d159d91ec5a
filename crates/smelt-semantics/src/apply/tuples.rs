//! Tuples, nullables and finite fields, as in cvc5.

use dashu_int::UBig;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};

use super::args::{Args, IntoOutcome};
use super::context::Context;
use super::relations::chosen;
use super::{Application, apply_named};
use crate::cost::{self, Work};
use crate::eval::EvalResult;
use crate::unknown::Unknown;
use crate::value::Value;

/// Applies an operator on tuples or nullables.
pub(super) fn apply(ctx: &mut Context<'_>, application: &Application<'_>) -> EvalResult {
    let args = Args(application.args);
    match application.op {
        Op::Tuple | Op::TupleUnit => {
            let parts = args.0.iter().map(|arg| ctx.part(arg)).collect::<Result<_, _>>()?;
            Value::tuple(parts).ok_or(Unknown::Limit)
        }
        Op::TupleSelect => {
            let places = application.places()?;
            ctx.copy(chosen(&args.tuple_content(0)?.elements, &places)?.first().ok_or(Unknown::IllSorted)?)
        }
        Op::TupleUpdate => {
            let place = *application.places()?.first().ok_or(Unknown::IllSorted)?;
            let old = &args.tuple_content(0)?.elements;
            let mut parts: Vec<Value> = old.iter().map(|part| ctx.part(part)).collect::<Result<_, _>>()?;
            *parts.get_mut(place).ok_or(Unknown::IllSorted)? = ctx.part(args.get(1)?)?;
            Value::tuple(parts).ok_or(Unknown::Limit)
        }
        Op::TupleProject => {
            let places = application.places()?;
            let parts = chosen(&args.tuple_content(0)?.elements, &places)?;
            let parts = parts.into_iter().map(|part| ctx.part(part)).collect::<Result<_, _>>()?;
            Value::tuple(parts).ok_or(Unknown::Limit)
        }
        Op::NullableNull => Value::nullable(None).ok_or(Unknown::Limit),
        Op::NullableSome => {
            let content = ctx.part(args.get(0)?)?;
            Value::nullable(Some(content)).ok_or(Unknown::Limit)
        }
        Op::NullableVal => match args.nullable_content(0)?.elements.first() {
            Some(content) => ctx.copy(content),
            None => Err(Unknown::Open(Op::NullableVal)),
        },
        Op::NullableIsNull => args.nullable_content(0)?.elements.is_empty().ok(),
        Op::NullableIsSome => (!args.nullable_content(0)?.elements.is_empty()).ok(),
        Op::NullableLiftOp => {
            let mut contents = Vec::new();
            for position in 0..args.0.len() {
                match args.nullable_content(position)?.elements.first() {
                    Some(content) => contents.push(ctx.copy(content)?),
                    None => return Value::nullable(None).ok_or(Unknown::Limit),
                }
            }
            let SortKind::Nullable(sort) = *ctx.terms.sorts.kind(application.sort) else {
                return Err(Unknown::IllSorted);
            };
            let content = apply_named(ctx, application.indices.first(), &contents, sort)?;
            Value::nullable(Some(content)).ok_or(Unknown::Limit)
        }
        other => unreachable!("{other:?} is not an operator on tuples or nullables"),
    }
}

/// Applies an operator on elements of a finite field.
pub(super) fn field(ctx: &mut Context<'_>, application: &Application<'_>) -> EvalResult {
    let args = Args(application.args);
    let order = ctx.field_order(application.sort)?;
    let mut sum = args.field(0)?.clone();
    if application.op == Op::FfNeg {
        ctx.spend_field(Work::Linear, &order)?;
        return Ok(Value::Field((&order - sum) % &order));
    }
    let mut weight = UBig::ONE;
    for position in 1..args.0.len() {
        let next = args.field(position)?;
        ctx.spend_field(Work::Quotient, &order)?;
        sum = match application.op {
            Op::FfAdd => (sum + next) % &order,
            Op::FfMul => (sum * next) % &order,
            Op::FfBitsum => {
                weight = (weight << 1) % &order;
                (sum + &weight * next) % &order
            }
            other => unreachable!("{other:?} is not an operator on finite fields"),
        };
    }
    Ok(Value::Field(sum))
}

impl Context<'_> {
    /// How many elements a finite field has.
    pub(crate) fn field_order(&mut self, sort: Sort) -> Result<UBig, Unknown> {
        let SortKind::FiniteField(order) = self.terms.sorts.kind(sort) else {
            return Err(Unknown::IllSorted);
        };
        let text = self.terms.text(*order);
        self.budget.spend(cost::radix_conversion(text.len() as u64))?;
        let order: UBig = text.parse().map_err(|_| Unknown::IllSorted)?;
        if order.is_zero() { Err(Unknown::IllSorted) } else { Ok(order) }
    }

    fn spend_field(&mut self, work: Work, order: &UBig) -> Result<(), Unknown> {
        let words = order.as_words().len() as u64;
        Ok(self.budget.spend(work.cost(2 * words + 1, words))?)
    }
}

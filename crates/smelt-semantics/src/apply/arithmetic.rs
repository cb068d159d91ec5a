//! Integers and rationals: operators on any number of arguments, and what needs more than one line.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivEuclid, RemEuclid};
use dashu_ratio::RBig;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;

use super::args::{Args, IntoOutcome};
use super::context::Context;
use crate::bitvec::BitVec;
use crate::cost::{self, Work, fraction_words, int_words};
use crate::eval::EvalResult;
use crate::unknown::Unknown;
use crate::value::Value;

impl Context<'_> {
    /// A number as a rational.
    pub(super) fn real(&mut self, value: &Value) -> Result<RBig, Unknown> {
        self.budget.spend_words(value.own_words())?;
        match value {
            Value::Int(number) => Ok(RBig::from(number.clone())),
            Value::Real(number) => Ok(number.clone()),
            _ => Err(Unknown::IllSorted),
        }
    }
}

impl Args<'_> {
    pub(super) fn compare(self, ctx: &mut Context<'_>, accepts: fn(Ordering) -> bool) -> EvalResult {
        self.chain(|left, right| {
            let words = (left.own_words(), right.own_words());
            Ok(accepts(match (left, right) {
                (Value::Int(left), Value::Int(right)) => {
                    ctx.budget.spend(words.0.min(words.1))?;
                    left.cmp(right)
                }
                _ => {
                    // Fractions are compared by the products of numerators and denominators.
                    ctx.budget.spend(cost::product(words.0, words.1).saturating_mul(2))?;
                    ctx.real(left)?.cmp(&ctx.real(right)?)
                }
            }))
        })
    }

    /// Folds integers or, if the result is real, rationals; a single argument is the result.
    pub(super) fn numeric(
        self,
        sort: Sort,
        ctx: &mut Context<'_>,
        work: Work,
        on_ints: fn(&IBig, &IBig) -> IBig,
        on_reals: fn(&RBig, &RBig) -> RBig,
    ) -> EvalResult {
        if sort == Sort::INT {
            return self.fold_ints(ctx, work, |a, b| Ok(on_ints(a, b)));
        }
        self.fold_reals(ctx, |a, b| Ok(on_reals(&a, &b)))
    }

    /// The only argument with the opposite sign.
    pub(super) fn negated(self, sort: Sort, ctx: &mut Context<'_>) -> EvalResult {
        if sort == Sort::INT {
            ctx.budget.spend_words(int_words(self.int(0)?))?;
            return (-self.int(0)?).ok();
        }
        Ok(Value::Real(-ctx.real(self.get(0)?)?))
    }

    pub(super) fn fold_ints(
        self,
        ctx: &mut Context<'_>,
        work: Work,
        mut step: impl FnMut(&IBig, &IBig) -> Result<IBig, Unknown>,
    ) -> EvalResult {
        ctx.budget.spend_words(int_words(self.int(0)?))?;
        let mut result = self.int(0)?.clone();
        for position in 1..self.0.len() {
            let next = self.int(position)?;
            ctx.budget.spend(work.cost(int_words(&result), int_words(next)))?;
            result = step(&result, next)?;
        }
        result.ok()
    }

    pub(super) fn fold_reals(
        self,
        ctx: &mut Context<'_>,
        mut step: impl FnMut(RBig, RBig) -> Result<RBig, Unknown>,
    ) -> EvalResult {
        let mut result = ctx.real(self.get(0)?)?;
        for position in 1..self.0.len() {
            let next = ctx.real(self.get(position)?)?;
            ctx.budget.spend(cost::fraction(fraction_words(&result), fraction_words(&next)))?;
            result = step(result, next)?;
        }
        Ok(Value::Real(result))
    }
}

/// Division that leaves a remainder from 0 up to the magnitude of the divisor; none by zero.
pub(super) fn div_euclid(dividend: &IBig, divisor: &IBig) -> Option<IBig> {
    (!divisor.is_zero()).then(|| dividend.div_euclid(divisor))
}

pub(super) fn rem_euclid(dividend: &IBig, divisor: &IBig) -> Option<IBig> {
    (!divisor.is_zero()).then(|| IBig::from(dividend.rem_euclid(divisor)))
}

/// `(^ base exponent)`, where solvers agree what it is: for a non-negative integer exponent; zero to the zero is one.
pub(super) fn power(ctx: &mut Context<'_>, args: Args<'_>, sort: Sort) -> EvalResult {
    let (base, exponent) = (ctx.real(args.get(0)?)?, ctx.real(args.get(1)?)?);
    let Some(exponent) = exponent.is_int().then(|| exponent.numerator()) else {
        return Err(Unknown::Irrational);
    };
    if *exponent < IBig::ZERO {
        return Err(Unknown::Open(Op::Power));
    }
    let bits = base.numerator().bit_len() + if base.is_int() { 0 } else { base.denominator().bit_len() };
    // The powers of 0, 1 and -1 repeat, however large the exponent is.
    let is_unit = base.is_int() && (-1..=1).any(|unit| *base.numerator() == IBig::from(unit));
    let exponent = if is_unit && *exponent > IBig::from(2) {
        2 - isize::from(exponent.bit(0))
    } else {
        isize::try_from(exponent).map_err(|_| Unknown::Limit)?
    };
    let words = cost::words((bits as u64).saturating_mul(exponent as u64));
    ctx.budget.spend(cost::product(words, words))?;
    let result = base.pow(exponent);
    if sort == Sort::INT { result.numerator().clone().ok() } else { Ok(Value::Real(result)) }
}

/// Whether an index divides a number.
pub(super) fn divisible(ctx: &mut Context<'_>, args: Args<'_>, divisor: IBig) -> EvalResult {
    let number = args.int(0)?;
    ctx.budget.spend(Work::Quotient.cost(int_words(number), int_words(&divisor)))?;
    let remainder = rem_euclid(number, &divisor).ok_or(Unknown::Open(Op::Divisible))?;
    remainder.is_zero().ok()
}

/// The conjunction of the last `width` bits of two integers, as a natural number.
pub(super) fn int_and(ctx: &mut Context<'_>, args: Args<'_>, width: u64) -> EvalResult {
    let (a, b) = (args.int(0)?, args.int(1)?);
    ctx.spend_bits(width)?;
    ctx.budget.spend_words(int_words(a) + int_words(b))?;
    let width = u32::try_from(width).map_err(|_| Unknown::Limit)?;
    if width == 0 {
        return Err(Unknown::Open(Op::IntAnd));
    }
    let both = BitVec::from_ibig(width, a.clone()).and(&BitVec::from_ibig(width, b.clone()));
    IBig::from(both.to_ubig()).ok()
}

/// The same with the width as the first argument.
pub(super) fn parametric_int_and(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let width = args.int(0)?;
    if *width <= IBig::ZERO {
        return Err(Unknown::Open(Op::ParametricIntAnd));
    }
    int_and(ctx, Args(&args.0[1..]), u64::try_from(width).map_err(|_| Unknown::Limit)?)
}

/// Two to the power of an integer; zero if that is negative.
pub(super) fn int_pow2(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let exponent = args.int(0)?;
    if *exponent < IBig::ZERO {
        return IBig::ZERO.ok();
    }
    let exponent = u64::try_from(exponent).map_err(|_| Unknown::Limit)?;
    ctx.spend_bits(exponent)?;
    (IBig::ONE << exponent as usize).ok()
}

/// The logarithm of an integer to the base two, rounded down; zero if there is none.
pub(super) fn int_log2(args: Args<'_>) -> EvalResult {
    let number = args.int(0)?;
    let log = if *number > IBig::ZERO { number.bit_len() - 1 } else { 0 };
    IBig::from(log).ok()
}

/// A number rounded down.
pub(super) fn to_int(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let number = ctx.real(args.get(0)?)?;
    let (numerator, denominator) = (int_words(number.numerator()), number.denominator().as_words());
    ctx.budget.spend(Work::Quotient.cost(numerator, denominator.len() as u64))?;
    number.floor().ok()
}

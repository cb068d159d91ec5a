//! Floating point: operators on floats of one format, and conversions to floats.

use std::ops::Range;

use smelt_smtlib::sort::{Sort, SortKind};

use super::args::{Args, IntoOutcome};
use super::context::Context;
use crate::cost::{self, fraction_words};
use crate::eval::EvalResult;
use crate::float::{Float, Format, RoundingMode};
use crate::unknown::Unknown;
use crate::value::Value;

impl Context<'_> {
    /// The format of a floating-point sort.
    pub(super) fn format(&self, sort: Sort) -> Result<Format, Unknown> {
        match self.terms.sorts.kind(sort) {
            SortKind::Float(exponent, significand) => {
                Format::new(*exponent, *significand).ok_or(Unknown::Limit)
            }
            _ => Err(Unknown::IllSorted),
        }
    }

    /// Charges for an operation on floats of this format.
    #[inline]
    pub(super) fn spend_format(&mut self, float: &Float) -> Result<(), Unknown> {
        Ok(self.budget.spend(float.format().operation_cost())?)
    }
}

impl<'a> Args<'a> {
    pub(super) fn float_op(
        self,
        ctx: &mut Context<'_>,
        compute: impl Fn(RoundingMode, &Float, &Float) -> Float,
    ) -> EvalResult {
        self.floats(ctx, 1..3)?;
        ctx.spend_format(self.float(1)?)?;
        compute(self.mode(0)?, self.float(1)?, self.float(2)?).ok()
    }

    pub(super) fn float_chain(self, ctx: &mut Context<'_>, holds: fn(&Float, &Float) -> bool) -> EvalResult {
        self.floats(ctx, 0..self.0.len())?;
        self.chain(|left, right| Ok(holds(left.float()?, right.float()?)))
    }

    /// The arguments at some positions, which must be floats of one format. Charges for reading them.
    pub(super) fn floats(
        self,
        ctx: &mut Context<'_>,
        positions: Range<usize>,
    ) -> Result<&'a [Value], Unknown> {
        let floats = self.0.get(positions).ok_or(Unknown::IllSorted)?;
        for value in floats {
            ctx.budget.spend_words(value.own_words())?;
            if value.float()?.format() != floats[0].float()?.format() {
                return Err(Unknown::IllSorted);
            }
        }
        Ok(floats)
    }
}

/// A float of its sign, exponent and significand.
pub(super) fn from_fields(ctx: &mut Context<'_>, args: Args<'_>, sort: Sort) -> EvalResult {
    let format = ctx.format(sort)?;
    let (sign, exponent, significand) = (args.bv(0)?, args.bv(1)?, args.bv(2)?);
    let widths = (sign.width(), exponent.width(), significand.width());
    if widths != (1, format.exponent_bits(), format.significand_bits() - 1) {
        return Err(Unknown::IllSorted);
    }
    ctx.budget.spend(format.operation_cost())?;
    Float::from_fields(sign, exponent, significand).ok()
}

/// A float of bits, of a signed number, of a real number or of a float in another format.
pub(super) fn to_fp(ctx: &mut Context<'_>, args: Args<'_>, sort: Sort) -> EvalResult {
    let format = ctx.format(sort)?;
    ctx.budget.spend(format.operation_cost())?;
    if args.0.len() == 1 {
        let bits = args.bv(0)?;
        if bits.width() != format.width() {
            return Err(Unknown::IllSorted);
        }
        return Float::from_ieee_bv(format, bits).ok();
    }
    let mode = args.mode(0)?;
    match args.get(1)? {
        Value::Float(float) => {
            ctx.spend_format(float)?;
            float.to_format(format, mode).ok()
        }
        Value::BitVec(bits) => {
            ctx.spend_width(bits.width())?;
            Float::from_sbv(format, mode, bits).ok()
        }
        number => {
            let number = ctx.real(number)?;
            // The numerator is made longer than the denominator by the precision of the format.
            let precision = cost::words(u64::from(format.significand_bits()));
            let words = fraction_words(&number) + precision;
            ctx.budget.spend(cost::quotient(words, words))?;
            Float::from_rational(format, mode, &number).ok()
        }
    }
}

//! Bit-vectors: operators on one or several of a width, and those that change the width.

use smelt_smtlib::sort::{Sort, SortKind};

use super::args::{Args, IntoOutcome};
use super::context::Context;
use crate::bitvec::BitVec;
use crate::cost::{self, Work, int_words};
use crate::eval::EvalResult;
use crate::unknown::Unknown;

impl Context<'_> {
    /// The width of a bit-vector sort. Charges for a value of it.
    pub(super) fn bv_width(&mut self, sort: Sort) -> Result<u32, Unknown> {
        match self.terms.sorts.kind(sort) {
            SortKind::BitVec(width) => {
                self.spend_width(*width)?;
                Ok(*width)
            }
            _ => Err(Unknown::IllSorted),
        }
    }

    /// Charges for a bit-vector that is read and written once.
    #[inline]
    pub(super) fn spend_width(&mut self, width: u32) -> Result<(), Unknown> {
        self.spend_bits(u64::from(width))
    }

    /// Charges for an operation on two bit-vectors, which must have one width.
    fn spend_pair(&mut self, work: Work, left: &BitVec, right: &BitVec) -> Result<(), Unknown> {
        if left.width() != right.width() {
            return Err(Unknown::IllSorted);
        }
        let words = cost::words(u64::from(left.width()));
        Ok(self.budget.spend(work.cost(words, words))?)
    }
}

impl Args<'_> {
    pub(super) fn bv1(self, ctx: &mut Context<'_>, compute: impl Fn(&BitVec) -> BitVec) -> EvalResult {
        let bits = self.bv(0)?;
        ctx.spend_width(bits.width())?;
        compute(bits).ok()
    }

    /// Folds bit-vectors of one width; `bvcomp` has two arguments only.
    pub(super) fn fold_bvs(
        self,
        ctx: &mut Context<'_>,
        work: Work,
        step: impl Fn(&BitVec, &BitVec) -> BitVec,
    ) -> EvalResult {
        let mut result = self.bv(0)?.clone();
        for position in 1..self.0.len() {
            let next = self.bv(position)?;
            ctx.spend_pair(work, &result, next)?;
            result = step(&result, next);
        }
        result.ok()
    }

    pub(super) fn bv_test(
        self,
        ctx: &mut Context<'_>,
        work: Work,
        test: fn(&BitVec, &BitVec) -> bool,
    ) -> EvalResult {
        ctx.spend_pair(work, self.bv(0)?, self.bv(1)?)?;
        test(self.bv(0)?, self.bv(1)?).ok()
    }
}

/// A bit-vector made longer by `extra` bits.
pub(super) fn extend(
    ctx: &mut Context<'_>,
    args: Args<'_>,
    extra: u64,
    extend: fn(&BitVec, u32) -> BitVec,
) -> EvalResult {
    let bits = args.bv(0)?;
    let extra = u32::try_from(extra).map_err(|_| Unknown::Limit)?;
    let width = bits.width().checked_add(extra).ok_or(Unknown::Limit)?;
    ctx.spend_bits(2 * u64::from(width))?;
    extend(bits, extra).ok()
}

/// Bit-vectors one after the other, the highest bits first.
pub(super) fn concat(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let mut result = args.bv(0)?.clone();
    for position in 1..args.0.len() {
        let low = args.bv(position)?;
        ctx.spend_width(result.width().checked_add(low.width()).ok_or(Unknown::Limit)?)?;
        result = result.concat(low);
    }
    result.ok()
}

/// The bits from `low` to `high`, both included.
pub(super) fn extract(ctx: &mut Context<'_>, args: Args<'_>, high: u64, low: u64) -> EvalResult {
    let bits = args.bv(0)?;
    if low > high || high >= u64::from(bits.width()) {
        return Err(Unknown::IllSorted);
    }
    ctx.spend_width(bits.width())?;
    bits.extract(high as u32, low as u32).ok()
}

/// A bit-vector `count` times in a row.
pub(super) fn repeat(ctx: &mut Context<'_>, args: Args<'_>, count: u64) -> EvalResult {
    let bits = args.bv(0)?;
    let count = u32::try_from(count).map_err(|_| Unknown::Limit)?;
    let width = bits.width().checked_mul(count).filter(|width| *width > 0).ok_or(Unknown::Limit)?;
    ctx.spend_bits(2 * u64::from(width))?;
    bits.repeat(count).ok()
}

/// The last `width` bits of an integer.
pub(super) fn from_int(ctx: &mut Context<'_>, args: Args<'_>, width: u64) -> EvalResult {
    let width = u32::try_from(width).ok().filter(|width| *width > 0).ok_or(Unknown::IllSorted)?;
    ctx.spend_width(width)?;
    ctx.budget.spend_words(int_words(args.int(0)?))?;
    BitVec::from_ibig(width, args.int(0)?.clone()).ok()
}

/// Whether the bit at a position is set.
pub(super) fn is_set(args: Args<'_>, position: u64) -> EvalResult {
    let bits = args.bv(0)?;
    let position = u32::try_from(position).ok().filter(|position| *position < bits.width());
    bits.bit(position.ok_or(Unknown::IllSorted)?).ok()
}

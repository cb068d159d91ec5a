//! Strings and regular expressions: what needs more than one line.

use dashu_int::ops::UnsignedAbs;
use dashu_int::{IBig, UBig};
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Index, Terms};

use super::args::{Args, IntoOutcome};
use super::context::Context;
use crate::cost::int_words;
use crate::eval::EvalResult;
use crate::string::Str;
use crate::unknown::Unknown;

/// `(_ char #x41)`.
pub(super) fn character(terms: &Terms, indices: &[Index]) -> EvalResult {
    let code = match indices {
        [Index::Text(text)] => terms
            .text(*text)
            .strip_prefix("#x")
            .filter(|digits| digits.len() <= 5)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok()),
        [Index::Number(number)] => u32::try_from(*number).ok(),
        _ => None,
    };
    let text = code.and_then(|code| Str::from_code_points(vec![code]));
    text.ok_or(Unknown::IllSorted)?.ok()
}

/// A signed number in decimal, with a minus if it is negative.
pub(super) fn from_sbv(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    ctx.spend_width(args.bv(0)?.width())?;
    let number = args.bv(0)?.to_signed();
    let digits = Str::from_int(&IBig::from(number.clone().unsigned_abs()), ctx.budget)?;
    if number >= IBig::ZERO {
        return digits.ok();
    }
    let minus = Str::from_code(&IBig::from(u32::from(b'-')));
    Str::concat(&[minus, digits], ctx.budget)?.ok()
}

/// A language repeated as often as two arguments say.
pub(super) fn loop_between(ctx: &mut Context<'_>, args: Args<'_>) -> EvalResult {
    let natural = |position: usize| {
        UBig::try_from(args.int(position)?.clone()).map_err(|_| Unknown::Open(Op::ReLoopBetween))
    };
    ctx.budget.spend_words(int_words(args.int(1)?) + int_words(args.int(2)?))?;
    ctx.regexes.repeat_between(args.re(0)?, &natural(1)?, &natural(2)?, ctx.budget)?.ok()
}

/// A language repeated `min` times or more.
pub(super) fn loop_from(ctx: &mut Context<'_>, args: Args<'_>, min: &UBig) -> EvalResult {
    let body = args.re(0)?;
    let required = ctx.regexes.power(body, min, ctx.budget)?;
    let more = ctx.regexes.star(body, ctx.budget)?;
    ctx.regexes.concat(&[required, more], ctx.budget)?.ok()
}

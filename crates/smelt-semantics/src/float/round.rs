//! The one place where numbers are rounded: exact number in, value of a format out.
//!
//! [`round`] serves all operations with a floating-point result, [`round_shift`] also those that round to an
//! integer. Overflow and underflow are IEEE 754's: overflow is decided after rounding as if the exponent were
//! unbounded, and subnormals have the fixed last place of the least normal number.

use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};

use super::{Dyadic, Float, Format, RoundingMode, Value};

/// Rounds an exact value to the format. Only finite nonzero numbers can change.
pub(super) fn round_value(format: Format, mode: RoundingMode, exact: Value) -> Float {
    match exact {
        Value::Finite(number) => round(format, mode, number),
        value => Float { format, value },
    }
}

/// Rounds an exact number to the format.
pub(super) fn round(format: Format, mode: RoundingMode, exact: Dyadic) -> Float {
    let sign = exact.sign;
    let top = exact.top();
    let leading_place = if format.is_below_normal(&top) { format.min_exponent() } else { top };
    let last_place: IBig = leading_place + 1 - format.precision();
    let (direction, distance) = (&last_place - &exact.exponent).into_parts();
    let rounded = if direction == Sign::Negative || distance.is_zero() {
        exact
    } else {
        let significand = round_shift(mode, sign, &exact.significand, &distance);
        match Dyadic::new(sign, significand, last_place) {
            Some(rounded) => rounded,
            None => return Float::zero(format, sign),
        }
    };
    if !format.is_above_range(&rounded.top()) {
        return Float { format, value: Value::Finite(rounded) };
    }
    if mode.is_nearest() || mode.is_outward(sign) {
        Float::infinity(format, sign)
    } else {
        Float::max_finite(format, sign)
    }
}

/// The magnitude `significand` / 2^`distance`, of a number of the given sign, rounded to an integer.
pub(super) fn round_shift(mode: RoundingMode, sign: Sign, significand: &UBig, distance: &UBig) -> UBig {
    let len = significand.bit_len();
    // A distance of `len + 1` makes the magnitude less than a half; beyond that nothing depends on it.
    let distance = usize::try_from(distance).map_or(len + 1, |distance| distance.min(len + 1));
    if distance == 0 {
        return significand.clone();
    }
    let kept = significand >> distance;
    let is_half_or_more = significand.bit(distance - 1);
    let is_exact_or_half = significand.trailing_zeros().is_none_or(|zeros| zeros >= distance - 1);
    let is_exact = is_exact_or_half && !is_half_or_more;
    let is_increased = match mode {
        RoundingMode::NearestTiesToEven => is_half_or_more && (!is_exact_or_half || kept.bit(0)),
        RoundingMode::NearestTiesToAway => is_half_or_more,
        _ => !is_exact && mode.is_outward(sign),
    };
    if is_increased { kept + UBig::ONE } else { kept }
}

/// A number that rounds like `(quotient + ε) · 2^exponent`, where 0 < ε < 1 if the quotient is not exact, else 0.
///
/// The quotient must have at least two bits more than the precision of the format it will be rounded to, so
/// that no rounding decision falls between it and its successor.
pub(super) fn with_sticky_bit(sign: Sign, quotient: UBig, is_exact: bool, exponent: IBig) -> Option<Dyadic> {
    if is_exact {
        Dyadic::new(sign, quotient, exponent)
    } else {
        Dyadic::new(sign, (quotient << 1) + UBig::ONE, exponent - 1)
    }
}

//! Sign changes, sums, products, quotients, roots, integral parts, and the smaller and larger of two.
//!
//! The special cases of IEEE 754 are match arms on [`Value`]; the arms for numbers compute exactly and round once.

use std::cmp::Ordering;

use dashu_int::ops::{BitTest, DivRem, SquareRootRem};
use dashu_int::{IBig, Sign, UBig};

use super::round::{round, round_shift, round_value, with_sticky_bit};
use super::{Dyadic, Float, Format, RoundingMode, Value};

impl Float {
    /// `fp.abs`.
    pub fn abs(&self) -> Self {
        Float { format: self.format, value: self.value.with_sign(Sign::Positive) }
    }

    /// `fp.neg`.
    pub fn neg(&self) -> Self {
        match self.sign() {
            None => self.clone(),
            Some(sign) => Float { format: self.format, value: self.value.with_sign(-sign) },
        }
    }

    /// `fp.add`.
    pub fn add(&self, mode: RoundingMode, other: &Self) -> Self {
        self.assert_same_format(other);
        sum(self.format, mode, &self.value, &other.value)
    }

    /// `fp.sub`.
    pub fn sub(&self, mode: RoundingMode, other: &Self) -> Self {
        self.add(mode, &other.neg())
    }

    /// `fp.mul`.
    pub fn mul(&self, mode: RoundingMode, other: &Self) -> Self {
        self.assert_same_format(other);
        round_value(self.format, mode, product(&self.value, &other.value))
    }

    /// `fp.fma`: `self * factor + summand`, rounded once.
    pub fn fma(&self, mode: RoundingMode, factor: &Self, summand: &Self) -> Self {
        self.assert_same_format(factor);
        self.assert_same_format(summand);
        sum(self.format, mode, &product(&self.value, &factor.value), &summand.value)
    }

    /// `fp.div`.
    pub fn div(&self, mode: RoundingMode, divisor: &Self) -> Self {
        self.assert_same_format(divisor);
        let format = self.format;
        let (Some(left), Some(right)) = (self.sign(), divisor.sign()) else {
            return Float::nan(format);
        };
        let sign = left * right;
        match (&self.value, &divisor.value) {
            (Value::Infinity(_), Value::Infinity(_)) | (Value::Zero(_), Value::Zero(_)) => Float::nan(format),
            (Value::Infinity(_), _) | (_, Value::Zero(_)) => Float::infinity(format, sign),
            (Value::Zero(_), _) | (_, Value::Infinity(_)) => Float::zero(format, sign),
            (Value::Finite(dividend), Value::Finite(divisor)) => {
                let exponent = &dividend.exponent - &divisor.exponent;
                let exact =
                    Ratio { sign, dividend: &dividend.significand, divisor: &divisor.significand, exponent };
                exact.round(format, mode)
            }
            (Value::NaN, _) | (_, Value::NaN) => unreachable!("a NaN has no sign"),
        }
    }

    /// `fp.sqrt`.
    pub fn sqrt(&self, mode: RoundingMode) -> Self {
        match &self.value {
            Value::Zero(_) | Value::Infinity(Sign::Positive) => self.clone(),
            Value::Finite(number) if number.sign == Sign::Positive => sqrt(self.format, mode, number),
            _ => Float::nan(self.format),
        }
    }

    /// `fp.roundToIntegral`.
    ///
    /// Formats whose largest numbers are not integers exist, such as (2, 7). There, a number can be nearest to an
    /// integer beyond the range; the integer is then rounded to the format in its turn.
    pub fn round_to_integral(&self, mode: RoundingMode) -> Self {
        let Value::Finite(number) = &self.value else {
            return self.clone();
        };
        if number.exponent.sign() == Sign::Positive {
            return self.clone();
        }
        let integer = integral_magnitude(mode, number);
        match Dyadic::new(number.sign, integer, IBig::ZERO) {
            None => Float::zero(self.format, number.sign),
            Some(integer) => round(self.format, mode, integer),
        }
    }

    /// `fp.min`; `None` for two zeros of different sign, where the standard allows either.
    pub fn min(&self, other: &Self) -> Option<Self> {
        self.choose(other, Ordering::Less)
    }

    /// `fp.max`; `None` for two zeros of different sign, where the standard allows either.
    pub fn max(&self, other: &Self) -> Option<Self> {
        self.choose(other, Ordering::Greater)
    }

    /// `self` if it compares to `other` as wanted or `other` is a NaN, else `other`.
    fn choose(&self, other: &Self, wanted: Ordering) -> Option<Self> {
        if self.is_zero() && other.is_zero() && self != other {
            return None;
        }
        match self.compare(other) {
            None if self.is_nan() => Some(other.clone()),
            None => Some(self.clone()),
            Some(order) => Some(if order == wanted { self.clone() } else { other.clone() }),
        }
    }
}

/// The magnitude of a number with no bits above its last place, rounded to an integer.
///
/// The exponent must not be positive, lest the integer be astronomically large.
pub(super) fn integral_magnitude(mode: RoundingMode, number: &Dyadic) -> UBig {
    let (direction, distance) = (-&number.exponent).into_parts();
    assert_eq!(direction, Sign::Positive, "the number may have a fraction");
    round_shift(mode, number.sign, &number.significand, &distance)
}

/// The exact quotient `dividend` / `divisor` · 2^`exponent`; neither is zero.
pub(super) struct Ratio<'a> {
    pub(super) sign: Sign,
    pub(super) dividend: &'a UBig,
    pub(super) divisor: &'a UBig,
    pub(super) exponent: IBig,
}

impl Ratio<'_> {
    pub(super) fn round(self, format: Format, mode: RoundingMode) -> Float {
        // A dividend longer than the divisor by the precision and two gives that many bits of quotient.
        let wanted_len = self.divisor.bit_len() + format.precision() + 2;
        let shift = wanted_len.saturating_sub(self.dividend.bit_len());
        let (quotient, remainder) = (self.dividend << shift).div_rem(self.divisor);
        let exact = with_sticky_bit(self.sign, quotient, remainder.is_zero(), self.exponent - shift);
        round(format, mode, exact.expect("the quotient has more bits than the format"))
    }
}

/// The exact product.
fn product(left: &Value, right: &Value) -> Value {
    let (Some(left_sign), Some(right_sign)) = (left.sign(), right.sign()) else {
        return Value::NaN;
    };
    let sign = left_sign * right_sign;
    match (left, right) {
        (Value::Infinity(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinity(_)) => Value::NaN,
        (Value::Infinity(_), _) | (_, Value::Infinity(_)) => Value::Infinity(sign),
        (Value::Zero(_), _) | (_, Value::Zero(_)) => Value::Zero(sign),
        (Value::Finite(x), Value::Finite(y)) => Value::Finite(Dyadic {
            sign,
            significand: &x.significand * &y.significand,
            exponent: &x.exponent + &y.exponent,
        }),
        (Value::NaN, _) | (_, Value::NaN) => unreachable!("a NaN has no sign"),
    }
}

/// The rounded sum. The summands need not be values of the format.
fn sum(format: Format, mode: RoundingMode, left: &Value, right: &Value) -> Float {
    let cancelled = if mode == RoundingMode::TowardNegative { Sign::Negative } else { Sign::Positive };
    match (left, right) {
        (Value::NaN, _) | (_, Value::NaN) => Float::nan(format),
        (Value::Infinity(x), Value::Infinity(y)) if x != y => Float::nan(format),
        (Value::Infinity(sign), _) | (_, Value::Infinity(sign)) => Float::infinity(format, *sign),
        (Value::Zero(x), Value::Zero(y)) => Float::zero(format, if x == y { *x } else { cancelled }),
        (Value::Zero(_), Value::Finite(number)) | (Value::Finite(number), Value::Zero(_)) => {
            round(format, mode, number.clone())
        }
        (Value::Finite(x), Value::Finite(y)) => match sum_of_numbers(format, x, y) {
            None => Float::zero(format, cancelled),
            Some(exact) => round(format, mode, exact),
        },
    }
}

/// The sum of two numbers, or a number that rounds to the format alike; `None` if it is zero.
fn sum_of_numbers(format: Format, left: &Dyadic, right: &Dyadic) -> Option<Dyadic> {
    let (left_top, right_top) = (left.top(), right.top());
    let ((large, large_top), (small, small_top)) = if left_top >= right_top {
        ((left, left_top), (right, right_top))
    } else {
        ((right, right_top), (left, left_top))
    };
    // The larger number and all places where the rounding of the sum can change are multiples of 2^grid: the sum
    // has its leading bit at most one place below the larger number's, the format `precision` places, and a tie
    // one more. A smaller number below half of 2^grid therefore matters by its sign only, and a quarter of
    // 2^grid stands in for it, so that the sum stays short.
    let grid = (large_top - (format.precision() + 3)).min(large.exponent.clone());
    if small_top < &grid - 1 {
        let stand_in = Dyadic { sign: small.sign, significand: UBig::ONE, exponent: grid - 2 };
        exact_sum(large, &stand_in)
    } else {
        exact_sum(large, small)
    }
}

/// The exact sum; `None` if it is zero. Takes memory for every place between the two numbers.
fn exact_sum(left: &Dyadic, right: &Dyadic) -> Option<Dyadic> {
    let exponent = left.exponent.clone().min(right.exponent.clone());
    let align = |number: &Dyadic| {
        let shift = usize::try_from(&number.exponent - &exponent).expect("the caller bounds the distance");
        IBig::from_parts(number.sign, &number.significand << shift)
    };
    let (sign, magnitude) = (align(left) + align(right)).into_parts();
    Dyadic::new(sign, magnitude, exponent)
}

/// The rounded square root of a positive number.
fn sqrt(format: Format, mode: RoundingMode, number: &Dyadic) -> Float {
    let wanted_len = 2 * (format.precision() + 2);
    let shift = wanted_len.saturating_sub(number.significand.bit_len());
    // The exponent of the radicand must be even.
    let shift = shift + usize::from((&number.exponent - shift).bit(0));
    let (root, remainder) = (&number.significand << shift).sqrt_rem();
    let exponent = (&number.exponent - shift) >> 1;
    let exact = with_sticky_bit(Sign::Positive, root, remainder.is_zero(), exponent);
    round(format, mode, exact.expect("the root has more bits than the format"))
}

//! Division and signs of big integers.

use dashu_int::ops::{Abs, DivRemEuclid, Gcd};
use dashu_int::{IBig, Sign};

pub(crate) fn is_negative(value: &IBig) -> bool {
    value.sign() == Sign::Negative
}

pub(crate) fn is_positive(value: &IBig) -> bool {
    !is_negative(value) && !value.is_zero()
}

pub(crate) fn abs(value: &IBig) -> IBig {
    value.clone().abs()
}

/// The greatest common divisor, never negative; that of zero and zero is zero.
pub(crate) fn gcd(left: &IBig, right: &IBig) -> IBig {
    if left.is_zero() {
        return abs(right);
    }
    if right.is_zero() {
        return abs(left);
    }
    IBig::from(left.gcd(right))
}

/// The quotient rounded down; the divisor is not zero.
pub(crate) fn div_floor(value: &IBig, divisor: &IBig) -> IBig {
    let (quotient, remainder) = value.div_rem_euclid(divisor);
    // The Euclidean quotient is rounded up when the divisor is negative and something remains.
    if is_negative(divisor) && !remainder.is_zero() { quotient - IBig::ONE } else { quotient }
}

/// The quotient rounded up; the divisor is not zero.
pub(crate) fn div_ceil(value: &IBig, divisor: &IBig) -> IBig {
    -div_floor(&-value, divisor)
}

/// Whether a divisor that is not zero divides a value without remainder.
pub(crate) fn divides(divisor: &IBig, value: &IBig) -> bool {
    value.div_rem_euclid(divisor).1.is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_to_the_side_that_the_name_says() {
        for value in -7i32..=7 {
            for divisor in [-3i32, -2, -1, 1, 2, 3] {
                let exact = f64::from(value) / f64::from(divisor);
                let (value, divisor) = (IBig::from(value), IBig::from(divisor));
                assert_eq!(div_floor(&value, &divisor), IBig::from(exact.floor() as i32));
                assert_eq!(div_ceil(&value, &divisor), IBig::from(exact.ceil() as i32));
                assert_eq!(divides(&divisor, &value), exact.fract() == 0.0);
            }
        }
        assert_eq!(gcd(&IBig::from(-4), &IBig::from(6)), IBig::from(2));
        assert_eq!(gcd(&IBig::ZERO, &IBig::from(-3)), IBig::from(3));
    }
}

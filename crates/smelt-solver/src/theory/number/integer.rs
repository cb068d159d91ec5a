//! Integers of any size with a fast path for those that fit a machine word.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivRemEuclid, Gcd};

/// An integer of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer(Repr);

/// `Big` holds only what does not fit `Small`, so the derived equality and hash are those of the numbers.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Box<IBig>),
}

impl Integer {
    /// Zero.
    pub const ZERO: Integer = Integer(Repr::Small(0));
    /// One.
    pub const ONE: Integer = Integer(Repr::Small(1));

    /// The number as a big number.
    pub fn to_big(&self) -> IBig {
        match &self.0 {
            Repr::Small(small) => IBig::from(*small),
            Repr::Big(big) => big.as_ref().clone(),
        }
    }

    /// The number as a machine word, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(small) => Some(small),
            Repr::Big(_) => None,
        }
    }

    /// The number as a count, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small(small) => u64::try_from(*small).ok(),
            Repr::Big(big) => u64::try_from(big.as_ref()).ok(),
        }
    }

    /// The number as an index, if it is one.
    pub fn to_usize(&self) -> Option<usize> {
        self.to_i64().and_then(|small| usize::try_from(small).ok())
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// Whether it is one.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1))
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(small) => *small < 0,
            Repr::Big(big) => **big < IBig::ZERO,
        }
    }

    /// Whether it is above zero.
    pub fn is_positive(&self) -> bool {
        !self.is_negative() && !self.is_zero()
    }

    /// The number without its sign.
    pub fn abs(&self) -> Integer {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// How many bits its absolute value has; a measure of what computing with it costs.
    pub fn bit_len(&self) -> usize {
        match &self.0 {
            Repr::Small(small) => 64 - small.unsigned_abs().leading_zeros() as usize,
            Repr::Big(big) => big.bit_len(),
        }
    }

    /// The greatest common divisor, never negative; that of zero and zero is zero.
    pub fn gcd(&self, other: &Integer) -> Integer {
        if let (Repr::Small(left), Repr::Small(right)) = (&self.0, &other.0) {
            return Integer::from(gcd_words(left.unsigned_abs(), right.unsigned_abs()));
        }
        if self.is_zero() {
            return other.abs();
        }
        if other.is_zero() {
            return self.abs();
        }
        Integer::from(IBig::from(self.to_big().gcd(other.to_big())))
    }

    /// Quotient and remainder with a remainder from 0 up to, but not including, the absolute divisor.
    ///
    /// # Panics
    /// If the divisor is zero.
    pub fn div_rem_euclid(&self, divisor: &Integer) -> (Integer, Integer) {
        assert!(!divisor.is_zero(), "division by zero");
        if let (Repr::Small(left), Repr::Small(right)) = (&self.0, &divisor.0)
            && let (Some(quotient), Some(remainder)) =
                (left.checked_div_euclid(*right), left.checked_rem_euclid(*right))
        {
            return (Integer::from(quotient), Integer::from(remainder));
        }
        let (quotient, remainder) = self.to_big().div_rem_euclid(divisor.to_big());
        (Integer::from(quotient), Integer::from(IBig::from(remainder)))
    }

    /// The quotient rounded down.
    ///
    /// # Panics
    /// If the divisor is zero.
    pub fn div_floor(&self, divisor: &Integer) -> Integer {
        let (quotient, remainder) = self.div_rem_euclid(divisor);
        // The Euclidean quotient is rounded up when the divisor is negative and something remains.
        if divisor.is_negative() && !remainder.is_zero() { quotient - Integer::ONE } else { quotient }
    }

    /// The quotient rounded up.
    ///
    /// # Panics
    /// If the divisor is zero.
    pub fn div_ceil(&self, divisor: &Integer) -> Integer {
        -&(-self).div_floor(divisor)
    }

    /// Whether this number divides the other without remainder; zero divides zero only.
    pub fn divides(&self, other: &Integer) -> bool {
        if self.is_zero() { other.is_zero() } else { other.div_rem_euclid(self).1.is_zero() }
    }
}

fn gcd_words(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

impl Default for Integer {
    fn default() -> Integer {
        Integer::ZERO
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Integer {
        Integer(Repr::Small(value))
    }
}

impl From<i32> for Integer {
    fn from(value: i32) -> Integer {
        Integer::from(i64::from(value))
    }
}

impl From<u64> for Integer {
    fn from(value: u64) -> Integer {
        match i64::try_from(value) {
            Ok(small) => Integer::from(small),
            Err(_) => Integer::from(IBig::from(value)),
        }
    }
}

impl From<usize> for Integer {
    fn from(value: usize) -> Integer {
        Integer::from(value as u64)
    }
}

impl From<IBig> for Integer {
    fn from(value: IBig) -> Integer {
        match i64::try_from(&value) {
            Ok(small) => Integer(Repr::Small(small)),
            Err(_) => Integer(Repr::Big(Box::new(value))),
        }
    }
}

impl From<&IBig> for Integer {
    fn from(value: &IBig) -> Integer {
        match i64::try_from(value) {
            Ok(small) => Integer(Repr::Small(small)),
            Err(_) => Integer(Repr::Big(Box::new(value.clone()))),
        }
    }
}

macro_rules! arithmetic {
    ($trait:ident, $method:ident, $checked:ident) => {
        impl $trait<&Integer> for &Integer {
            type Output = Integer;
            fn $method(self, other: &Integer) -> Integer {
                if let (Repr::Small(left), Repr::Small(right)) = (&self.0, &other.0)
                    && let Some(result) = left.$checked(*right)
                {
                    return Integer(Repr::Small(result));
                }
                Integer::from(self.to_big().$method(other.to_big()))
            }
        }

        impl $trait for Integer {
            type Output = Integer;
            fn $method(self, other: Integer) -> Integer {
                (&self).$method(&other)
            }
        }
    };
}

arithmetic!(Add, add, checked_add);
arithmetic!(Sub, sub, checked_sub);
arithmetic!(Mul, mul, checked_mul);

impl AddAssign<&Integer> for Integer {
    fn add_assign(&mut self, other: &Integer) {
        *self = &*self + other;
    }
}

impl SubAssign<&Integer> for Integer {
    fn sub_assign(&mut self, other: &Integer) {
        *self = &*self - other;
    }
}

impl Neg for &Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        &Integer::ZERO - self
    }
}

impl Neg for Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        -&self
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(left), Repr::Small(right)) => left.cmp(right),
            (Repr::Big(left), Repr::Big(right)) => left.cmp(right),
            // A big number lies beyond all small ones, on the side of its sign.
            (Repr::Big(_), Repr::Small(_)) if self.is_negative() => Ordering::Less,
            (Repr::Big(_), Repr::Small(_)) => Ordering::Greater,
            (Repr::Small(_), Repr::Big(_)) => other.cmp(self).reverse(),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(small) => write!(formatter, "{small}"),
            Repr::Big(big) => write!(formatter, "{big}"),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words around zero and around both ends of the machine word, where the fast path ends.
    fn word() -> impl Strategy<Value = i64> {
        prop_oneof![-40i64..40, Just(i64::MIN), Just(i64::MAX), i64::MAX - 3..i64::MAX, any::<i64>()]
    }

    /// Products of words, so that big numbers occur too.
    fn number() -> impl Strategy<Value = IBig> {
        prop_oneof![
            word().prop_map(IBig::from),
            (word(), word(), word()).prop_map(|(a, b, c)| IBig::from(a) * IBig::from(b) + IBig::from(c))
        ]
    }

    proptest! {
        #[test]
        fn every_operation_agrees_with_big_numbers(left in number(), right in number()) {
            let (a, b) = (Integer::from(&left), Integer::from(&right));
            prop_assert_eq!((&a + &b).to_big(), &left + &right);
            prop_assert_eq!((&a - &b).to_big(), &left - &right);
            prop_assert_eq!((&a * &b).to_big(), &left * &right);
            prop_assert_eq!((-&a).to_big(), -&left);
            prop_assert_eq!(a.cmp(&b), left.cmp(&right));
            prop_assert_eq!(a == b, left == right);
            prop_assert_eq!(a.to_string(), left.to_string());
            prop_assert_eq!(a.is_negative(), left < IBig::ZERO);
            prop_assert_eq!(a.bit_len(), left.bit_len());
        }

        #[test]
        fn results_that_fit_a_word_are_words_again(left in word(), right in word()) {
            let (a, b) = (Integer::from(left), Integer::from(right));
            prop_assert_eq!((&(&a * &b) - &(&a * &b)).to_i64(), Some(0));
            prop_assert_eq!((&(&a + &b) - &b).to_i64(), Some(left));
        }

        #[test]
        fn division_rounds_as_it_says(left in number(), right in number()) {
            prop_assume!(right != IBig::ZERO);
            let (a, b) = (Integer::from(&left), Integer::from(&right));
            let floor = a.div_floor(&b);
            let rest = &a - &(&floor * &b);
            prop_assert!(rest.is_zero() || rest.is_negative() == b.is_negative());
            prop_assert!(rest.abs() < b.abs());
            let ceil = a.div_ceil(&b);
            prop_assert_eq!(&ceil - &floor, Integer::from(i64::from(!rest.is_zero())));
            prop_assert_eq!(b.divides(&a), rest.is_zero());
        }

        #[test]
        fn the_greatest_common_divisor_divides_both_and_leaves_coprimes(left in number(), right in number()) {
            let (a, b) = (Integer::from(&left), Integer::from(&right));
            let gcd = a.gcd(&b);
            prop_assert!(!gcd.is_negative());
            prop_assert!(gcd.divides(&a) && gcd.divides(&b));
            if !gcd.is_zero() {
                prop_assert!(a.div_floor(&gcd).gcd(&b.div_floor(&gcd)).is_one());
            }
        }
    }

    #[test]
    fn counts_are_the_numbers_of_64_bits() {
        let limit = Integer::from(u64::MAX);
        assert_eq!(limit.to_u64(), Some(u64::MAX));
        assert_eq!((&limit + &Integer::ONE).to_u64(), None);
        assert_eq!(Integer::from(1u64 << 63).to_u64(), Some(1 << 63));
        assert_eq!(Integer::from(-1).to_u64(), None);
    }
}

//! Fractions in lowest terms.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Sub};

use super::Integer;

/// A rational number: coprime numerator and denominator, the denominator positive.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: Integer,
    denominator: Integer,
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational { numerator: Integer::ZERO, denominator: Integer::ONE };

    /// The fraction in lowest terms.
    ///
    /// # Panics
    /// If the denominator is zero.
    pub fn new(numerator: Integer, denominator: Integer) -> Rational {
        assert!(!denominator.is_zero(), "a fraction has a denominator");
        if denominator.is_one() {
            return Rational { numerator, denominator };
        }
        let (numerator, denominator) =
            if denominator.is_negative() { (-numerator, -denominator) } else { (numerator, denominator) };
        let gcd = numerator.gcd(&denominator);
        if gcd.is_one() {
            return Rational { numerator, denominator };
        }
        Rational { numerator: numerator.div_floor(&gcd), denominator: denominator.div_floor(&gcd) }
    }

    /// The numerator in lowest terms.
    pub fn numerator(&self) -> &Integer {
        &self.numerator
    }

    /// The denominator in lowest terms, positive.
    pub fn denominator(&self) -> &Integer {
        &self.denominator
    }

    /// Whether the number is an integer.
    pub fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// The number, if it is an integer.
    pub fn to_integer(&self) -> Option<&Integer> {
        self.is_integer().then_some(&self.numerator)
    }

    /// The greatest integer that is not above the number.
    pub fn floor(&self) -> Integer {
        if self.is_integer() { self.numerator.clone() } else { self.numerator.div_floor(&self.denominator) }
    }

    /// The number compared with an integer.
    pub fn cmp_integer(&self, other: &Integer) -> Ordering {
        if self.is_integer() {
            self.numerator.cmp(other)
        } else {
            self.numerator.cmp(&(other * &self.denominator))
        }
    }
}

impl From<Integer> for Rational {
    fn from(value: Integer) -> Rational {
        Rational { numerator: value, denominator: Integer::ONE }
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        if self.is_integer() && other.is_integer() {
            return Rational::from(&self.numerator + &other.numerator);
        }
        Rational::new(
            &(&self.numerator * &other.denominator) + &(&other.numerator * &self.denominator),
            &self.denominator * &other.denominator,
        )
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        let negated = Rational { numerator: -&other.numerator, denominator: other.denominator.clone() };
        self + &negated
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        Rational::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(formatter, "{}", self.numerator)
        } else {
            write!(formatter, "{}/{}", self.numerator, self.denominator)
        }
    }
}

#[cfg(test)]
mod tests {
    use dashu_int::IBig;
    use dashu_ratio::RBig;
    use proptest::prelude::*;

    use super::*;

    fn parts() -> impl Strategy<Value = (i64, i64)> {
        let part = || prop_oneof![-9i64..9, any::<i64>()];
        (part(), part()).prop_filter("a fraction has a denominator", |(_, below)| *below != 0)
    }

    fn ours((above, below): (i64, i64)) -> Rational {
        Rational::new(Integer::from(above), Integer::from(below))
    }

    fn theirs((above, below): (i64, i64)) -> RBig {
        RBig::from(IBig::from(above)) / RBig::from(IBig::from(below))
    }

    fn same(left: &Rational, right: &RBig) -> bool {
        left.numerator().to_big() == *right.numerator()
            && left.denominator().to_big() == IBig::from(right.denominator().clone())
    }

    proptest! {
        #[test]
        fn every_operation_agrees_with_big_fractions(a in parts(), b in parts()) {
            prop_assert!(same(&ours(a), &theirs(a)));
            prop_assert!(same(&(&ours(a) + &ours(b)), &(theirs(a) + theirs(b))));
            prop_assert!(same(&(&ours(a) - &ours(b)), &(theirs(a) - theirs(b))));
            prop_assert!(same(&(&ours(a) * &ours(b)), &(theirs(a) * theirs(b))));
            prop_assert_eq!(ours(a).cmp(&ours(b)), theirs(a).cmp(&theirs(b)));
            prop_assert_eq!(ours(a).floor().to_big(), theirs(a).floor());
            prop_assert_eq!(
                ours(a).cmp_integer(&Integer::from(b.0)),
                theirs(a).cmp(&RBig::from(IBig::from(b.0)))
            );
        }
    }
}

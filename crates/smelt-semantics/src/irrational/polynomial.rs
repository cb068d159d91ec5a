//! Polynomials in one variable with rational coefficients, and how many roots they have between two numbers.
//!
//! Roots are counted by Sturm's theorem (1829).

use dashu_int::IBig;
use dashu_ratio::RBig;

/// Coefficients from the constant upwards; the last one is not zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Polynomial(Vec<RBig>);

impl Polynomial {
    /// A polynomial with these coefficients, the constant first.
    pub(crate) fn new(mut coefficients: Vec<RBig>) -> Polynomial {
        while coefficients.last().is_some_and(RBig::is_zero) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    /// The coefficients from the constant upwards.
    pub(crate) fn coefficients(&self) -> &[RBig] {
        &self.0
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The highest power; 0 for constants.
    pub(crate) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn at(&self, point: &RBig) -> RBig {
        self.0.iter().rev().fold(RBig::ZERO, |value, coefficient| value * point + coefficient)
    }

    /// The same roots, with a highest coefficient of one.
    fn monic(&self) -> Polynomial {
        match self.0.last() {
            Some(last) => Polynomial(self.0.iter().map(|coefficient| coefficient / last).collect()),
            None => self.clone(),
        }
    }

    fn derivative(&self) -> Polynomial {
        let terms = self.0.iter().enumerate().skip(1);
        Polynomial::new(
            terms.map(|(power, coefficient)| coefficient * RBig::from(IBig::from(power))).collect(),
        )
    }

    /// Quotient and remainder by a polynomial that is not zero.
    fn divided(&self, divisor: &Polynomial) -> [Polynomial; 2] {
        let mut rest = self.0.clone();
        let mut quotient = Vec::new();
        let last = divisor.0.last().expect("the divisor is not zero");
        while rest.len() >= divisor.0.len() {
            let factor = rest.last().expect("it is as long as the divisor") / last;
            let shift = rest.len() - divisor.0.len();
            for (place, coefficient) in divisor.0.iter().enumerate() {
                rest[shift + place] -= coefficient * &factor;
            }
            rest.pop();
            quotient.push(factor);
        }
        quotient.reverse();
        [Polynomial::new(quotient), Polynomial::new(rest)]
    }

    /// The greatest common divisor.
    pub(crate) fn common_divisor(&self, other: &Polynomial) -> Polynomial {
        let (mut one, mut other) = (self.monic(), other.monic());
        while !other.is_zero() {
            let [_, rest] = one.divided(&other);
            one = other;
            other = rest.monic();
        }
        one
    }

    /// The monic polynomial with the same roots, each of them once.
    pub(crate) fn with_simple_roots(&self) -> Polynomial {
        let common = self.common_divisor(&self.derivative());
        if self.is_zero() || common.degree() == 0 {
            return self.monic();
        }
        let [quotient, _] = self.divided(&common);
        quotient.monic()
    }

    /// How many roots there are above `low` and up to `high`, each counted once; of a polynomial that is not zero.
    pub(crate) fn roots_between(&self, low: &RBig, high: &RBig) -> usize {
        let simple = self.with_simple_roots();
        let derivative = simple.derivative();
        let mut chain = vec![simple, derivative];
        while let [.., before, last] = chain.as_slice()
            && !last.is_zero()
        {
            let [_, rest] = before.divided(last);
            let next = Polynomial(rest.0.iter().map(|coefficient| -coefficient).collect());
            chain.push(next);
        }
        let changes = |point: &RBig| {
            let values = chain.iter().map(|polynomial| polynomial.at(point));
            let signs: Vec<bool> =
                values.filter(|value| !value.is_zero()).map(|value| value > RBig::ZERO).collect();
            signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
        };
        changes(low).saturating_sub(changes(high))
    }

    /// A number that is larger than the size of all roots.
    pub(crate) fn root_bound(&self) -> RBig {
        let size = |number: &RBig| if *number < RBig::ZERO { -number } else { number.clone() };
        let monic = self.monic();
        let sizes = monic.0.iter().map(size);
        sizes.fold(RBig::ONE, |largest, size| largest.max(size)) + RBig::ONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(coefficients: &[i64]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|number| RBig::from(IBig::from(*number))).collect())
    }

    fn number(number: i64) -> RBig {
        RBig::from(IBig::from(number))
    }

    #[test]
    fn roots_are_counted_once_and_by_place() {
        // (x - 1)^2 (x + 2) (x^2 - 2)
        let five = polynomial(&[-4, 6, 2, -5, 0, 1]);
        assert_eq!(five.at(&number(1)), RBig::ZERO);
        assert_eq!(five.roots_between(&number(-10), &number(10)), 4);
        assert_eq!(five.roots_between(&number(0), &number(1)), 1);
        assert_eq!(five.roots_between(&number(1), &number(2)), 1);
        assert_eq!(five.roots_between(&number(-2), &number(0)), 1);
        assert_eq!(five.with_simple_roots().degree(), 4);
        assert!(five.root_bound() > number(2));
    }

    #[test]
    fn common_divisors_are_found() {
        let divisor = polynomial(&[-2, 0, 1]);
        let product = polynomial(&[-4, 2, 2, -1]);
        assert_eq!(divisor.common_divisor(&product), divisor);
        assert_eq!(divisor.common_divisor(&polynomial(&[1, 1])).degree(), 0);
    }
}

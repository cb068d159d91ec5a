//! Linear terms over integer variables.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use crate::theory::number::Integer;

/// An integer variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntVar(pub(crate) u32);

impl IntVar {
    /// Its position among all variables of its owner.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for IntVar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "i{}", self.0)
    }
}

/// A sum of variables with coefficients, plus a constant.
///
/// The terms are sorted by variable, each variable occurs once, and no coefficient is zero.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Linear {
    terms: Vec<(IntVar, Integer)>,
    constant: Integer,
}

impl Linear {
    /// The term without variables.
    pub fn constant(constant: impl Into<Integer>) -> Linear {
        Linear { terms: Vec::new(), constant: constant.into() }
    }

    /// A variable on its own.
    pub fn variable(variable: IntVar) -> Linear {
        Linear { terms: vec![(variable, Integer::ONE)], constant: Integer::ZERO }
    }

    /// The sum of the given products, in any order and with repetitions.
    pub fn from_terms(mut products: Vec<(IntVar, Integer)>, constant: Integer) -> Linear {
        products.sort_by_key(|(variable, _)| *variable);
        let mut terms: Vec<(IntVar, Integer)> = Vec::with_capacity(products.len());
        for (variable, coefficient) in products {
            match terms.last_mut() {
                Some((last, sum)) if *last == variable => *sum += &coefficient,
                _ => terms.push((variable, coefficient)),
            }
        }
        terms.retain(|(_, coefficient)| !coefficient.is_zero());
        Linear { terms, constant }
    }

    /// Variables with their coefficients.
    pub fn terms(&self) -> &[(IntVar, Integer)] {
        &self.terms
    }

    /// What is added to the variables.
    pub fn constant_part(&self) -> &Integer {
        &self.constant
    }

    /// The variable, if there is nothing else.
    pub fn as_variable(&self) -> Option<IntVar> {
        match self.terms() {
            [(variable, factor)] if *factor == Integer::ONE && self.constant_part().is_zero() => {
                Some(*variable)
            }
            _ => None,
        }
    }

    /// The value, if there are no variables.
    pub fn as_constant(&self) -> Option<&Integer> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// The term multiplied by a number.
    pub fn scaled(&self, factor: &Integer) -> Linear {
        if factor.is_zero() {
            return Linear::constant(Integer::ZERO);
        }
        Linear {
            terms: self.terms.iter().map(|(variable, number)| (*variable, number * factor)).collect(),
            constant: &self.constant * factor,
        }
    }

    /// The value under an assignment of the variables.
    pub fn value(&self, value_of: impl Fn(IntVar) -> Integer) -> Integer {
        let mut sum = self.constant.clone();
        for (variable, coefficient) in &self.terms {
            sum += &(coefficient * &value_of(*variable));
        }
        sum
    }
}

impl From<IntVar> for Linear {
    fn from(variable: IntVar) -> Linear {
        Linear::variable(variable)
    }
}

impl Add<&Linear> for &Linear {
    type Output = Linear;
    fn add(self, other: &Linear) -> Linear {
        let terms = merge_scaled(&self.terms, &Integer::ONE, &other.terms, &Integer::ONE);
        Linear { terms, constant: &self.constant + &other.constant }
    }
}

impl Sub<&Linear> for &Linear {
    type Output = Linear;
    fn sub(self, other: &Linear) -> Linear {
        let terms = merge_scaled(&self.terms, &Integer::ONE, &other.terms, &Integer::from(-1));
        Linear { terms, constant: &self.constant - &other.constant }
    }
}

impl Mul<&Integer> for &Linear {
    type Output = Linear;
    fn mul(self, factor: &Integer) -> Linear {
        self.scaled(factor)
    }
}

impl Neg for &Linear {
    type Output = Linear;
    fn neg(self) -> Linear {
        self.scaled(&Integer::from(-1))
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (variable, coefficient) in &self.terms {
            write!(formatter, "{coefficient}*{variable:?} + ")?;
        }
        write!(formatter, "{}", self.constant)
    }
}

/// `left * left_factor + right * right_factor` for sums sorted by variable; zero coefficients are dropped.
pub(crate) fn merge_scaled(
    left: &[(IntVar, Integer)],
    left_factor: &Integer,
    right: &[(IntVar, Integer)],
    right_factor: &Integer,
) -> Vec<(IntVar, Integer)> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let take_left = j == right.len() || (i < left.len() && left[i].0 <= right[j].0);
        let take_right = i == left.len() || (j < right.len() && right[j].0 <= left[i].0);
        let mut coefficient = Integer::ZERO;
        let variable = if take_left { left[i].0 } else { right[j].0 };
        if take_left {
            coefficient += &(&left[i].1 * left_factor);
            i += 1;
        }
        if take_right {
            coefficient += &(&right[j].1 * right_factor);
            j += 1;
        }
        if !coefficient.is_zero() {
            merged.push((variable, coefficient));
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(terms: &[(u32, i64)], constant: i64) -> Linear {
        let products = terms.iter().map(|(v, c)| (IntVar(*v), Integer::from(*c))).collect();
        Linear::from_terms(products, Integer::from(constant))
    }

    #[test]
    fn repeated_variables_are_added_and_cancelled_ones_dropped() {
        let sum = linear(&[(2, 1), (0, 3), (2, -1), (1, 4), (0, 1)], 5);
        assert_eq!(sum.terms(), &[(IntVar(0), Integer::from(4)), (IntVar(1), Integer::from(4))]);
    }

    #[test]
    fn sums_and_differences_agree_with_their_values() {
        let left = linear(&[(0, 2), (2, -3)], 1);
        let right = linear(&[(0, 2), (1, 7)], -4);
        let value_of = |variable: IntVar| Integer::from([5, -2, 11][variable.index()]);
        assert_eq!((&left + &right).value(value_of), left.value(value_of) + right.value(value_of));
        assert_eq!((&left - &right).value(value_of), left.value(value_of) - right.value(value_of));
        assert_eq!((&left - &right).terms().len(), 2);
    }
}

//! One equation of the tableau: a sum of integer multiples of variables that is zero.

use crate::theory::number::Integer;

use super::IntVar;
use super::linear::merge_scaled;

/// `terms` sum up to zero. The coefficient of the basic variable is negative, the gcd of all coefficients is one.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) basic: IntVar,
    pub(super) terms: Vec<(IntVar, Integer)>,
}

impl Row {
    pub(super) fn new(basic: IntVar, terms: Vec<(IntVar, Integer)>) -> Row {
        let mut row = Row { basic, terms };
        row.normalise();
        row
    }

    pub(super) fn coefficient(&self, variable: IntVar) -> Option<&Integer> {
        let position = self.terms.binary_search_by_key(&variable, |(other, _)| *other).ok()?;
        Some(&self.terms[position].1)
    }

    /// The coefficient of the basic variable without its sign: `divisor * basic` is the sum of the other terms.
    pub(super) fn divisor(&self) -> Integer {
        -self.coefficient(self.basic).expect("a row contains its basic variable")
    }

    /// All variables but the basic one, with their coefficients.
    pub(super) fn others(&self) -> impl Iterator<Item = &(IntVar, Integer)> {
        self.terms.iter().filter(|(variable, _)| *variable != self.basic)
    }

    /// Makes another variable of the row its basic one.
    pub(super) fn change_basic(&mut self, basic: IntVar) {
        self.basic = basic;
        self.fix_sign();
    }

    /// Adds a multiple of `pivot` such that the basic variable of `pivot` vanishes. A positive multiple of this row
    /// stays, so the sign of its own basic variable is kept.
    pub(super) fn eliminate(&mut self, pivot: &Row) {
        let Some(coefficient) = self.coefficient(pivot.basic) else { return };
        let divisor = pivot.divisor();
        let gcd = coefficient.gcd(&divisor);
        let (own_factor, pivot_factor) = (divisor.div_floor(&gcd), coefficient.div_floor(&gcd));
        self.terms = merge_scaled(&self.terms, &own_factor, &pivot.terms, &pivot_factor);
        self.normalise();
    }

    fn normalise(&mut self) {
        let mut gcd = Integer::ZERO;
        for (_, coefficient) in &self.terms {
            gcd = gcd.gcd(coefficient);
            if gcd.is_one() {
                break;
            }
        }
        if !gcd.is_one() && !gcd.is_zero() {
            for (_, coefficient) in &mut self.terms {
                *coefficient = coefficient.div_floor(&gcd);
            }
        }
        self.fix_sign();
    }

    fn fix_sign(&mut self) {
        let coefficient = self.coefficient(self.basic).expect("a row contains its basic variable");
        if coefficient.is_positive() {
            for (_, coefficient) in &mut self.terms {
                *coefficient = -&*coefficient;
            }
        }
    }
}

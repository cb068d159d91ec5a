//! Small models: moves variables so that the sum of absolute values falls, as long as nothing breaks.
//!
//! Values are often lengths, and what uses the model builds words that long. This is a cheap local improvement, not
//! an optimisation: one non-basic variable moves at a time and nothing is pivoted.

use crate::theory::number::{Integer, Rational};

use super::simplex::Simplex;
use super::{IntVar, Side};

/// Passes over all variables.
const PASSES: usize = 3;

impl Simplex {
    /// Gives every non-basic variable the value nearest to zero that its bounds allow. Basic ones may leave theirs.
    pub(super) fn start_from_zero(&mut self) {
        for index in 0..self.values.len() {
            if self.row_of[index].is_some() {
                continue;
            }
            let variable = IntVar(u32::try_from(index).expect("fewer than 2^32 variables"));
            let nearest = match (self.bound(variable, Side::Lower), self.bound(variable, Side::Upper)) {
                (Some(lower), _) if lower.is_positive() => lower.clone(),
                (_, Some(upper)) if upper.is_negative() => upper.clone(),
                _ => Integer::ZERO,
            };
            self.move_to(variable, nearest);
        }
    }

    /// Moves non-basic variables while all values stay integers, within bounds and not excluded.
    pub(super) fn shrink_values(&mut self) {
        for _ in 0..PASSES {
            let mut moved = false;
            // Terms first: they move several variables at once and are mostly younger.
            for index in (0..self.values.len()).rev() {
                let variable = IntVar(u32::try_from(index).expect("fewer than 2^32 variables"));
                if self.row_of[index].is_none() {
                    moved |= [Side::Lower, Side::Upper]
                        .into_iter()
                        .any(|towards| self.shrink_along(variable, towards));
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// Moves a non-basic variable towards one of its sides, if that makes the sum of absolute values smaller.
    fn shrink_along(&mut self, variable: IntVar, towards: Side) -> bool {
        if !self.structural[variable.index()] && self.occurrences[variable.index()].is_empty() {
            return false;
        }
        self.effort += 1 + self.occurrences[variable.index()].len() as u64;
        let Some(value) = self.values[variable.index()].to_integer().cloned() else { return false };
        let mut cost = Rational::ZERO;
        let mut room: Option<Integer> = None;
        let mut limit = |distance: Integer| {
            if room.as_ref().is_none_or(|room| distance < *room) {
                room = Some(distance);
            }
        };
        if let Some(bound) = self.bound(variable, towards) {
            limit((&value - bound).abs());
        }
        if self.structural[variable.index()] {
            let approaches_zero = approaches_zero(&value, towards);
            cost = Rational::from(Integer::from(if approaches_zero { -1 } else { 1 }));
            if approaches_zero {
                limit(value.abs());
            }
        }
        // The step keeps all basic variables integers.
        let mut unit = Integer::ONE;
        for &number in &self.occurrences[variable.index()] {
            let row = &self.rows[number as usize];
            let coefficient = row.coefficient(variable).expect("the variable occurs in the row");
            let divisor = row.divisor();
            let needed = divisor.div_floor(&divisor.gcd(coefficient));
            unit = (&unit * &needed).div_floor(&unit.gcd(&needed));
            let basic_towards = if coefficient.is_positive() { towards } else { towards.opposite() };
            let Some(basic_value) = self.values[row.basic.index()].to_integer() else { return false };
            let steps_to = |distance: Integer| (&distance * &divisor).div_floor(&coefficient.abs());
            if let Some(bound) = self.bound(row.basic, basic_towards) {
                limit(steps_to((bound - basic_value).abs()));
            }
            if self.structural[row.basic.index()] {
                let share = Rational::new(coefficient.abs(), divisor.clone());
                if approaches_zero(basic_value, basic_towards) {
                    cost = &cost - &share;
                    limit(steps_to(basic_value.abs()));
                } else {
                    cost = &cost + &share;
                }
            }
        }
        let Some(room) = room else { return false };
        let steps = room.div_floor(&unit);
        if !cost.numerator().is_negative() || !steps.is_positive() {
            return false;
        }
        let distance = &steps * &unit;
        let target = if towards == Side::Upper { &value + &distance } else { &value - &distance };
        self.move_to(variable, target);
        if self.breaks_exclusion(variable) {
            self.move_to(variable, value);
            return false;
        }
        true
    }

    /// Whether the variable, or one defined by it, has an excluded value.
    fn breaks_exclusion(&self, variable: IntVar) -> bool {
        let excluded = |variable: IntVar| {
            self.facts.has_distinct(variable)
                && self.values[variable.index()]
                    .to_integer()
                    .is_some_and(|value| self.facts.distinct(variable, value).is_some())
        };
        excluded(variable)
            || self.occurrences[variable.index()]
                .iter()
                .any(|&number| excluded(self.rows[number as usize].basic))
    }
}

fn approaches_zero(value: &Integer, towards: Side) -> bool {
    if towards == Side::Lower { value.is_positive() } else { value.is_negative() }
}

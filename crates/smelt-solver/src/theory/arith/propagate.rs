//! Bounds that follow from a row of the tableau and the bounds of its other variables.
//!
//! For `sum a_j x_j = 0` the least value of all terms but one limits that one. The work is bounded: chains such as
//! `x < y, y < x` would otherwise creep upwards for ever.

use crate::theory::number::Integer;

use super::facts::{FactId, Reason};
use super::simplex::{Simplex, is_tighter};
use super::{Cause, IntVar, Side};

/// Rows with more terms are not looked at.
const MAX_TERMS: usize = 40;
/// Bounds beyond this many bits are not derived.
const MAX_BITS: usize = 256;

impl Simplex {
    /// Derives bounds from the rows around the variables whose bounds have changed, at most `max_rows` rows.
    ///
    /// # Errors
    /// The causes of a contradiction.
    pub fn propagate(&mut self, max_rows: usize) -> Result<(), Vec<Cause>> {
        let mut rows_left = max_rows;
        let mut next = 0;
        let mut queue: Vec<u32> = Vec::new();
        while next < self.changed.len() {
            queue.clear();
            while next < self.changed.len() {
                let variable = self.changed[next];
                next += 1;
                queue.extend(self.row_of[variable.index()]);
                queue.extend(&self.occurrences[variable.index()]);
            }
            queue.sort_unstable();
            queue.dedup();
            for &number in &queue {
                if rows_left == 0 {
                    return Ok(());
                }
                rows_left -= 1;
                self.propagate_row(number)?;
            }
        }
        Ok(())
    }

    fn propagate_row(&mut self, number: u32) -> Result<(), Vec<Cause>> {
        let terms = self.rows[number as usize].terms.clone();
        if terms.len() > MAX_TERMS {
            return Ok(());
        }
        self.effort += 2 * terms.len() as u64;
        for least in [true, false] {
            self.propagate_extreme(&terms, least)?;
        }
        Ok(())
    }

    /// Uses the least (or greatest) value of the terms of a row that is zero.
    fn propagate_extreme(&mut self, terms: &[(IntVar, Integer)], least: bool) -> Result<(), Vec<Cause>> {
        // The side of a variable that makes its term extreme.
        let side_of = |coefficient: &Integer| {
            if coefficient.is_positive() == least { Side::Lower } else { Side::Upper }
        };
        let mut sum = Integer::ZERO;
        let mut unbounded = None;
        for (position, (variable, coefficient)) in terms.iter().enumerate() {
            match self.facts.bound(*variable, side_of(coefficient)) {
                Some(bound) => sum += &(coefficient * bound),
                None if unbounded.is_none() => unbounded = Some(position),
                None => return Ok(()),
            }
        }
        for (position, (variable, coefficient)) in terms.iter().enumerate() {
            if unbounded.is_some_and(|unbounded| unbounded != position) {
                continue;
            }
            // `coefficient * variable` is at most (at least) minus the extreme of all other terms.
            let mut others = sum.clone();
            if unbounded.is_none() {
                let own = self.facts.bound(*variable, side_of(coefficient)).expect("all terms are bounded");
                others -= &(coefficient * own);
            }
            let limit = -others;
            let side = side_of(coefficient).opposite();
            let value =
                if side == Side::Upper { limit.div_floor(coefficient) } else { limit.div_ceil(coefficient) };
            if value.bit_len() > MAX_BITS
                || self.facts.bound(*variable, side).is_some_and(|known| !is_tighter(side, &value, known))
            {
                continue;
            }
            let reasons: Box<[FactId]> = terms
                .iter()
                .filter(|(other, _)| other != variable)
                .map(|(other, coefficient)| {
                    self.facts.bound_id(*other, side_of(coefficient)).expect("the other terms are bounded")
                })
                .collect();
            self.add_bound(*variable, side, value, Reason::Derived(reasons))?;
        }
        Ok(())
    }
}

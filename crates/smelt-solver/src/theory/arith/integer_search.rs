//! From rational to integer solutions: divisibility tests, cuts, branching.
//!
//! A value that is not an integer, or one that is excluded, is branched on: first the smaller side, then, if that is
//! refuted, the greater side as a consequence of the refutation. So the causes of a contradiction never mention a
//! branch that has been left. Cuts are made at the root only and are forgotten with the search.
//!
//! The search may give up. It never says «none» unless every branch is closed.

use crate::theory::number::Integer;

use super::facts::{FactId, Reason};
use super::simplex::{Feasibility, Simplex};
use super::{Cause, IntVar, Linear, Side};

/// Cuts with longer coefficients cost more than they cut.
const MAX_CUT_BITS: usize = 48;
/// Cuts from one state of the tableau.
const CUTS_PER_ROUND: usize = 3;

/// How far the search may go.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// Branches tried.
    pub max_branches: usize,
    /// Rounds of cuts at the root.
    pub max_cut_rounds: usize,
    /// The total [`Simplex::effort`] at which to stop.
    pub effort_limit: u64,
}

/// Whether the bounds have an integer solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Integrality {
    /// They have; one value per variable.
    Model(Vec<Integer>),
    /// They have none, and neither have these causes alone.
    Infeasible(Vec<Cause>),
    /// Not found out within the limits.
    GaveUp,
}

/// What to split on.
struct Split {
    variable: IntVar,
    /// The first case is `variable <= below`, the second `variable > below`.
    below: Integer,
}

impl Simplex {
    /// Looks for integer values within all bounds that avoid all excluded values.
    pub fn search_integers(&mut self, limits: SearchLimits) -> Integrality {
        let variables = self.variable_count();
        let levels = self.levels();
        self.push();
        self.start_from_zero();
        let result = self.search_branches(limits, variables);
        self.pop(self.levels() - levels);
        self.drop_terms(variables);
        result
    }

    fn search_branches(&mut self, limits: SearchLimits, variables: usize) -> Integrality {
        let root = self.levels();
        let mut branches = 0;
        let mut cut_rounds = 0;
        loop {
            let mut conflict = match self.check(limits.effort_limit) {
                Feasibility::OutOfEffort => return Integrality::GaveUp,
                Feasibility::Infeasible(causes) => causes,
                Feasibility::Feasible => match self.refute_by_divisibility() {
                    Some(causes) => causes,
                    None => match self.find_split() {
                        None => {
                            self.shrink_values();
                            return Integrality::Model(self.integer_values(variables));
                        }
                        Some(split) => {
                            if self.levels() == root && cut_rounds < limits.max_cut_rounds {
                                cut_rounds += 1;
                                match self.add_cuts() {
                                    Ok(0) => {}
                                    Ok(_) => continue,
                                    Err(causes) => return Integrality::Infeasible(causes),
                                }
                            }
                            if branches == limits.max_branches {
                                return Integrality::GaveUp;
                            }
                            branches += 1;
                            let depth = self.levels() - root;
                            self.push();
                            let cause = Cause::Branch(u32::try_from(depth).expect("branches are counted"));
                            match self.assert_bound(split.variable, Side::Upper, split.below, cause) {
                                Ok(()) => continue,
                                Err(causes) => causes,
                            }
                        }
                    },
                },
            };
            // Close branches until one has a second case that is not refuted at once.
            loop {
                if self.levels() == root {
                    return Integrality::Infeasible(conflict);
                }
                let depth = self.levels() - root - 1;
                let branch = Cause::Branch(u32::try_from(depth).expect("branches are counted"));
                let first_case = self.branch_bound(branch);
                self.pop(1);
                let Ok(position) = conflict.binary_search(&branch) else { continue };
                conflict.remove(position);
                let (variable, below) = first_case;
                let above = below + Integer::ONE;
                let reason = Reason::Implied(conflict.into_boxed_slice());
                match self.add_bound(variable, Side::Lower, above, reason) {
                    Ok(()) => break,
                    Err(causes) => conflict = causes,
                }
            }
        }
    }

    /// The bound that opened the innermost level.
    fn branch_bound(&self, branch: Cause) -> (IntVar, Integer) {
        self.facts.first_of_level(branch)
    }

    /// A row whose fixed part is not divisible by the coefficients of the rest.
    fn refute_by_divisibility(&mut self) -> Option<Vec<Cause>> {
        for number in 0..self.rows.len() {
            let row = &self.rows[number];
            self.effort += row.terms.len() as u64;
            let mut gcd = Integer::ZERO;
            let mut constant = Integer::ZERO;
            for (variable, coefficient) in &row.terms {
                match self.facts.fixed(*variable) {
                    Some(value) => constant += &(coefficient * value),
                    None => gcd = gcd.gcd(coefficient),
                }
                if gcd.is_one() {
                    break;
                }
            }
            if gcd.is_one() || gcd.divides(&constant) {
                continue;
            }
            let mut facts: Vec<FactId> = Vec::new();
            for (variable, coefficient) in &row.terms {
                // A fixed variable with a divisible coefficient does not change the remainder, whatever its value.
                if self.facts.fixed(*variable).is_some() && !gcd.divides(coefficient) {
                    facts.extend([Side::Lower, Side::Upper].map(|side| {
                        self.facts.bound_id(*variable, side).expect("a fixed variable has both bounds")
                    }));
                }
            }
            return Some(self.facts.explain(facts));
        }
        None
    }

    /// A variable with a fractional or an excluded value.
    fn find_split(&self) -> Option<Split> {
        let mut excluded = None;
        for index in 0..self.values.len() {
            let variable = IntVar(u32::try_from(index).expect("fewer than 2^32 variables"));
            match self.values[index].to_integer() {
                None if self.structural[index] => {
                    return Some(Split { variable, below: self.values[index].floor() });
                }
                // A term is an integer as soon as its variables are.
                None => {}
                Some(value) if excluded.is_none() && self.facts.distinct(variable, value).is_some() => {
                    excluded = Some(Split { variable, below: value - &Integer::ONE });
                }
                Some(_) => {}
            }
        }
        excluded
    }

    /// Adds some mixed-integer rounding cuts that exclude the current values, and says how many.
    ///
    /// # Errors
    /// The causes of a contradiction, if a cut shows one at once.
    fn add_cuts(&mut self) -> Result<usize, Vec<Cause>> {
        let mut cuts = Vec::new();
        for number in 0..self.rows.len() {
            if cuts.len() == CUTS_PER_ROUND {
                break;
            }
            let basic = self.rows[number].basic;
            if self.structural[basic.index()] && !self.values[basic.index()].is_integer() {
                cuts.extend(self.cut_of_row(number));
            }
        }
        let mut added = 0;
        for (term, least, facts) in cuts {
            let gcd = term.terms().iter().fold(Integer::ZERO, |gcd, (_, coefficient)| gcd.gcd(coefficient));
            if gcd.is_zero() {
                continue;
            }
            let products =
                term.terms().iter().map(|(variable, coefficient)| (*variable, coefficient.div_floor(&gcd)));
            let scaled = Linear::from_terms(products.collect(), Integer::ZERO);
            let variable = self.term_variable(&scaled);
            let least = least.div_ceil(&gcd);
            self.add_bound(variable, Side::Lower, least, Reason::Derived(facts.into_boxed_slice()))?;
            added += 1;
        }
        Ok(added)
    }

    /// The Gomory mixed-integer cut of a row whose basic variable is fractional: a term, its least value and the
    /// facts it rests on. None if a variable that matters is not on a bound, or the numbers get long.
    fn cut_of_row(&self, number: usize) -> Option<(Linear, Integer, Vec<FactId>)> {
        let row = &self.rows[number];
        let divisor = row.divisor();
        let mut numerator = Integer::ZERO;
        for (variable, coefficient) in row.others() {
            numerator += &(coefficient * self.values[variable.index()].to_integer()?);
        }
        let rest = numerator.div_rem_euclid(&divisor).1;
        let co_rest = &divisor - &rest;
        let mut products = Vec::new();
        let mut least = &rest * &co_rest;
        let mut facts = Vec::new();
        for (variable, coefficient) in row.others() {
            if divisor.divides(coefficient) {
                continue;
            }
            let value = self.values[variable.index()].to_integer()?;
            let at =
                |side| self.facts.bound_id(*variable, side).filter(|id| self.facts.get(*id).value == *value);
            let (side, fact) = match (at(Side::Lower), at(Side::Upper)) {
                (Some(fact), _) => (Side::Lower, fact),
                (None, Some(fact)) => (Side::Upper, fact),
                (None, None) => return None,
            };
            // With y the distance from the bound, `divisor * basic - slope * y` is a constant.
            let slope = if side == Side::Lower { coefficient.clone() } else { -coefficient };
            let fraction = (-slope).div_rem_euclid(&divisor).1;
            let weight =
                if fraction <= rest { &fraction * &co_rest } else { &(&divisor - &fraction) * &rest };
            // weight * y with y = variable - value, or value - variable.
            let weight = if side == Side::Lower { weight } else { -weight };
            least += &(&weight * value);
            if weight.bit_len() > MAX_CUT_BITS {
                return None;
            }
            products.push((*variable, weight));
            facts.push(fact);
        }
        Some((Linear::from_terms(products, Integer::ZERO), least, facts))
    }

    fn integer_values(&self, count: usize) -> Vec<Integer> {
        self.values[..count]
            .iter()
            .map(|value| value.to_integer().expect("terms over integers are integers").clone())
            .collect()
    }
}

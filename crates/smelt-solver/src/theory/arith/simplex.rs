//! The general simplex method with bounds, reasons and backtracking.
//!
//! The tableau is a set of integer equations, each of which defines one *basic* variable by *non-basic* ones.
//! Non-basic variables always have integer values within their bounds; basic ones may leave theirs until [`Simplex::check`]
//! brings them back or finds the row that cannot be satisfied. Bounds are undone by [`Simplex::pop`], values and pivots
//! are not: they stay a good starting point.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::theory::number::{Integer, Rational};

use super::facts::{FactId, Facts, Kind, Reason};
use super::row::Row;
use super::{Cause, IntVar, Linear, Side};

/// After this many pivots in one check the rule changes to the one that cannot cycle.
const PIVOTS_BEFORE_LOWEST_INDEX: usize = 200;

/// Whether the bounds have a rational solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Feasibility {
    /// They have; the values of the variables are one.
    Feasible,
    /// They have none, and neither have these causes alone.
    Infeasible(Vec<Cause>),
    /// Not found out within the effort allowed.
    OutOfEffort,
}

/// Bounds on variables and on linear terms, backtrackable.
#[derive(Clone, Default, Debug)]
pub struct Simplex {
    pub(super) facts: Facts,
    pub(super) values: Vec<Rational>,
    pub(super) rows: Vec<Row>,
    /// The row that defines a variable, for basic variables.
    pub(super) row_of: Vec<Option<u32>>,
    /// The rows a non-basic variable occurs in, sorted; empty for basic variables.
    pub(super) occurrences: Vec<Vec<u32>>,
    /// Whether the variable stands for itself and not for a linear term.
    pub(super) structural: Vec<bool>,
    definitions: FxHashMap<Vec<(IntVar, Integer)>, IntVar>,
    /// Contains every basic variable outside its bounds, and perhaps others.
    suspects: BTreeSet<IntVar>,
    /// Variables whose bounds have changed since the last propagation.
    pub(super) changed: Vec<IntVar>,
    pub(super) effort: u64,
}

impl Simplex {
    /// No variables, no bounds.
    pub fn new() -> Simplex {
        Simplex::default()
    }

    /// A new variable without bounds.
    pub fn new_variable(&mut self) -> IntVar {
        self.new_column(true)
    }

    fn new_column(&mut self, structural: bool) -> IntVar {
        let variable = IntVar(u32::try_from(self.values.len()).expect("fewer than 2^32 variables"));
        self.facts.add_variable();
        self.values.push(Rational::ZERO);
        self.row_of.push(None);
        self.occurrences.push(Vec::new());
        self.structural.push(structural);
        variable
    }

    /// How many variables there are, with those that stand for terms.
    pub fn variable_count(&self) -> usize {
        self.values.len()
    }

    /// The variable that stands for a sum without constant. Equal sums have the same variable; a single variable with
    /// coefficient one stands for itself.
    ///
    /// # Panics
    /// If the sum is empty or has a constant.
    pub fn term_variable(&mut self, term: &Linear) -> IntVar {
        assert!(term.constant_part().is_zero(), "a row has no constant");
        let terms = term.terms();
        assert!(!terms.is_empty(), "a row has a variable");
        if let [(variable, coefficient)] = terms
            && coefficient.is_one()
        {
            return *variable;
        }
        if let Some(variable) = self.definitions.get(terms) {
            return *variable;
        }
        let slack = self.new_column(false);
        self.definitions.insert(terms.to_vec(), slack);
        self.define(slack, terms);
        slack
    }

    /// The variables that were made for terms, with these.
    pub fn definitions(&self) -> impl Iterator<Item = (IntVar, Linear)> + '_ {
        let definitions = self.definitions.iter();
        definitions.map(|(terms, slack)| (*slack, Linear::from_terms(terms.clone(), Integer::ZERO)))
    }

    fn define(&mut self, slack: IntVar, terms: &[(IntVar, Integer)]) {
        let mut with_slack = terms.to_vec();
        // The new variable is the last one, so the terms stay sorted.
        with_slack.push((slack, Integer::from(-1)));
        let mut row = Row::new(slack, with_slack);
        let basics: Vec<IntVar> =
            terms.iter().map(|(v, _)| *v).filter(|v| self.row_of[v.index()].is_some()).collect();
        for basic in basics {
            let defining = self.row_of[basic.index()].expect("the variable is basic");
            row.eliminate(&self.rows[defining as usize]);
        }
        let mut value = Rational::ZERO;
        for (variable, coefficient) in terms {
            value = &value + &(&self.values[variable.index()] * &Rational::from(coefficient.clone()));
        }
        self.values[slack.index()] = value;
        let number = u32::try_from(self.rows.len()).expect("fewer than 2^32 rows");
        for (variable, _) in row.others() {
            insert_sorted(&mut self.occurrences[variable.index()], number);
        }
        self.row_of[slack.index()] = Some(number);
        self.rows.push(row);
    }

    /// Removes the variables made last, down to a count, with their rows. None of them may have bounds.
    pub(super) fn drop_terms(&mut self, variable_count: usize) {
        if self.values.len() > variable_count {
            self.definitions.retain(|_, variable| variable.index() < variable_count);
        }
        while self.values.len() > variable_count {
            let variable = IntVar(u32::try_from(self.values.len() - 1).expect("fewer than 2^32 variables"));
            debug_assert!(!self.structural[variable.index()], "only terms are dropped");
            debug_assert!(
                self.bound(variable, Side::Lower).is_none() && self.bound(variable, Side::Upper).is_none()
            );
            let number = match self.row_of[variable.index()] {
                Some(number) => number,
                None => {
                    let number = self.occurrences[variable.index()][0];
                    // Leaving variables may get a fractional value here, which the next line repairs.
                    let leaving = self.rows[number as usize].basic;
                    self.pivot(number, variable);
                    self.make_integer(leaving);
                    number
                }
            };
            let row = self.rows.swap_remove(number as usize);
            for (other, _) in row.others() {
                remove_sorted(&mut self.occurrences[other.index()], number);
            }
            let moved = u32::try_from(self.rows.len()).expect("fewer than 2^32 rows");
            if moved != number {
                let basic = self.rows[number as usize].basic;
                self.row_of[basic.index()] = Some(number);
                let others: Vec<IntVar> =
                    self.rows[number as usize].others().map(|(other, _)| *other).collect();
                for other in others {
                    remove_sorted(&mut self.occurrences[other.index()], moved);
                    insert_sorted(&mut self.occurrences[other.index()], number);
                }
            }
            self.facts.drop_variable();
            self.values.pop();
            self.row_of.pop();
            self.occurrences.pop();
            self.structural.pop();
            self.suspects.remove(&variable);
            self.changed.retain(|changed| *changed != variable);
        }
    }

    /// Gives a variable that has just become non-basic an integer value within its bounds.
    fn make_integer(&mut self, variable: IntVar) {
        let mut value = self.values[variable.index()].floor();
        if let Some(lower) = self.bound(variable, Side::Lower)
            && value < *lower
        {
            value = lower.clone();
        }
        if let Some(upper) = self.bound(variable, Side::Upper)
            && value > *upper
        {
            value = upper.clone();
        }
        self.move_to(variable, value);
    }

    /// Opens a level; bounds asserted from here on are undone by the matching [`Simplex::pop`].
    pub fn push(&mut self) {
        self.facts.push();
    }

    /// Undoes the bounds of the last levels.
    pub fn pop(&mut self, levels: usize) {
        self.facts.pop(levels);
        self.changed.clear();
    }

    /// How many levels are open.
    pub fn levels(&self) -> usize {
        self.facts.levels()
    }

    /// The best bound known.
    pub fn bound(&self, variable: IntVar, side: Side) -> Option<&Integer> {
        self.facts.bound(variable, side)
    }

    /// The fact behind the best bound known.
    pub fn bound_fact(&self, variable: IntVar, side: Side) -> Option<FactId> {
        self.facts.bound_id(variable, side)
    }

    /// The causes of some facts, sorted and without repetition.
    pub fn explain(&mut self, facts: impl IntoIterator<Item = FactId>) -> Vec<Cause> {
        self.facts.explain(facts)
    }

    /// What has been done so far, in steps of one coefficient each.
    pub fn effort(&self) -> u64 {
        self.effort
    }

    /// Variables whose bounds have changed since the last call or the last [`Simplex::pop`].
    pub fn take_changed(&mut self) -> Vec<IntVar> {
        std::mem::take(&mut self.changed)
    }

    /// Whether bounds have changed since [`Simplex::take_changed`].
    pub fn has_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Treats a variable as if its bounds had changed.
    pub fn mark_changed(&mut self, variable: IntVar) {
        self.changed.push(variable);
    }

    /// Asserts a bound.
    ///
    /// # Errors
    /// The causes of a contradiction with the bounds of the same variable.
    pub fn assert_bound(
        &mut self,
        variable: IntVar,
        side: Side,
        value: Integer,
        cause: Cause,
    ) -> Result<(), Vec<Cause>> {
        self.add_bound(variable, side, value, Reason::Asserted(cause))
    }

    /// Asserts that a variable does not have a value.
    ///
    /// # Errors
    /// The causes of a contradiction with the bounds of the same variable.
    pub fn assert_distinct(
        &mut self,
        variable: IntVar,
        value: Integer,
        cause: Cause,
    ) -> Result<(), Vec<Cause>> {
        if self.facts.distinct(variable, &value).is_some() {
            return Ok(());
        }
        self.facts.add(variable, Kind::Distinct, value, Reason::Asserted(cause));
        for side in [Side::Lower, Side::Upper] {
            self.step_over_distinct(variable, side)?;
        }
        Ok(())
    }

    pub(super) fn add_bound(
        &mut self,
        variable: IntVar,
        side: Side,
        value: Integer,
        reason: Reason,
    ) -> Result<(), Vec<Cause>> {
        if self.facts.bound(variable, side).is_some_and(|known| !is_tighter(side, &value, known)) {
            return Ok(());
        }
        self.facts.add(variable, Kind::Bound(side), value, reason);
        self.changed.push(variable);
        self.step_over_distinct(variable, side)?;
        let value = self.facts.bound(variable, side).expect("the bound was just added").clone();
        if let Some(opposite) = self.facts.bound(variable, side.opposite())
            && is_tighter(side, &value, opposite)
        {
            let facts =
                [side, side.opposite()].map(|side| self.facts.bound_id(variable, side).expect("both exist"));
            return Err(self.facts.explain(facts));
        }
        if self.row_of[variable.index()].is_some() {
            self.suspects.insert(variable);
        } else if self.is_outside(variable, side) {
            self.move_to(variable, value);
        }
        Ok(())
    }

    /// Tightens a bound that lies on excluded values.
    fn step_over_distinct(&mut self, variable: IntVar, side: Side) -> Result<(), Vec<Cause>> {
        if !self.facts.has_distinct(variable) {
            return Ok(());
        }
        let Some(bound) = self.facts.bound_id(variable, side) else { return Ok(()) };
        let Some(distinct) = self.facts.distinct(variable, &self.facts.get(bound).value) else {
            return Ok(());
        };
        let step = Integer::from(if side == Side::Lower { 1 } else { -1 });
        let value = &self.facts.get(bound).value + &step;
        self.add_bound(variable, side, value, Reason::Derived(Box::new([bound, distinct])))
    }

    pub(super) fn is_outside(&self, variable: IntVar, side: Side) -> bool {
        let Some(bound) = self.facts.bound(variable, side) else { return false };
        let order = self.values[variable.index()].cmp_integer(bound);
        order == if side == Side::Lower { Ordering::Less } else { Ordering::Greater }
    }

    /// Gives a non-basic variable another value.
    pub(super) fn move_to(&mut self, variable: IntVar, value: Integer) {
        let value = Rational::from(value);
        let delta = &value - &self.values[variable.index()];
        self.values[variable.index()] = value;
        self.shift_rows(variable, &delta, None);
    }

    /// Adds to the basic variables what the change of a non-basic one brings.
    fn shift_rows(&mut self, variable: IntVar, delta: &Rational, except: Option<u32>) {
        if delta.is_zero() {
            return;
        }
        for &number in &self.occurrences[variable.index()] {
            if Some(number) == except {
                continue;
            }
            let row = &self.rows[number as usize];
            let coefficient = row.coefficient(variable).expect("the variable occurs in the row");
            let share = Rational::new(coefficient.clone(), row.divisor());
            let basic = row.basic;
            self.values[basic.index()] = &self.values[basic.index()] + &(&share * delta);
            self.suspects.insert(basic);
            self.effort += 1;
        }
    }

    /// Looks for values within all bounds, rational ones for basic variables.
    ///
    /// `effort_limit` is the total [`Simplex::effort`] at which to stop.
    pub fn check(&mut self, effort_limit: u64) -> Feasibility {
        let mut pivots = 0;
        while let Some((basic, side)) = self.next_violation() {
            if self.effort >= effort_limit {
                self.suspects.insert(basic);
                return Feasibility::OutOfEffort;
            }
            let number = self.row_of[basic.index()].expect("only basic variables leave their bounds");
            let lowest_index = pivots >= PIVOTS_BEFORE_LOWEST_INDEX;
            match self.entering(number, side, lowest_index) {
                Some(entering) => {
                    self.pivot_and_move(number, entering, side);
                    pivots += 1;
                }
                None => {
                    self.suspects.insert(basic);
                    return Feasibility::Infeasible(self.explain_row(number, side));
                }
            }
        }
        Feasibility::Feasible
    }

    fn next_violation(&mut self) -> Option<(IntVar, Side)> {
        while let Some(variable) = self.suspects.pop_first() {
            if self.row_of[variable.index()].is_none() {
                continue;
            }
            for side in [Side::Lower, Side::Upper] {
                if self.is_outside(variable, side) {
                    return Some((variable, side));
                }
            }
        }
        None
    }

    /// A non-basic variable of the row that can move so that the basic one returns to its bound.
    fn entering(&self, number: u32, side: Side, lowest_index: bool) -> Option<IntVar> {
        let row = &self.rows[number as usize];
        let can_help = |variable: IntVar, coefficient: &Integer| {
            let limit = limiting_side(side, coefficient);
            match self.facts.bound(variable, limit) {
                None => true,
                Some(bound) => self.values[variable.index()].cmp_integer(bound) != Ordering::Equal,
            }
        };
        let mut candidates = row.others().filter(|(variable, coefficient)| can_help(*variable, coefficient));
        if lowest_index {
            return candidates.next().map(|(variable, _)| *variable);
        }
        candidates
            .min_by_key(|(variable, coefficient)| {
                (self.occurrences[variable.index()].len(), coefficient.bit_len(), *variable)
            })
            .map(|(variable, _)| *variable)
    }

    /// Makes `entering` basic and puts the basic variable of the row on its bound.
    fn pivot_and_move(&mut self, number: u32, entering: IntVar, side: Side) {
        let row = &self.rows[number as usize];
        let leaving = row.basic;
        let target =
            Rational::from(self.facts.bound(leaving, side).expect("a violated bound exists").clone());
        let coefficient = row.coefficient(entering).expect("the entering variable is in the row");
        let leaving_delta = &target - &self.values[leaving.index()];
        let delta = &leaving_delta * &Rational::new(row.divisor(), coefficient.clone());
        self.values[leaving.index()] = target;
        self.values[entering.index()] = &self.values[entering.index()] + &delta;
        self.shift_rows(entering, &delta, Some(number));
        self.pivot(number, entering);
        self.suspects.insert(entering);
    }

    /// Exchanges the basic variable of a row. No value changes.
    pub(super) fn pivot(&mut self, number: u32, entering: IntVar) {
        let leaving = self.rows[number as usize].basic;
        self.rows[number as usize].change_basic(entering);
        self.row_of[leaving.index()] = None;
        self.row_of[entering.index()] = Some(number);
        self.occurrences[leaving.index()] = vec![number];
        let pivot_row = self.rows[number as usize].clone();
        for other in std::mem::take(&mut self.occurrences[entering.index()]) {
            if other == number {
                continue;
            }
            let row = &mut self.rows[other as usize];
            let before = row.terms.clone();
            row.eliminate(&pivot_row);
            self.effort += (before.len() + pivot_row.terms.len()) as u64;
            self.update_occurrences(other, &before);
        }
    }

    /// Brings the occurrence lists up to date after a row has changed.
    fn update_occurrences(&mut self, number: u32, before: &[(IntVar, Integer)]) {
        let after = &self.rows[number as usize].terms;
        let (mut i, mut j) = (0, 0);
        while i < before.len() || j < after.len() {
            let old = before.get(i).map(|(variable, _)| *variable);
            let new = after.get(j).map(|(variable, _)| *variable);
            match (old, new) {
                (Some(old), Some(new)) if old == new => {
                    i += 1;
                    j += 1;
                }
                (Some(old), new) if new.is_none_or(|new| old < new) => {
                    remove_sorted(&mut self.occurrences[old.index()], number);
                    i += 1;
                }
                (_, Some(new)) => {
                    insert_sorted(&mut self.occurrences[new.index()], number);
                    j += 1;
                }
                (_, None) => unreachable!("one of the two lists has something left"),
            }
        }
    }

    /// Why the basic variable of the row cannot return to its bound.
    fn explain_row(&mut self, number: u32, side: Side) -> Vec<Cause> {
        let row = &self.rows[number as usize];
        let mut facts = vec![self.facts.bound_id(row.basic, side).expect("a violated bound exists")];
        for (variable, coefficient) in row.others() {
            let limit = limiting_side(side, coefficient);
            facts.push(
                self.facts.bound_id(*variable, limit).expect("a variable without bound could have moved"),
            );
        }
        self.facts.explain(facts)
    }
}

/// Whether a bound excludes more values than another one on the same side.
pub(super) fn is_tighter(side: Side, value: &Integer, than: &Integer) -> bool {
    match side {
        Side::Lower => value > than,
        Side::Upper => value < than,
    }
}

/// The bound that stops a variable when the basic variable must move away from its bound on `side` inwards.
fn limiting_side(side: Side, coefficient: &Integer) -> Side {
    if coefficient.is_positive() { side.opposite() } else { side }
}

fn insert_sorted(list: &mut Vec<u32>, item: u32) {
    if let Err(position) = list.binary_search(&item) {
        list.insert(position, item);
    }
}

fn remove_sorted(list: &mut Vec<u32>, item: u32) {
    if let Ok(position) = list.binary_search(&item) {
        list.remove(position);
    }
}

//! Counted effort and interruption: the only ways in which a search ends before its time.
//!
//! One unit is about a microsecond of work. Nothing here looks at a clock, so the same input always gets as far.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_semantics::Budget;

/// Effort that may still be spent, and the flag that ends everything.
#[derive(Debug, Clone)]
pub struct Effort {
    remaining: u64,
    interrupt: Arc<AtomicBool>,
}

/// Why work has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The interrupt flag is set.
    Interrupted,
    /// The effort is spent.
    Spent,
}

impl From<Stopped> for crate::Reason {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Interrupted => crate::Reason::Interrupted,
            Stopped::Spent => crate::Reason::Effort,
        }
    }
}

impl Effort {
    /// So many units, stopped also by this flag.
    pub fn new(units: u64, interrupt: Arc<AtomicBool>) -> Self {
        Effort { remaining: units, interrupt }
    }

    /// So many units that nobody interrupts.
    pub fn of(units: u64) -> Self {
        Effort::new(units, Arc::new(AtomicBool::new(false)))
    }

    /// How many units are left.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Whether the interrupt flag is set.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// The flag that ends everything.
    pub fn interrupt_flag(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    /// Takes units, or says why work must end.
    pub fn spend(&mut self, units: u64) -> Result<(), Stopped> {
        if self.is_interrupted() {
            return Err(Stopped::Interrupted);
        }
        match self.remaining.checked_sub(units) {
            Some(rest) => {
                self.remaining = rest;
                Ok(())
            }
            None => {
                self.remaining = 0;
                Err(Stopped::Spent)
            }
        }
    }

    /// Does some work with at most so many of the units that are left.
    pub fn slice<T>(&mut self, units: u64, work: impl FnOnce(&mut Effort) -> T) -> T {
        let granted = units.min(self.remaining);
        let mut part = Effort { remaining: granted, interrupt: self.interrupt.clone() };
        let result = work(&mut part);
        self.remaining -= granted - part.remaining;
        result
    }

    /// Does some work that has a budget of its own, with at most so many of the units that are left.
    pub fn budgeted<T>(&mut self, units: u64, work: impl FnOnce(&mut Budget) -> T) -> T {
        let granted = units.min(self.remaining).saturating_mul(BUDGET_PER_UNIT);
        let mut budget = Budget::new(granted);
        let result = work(&mut budget);
        let used = (granted - budget.remaining()) / BUDGET_PER_UNIT + 1;
        self.remaining = self.remaining.saturating_sub(used);
        result
    }
}

/// How much of a budget a unit of effort buys: both are measures of time.
const BUDGET_PER_UNIT: u64 = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_takes_only_what_it_uses() {
        let mut effort = Effort::of(100);
        let result = effort.slice(50, |part| part.spend(30).and_then(|()| part.spend(30)));
        assert_eq!(result, Err(Stopped::Spent));
        assert_eq!(effort.remaining(), 50);
    }

    #[test]
    fn a_budget_is_charged_to_the_effort() {
        let mut effort = Effort::of(100);
        assert_eq!(effort.budgeted(50, |budget| budget.spend(10 * BUDGET_PER_UNIT)), Ok(()));
        assert_eq!(effort.remaining(), 89);
        assert!(effort.budgeted(50, |budget| budget.spend(51 * BUDGET_PER_UNIT)).is_err());
        assert_eq!(effort.remaining(), 38);
        assert!(effort.budgeted(50, |budget| budget.spend(39 * BUDGET_PER_UNIT)).is_err());
        assert_eq!(effort.remaining(), 0);
    }

    #[test]
    fn an_interrupt_ends_all_work() {
        let mut effort = Effort::of(100);
        effort.interrupt_flag().store(true, Ordering::Relaxed);
        assert_eq!(effort.spend(1), Err(Stopped::Interrupted));
    }
}

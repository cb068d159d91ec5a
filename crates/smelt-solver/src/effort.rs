//! Counted effort and interruption: the only ways in which a search ends before its time.
//!
//! One unit is about a microsecond of work. Nothing here looks at a clock, so the same input always gets as far.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_semantics::Budget;

/// Effort that may still be spent, and the flags that end everything.
#[derive(Debug, Clone)]
pub struct Effort {
    remaining: u64,
    interrupt: Interrupt,
}

/// What ends all work from outside: a flag, and another for solvers in a race.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    rival: Option<Arc<AtomicBool>>,
}

impl Interrupt {
    /// Ended by either of two flags.
    pub fn with_rival(flag: Arc<AtomicBool>, rival: Arc<AtomicBool>) -> Self {
        Interrupt { flag, rival: Some(rival) }
    }

    /// Whether work has to end.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
            || self.rival.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

impl From<Arc<AtomicBool>> for Interrupt {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Interrupt { flag, rival: None }
    }
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
    /// A number of units, stopped also from outside.
    pub fn new(units: u64, interrupt: impl Into<Interrupt>) -> Self {
        Effort { remaining: units, interrupt: interrupt.into() }
    }

    /// A number of units without interruption.
    #[cfg(test)]
    pub fn of(units: u64) -> Self {
        Effort::new(units, Interrupt::default())
    }

    /// How many units are left.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Whether all work has to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_set()
    }

    /// What ends everything.
    pub fn interrupt_flag(&self) -> Interrupt {
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

    /// Does some work with at most this many of the units that are left.
    pub fn slice<T>(&mut self, units: u64, work: impl FnOnce(&mut Effort) -> T) -> T {
        let granted = units.min(self.remaining);
        let mut part = Effort { remaining: granted, interrupt: self.interrupt.clone() };
        let result = work(&mut part);
        self.remaining -= granted - part.remaining;
        result
    }

    /// Does some work that has a budget of its own, with at most this many of the units that are left.
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
        for position in [0, 1] {
            let flags = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
            let interrupt = Interrupt::with_rival(flags[0].clone(), flags[1].clone());
            let mut effort = Effort::new(100, interrupt);
            assert_eq!(effort.spend(1), Ok(()));
            flags[position].store(true, Ordering::Relaxed);
            assert_eq!(effort.spend(1), Err(Stopped::Interrupted));
        }
    }
}

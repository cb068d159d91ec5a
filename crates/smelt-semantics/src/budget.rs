//! A budget of counted effort, so that hostile input ends in "limit reached" and never in a hang.
//!
//! One unit is about one machine word read or written. Callers charge *before* they do the work, with a cost
//! that bounds it; nothing here looks at a clock.

/// Effort that may still be spent.
#[derive(Debug, Clone)]
pub struct Budget {
    remaining: u64,
}

/// The work asked for costs more than what is left of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReached;

impl Budget {
    /// A budget of `units` units of effort.
    pub fn new(units: u64) -> Self {
        Budget { remaining: units }
    }

    /// Takes `cost` units, or reports that they are not there (and then leaves nothing for later calls).
    pub fn spend(&mut self, cost: u64) -> Result<(), LimitReached> {
        match self.remaining.checked_sub(cost) {
            Some(rest) => {
                self.remaining = rest;
                Ok(())
            }
            None => {
                self.remaining = 0;
                Err(LimitReached)
            }
        }
    }
}

impl Default for Budget {
    /// Enough for any formula of a real benchmark; about a second of work.
    fn default() -> Self {
        Budget::new(1 << 29)
    }
}

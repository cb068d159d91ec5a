//! A budget of counted effort, so that hostile input ends in "limit reached" and never in a hang.
//!
//! One unit is about two nanoseconds of work. Memory is charged too, at [`WORD_COST`] for each machine word that a
//! value takes, because values are kept until evaluation ends; and it has a limit of its own, so that much time does not
//! mean much memory. Callers charge *before* they do the work, with a cost that bounds it; nothing here looks at a
//! clock.

/// Effort that may still be spent.
#[derive(Debug, Clone)]
pub struct Budget {
    remaining: u64,
    /// Machine words of memory that may still be taken.
    words: u64,
}

/// What each machine word of memory costs. The default budget then buys half a gigabyte,
pub(crate) const WORD_COST: u64 = 8;
/// and no budget buys more unless that is said.
const MAX_WORDS: u64 = 1 << 26;

/// The work asked for costs more than what is left of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReached;

impl Budget {
    /// A budget of `units` units of effort.
    pub fn new(units: u64) -> Self {
        Budget { remaining: units, words: MAX_WORDS }
    }

    /// The same budget with at most so many machine words of memory.
    pub fn with_words(self, words: u64) -> Self {
        Budget { words, ..self }
    }

    /// How many units are left.
    pub fn remaining(&self) -> u64 {
        self.remaining
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

    /// Takes what so many machine words of memory cost.
    pub(crate) fn spend_words(&mut self, words: u64) -> Result<(), LimitReached> {
        let Some(rest) = self.words.checked_sub(words) else {
            self.remaining = 0;
            return Err(LimitReached);
        };
        self.words = rest;
        self.spend(words.saturating_mul(WORD_COST))
    }
}

impl Default for Budget {
    /// Enough for any formula of a real benchmark; about a second of work.
    fn default() -> Self {
        Budget::new(1 << 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_limited_however_much_time_there_is() {
        let mut budget = Budget::new(u64::MAX).with_words(10);
        assert_eq!(budget.spend_words(10), Ok(()));
        assert_eq!(budget.spend_words(1), Err(LimitReached));
        assert_eq!(budget.spend(1), Err(LimitReached));
        assert!(Budget::new(u64::MAX).spend_words(MAX_WORDS + 1).is_err());
    }
}

//! Counters by name, printed in order.

use std::collections::BTreeMap;

/// What a check did, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    counters: BTreeMap<String, u64>,
}

impl Statistics {
    /// Nothing counted.
    pub fn new() -> Self {
        Statistics::default()
    }

    /// Adds to a counter.
    pub fn add(&mut self, name: &str, count: u64) {
        if count == 0 {
            return;
        }
        match self.counters.get_mut(name) {
            Some(counter) => *counter += count,
            None => {
                self.counters.insert(name.to_owned(), count);
            }
        }
    }

    /// The value of a counter; 0 if nothing was counted under this name.
    pub fn get(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// All counters by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counters.iter().map(|(name, count)| (name.as_str(), *count))
    }
}

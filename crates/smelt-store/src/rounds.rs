//! What was decided for the rounds of a campaign: who gets turns, which seeds are drawn, what runs get at first.
//!
//! A decision may rest on how long solvers took, which is not the same twice; so it is recorded before the first chain of
//! its round, and a campaign that is resumed follows what is recorded.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::store::Store;

/// What was decided for one round.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundDecision {
    /// For each technique how many chains it gets.
    pub turns: Vec<u32>,
    /// How often a chain that has drawn a seed takes it, of [`MAX_ENERGY`] times, by the positions of seeds; others are
    /// taken [`USUAL_ENERGY`] times.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seeds: BTreeMap<u64, u32>,
    /// What runs of each solver get at first; empty if all get the full limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<RoundLimit>,
}

/// The most that a seed can have.
pub const MAX_ENERGY: u32 = 16;
/// What seeds have of which nothing else is known, if others have more or less.
pub const USUAL_ENERGY: u32 = 8;

impl RoundDecision {
    /// How often a seed that was drawn is taken, of [`MAX_ENERGY`] times.
    pub fn energy(&self, seed: u64) -> u32 {
        let usual = if self.seeds.is_empty() { MAX_ENERGY } else { USUAL_ENERGY };
        self.seeds.get(&seed).copied().unwrap_or(usual)
    }
}

/// How much processor time runs of a solver get at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundLimit {
    /// Microseconds.
    pub cpu_us: u64,
    /// How many runs are repeated with more, of [`ALL_REPEATED`] that this ended and that are promising.
    pub repeated: u32,
}

/// All runs are repeated.
pub const ALL_REPEATED: u32 = 256;

impl Store {
    /// What was decided for the first rounds, in their order.
    pub fn rounds(&self) -> Result<Vec<RoundDecision>, StoreError> {
        self.read_rounds().map_err(|error| self.failed(error))
    }

    pub(crate) fn read_rounds(&self) -> rusqlite::Result<Vec<RoundDecision>> {
        let mut statement = self.connection.prepare("SELECT number, decision FROM rounds ORDER BY number")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut rounds = Vec::new();
        for row in rows {
            let (number, text): (u64, String) = row?;
            let decision = serde_json::from_str(&text).map_err(|error| {
                rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, error.into())
            })?;
            // After a gap nothing can be followed.
            if number != rounds.len() as u64 {
                break;
            }
            rounds.push(decision);
        }
        Ok(rounds)
    }
}

/// Writes what was decided for some rounds.
pub(crate) fn write(connection: &Connection, rounds: &[(u64, String)]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT OR IGNORE INTO rounds VALUES (?1, ?2)")?;
    for (number, decision) in rounds {
        insert.execute(params![number, decision])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_decisions_about_seeds_all_are_taken() {
        let mut decision = RoundDecision::default();
        assert_eq!(decision.energy(3), MAX_ENERGY);
        decision.seeds.insert(5, 2);
        assert_eq!([3, 5].map(|seed| decision.energy(seed)), [USUAL_ENERGY, 2]);
    }
}

//! What the cases of a campaign have found, by which techniques share the rest of it.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::recorder::CaseRecord;
use crate::store::{STEPS_PER_CHAIN, Store};

/// What a case found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseYield {
    /// Whether something was claimed of it.
    pub has_claim: bool,
    /// What solvers did, as numbers that tell one behaviour from another.
    pub behaviours: Vec<u64>,
    /// The findings that it counts for.
    pub findings: Vec<String>,
}

/// What the chains of a campaign have found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedYields {
    /// Numbers of chains in order, and whether they have ended.
    pub chains: Vec<(u64, bool)>,
    /// What the cases of each chain found, in order.
    pub cases: BTreeMap<u64, Vec<CaseYield>>,
}

impl Store {
    /// What the recorded cases have found.
    pub fn yields(&self) -> Result<RecordedYields, StoreError> {
        self.read_yields().map_err(|error| self.failed(error))
    }

    fn read_yields(&self) -> rusqlite::Result<RecordedYields> {
        let mut recorded = RecordedYields::default();
        let mut statement =
            self.connection.prepare("SELECT number, state <> 'open' FROM chains ORDER BY number")?;
        for row in statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
            recorded.chains.push(row?);
        }
        let mut findings: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let mut statement =
            self.connection.prepare("SELECT case_id, finding FROM verdicts WHERE finding IS NOT NULL")?;
        for row in statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
            let (case, finding): (u64, String) = row?;
            findings.entry(case).or_default().push(finding);
        }
        let mut statement =
            self.connection.prepare("SELECT case_id, claim, behaviours FROM yields ORDER BY case_id")?;
        for row in statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))? {
            let (case, has_claim, behaviours): (u64, bool, Vec<u8>) = row?;
            let found = CaseYield {
                has_claim,
                behaviours: unpacked(&behaviours),
                findings: findings.remove(&case).unwrap_or_default(),
            };
            recorded.cases.entry(case / STEPS_PER_CHAIN).or_default().push(found);
        }
        Ok(recorded)
    }
}

/// Writes what some cases found; the findings are recorded with the verdicts.
pub(crate) fn write(connection: &Connection, cases: &[CaseRecord]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT OR REPLACE INTO yields VALUES (?1, ?2, ?3)")?;
    for case in cases {
        let id = case.chain * STEPS_PER_CHAIN + u64::from(case.step);
        insert.execute(params![id, case.has_claim, packed(&case.behaviours)])?;
    }
    Ok(())
}

fn packed(behaviours: &[u64]) -> Vec<u8> {
    behaviours.iter().flat_map(|behaviour| behaviour.to_le_bytes()).collect()
}

fn unpacked(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaviours_survive_packing() {
        assert_eq!(unpacked(&packed(&[])), [0; 0]);
        assert_eq!(unpacked(&packed(&[1, u64::MAX])), [1, u64::MAX]);
    }
}

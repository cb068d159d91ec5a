//! What the cases of a campaign are and have found, by which techniques share the rest of it.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};

use crate::error::StoreError;
use crate::recorder::CaseRecord;
use crate::store::{STEPS_PER_CHAIN, Store};

/// What a case found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseYield {
    /// Whether something was claimed of it.
    pub has_claim: bool,
    /// What it is made of, as numbers that tell one shape from another.
    pub shapes: Vec<u64>,
    /// The findings that it counts for, as numbers that those have in common which are most likely one bug.
    pub findings: Vec<u64>,
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
        let mut statement = self
            .connection
            .prepare("SELECT case_id, claim, behaviours, findings FROM yields ORDER BY case_id")?;
        let columns = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        for row in statement.query_map([], columns)? {
            let (case, has_claim, shapes, findings): (u64, bool, Vec<u8>, Option<Vec<u8>>) = row?;
            let found = CaseYield {
                has_claim,
                shapes: unpacked(&shapes),
                // Releases that did not record them have shared by other things anyway.
                findings: unpacked(&findings.unwrap_or_default()),
            };
            recorded.cases.entry(case / STEPS_PER_CHAIN).or_default().push(found);
        }
        Ok(recorded)
    }
}

/// Writes what some cases found.
pub(crate) fn write(connection: &Connection, cases: &[CaseRecord]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT OR REPLACE INTO yields VALUES (?1, ?2, ?3, ?4)")?;
    for case in cases.iter().filter(|case| case.not_sent.is_none()) {
        let CaseYield { has_claim, shapes, findings } = &case.found;
        insert.execute(params![case.id(), has_claim, packed(shapes), packed(findings)])?;
    }
    Ok(())
}

fn packed(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn unpacked(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_packing() {
        assert_eq!(unpacked(&packed(&[])), [0; 0]);
        assert_eq!(unpacked(&packed(&[1, u64::MAX])), [1, u64::MAX]);
    }
}

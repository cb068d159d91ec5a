//! What the cases of a campaign are and have found, by which techniques share the rest of it.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::{Connection, Row, params};

use crate::error::StoreError;
use crate::recorder::CaseRecord;
use crate::rounds::RoundDecision;
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
    /// What solvers did with its shapes, as numbers too.
    pub outcomes: Vec<u64>,
    /// The processor time of all its runs.
    pub cpu: Duration,
    /// What its first runs cost; recorded with the runs.
    pub costs: Vec<RunCost>,
}

/// What a run cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunCost {
    /// The number of the solver in the configuration.
    pub solver: usize,
    /// Processor time.
    pub cpu: Duration,
    /// Whether it ended with an answer that decides the case.
    pub is_decided: bool,
    /// Whether the limit on processor time ended it.
    pub is_cut: bool,
}

/// A chain of which something is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedChain {
    /// Its number.
    pub number: u64,
    /// The number of its seed.
    pub seed: u64,
    /// Whether it has ended.
    pub has_ended: bool,
}

/// What the chains of a campaign have found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedYields {
    /// The chains, in order.
    pub chains: Vec<RecordedChain>,
    /// What the cases of each chain found, in order.
    pub cases: BTreeMap<u64, Vec<CaseYield>>,
    /// What was decided for the first rounds.
    pub rounds: Vec<RoundDecision>,
}

impl Store {
    /// What the recorded cases have found.
    pub fn yields(&self) -> Result<RecordedYields, StoreError> {
        self.read_yields().map_err(|error| self.failed(error))
    }

    fn read_yields(&self) -> rusqlite::Result<RecordedYields> {
        let mut recorded = RecordedYields { rounds: self.read_rounds()?, ..RecordedYields::default() };
        let mut statement =
            self.connection.prepare("SELECT number, seed, state <> 'open' FROM chains ORDER BY number")?;
        let chain = |row: &Row<'_>| {
            Ok(RecordedChain { number: row.get(0)?, seed: row.get(1)?, has_ended: row.get(2)? })
        };
        for row in statement.query_map([], chain)? {
            recorded.chains.push(row?);
        }
        let mut costs = self.read_costs()?;
        let mut statement = self.connection.prepare(
            "SELECT case_id, claim, behaviours, findings, outcomes, cpu_us FROM yields ORDER BY case_id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let case: u64 = row.get(0)?;
            // Releases that did not record the last columns have shared by other things anyway.
            let numbers = |bytes: Option<Vec<u8>>| unpacked(&bytes.unwrap_or_default());
            let found = CaseYield {
                has_claim: row.get(1)?,
                shapes: numbers(row.get(2)?),
                findings: numbers(row.get(3)?),
                outcomes: numbers(row.get(4)?),
                cpu: Duration::from_micros(row.get::<_, Option<u64>>(5)?.unwrap_or_default()),
                costs: costs.remove(&case).unwrap_or_default(),
            };
            recorded.cases.entry(case / STEPS_PER_CHAIN).or_default().push(found);
        }
        Ok(recorded)
    }

    /// What the runs of each case cost.
    fn read_costs(&self) -> rusqlite::Result<BTreeMap<u64, Vec<RunCost>>> {
        let mut costs: BTreeMap<u64, Vec<RunCost>> = BTreeMap::new();
        let mut statement = self.connection.prepare(
            "SELECT case_id, solver, cpu_us, answer IN ('sat', 'unsat'), ended_by IS 'cpu' FROM runs",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            costs.entry(row.get(0)?).or_default().push(RunCost {
                solver: row.get(1)?,
                cpu: Duration::from_micros(row.get(2)?),
                is_decided: row.get(3)?,
                is_cut: row.get(4)?,
            });
        }
        Ok(costs)
    }
}

/// Writes what some cases found.
pub(crate) fn write(connection: &Connection, cases: &[CaseRecord]) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare_cached("INSERT OR REPLACE INTO yields VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    for case in cases.iter().filter(|case| case.not_sent.is_none()) {
        let CaseYield { has_claim, shapes, findings, outcomes, cpu, .. } = &case.found;
        let (shapes, findings, outcomes) = (packed(shapes), packed(findings), packed(outcomes));
        let cpu = cpu.as_micros() as i64;
        insert.execute(params![case.id(), has_claim, shapes, findings, outcomes, cpu])?;
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

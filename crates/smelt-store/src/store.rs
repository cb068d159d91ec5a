//! The database of a campaign: opening it, and all that is read or written outside of a running hunt.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::configuration::{Budget, Configuration, Origin, SeedRecord};
use crate::error::{StoreError, refuse_link};
use crate::finding::Finding;
use crate::schema;
use crate::totals::Totals;

/// How long to wait for another program that has the database locked.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A case's id is so many times the number of its chain plus its step.
pub(crate) const STEPS_PER_CHAIN: u64 = 1000;

/// Chains are begun in order and recorded as they end, so that only those which are worked on can be missing. More than
/// this many have not been left out by a hunt.
const MAX_GAP: u64 = 1 << 16;

/// The record of a campaign.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// Which file it is.
    identity: Option<Identity>,
}

/// What tells a file from all others of the machine: its device and its number there.
type Identity = (u64, u64);

fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// What a campaign is about and how far it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Campaign {
    /// What decides which cases are made.
    pub configuration: Configuration,
    /// When it is done.
    pub budget: Budget,
    /// Its seeds, in order.
    pub seeds: Vec<SeedRecord>,
    /// What it has done.
    pub totals: Totals,
}

/// Which chains are still to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// Chains that were begun or left out: the number, and how many of the cases are recorded.
    pub chains: Vec<(u64, u32)>,
    /// The first chain of which nothing is recorded, nor of any after it.
    pub next: u64,
}

/// What verdicts say of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFinding {
    /// Its id.
    pub id: String,
    /// The first case that shows it, in the order of cases.
    pub first_case: u64,
    /// How many cases show it.
    pub cases: u64,
    /// What it has in common with findings that are most likely the same bug.
    alike: Option<i64>,
}

/// The name of the database of a campaign.
pub(crate) const CAMPAIGN: &str = "campaign.db";

/// The database of the campaign in a folder.
pub fn database(folder: &Path) -> PathBuf {
    folder.join(CAMPAIGN)
}

/// Why the chains of a campaign cannot be read.
enum ChainsError {
    Database(rusqlite::Error),
    /// No chain is known from `first` on, up to `next`, and too many are missing.
    Gap {
        first: u64,
        next: u64,
    },
}

impl From<rusqlite::Error> for ChainsError {
    fn from(error: rusqlite::Error) -> Self {
        ChainsError::Database(error)
    }
}

impl Store {
    /// Opens the record in a campaign's folder and makes it if there is none.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        Store::open_with(database(folder), flags)
    }

    /// Opens the record in a campaign's folder; none if there is none. A hunt may be writing it.
    pub fn open_existing(folder: &Path) -> Result<Option<Store>, StoreError> {
        let path = database(folder);
        if !path.exists() {
            return Ok(None);
        }
        Store::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map(Some)
    }

    fn open_with(path: PathBuf, flags: OpenFlags) -> Result<Store, StoreError> {
        refuse_emptied(&path)?;
        let mut connection = connect(&path, flags)?;
        schema::migrate(&mut connection, &path)?;
        let identity = identity(&path);
        Ok(Store { connection, path, identity })
    }

    /// An error if the file under the name of the database is not the one that was opened: what is written to a file
    /// without a name is lost.
    pub(crate) fn check_in_place(&self) -> Result<(), StoreError> {
        match identity(&self.path) == self.identity {
            true => Ok(()),
            false => Err(StoreError::Gone { path: self.path.clone() }),
        }
    }

    pub(crate) fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::of_database(&self.path, error)
    }

    fn damaged(&self, error: &serde_json::Error) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), message: error.to_string() }
    }

    fn parse<T: DeserializeOwned>(&self, json: &str) -> Result<T, StoreError> {
        serde_json::from_str(json).map_err(|error| self.damaged(&error))
    }

    fn json(&self, value: &impl Serialize) -> Result<String, StoreError> {
        serde_json::to_string(value).map_err(|error| self.damaged(&error))
    }

    /// The campaign; none if nothing is recorded yet.
    pub fn campaign(&self) -> Result<Option<Campaign>, StoreError> {
        let texts: Option<(String, String, String)> = self
            .connection
            .query_row("SELECT configuration, budget, totals FROM campaign", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()
            .map_err(|error| self.failed(error))?;
        let Some((configuration, budget, totals)) = texts else { return Ok(None) };
        let mut totals: Totals = self.parse(&totals)?;
        // Findings that were taken in from their folders are counted too.
        totals.findings = self.findings_by_class().map_err(|error| self.failed(error))?;
        Ok(Some(Campaign {
            configuration: self.parse(&configuration)?,
            budget: self.parse(&budget)?,
            seeds: self.seeds().map_err(|error| self.failed(error))?,
            totals,
        }))
    }

    fn findings_by_class(&self) -> rusqlite::Result<Vec<(String, u64)>> {
        let mut statement = self
            .connection
            .prepare("SELECT class, count(*) FROM findings GROUP BY class ORDER BY min(number)")?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    fn seeds(&self) -> rusqlite::Result<Vec<SeedRecord>> {
        let mut statement =
            self.connection.prepare("SELECT name, path, source, hash FROM seeds ORDER BY id")?;
        statement
            .query_map([], |row| {
                let origin = match (row.get("path")?, row.get("source")?) {
                    (Some(path), _) => Origin::File(path),
                    (None, Some(source)) => Origin::Text(source),
                    (None, None) => Origin::BuiltIn,
                };
                Ok(SeedRecord { name: row.get("name")?, origin, hash: row.get("hash")? })
            })?
            .collect()
    }

    /// Records what a campaign is about. There must be none yet.
    pub fn begin_campaign(
        &mut self,
        configuration: &Configuration,
        seeds: &[SeedRecord],
        budget: &Budget,
    ) -> Result<(), StoreError> {
        let texts = [self.json(configuration)?, self.json(budget)?, self.json(&Totals::default())?];
        let mut write = || {
            let transaction = self.connection.transaction()?;
            transaction.execute(
                "INSERT INTO campaign VALUES (1, ?1, ?2, ?3, ?4)",
                params![now_ms(), texts[0], texts[1], texts[2]],
            )?;
            let mut insert = transaction.prepare("INSERT INTO seeds VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for (number, seed) in seeds.iter().enumerate() {
                let (path, source) = match &seed.origin {
                    Origin::BuiltIn => (None, None),
                    Origin::File(path) => (Some(path), None),
                    Origin::Text(source) => (None, Some(source)),
                };
                insert.execute(params![number, seed.name, path, source, seed.hash])?;
            }
            drop(insert);
            for (number, solver) in configuration.solvers.iter().enumerate() {
                transaction
                    .execute("INSERT INTO solvers VALUES (?1, ?2)", params![number, solver.command.solver])?;
            }
            transaction.commit()
        };
        write().map_err(|error| self.failed(error))
    }

    /// Replaces the budget of the campaign.
    pub fn set_budget(&mut self, budget: &Budget) -> Result<(), StoreError> {
        let budget = self.json(budget)?;
        self.connection
            .execute("UPDATE campaign SET budget = ?1", [budget])
            .map(|_| ())
            .map_err(|error| self.failed(error))
    }

    /// The chains that are not done.
    pub fn unfinished(&self) -> Result<Unfinished, StoreError> {
        self.read_unfinished().map_err(|error| match error {
            ChainsError::Database(error) => self.failed(error),
            ChainsError::Gap { first, next } => {
                let message = format!("nothing is there of chains {first} to {next}");
                StoreError::Damaged { path: self.path.clone(), message }
            }
        })
    }

    fn read_unfinished(&self) -> Result<Unfinished, ChainsError> {
        let mut statement =
            self.connection.prepare("SELECT number, cases, state = 'open' FROM chains ORDER BY number")?;
        let mut rows = statement.query([])?;
        let mut unfinished = Unfinished { chains: Vec::new(), next: 0 };
        while let Some(row) = rows.next()? {
            let number: u64 = row.get(0)?;
            if number - unfinished.next > MAX_GAP {
                return Err(ChainsError::Gap { first: unfinished.next, next: number });
            }
            unfinished.chains.extend((unfinished.next..number).map(|skipped| (skipped, 0)));
            if row.get(2)? {
                unfinished.chains.push((number, row.get(1)?));
            }
            unfinished.next = number + 1;
        }
        Ok(unfinished)
    }

    /// The findings with their cases, in the order in which they were found.
    pub fn findings(&self) -> Result<Vec<Finding>, StoreError> {
        let read = || -> rusqlite::Result<Vec<(String, String, u64)>> {
            let mut statement = self
                .connection
                .prepare("SELECT finding, script, counted_before FROM findings ORDER BY number")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        };
        let rows = read().map_err(|error| self.failed(error))?;
        let mut findings = Vec::with_capacity(rows.len());
        for (finding, script, count) in rows {
            let finding: Finding = self.parse(&finding)?;
            findings.push(Finding { count, script, ..finding });
        }
        self.count_cases(&mut findings)?;
        Ok(findings)
    }

    /// Adds to each finding the cases that count for it: its own, and for the first of those that are alike also the
    /// cases of those like it that are not kept.
    fn count_cases(&self, findings: &mut [Finding]) -> Result<(), StoreError> {
        let positions: BTreeMap<String, usize> =
            findings.iter().enumerate().map(|(place, one)| (one.id.to_string(), place)).collect();
        let seen = self.seen()?;
        let mut first_alike: BTreeMap<i64, &SeenFinding> = BTreeMap::new();
        for one in seen.iter().filter(|one| positions.contains_key(&one.id)) {
            let Some(alike) = one.alike else { continue };
            let first = first_alike.entry(alike).or_insert(one);
            if one.first_case < first.first_case {
                *first = one;
            }
        }
        for one in &seen {
            let first = || one.alike.and_then(|alike| first_alike.get(&alike)).map(|first| &first.id);
            let counts_for = positions.get(&one.id).or_else(|| positions.get(first()?));
            if let Some(place) = counts_for {
                findings[*place].count += one.cases;
            }
        }
        Ok(())
    }

    /// What verdicts say of findings, whether they are kept or not.
    pub fn seen(&self) -> Result<Vec<SeenFinding>, StoreError> {
        let read = || -> rusqlite::Result<Vec<SeenFinding>> {
            let mut statement = self.connection.prepare(
                "SELECT finding, min(case_id), count(*), max(alike) FROM verdicts WHERE finding IS NOT NULL
                GROUP BY finding",
            )?;
            let seen = |row: &Row<'_>| {
                let (id, first_case, cases, alike) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                Ok(SeenFinding { id, first_case, cases, alike })
            };
            statement.query_map([], seen)?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// The findings that were taken in from a folder.
    pub fn taken_in(&self) -> Result<BTreeSet<String>, StoreError> {
        let read = || -> rusqlite::Result<BTreeSet<String>> {
            let mut statement =
                self.connection.prepare("SELECT id FROM findings WHERE counted_before > 0")?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// Forgets a finding: its cases count for others like it.
    pub fn drop_finding(&mut self, id: &str) -> Result<(), StoreError> {
        let dropped = self.connection.execute("DELETE FROM findings WHERE id = ?1", [id]);
        dropped.map(|_| ()).map_err(|error| self.failed(error))
    }

    /// Takes in a finding that another record or none at all has counted before.
    pub fn take_in(&mut self, finding: &Finding) -> Result<(), StoreError> {
        let json = self.json(finding)?;
        insert_finding(&self.connection, finding, &json, finding.count).map_err(|error| self.failed(error))
    }
}

/// An error if a database has no content although there are findings beside it: they belong to a record that was lost.
fn refuse_emptied(path: &Path) -> Result<(), StoreError> {
    if !fs::metadata(path).is_ok_and(|metadata| metadata.len() == 0) {
        return Ok(());
    }
    let is_finding = |folder: &PathBuf| folder.join("finding.json").is_file();
    let folders = fs::read_dir(path.with_file_name("findings")).into_iter().flatten().flatten();
    match folders.map(|entry| entry.path()).filter(is_finding).count() {
        0 => Ok(()),
        findings => Err(StoreError::Empty { path: path.to_owned(), findings }),
    }
}

/// A database that survives being killed, whatever its tables.
pub(crate) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let failed = |error| StoreError::of_database(path, error);
    refuse_link(path)?;
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    let mode: String = written_row(&connection, "PRAGMA journal_mode = wal", []).map_err(failed)?;
    if mode != "wal" {
        let message = "its folder does not allow a write-ahead log".to_owned();
        return Err(StoreError::Failing { path: path.to_owned(), message });
    }
    connection.pragma_update(None, "synchronous", "normal").map_err(failed)?;
    Ok(connection)
}

/// The value that a statement gives which also writes. `query_row` stops at the row, but what is wrong with the disk shows
/// in the step after it, so that a failed write would pass for one that was done.
pub(crate) fn written_row<T: FromSql>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
) -> rusqlite::Result<T> {
    let mut statement = connection.prepare_cached(statement)?;
    let values = statement.query_map(parameters, |row| row.get(0))?;
    let mut values = values.collect::<rusqlite::Result<Vec<T>>>()?;
    values.pop().ok_or(rusqlite::Error::QueryReturnedNoRows)
}

/// Inserts a finding, or replaces the case of one that is there.
pub(crate) fn insert_finding(
    connection: &Connection,
    finding: &Finding,
    json: &str,
    counted_before: u64,
) -> rusqlite::Result<()> {
    let verdict = &finding.verdict;
    let mut insert = connection.prepare_cached(
        "INSERT INTO findings (id, found_ms, class, culprit, counted_before, finding, script)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO UPDATE SET
        class = excluded.class, culprit = excluded.culprit, finding = excluded.finding, script = excluded.script",
    )?;
    insert.execute(params![
        finding.id.as_str(),
        now_ms(),
        verdict.class.word(),
        verdict.culprit.as_deref().unwrap_or(""),
        counted_before,
        json,
        finding.script
    ])?;
    Ok(())
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_after_its_row_is_an_error() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "PRAGMA foreign_keys = on;
                CREATE TABLE a (id INTEGER PRIMARY KEY);
                CREATE TABLE b (a INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED);",
            )
            .unwrap();
        // The row is there, and committing it fails.
        assert!(written_row::<i64>(&connection, "INSERT INTO b VALUES (7) RETURNING a", []).is_err());
        connection.execute("INSERT INTO a VALUES (7)", []).unwrap();
        assert_eq!(written_row::<i64>(&connection, "INSERT INTO b VALUES (7) RETURNING a", []), Ok(7));
    }

    #[test]
    fn a_chain_that_no_hunt_can_have_reached_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let insert = "INSERT INTO chains VALUES (?1, 0, 'operator', 1, 1, 'open')";
        store.connection.execute("INSERT INTO seeds VALUES (0, 'a', NULL, NULL, 'h')", []).unwrap();
        store.connection.execute(insert, [3]).unwrap();
        assert_eq!(store.unfinished().unwrap().chains, [(0, 0), (1, 0), (2, 0), (3, 1)]);
        // Taking all that were left out as unfinished would fill the memory.
        store.connection.execute(insert, [1_u64 << 60]).unwrap();
        let message = store.unfinished().unwrap_err().to_string();
        assert!(message.contains("damaged") && message.contains("chains 4 to"), "{message}");
    }
}

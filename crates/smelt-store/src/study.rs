//! The record of an evolution study: what it is about, its formulas, its solvers, and a row for every run.
//!
//! One database in the folder of the study. A row is written as soon as its run is done, so a study that was killed goes
//! on behind the last of them. What a study is about never changes; releases and theories may be added.

mod configuration;
mod rows;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::error::StoreError;
use crate::schema;
use crate::store::{connect, now_ms, written_row};

pub use configuration::StudyConfiguration;
pub use rows::{Role, RunRow, known_of};

/// Step n leads from format n to format n + 1; a step is never changed once it was released.
const STEPS: &[&str] = &[
    "CREATE TABLE study (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        created_ms INTEGER NOT NULL,
        smelt TEXT NOT NULL,
        configuration TEXT NOT NULL
    ) STRICT;
    CREATE TABLE theories (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE formulas (
        theory INTEGER NOT NULL REFERENCES theories (id),
        number INTEGER NOT NULL,
        grammar_index TEXT NOT NULL,
        size INTEGER NOT NULL,
        script TEXT NOT NULL,
        PRIMARY KEY (theory, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE solvers (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        given TEXT NOT NULL,
        family TEXT NOT NULL,
        version TEXT,
        fingerprint TEXT NOT NULL,
        is_release INTEGER NOT NULL,
        is_reference INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE runs (
        theory INTEGER NOT NULL REFERENCES theories (id),
        role TEXT NOT NULL CHECK (role IN ('reference', 'release', 'again')),
        solver INTEGER NOT NULL REFERENCES solvers (id),
        formula INTEGER NOT NULL,
        answer TEXT NOT NULL,
        model TEXT,
        cpu_us INTEGER NOT NULL,
        wall_us INTEGER NOT NULL,
        output TEXT,
        class TEXT,
        note TEXT,
        PRIMARY KEY (theory, role, solver, formula)
    ) STRICT, WITHOUT ROWID;",
    // Which limit ended a run that has no answer: `cpu`, `wall` or `memory`.
    "ALTER TABLE runs ADD COLUMN ended_by TEXT;",
];

/// The record of a study.
#[derive(Debug)]
pub struct StudyStore {
    connection: Connection,
    path: PathBuf,
}

/// A theory and its fixed list of formulas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TheoryRecord {
    /// Its number in the record.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its formulas; their numbers are their positions.
    pub formulas: Vec<FormulaRecord>,
}

/// A formula of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaRecord {
    /// Its index in the grammar, as decimal digits.
    pub grammar_index: String,
    /// Its size.
    pub size: u32,
    /// Its text in SMT-LIB 2.6.
    pub script: String,
}

/// A solver of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverRecord {
    /// Its number in the record.
    pub id: u32,
    /// The name that results have.
    pub name: String,
    /// What the user wrote, with ranges written out.
    pub given: String,
    /// Its family.
    pub family: String,
    /// What it says of itself, or its name.
    pub version: Option<String>,
    /// What tells whether it is still the same program.
    pub fingerprint: String,
    /// Whether it is under test.
    pub is_release: bool,
    /// Whether its answers are what others are compared with.
    pub is_reference: bool,
}

/// The database of the study in a folder.
pub fn database(folder: &Path) -> PathBuf {
    folder.join("evolution.db")
}

impl StudyStore {
    /// Opens the record in a folder and makes it if there is none.
    pub fn open(folder: &Path) -> Result<StudyStore, StoreError> {
        let path = database(folder);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = connect(&path, flags)?;
        schema::migrate_with(&mut connection, &path, STEPS)?;
        Ok(StudyStore { connection, path })
    }

    fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::of_database(&self.path, error)
    }

    fn damaged(&self, message: String) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), message }
    }

    /// What the study is about; none if nothing is recorded yet.
    pub fn configuration(&self) -> Result<Option<StudyConfiguration>, StoreError> {
        let text: Option<String> = self
            .connection
            .query_row("SELECT configuration FROM study", [], |row| row.get(0))
            .optional()
            .map_err(|error| self.failed(error))?;
        let Some(text) = text else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(|error| self.damaged(error.to_string()))
    }

    /// Records what the study is about. There must be nothing yet.
    pub fn begin(&mut self, configuration: &StudyConfiguration) -> Result<(), StoreError> {
        let text = serde_json::to_string(configuration).map_err(|error| self.damaged(error.to_string()))?;
        self.connection
            .execute(
                "INSERT INTO study VALUES (1, ?1, ?2, ?3)",
                params![now_ms(), env!("CARGO_PKG_VERSION"), text],
            )
            .map(|_| ())
            .map_err(|error| self.failed(error))
    }

    /// The theories, in the order in which they were added.
    pub fn theories(&self) -> Result<Vec<TheoryRecord>, StoreError> {
        let read = || -> rusqlite::Result<Vec<TheoryRecord>> {
            let mut statement = self.connection.prepare("SELECT id, name FROM theories ORDER BY id")?;
            let mut theories: Vec<TheoryRecord> = statement
                .query_map([], |row| {
                    Ok(TheoryRecord { id: row.get(0)?, name: row.get(1)?, formulas: Vec::new() })
                })?
                .collect::<rusqlite::Result<_>>()?;
            let mut statement = self.connection.prepare(
                "SELECT grammar_index, size, script FROM formulas WHERE theory = ?1 ORDER BY number",
            )?;
            for theory in &mut theories {
                theory.formulas = statement
                    .query_map([theory.id], |row| {
                        Ok(FormulaRecord {
                            grammar_index: row.get(0)?,
                            size: row.get(1)?,
                            script: row.get(2)?,
                        })
                    })?
                    .collect::<rusqlite::Result<_>>()?;
            }
            Ok(theories)
        };
        read().map_err(|error| self.failed(error))
    }

    /// Adds a theory with its formulas, all of them or nothing.
    pub fn add_theory(&mut self, name: &str, formulas: &[FormulaRecord]) -> Result<(), StoreError> {
        let mut write = || {
            let transaction = self.connection.transaction()?;
            transaction.execute("INSERT INTO theories (name) VALUES (?1)", [name])?;
            let theory = transaction.last_insert_rowid();
            let mut insert = transaction.prepare("INSERT INTO formulas VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for (number, formula) in formulas.iter().enumerate() {
                insert.execute(params![
                    theory,
                    number,
                    formula.grammar_index,
                    formula.size,
                    formula.script
                ])?;
            }
            drop(insert);
            transaction.commit()
        };
        write().map_err(|error| self.failed(error))
    }

    /// The solvers, in the order in which they were added.
    pub fn solvers(&self) -> Result<Vec<SolverRecord>, StoreError> {
        let read = || -> rusqlite::Result<Vec<SolverRecord>> {
            let mut statement = self.connection.prepare("SELECT * FROM solvers ORDER BY id")?;
            statement
                .query_map([], |row| {
                    Ok(SolverRecord {
                        id: row.get("id")?,
                        name: row.get("name")?,
                        given: row.get("given")?,
                        family: row.get("family")?,
                        version: row.get("version")?,
                        fingerprint: row.get("fingerprint")?,
                        is_release: row.get("is_release")?,
                        is_reference: row.get("is_reference")?,
                    })
                })?
                .collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// Adds a solver and gives its number; one of this name that is there gets the roles of both.
    pub fn add_solver(&mut self, solver: &SolverRecord) -> Result<u32, StoreError> {
        written_row(
            &self.connection,
            "INSERT INTO solvers (name, given, family, version, fingerprint, is_release, is_reference)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (name) DO UPDATE SET is_release = is_release OR excluded.is_release,
                is_reference = is_reference OR excluded.is_reference
            RETURNING id",
            params![
                solver.name,
                solver.given,
                solver.family,
                solver.version,
                solver.fingerprint,
                solver.is_release,
                solver.is_reference
            ],
        )
        .map_err(|error| self.failed(error))
    }
}

#[cfg(test)]
mod tests;

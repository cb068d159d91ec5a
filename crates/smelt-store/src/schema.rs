//! The tables, and the steps from older formats to the present one.
//!
//! The format is the `user_version` of the database: the number of steps that were taken. A step is never changed once
//! it was released; a new format is a new step at the end.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;

/// Step n leads from format n to format n + 1.
const STEPS: &[&str] = &[
    // Cases have no table of text: a case is a step of a chain, and seed, technique and random seed of the chain make
    // it again. Its id is 1000 times the number of the chain plus the step.
    "CREATE TABLE campaign (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        created_ms INTEGER NOT NULL,
        configuration TEXT NOT NULL,
        budget TEXT NOT NULL,
        totals TEXT NOT NULL
    ) STRICT;
    CREATE TABLE hunts (
        id INTEGER PRIMARY KEY,
        started_ms INTEGER NOT NULL,
        ended_ms INTEGER,
        smelt TEXT NOT NULL,
        jobs INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE seeds (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        path TEXT,
        source TEXT,
        hash TEXT NOT NULL
    ) STRICT;
    CREATE TABLE solvers (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL
    ) STRICT;
    CREATE TABLE chains (
        number INTEGER PRIMARY KEY,
        seed INTEGER NOT NULL REFERENCES seeds (id),
        technique TEXT NOT NULL,
        random_seed INTEGER NOT NULL,
        cases INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'done', 'unusable'))
    ) STRICT;
    CREATE TABLE runs (
        case_id INTEGER NOT NULL,
        solver INTEGER NOT NULL REFERENCES solvers (id),
        answer TEXT NOT NULL,
        model TEXT,
        cpu_us INTEGER NOT NULL,
        wall_us INTEGER NOT NULL,
        PRIMARY KEY (case_id, solver)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE verdicts (
        case_id INTEGER NOT NULL,
        class TEXT NOT NULL,
        culprit TEXT NOT NULL,
        finding TEXT,
        PRIMARY KEY (case_id, class, culprit)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE findings (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        found_ms INTEGER NOT NULL,
        class TEXT NOT NULL,
        culprit TEXT NOT NULL,
        counted_before INTEGER NOT NULL,
        finding TEXT NOT NULL,
        script TEXT NOT NULL
    ) STRICT;
    CREATE TABLE counters (
        at_ms INTEGER PRIMARY KEY,
        elapsed_ms INTEGER NOT NULL,
        cases INTEGER NOT NULL,
        runs INTEGER NOT NULL,
        findings INTEGER NOT NULL,
        solver_cpu_ms INTEGER NOT NULL,
        own_cpu_ms INTEGER NOT NULL
    ) STRICT;",
    // Counting the cases of a finding must not read all verdicts.
    "CREATE INDEX verdicts_by_finding ON verdicts (finding) WHERE finding IS NOT NULL;
    CREATE VIEW cases AS
        SELECT runs.case_id AS id, chains.technique, seeds.name AS seed, chains.random_seed,
            runs.case_id % 1000 AS step, solvers.name AS solver, runs.answer, runs.model, runs.cpu_us
        FROM runs
        JOIN chains ON chains.number = runs.case_id / 1000
        JOIN seeds ON seeds.id = chains.seed
        JOIN solvers ON solvers.id = runs.solver;",
    // By what they found, techniques share the rest of the campaign.
    "CREATE TABLE yields (
        case_id INTEGER PRIMARY KEY,
        claim INTEGER NOT NULL,
        behaviours BLOB NOT NULL
    ) STRICT;",
    // Which limit ended a run that has no answer: `cpu`, `wall` or `memory`.
    "ALTER TABLE runs ADD COLUMN ended_by TEXT;",
    // The findings of a case, as numbers; for a verdict the most processor time of a run that it rests on, and a number
    // that those have in common which are most likely one bug.
    "ALTER TABLE yields ADD COLUMN findings BLOB;
    ALTER TABLE verdicts ADD COLUMN cpu_us INTEGER;
    ALTER TABLE verdicts ADD COLUMN alike INTEGER;",
    // What was decided for each round of chains, and by what: what solvers did with the shapes of a case, and the
    // processor time of all its runs.
    "CREATE TABLE rounds (
        number INTEGER PRIMARY KEY,
        decision TEXT NOT NULL
    ) STRICT;
    ALTER TABLE yields ADD COLUMN outcomes BLOB;
    ALTER TABLE yields ADD COLUMN cpu_us INTEGER;",
];

/// Brings a database to the present format; an empty one gets its tables.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    migrate_with(connection, path, STEPS)
}

/// Takes the steps that a database has not taken yet.
pub(crate) fn migrate_with(
    connection: &mut Connection,
    path: &Path,
    steps: &[&str],
) -> Result<(), StoreError> {
    let failed = |error| StoreError::of_database(path, error);
    if format_of(connection).map_err(failed)? == steps.len() as u32 {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Looked at again: another process may have been faster.
    let found = format_of(&transaction).map_err(failed)?;
    if found as usize > steps.len() {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: steps.len() as u32 });
    }
    for step in &steps[found as usize..] {
        transaction.execute_batch(step).map_err(failed)?;
    }
    transaction.pragma_update(None, "user_version", steps.len() as u32).map_err(failed)?;
    transaction.commit().map_err(failed)
}

fn format_of(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: u32 = STEPS.len() as u32;

    #[test]
    fn format_1_becomes_the_present_one_and_keeps_its_rows() {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = Path::new("old.db");
        migrate_with(&mut connection, path, &STEPS[..1]).unwrap();
        connection
            .execute_batch(
                "INSERT INTO seeds VALUES (0, 'a.smt2', NULL, NULL, 'h');
                INSERT INTO solvers VALUES (0, 'z3');
                INSERT INTO chains VALUES (7, 0, 'operator', 5, 1, 'done');
                INSERT INTO runs VALUES (7001, 0, 'sat', NULL, 10, 20);
                INSERT INTO verdicts VALUES (7001, 'crash', 'z3', 'crash-1');",
            )
            .unwrap();
        migrate(&mut connection, path).unwrap();
        assert_eq!(format_of(&connection).unwrap(), FORMAT);
        let row: (i64, String, String) = connection
            .query_row("SELECT step, seed, solver FROM cases", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(row, (1, "a.smt2".to_owned(), "z3".to_owned()));
        let finding: String =
            connection.query_row("SELECT finding FROM verdicts", [], |row| row.get(0)).unwrap();
        assert_eq!(finding, "crash-1");
    }

    #[test]
    fn a_newer_format_is_refused_and_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", FORMAT + 1).unwrap();
        let message = migrate(&mut connection, Path::new("new.db")).unwrap_err().to_string();
        assert!(message.contains("new.db") && message.contains("newer smelt"), "{message}");
        assert_eq!(format_of(&connection).unwrap(), FORMAT + 1);
    }

    #[test]
    fn a_step_that_fails_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        let steps = ["CREATE TABLE a (x); CREATE TABLE a (x);"];
        assert!(migrate_with(&mut connection, Path::new("x.db"), &steps).is_err());
        assert_eq!(format_of(&connection).unwrap(), 0);
        let tables: u32 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 0);
    }
}

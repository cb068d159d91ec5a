//! The record of a campaign with values that smelt has not written: reading it gives rows or an error, and resuming takes
//! no more memory than the record has rows.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use rusqlite::Connection;
use rusqlite::types::Value;
use smelt_campaign::record::{Findings, list};
use smelt_report::finding::report;
use smelt_store::error::StoreError;
use smelt_store::store::{Store, database};

/// The text columns and the numbers of a record that may be changed.
const COLUMNS: &[(&str, &str)] = &[
    ("campaign", "configuration"),
    ("campaign", "budget"),
    ("campaign", "totals"),
    ("seeds", "id"),
    ("seeds", "name"),
    ("seeds", "path"),
    ("seeds", "hash"),
    ("solvers", "name"),
    ("chains", "number"),
    ("chains", "seed"),
    ("chains", "technique"),
    ("chains", "random_seed"),
    ("chains", "cases"),
    ("runs", "case_id"),
    ("runs", "answer"),
    ("runs", "model"),
    ("runs", "cpu_us"),
    ("runs", "ended_by"),
    ("verdicts", "case_id"),
    ("verdicts", "class"),
    ("verdicts", "finding"),
    ("yields", "case_id"),
    ("yields", "claim"),
    ("yields", "behaviours"),
    ("findings", "id"),
    ("findings", "class"),
    ("findings", "culprit"),
    ("findings", "counted_before"),
    ("findings", "finding"),
    ("findings", "script"),
];

/// Chains that a resumed campaign looks at again may not be more than a small record can know of.
const MAX_UNFINISHED: usize = 1 << 20;

/// Changes rows of a record, one a line: the table and column, and the new value. Or, after a line `bytes`, bytes of the
/// file: each line has a place and a value.
pub fn check(input: &str) {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = database(folder.path());
    match input.strip_prefix("bytes\n") {
        Some(places) => fs::write(&path, with_bytes(places)).expect("there is room for a database"),
        None => {
            fs::write(&path, &*TEMPLATE).expect("there is room for a database");
            change_rows(&path, input);
        }
    }
    // Whatever is wrong with it is an error with a text, which names the file.
    if let Err(error) = read_all(folder.path()) {
        let text = error.to_string();
        assert!(text.contains("campaign.db") || text.contains("findings"), "{text}");
    }
}

/// All that commands read of a campaign.
fn read_all(folder: &Path) -> Result<(), StoreError> {
    let Some(mut store) = Store::open_existing(folder)? else { return Ok(()) };
    let campaign = store.campaign();
    let unfinished = store.unfinished();
    assert!(unfinished.as_ref().map_or(0, |unfinished| unfinished.chains.len()) <= MAX_UNFINISHED);
    let yields = store.yields();
    for finding in store.findings()? {
        report(&finding, &smelt_report::finding::triage_files::Added::default());
    }
    list(folder)?;
    Findings::open(folder, &mut store)?;
    campaign?;
    unfinished?;
    yields.map(|_| ())
}

/// Changes values of a record; what its tables do not allow stays as it is.
fn change_rows(path: &Path, changes: &str) {
    let connection = Connection::open(path).expect("the template is a database");
    connection.execute_batch("PRAGMA synchronous = off").expect("the template is a database");
    for line in changes.lines() {
        let Some((place, value)) = line.split_once(' ') else { continue };
        let Some((table, column)) =
            COLUMNS.iter().find(|(table, column)| place.split_once('.') == Some((table, column)))
        else {
            continue;
        };
        let value = match value.parse::<i64>() {
            Ok(number) => Value::Integer(number),
            Err(_) if *column == "behaviours" => Value::Blob(value.as_bytes().to_vec()),
            Err(_) => Value::Text(value.replace("\\n", "\n")),
        };
        let _ = connection.execute(&format!("UPDATE {table} SET {column} = ?1"), [value]);
    }
}

/// The template with other bytes at some places.
fn with_bytes(places: &str) -> Vec<u8> {
    let mut bytes = TEMPLATE.clone();
    for line in places.lines() {
        let mut numbers = line.split(' ').map(|number| number.parse::<usize>().unwrap_or(line.len()));
        let (Some(place), Some(value)) = (numbers.next(), numbers.next()) else { continue };
        let length = bytes.len();
        match line.strip_prefix("cut ") {
            Some(_) => bytes.truncate(value % length.max(1)),
            None if length > 0 => bytes[place % length] = value as u8,
            None => {}
        }
    }
    bytes
}

/// A campaign with a seed, a solver, some chains and a finding, as bytes.
static TEMPLATE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    drop(Store::open(folder.path()).expect("an empty folder gets a record"));
    let path = database(folder.path());
    let connection = Connection::open(&path).expect("it is a database");
    connection.execute_batch(ROWS).expect("the rows fit the tables");
    let (_, finding) = crate::finding::seeds().swap_remove(0);
    let [finding, _] = crate::parts(&finding);
    connection
        .execute(
            "INSERT INTO findings (id, found_ms, class, culprit, counted_before, finding, script)
            VALUES ('crash-e096a5d675', 1, 'crash', 'z3', 0, ?1, '(check-sat)')",
            [finding],
        )
        .expect("the rows fit the tables");
    connection.execute_batch("PRAGMA journal_mode = delete").expect("nobody else has it open");
    drop(connection);
    fs::read(path).expect("it was just written")
});

const ROWS: &str = r#"
INSERT INTO campaign (id, created_ms, configuration, budget, totals) VALUES (1, 1, '{"solvers":[{"solver":"z3","program":"/bin/z3","args":["-in"],"environment":[],"version":null,"hash":null,"family":"z3","dialect":null,"mode":null,"options_of":null}],"techniques":[{"name":"operator","weight":1}],"judges":["crash"],"random_seed":0,"timeout_secs":5.0,"chain_length":4,"sharing":"yield","triples":null}', '{"time_secs":null,"cases":4,"findings":null}', '{"cases":4,"runs":8,"answers":[["crash",8]],"models":[0,0,0],"solver_cpu":{"secs":0,"nanos":10928000},"own_cpu":{"secs":0,"nanos":12399000},"elapsed":{"secs":0,"nanos":336435176},"findings":[["crash",4]],"unconfirmed":0,"unusable_seeds":[],"refusals":{"0":{"runs":4,"refused":0,"messages":{}}}}');
INSERT INTO hunts (id, started_ms, ended_ms, smelt, jobs) VALUES (1, 1, 2, '0.1.0', 1);
INSERT INTO seeds (id, name, path, source, hash) VALUES (0, 'a.smt2', 'a.smt2', NULL, '86e8');
INSERT INTO solvers (id, name) VALUES (0, 'z3');
INSERT INTO chains (number, seed, technique, random_seed, cases, state) VALUES (0, 0, 'operator', -5, 4, 'done');
INSERT INTO chains (number, seed, technique, random_seed, cases, state) VALUES (3, 0, 'operator', 5, 1, 'open');
INSERT INTO runs (case_id, solver, answer, model, cpu_us, wall_us) VALUES (1, 0, 'crash', NULL, 1629, 2533);
INSERT INTO runs (case_id, solver, answer, model, cpu_us, wall_us) VALUES (3001, 0, 'sat', 'accepted', 1201, 1992);
INSERT INTO verdicts (case_id, class, culprit, finding) VALUES (1, 'crash', 'z3', 'crash-e096a5d675');
INSERT INTO counters (at_ms, elapsed_ms, cases, runs, findings, solver_cpu_ms, own_cpu_ms) VALUES (1, 36, 0, 0, 1, 0, 2);
INSERT INTO yields (case_id, claim, behaviours) VALUES (1, 0, x'0102030405060708');
"#;

/// Every value of the template, alone and all together, and places in its file.
pub fn seeds() -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = folder.path().join("campaign.db");
    fs::write(&path, &*TEMPLATE).expect("there is room for a database");
    let connection = Connection::open(&path).expect("the template is a database");
    let mut seeds: Vec<(String, String)> = COLUMNS
        .iter()
        .map(|(table, column)| {
            let value: Value = connection
                .query_row(&format!("SELECT {column} FROM {table} LIMIT 1"), [], |row| row.get(0))
                .expect("every table has a row");
            let value = match value {
                Value::Integer(number) => number.to_string(),
                Value::Text(text) => text.replace('\n', "\\n"),
                _ => "x".to_owned(),
            };
            (format!("{table}-{column}"), format!("{table}.{column} {value}"))
        })
        .collect();
    seeds.push(("large-chain".to_owned(), "chains.number 9007199254740993".to_owned()));
    seeds.push(("all".to_owned(), seeds.iter().map(|(_, line)| format!("{line}\n")).collect()));
    for page in 0..TEMPLATE.len() / 4096 {
        let lines: String =
            (0..8).map(|byte| format!("{} {}\n", page * 4096 + byte * 3, byte * 37)).collect();
        seeds.push((format!("page-{page}"), format!("bytes\n{lines}")));
    }
    seeds.push(("cut".to_owned(), "bytes\ncut 5000\n".to_owned()));
    seeds
}

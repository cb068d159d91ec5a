//! What is on the disk: the record of a campaign and the folders of findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use rusqlite::Connection;

/// What a campaign has recorded, and the folders beside it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Rows of the tables that do not depend on time.
    rows: BTreeSet<String>,
    /// How many hunts have begun and ended.
    hunts: String,
    /// Counters, which grow.
    totals: BTreeSet<String>,
    /// The folders of findings by their names, each with the names and texts of its files.
    folders: BTreeMap<String, BTreeMap<String, String>>,
    /// Files and folders that are only there while something is being written.
    left_over: Vec<String>,
}

/// Rows of which none may be lost, and that depend on the cases alone.
const ROWS: &[&str] = &[
    "SELECT 'run', case_id, solver, answer, model FROM runs",
    "SELECT 'verdict', case_id, class, culprit, finding FROM verdicts",
    "SELECT 'finding', id, class, culprit, script FROM findings",
    "SELECT 'yield', case_id, claim, length(behaviours), '' FROM yields",
    "SELECT 'chain', number, seed, technique, random_seed FROM chains",
];

/// Counters of a campaign.
const TOTALS: &[&str] = &[
    "SELECT 'cases', json_extract(totals, '$.cases'), json_extract(totals, '$.runs'), '', '' FROM campaign",
    "SELECT 'chain', number, cases, state, '' FROM chains",
    "SELECT 'count', id, counted_before + (SELECT count(*) FROM verdicts WHERE finding = id), '', '' FROM findings",
];

/// Reads a folder, which is left as it is: a campaign, or an export of one. A folder of a finding that is not complete
/// is an error, and so is a database that is not sound.
pub fn read(folder: &Path) -> Result<State, String> {
    let mut state = State::default();
    let database = folder.join("campaign.db");
    if database.exists() {
        read_database(folder, &mut state)?;
    }
    let findings = folder.join("findings");
    let is_campaign = findings.exists() || database.exists();
    for entry in fs::read_dir(if is_campaign { &findings } else { folder }).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with('.') {
            state.left_over.push(name);
            continue;
        }
        if is_campaign || entry.path().is_dir() {
            let files = read_finding(&entry.path())?;
            state.left_over.extend(files.keys().filter(|file| file.ends_with(".partial")).cloned());
            state.folders.insert(name, files);
        }
    }
    Ok(state)
}

/// Reads a copy: opening a database changes it.
fn read_database(folder: &Path, state: &mut State) -> Result<(), String> {
    let copy = tempfile::tempdir().unwrap();
    for name in ["campaign.db", "campaign.db-wal", "campaign.db-journal"] {
        if folder.join(name).exists() {
            fs::copy(folder.join(name), copy.path().join(name)).unwrap();
        }
    }
    let connection = Connection::open(copy.path().join("campaign.db")).unwrap();
    let sound: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .map_err(|error| format!("the database cannot be read: {error}"))?;
    if sound != "ok" {
        return Err(format!("the database is damaged: {sound}"));
    }
    let format: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    if format == 0 {
        return Ok(());
    }
    state.hunts = connection
        .query_row("SELECT count(*) || ' begun, ' || count(ended_ms) || ' ended' FROM hunts", [], |row| {
            row.get(0)
        })
        .unwrap();
    for (queries, found) in [(ROWS, &mut state.rows), (TOTALS, &mut state.totals)] {
        for query in queries {
            let mut statement = connection.prepare(query).unwrap();
            let mut rows = statement.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let values: Vec<rusqlite::types::Value> =
                    (0..5).map(|column| row.get(column).unwrap()).collect();
                found.insert(format!("{values:?}"));
            }
        }
    }
    Ok(())
}

/// The files of a finding, which must be whole.
fn read_finding(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let text = fs::read_to_string(entry.path()).unwrap();
        files.insert(entry.file_name().into_string().unwrap(), text);
    }
    let complaint =
        |what: &str| Err(format!("{} is half written: {what} in {:?}", folder.display(), files.keys()));
    for name in ["case.smt2", "finding.json", "report.md", "replay.sh"] {
        if files.get(name).is_none_or(|text| !text.ends_with('\n')) {
            return complaint(name);
        }
    }
    for (name, text) in &files {
        let is_whole = match name.rsplit_once('.') {
            Some((_, "json")) => serde_json::from_str::<serde_json::Value>(text).is_ok(),
            Some((_, "partial")) => true,
            _ => text.ends_with('\n'),
        };
        if !is_whole {
            return complaint(name);
        }
    }
    // What a report is about must be there.
    if files["replay.sh"].contains("reduced.smt2") && !files.contains_key("reduced.smt2") {
        return complaint("no reduced.smt2");
    }
    Ok(files)
}

impl State {
    /// Whether nothing is lost that another state has.
    pub fn contains(&self, earlier: &State) -> Result<(), String> {
        let lost: Vec<&String> = earlier.rows.difference(&self.rows).collect();
        let gone: Vec<&String> =
            earlier.folders.keys().filter(|name| !self.folders.contains_key(*name)).collect();
        if lost.is_empty() && gone.is_empty() { Ok(()) } else { Err(format!("lost {lost:?} {gone:?}")) }
    }

    /// Whether two states are the same but for times.
    pub fn same_as(&self, expected: &State) -> Result<(), String> {
        let names = |state: &State| -> Vec<(String, Vec<String>)> {
            let file_names = |files: &BTreeMap<String, String>| {
                files.keys().filter(|name| !name.ends_with(".partial")).cloned().collect()
            };
            state.folders.iter().map(|(name, files)| (name.clone(), file_names(files))).collect()
        };
        if self.rows != expected.rows || self.totals != expected.totals {
            let rows = |one: &State| one.rows.union(&one.totals).cloned().collect::<BTreeSet<_>>();
            let (ours, theirs) = (rows(self), rows(expected));
            return Err(format!(
                "the record differs: {:?} instead of {:?}",
                ours.difference(&theirs).collect::<Vec<_>>(),
                theirs.difference(&ours).collect::<Vec<_>>()
            ));
        }
        if names(self) != names(expected) {
            return Err(format!("the folders are {:?} instead of {:?}", names(self), names(expected)));
        }
        Ok(())
    }

    /// Whether as many hunts are recorded.
    pub fn same_hunts(&self, expected: &State) -> Result<(), String> {
        let (found, expected) = (&self.hunts, &expected.hunts);
        if found == expected { Ok(()) } else { Err(format!("hunts: {found} instead of {expected}")) }
    }

    /// Whether nothing is left of what was not finished.
    pub fn is_tidy(&self) -> Result<(), String> {
        if self.left_over.is_empty() { Ok(()) } else { Err(format!("{:?} was left", self.left_over)) }
    }
}

//! What a comparison has measured: a file with one line of JSON for each query, so that it can be resumed.
//!
//! The first line says what was compared. A line that was cut off when the machine failed is measured again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use smelt_runner::identity::Identity;

use super::{QueryRecord, Sides};

/// The name of the file in its folder.
pub const JOURNAL: &str = "queries.jsonl";

/// The form of the file.
const FORMAT: u32 = 1;

/// What was compared: lines of another comparison say nothing about this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareHeading {
    format: u32,
    /// Command lines with the hashes of programs.
    solvers: Sides<String>,
    timeout: f64,
    memory: Option<u64>,
    runs: usize,
}

impl CompareHeading {
    /// The heading of a comparison; a solver is known by its command line and the content of its program.
    pub fn new(solvers: Sides<String>, timeout: f64, memory: Option<u64>, runs: usize) -> CompareHeading {
        CompareHeading { format: FORMAT, solvers, timeout, memory, runs }
    }

    /// How a solver is known.
    pub fn solver(command_line: &str, identity: &Identity) -> String {
        format!("{command_line} {}", identity.hash.as_deref().unwrap_or("not readable"))
    }
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("cannot use `{}`: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is about something else.
    #[error("`{}` has results of other solvers or limits; name another folder with --dir, or remove it", .0.display())]
    Other(PathBuf),
}

/// The journal of a comparison.
#[derive(Debug)]
pub struct CompareJournal {
    path: PathBuf,
    file: File,
    known: BTreeMap<String, QueryRecord>,
}

impl CompareJournal {
    /// Opens the journal in a folder, which is made if it is not there.
    pub fn open(folder: &Path, heading: &CompareHeading) -> Result<CompareJournal, JournalError> {
        let path = folder.join(JOURNAL);
        let failed = |error: io::Error| JournalError::File { path: path.clone(), error };
        fs::create_dir_all(folder).map_err(failed)?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let mut known = BTreeMap::new();
        let mut whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut lines = whole.lines();
        let is_same =
            |first: &str| serde_json::from_str::<CompareHeading>(first).ok().as_ref() == Some(heading);
        if lines.next().is_some_and(|first| !is_same(first)) {
            if lines.next().is_some() {
                return Err(JournalError::Other(path));
            }
            // A comparison that measured nothing is none.
            whole = "";
        }
        for record in lines.filter_map(|line| serde_json::from_str::<QueryRecord>(line).ok()) {
            known.insert(record.file.clone(), record);
        }
        // Without what was cut off.
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        file.set_len(whole.len() as u64).map_err(failed)?;
        if whole.is_empty() {
            let line = serde_json::to_string(heading).map_err(|error| failed(error.into()))?;
            file.write_all(format!("{line}\n").as_bytes()).map_err(failed)?;
        }
        Ok(CompareJournal { path, file, known })
    }

    /// What was measured before it was opened, by the paths of files. Their content may have changed since.
    pub fn take_known(&mut self) -> BTreeMap<String, QueryRecord> {
        std::mem::take(&mut self.known)
    }

    /// Adds a query.
    pub fn add(&mut self, record: &QueryRecord) -> Result<(), JournalError> {
        let failed = |error: io::Error| JournalError::File { path: self.path.clone(), error };
        let line = serde_json::to_string(record).map_err(|error| failed(error.into()))?;
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(to: &str) -> CompareHeading {
        CompareHeading::new(Sides { from: "a".to_owned(), to: to.to_owned() }, 5.0, None, 5)
    }

    fn record(file: &str) -> QueryRecord {
        QueryRecord {
            file: file.to_owned(),
            hash: "h".to_owned(),
            status: None,
            runs: Sides::default(),
            patient: Sides::default(),
            opinion: None,
        }
    }

    #[test]
    fn what_was_measured_is_known_again_and_what_was_cut_off_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = CompareJournal::open(folder.path(), &heading("b")).unwrap();
        journal.add(&record("one")).unwrap();
        journal.add(&record("two")).unwrap();
        let path = folder.path().join(JOURNAL);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 5]).unwrap();
        let mut journal = CompareJournal::open(folder.path(), &heading("b")).unwrap();
        let known = journal.take_known();
        assert_eq!((known.get("one"), known.len()), (Some(&record("one")), 1));
        journal.add(&record("two")).unwrap();
        let mut journal = CompareJournal::open(folder.path(), &heading("b")).unwrap();
        assert_eq!(journal.take_known().len(), 2);
    }

    #[test]
    fn results_of_another_comparison_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        drop(CompareJournal::open(folder.path(), &heading("a")).unwrap());
        CompareJournal::open(folder.path(), &heading("b")).unwrap().add(&record("one")).unwrap();
        assert!(matches!(CompareJournal::open(folder.path(), &heading("c")), Err(JournalError::Other(_))));
    }
}

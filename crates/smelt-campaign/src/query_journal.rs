//! What was measured of queries: a file with one line of JSON for each of them, so that the command can be resumed.
//!
//! The first line says what was measured. A line that was cut off when the machine failed is measured again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use smelt_runner::identity::Identity;

/// The name of the file in its folder.
pub const JOURNAL: &str = "queries.jsonl";

/// What was measured of one query.
pub trait MeasuredQuery: Serialize + DeserializeOwned {
    /// The path of its file, as it was named.
    fn file(&self) -> &str;
}

/// How a solver is known in the first line: by its command line and the content of its program.
pub fn solver_in_heading(command_line: &str, identity: &Identity) -> String {
    format!("{command_line} {}", identity.hash.as_deref().unwrap_or("not readable"))
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

/// What was measured of queries, in a file.
#[derive(Debug)]
pub struct QueryJournal<Record> {
    path: PathBuf,
    file: File,
    known: BTreeMap<String, Record>,
}

impl<Record: MeasuredQuery> QueryJournal<Record> {
    /// Opens the journal in a folder, which is made if it is not there. The heading says what is measured: lines below
    /// another one are refused.
    pub fn open(folder: &Path, heading: &impl Serialize) -> Result<Self, JournalError> {
        let path = folder.join(JOURNAL);
        let failed = |error: io::Error| JournalError::File { path: path.clone(), error };
        let heading = serde_json::to_string(heading).map_err(|error| failed(error.into()))?;
        fs::create_dir_all(folder).map_err(failed)?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let mut known = BTreeMap::new();
        let mut whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut lines = whole.lines();
        if lines.next().is_some_and(|first| first != heading) {
            if lines.next().is_some() {
                return Err(JournalError::Other(path));
            }
            // What measured nothing is nothing.
            whole = "";
        }
        for record in lines.filter_map(|line| serde_json::from_str::<Record>(line).ok()) {
            known.insert(record.file().to_owned(), record);
        }
        // Without what was cut off.
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        file.set_len(whole.len() as u64).map_err(failed)?;
        if whole.is_empty() {
            file.write_all(format!("{heading}\n").as_bytes()).map_err(failed)?;
        }
        Ok(QueryJournal { path, file, known })
    }

    /// What was measured before it was opened, by the paths of files. Their content may have changed since.
    pub fn take_known(&mut self) -> BTreeMap<String, Record> {
        std::mem::take(&mut self.known)
    }

    /// Adds a query.
    pub fn add(&mut self, record: &Record) -> Result<(), JournalError> {
        let failed = |error: io::Error| JournalError::File { path: self.path.clone(), error };
        let line = serde_json::to_string(record).map_err(|error| failed(error.into()))?;
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Record {
        file: String,
    }

    impl MeasuredQuery for Record {
        fn file(&self) -> &str {
            &self.file
        }
    }

    fn record(file: &str) -> Record {
        Record { file: file.to_owned() }
    }

    fn open(folder: &Path, heading: &str) -> Result<QueryJournal<Record>, JournalError> {
        QueryJournal::open(folder, &heading)
    }

    #[test]
    fn what_was_measured_is_known_again_and_what_was_cut_off_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(folder.path(), "b").unwrap();
        journal.add(&record("one")).unwrap();
        journal.add(&record("two")).unwrap();
        let path = folder.path().join(JOURNAL);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 5]).unwrap();
        let mut journal = open(folder.path(), "b").unwrap();
        let known = journal.take_known();
        assert_eq!((known.get("one"), known.len()), (Some(&record("one")), 1));
        journal.add(&record("two")).unwrap();
        assert_eq!(open(folder.path(), "b").unwrap().take_known().len(), 2);
    }

    #[test]
    fn results_of_something_else_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path(), "a").unwrap());
        open(folder.path(), "b").unwrap().add(&record("one")).unwrap();
        assert!(matches!(open(folder.path(), "c"), Err(JournalError::Other(_))));
    }
}

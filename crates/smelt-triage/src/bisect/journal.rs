//! What was seen at commits, on disk as soon as it is seen: a localization that was stopped goes on where it was.
//!
//! One JSON object per line. A line that was cut short by the end of a process is ignored.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    /// The version of the format.
    Format(u32),
    /// What came of a build.
    Build {
        /// What was built, and how.
        key: String,
        is_ready: bool,
    },
    /// A measurement.
    Sample {
        /// What was measured where, and how.
        key: String,
        value: Option<f64>,
    },
}

const FORMAT: u32 = 1;

/// All that was seen.
#[derive(Debug)]
pub struct Journal {
    file: File,
    builds: FxHashMap<String, bool>,
    samples: FxHashMap<String, Vec<Option<f64>>>,
    /// How many of the samples of a key were handed out.
    taken: FxHashMap<String, usize>,
}

impl Journal {
    /// The journal in a file, which need not exist yet.
    pub fn open(path: &Path) -> io::Result<Journal> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            read => read.unwrap_or_default(),
        };
        let mut journal = Journal {
            file: OpenOptions::new().create(true).append(true).open(path)?,
            builds: FxHashMap::default(),
            samples: FxHashMap::default(),
            taken: FxHashMap::default(),
        };
        for line in text.lines() {
            match serde_json::from_str(line) {
                Ok(Line::Format(format)) if format > FORMAT => {
                    return Err(io::Error::other("it was written by a later version of smelt"));
                }
                Ok(Line::Build { key, is_ready }) => {
                    journal.builds.insert(key, is_ready);
                }
                Ok(Line::Sample { key, value }) => journal.samples.entry(key).or_default().push(value),
                Ok(Line::Format(_)) | Err(_) => {}
            }
        }
        if text.is_empty() {
            journal.write(&Line::Format(FORMAT))?;
        } else if !text.ends_with('\n') {
            journal.file.write_all(b"\n")?;
        }
        Ok(journal)
    }

    /// What came of a build.
    pub(super) fn build(&self, key: &str) -> Option<bool> {
        self.builds.get(key).copied()
    }

    pub(super) fn add_build(&mut self, key: &str, is_ready: bool) -> io::Result<()> {
        self.write(&Line::Build { key: key.to_owned(), is_ready })?;
        self.builds.insert(key.to_owned(), is_ready);
        Ok(())
    }

    /// The next measurement of this kind, if there is one that was not handed out yet.
    pub(super) fn take_sample(&mut self, key: &str) -> Option<Option<f64>> {
        let taken = self.taken.entry(key.to_owned()).or_default();
        let sample = self.samples.get(key)?.get(*taken).copied()?;
        *taken += 1;
        Some(sample)
    }

    /// Adds a measurement, which is handed out with that.
    pub(super) fn add_sample(&mut self, key: &str, value: Option<f64>) -> io::Result<()> {
        self.write(&Line::Sample { key: key.to_owned(), value })?;
        self.samples.entry(key.to_owned()).or_default().push(value);
        *self.taken.entry(key.to_owned()).or_default() += 1;
        Ok(())
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        let text = serde_json::to_string(line)? + "\n";
        self.file.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path).unwrap();
        journal.add_build("a", true).unwrap();
        journal.add_sample("s", Some(1.5)).unwrap();
        journal.add_sample("s", None).unwrap();
        assert_eq!(journal.take_sample("s"), None);
        // A process was ended while it wrote.
        let cut_short = std::fs::read_to_string(&path).unwrap() + "{\"sample\":{\"key\":\"s\"";
        std::fs::write(&path, cut_short).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!((journal.build("a"), journal.build("b")), (Some(true), None));
        assert_eq!(journal.take_sample("s"), Some(Some(1.5)));
        assert_eq!(journal.take_sample("s"), Some(None));
        assert_eq!(journal.take_sample("s"), None);
        journal.add_sample("s", Some(2.0)).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(
            [(); 3].map(|()| journal.take_sample("s")),
            [Some(Some(1.5)), Some(None), Some(Some(2.0))]
        );
    }

    #[test]
    fn a_later_format_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, "{\"format\":2}\n").unwrap();
        assert!(Journal::open(&path).unwrap_err().to_string().contains("later version"));
    }
}

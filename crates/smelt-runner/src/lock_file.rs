//! `smelt.lock`: which releases a team uses, with the hashes of their archives and files.
//!
//! With a lock, `NAME@latest` is the release that is locked, and a locked release whose archive or files are others is
//! refused, whether it is installed or used. A release that is not locked may be used: bisecting needs all of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::family::Family;
use crate::files::write_whole;
use crate::release_record::Wheel;
use crate::versions::version_key;

/// The name of the file.
pub const LOCK_FILE: &str = "smelt.lock";
const FORMAT: u32 = 1;

/// The releases of a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockFile {
    format: u32,
    /// By name and version.
    solvers: Vec<Locked>,
}

/// Why a lock cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot use `{}`: {message}", path.display())]
pub struct LockError {
    /// The file.
    path: PathBuf,
    /// What is wrong with it.
    message: String,
}

/// A release that is locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// The family, as users name it.
    pub name: String,
    /// The version, as the package names it.
    pub version: String,
    /// The archive; none of a release that was installed by a version of smelt that kept no hash of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wheel: Option<Wheel>,
    /// BLAKE3 of the names and hashes of all files that are kept of it.
    pub contents: String,
}

impl Default for LockFile {
    fn default() -> Self {
        LockFile { format: FORMAT, solvers: Vec::new() }
    }
}

impl LockFile {
    /// Reads a file; none if there is none.
    pub fn read(path: &Path) -> Result<Option<LockFile>, LockError> {
        let problem = |message: String| LockError { path: path.to_owned(), message };
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| problem(error.to_string()))?,
        };
        let lock: LockFile = serde_json::from_str(&text).map_err(|error| problem(error.to_string()))?;
        match lock.format == FORMAT {
            true => Ok(Some(lock)),
            false => Err(problem(format!("it has format {}, this smelt reads {FORMAT}", lock.format))),
        }
    }

    /// Writes it.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_whole(path, (serde_json::to_string_pretty(self)? + "\n").as_bytes())
    }

    /// Adds a release, or replaces what is locked of it.
    pub fn add(&mut self, locked: Locked) {
        self.solvers.retain(|other| (&other.name, &other.version) != (&locked.name, &locked.version));
        self.solvers.push(locked);
        self.solvers.sort_by_cached_key(|one| (one.name.clone(), version_key(&one.version)));
    }

    /// What is locked of a release.
    pub fn get(&self, family: Family, version: &str) -> Option<&Locked> {
        self.solvers.iter().find(|one| one.name == family.name() && one.version == version)
    }

    /// The newest version of a family that is locked.
    pub fn newest(&self, family: Family) -> Option<&str> {
        self.solvers.iter().rfind(|one| one.name == family.name()).map(|one| one.version.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked(version: &str, contents: &str) -> Locked {
        Locked {
            name: "z3".to_owned(),
            version: version.to_owned(),
            wheel: Some(Wheel { file: "z3.whl".to_owned(), sha256: "00".to_owned() }),
            contents: contents.to_owned(),
        }
    }

    #[test]
    fn a_lock_is_read_as_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK_FILE);
        assert_eq!(LockFile::read(&path), Ok(None));
        let mut lock = LockFile::default();
        for (version, contents) in [("4.10.0.0", "a"), ("4.9.0.0", "b"), ("4.9.0.0", "c")] {
            lock.add(locked(version, contents));
        }
        lock.write(&path).unwrap();
        let read = LockFile::read(&path).unwrap().unwrap();
        assert_eq!(read, lock);
        assert_eq!(read.newest(Family::Z3), Some("4.10.0.0"));
        assert_eq!(read.get(Family::Z3, "4.9.0.0").unwrap().contents, "c");
        assert_eq!(read.newest(Family::Cvc5), None);
        fs::write(&path, "{\"format\": 7, \"solvers\": []}").unwrap();
        assert!(LockFile::read(&path).unwrap_err().to_string().contains("format 7"));
    }
}

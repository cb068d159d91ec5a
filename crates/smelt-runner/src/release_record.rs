//! What is recorded of an installed release, and whether its files are still those that were installed.
//!
//! Every file of a release counts, and one that was added does too: a library loads what lies beside it. Reading all of
//! them takes tens of milliseconds, so what was found to be right is kept with the sizes, times and numbers of the files
//! (inodes); only when one of these has changed are they read again. Whoever may write to the folder of releases may also
//! write what is kept: this notices accidents and changes by others, and `smelt.lock` notices the rest.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cache::file_hash;
use crate::family::Family;
use crate::files::write_whole;
use crate::versions::InstallError;

/// The name of the file.
pub(crate) const RECORD: &str = "release.json";
const FORMAT: u32 = 1;

/// The script that turns a library into a program. It is smelt's own and written anew by every build of smelt.
pub(crate) const DRIVER_NAME: &str = "driver.py";

/// The folder of the program that does the same; smelt's own too.
pub(crate) const HOST_FOLDER: &str = "host";

/// What is recorded of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    format: u32,
    family: Family,
    version: String,
    /// The file that is run or loaded, relative to the folder.
    pub(crate) file: PathBuf,
    /// BLAKE3 of that file.
    checksum: String,
    /// BLAKE3 of all files. Records of earlier versions of smelt have none.
    #[serde(default)]
    files: BTreeMap<PathBuf, String>,
    /// The archive that it came in.
    #[serde(default)]
    pub(crate) wheel: Option<Wheel>,
    /// The interpreter of Python that it was installed with, if it is a library. Earlier versions recorded none.
    #[serde(default)]
    pub(crate) interpreter: Option<PathBuf>,
}

/// The archive of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wheel {
    /// The name of the file.
    pub file: String,
    /// Its SHA-256, by which package clients know it.
    pub sha256: String,
}

/// The files of a release that was just unpacked.
pub(crate) struct Unpacked<'a> {
    /// The family of the solver.
    pub(crate) family: Family,
    /// Its version.
    pub(crate) version: &'a str,
    /// Where the files are.
    pub(crate) folder: &'a Path,
    /// The program, from that folder.
    pub(crate) file: PathBuf,
}

impl Record {
    /// Describes the files of a release.
    pub(crate) fn of_new(unpacked: Unpacked<'_>, wheel: Option<Wheel>) -> Result<Record, InstallError> {
        let Unpacked { family, version, folder, file } = unpacked;
        let files = hashes(folder, files_below(folder)?.into_keys())?;
        let checksum = files.get(&file).cloned().unwrap_or_default();
        let version = version.to_owned();
        Ok(Record { format: FORMAT, family, version, file, checksum, files, wheel, interpreter: None })
    }

    /// The same for a library that this interpreter of Python was found for.
    pub(crate) fn installed_with(self, interpreter: Option<PathBuf>) -> Record {
        Record { interpreter, ..self }
    }

    /// The record in the folder of a release.
    pub(crate) fn read(folder: &Path) -> Result<Record, InstallError> {
        let path = folder.join(RECORD);
        let text = fs::read_to_string(&path).map_err(InstallError::io(&path))?;
        serde_json::from_str(&text).map_err(|error| InstallError::Record {
            path: path.display().to_string(),
            problem: error.to_string(),
        })
    }

    /// Writes it to the folder of a release.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), InstallError> {
        let text = serde_json::to_string_pretty(self).map_err(|error| InstallError::Record {
            path: folder.display().to_string(),
            problem: error.to_string(),
        })?;
        let path = folder.join(RECORD);
        write_whole(&path, text.as_bytes()).map_err(InstallError::io(&path))
    }

    /// One hash for all files of the release.
    pub(crate) fn contents(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let only = BTreeMap::from([(self.file.clone(), self.checksum.clone())]);
        for (path, hash) in if self.files.is_empty() { &only } else { &self.files } {
            hasher.update(path.as_os_str().as_encoded_bytes());
            hasher.update(b"\0");
            hasher.update(hash.as_bytes());
            hasher.update(b"\n");
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The first file in a folder that is not what is recorded, if there is one.
    pub(crate) fn changed_file(&self, folder: &Path) -> Result<Option<PathBuf>, InstallError> {
        if self.format != FORMAT {
            return Ok(Some(PathBuf::from(RECORD)));
        }
        if self.files.is_empty() {
            let found = hashes(folder, [self.file.clone()])?;
            return Ok((found.get(&self.file) != Some(&self.checksum)).then(|| self.file.clone()));
        }
        let there = files_below(folder)?;
        if let Some(path) = self.files.keys().find(|path| !there.contains_key(*path)) {
            return Ok(Some(path.clone()));
        }
        if let Some(path) = there.keys().find(|path| !self.files.contains_key(*path)) {
            return Ok(Some(path.clone()));
        }
        let found = hashes(folder, there.into_keys())?;
        Ok(self
            .files
            .iter()
            .find(|(path, hash)| found.get(*path) != Some(hash))
            .map(|(path, _)| path.clone()))
    }
}

/// What tells, without reading the files of a release, that they are still those that were read before.
pub(crate) fn stamp(folder: &Path) -> Result<String, InstallError> {
    let mut hasher = blake3::Hasher::new();
    let record = folder.join(RECORD);
    hasher.update(&fs::read(&record).map_err(InstallError::io(&record))?);
    for (path, metadata) in files_below(folder)? {
        hasher.update(path.as_os_str().as_encoded_bytes());
        let times = [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()];
        let numbers = [metadata.size() as i64, metadata.ino() as i64, i64::from(metadata.mode())];
        for number in times.into_iter().chain(numbers) {
            hasher.update(&number.to_le_bytes());
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// All that is in the folder of a release besides what smelt itself keeps there, relative to the folder. Links are not
/// followed.
fn files_below(folder: &Path) -> Result<BTreeMap<PathBuf, Metadata>, InstallError> {
    let mut files = BTreeMap::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(below) = pending.pop() {
        let path = folder.join(&below);
        for entry in fs::read_dir(&path).map_err(InstallError::io(&path))? {
            let entry = entry.map_err(InstallError::io(&path))?;
            let name = below.join(entry.file_name());
            let metadata = entry.metadata().map_err(InstallError::io(&path))?;
            let is_own = [RECORD, DRIVER_NAME, HOST_FOLDER].iter().any(|own| name == Path::new(own));
            if is_own {
                continue;
            }
            if metadata.is_dir() {
                pending.push(name);
            } else {
                files.insert(name, metadata);
            }
        }
    }
    Ok(files)
}

/// BLAKE3 of files; a link has none, so that it is never what was recorded.
fn hashes(
    folder: &Path,
    files: impl IntoIterator<Item = PathBuf>,
) -> Result<BTreeMap<PathBuf, String>, InstallError> {
    let mut hashes = BTreeMap::new();
    for file in files {
        let path = folder.join(&file);
        if path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
            let hash = file_hash(&path).map_err(InstallError::io(&path))?;
            hashes.insert(file, blake3::Hash::from_bytes(hash).to_hex().to_string());
        }
    }
    Ok(hashes)
}

//! What can go wrong with the record of a campaign.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::store::CAMPAIGN;

/// Refuses a link where a file or folder of a campaign is expected: it would lead to one that the user did not name.
pub fn refuse_link(path: &Path) -> Result<(), StoreError> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => Err(StoreError::Link { path: path.to_owned() }),
        _ => Ok(()),
    }
}

/// Why the record cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another smelt works on the campaign or study.
    #[error("the folder `{}` is in use by another smelt{}; wait for it to end, or use another folder with --dir",
        folder.display(), process.map(|id| format!(" (process {id})")).unwrap_or_default())]
    InUse {
        /// The campaign's folder.
        folder: PathBuf,
        /// The process that works on it.
        process: Option<u32>,
    },
    /// A later release of smelt wrote the record.
    #[error("the record `{}` has format {found}, and this smelt knows only up to {known}; use a newer smelt",
        path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format that this release knows.
        known: u32,
    },
    /// There is no room left.
    #[error("cannot write `{}`: the disk is full; free some space and go on with --resume", path.display())]
    Full {
        /// What could not be written.
        path: PathBuf,
    },
    /// The disk does not do what it should.
    #[error("cannot write the record `{}`: {message}; what was recorded is safe, go on with --resume",
        path.display())]
    Failing {
        /// The database.
        path: PathBuf,
        /// What it says.
        message: String,
    },
    /// Another program holds the database.
    #[error("cannot use the record `{}`: another program keeps it locked", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The file is not what it should be.
    #[error("cannot use the record `{}`: it or its disk is damaged, or it is not a record of smelt: {message}; {}",
        path.display(), way_out(path))]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// There is nothing in the file, but there are findings beside it.
    #[error("the record `{}` is empty, but there are {findings} findings beside it; {}", path.display(), way_out(path))]
    Empty {
        /// The database.
        path: PathBuf,
        /// How many folders of findings there are.
        findings: usize,
    },
    /// The file that is written is not the one that is found under its name any more.
    #[error("the record `{}` was removed or replaced while it was being written; the hunt stops, because nothing \
        that it finds could be kept", path.display())]
    Gone {
        /// The database.
        path: PathBuf,
    },
    /// A link where a file or folder of the campaign should be.
    #[error("`{}` is a link, which is not followed: it may lead to files of yours that are not part of the campaign",
        path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// Anything else that the database complains about.
    #[error("cannot use the record `{}`: {error}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What it says.
        error: rusqlite::Error,
    },
    /// Anything else that the system complains about.
    #[error("cannot use `{}`: {error}", path.display())]
    Files {
        /// A file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The recorder has stopped because of an error, which [`crate::recorder::Recorder::finish`] tells.
    #[error("the record can no longer be written")]
    Stopped,
}

/// What a user can do about a record that cannot be used.
fn way_out(path: &Path) -> String {
    let moved = path.with_extension("db.bad");
    let move_it = format!("move it away with `mv {} {}`", path.display(), moved.display());
    if path.file_name().is_some_and(|name| name == CAMPAIGN) {
        return format!(
            "{move_it}, and findings are read from their folders, and the next hunt takes them into a new record"
        );
    }
    format!("{move_it}, and a new record is made")
}

impl StoreError {
    /// What an error of the database means to users.
    pub(crate) fn of_database(path: &Path, error: rusqlite::Error) -> StoreError {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
            Some(ErrorCode::SystemIoFailure | ErrorCode::ReadOnly) => {
                StoreError::Failing { path, message: error.to_string() }
            }
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                StoreError::Damaged { path, message: error.to_string() }
            }
            _ => StoreError::Database { path, error },
        }
    }

    /// What an error of the file system means to users.
    pub fn of_files(path: &Path, error: io::Error) -> StoreError {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { path },
            _ => StoreError::Files { path, error },
        }
    }
}

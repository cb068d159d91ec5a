//! One hunt at a time: a lock on the campaign's folder.
//!
//! The system takes it back when the process ends, however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::error::{StoreError, refuse_link};

/// The right to work on a campaign. Dropping it gives it back.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock at once or says who has it.
    pub fn take(folder: &Path) -> Result<Lock, StoreError> {
        let path = folder.join("lock");
        refuse_link(&path)?;
        let failed = |error| StoreError::of_files(&path, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                return Err(StoreError::InUse {
                    folder: folder.to_owned(),
                    process: holder.trim().parse().ok(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Who holds it is a courtesy: a full disk must not keep anybody from looking at a campaign.
        let _ = file.set_len(0);
        let _ = file.seek(SeekFrom::Start(0));
        let _ = writeln!(file, "{}", std::process::id());
        Ok(Lock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_can_have_it() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Lock::take(folder.path()).unwrap();
        let message = Lock::take(folder.path()).unwrap_err().to_string();
        assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
        drop(lock);
        Lock::take(folder.path()).unwrap();
    }
}

//! Files written so that readers see the whole of them or none.
//!
//! A file is made under a name that cannot be guessed and renamed. What is at its path is replaced: a link there, which
//! may have come with a folder that somebody else made, is not followed.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::{NamedTempFile, TempDir};

use crate::sys;

/// What others may do is left to the umask of the user.
const ORDINARY: u32 = 0o666;

/// Writes a file, also while several programs write it.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut partial = hidden(folder)?;
    partial.write_all(content)?;
    partial.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// A new file in a folder, which is gone in the end unless it is renamed.
fn hidden(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".")
        .suffix(PARTIAL)
        .permissions(Permissions::from_mode(ORDINARY))
        .tempfile_in(folder)
}

/// A new folder inside of another, which is gone in the end unless it is renamed. Its name begins with a dot.
pub fn hidden_folder(folder: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix(".")
        .suffix(PARTIAL)
        .permissions(Permissions::from_mode(ORDINARY_FOLDER))
        .tempdir_in(folder)
}

/// Puts a new folder in the place of another one, which takes the place of the new one. The place is never empty, except
/// on file systems that cannot exchange names: there it is empty between two renames.
pub fn replace_folder(new: &Path, folder: &Path) -> io::Result<()> {
    match sys::exchange(new, folder) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS)) => {}
        result => return result,
    }
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let old = hidden_folder(parent)?;
    fs::rename(folder, old.path())?;
    fs::rename(new, folder).inspect_err(|_| {
        let _ = fs::rename(old.path(), folder);
    })
}

/// What others may do with a folder.
const ORDINARY_FOLDER: u32 = 0o777;

/// How the names of files and folders end that are not complete.
pub const PARTIAL: &str = ".partial";

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn folders_exchange_their_places() {
        let folder = tempfile::tempdir().unwrap();
        let [new, old] = ["new", "old"].map(|name| folder.path().join(name));
        for path in [&new, &old] {
            fs::create_dir(path).unwrap();
            fs::write(path.join("name"), path.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        replace_folder(&new, &old).unwrap();
        assert_eq!(fs::read_to_string(old.join("name")).unwrap(), "new");
        assert!(replace_folder(&new, &folder.path().join("missing")).is_err());
    }

    #[test]
    fn a_link_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, path) = (folder.path().join("victim"), folder.path().join("file"));
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, &path).unwrap();
        write_whole(&path, b"ours").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert_eq!(fs::read_to_string(&path).unwrap(), "ours");
        assert!(!path.is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}

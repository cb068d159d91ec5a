//! The solvers of this machine, by the environment of the user.
//!
//! How they are found, fetched and probed is in [`smelt_campaign::find_solvers`].

use std::path::{Path, PathBuf};

use smelt_runner::installation::Installation;
use smelt_runner::lock_file::{LOCK_FILE, LockFile};

/// A folder or file that a variable of the environment names.
pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The folder where releases, and what was learned about solvers, are kept for the user.
pub(crate) fn cache_folder() -> PathBuf {
    variable("SMELT_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("smelt")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/smelt")))
        .unwrap_or_else(|| PathBuf::from(".smelt-cache"))
}

/// The solvers of this machine, by the environment of the user.
pub(crate) fn installation() -> Installation {
    let path =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let lock = LockFile::read(Path::new(LOCK_FILE));
    Installation::new(&cache_folder(), path, std::env::current_exe().ok(), lock)
}

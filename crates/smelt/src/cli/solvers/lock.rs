//! `smelt solvers lock`: writes `smelt.lock`.

use std::io::Write;
use std::path::Path;

use smelt_runner::fetch::{release_in, release_of};
use smelt_runner::installation::Installation;
use smelt_runner::lock_file::{LOCK_FILE, LockFile};

use crate::error::{CliError, Exit};
use crate::render::streams::Streams;
use smelt_campaign::find_solvers::find_or_install_one;
use smelt_campaign::profiles::Profiles;

/// Locks the releases with these names, or those that `smelt.toml` names. The place has no lock of its own: what is latest
/// is asked anew.
pub(super) fn run(place: &Installation, names: &[String], streams: &mut Streams) -> Result<Exit, CliError> {
    let path = Path::new(LOCK_FILE);
    let profiles = Profiles::read(None)?;
    let before = LockFile::read(path).map_err(|error| CliError::Input(error.to_string()))?;
    let (wanted, mut lock): (Vec<&str>, LockFile) = match names.is_empty() {
        true => (profiles.named().filter_map(|name| release_in(name)).collect(), LockFile::default()),
        false => (names.iter().map(String::as_str).collect(), before.unwrap_or_default()),
    };
    if wanted.is_empty() {
        return Err(CliError::usage(
            "there is nothing to lock: name releases, such as z3@latest, or use them in smelt.toml",
        ));
    }
    for name in wanted {
        if release_of(name).is_none() || name.contains("..") {
            return Err(CliError::usage(format!("`{name}` is not a release, such as z3@latest")));
        }
        let solver = find_or_install_one(place, name, streams)?;
        let Some(release) = place.store().release_of(&solver.invocation) else { continue };
        let locked =
            place.store().to_lock(&release).map_err(|error| CliError::environment(error.to_string()))?;
        let archive = locked.wheel.as_ref().map_or_else(
            || "hash of its archive unknown".to_owned(),
            |wheel| format!("sha256 {}", &wheel.sha256.get(..SHOWN_DIGITS).unwrap_or(&wheel.sha256)),
        );
        writeln!(streams.results(), "{} ({archive})", release.name())?;
        lock.add(locked);
    }
    lock.write(path).map_err(|error| CliError::Output { path: LOCK_FILE.to_owned(), error })?;
    Ok(Exit::Done)
}

/// Digits of a hash that people are shown.
const SHOWN_DIGITS: usize = 16;

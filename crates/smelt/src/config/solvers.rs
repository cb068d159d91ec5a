//! The solvers of this machine, by the environment of the user: found, installed, introduced and made ready.

mod ready;

use std::io::Write;
use std::path::{Path, PathBuf};

use smelt_runner::fetch::{FetchError, FetchEvent, Fetcher};
use smelt_runner::identity::Identity;
use smelt_runner::installation::Installation;
use smelt_runner::lock_file::{LOCK_FILE, LockFile};
use smelt_runner::solver::{Solver, UnknownSolver};
use smelt_runner::versions::InstallError;

use super::profiles::{Chosen, Profiles};
use crate::error::CliError;
use crate::render::streams::Streams;
pub(crate) use ready::{make_ready, probing_ends};

/// The folder where releases, and what was learned about solvers, are kept for the user.
pub(crate) fn cache_folder() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
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

/// Says which programs solvers really are, one line for each.
pub(crate) fn introduce(
    place: &Installation,
    solvers: &[Solver],
    streams: &mut Streams,
) -> Result<Vec<Identity>, CliError> {
    let cache = place.cache();
    let mut identities = Vec::with_capacity(solvers.len());
    for solver in solvers {
        let identity = Identity::of(solver, &cache);
        streams.message(&format!("{}\n", identity.line(solver)))?;
        identities.push(identity);
    }
    Ok(identities)
}

/// The solvers that names stand for, those of `smelt.toml` among them; releases that are missing are fetched.
pub(crate) fn find_or_install(
    place: &Installation,
    names: &[String],
    streams: &mut Streams,
) -> Result<Vec<Solver>, CliError> {
    let found = find_or_install_chosen(place, names, streams)?;
    Ok(found.into_iter().map(|chosen| chosen.solver).collect())
}

/// The same with what `smelt.toml` demands of their use.
pub(crate) fn find_or_install_chosen(
    place: &Installation,
    names: &[String],
    streams: &mut Streams,
) -> Result<Vec<Chosen>, CliError> {
    let profiles = Profiles::read(None)?;
    names.iter().map(|name| profiles.find(place, name, streams)).collect()
}

/// Does something with releases; what happens on the way is reported.
pub(crate) fn with_fetcher<Value>(
    place: &Installation,
    streams: &mut Streams,
    fetch: impl FnOnce(&mut Fetcher<'_>) -> Value,
) -> Value {
    let mut listener = |event: &FetchEvent| {
        let line = format!("{event}\n");
        // What cannot be written now is noticed when the streams are flushed at the end.
        let _ = match event.is_result() {
            true => streams.results().write_all(line.as_bytes()),
            false => streams.message(&line),
        };
        let _ = streams.flush();
    };
    fetch(&mut Fetcher { place, listener: &mut listener })
}

/// The names of the releases that a range `NAME@FROM..TO` stands for, oldest first; those that are missing are fetched.
/// Any other name stands for itself.
pub(crate) fn releases_named(
    place: &Installation,
    name: &str,
    streams: &mut Streams,
) -> Result<Vec<String>, CliError> {
    Ok(with_fetcher(place, streams, |fetcher| fetcher.releases(name))?)
}

/// The solver that a name stands for without `smelt.toml`; a release that is missing is fetched.
pub(crate) fn find_or_install_one(
    place: &Installation,
    name: &str,
    streams: &mut Streams,
) -> Result<Solver, CliError> {
    Ok(with_fetcher(place, streams, |fetcher| fetcher.solver(name))?)
}

impl From<FetchError> for CliError {
    fn from(error: FetchError) -> Self {
        match &error {
            FetchError::Install { error: cause, .. } | FetchError::NoLatest { error: cause, .. } => {
                match cause {
                    InstallError::NoVersion { .. } | InstallError::NoPackage(_) => {
                        CliError::usage(error.to_string())
                    }
                    _ => CliError::environment(error.to_string()),
                }
            }
            FetchError::Unknown(UnknownSolver::Unverified { .. }) | FetchError::NoneOfRange { .. } => {
                CliError::environment(error.to_string())
            }
            FetchError::Unknown(_) | FetchError::NotInstalled { .. } | FetchError::NotRange(_) => {
                CliError::usage(error.to_string())
            }
            FetchError::Interrupted => CliError::Interrupted,
        }
    }
}

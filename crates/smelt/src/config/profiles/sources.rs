//! Solvers of `smelt.toml` that are built from a commit of a git repository.
//!
//! Checkouts are kept in the cache folder of the user, by commit and build command; the repository is left untouched.

use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_campaign::configure::profiles::Sources;
use smelt_runner::solver::program_on_path;
use smelt_triage::bisect::checkout::{self, Recipe};
use smelt_triage::bisect::repository::{Repository, RepositoryError};

use crate::config::solvers::cache_folder;
use crate::error::CliError;
use crate::render::streams::Streams;

/// As long as `smelt bisect --repo` gives a build.
const BUILD_TIME: Duration = Duration::from_secs(2 * 3600);

/// So much of the name of a commit is shown.
const SHOWN: usize = 12;

/// The solver as it would be written on the command line, if it was built before.
pub(super) fn built(sources: &Sources<'_>, name: &str) -> Option<String> {
    let (repository, commit) = opened(sources).ok()?;
    let checkout = checkout::built(&folder(&repository), &commit, sources.build)?;
    Some(described(sources, name, &checkout))
}

/// The same, built now if it was not.
pub(super) fn build(sources: &Sources<'_>, name: &str, streams: &mut Streams) -> Result<String, CliError> {
    let cannot = || format!("cannot build `{name}` from `{}`", sources.git.display());
    let failed = |error: String| CliError::environment(format!("{}: {error}", cannot()));
    let (repository, commit) = opened(sources).map_err(|error| failed(error.to_string()))?;
    let folder = folder(&repository);
    if checkout::built(&folder, &commit, sources.build).is_none() {
        let shown = commit.get(..SHOWN).unwrap_or(&commit);
        streams.message(&format!("building {name}: commit {shown} of {}\n", sources.git.display()))?;
        streams.flush()?;
    }
    let shell = program_on_path("sh").ok_or_else(|| failed("no `sh` on the PATH".to_owned()))?;
    let recipe = Recipe { shell, command: sources.build.to_owned(), time: BUILD_TIME };
    let checkout = checkout::build(&repository, &commit, &folder, &recipe);
    let checkout = checkout.map_err(|error| failed(error.to_string()))?;
    Ok(described(sources, name, &checkout))
}

fn opened(sources: &Sources<'_>) -> Result<(Repository, String), RepositoryError> {
    let git = program_on_path("git").unwrap_or_else(|| PathBuf::from("git"));
    let repository = Repository::open(&git, sources.git)?;
    let commit = repository.commit(sources.revision)?;
    Ok((repository, commit))
}

/// Where checkouts of a repository are kept.
fn folder(repository: &Repository) -> PathBuf {
    let hash = blake3::hash(repository.folder().as_os_str().as_encoded_bytes()).to_hex();
    cache_folder().join("builds").join(&hash[..16])
}

/// Words of command lines may be quoted.
fn described(sources: &Sources<'_>, name: &str, checkout: &Path) -> String {
    let (program, args) = sources.command.trim().split_once(' ').unwrap_or((sources.command.trim(), ""));
    format!("{name}=\"{}\" {args}", checkout.join(program).display())
}

//! Solvers of `smelt.toml` that are built from a commit of a git repository.
//!
//! Checkouts are kept in the cache folder of the user, by commit and build command; the repository is left untouched.

use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_runner::installation::Installation;
use smelt_runner::solver::program_on_path;

use crate::checkout::{self, BuildError, Recipe};
use crate::configure::profiles::Sources;
use crate::dialogue::Dialogue;
use crate::find_solvers::SolverSearchError;
use crate::repository::{Repository, RepositoryError};

/// As long as `smelt bisect --repo` gives a build.
const BUILD_TIME: Duration = Duration::from_secs(2 * 3600);

/// So much of the name of a commit is shown.
const SHOWN: usize = 12;

/// The solver as it would be written on the command line, if it was built before.
pub(crate) fn built(place: &Installation, sources: &Sources<'_>, name: &str) -> Option<String> {
    let (repository, commit) = opened(sources).ok()?;
    let checkout = checkout::built(&folder(place, &repository), &commit, sources.build)?;
    Some(described(sources, name, &checkout))
}

/// The same, built now if it was not.
pub(crate) fn build<D: Dialogue>(
    place: &Installation,
    sources: &Sources<'_>,
    name: &str,
    dialogue: &mut D,
) -> Result<String, D::Failure> {
    let failed = |error: BuildError| SolverSearchError::Build {
        name: name.to_owned(),
        git: sources.git.to_owned(),
        error: Box::new(error),
    };
    let (repository, commit) = opened(sources).map_err(|error| failed(error.into()))?;
    let folder = folder(place, &repository);
    if checkout::built(&folder, &commit, sources.build).is_none() {
        let shown = commit.get(..SHOWN).unwrap_or(&commit);
        dialogue.message(&format!("building {name}: commit {shown} of {}\n", sources.git.display()))?;
        dialogue.flush()?;
    }
    let shell = program_on_path("sh").ok_or_else(|| failed(BuildError::NoShell))?;
    let recipe = Recipe { shell, command: sources.build.to_owned(), time: BUILD_TIME };
    let checkout = checkout::build(&repository, &commit, &folder, &recipe).map_err(failed)?;
    Ok(described(sources, name, &checkout))
}

fn opened(sources: &Sources<'_>) -> Result<(Repository, String), RepositoryError> {
    let git = program_on_path("git").unwrap_or_else(|| PathBuf::from("git"));
    let repository = Repository::open(&git, sources.git)?;
    let commit = repository.commit(sources.revision)?;
    Ok((repository, commit))
}

/// Where checkouts of a repository are kept.
fn folder(place: &Installation, repository: &Repository) -> PathBuf {
    let hash = blake3::hash(repository.folder().as_os_str().as_encoded_bytes()).to_hex();
    place.builds().join(&hash[..16])
}

/// Words of command lines may be quoted.
fn described(sources: &Sources<'_>, name: &str, checkout: &Path) -> String {
    let (program, args) = sources.command.trim().split_once(' ').unwrap_or((sources.command.trim(), ""));
    format!("{name}=\"{}\" {args}", checkout.join(program).display())
}

//! One commit of a repository, built once and kept: a solver that is run from its sources.
//!
//! A checkout is a folder named after the commit and what builds it. It counts as built when there is a file beside it that
//! says so, which is written last.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_runner::cold::{self, End};
use smelt_runner::files::write_whole;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Invocation;

use crate::repository::{Repository, RepositoryError};

/// How a commit is built.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The shell that runs the command.
    pub shell: PathBuf,
    /// What builds a commit; the shell runs it in the checkout.
    pub command: String,
    /// Time for it.
    pub time: Duration,
}

/// Why a commit cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The repository is of no use, or the machine failed.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// There is nothing to run the command with.
    #[error("no `sh` on the PATH")]
    NoShell,
    /// The command failed.
    #[error("building commit {commit} failed; what was printed is in `{}`", log.display())]
    Failed {
        /// The commit.
        commit: String,
        /// What the command printed.
        log: PathBuf,
    },
}

/// Where a commit is checked out below a folder to be built by a command.
fn place(folder: &Path, commit: &str, command: &str) -> PathBuf {
    let hash = blake3::hash(command.as_bytes()).to_hex();
    folder.join(format!("{commit}-{}", &hash[..8]))
}

fn mark_of(checkout: &Path) -> PathBuf {
    checkout.with_extension("built")
}

/// The checkout of a commit that was built by a command below a folder.
pub fn built(folder: &Path, commit: &str, command: &str) -> Option<PathBuf> {
    let checkout = place(folder, commit, command);
    (checkout.is_dir() && mark_of(&checkout).is_file()).then_some(checkout)
}

/// Checks a commit out below a folder and builds it, unless that was done before; gives the checkout.
pub fn build(
    repository: &Repository,
    commit: &str,
    folder: &Path,
    recipe: &Recipe,
) -> Result<PathBuf, BuildError> {
    if let Some(checkout) = built(folder, commit, &recipe.command) {
        return Ok(checkout);
    }
    fs::create_dir_all(folder).map_err(RepositoryError::io(folder))?;
    let checkout = place(folder, commit, &recipe.command);
    let log = checkout.with_extension("log");
    repository.check_out(commit, &folder.join("repository"), &checkout)?;
    let line = "cd -- \"$1\" && eval \"$2\" >\"$3\" 2>&1";
    let words = [checkout.clone().into(), recipe.command.clone().into(), log.clone().into_os_string()];
    let invocation = Invocation {
        program: recipe.shell.clone(),
        args: ["-c".into(), line.into(), "sh".into()].into_iter().chain(words).collect(),
        environment: Vec::new(),
        is_confined: false,
    };
    // A build has many processes and as much memory as it takes.
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let limits = Limits { wall: recipe.time, cpu: recipe.time * cores, output: 1 << 20, ..Limits::none() };
    let raw = cold::run(&invocation, "", &limits).map_err(RepositoryError::io(&recipe.shell))?;
    if raw.end != End::Exited(0) {
        return Err(BuildError::Failed { commit: commit.to_owned(), log });
    }
    let mark = mark_of(&checkout);
    write_whole(&mark, recipe.command.as_bytes()).map_err(RepositoryError::io(&mark))?;
    Ok(checkout)
}

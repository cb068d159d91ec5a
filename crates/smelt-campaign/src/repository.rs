//! A git repository that is read and never changed: its commits, and checkouts of them elsewhere.
//!
//! Checkouts are worktrees of a clone that shares the objects of the repository, so that the repository itself, with all
//! that is changed in it and not yet committed, stays as it is.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_runner::cold::{self, End};
use smelt_runner::limits::Limits;
use smelt_runner::solver::Invocation;

/// A repository.
#[derive(Debug, Clone)]
pub struct Repository {
    git: PathBuf,
    folder: PathBuf,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its full name.
    pub id: String,
    /// The first line of its message.
    pub title: String,
}

/// This much of the name of a commit is shown.
const SHOWN: usize = 12;

impl Commit {
    /// The beginning of its name, for people.
    pub fn short(&self) -> String {
        self.id.chars().take(SHOWN).collect()
    }
}

/// Why a repository is of no use.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// It is no repository, or git says something else.
    #[error("git: {0}")]
    Git(String),
    /// A name that stands for no commit.
    #[error("there is no commit `{0}`")]
    NoCommit(String),
    /// One does not come after the other.
    #[error("`{bad}` does not come after `{good}`")]
    NotAfter {
        /// What should come first.
        good: String,
        /// What should come after it.
        bad: String,
    },
    /// The machine failed.
    #[error("{path}: {error}")]
    Io {
        /// What was being read, written or run.
        path: String,
        /// What the system says.
        error: io::Error,
    },
}

impl RepositoryError {
    /// Makes the error of a file or program.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> RepositoryError {
        let path = path.display().to_string();
        move |error| RepositoryError::Io { path, error }
    }
}

impl Repository {
    /// The repository in a folder, read with this git.
    pub fn open(git: &Path, folder: &Path) -> Result<Repository, RepositoryError> {
        let folder = folder.canonicalize().map_err(RepositoryError::io(folder))?;
        let repository = Repository { git: git.to_owned(), folder };
        repository.git(&repository.folder, &["rev-parse", "--git-dir"])?;
        Ok(repository)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The commit that a name stands for.
    pub fn commit(&self, revision: &str) -> Result<String, RepositoryError> {
        let revision_arg = format!("{revision}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &revision_arg];
        let output = self.git(&self.folder, &arguments);
        let output = output.map_err(|_| RepositoryError::NoCommit(revision.to_owned()))?;
        Ok(output.trim().to_owned())
    }

    /// The commits from one to the other, both included, along first parents: a merge counts as one change.
    pub fn history(&self, good: &str, bad: &str) -> Result<Vec<Commit>, RepositoryError> {
        let (first, last) = (self.commit(good)?, self.commit(bad)?);
        let order = ["merge-base", "--is-ancestor", &first, &last];
        if first == last || self.git(&self.folder, &order).is_err() {
            return Err(RepositoryError::NotAfter { good: good.to_owned(), bad: bad.to_owned() });
        }
        let format = "--format=%H%x09%s";
        let range = format!("{first}..{last}");
        let title = self.git(&self.folder, &["log", "-1", format, &first])?;
        let arguments = ["log", "--first-parent", "--reverse", format, &range];
        let rest = self.git(&self.folder, &arguments)?;
        let commits = title.lines().chain(rest.lines()).filter_map(|line| line.split_once('\t'));
        Ok(commits.map(|(id, title)| Commit { id: id.to_owned(), title: title.to_owned() }).collect())
    }

    /// Makes a checkout of a commit in `folder`; the clone that it belongs to is in `clone`. What is in `folder` goes.
    pub fn check_out(&self, commit: &str, clone: &Path, folder: &Path) -> Result<(), RepositoryError> {
        if !clone.exists() {
            let partial = clone.with_extension("partial");
            remove(&partial)?;
            let words = ["clone", "--quiet", "--shared", "--no-checkout", "--"].map(OsStr::new);
            let places = [self.folder.as_os_str(), partial.as_os_str()];
            self.git(&self.folder, &[&words[..], &places[..]].concat())?;
            fs::rename(&partial, clone).map_err(RepositoryError::io(clone))?;
        }
        remove(folder)?;
        self.git(clone, &["worktree", "prune"])?;
        let words = ["worktree", "add", "--quiet", "--force", "--detach"].map(OsStr::new);
        let places = [folder.as_os_str(), OsStr::new(commit)];
        self.git(clone, &[&words[..], &places[..]].concat())?;
        Ok(())
    }

    fn git<Word: AsRef<OsStr>>(&self, folder: &Path, arguments: &[Word]) -> Result<String, RepositoryError> {
        // Hooks of a clone that was there before are not ours.
        let place = ["-c".into(), "core.hooksPath=/dev/null".into(), "-C".into(), OsString::from(folder)];
        let invocation = Invocation {
            program: self.git.clone(),
            args: place.into_iter().chain(arguments.iter().map(|word| word.as_ref().to_owned())).collect(),
            environment: vec![("LC_ALL".into(), "C".into())],
            is_confined: false,
        };
        let raw = cold::run(&invocation, "", &unhurried()).map_err(RepositoryError::io(&self.git))?;
        if raw.end == End::Exited(0) {
            return Ok(String::from_utf8_lossy(&raw.stdout).into_owned());
        }
        let message = String::from_utf8_lossy(&raw.stderr);
        let telling = message.lines().next().unwrap_or("it failed without a message");
        Err(RepositoryError::Git(telling.trim_start_matches("fatal: ").to_owned()))
    }
}

fn remove(folder: &Path) -> Result<(), RepositoryError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RepositoryError::io(folder)(error)),
        _ => Ok(()),
    }
}

/// Limits for git, which is trusted to end.
fn unhurried() -> Limits {
    let hour = Duration::from_secs(3600);
    Limits { wall: hour, cpu: hour, output: 256 << 20, ..Limits::none() }
}

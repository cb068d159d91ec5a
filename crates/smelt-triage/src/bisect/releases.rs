//! Releases of a solver, made ready one by one as they are asked: installed if they may be, and probed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::Path;

use smelt_campaign::campaign::solver_of;
use smelt_campaign::solvers::{family_of, recorded_target};
use smelt_oracle::evaluated::Version;
use smelt_runner::family::Family;
use smelt_runner::installation::Installation;
use smelt_runner::solver::UnknownSolver;
use smelt_runner::versions::{Client, InstallError, select};
use smelt_store::configuration::SolverCommand;
use smelt_trial::target::Target;

/// Which releases are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// The solver.
    pub family: Family,
    /// A version or a range; none for all of them.
    pub request: Option<String>,
    /// The options that they are run with.
    pub options: Vec<String>,
}

/// Why there are no releases to ask.
#[derive(Debug, thiserror::Error)]
pub enum ReleasesError {
    /// The solver has no releases.
    #[error("`{0}` has no releases: there are z3, cvc5, cvc4 and yices")]
    NoReleases(String),
    /// There are fewer than two.
    #[error(
        "{count} release{} of {family} to ask; install more with `smelt solvers install`, or use --install",
        if *count == 1 { "" } else { "s" }
    )]
    TooFew {
        /// How many there are.
        count: usize,
        /// Of which solver.
        family: &'static str,
    },
    /// They cannot be listed.
    #[error(transparent)]
    Install(#[from] InstallError),
}

/// Why a release cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum NotUsable {
    /// It is not installed, and is not to be.
    #[error("not installed")]
    NotInstalled,
    /// It cannot be installed.
    #[error("cannot be installed: {0}")]
    Install(InstallError),
    /// What is installed is not the release.
    #[error(transparent)]
    Unknown(#[from] UnknownSolver),
    /// It cannot be started.
    #[error("cannot be run: {0}")]
    Start(io::Error),
    /// It does not work.
    #[error("gives no answer to a trivial formula")]
    Silent,
}

impl Selection {
    /// Reads `z3`, `z3@4.8.5..5.4`, `z3str3=z3 smt.string_solver=z3str3`.
    pub fn read(text: &str) -> Result<Selection, ReleasesError> {
        let is_named = text.split_once('=').filter(|(name, _)| !name.contains([' ', '@']));
        let command = is_named.map_or(text, |(_, command)| command);
        let mut words = command.split_whitespace();
        let solver = words.next().unwrap_or_default();
        let (name, request) = match solver.split_once('@') {
            Some((name, request)) => (name, Some(request.to_owned())),
            None => (solver, None),
        };
        let family = Family::of_name(name);
        if family.package().is_none() || family.name() != name {
            return Err(ReleasesError::NoReleases(name.to_owned()));
        }
        Ok(Selection { family, request, options: words.map(str::to_owned).collect() })
    }
}

/// Releases of a family, the oldest first.
pub struct Releases<'i> {
    installation: &'i Installation,
    /// Which ones.
    pub selection: Selection,
    versions: Vec<String>,
    /// What fetches those that are missing.
    client: Option<Client>,
    /// Those that were made ready, or why they could not be.
    targets: BTreeMap<usize, Result<Target, NotUsable>>,
}

impl<'i> Releases<'i> {
    /// The releases that are selected: those that are installed, and with `is_installing` all that there are.
    pub fn new(
        installation: &'i Installation,
        selection: Selection,
        is_installing: bool,
    ) -> Result<Self, ReleasesError> {
        let family = selection.family;
        let installed = installation.store().releases(family);
        let mut versions: Vec<String> = installed.into_iter().map(|release| release.version).collect();
        let client = match is_installing {
            true => Some(installation.client()?),
            false => None,
        };
        if let Some(client) = &client {
            versions.extend(installation.store().resolve(client, family, EVERYTHING)?);
        }
        let request = selection.request.as_deref().unwrap_or(EVERYTHING);
        let versions = select(&versions, request);
        if versions.len() < 2 {
            return Err(ReleasesError::TooFew { count: versions.len(), family: family.name() });
        }
        Ok(Releases { installation, selection, versions, client, targets: BTreeMap::new() })
    }

    /// Adds the releases that the package index lists and that are not installed. Nothing is fetched. The list of the
    /// index is kept for a day.
    pub fn add_listed(&mut self) -> Result<(), InstallError> {
        let family = self.selection.family;
        let store = self.installation.store();
        let listed = match store.listed(family, EVERYTHING) {
            Some(listed) => listed,
            None => {
                let client = self.installation.client()?;
                store.resolve(&client, family, EVERYTHING)?
            }
        };
        let request = self.selection.request.as_deref().unwrap_or(EVERYTHING);
        let all: Vec<String> = self.versions.iter().cloned().chain(listed).collect();
        self.versions = select(&all, request);
        self.targets.clear();
        Ok(())
    }

    /// Those that are not installed and will not be.
    pub fn missing(&self) -> BTreeSet<usize> {
        if self.client.is_some() {
            return BTreeSet::new();
        }
        let installed: BTreeSet<usize> = self.installed().into_iter().collect();
        (0..self.count()).filter(|point| !installed.contains(point)).collect()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.versions.len()
    }

    /// Those that are installed.
    pub fn installed(&self) -> Vec<usize> {
        (0..self.count()).filter(|point| self.is_installed(*point)).collect()
    }

    /// Whether this very release is installed: `4.5.1.0` is not `4.5.1.0.post2`, though that is what it would stand for.
    fn is_installed(&self, point: usize) -> bool {
        self.installation.installed(self.selection.family, &self.versions[point]).is_some()
    }

    /// `z3@4.8.7.0`.
    pub fn name(&self, point: usize) -> String {
        format!("{}@{}", self.selection.family.name(), self.versions[point])
    }

    /// The release that a solver is.
    pub fn position_of(&self, culprit: &SolverCommand) -> Option<usize> {
        let is_same = |point: &usize| {
            self.installation.finder().find(&self.name(*point)).is_ok_and(|solver| {
                let same_program = solver.invocation.program == Path::new(&culprit.program);
                let first = solver.invocation.args.first().map(OsString::as_os_str);
                same_program && first == culprit.args.first().map(AsRef::as_ref)
            })
        };
        if let Some(point) = self.installed().into_iter().find(is_same) {
            return Some(point);
        }
        let target = recorded_target(self.installation, solver_of(culprit, family_of(culprit))).ok()?;
        let version = target.version()?;
        self.versions.iter().position(|known| Version::parse(known).as_ref() == Some(&version))
    }

    /// Makes a release ready; none if it cannot be had or does not work, see [`Releases::problem`].
    pub fn target(&mut self, point: usize) -> Option<&Target> {
        if !self.targets.contains_key(&point) {
            let target = self.make(point);
            self.targets.insert(point, target);
        }
        self.targets[&point].as_ref().ok()
    }

    /// Why a release could not be made ready, if it was tried.
    pub fn problem(&self, point: usize) -> Option<&NotUsable> {
        self.targets.get(&point)?.as_ref().err()
    }

    fn make(&self, point: usize) -> Result<Target, NotUsable> {
        let family = self.selection.family;
        let version = &self.versions[point];
        if let (false, Some(client)) = (self.is_installed(point), &self.client) {
            self.installation.store().install(client, family, version).map_err(NotUsable::Install)?;
        }
        if !self.is_installed(point) {
            return Err(NotUsable::NotInstalled);
        }
        let mut solver = self.installation.finder().find(&self.name(point))?;
        solver.invocation.args.extend(self.selection.options.iter().map(OsString::from));
        let target = Target::cached(solver, &self.installation.cache()).map_err(NotUsable::Start)?;
        if target.probe.works { Ok(target) } else { Err(NotUsable::Silent) }
    }
}

/// All versions that there can be.
const EVERYTHING: &str = "0..999999";

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(text: &str) -> (Family, Option<String>, Vec<String>) {
        let selection = Selection::read(text).unwrap();
        (selection.family, selection.request, selection.options)
    }

    #[test]
    fn releases_are_selected_by_names_ranges_and_options() {
        assert_eq!(selection("z3"), (Family::Z3, None, vec![]));
        assert_eq!(selection("z3@4.8.5..5.4"), (Family::Z3, Some("4.8.5..5.4".to_owned()), vec![]));
        let options = vec!["smt.string_solver=z3str3".to_owned()];
        assert_eq!(selection("z3str3=z3 smt.string_solver=z3str3"), (Family::Z3, None, options.clone()));
        assert_eq!(selection("z3@4.8..4.9 smt.string_solver=z3str3").2, options);
        assert!(Selection::read("smelt").is_err());
        assert!(Selection::read("z3str3").is_err());
    }
}

//! Releases of a solver, made ready one by one as they are asked.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use smelt_campaign::campaign::solver_of;
use smelt_oracle::evaluated::Version;
use smelt_runner::family::Family;
use smelt_runner::versions::{Client, select};
use smelt_store::configuration::SolverCommand;
use smelt_trial::target::Target;

use crate::profiles::Profiles;
use crate::replay::family_of;
use crate::solvers::Place;

/// Which releases are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selection {
    pub family: Family,
    /// All of them, or a version, or a range.
    pub request: Option<String>,
    pub options: Vec<String>,
}

impl Selection {
    /// Reads what [`Selection::read`] does, or the name of a solver in `smelt.toml` that is a release with options.
    pub(crate) fn of(text: &str, profiles: &Profiles) -> Result<Selection, String> {
        let Some(profile) = profiles.release_of(text) else { return Selection::read(text) };
        let (described, options) = profile?;
        let mut selection = Selection::read(&described)?;
        // The profile names one release; which ones are asked is another matter.
        selection.request = None;
        selection.options.extend(options);
        Ok(selection)
    }

    /// Reads `z3`, `z3@4.8.5..5.4`, `z3str3=z3 smt.string_solver=z3str3`.
    pub(crate) fn read(text: &str) -> Result<Selection, String> {
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
            return Err(format!("`{name}` has no releases: there are z3, cvc5, cvc4 and yices"));
        }
        Ok(Selection { family, request, options: words.map(str::to_owned).collect() })
    }
}

/// Releases of a family, the oldest first.
pub(crate) struct Releases<'p> {
    place: &'p Place,
    pub selection: Selection,
    versions: Vec<String>,
    /// What fetches those that are missing.
    client: Option<Client>,
    /// Those that were made ready, or why they could not be.
    targets: BTreeMap<usize, Result<Target, String>>,
}

impl<'p> Releases<'p> {
    /// The releases that are selected; why there are none, in words.
    pub(crate) fn new(place: &'p Place, selection: Selection, is_installing: bool) -> Result<Self, String> {
        let family = selection.family;
        let installed = place.store().releases(family);
        let mut versions: Vec<String> = installed.into_iter().map(|release| release.version).collect();
        let client = match is_installing {
            true => Some(place.client().map_err(|error| error.to_string())?),
            false => None,
        };
        if let Some(client) = &client {
            let all = place.store().resolve(client, family, EVERYTHING).map_err(|error| error.to_string())?;
            versions.extend(all);
        }
        let request = selection.request.as_deref().unwrap_or(EVERYTHING);
        let versions = select(&versions, request);
        if versions.len() < 2 {
            return Err(format!(
                "{} release{} of {} to ask; install more with `smelt solvers install`, or use --install",
                versions.len(),
                if versions.len() == 1 { "" } else { "s" },
                family.name()
            ));
        }
        Ok(Releases { place, selection, versions, client, targets: BTreeMap::new() })
    }

    /// Adds the releases that the package index lists and that are not installed; why they are not known, in words.
    /// Nothing is fetched. What the index says is kept for a day.
    pub(crate) fn add_listed(&mut self) -> Result<(), String> {
        let family = self.selection.family;
        let store = self.place.store();
        let listed = match store.listed(family, EVERYTHING) {
            Some(listed) => listed,
            None => {
                let client = self.place.client().map_err(|error| error.to_string())?;
                store.resolve(&client, family, EVERYTHING).map_err(|error| error.to_string())?
            }
        };
        let request = self.selection.request.as_deref().unwrap_or(EVERYTHING);
        let all: Vec<String> = self.versions.iter().cloned().chain(listed).collect();
        self.versions = select(&all, request);
        self.targets.clear();
        Ok(())
    }

    /// Those that are not installed and will not be.
    pub(crate) fn missing(&self) -> BTreeSet<usize> {
        if self.client.is_some() {
            return BTreeSet::new();
        }
        let installed: BTreeSet<usize> = self.installed().into_iter().collect();
        (0..self.len()).filter(|point| !installed.contains(point)).collect()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.versions.len()
    }

    /// Those that are installed.
    pub(crate) fn installed(&self) -> Vec<usize> {
        (0..self.len()).filter(|point| self.is_installed(*point)).collect()
    }

    /// Whether this very release is installed: `4.5.1.0` is not `4.5.1.0.post2`, though that is what it would stand for.
    fn is_installed(&self, point: usize) -> bool {
        let found = self.place.store().find(self.selection.family, &self.versions[point]);
        found.is_some_and(|found| found.version == self.versions[point])
    }

    /// `z3@4.8.7.0`.
    pub(crate) fn name(&self, point: usize) -> String {
        format!("{}@{}", self.selection.family.name(), self.versions[point])
    }

    /// The release that a solver is.
    pub(crate) fn culprit(&self, culprit: &Option<SolverCommand>) -> Option<usize> {
        let culprit = culprit.as_ref()?;
        let is_same = |point: &usize| {
            self.place.finder().find(&self.name(*point)).is_ok_and(|solver| {
                let same_program = solver.invocation.program == Path::new(&culprit.program);
                let first = solver.invocation.args.first().map(OsString::as_os_str);
                same_program && first == culprit.args.first().map(AsRef::as_ref)
            })
        };
        if let Some(point) = self.installed().into_iter().find(is_same) {
            return Some(point);
        }
        let target = self.place.recorded_target(solver_of(culprit, family_of(culprit))).ok()?;
        let version = target.version()?;
        self.versions.iter().position(|known| Version::parse(known).as_ref() == Some(&version))
    }

    /// Makes a release ready; none if it cannot be had or does not work, see [`Releases::problem`].
    pub(crate) fn target(&mut self, point: usize) -> Option<&Target> {
        if !self.targets.contains_key(&point) {
            let target = self.make(point);
            self.targets.insert(point, target);
        }
        self.targets[&point].as_ref().ok()
    }

    /// Why a release could not be made ready, if it was tried.
    pub(crate) fn problem(&self, point: usize) -> Option<&str> {
        self.targets.get(&point)?.as_ref().err().map(String::as_str)
    }

    fn make(&self, point: usize) -> Result<Target, String> {
        let family = self.selection.family;
        let version = &self.versions[point];
        if let (false, Some(client)) = (self.is_installed(point), &self.client) {
            let installed = self.place.store().install(client, family, version);
            installed.map_err(|error| format!("cannot be installed: {error}"))?;
        }
        if !self.is_installed(point) {
            return Err("not installed".to_owned());
        }
        let found = self.place.finder().find(&self.name(point));
        let mut solver = found.map_err(|error| error.to_string())?;
        solver.invocation.args.extend(self.selection.options.iter().map(OsString::from));
        let target =
            Target::cached(solver, &self.place.cache()).map_err(|error| format!("cannot be run: {error}"))?;
        target.probe.works.then_some(target).ok_or_else(|| "gives no answer to a trivial formula".to_owned())
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

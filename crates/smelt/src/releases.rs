//! Releases of a solver, made ready one by one as they are asked.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use smelt_campaign::campaign::solver_of;
use smelt_campaign::target::Target;
use smelt_oracle::checked::Version;
use smelt_runner::family::Family;
use smelt_runner::versions::{Client, select};
use smelt_store::configuration::SolverCommand;

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
    /// Those that were made ready, or could not be.
    targets: BTreeMap<usize, Option<Target>>,
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

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.versions.len()
    }

    /// Those that are installed.
    pub(crate) fn installed(&self) -> Vec<usize> {
        let store = self.place.store();
        let is_installed =
            |point: &usize| store.find(self.selection.family, &self.versions[*point]).is_some();
        (0..self.len()).filter(is_installed).collect()
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
        if let Some(point) = (0..self.versions.len()).find(is_same) {
            return Some(point);
        }
        let target = Target::cached(solver_of(culprit, family_of(culprit)), &self.place.cache()).ok()?;
        let version = target.version()?;
        self.versions.iter().position(|known| Version::parse(known).as_ref() == Some(&version))
    }

    /// Makes a release ready; none if it cannot be had or does not work.
    pub(crate) fn target(&mut self, point: usize) -> Option<&Target> {
        if !self.targets.contains_key(&point) {
            let target = self.make(point);
            self.targets.insert(point, target);
        }
        self.targets[&point].as_ref()
    }

    fn make(&self, point: usize) -> Option<Target> {
        let family = self.selection.family;
        let version = &self.versions[point];
        if let (None, Some(client)) = (self.place.store().find(family, version), &self.client) {
            self.place.store().install(client, family, version).ok()?;
        }
        let mut solver = self.place.finder().find(&self.name(point)).ok()?;
        solver.invocation.args.extend(self.selection.options.iter().map(OsString::from));
        let target = Target::cached(solver, &self.place.cache()).ok()?;
        target.probe.works.then_some(target)
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

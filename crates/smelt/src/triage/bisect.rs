//! Releases of the culprit's family, asked whether they show a finding.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_campaign::dating::{Dating, FORMAT};
use smelt_campaign::releases::{ask, options_of};
use smelt_runner::family::Family;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Recorded;
use smelt_triage::localize::{Laboratory, Settings, Stopped, localize};
use smelt_trial::target::Target;

use super::others_of;
use crate::exit::Failure;
use crate::releases::{Releases, Selection};
use crate::replay::family_of;
use crate::solvers::Place;
use crate::streams::Streams;

/// Which releases are asked about what.
pub(super) struct Wanted<'w> {
    pub recorded: &'w Recorded,
    /// A range of versions; all that are installed if there is none.
    pub request: Option<&'w str>,
    pub is_installing: bool,
    pub limits: Limits,
}

impl Wanted<'_> {
    /// Asks; none if there are no releases to ask, which is told to the user.
    pub(super) fn run(
        &self,
        place: &Place,
        stop: &Arc<AtomicBool>,
        streams: &mut Streams,
    ) -> Result<Option<Dating>, Failure> {
        let finding = &self.recorded.finding;
        let is_culprit = |command: &&SolverCommand| Some(&command.solver) == finding.verdict.culprit.as_ref();
        let Some(culprit) = finding.commands.iter().find(is_culprit).cloned() else { return Ok(None) };
        let family = Family::of_name(family_of(&culprit));
        if family.package().is_none() {
            streams.message(&format!("not bisected: smelt knows no releases of {}\n", culprit.solver))?;
            return Ok(None);
        }
        let request = self.request.map(|request| version_part(request).to_owned());
        let selection = Selection { family, request, options: options_of(&culprit, family) };
        let mut releases = match Releases::new(place, selection, self.is_installing) {
            Ok(releases) => releases,
            Err(message) => {
                streams.message(&format!("not bisected: {message}\n"))?;
                return Ok(None);
            }
        };
        let Ok(others) = others_of(finding, streams)? else { return Ok(None) };
        streams.message(&format!("asking {} releases of {}\n", releases.len(), family.name()))?;
        let mut settings = Settings::of_claims(releases.len(), 1);
        settings.probes.extend(releases.culprit(&Some(culprit)));
        // Asking an installed release is cheap, and a bug may be in a single one.
        settings.probes.extend(releases.installed());
        settings.probes.sort_unstable();
        settings.probes.dedup();
        let opinion = place.finder().own();
        let mut asking = Asking {
            releases: &mut releases,
            wanted: self,
            others: &others,
            opinion: opinion.as_ref(),
            stop,
            undecided: BTreeMap::new(),
            problem: None,
        };
        let found = localize(&mut asking, &settings);
        let (undecided, problem) = (asking.undecided, asking.problem);
        if let Some(problem) = problem {
            streams.error(&problem)?;
        }
        let claims = found.triggers[0].seen.iter().map(|(point, value)| (*point, *value > 0.5)).collect();
        Ok(Some(dating(&releases, &claims, &undecided)))
    }
}

/// `4.8.5..5.4` of `z3@4.8.5..5.4`.
fn version_part(request: &str) -> &str {
    request.split_once('@').map_or(request, |(_, version)| version)
}

/// Since when releases show it, and until when.
fn dating(
    releases: &Releases<'_>,
    claims: &BTreeMap<usize, bool>,
    undecided: &BTreeMap<usize, String>,
) -> Dating {
    let name = |point: usize| releases.name(point);
    let row = Row::of(claims);
    let is_silent = |point: &usize| !claims.contains_key(point) && !undecided.contains_key(point);
    Dating {
        format: FORMAT,
        first_bad: row.first_bad.map(name),
        last_good: row.last_good.map(name),
        fixed: row.fixed.map(name),
        more_may_exist: row.is_broken,
        seen: claims
            .iter()
            .map(|(point, is_bad)| (name(*point), if *is_bad { "bad" } else { "good" }.into()))
            .collect(),
        undecided: undecided.iter().map(|(point, answer)| (name(*point), answer.clone())).collect(),
        not_tested: (0..releases.len()).filter(is_silent).map(name).collect(),
    }
}

/// What a row of releases tells.
#[derive(Debug, Default, PartialEq, Eq)]
struct Row {
    first_bad: Option<usize>,
    last_good: Option<usize>,
    fixed: Option<usize>,
    /// Whether a release among the bad ones is good.
    is_broken: bool,
}

impl Row {
    fn of(claims: &BTreeMap<usize, bool>) -> Row {
        let bad = || claims.iter().filter(|(_, is_bad)| **is_bad).map(|(point, _)| *point);
        let good = || claims.iter().filter(|(_, is_bad)| !**is_bad).map(|(point, _)| *point);
        let (Some(first_bad), Some(last_bad)) = (bad().next(), bad().next_back()) else {
            return Row::default();
        };
        Row {
            first_bad: Some(first_bad),
            last_good: good().rfind(|point| *point < first_bad),
            fixed: good().find(|point| *point > last_bad),
            is_broken: good().any(|point| first_bad < point && point < last_bad),
        }
    }
}

/// The laboratory for releases.
struct Asking<'a, 'p> {
    releases: &'a mut Releases<'p>,
    wanted: &'a Wanted<'a>,
    others: &'a [Target],
    opinion: Option<&'a Solver>,
    stop: &'a AtomicBool,
    /// Releases whose answers tell nothing.
    undecided: BTreeMap<usize, String>,
    problem: Option<String>,
}

impl Laboratory for Asking<'_, '_> {
    fn prepare(&mut self, point: usize) -> Result<bool, Stopped> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        Ok(self.releases.target(point).is_some())
    }

    fn measure(&mut self, point: usize, _trigger: usize) -> Result<Option<f64>, Stopped> {
        let name = self.releases.name(point);
        let Some(target) = self.releases.target(point) else { return Ok(None) };
        let asked = ask(self.wanted.recorded, target, self.others, &self.wanted.limits, self.opinion);
        // A run that we were told to end says nothing.
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        match asked {
            Ok(asked) => {
                if asked.shows.is_none() {
                    let answer = asked.run.map_or("rejected", |run| run.answer.word());
                    self.undecided.insert(point, answer.to_owned());
                }
                Ok(asked.shows.map(|shows| f64::from(u8::from(shows))))
            }
            Err(error) => {
                self.problem = Some(format!("cannot ask {name}: {error}"));
                Err(Stopped)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(claims: &[(usize, bool)]) -> Row {
        Row::of(&claims.iter().copied().collect())
    }

    #[test]
    fn a_row_of_releases_tells_when_it_began_and_ended() {
        let found = row(&[(0, false), (2, true), (3, true), (5, false)]);
        let expected = Row { first_bad: Some(2), last_good: Some(0), fixed: Some(5), is_broken: false };
        assert_eq!(found, expected);
        assert_eq!(row(&[(1, true)]), Row { first_bad: Some(1), ..Row::default() });
        assert_eq!(row(&[(1, false)]), Row::default());
        assert!(row(&[(0, true), (1, false), (2, true)]).is_broken);
        assert_eq!(row(&[(0, true), (1, false), (2, true)]).fixed, None);
    }

    #[test]
    fn a_range_may_name_its_family() {
        assert_eq!(version_part("z3@4.8.5..5.4"), "4.8.5..5.4");
        assert_eq!(version_part("4.8.5..5.4"), "4.8.5..5.4");
    }
}

//! Since which release, and until which, a finding is shown.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_campaign::releases::ask;
use smelt_report::finding::triage_files::{Dating, FORMAT};
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Finding;
use smelt_trial::target::Target;

use super::asking::AskError;
use super::releases::Releases;
use super::{BisectSettings, Laboratory, Stopped, localize};

/// What each release is asked.
pub struct ReleaseQuestion<'q> {
    /// The finding that it may show.
    pub finding: &'q Finding,
    /// The solvers besides the culprit.
    pub others: &'q [Target],
    /// Our own solver, which is asked where the others disagree.
    pub opinion: Option<&'q Solver>,
    /// Of each run.
    pub limits: Limits,
}

/// Asks releases whether they show a finding; the culprit is one of them. If one cannot be asked, the result is what was
/// seen before.
pub fn bisect_finding(
    releases: &mut Releases<'_>,
    culprit: &SolverCommand,
    question: &ReleaseQuestion<'_>,
    stop: &AtomicBool,
) -> (Dating, Option<AskError>) {
    let mut settings = BisectSettings::of_claims(releases.count(), 1);
    settings.probes.extend(releases.position_of(culprit));
    // Asking an installed release is cheap, and a bug may be in a single one.
    settings.probes.extend(releases.installed());
    settings.probes.sort_unstable();
    settings.probes.dedup();
    let mut asking = Asking { releases, question, stop, undecided: BTreeMap::new(), problem: None };
    let found = localize(&mut asking, &settings);
    let (undecided, problem) = (asking.undecided, asking.problem);
    let claims = found.triggers[0].seen.iter().map(|(point, value)| (*point, *value > 0.5)).collect();
    (dating(releases, &claims, &undecided), problem)
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
        not_tested: (0..releases.count()).filter(is_silent).map(name).collect(),
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
struct Asking<'a, 'i> {
    releases: &'a mut Releases<'i>,
    question: &'a ReleaseQuestion<'a>,
    stop: &'a AtomicBool,
    /// Releases whose answers tell nothing.
    undecided: BTreeMap<usize, String>,
    problem: Option<AskError>,
}

impl Laboratory for Asking<'_, '_> {
    fn prepare(&mut self, point: usize) -> Result<bool, Stopped> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        Ok(self.releases.target(point).is_some())
    }

    fn measure(&mut self, point: usize, _trigger: usize) -> Result<Option<f64>, Stopped> {
        let (name, question) = (self.releases.name(point), self.question);
        let Some(target) = self.releases.target(point) else { return Ok(None) };
        let asked = ask(question.finding, target, question.others, &question.limits, question.opinion);
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
                self.problem = Some(AskError { release: name, error });
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
}

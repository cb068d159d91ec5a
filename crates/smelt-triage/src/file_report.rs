//! From one formula that a user has to a report that stands alone: reduced, asked of releases, looked up among duplicates.
//!
//! The formula was judged before, see [`crate::file`]. After each step the report in the folder is complete as far as it
//! goes, so that the user may end it at any time.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_campaign::configure::DEFAULT_DIR;
use smelt_campaign::dialogue::{CannotWrite, Dialogue};
use smelt_campaign::exhibit::Stage;
use smelt_campaign::releases::options_of;
use smelt_campaign::solvers::{culprit_of, family_of};
use smelt_report::finding::exhibit::Exhibit;
use smelt_report::finding::triage_files::{Added, Dating, FORMAT, Triage};
use smelt_runner::family::Family;
use smelt_runner::installation::Installation;
use smelt_store::finding::Finding;

use crate::bisect::finding::{ReleaseQuestion, bisect_finding};
use crate::bisect::releases::{Releases, Selection};
use crate::cluster::findings::{Duplicates, Search};
use crate::error::TriageError;
use crate::file::{ask_newest_if_agreed, exhibit_as_found, others_of, rewrite};
use crate::reduce::folder::{FolderReduction, agree_to, is_reducible};

/// What is to be done about a formula.
#[derive(Debug)]
pub struct FileReport<'r> {
    /// The file with the formula.
    pub file: &'r Path,
    /// What was found about it.
    pub finding: Finding,
    /// The folder of the report.
    pub output: PathBuf,
    /// How long the formula is reduced; none for not at all.
    pub reduce_for: Option<Duration>,
    /// The releases to bisect over; none for all that are installed.
    pub releases: Option<String>,
    /// Whether releases that are missing are fetched.
    pub is_installing: bool,
    /// The campaign in which duplicates are looked for; none for the usual one, if there is one.
    pub dir: Option<PathBuf>,
    /// The known bugs among which duplicates are looked for.
    pub known: Option<PathBuf>,
    /// Set by the user who wants an end.
    pub stop: Arc<AtomicBool>,
}

impl FileReport<'_> {
    /// Does all of it.
    pub fn write<D: Dialogue<Failure: From<TriageError>>>(
        &self,
        place: &Installation,
        stage: &Stage<'_>,
        dialogue: &mut D,
    ) -> Result<(), D::Failure> {
        self.begin(stage, dialogue)?;
        self.reduce(place, stage, dialogue)?;
        let dating = self.bisect(place, stage, dialogue)?;
        self.conclude(place, dating, dialogue)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Changes what triage has added to the finding, and writes the report anew.
    fn rewrite(&self, change: impl FnOnce(&mut Added)) -> Result<(), CannotWrite> {
        rewrite(&self.finding, &self.output, change).map_err(CannotWrite::to(&self.output))
    }

    /// Writes a first report about the formula as it is.
    fn begin<D: Dialogue>(&self, stage: &Stage<'_>, dialogue: &mut D) -> Result<(), D::Failure> {
        let verdict = &self.finding.verdict;
        dialogue.message(&format!(
            "{}: {} on {}\n",
            verdict.class.word(),
            verdict.culprit.as_deref().unwrap_or("-"),
            self.file.display()
        ))?;
        if self.output.exists() {
            fs::remove_dir_all(&self.output).map_err(CannotWrite::to(&self.output))?;
        }
        let shown = self.exhibit(stage, dialogue)?;
        Ok(self.rewrite(|added| added.shown = shown)?)
    }

    /// The formula as it is with all evidence about it; none if it cannot be established a second time.
    fn exhibit<D: Dialogue>(
        &self,
        stage: &Stage<'_>,
        dialogue: &mut D,
    ) -> Result<Option<Exhibit>, D::Failure> {
        exhibit_as_found(&self.finding, stage)
            .or_else(|error| dialogue.error(&error.to_string()).map(|()| None))
    }

    /// Reduces the formula; where that does not work, the report stays about the formula as it is.
    fn reduce<D: Dialogue<Failure: From<TriageError>>>(
        &self,
        place: &Installation,
        stage: &Stage<'_>,
        dialogue: &mut D,
    ) -> Result<(), D::Failure> {
        let Some(time) = self.reduce_for.filter(|_| is_reducible(&self.finding) && !self.is_stopped()) else {
            return Ok(());
        };
        let before = Added::read(&self.output).shown;
        dialogue.message(&format!("reducing for at most {:.0} s\n", time.as_secs_f64()))?;
        let reduction = FolderReduction { place, folder: &self.output, time, stop: Arc::clone(&self.stop) };
        reduction.run(&self.finding, dialogue)?;
        if Added::read(&self.output).shown.is_none() && before.is_some() {
            dialogue.message("the finding could not be reproduced on a smaller formula\n")?;
            let shown = if self.is_stopped() { before } else { self.exhibit(stage, dialogue)? };
            self.rewrite(|added| added.shown = shown)?;
        }
        Ok(())
    }

    /// The finding about the formula that the report shows.
    fn shown(&self) -> Finding {
        match Added::read(&self.output).shown {
            Some(exhibit) => self.finding.about(&exhibit.formula),
            None => self.finding.clone(),
        }
    }

    /// Asks releases; none if there are none to ask.
    fn bisect<D: Dialogue<Failure: From<TriageError>>>(
        &self,
        place: &Installation,
        stage: &Stage<'_>,
        dialogue: &mut D,
    ) -> Result<Option<Dating>, D::Failure> {
        let shown = self.shown();
        let Some(culprit) = culprit_of(&shown).filter(|_| !self.is_stopped()) else { return Ok(None) };
        let family = Family::of_name(family_of(culprit));
        if family.package().is_none() {
            dialogue.message(&format!("not bisected: smelt knows no releases of {}\n", culprit.solver))?;
            return Ok(None);
        }
        let request = self.releases.as_deref().map(|request| version_part(request).to_owned());
        let selection = Selection { family, request, options: options_of(culprit, family) };
        let mut releases = match Releases::new(place, selection, self.is_installing) {
            Ok(releases) => releases,
            Err(problem) => {
                dialogue.message(&format!("not bisected: {problem}\n"))?;
                return Ok(None);
            }
        };
        let agreed = agree_to(&shown, dialogue);
        let others = match agreed.and_then(|()| Ok(others_of(place, &shown).map_err(TriageError::from)?)) {
            Ok(others) => others,
            Err(failure) => {
                dialogue.report(failure)?;
                return Ok(None);
            }
        };
        dialogue.message(&format!("asking {} releases of {}\n", releases.count(), family.name()))?;
        let question = ReleaseQuestion {
            finding: &shown,
            others: &others,
            opinion: stage.opinion,
            limits: *stage.limits,
        };
        let (dating, problem) = bisect_finding(&mut releases, culprit, &question, &self.stop);
        if let Some(problem) = problem {
            dialogue.error(&problem.to_string())?;
        }
        Ok(Some(dating))
    }

    /// Asks the newest release, looks for duplicates, and writes the last report.
    fn conclude<D: Dialogue<Failure: From<TriageError>>>(
        &self,
        place: &Installation,
        dating: Option<Dating>,
        dialogue: &mut D,
    ) -> Result<(), D::Failure> {
        let shown = self.shown();
        let newest = match self.is_stopped() {
            true => None,
            false => ask_newest_if_agreed(place, &shown, dialogue)?,
        };
        let default = Path::new(DEFAULT_DIR);
        let dir = self.dir.as_deref().or_else(|| default.is_dir().then_some(default));
        let search = Search { dir, known: self.known.as_deref() };
        let formula = shown.formula.clone().unwrap_or_default();
        let duplicates = match search.duplicates(&shown, &Added::read(&self.output), &formula) {
            Ok(duplicates) => duplicates,
            Err(error) => {
                dialogue.error(&error.to_string())?;
                Duplicates { first: None, searched: None }
            }
        };
        Ok(self.rewrite(|added| {
            let earlier = added.triage.take().unwrap_or_default();
            added.triage = Some(Triage {
                format: FORMAT,
                newest,
                same_as: duplicates.first,
                searched: duplicates.searched,
                ..earlier
            });
            added.dating = dating.or(added.dating.take());
        })?)
    }
}

/// `4.8.5..5.4` of `z3@4.8.5..5.4`.
fn version_part(request: &str) -> &str {
    request.split_once('@').map_or(request, |(_, version)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_name_its_family() {
        assert_eq!(version_part("z3@4.8.5..5.4"), "4.8.5..5.4");
        assert_eq!(version_part("4.8.5..5.4"), "4.8.5..5.4");
    }
}

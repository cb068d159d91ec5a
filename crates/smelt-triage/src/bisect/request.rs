//! What releases are asked about a finding or a file that a user names, and which releases.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use smelt_campaign::configure::profiles::ProfileError;
use smelt_campaign::dialogue::{CannotWrite, Dialogue};
use smelt_campaign::lookup::{LookupError, finding_named};
use smelt_campaign::profiles::Profiles;
use smelt_campaign::record::{export_with, folder_of};
use smelt_campaign::releases::options_of;
use smelt_campaign::solvers::{DEFAULT_TIMEOUT_SECS, TargetsError, culprit_of, family_of};
use smelt_oracle::finding::Class;
use smelt_oracle::run::Answer;
use smelt_report::finding::triage_files::Added;
use smelt_runner::family::Family;
use smelt_runner::installation::Installation;
use smelt_runner::limits::Limits;
use smelt_store::finding::Finding;

use super::asking::{Asked, LevelScale, Subject};
use super::releases::{ReleasesError, Selection};
use super::summary::BisectLine;
use crate::file::others_of;
use crate::reduce::folder::agree_to;

/// Why there is nothing to ask releases.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseRequestError {
    /// Whose releases are meant is not clear.
    #[error("a file needs --solver, such as z3")]
    NoSolver,
    /// The file cannot be read.
    #[error("cannot read `{path}`: {error}")]
    Unreadable {
        /// Its path.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// There is no such finding.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The finding does not say whose releases are meant.
    #[error("finding `{0}` blames no solver whose releases could be asked")]
    NoCulprit(String),
    /// The solver that it blames has none.
    #[error("`{0}` has no releases")]
    NoReleases(String),
    /// The releases that are named are none.
    #[error(transparent)]
    Releases(#[from] ReleasesError),
    /// A profile does not name a release.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The other solvers of the finding cannot be run.
    #[error(transparent)]
    Targets(#[from] TargetsError),
}

/// What a user asks of releases.
#[derive(Debug, Clone)]
pub struct ReleaseRequest {
    /// Which releases; none for those of the culprit of a finding.
    pub solver: Option<String>,
    /// The answer of a release that is bad, if only one counts.
    pub answer: Option<Answer>,
    /// Whether processor time is measured.
    pub is_timed: bool,
    /// Processor time for each run; none for that of the finding, or the usual one.
    pub timeout_secs: Option<f64>,
    /// The campaign that has the findings.
    pub dir: PathBuf,
}

/// What is asked, and which releases.
pub struct ReleaseSearch {
    /// The question.
    pub subject: Subject,
    /// The releases.
    pub selection: Selection,
}

/// Releases to ask: such as `z3@4.8.5..5.4`, or a solver of `smelt.toml` that is a release with options.
fn selected(profiles: &Profiles, text: &str) -> Result<Selection, ReleaseRequestError> {
    let Some(release) = profiles.release_of(text)? else { return Ok(Selection::read(text)?) };
    let mut selection = Selection::read(&release.solver)?;
    // The profile names one release; which ones are asked is another matter.
    selection.request = None;
    selection.options.extend(release.options);
    Ok(selection)
}

impl ReleaseRequest {
    fn limits(&self, recorded: Option<f64>) -> Limits {
        Limits::for_seconds(self.timeout_secs.or(recorded).unwrap_or(DEFAULT_TIMEOUT_SECS))
    }

    /// What releases answer to the formula of a file.
    pub fn of_file(&self, profiles: &Profiles, path: &str) -> Result<ReleaseSearch, ReleaseRequestError> {
        let solver = self.solver.as_ref().ok_or(ReleaseRequestError::NoSolver)?;
        let text = fs::read_to_string(path)
            .map_err(|error| ReleaseRequestError::Unreadable { path: path.to_owned(), error })?;
        let scale = match (self.is_timed, self.answer) {
            (true, _) => LevelScale::Times,
            (false, Some(_)) => LevelScale::Claims,
            (false, None) => LevelScale::Answers,
        };
        let (asked, limits) = (Asked::File { text, wanted: self.answer }, self.limits(None));
        let subject = Subject { name: path.to_owned(), asked, scale, limits, culprit: None };
        Ok(ReleaseSearch { subject, selection: selected(profiles, solver)? })
    }

    /// Whether releases show the finding with this id. The user is asked before its solvers are started.
    pub fn of_finding<D: Dialogue<Failure: From<ReleaseRequestError>>>(
        &self,
        profiles: &Profiles,
        place: &Installation,
        id: &str,
        dialogue: &mut D,
    ) -> Result<ReleaseSearch, D::Failure> {
        let finding = finding_named(id, &self.dir).map_err(ReleaseRequestError::from)?;
        // Releases are run with the options of the culprit.
        agree_to(&finding, dialogue)?;
        Ok(self.about(finding, profiles, place)?)
    }

    fn about(
        &self,
        finding: Finding,
        profiles: &Profiles,
        place: &Installation,
    ) -> Result<ReleaseSearch, ReleaseRequestError> {
        let Some(culprit) = culprit_of(&finding).cloned() else {
            return Err(ReleaseRequestError::NoCulprit(finding.id.to_string()));
        };
        let family = Family::of_name(family_of(&culprit));
        let selection = match &self.solver {
            Some(solver) => selected(profiles, solver)?,
            None if family.package().is_none() => {
                return Err(ReleaseRequestError::NoReleases(culprit.solver));
            }
            None => Selection { family, request: None, options: options_of(&culprit, family) },
        };
        let others = others_of(place, &finding)?;
        let is_timed = self.is_timed || finding.verdict.class == Class::Slowdown;
        let added = Added::read(&folder_of(&self.dir, &finding.id));
        // A formula that was reduced together with the one before it says nothing without that.
        let reduced = added.reduced.filter(|_| added.before.is_none());
        let subject = Subject {
            name: finding.id.to_string(),
            scale: if is_timed { LevelScale::Times } else { LevelScale::Claims },
            limits: self.limits(finding.timeout_secs),
            culprit: Some(culprit),
            asked: Asked::Finding {
                finding: Box::new(finding),
                others,
                opinion: place.finder().own(),
                reduced,
            },
        };
        Ok(ReleaseSearch { subject, selection })
    }

    /// Adds what was found to the folder of the finding that it is about, if it is about one.
    pub fn keep(&self, subject: &Subject, line: &BisectLine) -> Result<(), CannotWrite> {
        let Asked::Finding { finding, .. } = &subject.asked else { return Ok(()) };
        keep_dating(finding, line, &folder_of(&self.dir, &finding.id))
    }
}

fn keep_dating(finding: &Finding, line: &BisectLine, folder: &Path) -> Result<(), CannotWrite> {
    Added::load(folder)
        .map(|added| Added { dating: Some(line.dating()), ..added })
        .and_then(|added| export_with(finding, &added, folder))
        .map_err(CannotWrite::to(folder))
}

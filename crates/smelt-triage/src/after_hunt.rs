//! After a hunt: its findings reduced within a time, and those with one cause reported.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_campaign::configure::hint::in_campaign;
use smelt_campaign::dialogue::{CannotWrite, Dialogue};
use smelt_campaign::record::{Findings, export_with, folder_of, list};
use smelt_oracle::finding_id::FindingId;
use smelt_report::finding::triage_files::Added;
use smelt_runner::clock;
use smelt_runner::installation::Installation;
use smelt_store::finding::Finding;

use crate::cluster::findings::same_causes;
use crate::error::TriageError;
use crate::file::ask_newest_if_agreed;
use crate::reduce::folder::{FolderReduction, is_reducible};

/// A finding gets no less time than this, as long as there is some: a few that are reduced are better than many that are
/// not. The others are left for another hunt.
const MIN_TIME: Duration = Duration::from_secs(10);

/// The findings of a hunt that is over.
#[derive(Debug)]
pub struct AfterHunt<'h> {
    /// The solvers of this machine.
    pub place: &'h Installation,
    /// The campaign.
    pub dir: &'h Path,
    /// How long its findings are reduced.
    pub time: Duration,
    /// Set by the user who wants an end.
    pub stop: &'h Arc<AtomicBool>,
}

impl AfterHunt<'_> {
    /// Reduces the findings of a campaign that are not reduced yet, the worst first, each for an equal share of what is
    /// left of the time, if that is enough for one.
    pub fn run<D: Dialogue<Failure: From<TriageError>>>(
        &self,
        findings: &Findings,
        dialogue: &mut D,
    ) -> Result<(), D::Failure> {
        let started = clock::now();
        let AfterHunt { place, dir, time, stop } = *self;
        // Those that cannot be read were not written by us; they are left alone.
        let Ok(recorded) = list(dir) else { return Ok(()) };
        let order: Vec<&FindingId> = findings.all().into_iter().map(|finding| &finding.id).collect();
        let mut pending: Vec<&Finding> = recorded.iter().filter(|finding| is_pending(dir, finding)).collect();
        pending.sort_by_key(|finding| order.iter().position(|id| **id == finding.id));
        if pending.is_empty() {
            return Ok(());
        }
        dialogue.message(&format!("reducing what was found for {:.0} s\n", time.as_secs_f64()))?;
        let mut finished = 0;
        for (number, finding) in pending.iter().enumerate() {
            let left = time.saturating_sub(clock::since(started));
            if left.is_zero() || stop.load(Ordering::Relaxed) {
                break;
            }
            let share = (left / (pending.len() - number) as u32).max(MIN_TIME).min(left);
            let folder = folder_of(dir, &finding.id);
            let reduction = FolderReduction { place, folder: &folder, time: share, stop: Arc::clone(stop) };
            finished += usize::from(reduction.run(finding, dialogue)?);
            if !stop.load(Ordering::Relaxed) {
                tell_newest(place, &folder, finding, dialogue)?;
            }
        }
        tell_causes(dir, &recorded)?;
        dialogue.message(&format!(
            "reduced as far as can be: {finished} of {}; `{}` puts findings with one cause together\n",
            pending.len(),
            in_campaign("smelt findings clusters", dir)
        ))
    }
}

/// Writes to the report of a finding whether the newest installed release still shows it.
fn tell_newest<D: Dialogue<Failure: From<TriageError>>>(
    place: &Installation,
    folder: &Path,
    finding: &Finding,
    dialogue: &mut D,
) -> Result<(), D::Failure> {
    let mut added = Added::load(folder).map_err(CannotWrite::to(folder))?;
    let (Some(triage), Some(shown)) = (&mut added.triage, &added.shown) else { return Ok(()) };
    let asked = finding.about(&shown.formula);
    let Some(newest) = ask_newest_if_agreed(place, &asked, dialogue)? else { return Ok(()) };
    triage.newest = Some(newest);
    Ok(export_with(finding, &added, folder).map_err(CannotWrite::to(folder))?)
}

fn is_pending(dir: &Path, finding: &Finding) -> bool {
    let folder = folder_of(dir, &finding.id);
    let is_finished = Added::read(&folder).triage.is_some_and(|triage| triage.is_finished);
    finding.confirmed && is_reducible(finding) && !is_finished
}

/// Writes to the reports of reduced findings which other finding seems to have the same cause.
fn tell_causes(dir: &Path, findings: &[Finding]) -> Result<(), CannotWrite> {
    for (finding, same_as) in findings.iter().zip(same_causes(dir, findings)) {
        let same_as = same_as.map(String::from);
        let folder = folder_of(dir, &finding.id);
        let mut added = Added::load(&folder).map_err(CannotWrite::to(&folder))?;
        let Some(triage) = &mut added.triage else { continue };
        if triage.same_as != same_as {
            triage.same_as = same_as;
            export_with(finding, &added, &folder).map_err(CannotWrite::to(&folder))?;
        }
    }
    Ok(())
}

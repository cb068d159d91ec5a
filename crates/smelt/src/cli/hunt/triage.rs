//! After a hunt: its findings reduced within a time, and those with one cause reported.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_campaign::record::{Findings, export_with, folder_of, list};
use smelt_oracle::finding_id::FindingId;
use smelt_report::finding::triage_files::Added;
use smelt_runner::clock;
use smelt_store::finding::Recorded;
use smelt_triage::cluster::findings::same_causes;

use crate::cli::reduce::{is_reducible, reduce_in_folder};
use crate::cli::triage::ask_newest;
use crate::error::CliError;
use crate::render::hints::in_campaign;
use crate::render::streams::Streams;

/// A finding gets no less time than this, as long as there is some: a few that are reduced are better than many that are
/// not. The others are left for another hunt.
const MIN_TIME: Duration = Duration::from_secs(10);

/// Reduces the findings of a campaign that are not reduced yet, the worst first, each for an equal share of what is left
/// of the time, if that is enough for one.
pub(super) fn run(
    dir: &Path,
    findings: &Findings,
    time: Duration,
    stop: &Arc<AtomicBool>,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let started = clock::now();
    // Those that cannot be read were not written by us; they are left alone.
    let Ok(recorded) = list(dir) else { return Ok(()) };
    let order: Vec<&FindingId> = findings.all().into_iter().map(|finding| &finding.id).collect();
    let mut pending: Vec<&Recorded> = recorded.iter().filter(|recorded| is_pending(dir, recorded)).collect();
    pending.sort_by_key(|recorded| order.iter().position(|id| **id == recorded.finding.id));
    if pending.is_empty() {
        return Ok(());
    }
    streams.message(&format!("reducing what was found for {:.0} s\n", time.as_secs_f64()))?;
    let mut finished = 0;
    for (number, recorded) in pending.iter().enumerate() {
        let left = time.saturating_sub(clock::since(started));
        if left.is_zero() || stop.load(Ordering::Relaxed) {
            break;
        }
        let share = (left / (pending.len() - number) as u32).max(MIN_TIME).min(left);
        finished += usize::from(reduce_in_folder(recorded, dir, share, Arc::clone(stop), streams)?);
        if !stop.load(Ordering::Relaxed) {
            tell_newest(dir, recorded, streams)?;
        }
    }
    tell_causes(dir, &recorded)?;
    Ok(streams.message(&format!(
        "reduced as far as can be: {finished} of {}; `{}` puts findings with one cause together\n",
        pending.len(),
        in_campaign("smelt findings clusters", dir)
    ))?)
}

/// Writes to the report of a finding whether the newest installed release still shows it.
fn tell_newest(dir: &Path, recorded: &Recorded, streams: &mut Streams) -> Result<(), CliError> {
    let folder = folder_of(dir, &recorded.finding.id);
    let failed = |error| CliError::Output { path: folder.display().to_string(), error };
    let mut added = Added::load(&folder).map_err(failed)?;
    let (Some(triage), Some(shown)) = (&mut added.triage, &added.shown) else { return Ok(()) };
    let mut asked = recorded.clone();
    asked.script = shown.formula.clone();
    asked.finding.formula = Some(shown.formula.clone());
    let Some(newest) = ask_newest(&asked, streams)? else { return Ok(()) };
    triage.newest = Some(newest);
    export_with(recorded, &added, &folder).map_err(failed)
}

fn is_pending(dir: &Path, recorded: &Recorded) -> bool {
    let folder = folder_of(dir, &recorded.finding.id);
    let is_finished = Added::read(&folder).triage.is_some_and(|triage| triage.is_finished);
    recorded.finding.confirmed && is_reducible(&recorded.finding) && !is_finished
}

/// Writes to the reports of reduced findings which other finding seems to have the same cause.
fn tell_causes(dir: &Path, recorded: &[Recorded]) -> Result<(), CliError> {
    for (recorded, same_as) in recorded.iter().zip(same_causes(dir, recorded)) {
        let same_as = same_as.map(String::from);
        let folder = folder_of(dir, &recorded.finding.id);
        let failed = |error| CliError::Output { path: folder.display().to_string(), error };
        let mut added = Added::load(&folder).map_err(failed)?;
        let Some(triage) = &mut added.triage else { continue };
        if triage.same_as != same_as {
            triage.same_as = same_as;
            export_with(recorded, &added, &folder).map_err(failed)?;
        }
    }
    Ok(())
}

//! The finding of a folder reduced, with agreement of the user to what is started.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_campaign::consent::ConsentItem;
use smelt_campaign::dialogue::{CannotWrite, Dialogue};
use smelt_report::finding::triage_files::REDUCED_PLAIN;
use smelt_runner::installation::Installation;
use smelt_store::finding::Finding;

use super::bounded::Bounds;
use super::criterion::{self, FindingCriterion};
use super::finding::{Request, reduce_finding};
use crate::crash_stacks::find_stack;
use crate::error::TriageError;

/// The usual limit of the memory of a reduction, in MiB.
pub const MEMORY_MIB: u64 = 1024;

/// Asks the user to agree to the programs of a finding.
pub fn agree_to<D: Dialogue>(finding: &Finding, dialogue: &mut D) -> Result<(), D::Failure> {
    let items: Vec<ConsentItem> = finding.commands.iter().map(ConsentItem::command).collect();
    dialogue.agree(&format!("finding `{}`", finding.id), &items)
}

/// Whether a finding can be reduced.
pub fn is_reducible(finding: &Finding) -> bool {
    criterion::is_reducible(finding) && !finding.commands.is_empty()
}

/// What must stay true of a finding. The user is asked before its solvers are started.
pub fn criterion_of<'i, D: Dialogue<Failure: From<TriageError>>>(
    place: &'i Installation,
    finding: &Finding,
    timeout_secs: Option<f64>,
    dialogue: &mut D,
) -> Result<FindingCriterion<'i>, D::Failure> {
    if is_reducible(finding) {
        agree_to(finding, dialogue)?;
    }
    Ok(FindingCriterion::new(place, finding, timeout_secs).map_err(TriageError::from)?)
}

/// How long the finding of a folder is reduced, and what ends that.
#[derive(Debug, Clone)]
pub struct FolderReduction<'f> {
    /// The solvers of this machine.
    pub place: &'f Installation,
    /// The folder.
    pub folder: &'f Path,
    /// Time for it.
    pub time: Duration,
    /// Set by the user who wants an end.
    pub stop: Arc<AtomicBool>,
}

impl FolderReduction<'_> {
    /// Reduces a finding, beginning with what an earlier reduction made of it, and keeps the result in the folder; whether
    /// nothing more can be done.
    pub fn run<D: Dialogue<Failure: From<TriageError>>>(
        &self,
        finding: &Finding,
        dialogue: &mut D,
    ) -> Result<bool, D::Failure> {
        let mut criterion = match criterion_of(self.place, finding, None, dialogue) {
            Ok(criterion) => criterion,
            Err(failure) => {
                dialogue.report(failure)?;
                return Ok(false);
            }
        };
        let output = self.folder.join(REDUCED_PLAIN);
        let request = Request {
            bounds: Bounds { time: Some(self.time), memory: MEMORY_MIB << 20, jobs: 1 },
            is_resumed: true,
            output: Some(&output),
            stop: Arc::clone(&self.stop),
            listener: &mut |at| dialogue.progress(Some(&format!("reducing: {at}"))),
        };
        let mut reduction = reduce_finding(&mut criterion, request);
        dialogue.progress(None);
        let exhibit = reduction.exhibit(&criterion);
        if let Some(problem) = reduction.problem.take() {
            dialogue.report(TriageError::from(problem).into())?;
            return Ok(false);
        }
        if self.stop.load(Ordering::Relaxed) && reduction.result.is_err() {
            return Ok(false);
        }
        let is_finished = reduction.keep(finding, self.folder, exhibit.as_ref());
        let is_finished = is_finished.map_err(CannotWrite::to(self.folder))?;
        find_stack(self.place, finding, self.folder).map_err(CannotWrite::to(self.folder))?;
        Ok(is_finished)
    }
}

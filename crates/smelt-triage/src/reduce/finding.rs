//! Reduces a script or a finding within bounds, and keeps the result in the folder of the finding.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use smelt_campaign::record::export_with;
use smelt_oracle::finding::Evidence;
use smelt_report::finding::exhibit::Exhibit;
use smelt_report::finding::triage_files::{Added, FORMAT, Triage};
use smelt_store::finding::Finding;

use super::bounded::{BoundedReduction, Bounds, Progress};
use super::criterion::{CriterionError, FindingCriterion, Pair, Reproduction};
use super::{CannotReduce, Reduced, Statistics, reduce};

/// How a reduction is to be done.
pub struct Request<'r> {
    /// What it may use.
    pub bounds: Bounds,
    /// Whether to begin with what an earlier reduction has left in the output file.
    pub is_resumed: bool,
    /// Where the smallest script so far is written.
    pub output: Option<&'r Path>,
    /// Set by the user who wants an end.
    pub stop: Arc<AtomicBool>,
    /// Is called with the progress.
    pub listener: &'r mut dyn FnMut(&Progress),
}

/// What came of a reduction.
#[derive(Debug)]
pub struct Reduction {
    /// The reduced script, or why there is none.
    pub result: Result<Reduced, CannotReduce>,
    /// What went wrong on the way.
    pub problem: Option<CriterionError>,
    /// What the criterion did, in words.
    pub effort: String,
    /// Whether it ended because there was no memory left.
    pub is_out_of_memory: bool,
    /// Of the options that were drawn for the culprit of a finding, those that it needs.
    pub options: Option<Vec<String>>,
    /// The formula before the reduced one, of a finding about two.
    pub before: Option<String>,
}

impl Reduction {
    /// Whether a reduced script came of it and nothing went wrong.
    pub fn is_good(&self) -> bool {
        self.result.is_ok() && self.problem.is_none()
    }

    /// How much smaller it is, and what that took, in a line; empty if there is no reduced script.
    pub fn summary(&self, bytes_before: usize) -> String {
        let Ok(reduced) = &self.result else { return String::new() };
        let Statistics { candidates, judged, accepted } = reduced.statistics;
        let memory = if self.is_out_of_memory { ", out of memory (raise --own-memory)" } else { "" };
        let end = if reduced.is_finished { "" } else { ", stopped early" };
        format!(
            "{bytes_before} bytes to {}: {candidates} candidates, {judged} tried, {accepted} accepted{}{memory}{end}\n",
            reduced.script.len(),
            self.effort
        )
    }

    /// The reduced formula of a finding with all evidence about it; none if the evidence cannot be established.
    pub fn exhibit(&mut self, criterion: &FindingCriterion<'_>) -> Option<Exhibit> {
        let reduced = self.result.as_ref().ok()?;
        match criterion.exhibit(&reduced.script, self.before.as_deref()) {
            Ok(exhibit) => exhibit,
            Err(problem) => {
                self.problem.get_or_insert(problem);
                None
            }
        }
    }

    /// Writes the result to the folder of a finding, and its report anew; whether nothing more can be done.
    pub fn keep(&self, finding: &Finding, folder: &Path, exhibit: Option<&Exhibit>) -> io::Result<bool> {
        let is_finished = match &self.result {
            Ok(reduced) => reduced.is_finished,
            Err(CannotReduce::NoTime) => false,
            // A finding that does not reproduce, or only sometimes, is not tried again in every hunt.
            Err(_) => true,
        };
        let mut added = Added::load(folder)?;
        let earlier = added.triage.take().unwrap_or_default();
        added.triage = Some(Triage { format: FORMAT, is_finished, options: self.options.clone(), ..earlier });
        if let Ok(reduced) = &self.result {
            added.reduced = Some(reduced.script.clone());
            added.before = self.before.clone();
            // What was shown before was another formula.
            added.shown = exhibit.cloned();
        }
        export_with(finding, &added, folder)?;
        Ok(is_finished)
    }
}

/// Reduces the formula of a finding, and the options that were drawn for its culprit.
pub fn reduce_finding(criterion: &mut FindingCriterion<'_>, request: Request<'_>) -> Reduction {
    if let Evidence::EarlierLink { .. } = criterion.finding().verdict.evidence {
        return reduce_pair(criterion, request);
    }
    let source = criterion.formula();
    // Before, so that fewer options are reduced with, and after, when fewer may be needed.
    let mut problem = criterion.drop_options(&source).err();
    let mut reduction = reduce_script(&source, criterion, request);
    if let Ok(reduced) = &reduction.result {
        problem = problem.or_else(|| criterion.drop_options(&reduced.script).err());
    }
    reduction.problem = reduction.problem.or(problem);
    reduction.options = criterion.options().map(|options| options.needed.to_vec());
    reduction
}

/// Reduces the two formulas of a finding in step.
fn reduce_pair(criterion: &mut FindingCriterion<'_>, request: Request<'_>) -> Reduction {
    let Some(mut pair) = Pair::new(criterion) else {
        return Reduction {
            result: Err(CannotReduce::NotShown),
            problem: None,
            effort: String::new(),
            is_out_of_memory: false,
            options: None,
            before: None,
        };
    };
    let script = pair.script().to_owned();
    // The file on disk has only one of the two.
    let mut reduction = reduce_script(&script, &mut pair, Request { is_resumed: false, ..request });
    if let Ok(reduced) = &mut reduction.result
        && let Some((before, case)) = pair.apart(&reduced.script)
    {
        reduced.script = case;
        reduction.before = Some(before);
    }
    reduction
}

/// Reduces a script, or what an earlier reduction has made of it.
pub fn reduce_script(
    source: &str,
    reproduction: &mut dyn Reproduction,
    mut request: Request<'_>,
) -> Reduction {
    let earlier =
        request.output.filter(|_| request.is_resumed).and_then(|path| fs::read_to_string(path).ok());
    // What is to be shown is what the case itself shows.
    if let Some(earlier) = earlier
        && matches!(reproduction.reproduces(source), Ok(true))
    {
        let reduction = reduce_once(&earlier, reproduction, &mut request);
        if reduction.result.is_ok() || reduction.problem.is_some() {
            return reduction;
        }
    }
    reduce_once(source, reproduction, &mut request)
}

fn reduce_once(source: &str, reproduction: &mut dyn Reproduction, request: &mut Request<'_>) -> Reduction {
    let stop = Arc::clone(&request.stop);
    let mut bounded =
        BoundedReduction::new(reproduction, request.bounds, stop, request.output, request.listener);
    let result = reduce(source, &mut bounded);
    let (problem, is_out_of_memory) = bounded.finish();
    let effort = reproduction.effort();
    Reduction { result, problem, effort, is_out_of_memory, options: None, before: None }
}

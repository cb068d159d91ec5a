//! A slowdown run again: all solvers in turn, as when it was found.

use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::slowness::{Measured, Threshold, is_suspicious, shown};
use smelt_report::finding::slowdown::ratio;
use smelt_runner::limits::Limits;
use smelt_smtlib::term::Terms;
use smelt_store::finding::Finding;

use super::measure::{Bench, REPEATS, Subject, limits as patient};
use crate::hunt::HuntError;
use crate::replay::{Replay, ReplayError, case_text};
use smelt_trial::target::Target;

/// Measures the case of a finding again.
pub(crate) fn replay(
    finding: &Finding,
    targets: &[Target],
    limits: &Limits,
    threshold: &Threshold,
) -> Result<Replay, ReplayError> {
    let targets = culprit_last(finding, targets);
    let text = case_text(&mut Terms::new(), finding)?;
    let mut subject = Subject::read(&text);
    let bench = Bench { targets: &targets, limits: patient(limits.cpu.as_secs_f64()) };
    let first = bench.once(&mut subject)?;
    let mut measured = bench.measured(&first);
    if is_suspicious(&measured, threshold) {
        bench.repeat(&mut subject, &mut measured, REPEATS - 1)?;
    }
    let verdict = verdict_of(&measured, threshold).filter(|_| is_measured(&measured, REPEATS));
    Ok(Replay {
        runs: first.into_iter().flatten().map(|checked| checked.run).collect(),
        is_reproduced: verdict.is_some(),
        asked: vec![None; usize::from(verdict.is_some())],
        verdicts: verdict.into_iter().collect(),
        refuted: Vec::new(),
    })
}

/// What measurements say.
pub(crate) fn verdict_of(measured: &[Measured], threshold: &Threshold) -> Option<Verdict> {
    let positions = shown(measured, threshold)?;
    let evidence = Evidence::Slowdown {
        reference: measured[positions.reference].solver.clone(),
        first_bad: measured[positions.first_bad].solver.clone(),
        measured: measured.to_vec(),
        threshold: *threshold,
    };
    let culprit = measured.last().map(|last| last.solver.clone());
    Some(Verdict { class: Class::Slowdown, culprit, evidence })
}

/// Whether the suspect was measured so often.
fn is_measured(measured: &[Measured], turns: usize) -> bool {
    measured.last().is_some_and(|last| last.runs.len() >= turns)
}

/// How much of the ratio of a finding a smaller formula must keep; the rest is left to noise.
const KEPT_RATIO: f64 = 0.8;

/// How often a smaller formula is measured.
const TURNS: usize = 2;

/// Tells whether other formulas show what a finding shows, by about the same ratio. Only the culprit and its reference are
/// asked, and twice, because a reduction asks a hundred times.
#[derive(Debug)]
pub struct Keeping {
    targets: Vec<Target>,
    limits: Limits,
    threshold: Threshold,
}

impl Keeping {
    /// What a finding shows; none if it is no slowdown of these solvers.
    pub fn new(finding: &Finding, targets: &[Target], limits: &Limits) -> Option<Keeping> {
        let Evidence::Slowdown { reference, measured, threshold, .. } = &finding.verdict.evidence else {
            return None;
        };
        let is_asked = |target: &Target| {
            target.solver.name == *reference || Some(&target.solver.name) == finding.verdict.culprit.as_ref()
        };
        let mut targets = culprit_last(finding, targets);
        targets.retain(is_asked);
        let kept = KEPT_RATIO * ratio(measured, reference)?;
        let threshold = Threshold { ratio: threshold.ratio.max(kept), ..*threshold };
        let limits = patient(limits.cpu.as_secs_f64());
        (targets.len() == 2).then_some(Keeping { targets, limits, threshold })
    }

    /// Whether a formula shows it too.
    pub fn shows(&self, formula: &str) -> Result<bool, HuntError> {
        let mut subject = Subject::read(formula);
        let bench = Bench { targets: &self.targets, limits: self.limits };
        let mut measured = bench.measured(&bench.once(&mut subject)?);
        if !is_suspicious(&measured, &self.threshold) {
            return Ok(false);
        }
        bench.repeat(&mut subject, &mut measured, TURNS - 1)?;
        Ok(is_measured(&measured, TURNS) && shown(&measured, &self.threshold).is_some())
    }
}

/// The solvers of a finding as they were measured: its culprit last.
fn culprit_last(finding: &Finding, targets: &[Target]) -> Vec<Target> {
    let mut ordered = targets.to_vec();
    ordered.sort_by_key(|target| Some(&target.solver.name) == finding.verdict.culprit.as_ref());
    ordered
}

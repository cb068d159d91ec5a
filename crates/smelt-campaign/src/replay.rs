//! A finding run again, and a formula that nothing is known of run for the first time: both are heard by the judges.

use std::fmt::Write as _;

use serde::Serialize;
use smelt_oracle::case::{Case, Label, Relation};
use smelt_oracle::evaluated::{EvaluatedRun, Formula};
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::finding_id::FindingId;
use smelt_oracle::judge::{Judge, always_looked_at, judges, judges_of};
use smelt_oracle::run::{Answer, Run};
use smelt_report::finding::TRIAGE;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::term::Terms;
use smelt_store::finding::Finding;
use smelt_testgen::seed::{Seed, SeedError};
use smelt_trial::SolverFailure;
use smelt_trial::confirm::Confirmed;
use smelt_trial::replay::{self as trial, Judging, SessionReplay, replay_case};
use smelt_trial::target::Target;
use smelt_trial::trial::{ParentFormula, Trial};
use smelt_trial::worker::Worker;

use crate::exhibit::Stage;
use crate::finding::finding_of;
use crate::hunt::{HuntError, sample_key};
use crate::slowdown;

/// What came of a replay.
#[derive(Debug)]
pub struct Replay {
    /// The runs, each in a fresh process.
    pub runs: Vec<Run>,
    /// What judges say of them.
    pub verdicts: Vec<Verdict>,
    /// For each verdict the script that shows it, where that is not the case itself.
    pub asked: Vec<Option<String>>,
    /// The solvers whose models do not satisfy the case.
    pub refuted: Vec<String>,
    /// Whether that is again what the finding says.
    pub is_reproduced: bool,
}

/// The same as JSON. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct ReplayLine<'r> {
    id: &'r FindingId,
    reproduced: bool,
    runs: &'r [Run],
}

impl Replay {
    /// The result for the finding with this id, for programs.
    pub fn line<'r>(&'r self, id: &'r FindingId) -> ReplayLine<'r> {
        ReplayLine { id, reproduced: self.is_reproduced, runs: &self.runs }
    }

    /// The same for people, in lines.
    pub fn text(&self, id: &FindingId) -> String {
        let mut text = String::new();
        for run in &self.runs {
            let _ = writeln!(text, "{:<24} {:<9} {:>7.0} ms", run.solver, run.answer.word(), run.cpu_ms);
        }
        for verdict in &self.verdicts {
            let _ = writeln!(text, "{} {}", verdict.class.word(), verdict.culprit.as_deref().unwrap_or("-"));
        }
        let shows = if self.is_reproduced { "shows again" } else { "does not show again" };
        let _ = writeln!(text, "{id} {shows}");
        text
    }
}

/// Why a finding cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Its case is not what it was.
    #[error(transparent)]
    Case(#[from] SeedError),
    /// A solver cannot be run.
    #[error(transparent)]
    Run(#[from] HuntError),
}

impl From<SolverFailure> for ReplayError {
    fn from(failure: SolverFailure) -> Self {
        ReplayError::Run(failure.into())
    }
}

/// Runs the case of a finding again on targets and hears the judges of its class, which ask again what they asked then.
///
/// The opinion is that of a solver that is not under test, where solvers disagree and nothing tells who is right.
pub fn replay(
    finding: &Finding,
    targets: &[Target],
    limits: &Limits,
    opinion: Option<&Solver>,
) -> Result<Replay, ReplayError> {
    if let Evidence::WarmCold { warm, cold, .. } = &finding.verdict.evidence {
        return replay_session(finding, targets, limits, (*warm, *cold));
    }
    if let Evidence::Slowdown { threshold, .. } = &finding.verdict.evidence {
        return slowdown::replay::replay(finding, targets, limits, threshold);
    }
    let mut terms = Terms::new();
    let script = case_text(&mut terms, finding)?;
    let Label { expectation, basis } = claim_of(&finding.script);
    let case = Case { script, expectation, basis, lineage: finding.lineage.clone() };
    let mut trial = Trial::read(&mut terms, case);
    trial.detail.clone_from(&finding.detail);
    // Whether cores are asked for is drawn in a hunt; here it is known that they are.
    let is_drawn = finding.verdict.class == Class::InvalidCore || finding.lineage.technique == TRIAGE;
    trial.sample_key = if is_drawn { 0 } else { sample_key(&finding.lineage) };
    if let Evidence::Trace { .. } = &finding.verdict.evidence {
        trial.sample_key = always_looked_at(trial.sample_key);
    }
    if let Evidence::EarlierLink { formula, .. } = &finding.verdict.evidence {
        let script = read_script_as(&mut terms, formula, Dialect::V26).script;
        // The finding says which answer was implied; with the same answer before, it is again.
        trial.parent = Some(ParentFormula { script, relation: Relation::Equal, runs: None });
    }
    let wanted = present_verdict(finding);
    let is_in_session = matches!(wanted.evidence, Evidence::Trace { .. });
    let mut judges = judges_of(wanted.class);
    judges.retain(|judge| judge.is_about_sessions() == is_in_session);
    let judging = Judging { judges, culprit: wanted.culprit.as_deref() };
    let worker = Worker::new(targets, *limits, opinion);
    let confirmed = replay_case(&worker, &mut terms, &mut trial, &judging)?;
    let explained: Vec<Verdict> = confirmed.iter().map(Confirmed::explained).collect();
    let is_same = |verdict: &Verdict| verdict.class == wanted.class && verdict.culprit == wanted.culprit;
    let is_refuted = |run: &&EvaluatedRun| run.model.is_refuted();
    Ok(Replay {
        is_reproduced: explained.iter().any(is_same),
        verdicts: explained,
        asked: confirmed.into_iter().map(|confirmed| confirmed.demonstration.map(|one| one.script)).collect(),
        refuted: trial.evaluated.iter().filter(is_refuted).map(|run| run.run.solver.clone()).collect(),
        runs: trial.evaluated.into_iter().map(|run| run.run).collect(),
    })
}

/// The verdict of a finding as it would be today: older campaigns know a `sat` that is wrong because an assertion is false
/// under every model only by the model that was printed, or by what other solvers say.
pub fn present_verdict(finding: &Finding) -> Verdict {
    let verdict = &finding.verdict;
    let may_be_shown_better = match (verdict.class, &verdict.evidence) {
        (Class::InvalidModel, Evidence::FalseAssertions { .. }) => true,
        (Class::SoundnessSolution, evidence) => !matches!(evidence, Evidence::FalseUnderEveryModel { .. }),
        _ => false,
    };
    let Some(formula) = finding.formula.as_ref().filter(|_| may_be_shown_better) else {
        return verdict.clone();
    };
    let mut terms = Terms::new();
    let reading = read_script_as(&mut terms, formula, Dialect::V26);
    match Formula::new(&terms, &reading).contradictions(&terms) {
        assertions if assertions.is_empty() => verdict.clone(),
        assertions => Verdict {
            class: Class::SoundnessSolution,
            evidence: Evidence::FalseUnderEveryModel { assertions },
            ..verdict.clone()
        },
    }
}

/// What came of a formula that nothing was known of.
#[derive(Debug)]
pub struct Examined {
    /// The runs, each in a fresh process.
    pub runs: Vec<Run>,
    /// What is wrong with them, the worst first.
    pub findings: Vec<Finding>,
}

/// Runs a formula on targets for the first time and hears all judges of wrong answers. The culprit is run in any case,
/// also if it is known not to take such formulas.
pub fn examine(case: &Case, culprit: &str, stage: &Stage<'_>) -> Result<Examined, ReplayError> {
    let mut terms = Terms::new();
    let is_heard = |judge: &&&dyn Judge| judge.is_usual() && !judge.classes().contains(&Class::WarmCold);
    let judging =
        Judging { judges: judges().iter().filter(is_heard).copied().collect(), culprit: Some(culprit) };
    let mut trial = Trial::read(&mut terms, case.clone());
    let worker = Worker::new(stage.targets, *stage.limits, stage.opinion);
    let confirmed = replay_case(&worker, &mut terms, &mut trial, &judging)?;
    let mut findings: Vec<Finding> =
        confirmed.into_iter().map(|confirmed| finding_of(&worker, &mut terms, &trial, confirmed)).collect();
    findings.sort_by_key(|finding| finding.verdict.class);
    Ok(Examined { runs: trial.evaluated.into_iter().map(|run| run.run).collect(), findings })
}

/// A finding about a session has all that the session was asked as its script: the last answer must differ from that of
/// a fresh process again.
fn replay_session(
    finding: &Finding,
    targets: &[Target],
    limits: &Limits,
    expected: (Answer, Answer),
) -> Result<Replay, ReplayError> {
    let culprit = targets.iter().find(|target| Some(&target.solver.name) == finding.verdict.culprit.as_ref());
    let Some(target) = culprit else {
        return Ok(Replay {
            runs: Vec::new(),
            verdicts: Vec::new(),
            asked: Vec::new(),
            refuted: Vec::new(),
            is_reproduced: false,
        });
    };
    let comments = finding.script.split_inclusive('\n').take_while(|line| line.starts_with(';'));
    let transcript = &finding.script[comments.map(str::len).sum::<usize>()..];
    let SessionReplay { warm, cold } = trial::replay_session(target, transcript, limits)?;
    let is_reproduced = warm.as_ref().is_some_and(|warm| (warm.answer, cold.answer) == expected);
    let verdicts = if is_reproduced { vec![finding.verdict.clone()] } else { Vec::new() };
    Ok(Replay {
        runs: warm.into_iter().chain([cold]).collect(),
        asked: vec![None; verdicts.len()],
        verdicts,
        refuted: Vec::new(),
        is_reproduced,
    })
}

/// The case as SMT-LIB 2.6. A finding that does not keep it has it in the words of its culprit; read as a seed, it is
/// rid of what the culprit wanted before and after it.
pub(crate) fn case_text(terms: &mut Terms, finding: &Finding) -> Result<String, ReplayError> {
    if let Some(formula) = &finding.formula {
        return Ok(formula.clone());
    }
    let seed = Seed::read(terms, finding.id.as_str(), &finding.script)?;
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(&seed.script);
    Ok(printer.finish())
}

/// What the first comment lines of a case say.
fn claim_of(script: &str) -> Label {
    script.lines().find_map(|line| line.strip_prefix("; expect: ")).map_or(Label::NONE, Label::read)
}

#[cfg(test)]
mod tests {
    use smelt_oracle::case::{Basis, Expectation};

    use super::*;

    #[test]
    fn cases_say_what_is_expected() {
        assert_eq!(claim_of("; expect: unsat\n(check-sat)").expectation, Expectation::Unsat);
        assert_eq!(claim_of("(check-sat)"), Label::NONE);
        let agreed = Basis::Agreed(vec!["cvc5".to_owned(), "z3".to_owned()]);
        assert_eq!(claim_of("; expect: unsat agreed by cvc5 and z3\n(check-sat)").basis, agreed);
    }
}

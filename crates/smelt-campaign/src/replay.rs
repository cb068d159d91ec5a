//! A finding run again, and a formula that nothing is known of run for the first time: both are heard by the judges.

use std::io;

use smelt_oracle::case::{Case, Expectation, Relation};
use smelt_oracle::checked::{Checked, Formula, ModelCheck};
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::judge::{Judge, Parent, judges, judges_of};
use smelt_oracle::run::{Answer, Run};
use smelt_report::finding::TRIAGE;
use smelt_runner::between::Between;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::term::Terms;
use smelt_store::finding::Recorded;
use smelt_testgen::seed::{Seed, SeedError};

use crate::drift;
use crate::exhibit::Stage;
use crate::hearing::{Demonstration, Hearing, checked};
use crate::hunt::{HuntError, lot};
use crate::observe::{Around, Link, Seen};
use crate::record::recorded_of;
use crate::slowdown;
use crate::target::{Runner, Target};

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

/// Runs the case of a finding again on targets and hears the judges of its class, which ask again what they asked then.
///
/// The opinion is that of a solver that is not under test, where solvers disagree and nothing tells who is right.
pub fn replay(
    recorded: &Recorded,
    targets: &[Target],
    limits: &Limits,
    opinion: Option<&Solver>,
) -> Result<Replay, ReplayError> {
    let finding = &recorded.finding;
    if let Evidence::WarmCold { warm, cold, .. } = &finding.verdict.evidence {
        return replay_session(recorded, targets, limits, (*warm, *cold));
    }
    if let Evidence::Slowdown { threshold, .. } = &finding.verdict.evidence {
        return slowdown::replay::replay(recorded, targets, limits, threshold);
    }
    let mut terms = Terms::new();
    let script = case_text(&mut terms, recorded)?;
    let case = Case {
        script,
        expectation: expectation_of(&recorded.script),
        is_doubtful: matches!(finding.verdict.evidence, Evidence::SuspectClaim { .. }),
        lineage: finding.lineage.clone(),
    };
    let before = match &finding.verdict.evidence {
        Evidence::EarlierLink { formula, .. } => Some(formula.as_str()),
        _ => None,
    };
    let trial = Trial {
        before,
        change: &finding.detail,
        culprit: finding.verdict.culprit.as_deref(),
        judges: judges_of(finding.verdict.class),
        // Whether cores are asked for is drawn in a hunt; here it is known that they are.
        lot: match finding.verdict.class == Class::InvalidCore || finding.lineage.technique == TRIAGE {
            true => 0,
            false => lot(&case.lineage),
        },
        targets,
        limits,
        opinion,
    };
    let heard = trial.hear(&mut terms, &case)?;
    let is_same = |(verdict, _): &(Verdict, _)| {
        verdict.class == finding.verdict.class && verdict.culprit == finding.verdict.culprit
    };
    let is_reproduced = heard.verdicts.iter().any(is_same);
    let is_refuted = |checked: &&Checked| matches!(checked.model, ModelCheck::Refuted(_));
    let refuted = heard.first.iter().filter(is_refuted).map(|checked| checked.run.solver.clone()).collect();
    let runs = heard.first.into_iter().map(|checked| checked.run).collect();
    let script = |(verdict, asked): (Verdict, Option<Demonstration>)| (verdict, asked.map(|one| one.script));
    let (verdicts, asked) = heard.verdicts.into_iter().map(script).unzip();
    Ok(Replay { runs, verdicts, asked, refuted, is_reproduced })
}

/// What came of a formula that nothing was known of.
#[derive(Debug)]
pub struct Examined {
    /// The runs, each in a fresh process.
    pub runs: Vec<Run>,
    /// What is wrong with them, the worst first.
    pub findings: Vec<Recorded>,
}

/// Runs a formula on targets for the first time and hears all judges of wrong answers. The culprit is run in any case,
/// also if it is known not to take such formulas.
pub fn examine(case: &Case, culprit: &str, stage: &Stage<'_>) -> Result<Examined, ReplayError> {
    let mut terms = Terms::new();
    let is_heard = |judge: &&&dyn Judge| judge.is_usual() && !judge.classes().contains(&Class::WarmCold);
    let trial = Trial {
        before: None,
        change: "",
        culprit: Some(culprit),
        judges: judges().iter().filter(is_heard).copied().collect(),
        lot: 0,
        targets: stage.targets,
        limits: stage.limits,
        opinion: stage.opinion,
    };
    let heard = trial.hear(&mut terms, case)?;
    let around =
        Around { targets: stage.targets, limits: stage.limits, timeout_secs: stage.limits.cpu.as_secs_f64() };
    let mut findings = Vec::new();
    for (verdict, asked) in heard.verdicts {
        let seen = Seen { reading: &heard.reading, runs: &heard.fresh, verdict, asked };
        let observation = around.observe(&mut terms, &Link { case, detail: "" }, seen)?;
        findings.push(recorded_of(observation));
    }
    findings.sort_by_key(|recorded: &Recorded| recorded.finding.verdict.class);
    Ok(Examined { runs: heard.first.into_iter().map(|checked| checked.run).collect(), findings })
}

/// A case on targets, and who judges it.
struct Trial<'t> {
    /// The formula before the case, of which the answer is known to be that of the case.
    before: Option<&'t str>,
    /// What was done to that formula.
    change: &'t str,
    /// Who is run even if it is known not to take such formulas.
    culprit: Option<&'t str>,
    judges: Vec<&'static dyn Judge>,
    lot: u64,
    targets: &'t [Target],
    limits: &'t Limits,
    opinion: Option<&'t Solver>,
}

/// What judges heard and said.
struct Heard {
    reading: Reading,
    /// The first runs.
    first: Vec<Checked>,
    /// The runs that confirm the verdicts.
    fresh: Vec<Checked>,
    /// Each with the question that shows it where that is not the case itself.
    verdicts: Vec<(Verdict, Option<Demonstration>)>,
}

impl Trial<'_> {
    fn hear(&self, terms: &mut Terms, case: &Case) -> Result<Heard, ReplayError> {
        let (targets, limits) = (self.targets, self.limits);
        let reading = read_script_as(terms, &case.script, Dialect::V26);
        let formula = Formula::new(terms, &reading);
        let before = self.before.map(|formula| read_script_as(terms, formula, Dialect::V26).script);
        // The finding says which answer was implied; with the same answer before, it is again.
        let parent = before.as_ref().map(|script| Parent {
            script,
            relation: Relation::Equal,
            change: self.change,
            runs: None,
        });
        let hearing = Hearing {
            case,
            reading: &reading,
            formula: &formula,
            parent,
            lot: self.lot,
            limits: *limits,
            opinion: self.opinion,
        };
        let runners: Vec<Runner<'_>> = targets.iter().map(|target| Runner::new(target, *limits)).collect();
        let mut first = Vec::new();
        for target in targets {
            let is_culprit = self.culprit == Some(target.solver.name.as_str());
            if !is_culprit && target.takes(terms, &reading.script).is_none() {
                continue;
            }
            let text = target.text(terms, &reading.script);
            let run = target.run_cold(&text, limits).map_err(|error| failed(target, error))?;
            first.push(checked(terms, &formula, target, run));
        }
        let concerns = hearing.concerns(terms, &self.judges, &first);
        let run_failed = |(solver, error)| ReplayError::Run(HuntError::Solver { solver, error });
        let mut outcome = hearing.hear(terms, &runners, &first, concerns).map_err(run_failed)?;
        for (verdict, _) in &mut outcome.verdicts {
            drift::explain(terms, &reading, targets, limits, verdict).map_err(run_failed)?;
        }
        Ok(Heard { first, fresh: outcome.runs, verdicts: outcome.verdicts, reading })
    }
}

/// A finding about a session has all that the session was asked as its script: the last answer must differ from that of
/// a fresh process again.
fn replay_session(
    recorded: &Recorded,
    targets: &[Target],
    limits: &Limits,
    expected: (Answer, Answer),
) -> Result<Replay, ReplayError> {
    let finding = &recorded.finding;
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
    let mut last = None;
    let mut warm = None;
    let comments = recorded.script.split_inclusive('\n').take_while(|line| line.starts_with(';'));
    let transcript = &recorded.script[comments.map(str::len).sum::<usize>()..];
    let between = Between::of_transcript(transcript);
    let mut session = Session::new(target.solver.clone(), between, *limits);
    for script in between.scripts(transcript) {
        warm = Some(session.run(&script).map_err(|error| failed(target, error))?);
        last = Some(script);
    }
    let cold = target.run_cold(&last.unwrap_or_default(), limits).map_err(|error| failed(target, error))?;
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

fn failed(target: &Target, error: io::Error) -> ReplayError {
    ReplayError::Run(HuntError::Solver { solver: target.solver.name.clone(), error })
}

/// The case as SMT-LIB 2.6. A finding that does not keep it has it in the words of its culprit; read as a seed, it is
/// rid of what the culprit wanted before and after it.
pub(crate) fn case_text(terms: &mut Terms, recorded: &Recorded) -> Result<String, ReplayError> {
    if let Some(formula) = &recorded.finding.formula {
        return Ok(formula.clone());
    }
    let seed = Seed::read(terms, recorded.finding.id.as_str(), &recorded.script)?;
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(&seed.script);
    Ok(printer.finish())
}

/// What the first comment lines of a case say.
fn expectation_of(script: &str) -> Expectation {
    match script.lines().find_map(|line| line.strip_prefix("; expect: ")) {
        Some("sat") => Expectation::Sat,
        Some("unsat") => Expectation::Unsat,
        _ => Expectation::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_say_what_is_expected() {
        assert_eq!(expectation_of("; expect: unsat\n(check-sat)"), Expectation::Unsat);
        assert_eq!(expectation_of("(check-sat)"), Expectation::None);
    }
}

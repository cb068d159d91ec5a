//! A finding asked of other releases of its culprit: do they show it too?
//!
//! Another release takes the culprit's place beside the other solvers of the finding, and the judges of its class are
//! heard. Where a class speaks of releases itself, only the answer counts: whether it gives up, or does not end.

use smelt_oracle::checked::{Formula, ModelCheck};
use smelt_oracle::finding::{Class, Verdict};
use smelt_oracle::run::{Answer, Run};
use smelt_runner::family::Family;
use smelt_runner::limits::Limits;
use smelt_runner::options::{NOT_SAFE, SAFE};
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Recorded;

use crate::hunt::HuntError;
use crate::replay::{ReplayError, case_text, replay};
use crate::target::Target;

/// What a release does with a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Whether it shows it; none if it cannot tell, since it does not take the formula.
    pub shows: Option<bool>,
    /// Its own run, if it has one.
    pub run: Option<Run>,
}

/// Asks a release; `others` are the solvers of the finding besides the culprit, `opinion` as in a replay.
pub fn ask(
    recorded: &Recorded,
    release: &Target,
    others: &[Target],
    limits: &Limits,
    opinion: Option<&Solver>,
) -> Result<Asked, ReplayError> {
    let class = recorded.finding.verdict.class;
    let wanted = match class {
        Class::IncompletenessRegression => Some(Answer::Unknown),
        Class::Hang => Some(Answer::Timeout),
        _ => None,
    };
    if wanted.is_some() || class == Class::Slowdown {
        let mut terms = Terms::new();
        let text = case_text(&mut terms, recorded)?;
        let script = read_script_as(&mut terms, &text, Dialect::V26).script;
        let run = run_script(&mut terms, &script, release, limits)?;
        let shows = run.as_ref().zip(wanted).map(|(run, wanted)| run.answer == wanted);
        return Ok(Asked { shows, run });
    }
    let name = release.solver.name.clone();
    let mut changed = recorded.clone();
    changed.finding.verdict = Verdict { culprit: Some(name.clone()), ..changed.finding.verdict };
    let is_apart = |other: &&Target| other.solver.name != name;
    let targets: Vec<Target> = others.iter().filter(is_apart).chain([release]).cloned().collect();
    let replay = replay(&changed, &targets, limits, opinion)?;
    let run = replay.runs.into_iter().find(|run| run.solver == name);
    let is_understood = run.as_ref().is_some_and(|run| is_understood(run.answer));
    Ok(Asked { shows: (is_understood || replay.is_reproduced).then_some(replay.is_reproduced), run })
}

/// Runs a formula on a release in a fresh process; nothing if the release does not take it.
pub fn run_text(text: &str, release: &Target, limits: &Limits) -> Result<Option<Run>, ReplayError> {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, text).script;
    run_script(&mut terms, &script, release, limits)
}

/// What a release does with a formula, in a word for telling bugs apart: its answer, with a mark if it is `sat` with a
/// model that our evaluator refutes. Whether it gives up or runs out of time is a matter of luck, and `-` means that it
/// does not take the formula.
pub fn behaviour(text: &str, release: &Target, limits: &Limits) -> Result<String, ReplayError> {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, text);
    let Some(run) = run_script(&mut terms, &reading.script, release, limits)? else {
        return Ok("-".to_owned());
    };
    let word = match run.answer {
        Answer::Unknown | Answer::Timeout | Answer::Memout | Answer::Flood => "open",
        Answer::Sat => {
            let formula = Formula::new(&terms, &reading);
            match formula.model_of(&mut terms, &run, release.dialect()) {
                ModelCheck::Refuted(_) => "sat!",
                _ => "sat",
            }
        }
        answer => answer.word(),
    };
    Ok(word.to_owned())
}

fn run_script(
    terms: &mut Terms,
    script: &Script,
    release: &Target,
    limits: &Limits,
) -> Result<Option<Run>, ReplayError> {
    if release.takes(terms, script).is_none() {
        return Ok(None);
    }
    let text = release.text(terms, script);
    let run = release.run_cold(&text, limits).map_err(|error| {
        ReplayError::Run(HuntError::Solver { solver: release.solver.name.clone(), error })
    })?;
    Ok(is_understood(run.answer).then_some(run))
}

pub(crate) fn is_understood(answer: Answer) -> bool {
    !matches!(answer, Answer::Rejected | Answer::Error)
}

/// The options that a solver was started with, besides those with which every release of its family is started.
pub fn options_of(command: &SolverCommand, family: Family) -> Vec<String> {
    let usual = family.stdin_args();
    let is_usual =
        command.args.len() >= usual.len() && command.args.iter().zip(usual).all(|(arg, usual)| arg == usual);
    // cvc5 comes as a library: its only usual argument is the script that makes a program of it.
    let is_driver = command.args.first().is_some_and(|arg| arg.ends_with(".py"));
    let skipped = if is_usual { usual.len() } else { usize::from(is_driver) };
    // Releases without a safe mode do not take the options about it, and the others are asked in it anyway.
    let is_about_safe_mode = |arg: &str| [SAFE, NOT_SAFE].contains(&arg);
    command.args[skipped..].iter().filter(|arg| !is_about_safe_mode(arg)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(args: &[&str], family: Family) -> Vec<String> {
        let command = SolverCommand {
            solver: "s".to_owned(),
            program: "p".to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            environment: Vec::new(),
        };
        options_of(&command, family)
    }

    #[test]
    fn options_are_what_is_not_usual() {
        assert_eq!(options(&["-in", "-smt2", "smt.seed=1"], Family::Z3), ["smt.seed=1"]);
        assert!(options(&["-in", "-smt2"], Family::Z3).is_empty());
        assert_eq!(options(&["/a/driver.py", "--fmf-bound"], Family::Cvc5), ["--fmf-bound"]);
        assert_eq!(options(&["-q"], Family::Generic), ["-q"]);
    }
}

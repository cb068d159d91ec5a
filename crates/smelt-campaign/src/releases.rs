//! A finding asked of other releases of its culprit: do they show it too?
//!
//! Another release takes the culprit's place beside the other solvers of the finding, and the judges of its class are
//! heard. Where a class speaks of releases itself, only the answer counts: whether it gives up, or does not end.

use smelt_oracle::evaluated::{Formula, ModelCheck};
use smelt_oracle::finding::{Class, Verdict};
use smelt_oracle::run::{Answer, Run};
use smelt_runner::family::Family;
use smelt_runner::library::solver_args;
use smelt_runner::limits::Limits;
use smelt_runner::options::{NOT_SAFE, SAFE};
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Finding;

use crate::replay::{ReplayError, case_text, replay};
use smelt_trial::SolverFailure;
use smelt_trial::target::Target;

/// What a release does with a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Whether it has the bug; none if that is not known: it does not take the formula, gives up or runs out of time.
    pub shows: Option<bool>,
    /// Its own run, if it has one.
    pub run: Option<Run>,
    /// Why that is not known.
    pub open: Option<Open>,
}

/// Why a release does not tell whether it has a bug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    /// It does not take the formula; its message, or why it was not sent.
    Rejects(String),
    /// It was run, and what came of it decides nothing.
    Undecided(String),
}

impl Asked {
    fn open(open: Open, run: Option<Run>) -> Asked {
        Asked { shows: None, run, open: Some(open) }
    }

    fn known(shows: bool, run: Option<Run>) -> Asked {
        Asked { shows: Some(shows), run, open: None }
    }
}

/// What a release does with a formula.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// It took it.
    Ran(Run),
    /// It does not take it; its message, or why it was not sent.
    Rejects(String),
}

/// Asks a release; `others` are the solvers of the finding besides the culprit, `opinion` as in a replay.
pub fn ask(
    finding: &Finding,
    release: &Target,
    others: &[Target],
    limits: &Limits,
    opinion: Option<&Solver>,
) -> Result<Asked, ReplayError> {
    let class = finding.verdict.class;
    let wanted = match class {
        Class::IncompletenessRegression => Some(Answer::Unknown),
        Class::Hang => Some(Answer::Timeout),
        _ => None,
    };
    if wanted.is_some() || class == Class::Slowdown {
        let mut terms = Terms::new();
        let text = case_text(&mut terms, finding)?;
        let script = read_script_as(&mut terms, &text, Dialect::V26).script;
        let run = match run_script(&mut terms, &script, release, limits)? {
            Reply::Rejects(reason) => return Ok(Asked::open(Open::Rejects(reason), None)),
            Reply::Ran(run) => run,
        };
        let Some(wanted) = wanted else { return Ok(Asked { shows: None, run: Some(run), open: None }) };
        return Ok(match answers(&run, wanted, limits) {
            Ok(shows) => Asked::known(shows, Some(run)),
            Err(open) => Asked::open(open, Some(run)),
        });
    }
    let name = release.solver.name.clone();
    let mut changed = finding.clone();
    changed.verdict = Verdict { culprit: Some(name.clone()), ..changed.verdict };
    let is_apart = |other: &&Target| other.solver.name != name;
    let targets: Vec<Target> = others.iter().filter(is_apart).chain([release]).cloned().collect();
    let replay = replay(&changed, &targets, limits, opinion)?;
    let run = replay.runs.iter().find(|run| run.solver == name).cloned();
    if replay.is_reproduced {
        return Ok(Asked::known(true, run));
    }
    let Some(run) = run else { return Ok(Asked::open(Open::Rejects(NOT_SENT.to_owned()), None)) };
    if let Some(open) = no_answer(&run, limits) {
        return Ok(Asked::open(open, Some(run)));
    }
    if run.answer == Answer::Unknown && !is_fixed_by_giving_up(class) {
        return Ok(Asked::open(Open::Undecided("answers unknown".to_owned()), Some(run)));
    }
    // It answers as the culprit did; if those that contradicted it give no answer now, nothing is refuted.
    let culprit = finding.verdict.culprit.as_ref();
    let before = finding.runs.iter().find(|run| Some(&run.solver) == culprit);
    let is_as_before = before.is_some_and(|before| before.answer == run.answer);
    let silent = replay.runs.iter().find(|other| other.solver != name && no_answer(other, limits).is_some());
    if let Some(silent) = silent.filter(|_| is_as_before) {
        let reason = format!(
            "it answers {} as the culprit did, and {} gives no answer to compare with ({})",
            run.answer.word(),
            silent.solver,
            silent.answer.word()
        );
        return Ok(Asked::open(Open::Undecided(reason), Some(run)));
    }
    Ok(Asked::known(false, Some(run)))
}

/// Whether a release that gives up does not have the bug. Of a wrong answer, giving up says nothing: what would have been
/// answered is not known.
fn is_fixed_by_giving_up(class: Class) -> bool {
    matches!(class, Class::Crash | Class::Hang)
}

const NOT_SENT: &str = "does not know an operator, a sort or a command of the formula";

/// Whether a run answers this. Running out of time or memory, flooding and crashing are no other answer: what the solver
/// would have said is not known.
pub fn answers(run: &Run, wanted: Answer, limits: &Limits) -> Result<bool, Open> {
    if run.answer == wanted && !run.is_cut_by_the_clock() {
        return Ok(true);
    }
    match no_answer(run, limits) {
        Some(open) => Err(open),
        None => Ok(false),
    }
}

/// Why a run is not an answer; none if it is one.
pub fn no_answer(run: &Run, limits: &Limits) -> Option<Open> {
    let seconds = limits.cpu.as_secs_f64();
    let reason = match run.answer {
        Answer::Sat | Answer::Unsat | Answer::Unknown => return None,
        Answer::Rejected | Answer::Error => return Some(Open::Rejects(message(run))),
        Answer::Timeout if run.is_cut_by_the_clock() => {
            format!("ended by the clock after {:.1} s of processor time, of {seconds} s", run.cpu_ms / 1e3)
        }
        Answer::Timeout => format!("no answer in {seconds} s"),
        Answer::Memout => "out of memory".to_owned(),
        Answer::Flood => "too much output".to_owned(),
        Answer::Crash => format!(
            "crash{}",
            run.crash_signature.as_ref().map_or_else(String::new, |signature| format!(", {signature}"))
        ),
    };
    Some(Open::Undecided(reason))
}

/// What a solver says of a formula that it does not take, in one short line.
fn message(run: &Run) -> String {
    let lines = run.reason.iter().map(String::as_str).chain(run.output.lines());
    let line = lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or("no message");
    let short: String = line.chars().take(MAX_MESSAGE).collect();
    if short.len() < line.len() { format!("{short}..") } else { short }
}

/// How many letters of a message are shown.
const MAX_MESSAGE: usize = 120;

/// Runs a formula on a release in a fresh process.
pub fn run_text(text: &str, release: &Target, limits: &Limits) -> Result<Reply, ReplayError> {
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
    let Reply::Ran(run) = run_script(&mut terms, &reading.script, release, limits)? else {
        return Ok("-".to_owned());
    };
    let word = match run.answer {
        Answer::Unknown | Answer::Timeout | Answer::Memout | Answer::Flood => "open",
        Answer::Sat => {
            let formula = Formula::new(&terms, &reading);
            match formula.model_of(&mut terms, &run, release.dialect()) {
                ModelCheck::Refuted(_) | ModelCheck::Impossible(_) => "sat!",
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
) -> Result<Reply, ReplayError> {
    if release.takes(terms, script).is_none() {
        return Ok(Reply::Rejects(NOT_SENT.to_owned()));
    }
    let text = release.text(terms, script);
    let run = release.run_cold(&text, limits).map_err(|error| SolverFailure::of(release, error))?;
    Ok(if is_understood(run.answer) { Reply::Ran(run) } else { Reply::Rejects(message(&run)) })
}

/// Whether an answer shows that the solver has read the formula.
pub(crate) fn is_understood(answer: Answer) -> bool {
    !matches!(answer, Answer::Rejected | Answer::Error)
}

/// The options that a solver was started with, besides those with which every release of its family is started.
pub fn options_of(command: &SolverCommand, family: Family) -> Vec<String> {
    let usual = family.stdin_args();
    let args = solver_args(&command.args);
    let is_usual = args.len() >= usual.len() && args.iter().zip(usual).all(|(arg, usual)| arg == usual);
    let skipped = if is_usual { usual.len() } else { 0 };
    // Releases without a safe mode do not take the options about it, and the others are asked in it anyway.
    let is_about_safe_mode = |arg: &str| [SAFE, NOT_SAFE].contains(&arg);
    args[skipped..].iter().filter(|arg| !is_about_safe_mode(arg)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use smelt_oracle::run::Limit;

    use super::*;

    fn options(args: &[&str], family: Family) -> Vec<String> {
        let command = SolverCommand {
            solver: "s".to_owned(),
            program: "p".to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            environment: Vec::new(),
            version: None,
            hash: None,
        };
        options_of(&command, family)
    }

    fn run(answer: Answer, cpu_ms: f64) -> Run {
        crate::slowdown::measure::tests::run(answer, cpu_ms)
    }

    #[test]
    fn running_out_of_time_is_no_other_answer() {
        let limits = Limits::for_seconds(2.0);
        assert_eq!(answers(&run(Answer::Unknown, 5.0), Answer::Unknown, &limits), Ok(true));
        assert_eq!(answers(&run(Answer::Sat, 5.0), Answer::Unknown, &limits), Ok(false));
        for silent in [Answer::Timeout, Answer::Memout, Answer::Flood, Answer::Crash] {
            let open = answers(&run(silent, 2000.0), Answer::Unknown, &limits);
            assert!(matches!(open, Err(Open::Undecided(_))), "{silent:?}");
        }
        assert!(matches!(answers(&run(Answer::Rejected, 5.0), Answer::Sat, &limits), Err(Open::Rejects(_))));
    }

    #[test]
    fn a_run_that_the_clock_has_ended_does_not_hang() {
        let limits = Limits::for_seconds(2.0);
        assert_eq!(answers(&run(Answer::Timeout, 1990.0), Answer::Timeout, &limits), Ok(true));
        let cut = Run { limit: Some(Limit::Wall), ..run(Answer::Timeout, 400.0) };
        let Err(Open::Undecided(reason)) = answers(&cut, Answer::Timeout, &limits) else {
            panic!("a run that was cut decides nothing")
        };
        assert!(reason.contains("ended by the clock after 0.4 s"), "{reason}");
    }

    #[test]
    fn giving_up_is_a_fix_of_crashes_and_hangs_only() {
        assert!(is_fixed_by_giving_up(Class::Crash));
        assert!(!is_fixed_by_giving_up(Class::SoundnessRefutation));
        assert!(!is_fixed_by_giving_up(Class::InvalidModel));
    }

    #[test]
    fn options_are_what_is_not_usual() {
        assert_eq!(options(&["-in", "-smt2", "smt.seed=1"], Family::Z3), ["smt.seed=1"]);
        assert!(options(&["-in", "-smt2"], Family::Z3).is_empty());
        assert_eq!(options(&["/a/driver.py", "--fmf-bound"], Family::Cvc5), ["--fmf-bound"]);
        assert_eq!(options(&["-ISB", "/a/driver.py", "--lang=smt2", "--uf-ho"], Family::Cvc5), ["--uf-ho"]);
        assert_eq!(options(&["-q"], Family::Generic), ["-q"]);
    }
}

//! A finding run again: by ourselves, and by a script for people who do not have smelt.

use std::io;

use smelt_oracle::case::{Case, Expectation, Relation};
use smelt_oracle::checked::{Checked, Formula, ModelCheck};
use smelt_oracle::finding::{Evidence, Verdict};
use smelt_oracle::judge::{Parent, judges_of};
use smelt_oracle::run::{Answer, Run};
use smelt_runner::between::Between;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::term::Terms;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::{Finding, Recorded};
use smelt_testgen::seed::{Seed, SeedError};

use crate::drift;
use crate::hearing::{Hearing, checked};
use crate::hunt::{HuntError, lot};
use crate::slowdown;
use crate::target::{Runner, Target};

/// What came of a replay.
#[derive(Debug)]
pub struct Replay {
    /// The runs, each in a fresh process.
    pub runs: Vec<Run>,
    /// What judges say of them.
    pub verdicts: Vec<Verdict>,
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
    let reading = read_script_as(&mut terms, &script, Dialect::V26);
    let formula = Formula::new(&terms, &reading);
    let case =
        Case { script, expectation: expectation_of(&recorded.script), lineage: finding.lineage.clone() };
    let before = match &finding.verdict.evidence {
        Evidence::EarlierLink { formula, .. } => {
            Some(read_script_as(&mut terms, formula, Dialect::V26).script)
        }
        _ => None,
    };
    // The finding says which answer was implied; with the same answer before, it is again.
    let parent = before.as_ref().map(|script| Parent {
        script,
        relation: Relation::Equal,
        change: &finding.detail,
        runs: None,
    });
    let hearing = Hearing {
        case: &case,
        reading: &reading,
        formula: &formula,
        parent,
        lot: lot(&case.lineage),
        limits: *limits,
        opinion,
    };
    let runners: Vec<Runner<'_>> = targets.iter().map(|target| Runner::new(target, *limits)).collect();
    let mut first = Vec::new();
    for target in targets {
        if target.takes(&terms, &reading.script).is_none() {
            continue;
        }
        let text = target.text(&mut terms, &reading.script);
        let run = target.run_cold(&text, limits).map_err(|error| failed(target, error))?;
        first.push(checked(&mut terms, &formula, target, run));
    }
    let concerns = hearing.concerns(&mut terms, &judges_of(finding.verdict.class), &first);
    let outcome = hearing
        .hear(&mut terms, &runners, &first, concerns)
        .map_err(|(solver, error)| ReplayError::Run(HuntError::Solver { solver, error }))?;
    let mut verdicts: Vec<Verdict> = outcome.verdicts.into_iter().map(|(verdict, _)| verdict).collect();
    for verdict in &mut verdicts {
        drift::explain(&mut terms, &reading, targets, limits, verdict)
            .map_err(|(solver, error)| ReplayError::Run(HuntError::Solver { solver, error }))?;
    }
    let is_same = |verdict: &Verdict| {
        verdict.class == finding.verdict.class && verdict.culprit == finding.verdict.culprit
    };
    let is_reproduced = verdicts.iter().any(is_same);
    let is_refuted = |checked: &&Checked| matches!(checked.model, ModelCheck::Refuted(_));
    let refuted = first.iter().filter(is_refuted).map(|checked| checked.run.solver.clone()).collect();
    let runs = first.into_iter().map(|checked| checked.run).collect();
    Ok(Replay { runs, verdicts, refuted, is_reproduced })
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
    let seed = Seed::read(terms, &recorded.finding.id, &recorded.script)?;
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

/// A shell script that runs the case on the solvers with plain commands, the culprit first.
pub fn script(finding: &Finding) -> String {
    let culprit = finding.verdict.culprit.as_deref();
    let mut commands: Vec<&SolverCommand> = finding.commands.iter().collect();
    commands.sort_by_key(|command| Some(command.solver.as_str()) != culprit);
    let mut text = format!(
        "#!/bin/sh\n# Runs the case on the solvers of this finding, in their own words and without smelt.\n\
        # {}{}\n# With smelt: smelt replay {}\n\
        folder=$(dirname \"$0\")\n",
        finding.verdict.class.word(),
        culprit.map(|culprit| format!(", {culprit}")).unwrap_or_default(),
        finding.id
    );
    if let Some(seconds) = finding.timeout_secs {
        // Twice the time, so that what takes a little longer elsewhere is still seen.
        text.push_str(&format!("ulimit -t {}\n", (seconds * 2.0).ceil().max(1.0)));
    }
    if let (Evidence::EarlierLink { .. }, Some(command)) = (&finding.verdict.evidence, commands.first()) {
        let title = format!("{} on what comes before:", command.solver);
        let command = command_line(command);
        text.push_str(&format!("\necho {}\n{command} < \"$folder/{BEFORE}\"\n", quoted(&title)));
    }
    for command in commands {
        let seen = finding.runs.iter().find(|run| run.solver == command.solver);
        let answer = seen.map_or("nothing", |run| run.answer.word());
        let title = format!("{} (answered {answer}):", command.solver);
        let file = match finding.other_words.contains_key(&command.solver) {
            true => file_for(&command.solver),
            false => "case.smt2".to_owned(),
        };
        text.push_str(&format!(
            "\necho {}\n{} < \"$folder/{file}\"\n",
            quoted(&title),
            command_line(command)
        ));
    }
    text
}

/// The name of the file with the formula that comes before the case.
pub(crate) const BEFORE: &str = "before.smt2";

/// The name of the file with the case in the words of a solver that takes others.
pub(crate) fn file_for(solver: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.@".contains(letter);
    let name: String = solver.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    format!("case-for-{name}.smt2")
}

fn command_line(command: &SolverCommand) -> String {
    let variables = command.environment.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
    let words = [&command.program].into_iter().chain(&command.args).map(|word| quoted(word));
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,@+%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted("-in"), "-in");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn names_of_solvers_become_names_of_files() {
        assert_eq!(file_for("z3@4.8.7"), "case-for-z3@4.8.7.smt2");
        assert_eq!(file_for("my/z3 \"x\""), "case-for-my-z3--x-.smt2");
    }

    #[test]
    fn commands_have_their_environment() {
        let command = SolverCommand {
            solver: "s".to_owned(),
            program: "/bin/solver".to_owned(),
            args: vec!["-c".to_owned(), "x y".to_owned()],
            environment: vec![("A".to_owned(), "1 2".to_owned())],
        };
        assert_eq!(command_line(&command), "A='1 2' /bin/solver -c 'x y'");
    }

    #[test]
    fn cases_say_what_is_expected() {
        assert_eq!(expectation_of("; expect: unsat\n(check-sat)"), Expectation::Unsat);
        assert_eq!(expectation_of("(check-sat)"), Expectation::None);
    }
}

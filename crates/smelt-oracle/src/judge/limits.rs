//! Limits and threads: with them a solver may give up, but must not answer otherwise, and must keep the limit.
//!
//! Of every case, solvers that decided are asked again with a limit on time or effort, or with several threads; which
//! one it is depends on the case. What was used is measured in processor time, and a limit counts as broken only if
//! several times as much was used twice.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;

use super::{Judge, JudgeStep, Observed, blame};
use crate::evaluated::EvaluatedRun;
use crate::finding::{Class, Evidence};
use crate::run::Answer;

/// Blames a solver for what it does under limits.
#[derive(Debug)]
pub(super) struct Limits;

/// An option that limits a solver or changes how it works.
struct Change {
    option: &'static str,
    value: &'static str,
    /// The processor time for each check that it allows, if it says so.
    millis: Option<f64>,
}

const Z3: [Change; 4] = [
    Change { option: ":timeout", value: "300", millis: Some(300.0) },
    Change { option: ":rlimit", value: "50000", millis: None },
    Change { option: ":smt.threads", value: "2", millis: None },
    Change { option: ":rlimit", value: "2000000", millis: None },
];
const CVC5: [Change; 3] = [
    Change { option: ":tlimit-per", value: "300", millis: Some(300.0) },
    Change { option: ":rlimit", value: "2000", millis: None },
    Change { option: ":rlimit", value: "100000", millis: None },
];
const BITWUZLA: [Change; 1] = [Change { option: ":time-limit-per", value: "300", millis: Some(300.0) }];

/// A limit is kept if no more than so many times as much is used,
const FACTOR: f64 = 8.0;
/// and this besides: reading and printing are not limited.
const SLACK_MS: f64 = 2_000.0;
/// So many runs must break a limit.
const RUNS: usize = 2;

impl Judge for Limits {
    fn name(&self) -> &'static str {
        "limits"
    }

    fn about(&self) -> &'static str {
        "under a limit or with threads a solver answers otherwise, or does not keep the limit"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::Inconsistency, Class::Hang]
    }

    /// It costs runs for each case.
    fn is_usual(&self) -> bool {
        false
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let asked: Vec<(&EvaluatedRun, &Change)> = observed
            .runs
            .iter()
            .filter_map(|checked| Some((checked, change(&checked.family, observed.sample_key)?)))
            .filter(|(checked, change)| {
                let is_slow = checked.run.answer == Answer::Timeout && change.millis.is_some();
                checked.run.answer.is_decided() || is_slow
            })
            .collect();
        if replies.is_empty() && !asked.is_empty() {
            let questions = asked.iter().flat_map(|(checked, change)| {
                let question = observed.ask(checked, limited(terms, observed.script, change));
                std::iter::repeat_n(question, RUNS)
            });
            return JudgeStep::Ask(questions.collect());
        }
        let verdicts = asked.iter().zip(replies.chunks(RUNS)).filter_map(|((checked, change), runs)| {
            let checks = checked.run.answers.len().max(1) as f64;
            let (class, contradiction) = contradiction(checked, change, runs, checks)?;
            let evidence = Evidence::Contradiction {
                change: format!("(set-option {} {})", change.option, change.value),
                contradiction,
                output: runs.last().map(|reply| reply.run.output.clone()).unwrap_or_default(),
            };
            Some(blame(class, checked, evidence))
        });
        JudgeStep::Done(verdicts.collect())
    }
}

/// What a solver of a family is asked with; none if we know no limit of it.
fn change(family: &str, sample_key: u64) -> Option<&'static Change> {
    let changes: &[Change] = match family {
        "z3" => &Z3,
        "cvc5" => &CVC5,
        "bitwuzla" => &BITWUZLA,
        _ => return None,
    };
    changes.get((sample_key % changes.len() as u64) as usize)
}

/// The script with an option set at its start.
fn limited(terms: &mut Terms, script: &Script, change: &Change) -> Script {
    let mut limited = script.emptied();
    let (option, value) = (terms.symbols.intern(change.option), terms.symbols.intern(change.value));
    limited.push(Command::SetOption(option, Some(value)));
    script.commands.iter().for_each(|command| limited.push(command.clone()));
    limited
}

/// What is wrong with runs under a limit, in words: each of them contradicts the first run, or breaks the limit.
fn contradiction(
    checked: &EvaluatedRun,
    change: &Change,
    runs: &[EvaluatedRun],
    checks: f64,
) -> Option<(Class, String)> {
    let before = checked.run.answer;
    let contradicts = |reply: &EvaluatedRun| reply.run.answer.is_decided() && reply.run.answer != before;
    if before.is_decided() && runs.iter().all(contradicts) {
        let after = runs.last()?.run.answer;
        return Some((Class::Inconsistency, format!("`{}`, then `{}`", before.word(), after.word())));
    }
    let most = change.millis? * checks * FACTOR + SLACK_MS;
    let is_broken = runs.iter().all(|reply| reply.run.cpu_ms > most);
    let used = runs.iter().map(|reply| reply.run.cpu_ms).fold(f64::MAX, f64::min);
    is_broken.then(|| (Class::Hang, format!("{used:.0} ms of processor time are used")))
}

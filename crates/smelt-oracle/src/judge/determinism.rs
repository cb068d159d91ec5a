//! Determinism: a solver that is run twice on the same script, in fresh processes, must print the same.
//!
//! That is no matter of right and wrong; developers want it because what differs from run to run is hard to debug.
//! Z3 is asked for its count of steps too.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;

use super::{Judge, JudgeStep, Observed, blame};
use crate::evaluated::EvaluatedRun;
use crate::finding::{Class, Evidence};
use crate::run::{Answer, Run};

/// In so many fresh processes the same is asked.
const RUNS: usize = 3;

/// Blames a solver for output that differs from run to run.
#[derive(Debug)]
pub(super) struct Nondeterminism;

impl Judge for Nondeterminism {
    fn name(&self) -> &'static str {
        "determinism"
    }

    fn about(&self) -> &'static str {
        "a solver prints something else when it is run again"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::Nondeterminism]
    }

    /// It costs several runs for each case.
    fn is_usual(&self) -> bool {
        false
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let asked: Vec<&EvaluatedRun> =
            observed.runs.iter().filter(|checked| is_comparable(&checked.run)).collect();
        if replies.is_empty() && !asked.is_empty() {
            let questions = asked.iter().flat_map(|checked| {
                let question = observed.ask(checked, request(terms, observed.script, checked));
                std::iter::repeat_n(question, RUNS)
            });
            return JudgeStep::Ask(questions.collect());
        }
        let blamed = asked.iter().zip(replies.chunks(RUNS)).filter_map(|(checked, runs)| {
            let (first, others) = runs.split_first()?;
            // A run that a limit ended may end anywhere.
            if !runs.iter().all(|reply| is_comparable(&reply.run)) {
                return None;
            }
            let other = others.iter().find(|other| printed(&other.run) != printed(&first.run))?;
            let evidence = Evidence::Contradiction {
                change: "the same script in a fresh process".to_owned(),
                contradiction: difference(&first.run, &other.run),
                output: other.run.output.clone(),
            };
            Some(blame(Class::Nondeterminism, checked, evidence))
        });
        JudgeStep::Done(blamed.collect())
    }
}

/// Whether a run ended by itself with an answer.
fn is_comparable(run: &Run) -> bool {
    run.limit.is_none() && matches!(run.answer, Answer::Sat | Answer::Unsat | Answer::Unknown)
}

/// The script with a request for the model, and for the count of steps where there is one.
fn request(terms: &mut Terms, script: &Script, checked: &EvaluatedRun) -> Script {
    let mut asking = script.clone();
    if checked.run.answer == Answer::Sat {
        asking.push(Command::GetModel);
    }
    if checked.family == "z3" {
        let count = terms.symbols.intern(":rlimit");
        asking.push(Command::GetInfo(count));
    }
    asking
}

/// All that was printed.
fn printed(run: &Run) -> (&[Answer], &[String], &str) {
    (&run.answers, &run.outputs, &run.output)
}

/// The first lines in which two outputs differ, in words.
fn difference(first: &Run, other: &Run) -> String {
    if first.answers != other.answers {
        let words = |run: &Run| run.answers.iter().map(|answer| answer.word()).collect::<Vec<_>>().join(" ");
        return format!("answers `{}`, then `{}`", words(first), words(other));
    }
    let lines = |run: &Run| -> Vec<String> {
        run.outputs.iter().chain([&run.output]).flat_map(|text| text.lines()).map(str::to_owned).collect()
    };
    let (before, after) = (lines(first), lines(other));
    let place = before.iter().zip(&after).position(|(one, two)| one != two);
    let place = place.unwrap_or_else(|| before.len().min(after.len()));
    let line = |lines: &[String]| lines.get(place).map_or("", |line| line.trim()).to_owned();
    format!("`{}`, then `{}`", line(&before), line(&after))
}

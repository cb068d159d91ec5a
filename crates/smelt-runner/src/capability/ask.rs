//! Asking a solver what it takes, many questions to a process.
//!
//! Each question stands between a `push` and a `pop` and is followed by an `echo` of its number. Solvers treat errors in
//! two ways: Z3 complains and goes on, cvc5 and Yices complain and end. So the answer to a question is what stands
//! before its echo; where a process ends early, the question at which it ended is answered by that, and a new
//! process is asked the rest.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use smelt_oracle::run::Answer;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::sort::SortClass;

use super::questions::{HALF, Question, SINGLE, Subject, language, other_formats, sorts};
use super::{Capabilities, Feature};
use crate::answer::{self, text_of};
use crate::cold::{self, End};
use crate::limits::Limits;
use crate::options::has_options;
use crate::probe::Asking;

/// A process that has not answered all its questions by now is given up, and the question it is at counts as taken.
/// All questions together take a few seconds.
fn usual_limits() -> Limits {
    Limits {
        wall: Duration::from_secs(30),
        cpu: Duration::from_secs(10),
        output: 1 << 20,
        ..Limits::default()
    }
}

/// A command that is asked about: an option that it needs, and a script after which nothing may be complained about.
struct CommandQuestion {
    name: &'static str,
    option: &'static str,
    script: &'static str,
}

const COMMANDS: &[CommandQuestion] = &[
    CommandQuestion {
        name: "check-sat-assuming",
        option: "",
        script: "(declare-const p Bool)\n(check-sat-assuming (p))\n",
    },
    CommandQuestion {
        name: "get-model",
        option: "(set-option :produce-models true)\n",
        script: "(declare-const p Bool)\n(assert p)\n(check-sat)\n(get-model)\n",
    },
    CommandQuestion {
        name: "get-unsat-assumptions",
        option: "(set-option :produce-unsat-assumptions true)\n",
        script: "(declare-const p Bool)\n(assert (not p))\n(check-sat-assuming (p))\n(get-unsat-assumptions)\n",
    },
    CommandQuestion {
        name: "get-unsat-core",
        option: "(set-option :produce-unsat-cores true)\n",
        script: "(declare-const p Bool)\n(assert (! p :named a))\n(assert (! (not p) :named b))\n(check-sat)\n\
                 (get-unsat-core)\n",
    },
    CommandQuestion {
        name: "get-value",
        option: "(set-option :produce-models true)\n",
        script: "(declare-const p Bool)\n(assert p)\n(check-sat)\n(get-value (p))\n",
    },
    CommandQuestion {
        name: "push",
        option: "",
        script: "(declare-const p Bool)\n(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n(check-sat)\n",
    },
    CommandQuestion {
        name: "reset",
        option: "",
        script: "(declare-const p Bool)\n(check-sat)\n(reset)\nLOGIC(declare-const p Bool)\n(assert p)\n(check-sat)\n",
    },
    CommandQuestion {
        name: "reset-assertions",
        option: "",
        script: "(declare-const p Bool)\n(check-sat)\n(reset-assertions)\n(check-sat)\n",
    },
];

/// All that is asked, for telling whether what was learned earlier is still what would be learned now.
#[cfg(test)]
pub(crate) fn questions_text() -> String {
    use crate::family::Family;
    let dialects = [Dialect::V26, Dialect::V25];
    let of_language =
        dialects.into_iter().flat_map(|dialect| [HALF, SINGLE].map(|format| language(dialect, format)));
    let asked = sorts().into_iter().chain(of_language.flatten());
    let mut text: String =
        asked.map(|question| question.script + &question.literal_script.unwrap_or_default()).collect();
    for command in COMMANDS {
        text.push_str(command.option);
        text.push_str(command.script);
    }
    text.extend(Family::ALL.into_iter().filter_map(Family::safe_mode));
    text
}

/// Asks a solver everything, in the dialect that it speaks.
pub(crate) fn learn(asking: &Asking<'_>, dialect: Dialect) -> io::Result<Capabilities> {
    let commands = commands(asking)?;
    let knows_levels =
        Capabilities { commands: commands.clone(), ..Capabilities::default() }.takes_command("push");
    let batch = if knows_levels { usize::MAX } else { 1 };
    let capabilities = Asker { asking: *asking, options: "", batch }.learn_language(dialect)?;
    Ok(Capabilities { commands, ..capabilities })
}

/// What a solver takes in safe mode; none if it has no such mode, or is started with options, which it may exclude.
pub(crate) fn learn_safe_mode(asking: &Asking<'_>, dialect: Dialect) -> io::Result<Option<Capabilities>> {
    let &Asking { solver, until } = asking;
    let Some(options) = solver.family.safe_mode().filter(|_| !has_options(solver)) else { return Ok(None) };
    let script = format!("{options}{}(assert true)\n(check-sat)\n", solver.family.logic());
    let limits = Limits { output: usual_limits().output, until, ..Limits::for_seconds(5.0) };
    let raw = cold::run(&solver.invocation, &script, &limits)?;
    let stdout = text_of(&raw.stdout);
    let said = answer::read(&stdout, &text_of(&raw.stderr), raw.end);
    if said.answer != Answer::Sat || complains(&stdout) {
        return Ok(None);
    }
    Asker { asking: *asking, options, batch: usize::MAX }.learn_language(dialect).map(Some)
}

/// A solver that is asked.
struct Asker<'s> {
    asking: Asking<'s>,
    /// Options that come before all questions.
    options: &'static str,
    /// At most this many questions are put to one process.
    batch: usize,
}

impl Asker<'_> {
    /// Asks about sorts, operators and features.
    fn learn_language(&self, dialect: Dialect) -> io::Result<Capabilities> {
        let mut capabilities = Capabilities::default();
        let questions = sorts();
        let answers = self.ask(&questions.iter().collect::<Vec<_>>())?;
        for (question, is_taken) in questions.iter().zip(answers) {
            if let (Subject::Sort(class), false) = (&question.subject, is_taken) {
                capabilities.refused_sorts.push(*class);
            }
        }
        let takes_half = self.ask(&[&other_formats(dialect)])?.contains(&true);
        let questions = language(dialect, if takes_half { HALF } else { SINGLE });
        let knows = |class: &SortClass| !capabilities.refused_sorts.contains(class);
        let (asked, hopeless): (Vec<&Question>, Vec<&Question>) =
            questions.iter().partition(|question| question.sorts.iter().all(knows));
        let mut answers = self.ask(&asked)?;
        self.ask_with_literals(&asked, &mut answers)?;
        for (question, is_taken) in
            asked.into_iter().zip(answers).chain(hopeless.into_iter().map(|question| (question, false)))
        {
            match (&question.subject, is_taken) {
                (Subject::Application(op, shape), true) => _ = capabilities.taken.insert((*op, *shape)),
                (Subject::Application(op, shape), false) => _ = capabilities.refused.insert((*op, *shape)),
                (Subject::Spelling(_, spelling), _) => {
                    capabilities.spellings.insert((*spelling).to_owned(), is_taken);
                }
                (Subject::Feature(feature), false) => capabilities.refused_features.push(*feature),
                (Subject::Feature(_), true) | (Subject::Sort(_), _) => {}
            }
        }
        Ok(capabilities)
    }

    /// Asks again with literals what was refused with variables.
    fn ask_with_literals(&self, asked: &[&Question], answers: &mut [bool]) -> io::Result<()> {
        let refused: Vec<(usize, Question)> = asked
            .iter()
            .enumerate()
            .filter(|(number, _)| !answers[*number])
            .filter_map(|(number, question)| {
                let script = question.literal_script.clone()?;
                Some((number, Question { script, literal_script: None, ..(*question).clone() }))
            })
            .collect();
        let questions: Vec<&Question> = refused.iter().map(|(_, question)| question).collect();
        for ((number, _), is_taken) in refused.iter().zip(self.ask(&questions)?) {
            answers[*number] = is_taken;
        }
        Ok(())
    }

    /// Whether each question is understood.
    fn ask(&self, questions: &[&Question]) -> io::Result<Vec<bool>> {
        let Asking { solver, until } = self.asking;
        let limits = Limits { until, ..usual_limits() };
        let mut answers = Vec::with_capacity(questions.len());
        while answers.len() < questions.len() {
            let start = answers.len();
            let end = questions.len().min(start.saturating_add(self.batch));
            let script = self.script_of(&questions[start..end]);
            let raw = cold::run(&solver.invocation, &script, &limits)?;
            let stdout = text_of(&raw.stdout);
            let mut rest = &*stdout;
            for (number, question) in questions[start..end].iter().enumerate() {
                let Some((said, after)) = split_at_echo(rest, number) else { break };
                answers.push(is_answered(question, said, "", End::Exited(0)));
                rest = after;
            }
            if answers.len() < end {
                let question = questions[answers.len()];
                answers.push(is_answered(question, rest, &text_of(&raw.stderr), raw.end));
            }
        }
        Ok(answers)
    }

    fn script_of(&self, questions: &[&Question]) -> String {
        let family = self.asking.solver.family;
        let is_incremental = self.batch > 1;
        let (push, pop) = if is_incremental { ("(push 1)\n", "(pop 1)\n") } else { ("", "") };
        let mut script = self.options.to_owned();
        if is_incremental {
            script.push_str(family.incremental());
        }
        script.push_str(&family.check_limit());
        script.push_str(family.logic());
        for (number, question) in questions.iter().enumerate() {
            script.push_str(&format!("{push}{}{pop}(echo \"asked {number}\")\n", question.script));
        }
        script
    }
}

fn commands(asking: &Asking<'_>) -> io::Result<BTreeMap<String, bool>> {
    let &Asking { solver, until } = asking;
    let limits = Limits { output: usual_limits().output, until, ..Limits::for_seconds(5.0) };
    let logic = solver.family.logic();
    let mut taken = BTreeMap::new();
    for command in COMMANDS {
        let body = command.script.replace("LOGIC", logic);
        let script = format!("{}{}{logic}{body}", command.option, solver.family.incremental());
        let raw = cold::run(&solver.invocation, &script, &limits)?;
        let stdout = text_of(&raw.stdout);
        let said = answer::read(&stdout, &text_of(&raw.stderr), raw.end);
        let checks = script.matches("(check-sat").count();
        let is_taken = said.answers.len() == checks && is_understood(said.answer) && !complains(&stdout);
        taken.insert(command.name.to_owned(), is_taken);
    }
    Ok(taken)
}

/// What stands before and after the line that echoes a number; some solvers echo the quotes too.
fn split_at_echo(text: &str, number: usize) -> Option<(&str, &str)> {
    let mut position = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().trim_matches('"') == format!("asked {number}") {
            return Some((&text[..position], &text[position + line.len()..]));
        }
        position += line.len();
    }
    None
}

fn is_answered(question: &Question, stdout: &str, stderr: &str, end: End) -> bool {
    let said = answer::read(stdout, stderr, end);
    if question.subject == Subject::Feature(Feature::WideCharacters) {
        return said.answer == Answer::Unsat;
    }
    is_understood(said.answer) && !complains(stdout)
}

/// Whether an answer shows that the formula was read. A crash and a timeout do.
fn is_understood(answer: Answer) -> bool {
    !matches!(answer, Answer::Rejected | Answer::Error | Answer::Flood)
}

fn complains(stdout: &str) -> bool {
    stdout.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("(error") || line.starts_with("unsupported")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_stand_before_their_echo() {
        assert_eq!(split_at_echo("sat\nasked 0\nunsat\n", 0), Some(("sat\n", "unsat\n")));
        assert_eq!(split_at_echo("sat\n\"asked 3\"\n", 3), Some(("sat\n", "")));
        assert_eq!(split_at_echo("asked 1\n", 11), None);
    }

    #[test]
    fn complaints_are_seen() {
        assert!(complains("unsupported\n; ignoring\nsat\n"));
        assert!(complains("sat\n(error \"no\")\n"));
        assert!(!complains("sat\n"));
    }
}

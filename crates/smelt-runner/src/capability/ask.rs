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

use super::questions::{Context, HALF, Question, SINGLE, Subject, language, other_formats, sorts};
use super::{Capabilities, Feature};
use crate::answer::{self, text_of};
use crate::cold::{self, End};
use crate::limits::Limits;
use crate::numbers::Numbers;
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
        name: "maximize",
        option: "",
        script: "(declare-const p Bool)\n(maximize (ite p 1 0))\n(assert-soft p)\n(check-sat)\n(get-objectives)\n",
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
    let all_numbers = [Numbers::Integers, Numbers::BitVectors];
    let formats = |dialect| [HALF, SINGLE].map(|format| (dialect, format));
    let of_language = dialects.into_iter().flat_map(formats).flat_map(|(dialect, format)| {
        all_numbers.into_iter().flat_map(move |numbers| language(dialect, format, numbers))
    });
    let asked = all_numbers.into_iter().flat_map(sorts).chain(of_language);
    let mut text: String =
        asked.map(|question| question.script + &question.literal_script.unwrap_or_default()).collect();
    for command in COMMANDS {
        text.push_str(command.option);
        text.push_str(command.script);
    }
    for of_family in [Family::safe_mode, Family::logic_of_functions, Family::logic_of_heaps] {
        text.extend(Family::ALL.into_iter().filter_map(of_family));
    }
    text
}

/// Asks a solver everything, in the dialect that it speaks.
pub(crate) fn learn(asking: &Asking<'_>, dialect: Dialect) -> io::Result<Capabilities> {
    let commands = commands(asking)?;
    let knows_levels =
        Capabilities { commands: commands.clone(), ..Capabilities::default() }.takes_command("push");
    let batch = if knows_levels { usize::MAX } else { 1 };
    let capabilities =
        Asker { asking: *asking, options: "", batch, known: None, most: None }.learn_language(dialect)?;
    Ok(Capabilities { commands, ..capabilities })
}

/// What a solver takes that is known without options and was given some: those may make it take more, and it is asked only
/// about what it refuses without them.
pub(crate) fn learn_with_options(
    asking: &Asking<'_>,
    dialect: Dialect,
    known: &Capabilities,
) -> io::Result<Capabilities> {
    let batch = if known.takes_command("push") { usize::MAX } else { 1 };
    let asker = Asker { asking: *asking, options: "", batch, known: Some(known), most: None };
    Ok(Capabilities { commands: known.commands.clone(), ..asker.learn_language(dialect)? })
}

/// What a solver takes in safe mode, of what it takes at most; none if it has no such mode, or is started with options,
/// which it may exclude.
pub(crate) fn learn_safe_mode(
    asking: &Asking<'_>,
    dialect: Dialect,
    most: &Capabilities,
) -> io::Result<Option<Capabilities>> {
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
    let asker = Asker { asking: *asking, options, batch: usize::MAX, known: None, most: Some(most) };
    asker.learn_language(dialect).map(Some)
}

/// A solver that is asked.
struct Asker<'s> {
    asking: Asking<'s>,
    /// Options that come before all questions.
    options: &'static str,
    /// At most this many questions are put to one process.
    batch: usize,
    /// What it is known to take is not asked again.
    known: Option<&'s Capabilities>,
    /// What it takes at most.
    most: Option<&'s Capabilities>,
}

impl Asker<'_> {
    /// Asks about sorts, operators and features.
    fn learn_language(&self, dialect: Dialect) -> io::Result<Capabilities> {
        let mut capabilities = Capabilities::default();
        let mut refused = self.refused_sorts(Numbers::Integers, |_| true)?;
        let mut numbers = Numbers::Integers;
        if refused.contains(&SortClass::Int) {
            // What has numbers in it is asked about with those that it knows.
            numbers = Numbers::BitVectors;
            refused = self.refused_sorts(numbers, |class| refused.contains(class))?;
        }
        capabilities.refused_sorts = refused;
        let half = other_formats(dialect);
        let takes_half = self.is_known(&half) || self.ask(Context::Usual, &[&half])?.contains(&true);
        let questions = language(dialect, if takes_half { HALF } else { SINGLE }, numbers);
        let knows = |class: &SortClass| !capabilities.refused_sorts.contains(class);
        let (known, open): (Vec<&Question>, Vec<&Question>) =
            questions.iter().partition(|question| self.is_known(question));
        let may_know = |question: &Question| self.may_take(question) && question.sorts.iter().all(knows);
        let (asked, hopeless): (Vec<&Question>, Vec<&Question>) =
            open.into_iter().partition(|question| may_know(question));
        let answers = self.ask_in_all_ways(&asked)?;
        let asked = asked.into_iter().zip(answers);
        let others = known.into_iter().map(|question| (question, true));
        let hopeless = hopeless.into_iter().map(|question| (question, false));
        for (question, is_taken) in asked.chain(others).chain(hopeless) {
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

    /// The classes of sorts among some that are refused, in questions with these numbers.
    fn refused_sorts(
        &self,
        numbers: Numbers,
        is_wanted: impl Fn(&SortClass) -> bool,
    ) -> io::Result<Vec<SortClass>> {
        let mut questions = sorts(numbers);
        questions.retain(|question| {
            !self.is_known(question) && matches!(&question.subject, Subject::Sort(class) if is_wanted(class))
        });
        let answers = self.ask_in_all_ways(&questions.iter().collect::<Vec<_>>())?;
        let refused = questions.iter().zip(answers).filter(|(_, is_taken)| !is_taken);
        Ok(refused
            .filter_map(|(question, _)| match question.subject {
                Subject::Sort(class) => Some(class),
                _ => None,
            })
            .collect())
    }

    fn is_known(&self, question: &Question) -> bool {
        self.known.is_some_and(|known| question.is_taken_by(known))
    }

    /// Whether asking is worth it: what is refused anyway is refused with restrictions too, and options bring operators and
    /// sorts, but not other sorts for an operator that is there.
    fn may_take(&self, question: &Question) -> bool {
        let is_there = |known: &Capabilities| match &question.subject {
            Subject::Application(op, _) => known.takes_operator(*op),
            _ => false,
        };
        self.most.is_none_or(|most| question.is_taken_by(most)) && !self.known.is_some_and(is_there)
    }

    /// Whether each question is understood: as it is, with literals instead of variables, or in another context.
    fn ask_in_all_ways(&self, questions: &[&Question]) -> io::Result<Vec<bool>> {
        let mut answers = self.ask(Context::Usual, questions)?;
        let ways = [
            (Context::Usual, true),
            (Context::Functions, false),
            (Context::Functions, true),
            (Context::Heap, false),
        ];
        for (context, has_literals) in ways {
            let is_asked = |question: &Question| context == Context::Usual || question.context == context;
            let refused: Vec<(usize, Question)> = questions
                .iter()
                .enumerate()
                .filter(|(number, question)| !answers[*number] && is_asked(question))
                .filter_map(|(number, question)| {
                    let script = match has_literals {
                        true => question.literal_script.clone()?,
                        false => question.script.clone(),
                    };
                    Some((number, Question { script, literal_script: None, ..(*question).clone() }))
                })
                .collect();
            let again: Vec<&Question> = refused.iter().map(|(_, question)| question).collect();
            for ((number, _), is_taken) in refused.iter().zip(self.ask(context, &again)?) {
                answers[*number] = is_taken;
            }
        }
        Ok(answers)
    }

    /// Whether each question is understood in a context; none is where the solver needs no such context.
    fn ask(&self, context: Context, questions: &[&Question]) -> io::Result<Vec<bool>> {
        let Asking { solver, until } = self.asking;
        let logic = match context {
            Context::Usual => Some(solver.family.logic()),
            Context::Functions => solver.family.logic_of_functions(),
            Context::Heap => solver.family.logic_of_heaps(),
        };
        let Some(logic) = logic else { return Ok(vec![false; questions.len()]) };
        let batch = if context == Context::Heap { 1 } else { self.batch };
        let limits = Limits { until, ..usual_limits() };
        let mut answers = Vec::with_capacity(questions.len());
        while answers.len() < questions.len() {
            let start = answers.len();
            let end = questions.len().min(start.saturating_add(batch));
            let script = self.script_of(&questions[start..end], batch > 1, logic);
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

    fn script_of(&self, questions: &[&Question], is_incremental: bool, logic: &str) -> String {
        let family = self.asking.solver.family;
        let (push, pop) = if is_incremental { ("(push 1)\n", "(pop 1)\n") } else { ("", "") };
        let mut script = self.options.to_owned();
        if is_incremental {
            script.push_str(family.incremental());
        }
        script.push_str(&family.check_limit());
        script.push_str(logic);
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

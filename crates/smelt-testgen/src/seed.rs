//! Seeds: scripts read once and brought into the form that techniques work on.
//!
//! That form is: declarations and definitions, then assertions, then one `check-sat`. It says what is in force at the
//! first check of the script; options, logics, questions and what comes later are dropped.
//!
//! A seed may say what it is. The first line `; expect: sat` or `; expect: unsat`, or else the status in force at the
//! first check, is its label. Lines `; model: (define-fun ..)` give a model, and `; core: 1 3` the numbers of the
//! assertions that have no model together. A line `; expect: unsat` is believed, a `sat` only if the model is one, and a
//! status never: statuses of real files are sometimes wrong. A line `; expect: unsat unconfirmed` is believed for want of
//! anything better: no solver is blamed by it.

use smelt_oracle::case::Expectation;
use smelt_semantics::model::Model;
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::{Reading, read_script, read_script_as};
use smelt_smtlib::script::{Command, Role, Script};
use smelt_smtlib::term::Terms;
use thiserror::Error;

use crate::printed::Printed;
use crate::truth::{Seen, Truth};

/// A script that is ready to be changed.
#[derive(Debug, Clone)]
pub struct Seed {
    /// How lineages name it.
    pub name: String,
    /// Its declarations, assertions and check.
    pub script: Script,
    /// What its text says that it is.
    pub expectation: Expectation,
    /// What is known of it: a model here has been evaluated.
    pub truth: Truth,
    /// Whether it is said to be unsatisfiable by a label that no solver has confirmed.
    pub is_doubtful: bool,
    /// The text that it was read from.
    pub source: String,
    /// The text of its script, with which chains from it start.
    pub(crate) printed: Printed,
    /// What its model was seen to make of its assertions, with which chains from it start.
    pub(crate) seen: Seen,
    /// The complaints about names that we do not know, which its cases share.
    pub(crate) complaints: Vec<String>,
}

/// How a line with a part of a model starts.
pub const MODEL_LINE: &str = "; model: ";
/// How the line with the numbers of a core starts.
pub const CORE_LINE: &str = "; core: ";
/// How the first line starts if it says what a seed is.
pub const EXPECT_LINE: &str = "; expect: ";

/// What the first line says of a seed whose label `unsat` no solver has confirmed.
pub const UNCONFIRMED: &str = "unsat unconfirmed";

/// Why a script cannot be a seed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SeedError {
    /// It has a problem worse than a name that we do not know.
    #[error("cannot use seed `{name}`: {}", .problem.message)]
    Problem {
        /// The seed.
        name: String,
        /// Its first problem.
        problem: Diagnostic,
    },
    /// It checks nothing.
    #[error("cannot use seed `{name}`: it has no `check-sat`")]
    NoCheck {
        /// The seed.
        name: String,
    },
    /// Before its first check stands a command that we do not understand.
    #[error("cannot use seed `{name}`: unknown command `{command}`")]
    UnknownCommand {
        /// The seed.
        name: String,
        /// The command.
        command: String,
    },
    /// Its declarations cannot be moved before its assertions, because a name changes its meaning in between.
    #[error("cannot use seed `{name}`: its declarations depend on its assertions")]
    Entangled {
        /// The seed.
        name: String,
    },
}

impl Seed {
    /// Reads a seed.
    pub fn read(terms: &mut Terms, name: &str, source: &str) -> Result<Seed, SeedError> {
        let reading = read_script(terms, source);
        Seed::from_reading(terms, name, source, &reading)
    }

    /// Reads a seed that is written in this dialect.
    pub(crate) fn read_as(
        terms: &mut Terms,
        name: &str,
        source: &str,
        dialect: Dialect,
    ) -> Result<Seed, SeedError> {
        let reading = read_script_as(terms, source, dialect);
        Seed::from_reading(terms, name, source, &reading)
    }

    fn from_reading(
        terms: &mut Terms,
        name: &str,
        source: &str,
        reading: &Reading,
    ) -> Result<Seed, SeedError> {
        let name = name.to_owned();
        let is_grave = |diagnostic: &&Diagnostic| diagnostic.problem != Problem::UnknownName;
        if let Some(problem) = reading.diagnostics.iter().find(is_grave) {
            return Err(SeedError::Problem { name, problem: problem.clone() });
        }
        let mut state = State::default();
        for command in &reading.script.commands {
            match state.command(terms, command) {
                Effect::Continue => {}
                Effect::Checked => return state.finish(terms, name, source),
                Effect::Unknown(command) => return Err(SeedError::UnknownCommand { name, command }),
            }
        }
        Err(SeedError::NoCheck { name })
    }

    /// Its script as text, with what is known of it in comments.
    pub(crate) fn plain_text(&self, terms: &mut Terms) -> String {
        let known = match &self.truth {
            Truth::Sat(_) => "sat",
            Truth::Unsat(_) if self.is_doubtful => UNCONFIRMED,
            Truth::Unsat(_) => "unsat",
            Truth::Unknown => return script_text(terms, &self.script),
        };
        let mut text = format!("{EXPECT_LINE}{known}\n");
        for line in
            self.source.lines().filter(|line| line.starts_with(MODEL_LINE) || line.starts_with(CORE_LINE))
        {
            text.push_str(line);
            text.push('\n');
        }
        text + &script_text(terms, &self.script)
    }

    /// Reads the plain text of a seed, in which things may have been given other names: what its comments say is true.
    pub(crate) fn read_plain(terms: &mut Terms, name: &str, source: &str) -> Seed {
        let reading = read_script_as(terms, source, Dialect::V26);
        let truth = match model(terms, &reading, source) {
            Some(model) => Truth::Sat(model),
            _ if label(source) == Some("unsat") => unsat(&reading.script, source),
            _ => Truth::Unknown,
        };
        let (name, source) = (name.to_owned(), source.to_owned());
        let complaints = reading.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect();
        Seed {
            complaints,
            is_doubtful: is_doubtful(&source),
            name,
            script: reading.script,
            expectation: expectation(&source, None),
            truth,
            source,
            printed: Printed::default(),
            seen: Seen::default(),
        }
    }
}

/// What is in force at a place of a script.
#[derive(Debug, Default)]
struct State {
    declarations: Vec<Command>,
    assertions: Vec<Command>,
    /// How many declarations and assertions there were at each push.
    levels: Vec<(usize, usize)>,
    keeps_declarations: bool,
    /// The last status that was given.
    status: Option<String>,
}

enum Effect {
    Continue,
    Checked,
    Unknown(String),
}

impl State {
    fn command(&mut self, terms: &Terms, command: &Command) -> Effect {
        match (command, command.role()) {
            (Command::CheckSatAssuming(assumptions), _) => {
                self.assertions.extend(assumptions.iter().map(|assumption| Command::Assert(*assumption)));
                return Effect::Checked;
            }
            (_, Role::Check) => return Effect::Checked,
            (_, Role::Assertion) => self.assertions.push(command.clone()),
            (_, Role::Declaration) => self.declarations.push(command.clone()),
            (Command::Push(levels), _) => {
                let level = (self.declarations.len(), self.assertions.len());
                self.levels.extend(std::iter::repeat_n(level, *levels as usize));
            }
            (Command::Pop(levels), _) => {
                for _ in 0..*levels {
                    // The reader has complained of a pop without a push.
                    let Some((declarations, assertions)) = self.levels.pop() else { break };
                    self.assertions.truncate(assertions);
                    if !self.keeps_declarations {
                        self.declarations.truncate(declarations);
                    }
                }
            }
            (Command::ResetAssertions, _) => {
                self.assertions.clear();
                self.levels.clear();
                if !self.keeps_declarations {
                    self.declarations.clear();
                }
            }
            (_, Role::Scope) => *self = State::default(),
            (Command::SetInfo(keyword, Some(value)), _) if terms.text(*keyword) == ":status" => {
                self.status = Some(terms.text(*value).to_owned());
            }
            (Command::SetOption(keyword, value), _) if terms.text(*keyword) == ":global-declarations" => {
                self.keeps_declarations = value.is_some_and(|value| terms.text(value) == "true");
            }
            (Command::Opaque(text), _) => return Effect::Unknown(terms.text(*text).to_owned()),
            (_, Role::Question | Role::Setting | Role::Unknown) => {}
        }
        Effect::Continue
    }

    fn finish(self, terms: &mut Terms, name: String, source: &str) -> Result<Seed, SeedError> {
        let mut script = Script { dialect: Dialect::V26, ..Script::default() };
        let expectation = expectation(source, self.status.as_deref());
        let commands = self.declarations.into_iter().chain(self.assertions);
        commands.chain([Command::CheckSat]).for_each(|command| script.push(command));
        // Whatever moving the declarations has broken shows when the result is read again.
        let mut printed = Printed::default();
        let text = printed.text(terms, &script).to_owned();
        let again = read_script_as(terms, &text, Dialect::V26);
        if again.script.commands != script.commands {
            return Err(SeedError::Entangled { name });
        }
        let complaints = again.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect();
        let mut seen = Seen::default();
        let truth = match model(terms, &again, source) {
            Some(model) if seen.holds(terms, &script, &model) => Truth::Sat(model),
            _ if label(source) == Some("unsat") => unsat(&script, source),
            _ => Truth::Unknown,
        };
        let source = source.to_owned();
        let is_doubtful = is_doubtful(&source);
        Ok(Seed { name, script, expectation, truth, is_doubtful, source, printed, seen, complaints })
    }
}

/// What the first comment line `; expect: ..` or the status of a script says.
fn expectation(source: &str, status: Option<&str>) -> Expectation {
    match label(source).or(status).unwrap_or_default() {
        "sat" => Expectation::Sat,
        "unsat" => Expectation::Unsat,
        _ => Expectation::None,
    }
}

/// What the first line says of a seed, if it says something.
fn label(source: &str) -> Option<&str> {
    let label = source.lines().next()?.strip_prefix(EXPECT_LINE)?.trim();
    Some(if label == UNCONFIRMED { "unsat" } else { label })
}

/// Whether the first line says that a seed is unsatisfiable, but that no solver has confirmed it.
fn is_doubtful(source: &str) -> bool {
    let line = source.lines().next().and_then(|line| line.strip_prefix(EXPECT_LINE));
    line.is_some_and(|label| label.trim() == UNCONFIRMED)
}

/// The model in the comments of a text; none if there is none.
fn model(terms: &mut Terms, reading: &Reading, source: &str) -> Option<Model> {
    let mut lines = source.lines().filter_map(|line| line.strip_prefix(MODEL_LINE)).peekable();
    if lines.peek().is_none() {
        // A script without symbols needs no values for them.
        let is_declaration =
            |command: &Command| matches!(command, Command::DeclareConst(..) | Command::DeclareFun(..));
        let is_closed = !reading.script.commands.iter().any(is_declaration);
        return (label(source) == Some("sat") && is_closed).then(Model::new);
    }
    let text = format!("({})", lines.collect::<Vec<_>>().join("\n"));
    Model::parse(terms, &reading.scope, &text, Dialect::V26).ok()
}

/// The assertions that a comment names, or all of them.
fn unsat(script: &Script, source: &str) -> Truth {
    let Truth::Unsat(all) = Truth::all_unsat(script) else { return Truth::Unknown };
    let Some(line) = source.lines().find_map(|line| line.strip_prefix(CORE_LINE)) else {
        return Truth::Unsat(all);
    };
    let number = |word: &str| all.get(word.parse::<usize>().ok()?.checked_sub(1)?).copied();
    match line.split_whitespace().map(number).collect::<Option<Vec<usize>>>() {
        Some(core) if !core.is_empty() => Truth::Unsat(core),
        _ => Truth::Unsat(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let mut terms = Terms::new();
        let text = match Seed::read(&mut terms, "a", source) {
            Ok(seed) => script_text(&mut terms, &seed.script).replace('\n', " "),
            Err(error) => error.to_string(),
        };
        assert_eq!(text.trim(), expected);
    }

    #[test]
    fn only_the_problem_is_kept() {
        check(
            "(set-logic QF_S) (set-info :status sat) (declare-const x Int) (assert (= x 0)) (echo \"a\") \
             (check-sat) (get-model) (exit)",
            "(declare-const x Int) (assert (= x 0)) (check-sat)",
        );
    }

    #[test]
    fn declarations_come_first() {
        check(
            "(assert true) (declare-const x Bool) (assert x) (check-sat)",
            "(declare-const x Bool) (assert true) (assert x) (check-sat)",
        );
    }

    #[test]
    fn what_is_popped_before_the_first_check_is_dropped() {
        check(
            "(push 1) (declare-const x Int) (assert (= x 0)) (pop 1) (declare-const x Bool) (assert x) (push 1) \
             (check-sat) (assert false) (check-sat)",
            "(declare-const x Bool) (assert x) (check-sat)",
        );
    }

    #[test]
    fn global_declarations_survive_a_pop() {
        check(
            "(set-option :global-declarations true) (push 1) (declare-const x Bool) (assert x) (pop 1) (assert (not x)) (check-sat)",
            "(declare-const x Bool) (assert (not x)) (check-sat)",
        );
    }

    #[test]
    fn assumptions_become_assertions() {
        check(
            "(declare-const x Bool) (check-sat-assuming (x (not x)))",
            "(declare-const x Bool) (assert x) (assert (not x)) (check-sat)",
        );
    }

    #[test]
    fn old_spellings_become_those_of_today() {
        check(
            "(declare-const x String) (assert (str.in.re x (str.to.re \"a\"))) (check-sat)",
            "(declare-const x String) (assert (str.in_re x (str.to_re \"a\"))) (check-sat)",
        );
    }

    #[test]
    fn scripts_that_are_no_seeds_are_refused() {
        check("(assert true)", "cannot use seed `a`: it has no `check-sat`");
        check("(minimize x) (check-sat)", "cannot use seed `a`: unknown command `(minimize x)`");
        check(
            "(assert (! true :named p)) (define-fun q () Bool p) (assert q) (check-sat)",
            "cannot use seed `a`: its declarations depend on its assertions",
        );
        check(
            "(assert (not 1)) (check-sat)",
            "cannot use seed `a`: `not` has signature `Bool -> Bool`, but argument 1 is a `Int`",
        );
    }

    fn check_label(source: &str, expectation: Expectation, truth: &str) {
        let mut terms = Terms::new();
        let seed = Seed::read(&mut terms, "a", source).unwrap();
        assert_eq!(seed.expectation, expectation, "{source}");
        let found = match seed.truth {
            Truth::Unknown => "unknown".to_owned(),
            Truth::Sat(_) => "sat".to_owned(),
            Truth::Unsat(core) => format!("unsat {core:?}"),
        };
        assert_eq!(found, truth, "{source}");
    }

    #[test]
    fn the_answer_is_read_from_the_text() {
        check_label("; expect: unsat\n(assert false)(check-sat)", Expectation::Unsat, "unsat [0]");
        check_label("(set-info :status sat)\n(check-sat)", Expectation::Sat, "unknown");
        check_label("(check-sat)", Expectation::None, "unknown");
    }

    #[test]
    fn the_status_is_that_of_the_first_check() {
        let source = "(set-info :status sat)(set-info :status unsat)(assert false)(check-sat)(set-info :status sat)(check-sat)";
        check_label(source, Expectation::Unsat, "unknown");
        check_label("; (set-info :status unsat)\n(check-sat)", Expectation::None, "unknown");
    }

    #[test]
    fn a_model_counts_if_it_is_one() {
        let with = |model: &str| {
            format!("; expect: sat\n; model: {model}\n(declare-const x Int)(assert (> x 1))(check-sat)")
        };
        check_label(&with("(define-fun x () Int 2)"), Expectation::Sat, "sat");
        check_label(&with("(define-fun x () Int 1)"), Expectation::Sat, "unknown");
        check_label(&with("(define-fun x"), Expectation::Sat, "unknown");
    }

    #[test]
    fn a_script_without_symbols_needs_no_model() {
        check_label("; expect: sat\n(assert (= 1 1))(check-sat)", Expectation::Sat, "sat");
        check_label("; expect: sat\n(assert (= 1 2))(check-sat)", Expectation::Sat, "unknown");
    }

    #[test]
    fn a_core_is_read_by_the_numbers_of_assertions() {
        let with = |core: &str| {
            format!(
                "; expect: unsat\n; core: {core}\n(declare-const x Bool)(assert x)(assert true)(assert (not x))(check-sat)"
            )
        };
        check_label(&with("1 3"), Expectation::Unsat, "unsat [1, 3]");
        check_label(&with("1 4"), Expectation::Unsat, "unsat [1, 2, 3]");
    }

    #[test]
    fn an_unconfirmed_label_is_doubtful() {
        let seed = |label: &str| {
            let source = format!("; expect: {label}\n(assert false)(check-sat)");
            Seed::read(&mut Terms::new(), "a", &source).unwrap()
        };
        assert!(matches!(seed(UNCONFIRMED).truth, Truth::Unsat(_)) && seed(UNCONFIRMED).is_doubtful);
        assert!(!seed("unsat").is_doubtful);
    }
}

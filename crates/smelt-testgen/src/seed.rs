//! Seeds: scripts read once and brought into the form that techniques work on.
//!
//! That form is: declarations and definitions, then assertions, then one `check-sat`. It says what is in force at the
//! first check of the script at which something is asserted, or at its end if there is none; options, questions, commands
//! that we do not know and what comes later are dropped, and logics but those in which functions are values.
//!
//! A file that smelt made (a line `; technique: ` in its header) may check something else on the way, and says what it is
//! at its last check: that one is read.
//!
//! A seed may say what it is. The first line `; expect: sat` or `; expect: unsat`, or else the status in force at the
//! first check, is its label. Lines `; model: (define-fun ..)` give a model, and `; core: 1 3` the numbers of the
//! assertions that have no model together. A line `; expect: unsat` is believed, a `sat` only if the model is one, and a
//! status never: statuses of real files are sometimes wrong. The lines `; expect: unsat agreed by cvc5 and z3` and
//! `; expect: unsat unconfirmed` are believed for want of anything better: no solver is blamed by them.

use smelt_oracle::case::{Basis, Expectation, Label};
use smelt_semantics::model::Model;
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::{Reading, read_script, read_script_as};
use smelt_smtlib::script::{Command, Role, Script};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::Terms;
use thiserror::Error;

use crate::ground_truth::{Seen, Truth};
use crate::print_cache::PrintCache;
use crate::readers::Readers;

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
    /// What it rests on that it is unsatisfiable, if it is thought to be.
    pub basis: Basis,
    /// Whether its check is the first one of its text, which comments and statuses of others speak of.
    pub is_first_check: bool,
    /// The families of solvers that read it, if some were asked.
    pub accepted_by: Option<Vec<String>>,
    /// The text that it was read from.
    pub source: String,
    /// The text of its script, with which chains from it start.
    pub(crate) printed: PrintCache,
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
/// How the line with the families of solvers starts that read a seed.
pub const ACCEPTED_LINE: &str = "; accepted by: ";
/// How the line starts that says by which technique smelt made a file.
const TECHNIQUE_LINE: &str = "; technique: ";

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
    /// Every solver that was asked rejects it.
    #[error("cannot use seed `{name}`: every solver that was asked rejects it")]
    Rejected {
        /// The seed.
        name: String,
    },
    /// It asserts nothing.
    #[error("cannot use seed `{name}`: it asserts nothing")]
    NoAssertion {
        /// The seed.
        name: String,
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
        let accepted_by = accepted_by(source);
        if accepted_by.as_ref().is_some_and(Vec::is_empty) {
            return Err(SeedError::Rejected { name });
        }
        let is_grave = |diagnostic: &&Diagnostic| diagnostic.problem != Problem::UnknownName;
        if let Some(problem) = reading.diagnostics.iter().find(is_grave) {
            return Err(SeedError::Problem { name, problem: problem.clone() });
        }
        let made = Made::of(source);
        // The first line of a file with several cases speaks of the last check of the first one, which is not looked for.
        let mut state = State { is_altered: made == Made::Several, ..State::default() };
        let mut commands = until_exit(&reading.script.commands);
        if made == Made::Case
            && let Some(last) = commands.iter().rposition(is_check)
        {
            commands = &commands[..=last];
        }
        for (position, command) in commands.iter().enumerate() {
            let asserted = state.assertions.len();
            if state.command(terms, command) == Effect::Continue {
                continue;
            }
            state.checks += 1;
            if made == Made::Case && position + 1 < commands.len() {
                // What a check assumes holds for that check only.
                state.assertions.truncate(asserted);
            } else if !state.assertions.is_empty() {
                return state.finish(terms, name, source);
            } else {
                state.is_altered = true;
            }
        }
        if state.assertions.is_empty() {
            return Err(SeedError::NoAssertion { name });
        }
        // Files without a check ask for something else about the same formula.
        state.is_altered = true;
        state.finish(terms, name, source)
    }

    /// The families that read it, as far as its operators tell, and those who were asked.
    pub fn readers(&self, terms: &Terms) -> Readers {
        let readers = Readers::of_script(terms, &self.script);
        match &self.accepted_by {
            Some(families) => readers.and(Readers::named(families)),
            None => readers,
        }
    }

    /// Its script as text, with what is known of it in comments.
    pub(crate) fn plain_text(&self, terms: &mut Terms) -> String {
        let known = match &self.truth {
            Truth::Sat(_) => "sat".to_owned(),
            Truth::Unsat(_) => {
                Label { expectation: Expectation::Unsat, basis: self.basis.clone() }.to_string()
            }
            Truth::Unknown => return script_text(terms, &self.script),
        };
        let mut text = format!("{EXPECT_LINE}{known}\n");
        let is_kept =
            |line: &&str| [MODEL_LINE, CORE_LINE, ACCEPTED_LINE].iter().any(|start| line.starts_with(start));
        for line in self.source.lines().filter(is_kept) {
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
            _ if is_said_unsat(source) => unsat(&reading.script, source),
            _ => Truth::Unknown,
        };
        let (name, source) = (name.to_owned(), source.to_owned());
        let complaints = reading.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect();
        Seed {
            complaints,
            basis: basis(&source),
            is_first_check: true,
            accepted_by: accepted_by(&source),
            name,
            script: reading.script,
            expectation: expectation(&source, None),
            truth,
            source,
            printed: PrintCache::default(),
            seen: Seen::default(),
        }
    }
}

/// Whether smelt made a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// It did not.
    No,
    /// The file is a case, and says what it is at its last check.
    Case,
    /// The file has several cases.
    Several,
}

impl Made {
    fn of(source: &str) -> Made {
        let is_technique = |line: &&str| line.starts_with(TECHNIQUE_LINE);
        if !source.lines().take_while(|line| line.starts_with(';')).any(|line| is_technique(&line)) {
            return Made::No;
        }
        match source.lines().filter(is_technique).count() {
            1 => Made::Case,
            _ => Made::Several,
        }
    }
}

/// The commands that are carried out.
fn until_exit(commands: &[Command]) -> &[Command] {
    let end = commands.iter().position(|command| *command == Command::Exit);
    &commands[..end.unwrap_or(commands.len())]
}

fn is_check(command: &Command) -> bool {
    command.role() == Role::Check
}

/// What is in force at a place of a script.
#[derive(Debug, Default)]
struct State {
    declarations: Vec<Command>,
    assertions: Vec<Command>,
    /// How many declarations and assertions there were at each push.
    levels: Vec<(usize, usize)>,
    keeps_declarations: bool,
    /// The logic, if functions are values in it: cvc5 reads no such formula without.
    logic: Option<Symbol>,
    /// The last status that was given.
    status: Option<String>,
    /// Whether it is another problem than that of the first check, so that what the file says of that does not count.
    is_altered: bool,
    /// How many checks there were.
    checks: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum Effect {
    Continue,
    Checked,
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
            // What was checked before a reset stays the first check.
            (_, Role::Scope) => {
                *self = State { is_altered: self.is_altered, checks: self.checks, ..State::default() };
            }
            (Command::SetLogic(logic), _) if terms.text(*logic).starts_with("HO_") => {
                self.logic = Some(*logic);
            }
            (Command::SetInfo(keyword, Some(value)), _) if terms.text(*keyword) == ":status" => {
                self.status = Some(terms.text(*value).to_owned());
            }
            (Command::SetOption(keyword, value), _) if terms.text(*keyword) == ":global-declarations" => {
                self.keeps_declarations = value.is_some_and(|value| terms.text(value) == "true");
            }
            // Declarations of extensions are needed by what uses them.
            (Command::Opaque(text), _) if is_declaration(terms.text(*text)) => {
                self.declarations.push(command.clone());
            }
            // Whatever it does, the rest is a formula; what is known of that is found out anew.
            (Command::Opaque(_), _) | (Command::Extension(_), Role::Unknown) => self.is_altered = true,
            (_, Role::Question | Role::Setting | Role::Unknown) => {}
        }
        Effect::Continue
    }

    fn finish(self, terms: &mut Terms, name: String, source: &str) -> Result<Seed, SeedError> {
        let mut script = Script { dialect: Dialect::V26, ..Script::default() };
        let is_altered = self.is_altered;
        let expectation =
            if is_altered { Expectation::None } else { expectation(source, self.status.as_deref()) };
        // Cases join what other seeds and operators need to it. Without any logic cvc5 knows no sort of a heap.
        let is_heap = |command: &Command| matches!(command, Command::Extension(extension) if extension.word == "declare-heap");
        let logic = match self.logic {
            Some(_) => Some("HO_ALL"),
            None => self.declarations.iter().any(is_heap).then_some("ALL"),
        };
        let logic = logic.map(|logic| Command::SetLogic(terms.symbols.intern(logic)));
        let commands = logic.into_iter().chain(self.declarations).chain(self.assertions);
        commands.chain([Command::CheckSat]).for_each(|command| script.push(command));
        // Whatever moving the declarations has broken shows when the result is read again.
        let mut printed = PrintCache::default();
        let text = printed.text(terms, &script).to_owned();
        let again = read_script_as(terms, &text, Dialect::V26);
        if again.script.commands != script.commands {
            return Err(SeedError::Entangled { name });
        }
        let complaints = again.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect();
        let mut seen = Seen::default();
        let truth = match model(terms, &again, source) {
            Some(model) if seen.holds(terms, &script, &model) => Truth::Sat(model),
            // Solvers were asked about what is read here; anybody else means the first check.
            _ if is_said_unsat(source) && (!is_altered || is_agreed(source)) => unsat(&script, source),
            _ => Truth::Unknown,
        };
        let source = source.to_owned();
        Ok(Seed {
            name,
            script,
            expectation,
            truth,
            basis: basis(&source),
            is_first_check: !is_altered && self.checks == 1,
            accepted_by: accepted_by(&source),
            source,
            printed,
            seen,
            complaints,
        })
    }
}

/// Whether a command that we do not know declares something.
fn is_declaration(command: &str) -> bool {
    command.trim_start_matches(['(', ' ', '\n', '\t']).starts_with("declare-")
}

/// What the first comment line `; expect: ..` or the status of a script says.
fn expectation(source: &str, status: Option<&str>) -> Expectation {
    label(source).unwrap_or_else(|| Label::read(status.unwrap_or_default())).expectation
}

/// What the first line says of a seed, if it says something.
fn label(source: &str) -> Option<Label> {
    source.lines().next()?.strip_prefix(EXPECT_LINE).map(Label::read)
}

/// Whether the first line says that a seed is unsatisfiable.
fn is_said_unsat(source: &str) -> bool {
    label(source).is_some_and(|claim| claim.expectation == Expectation::Unsat)
}

/// Whether that was found out by asking solvers.
fn is_agreed(source: &str) -> bool {
    matches!(basis(source), Basis::Agreed(_))
}

/// What the label of a seed rests on; one without says nothing that would rest on anything.
fn basis(source: &str) -> Basis {
    label(source).map_or(Basis::Certain, |claim| claim.basis)
}

/// Whether its comments say that every solver that was asked rejects a seed.
pub fn is_rejected_by_all(source: &str) -> bool {
    accepted_by(source).is_some_and(|families| families.is_empty())
}

/// The families of solvers that read a seed, if its comments say so.
fn accepted_by(source: &str) -> Option<Vec<String>> {
    let line = source.lines().take_while(|line| line.starts_with(';'));
    let families = line.into_iter().find_map(|line| line.strip_prefix(ACCEPTED_LINE))?;
    Some(families.split_whitespace().map(str::to_owned).collect())
}

/// The model in the comments of a text; none if there is none.
fn model(terms: &mut Terms, reading: &Reading, source: &str) -> Option<Model> {
    let mut lines = source.lines().filter_map(|line| line.strip_prefix(MODEL_LINE)).peekable();
    if lines.peek().is_none() {
        // A script without symbols needs no values for them.
        let is_declaration =
            |command: &Command| matches!(command, Command::DeclareConst(..) | Command::DeclareFun(..));
        let is_closed = !reading.script.commands.iter().any(is_declaration);
        let is_said_sat = label(source).is_some_and(|claim| claim.expectation == Expectation::Sat);
        return (is_said_sat && is_closed).then(Model::new);
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
        check("(declare-const x Int) (check-sat)", NOTHING);
        check(
            "(assert (! true :named p)) (define-fun q () Bool p) (assert q) (check-sat)",
            "cannot use seed `a`: its declarations depend on its assertions",
        );
        check(
            "(assert (not 1)) (check-sat)",
            "cannot use seed `a`: `not` has signature `Bool -> Bool`, but argument 1 is a `Int`",
        );
    }

    #[test]
    fn a_script_with_another_question_is_a_formula_too() {
        check("(assert true) (get-something x)", "(assert true) (check-sat)");
        check("(assert true) (some-objective x) (check-sat)", "(assert true) (check-sat)");
        check(
            "(declare-const x Int) (check-sat) (assert (= x 0)) (check-sat) (assert false) (check-sat)",
            "(declare-const x Int) (assert (= x 0)) (check-sat)",
        );
    }

    #[test]
    fn a_declaration_that_we_do_not_know_is_kept() {
        let heap = "(declare-something (Int Int)) (assert true) (check-sat)";
        check(heap, heap);
        check_label(&format!("; expect: unsat\n{heap}"), Expectation::Unsat, "unsat [1]");
    }

    #[test]
    fn what_a_script_says_of_its_first_check_does_not_count_for_another_problem() {
        let status = "(set-info :status unsat)";
        check_label(
            &format!("{status}(some-objective x)(assert true)(check-sat)"),
            Expectation::None,
            "unknown",
        );
        check_label(&format!("{status}(check-sat)(assert true)(check-sat)"), Expectation::None, "unknown");
        for other in
            ["(some-objective x)(assert false)(check-sat)", "(check-sat)(assert false)", "(assert false)"]
        {
            check_label(&format!("; expect: unsat\n{other}"), Expectation::None, "unknown");
            // Whoever was asked was asked about the formula that is read.
            let agreed = format!("; expect: unsat agreed by cvc5 and z3\n{other}");
            check_label(&agreed, Expectation::None, "unsat [0]");
        }
    }

    #[test]
    fn a_file_that_smelt_made_says_what_it_is_at_its_last_check() {
        let made = |body: &str| format!("; expect: unsat\n; technique: variant\n; lineage: seed s\n{body}");
        let body = "(declare-const p Bool)(declare-const q Bool)(check-sat)(assert p)(push 1)(assert q)(check-sat)(pop 1)\
            (check-sat-assuming (q))(assert (not p))(check-sat)(get-model)(exit)(check-sat)";
        let problem = "(declare-const p Bool) (declare-const q Bool) (assert p) (assert (not p)) (check-sat)";
        check(&made(body), problem);
        check_label(&made(body), Expectation::Unsat, "unsat [2, 3]");
        // A label that was found out later stands before.
        let labelled = format!("; expect: unsat agreed by cvc5 and z3\n; accepted by: z3\n{}", made(body));
        check(&labelled, problem);
        check(
            &made("(declare-const p Bool)(assert p)(check-sat)(check-sat-assuming ((not p)))"),
            "(declare-const p Bool) (assert p) (assert (not p)) (check-sat)",
        );
        check(&made("(push 1)(assert false)(check-sat)(pop 1)(check-sat)"), NOTHING);
    }

    const NOTHING: &str = "cannot use seed `a`: it asserts nothing";

    #[test]
    fn a_file_of_others_says_what_it_is_at_its_first_check() {
        let body = "(declare-const p Bool)(assert p)(assert (not p))(check-sat)(reset-assertions)(assert true)(check-sat)";
        for head in ["", "; made by hand\n; not by a technique: x\n"] {
            let source = format!("; expect: unsat\n{head}{body}");
            check_label(&source, Expectation::Unsat, "unsat [1, 2]");
        }
        // A comment further down makes no header.
        check_label(
            &format!("; expect: unsat\n{body}\n; technique: x\n"),
            Expectation::Unsat,
            "unsat [1, 2]",
        );
    }

    #[test]
    fn a_label_before_several_cases_does_not_count() {
        let case =
            "; expect: unsat\n; technique: variant\n; lineage: seed s\n(assert true)(check-sat)(reset)\n";
        check_label(&format!("{case}{case}"), Expectation::None, "unknown");
    }

    #[test]
    fn after_a_reset_the_first_check_is_still_the_one_before() {
        for source in ["(check-sat)(reset)(assert true)(check-sat)", "(exit)(assert true)(check-sat)"] {
            let mut terms = Terms::new();
            match Seed::read(&mut terms, "a", &format!("; expect: unsat\n{source}")) {
                Ok(seed) => assert!(matches!(seed.truth, Truth::Unknown), "{source}"),
                Err(error) => assert_eq!(error.to_string(), NOTHING, "{source}"),
            }
        }
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
        check_label("(set-info :status sat)\n(assert true)(check-sat)", Expectation::Sat, "unknown");
        check_label("(assert true)(check-sat)", Expectation::None, "unknown");
    }

    #[test]
    fn the_status_is_that_of_the_first_check() {
        let source = "(set-info :status sat)(set-info :status unsat)(assert false)(check-sat)(set-info :status sat)(check-sat)";
        check_label(source, Expectation::Unsat, "unknown");
        check_label("; (set-info :status unsat)\n(assert true)(check-sat)", Expectation::None, "unknown");
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
    fn a_label_says_what_it_rests_on() {
        let check = |label: &str, basis: Basis| {
            let source = format!("; expect: {label}\n(assert false)(check-sat)");
            let seed = Seed::read(&mut Terms::new(), "a", &source).unwrap();
            assert!(matches!(seed.truth, Truth::Unsat(_)), "{label}");
            assert_eq!(seed.basis, basis, "{label}");
        };
        check("unsat", Basis::Certain);
        check("unsat unconfirmed", Basis::Unconfirmed);
        check("unsat agreed by cvc5 and z3", Basis::Agreed(vec!["cvc5".to_owned(), "z3".to_owned()]));
    }
}

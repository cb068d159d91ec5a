//! The same problem in its plainest form: declarations, then assertions, then one check.
//!
//! Whatever a script pushes and pops, checks on the way, assumes, resets or asks for, at each of its checks some
//! declarations and definitions are in force and some assertions hold. A script of these alone must have the same answer.

use smelt_smtlib::script::{Command, Role, Script};
use smelt_smtlib::term::Terms;

/// What is in force at the last check of a script; the script itself if it is plain, and none if it has no check or a
/// command whose effect is not known.
pub fn flatten(terms: &Terms, script: &Script) -> Option<Script> {
    let mut state = State::default();
    let last = script.commands.iter().rposition(|command| command.role() == Role::Check)?;
    script.commands[..last].iter().for_each(|command| state.note(terms, command));
    state.plain(script, &script.commands[last])
}

/// The same at each check of a script: none for those before which the effect of a command is not known.
pub fn flatten_each(terms: &Terms, script: &Script) -> Vec<Option<Script>> {
    let mut state = State::default();
    let mut plain = Vec::new();
    for command in script.commands.iter().take_while(|command| **command != Command::Exit) {
        if command.role() == Role::Check {
            plain.push(state.plain(script, command));
        }
        state.note(terms, command);
    }
    plain
}

/// Whether a script is more than declarations, assertions and one check.
pub fn is_incremental(script: &Script) -> bool {
    let checks = script.commands.iter().filter(|command| command.role() == Role::Check).count();
    let is_level =
        |command: &Command| matches!(command, Command::CheckSatAssuming(_)) || command.role() == Role::Scope;
    checks > 1 || (checks == 1 && script.commands.iter().any(is_level))
}

/// What is in force after some commands.
#[derive(Debug, Default)]
struct State {
    kept: Vec<Command>,
    /// How many commands were kept at each push.
    levels: Vec<usize>,
    /// Whether declarations outlive their level.
    keeps_declarations: bool,
    /// Whether there was a command whose effect is not known, or a level was closed that was not open.
    is_lost: bool,
}

impl State {
    fn note(&mut self, terms: &Terms, command: &Command) {
        match (command, command.role()) {
            (Command::Push(count), _) => {
                self.levels.extend(std::iter::repeat_n(self.kept.len(), *count as usize));
            }
            (Command::Pop(count), _) => match self.levels.len().checked_sub(*count as usize) {
                Some(open) => {
                    let first = self.levels.get(open).copied().unwrap_or(self.kept.len());
                    self.forget_from(first);
                    self.levels.truncate(open);
                }
                None => self.is_lost = true,
            },
            (Command::ResetAssertions, _) => {
                self.forget_from(0);
                self.levels.clear();
            }
            (Command::Reset, _) => *self = State { is_lost: self.is_lost, ..State::default() },
            (Command::SetOption(keyword, value), _) if terms.text(*keyword) == ":global-declarations" => {
                self.keeps_declarations = value.is_some_and(|value| terms.text(value) == "true");
            }
            (_, Role::Scope | Role::Unknown) => self.is_lost = true,
            (_, Role::Assertion | Role::Declaration) => self.kept.push(command.clone()),
            (_, Role::Check | Role::Question | Role::Setting) => {}
        }
    }

    /// Takes back what was kept from this position on, or the assertions there.
    fn forget_from(&mut self, first: usize) {
        let declared: Vec<Command> = match self.keeps_declarations {
            true => {
                self.kept[first..].iter().filter(|one| one.role() == Role::Declaration).cloned().collect()
            }
            false => Vec::new(),
        };
        self.kept.truncate(first);
        self.kept.extend(declared);
    }

    /// The plain form at a check.
    fn plain(&self, script: &Script, check: &Command) -> Option<Script> {
        if self.is_lost {
            return None;
        }
        let mut plain = script.emptied();
        self.kept.iter().for_each(|command| plain.push(command.clone()));
        if let Command::CheckSatAssuming(assumptions) = check {
            assumptions.iter().for_each(|assumption| plain.push(Command::Assert(*assumption)));
        }
        plain.push(Command::CheckSat);
        Some(plain)
    }
}

/// The script with these assertions only, counted from 1.
pub fn only(script: &Script, numbers: &[usize]) -> Script {
    let mut kept = script.emptied();
    let mut next = 1..;
    for command in &script.commands {
        let is_kept = match command {
            Command::Assert(_) => next.next().is_some_and(|number| numbers.contains(&number)),
            _ => true,
        };
        if is_kept {
            kept.push(command.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::script_text;
    use smelt_smtlib::read::read_script;

    use super::*;

    fn check(source: &str, expected: Option<&str>) {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        let text =
            flatten(&terms, &reading.script).map(|script| script_text(&mut terms, &script).replace('\n', ""));
        assert_eq!(text.as_deref(), expected);
    }

    #[test]
    fn what_is_popped_is_gone() {
        check(
            "(declare-const x Int)(push 2)(declare-const y Int)(assert (= x y))(check-sat)(pop 1)(push 1)\
             (assert (> x 1))(check-sat)(pop 2)(assert (< x 2))(check-sat)(assert false)",
            Some("(declare-const x Int)(assert (< x 2))(check-sat)"),
        );
    }

    #[test]
    fn assumptions_of_the_last_check_are_asserted() {
        check(
            "(set-option :random-seed 3)(declare-const a Bool)(check-sat-assuming ((not a)))(check-sat-assuming (a))",
            Some("(declare-const a Bool)(assert a)(check-sat)"),
        );
    }

    #[test]
    fn what_is_not_understood_has_no_plain_form() {
        check("(assert true)", None);
        check("(frobnicate 1)(check-sat)", None);
        check("(pop 1)(check-sat)", None);
        check("(frobnicate 1)(reset)(check-sat)", None);
    }

    #[test]
    fn a_reset_forgets_all_and_one_of_assertions_what_its_option_says() {
        let source = "(declare-const a Bool)(push 1)(declare-const b Bool)(assert (and a b))(check-sat)(pop 1)\
             (assert a)(reset-assertions)(declare-const c Bool)(assert c)(check-sat)";
        check(source, Some("(declare-const c Bool)(assert c)(check-sat)"));
        check(
            &format!("(set-option :global-declarations true){source}"),
            Some("(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)(assert c)(check-sat)"),
        );
        check(&format!("{source}(reset)(assert false)(check-sat)"), Some("(assert false)(check-sat)"));
    }

    #[test]
    fn each_check_has_its_own_plain_form() {
        let mut terms = Terms::new();
        let source = "(declare-const a Bool)(check-sat)(push 1)(assert a)(check-sat-assuming ((not a)))(pop 1)\
             (frobnicate 1)(check-sat)(exit)(check-sat)";
        let script = read_script(&mut terms, source).script;
        let plain = flatten_each(&terms, &script);
        let texts: Vec<Option<String>> =
            plain.iter().map(|one| Some(script_text(&mut terms, one.as_ref()?).replace('\n', ""))).collect();
        let expected = [
            Some("(declare-const a Bool)(check-sat)"),
            Some("(declare-const a Bool)(assert a)(assert (not a))(check-sat)"),
            None,
        ];
        assert_eq!(texts.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
        assert!(is_incremental(&script));
    }
}

//! The same problem in its plainest form: declarations, then assertions, then one check.
//!
//! Whatever a script pushes and pops, checks on the way, assumes or asks for, at its last check some declarations and
//! definitions are in force and some assertions hold. A script of these alone must have the same answer.

use smelt_smtlib::script::{Command, Role, Script};

/// What is in force at the last check of a script; the script itself if it is plain, and none if it has no check or a
/// command whose effect is not known.
pub fn flatten(script: &Script) -> Option<Script> {
    let last = script.commands.iter().rposition(|command| command.role() == Role::Check)?;
    let mut kept: Vec<Command> = Vec::new();
    // How many commands were kept at each push.
    let mut levels: Vec<usize> = Vec::new();
    for command in &script.commands[..last] {
        match (command, command.role()) {
            (Command::Push(count), _) => levels.extend(std::iter::repeat_n(kept.len(), *count as usize)),
            (Command::Pop(count), _) => {
                let open = levels.len().checked_sub(*count as usize)?;
                kept.truncate(levels.get(open).copied().unwrap_or(kept.len()));
                levels.truncate(open);
            }
            (_, Role::Scope | Role::Unknown) => return None,
            (_, Role::Assertion | Role::Declaration) => kept.push(command.clone()),
            (_, Role::Check | Role::Question | Role::Setting) => {}
        }
    }
    if let Command::CheckSatAssuming(assumptions) = &script.commands[last] {
        kept.extend(assumptions.iter().map(|assumption| Command::Assert(*assumption)));
    }
    let mut plain = script.emptied();
    kept.into_iter().for_each(|command| plain.push(command));
    plain.push(Command::CheckSat);
    Some(plain)
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
    use smelt_smtlib::term::Terms;

    use super::*;

    fn check(source: &str, expected: Option<&str>) {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        let text = flatten(&reading.script).map(|script| script_text(&mut terms, &script).replace('\n', ""));
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
        check("(reset-assertions)(check-sat)", None);
    }
}

use super::*;
use crate::diagnostic::Diagnostic;

fn problems(source: &str) -> Vec<Diagnostic> {
    read_script(&mut Terms::new(), source).diagnostics
}

#[test]
fn what_stands_after_an_exit_is_not_read() {
    let source = "(declare-const x Int)(exit)(declare-const x Int)(nonsense)";
    let reading = read_script(&mut Terms::new(), source);
    assert_eq!(reading.diagnostics, []);
    assert_eq!(reading.script.commands.len(), 4);
}

#[test]
fn a_negative_numeral_suggests_how_to_write_it() {
    assert_eq!(problems("(assert (= -1 0))")[0].help.as_deref(), Some("write `(- 1)`"));
}

#[test]
fn unchanged_commands_are_copied_from_the_source_and_changed_ones_replaced() {
    let mut terms = Terms::new();
    let source = "; a\n(push 1) ; b\n(push  2)\n( push 3 ) ; c";
    let mut script = read_script(&mut terms, source).script;
    script.replace(1, Command::CheckSat);
    let text = crate::print::script_text_preserving(&mut terms, &script, source);
    assert_eq!(text, "; a\n(push 1) ; b\n(check-sat)\n( push 3 ) ; c");
}

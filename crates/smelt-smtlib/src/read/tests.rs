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

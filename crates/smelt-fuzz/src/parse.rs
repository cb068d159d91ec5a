//! Reading: nothing panics, every place lies inside of the text, and what nobody changed is printed byte for byte.

use smelt_smtlib::diagnostic::Diagnostic;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text_preserving;
use smelt_smtlib::read::{read_script, read_script_as};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::source::{Span, line_column};
use smelt_smtlib::term::Terms;

/// Diagnostics whose lines and columns are looked at; finding one takes time in proportion to the text.
const MAX_PLACES: usize = 100;

/// Reads a text in every way.
pub fn check(source: &str) {
    check_scanner(source);
    let mut terms = Terms::new();
    for dialect in [None, Some(Dialect::V26), Some(Dialect::V25)] {
        let reading = match dialect {
            None => read_script(&mut terms, source),
            Some(dialect) => read_script_as(&mut terms, source, dialect),
        };
        check_diagnostics(source, &reading.diagnostics);
        let spans = crate::places(&reading.script);
        assert_eq!(spans.len(), reading.script.commands.len(), "every command stands somewhere");
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "commands follow each other");
        assert_eq!(script_text_preserving(&mut terms, &reading.script, source), source);
    }
}

fn check_scanner(source: &str) {
    let mut scanner = Scanner::new(source);
    let mut tape = Tape::new();
    loop {
        let before = scanner.offset();
        match scanner.read(&mut tape) {
            Ok(false) => break,
            Ok(true) => check_tape(source, &tape),
            Err(diagnostic) => check_diagnostics(source, &[diagnostic]),
        }
        assert!(scanner.offset() > before, "reading makes progress");
    }
    assert_eq!(scanner.offset() as usize, source.len(), "all was read");
}

fn check_tape(source: &str, tape: &Tape) {
    for index in 0..tape.len() {
        let node = tape.node(index);
        let text = node.span.text(source);
        assert!(!text.is_empty(), "no expression is empty");
        for child in tape.children(index) {
            let inner = tape.node(child).span;
            assert!(
                node.span.start < inner.start && inner.end < node.span.end,
                "a part lies inside of its list"
            );
        }
    }
}

fn check_diagnostics(source: &str, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let Span { start, end } = diagnostic.span;
        assert!(start <= end && end as usize <= source.len(), "{diagnostic:?} lies outside");
        assert!(
            source.is_char_boundary(start as usize) && source.is_char_boundary(end as usize),
            "{diagnostic:?}"
        );
        assert!(!diagnostic.message.contains('\n'), "a message is one line: {diagnostic:?}");
    }
    for diagnostic in diagnostics.iter().take(MAX_PLACES) {
        let place = line_column(source, diagnostic.span.start);
        let line = source.split('\n').nth(place.line as usize - 1).expect("the line exists");
        assert!(place.column as usize <= line.chars().count() + 1, "{place:?} is beyond its line");
    }
}

//! How answers are written.

use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer, write_symbol};
use smelt_smtlib::script::{Command, Definition};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use crate::statistics::Statistics;

/// `(error "..")`, with quotes doubled.
pub(super) fn error(message: &str) -> String {
    format!("(error \"{}\")", message.replace('"', "\"\""))
}

/// A model as a list of definitions.
pub(super) fn model(terms: &mut Terms, definitions: Vec<Definition>, dialect: Dialect) -> String {
    let mut text = String::from("(\n");
    for definition in definitions {
        let mut printer = Printer::new(terms, dialect, Layout::Shared);
        printer.command(&Command::DefineFun(definition));
        text.push_str("  ");
        text.push_str(printer.finish().trim_end());
        text.push('\n');
    }
    text.push(')');
    text
}

/// A term.
pub(super) fn term(terms: &mut Terms, term: Term, dialect: Dialect) -> String {
    let mut printer = Printer::new(terms, dialect, Layout::Shared);
    printer.term(term);
    printer.finish()
}

/// Symbols in parentheses.
pub(super) fn names(terms: &Terms, names: &[Symbol]) -> String {
    let mut text = String::from("(");
    for (position, name) in names.iter().enumerate() {
        if position > 0 {
            text.push(' ');
        }
        write_symbol(terms.text(*name), &mut text);
    }
    text.push(')');
    text
}

/// Counters as attributes.
pub(super) fn statistics(statistics: &Statistics) -> String {
    let mut text = String::from("(");
    for (position, (name, count)) in statistics.iter().enumerate() {
        if position > 0 {
            text.push_str("\n ");
        }
        text.push_str(&format!(":{name} {count}"));
    }
    text.push(')');
    text
}

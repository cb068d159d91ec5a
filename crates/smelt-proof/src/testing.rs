//! Terms for tests.

use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Scope, read_command, read_term};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

/// The constants that terms of tests have.
pub(crate) const CONSTANTS: &[(&str, Sort)] = &[
    ("i", Sort::INT),
    ("j", Sort::INT),
    ("k", Sort::INT),
    ("x", Sort::STRING),
    ("y", Sort::STRING),
    ("p", Sort::BOOL),
    ("q", Sort::BOOL),
];

/// Reads terms over these constants.
pub(crate) fn read(terms: &mut Terms, texts: &[&str]) -> Vec<Term> {
    let mut scope = Scope::new();
    for (name, sort) in CONSTANTS {
        let mut text = format!("(declare-const {name} ");
        terms.sorts.write(&terms.symbols, *sort, &mut text);
        text.push(')');
        let mut tape = Tape::new();
        Scanner::new(&text).read(&mut tape).expect("terms of tests are well-formed");
        read_command(terms, &mut scope, &text, &tape, Dialect::V26).expect("terms of tests are well-formed");
    }
    let read = |text: &&str| read_term(terms, &mut scope, text, Dialect::V26);
    texts.iter().map(read).collect::<Result<_, _>>().expect("terms of tests are well-formed")
}

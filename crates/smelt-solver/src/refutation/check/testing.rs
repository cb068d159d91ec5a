//! Facts for tests.

use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Scope, read_command, read_term};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::term::{Term, Terms};

/// Reads terms over a few constants.
pub(super) fn read(terms: &mut Terms, facts: &[&str]) -> Vec<Term> {
    let mut scope = Scope::new();
    for declaration in ["i Int", "j Int", "k Int", "x String", "y String", "p Bool"] {
        let text = format!("(declare-const {declaration})");
        let mut tape = Tape::new();
        Scanner::new(&text).read(&mut tape).expect("what tests read is well-formed");
        read_command(terms, &mut scope, &text, &tape, Dialect::V26).expect("what tests read is well-formed");
    }
    facts
        .iter()
        .map(|fact| read_term(terms, &mut scope, fact, Dialect::V26).expect("what tests read is well-formed"))
        .collect()
}

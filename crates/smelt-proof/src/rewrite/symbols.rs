//! Strings as sequences of symbols: characters of literals, and terms that are not taken apart.

use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

/// A piece of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbol {
    Char(u32),
    Text(Term),
}

/// The symbols of a string term.
pub(super) fn symbols(terms: &Terms, text: Term) -> Vec<Symbol> {
    let mut found = Vec::new();
    let mut pending = vec![text];
    while let Some(text) = pending.pop() {
        if terms.op(text) == Some(Op::StrConcat) {
            pending.extend(terms.args(text).iter().rev());
        } else if let Some(value) = literal::string_value(terms, text) {
            found.extend(value.chars().iter().map(|character| Symbol::Char(*character)));
        } else {
            found.push(Symbol::Text(text));
        }
    }
    found
}

/// The string of symbols: neighbouring characters are one literal.
pub(super) fn text(terms: &mut Terms, symbols: &[Symbol]) -> Term {
    let parts: Vec<Term> = pieces(terms, symbols);
    build::concat(terms, &parts)
}

/// Literals that are as long as possible, and terms, which make up symbols.
pub(super) fn pieces(terms: &mut Terms, symbols: &[Symbol]) -> Vec<Term> {
    let is_same_kind =
        |left: &Symbol, right: &Symbol| matches!((left, right), (Symbol::Char(_), Symbol::Char(_)));
    let runs = symbols.chunk_by(is_same_kind);
    runs.map(|run| match run[0] {
        Symbol::Text(text) => text,
        Symbol::Char(_) => {
            let word = characters(run).and_then(Str::from_code_points);
            literal::string(terms, &word.expect("characters of literals make a literal"))
        }
    })
    .collect()
}

/// The characters, if there is nothing else.
pub(super) fn characters(symbols: &[Symbol]) -> Option<Vec<u32>> {
    symbols
        .iter()
        .map(|symbol| match symbol {
            Symbol::Char(character) => Some(*character),
            Symbol::Text(_) => None,
        })
        .collect()
}

/// Whether a sequence occurs in another.
pub(super) fn occurs<S: PartialEq>(whole: &[S], part: &[S]) -> bool {
    first_occurrence(whole, part).is_some()
}

/// Where a sequence occurs first in another.
pub(super) fn first_occurrence<S: PartialEq>(whole: &[S], part: &[S]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    whole.windows(part.len()).position(|window| window == part)
}

/// Whether two sequences begin with different characters.
pub(super) fn clash(left: Option<&Symbol>, right: Option<&Symbol>) -> bool {
    matches!((left, right), (Some(Symbol::Char(left)), Some(Symbol::Char(right))) if left != right)
}

/// How many symbols two sequences have in common at their starts.
pub(super) fn common_start(left: &[Symbol], right: &[Symbol]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// How many symbols two sequences have in common at their ends.
pub(super) fn common_end(left: &[Symbol], right: &[Symbol]) -> usize {
    left.iter().rev().zip(right.iter().rev()).take_while(|(left, right)| left == right).count()
}

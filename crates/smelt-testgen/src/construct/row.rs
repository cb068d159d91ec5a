//! Rows: theorems of which unsatisfiable formulas are made, as text.
//!
//! The built-in ones are in `testdata/construct/rows.txt`, which says how they are written.

use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Command;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use thiserror::Error;

use crate::blocks::{BlockError, Defect, read_blocks};

/// Whenever its premises hold, so does its conclusion.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its id, as in the paper.
    pub id: String,
    /// What it is used for.
    pub kind: Kind,
    pub(super) variables: Vec<(Symbol, Sort)>,
    pub(super) conclusion: Term,
    pub(super) premises: Vec<Term>,
}

/// What a row is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The conclusion is denied, the premises are asserted.
    Equivalence,
    /// The conclusion equals a variable.
    Variable(Reach),
    /// The conclusion equals a constant.
    Constant,
}

/// For which values of its variable a row has values of its other variables such that its premises hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// For some.
    Some,
    /// For all numbers that are not negative.
    NotNegative,
    /// For all.
    All,
}

/// Why a text is no list of rows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot use row `{id}` in line {line}: {message}")]
pub struct RowError {
    /// The row.
    pub id: String,
    /// The line in which it begins, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// The rows that come with smelt. Tests try each of them on small domains.
pub fn built_in(terms: &mut Terms) -> Vec<Row> {
    let text = include_str!("../../testdata/construct/rows.txt");
    parse(terms, text).expect("the built-in rows are well-formed")
}

/// Reads rows.
pub fn parse(terms: &mut Terms, text: &str) -> Result<Vec<Row>, RowError> {
    read_blocks(text, |block| Row::read(terms, &block.words, &block.text()))
        .map_err(|BlockError { id, line, message }| RowError { id, line, message })
}

impl Row {
    fn read(terms: &mut Terms, words: &[&str], text: &str) -> Result<Row, Defect> {
        let (id, reach) = match words {
            [id] => (*id, Reach::Some),
            [id, "free"] => (*id, Reach::Some),
            [id, "guarded"] => (*id, Reach::NotNegative),
            [id, "bound"] => (*id, Reach::All),
            _ => return Err(Defect::from("expected an id, and `free`, `guarded` or `bound`")),
        };
        let reading = read_script_as(terms, text, Dialect::V26);
        if let Some(problem) = reading.diagnostics.first() {
            return Err(Defect::from(problem.message.to_string()));
        }
        let mut variables = Vec::new();
        let mut premises = Vec::new();
        for command in reading.script.commands {
            match command {
                Command::DeclareConst(name, sort) => variables.push((name, sort)),
                Command::Assert(term) => premises.push(term),
                _ => return Err(Defect::from("only constants and assertions are understood")),
            }
        }
        if premises.is_empty() {
            return Err(Defect::from("a conclusion must be asserted"));
        }
        let conclusion = premises.remove(0);
        let kind = match id.trim_end_matches(|digit: char| digit.is_ascii_digit()) {
            "E" => Kind::Equivalence,
            "NC" => Kind::Variable(reach),
            "C" => Kind::Constant,
            _ => return Err(Defect::from("an id is E, NC or C and a number")),
        };
        let row = Row { id: id.to_owned(), kind, variables, conclusion, premises };
        match (kind, row.equation(terms)) {
            (_, None) => Err(Defect::from("the conclusion must be an equation")),
            (Kind::Variable(_), Some((_, right))) if row.variable(terms, right).is_none() => {
                Err(Defect::from("the right side must be a variable"))
            }
            _ => Ok(row),
        }
    }

    /// The two sides of the conclusion.
    pub(super) fn equation(&self, terms: &Terms) -> Option<(Term, Term)> {
        match (terms.op(self.conclusion), terms.args(self.conclusion)) {
            (Some(Op::Eq), [left, right]) => Some((*left, *right)),
            _ => None,
        }
    }

    /// The variable of the row that a term is.
    pub(super) fn variable(&self, terms: &Terms, term: Term) -> Option<(Symbol, Sort)> {
        match terms.head(term) {
            Head::Global(name) => self.variables.iter().copied().find(|(known, _)| *known == name),
            _ => None,
        }
    }
}

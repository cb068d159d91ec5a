//! Reads the steps of a log.

use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::{Scope, read_command, read_term};
use smelt_smtlib::script::Command;
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::expand_lets;
use smelt_smtlib::term::{Term, Terms};

use crate::check::Rejected;
use crate::log::{GateKind, LogStep};

/// A line of a log: where it begins, its first word and the rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) word: &'a str,
    pub(crate) rest: &'a str,
}

impl<'a> Line<'a> {
    /// The step does not hold.
    pub(crate) fn reject(&self, message: impl Into<String>) -> Rejected {
        Rejected { line: Some(self.number), message: message.into(), is_broken: false }
    }

    /// The line cannot be read.
    pub(crate) fn broken(&self, message: impl Into<String>) -> Rejected {
        Rejected { line: Some(self.number), message: message.into(), is_broken: true }
    }

    /// The first word of the rest, with the line after it.
    pub(crate) fn split(&self, what: &str) -> Result<(&'a str, Line<'a>), Rejected> {
        let rest = self.rest.trim_start_matches(' ');
        if rest.is_empty() {
            return Err(self.broken(format!("{what} is missing")));
        }
        let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        Ok((word, Line { rest, ..*self }))
    }

    /// The number at the start of the rest, with the line after it.
    pub(crate) fn number(&self, what: &str) -> Result<(usize, Line<'a>), Rejected> {
        let (word, line) = self.split(what)?;
        let number = word.parse().map_err(|_| self.broken(format!("{what} is not a number: `{word}`")))?;
        Ok((number, line))
    }

    /// All numbers at the start of the rest, with the line after them. Terms of sort Bool do not start with a digit.
    pub(crate) fn numbers(&self) -> (Vec<usize>, Line<'a>) {
        let mut numbers = Vec::new();
        let mut line = *self;
        while let Ok((number, after)) = line.number("") {
            numbers.push(number);
            line = after;
        }
        (numbers, line)
    }

    /// The Boolean variable at the start of the rest, with the line after it.
    fn variable(&self) -> Result<(i32, Line<'a>), Rejected> {
        let (number, line) = self.number("the variable")?;
        let variable = i32::try_from(number).ok().filter(|variable| *variable > 0);
        Ok((variable.ok_or_else(|| self.broken("this is not a variable"))?, line))
    }

    /// The rest as a single literal.
    fn literal(&self) -> Result<i32, Rejected> {
        match self.literals()?.as_slice() {
            &[literal] => Ok(literal),
            _ => Err(self.broken("this is not a literal")),
        }
    }

    /// The rest as literals.
    pub(crate) fn literals(&self) -> Result<Vec<i32>, Rejected> {
        let words = self.rest.split(' ').filter(|word| !word.is_empty());
        words
            .map(|word| match word.parse::<i32>() {
                Ok(literal) if literal != 0 && literal != i32::MIN => Ok(literal),
                _ => Err(self.broken(format!("`{word}` is not a literal"))),
            })
            .collect()
    }
}

/// Reads terms in the scope of an input, to which steps may add constants.
pub(crate) struct Reader<'r> {
    pub(crate) terms: &'r mut Terms,
    pub(crate) scope: &'r mut Scope,
}

impl Reader<'_> {
    /// The step of a line.
    pub(crate) fn step<'a>(&mut self, line: &Line<'a>) -> Result<LogStep<'a>, Rejected> {
        match line.word {
            "declare" => self.declaration(line),
            "formula" => {
                let (number, line) = line.number("the number of the formula")?;
                let (rule, line) = line.split("the rule")?;
                let (premises, line) = line.numbers();
                Ok(LogStep::Formula { number, rule, premises, term: self.bool_term(&line)? })
            }
            "rewrite" => {
                let (rule, line) = line.split("the rule")?;
                let equation = self.bool_term(&line)?;
                match (self.terms.op(equation), self.terms.args(equation)) {
                    (Some(Op::Eq), &[before, after]) => Ok(LogStep::Rewrite { rule, before, after }),
                    _ => Err(line.broken("this is not an equation")),
                }
            }
            "atom" => {
                let (variable, line) = line.variable()?;
                Ok(LogStep::Atom { variable, term: self.bool_term(&line)? })
            }
            "gate" => {
                let (variable, line) = line.variable()?;
                let (name, line) = line.split("the kind of gate")?;
                let literals = line.literals()?;
                let kind = GateKind::named(name, literals.len());
                let kind = kind.ok_or_else(|| line.broken("this is not a gate"))?;
                Ok(LogStep::Gate { variable, kind, literals })
            }
            "means" => {
                let (word, line) = line.split("the literal")?;
                let literal = Line { rest: word, ..line }.literal()?;
                Ok(LogStep::Means { literal, term: self.bool_term(&line)? })
            }
            "assert" => {
                let (formula, line) = line.number("the number of a formula")?;
                Ok(LogStep::Assert { formula, literal: line.literal()? })
            }
            "clause" => {
                let (reason, line) = line.split("the reason")?;
                Ok(LogStep::Clause { reason, literals: line.literals()? })
            }
            "learnt" => Ok(LogStep::Learnt { literals: line.literals()? }),
            "conflict" => Ok(LogStep::Conflict),
            "false" => Ok(LogStep::False { formula: line.number("the number of a formula")?.0 }),
            "refuted" => {
                let (engine, line) = line.split("the name of an engine")?;
                Ok(LogStep::Refuted { engine, formulas: line.numbers().0 })
            }
            word => Err(line.broken(format!("unknown step `{word}`"))),
        }
    }

    /// A constant that is added to the scope.
    fn declaration<'a>(&mut self, line: &Line<'a>) -> Result<LogStep<'a>, Rejected> {
        let text = format!("(declare-const {})", line.rest);
        let mut tape = Tape::new();
        let broken = || line.broken("this is not a declaration");
        if !Scanner::new(&text).read(&mut tape).map_err(|_| broken())? {
            return Err(broken());
        }
        match read_command(self.terms, self.scope, &text, &tape, Dialect::V26) {
            Ok(Command::DeclareConst(name, _)) => Ok(LogStep::Declare { name }),
            _ => Err(broken()),
        }
    }

    /// The rest of a line as a Boolean term.
    fn bool_term(&mut self, line: &Line<'_>) -> Result<Term, Rejected> {
        let term = read_term(self.terms, self.scope, line.rest, Dialect::V26).map_err(|problems| {
            let message = problems.first().map_or("", |problem| problem.message.as_str());
            line.broken(format!("the term cannot be read: {message}"))
        })?;
        if self.terms.sort(term) != Sort::BOOL {
            return Err(line.broken("the term is not Boolean"));
        }
        Ok(expand_lets(self.terms, term))
    }
}

/// The lines of a log. A line break in a string literal does not end one.
pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    let (mut number, mut first) = (1, 1);
    let mut is_inside = false;
    for (position, letter) in text.char_indices().chain([(text.len(), '\n')]) {
        match letter {
            '"' => is_inside = !is_inside,
            '\n' => {
                number += 1;
                if !is_inside || position == text.len() {
                    let line = text[start..position].trim_end_matches('\r');
                    if !line.trim().is_empty() {
                        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
                        lines.push(Line { number: first, word, rest });
                    }
                    start = position + 1;
                    first = number;
                }
            }
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_and_words() {
        let read = lines("check 1\n\natom 3 (= x \"a\nb\")\nend 2");
        let read: Vec<_> = read.iter().map(|line| (line.number, line.word, line.rest)).collect();
        assert_eq!(read, [(1, "check", "1"), (3, "atom", "3 (= x \"a\nb\")"), (5, "end", "2")]);
    }

    #[test]
    fn numbers_end_where_the_term_begins() {
        let line = lines("formula 7 conjunct 3 4 (not p)")[0];
        let (rule, line) = line.number("the number").unwrap().1.split("the rule").unwrap();
        let (numbers, line) = line.numbers();
        assert_eq!((rule, numbers, line.rest), ("conjunct", vec![3, 4], "(not p)"));
    }

    #[test]
    fn zero_is_no_literal() {
        let line = lines("learnt 3 0")[0];
        assert!(line.literals().unwrap_err().is_broken);
    }
}

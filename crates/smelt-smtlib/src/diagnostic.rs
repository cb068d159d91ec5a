//! What is wrong with a text, where, and what to do about it.
//!
//! Readers collect diagnostics and go on, so that one pass reports every problem of a file.
//! Turning them into coloured text or JSON is the command line's business.

use std::error::Error;
use std::fmt;
use std::ops::Deref;

use crate::source::Span;

/// How a caller may treat a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// The text is not a sequence of balanced S-expressions.
    Syntax,
    /// A command or term does not have the form that SMT-LIB gives it.
    Form,
    /// A symbol, sort or operator that nobody declared. The term that uses it is kept as opaque.
    UnknownName,
    /// The arguments do not have the sorts that the operator or function takes.
    Sort,
    /// A name is declared twice, or the scopes of push and pop do not match.
    Scope,
}

impl Problem {
    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Problem::Syntax => "syntax",
            Problem::Form => "form",
            Problem::UnknownName => "unknown-name",
            Problem::Sort => "sort",
            Problem::Scope => "scope",
        }
    }
}

/// One problem in a source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of problem this is.
    pub problem: Problem,
    /// Where it is.
    pub span: Span,
    /// What is wrong: lower case, no final stop.
    pub message: String,
    /// What to do about it, if we know.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A problem without advice.
    pub fn new(problem: Problem, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { problem, span, message: message.into(), help: None }
    }

    /// The same problem with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    /// The message, and the advice after it in parentheses; not the place, which means nothing without the text.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.help {
            Some(help) => write!(out, "{} ({help})", self.message),
            None => out.write_str(&self.message),
        }
    }
}

impl Error for Diagnostic {}

/// All problems of a text, as one error.
///
/// ```
/// use smelt_smtlib::op::Dialect;
/// use smelt_smtlib::read::{Scope, read_term};
/// use smelt_smtlib::term::{Term, Terms};
///
/// fn read(text: &str) -> Result<Term, Box<dyn std::error::Error>> {
///     Ok(read_term(&mut Terms::new(), &mut Scope::new(), text, Dialect::V26)?)
/// }
///
/// assert!(read("(+ 1 2)").is_ok());
/// assert_eq!(read("(str.length \"a\")").unwrap_err().to_string(), "unknown operator `str.length` (did you mean `str.len`?)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
    /// One problem a line.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, diagnostic) in self.0.iter().enumerate() {
            let end_of_line = if position > 0 { "\n" } else { "" };
            write!(out, "{end_of_line}{diagnostic}")?;
        }
        Ok(())
    }
}

impl Error for Diagnostics {}

impl Deref for Diagnostics {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.0
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Diagnostics(diagnostics)
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Diagnostics(vec![diagnostic])
    }
}

impl From<Diagnostics> for Vec<Diagnostic> {
    fn from(diagnostics: Diagnostics) -> Self {
        diagnostics.0
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// The candidate that a user most likely meant by `name`, if one is near enough.
///
/// Near means: at most a third of the characters differ (insertion, deletion, replacement or swap of neighbours),
/// or `name` is a long enough prefix of the candidate. Names longer than any that people type suggest nothing.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME_LEN {
        return None;
    }
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    candidates
        .filter(|candidate| candidate.len() <= MAX_NAME_LEN && candidate.len() + allowed >= wanted.len())
        .filter_map(|candidate| {
            let found: Vec<char> = candidate.to_lowercase().chars().collect();
            if found == wanted {
                return Some((0, candidate));
            }
            if wanted.len() >= 4 && found.starts_with(&wanted) {
                return Some((1, candidate));
            }
            if found.len().abs_diff(wanted.len()) > allowed {
                return None;
            }
            let distance = edit_distance(&wanted, &found);
            (distance <= allowed).then_some((distance, candidate))
        })
        .min_by_key(|(distance, candidate)| (*distance, candidate.len(), *candidate))
        .map(|(_, candidate)| candidate)
}

/// The work for one candidate grows with the square of the length.
const MAX_NAME_LEN: usize = 100;

/// Optimal string alignment distance: Levenshtein with swaps of neighbours.
fn edit_distance(left: &[char], right: &[char]) -> usize {
    let width = right.len() + 1;
    let mut rows = vec![0; (left.len() + 1) * width];
    for (column, cell) in rows[..width].iter_mut().enumerate() {
        *cell = column;
    }
    for row in 1..=left.len() {
        rows[row * width] = row;
        for column in 1..width {
            let differs = usize::from(left[row - 1] != right[column - 1]);
            let mut best = (rows[(row - 1) * width + column] + 1)
                .min(rows[row * width + column - 1] + 1)
                .min(rows[(row - 1) * width + column - 1] + differs);
            let swapped = row > 1
                && column > 1
                && left[row - 1] == right[column - 2]
                && left[row - 2] == right[column - 1];
            if swapped {
                best = best.min(rows[(row - 2) * width + column - 2] + 1);
            }
            rows[row * width + column] = best;
        }
    }
    rows[left.len() * width + right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_read_line_by_line() {
        let first = Diagnostic::new(Problem::Form, Span::new(0, 1), "wrong").with_help("right it");
        let second = Diagnostic::new(Problem::Sort, Span::new(1, 2), "no integer");
        assert_eq!(Diagnostics(vec![first, second]).to_string(), "wrong (right it)\nno integer");
    }

    #[test]
    fn a_truncated_operator_suggests_the_whole_one() {
        let operators = ["str.len", "str.prefixof", "str.suffixof"];
        assert_eq!(nearest("str.prefix", operators.into_iter()), Some("str.prefixof"));
    }

    #[test]
    fn swapped_letters_count_once() {
        assert_eq!(nearest("assret", ["assert", "exit"].into_iter()), Some("assert"));
    }

    #[test]
    fn names_of_a_megabyte_suggest_nothing() {
        let long = "x".repeat(1_000_000);
        assert_eq!(nearest(&long, [format!("{long}y").as_str()].into_iter()), None);
    }

    #[test]
    fn nothing_near_suggests_nothing() {
        assert_eq!(nearest("frobnicate", ["assert", "exit"].into_iter()), None);
    }
}

//! What is wrong with a text, where, and what to do about it.
//!
//! Readers collect diagnostics and go on, so that one pass reports every problem of a file.
//! Turning them into coloured text or JSON is the command line's business.

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

//! Reads the lines of a refutation log.

use super::check::Rejected;

/// A line of a log: where it begins, its first word and the rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) word: &'a str,
    pub(super) rest: &'a str,
}

impl<'a> Line<'a> {
    /// The step does not hold.
    pub(super) fn reject(&self, message: impl Into<String>) -> Rejected {
        Rejected { line: Some(self.number), message: message.into(), is_broken: false }
    }

    /// The line cannot be read.
    pub(super) fn broken(&self, message: impl Into<String>) -> Rejected {
        Rejected { line: Some(self.number), message: message.into(), is_broken: true }
    }

    /// The first word of the rest, with the line after it.
    pub(super) fn split(&self, what: &str) -> Result<(&'a str, Line<'a>), Rejected> {
        let rest = self.rest.trim_start_matches(' ');
        if rest.is_empty() {
            return Err(self.broken(format!("{what} is missing")));
        }
        let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        Ok((word, Line { rest, ..*self }))
    }

    /// The number at the start of the rest, with the line after it.
    pub(super) fn number(&self, what: &str) -> Result<(usize, Line<'a>), Rejected> {
        let (word, line) = self.split(what)?;
        let number = word.parse().map_err(|_| self.broken(format!("{what} is no number: `{word}`")))?;
        Ok((number, line))
    }

    /// All numbers at the start of the rest, with the line after them. Terms of sort Bool do not start with a digit.
    pub(super) fn numbers(&self) -> (Vec<usize>, Line<'a>) {
        let mut numbers = Vec::new();
        let mut line = *self;
        while let Ok((number, after)) = line.number("") {
            numbers.push(number);
            line = after;
        }
        (numbers, line)
    }

    /// The rest as literals.
    pub(super) fn literals(&self) -> Result<Vec<i32>, Rejected> {
        let words = self.rest.split(' ').filter(|word| !word.is_empty());
        words
            .map(|word| match word.parse::<i32>() {
                Ok(literal) if literal != 0 && literal != i32::MIN => Ok(literal),
                _ => Err(self.broken(format!("`{word}` is no literal"))),
            })
            .collect()
    }
}

/// The lines of a log. A line break in a string literal does not end one.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
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

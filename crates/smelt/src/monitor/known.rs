//! The baseline: differences that are known and do not count.
//!
//! One line for each: grammar, variables, asserts, index, class. Lines that begin with `#` are comments.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

/// Differences that are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Known {
    lines: BTreeSet<String>,
}

impl Known {
    /// Reads a file; one that does not exist knows nothing.
    pub fn read(path: &Path) -> Result<Known, String> {
        match fs::read_to_string(path) {
            Ok(text) => Known::parse(&text).map_err(|line| {
                format!("cannot read baseline `{}`: line {line} has no five words", path.display())
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Known::default()),
            Err(error) => Err(format!("cannot read baseline `{}`: {error}", path.display())),
        }
    }

    fn parse(text: &str) -> Result<Known, usize> {
        let mut lines = BTreeSet::new();
        for (position, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.is_empty() || line.starts_with('#') {
                continue;
            }
            if words.len() != 5 {
                return Err(position + 1);
            }
            lines.insert(words.join(" "));
        }
        Ok(Known { lines })
    }

    pub fn contains(&self, key: &str) -> bool {
        self.lines.contains(key)
    }

    /// The text of a file that knows these too.
    pub fn with(&self, keys: impl Iterator<Item = String>) -> String {
        let all: BTreeSet<String> = self.lines.iter().cloned().chain(keys).collect();
        let lines: String = all.iter().map(|line| format!("{line}\n")).collect();
        format!("# Known differences: grammar, variables, asserts, index, class.\n{lines}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let known = Known::parse("# a comment\n\nstrings 2 1 77  disputed\n").unwrap();
        assert!(known.contains("strings 2 1 77 disputed"));
        let more = known.with(["core 2 1 5 crash".to_owned()].into_iter());
        let again = Known::parse(&more).unwrap();
        assert!(again.contains("core 2 1 5 crash") && again.contains("strings 2 1 77 disputed"));
    }

    #[test]
    fn a_line_with_too_few_words_is_told() {
        assert_eq!(Known::parse("core 2 1 5 crash\ncore 5\n"), Err(2));
    }
}

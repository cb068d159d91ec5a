//! The baseline: differences that are known and do not count.
//!
//! One line for each, with tabs between: a hash of the formula, the class, the solver, and the formula for people. It goes
//! by the formula itself, so that a grammar may change. Lines that begin with `#` are comments.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use crate::error::CliError;

/// What makes a difference the same as another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// A hash of the formula.
    pub hash: String,
    /// The word of the class.
    pub class: String,
    /// The solver that is watched.
    pub solver: String,
}

/// Differences that are known, each with its formula on one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Known {
    entries: BTreeMap<Key, String>,
}

/// Why a line of a baseline cannot be used.
#[derive(Debug, PartialEq, Eq)]
enum Problem {
    /// It names a formula by a grammar and an index, as earlier releases did.
    ByIndex,
    /// It is nothing at all.
    Malformed,
}

impl Known {
    /// Reads a file; one that does not exist knows nothing if it is about to be written, and is an error otherwise.
    pub fn read(path: &Path, is_written: bool) -> Result<Known, CliError> {
        let shown = path.display();
        match fs::read_to_string(path) {
            Ok(text) => Known::parse(&text).map_err(|(line, problem)| CliError::Input(match problem {
                Problem::ByIndex => format!(
                    "cannot use baseline `{shown}`: line {line} names a formula by its index in a grammar, as earlier \
                     releases did; move the file away and write a new one with --update-baseline"
                ),
                Problem::Malformed => {
                    format!("cannot read baseline `{shown}`: line {line} is not HASH, CLASS, SOLVER and FORMULA with tabs between")
                }
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_written => Ok(Known::default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(CliError::Usage(format!(
                "there is no baseline `{shown}`; create it with --update-baseline, which writes all differences of this run to it"
            ))),
            Err(error) => Err(CliError::Input(format!("cannot read baseline `{shown}`: {error}"))),
        }
    }

    fn parse(text: &str) -> Result<Known, (usize, Problem)> {
        let mut entries = BTreeMap::new();
        for (position, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let fields: Vec<&str> = line.split('\t').collect();
            let [hash, class, solver, formula] = fields[..] else {
                let words: Vec<&str> = line.split_whitespace().collect();
                let is_number = |word: &&str| word.parse::<u64>().is_ok();
                let is_old = words.len() == 5 && words[1..4].iter().all(is_number);
                return Err((position + 1, if is_old { Problem::ByIndex } else { Problem::Malformed }));
            };
            let [hash, class, solver] = [hash, class, solver].map(|field| field.trim().to_owned());
            entries.insert(Key { hash, class, solver }, formula.trim().to_owned());
        }
        Ok(Known { entries })
    }

    pub fn contains(&self, key: &Key) -> bool {
        self.entries.contains_key(key)
    }

    /// The text of a file that knows these too.
    pub fn with(&self, more: impl Iterator<Item = (Key, String)>) -> String {
        let mut all = self.entries.clone();
        all.extend(more);
        let lines: String = all
            .iter()
            .map(|(key, formula)| format!("{}\t{}\t{}\t{formula}\n", key.hash, key.class, key.solver))
            .collect();
        format!("# Known differences: hash of the formula, class, solver, formula.\n{lines}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(hash: &str, class: &str) -> Key {
        Key { hash: hash.to_owned(), class: class.to_owned(), solver: "new".to_owned() }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let known = Known::parse("# a comment\n\n0a1b\tdisputed\tnew\t(assert (= x \"\t\"))\n");
        assert_eq!(known, Err((3, Problem::Malformed)));
        let known = Known::parse("# a comment\n\n0a1b\tdisputed\tnew\t(assert true)\n").unwrap();
        assert!(known.contains(&key("0a1b", "disputed")));
        let more = known.with([(key("ff00", "crash"), "(assert false)".to_owned())].into_iter());
        let again = Known::parse(&more).unwrap();
        assert!(again.contains(&key("ff00", "crash")) && again.contains(&key("0a1b", "disputed")));
        assert!(!again.contains(&key("ff00", "disputed")));
    }

    #[test]
    fn a_baseline_by_index_is_told_from_one_that_is_broken() {
        assert_eq!(Known::parse("strings 2 1 124 drift\n"), Err((1, Problem::ByIndex)));
        assert_eq!(Known::parse("# one\ncore 5\n"), Err((2, Problem::Malformed)));
    }
}

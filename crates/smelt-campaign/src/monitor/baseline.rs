//! The baseline: differences that are known and do not count.
//!
//! One line for each, with tabs between: a hash of the formula, the class, the solver, and the formula for people. It goes
//! by the formula itself, so that a grammar may change. Lines that begin with `#` are comments.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::compare::Difference;

/// What makes a difference the same as another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DifferenceKey {
    /// A hash of the formula.
    pub hash: String,
    /// The word of the class.
    pub class: String,
    /// The solver that is watched.
    pub solver: String,
}

/// Differences that are known, each with its formula on one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownDifferences {
    entries: BTreeMap<DifferenceKey, String>,
}

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file does not exist.
    #[error(
        "there is no baseline `{0}`; create it with --update-baseline, which writes all differences of this run to it"
    )]
    Missing(String),
    /// The file cannot be read.
    #[error("cannot read baseline `{path}`: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// A line cannot be used.
    #[error("cannot use baseline `{path}`: line {line} {problem}")]
    Line {
        /// The file.
        path: String,
        /// The number of the line, from 1 on.
        line: usize,
        /// What is wrong with it.
        problem: BaselineProblem,
    },
}

/// Why a line of a baseline cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaselineProblem {
    /// It names a formula by a grammar and an index, as earlier releases did.
    #[error(
        "names a formula by its index in a grammar, as earlier releases did; move the file away and write a new one with \
         --update-baseline"
    )]
    ByIndex,
    /// It is something else.
    #[error("is not HASH, CLASS, SOLVER and FORMULA with tabs between")]
    Malformed,
}

impl KnownDifferences {
    /// Reads a file; one that does not exist knows nothing if it is about to be written, and is an error otherwise.
    pub fn read(path: &Path, is_written: bool) -> Result<KnownDifferences, BaselineError> {
        let shown = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => KnownDifferences::parse(&text).map_err(|(line, problem)| BaselineError::Line {
                path: shown,
                line,
                problem,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_written => {
                Ok(KnownDifferences::default())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(BaselineError::Missing(shown)),
            Err(error) => Err(BaselineError::Unreadable { path: shown, error }),
        }
    }

    fn parse(text: &str) -> Result<KnownDifferences, (usize, BaselineProblem)> {
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
                return Err((
                    position + 1,
                    if is_old { BaselineProblem::ByIndex } else { BaselineProblem::Malformed },
                ));
            };
            let [hash, class, solver] = [hash, class, solver].map(|field| field.trim().to_owned());
            entries.insert(DifferenceKey { hash, class, solver }, formula.trim().to_owned());
        }
        Ok(KnownDifferences { entries })
    }

    /// Whether a difference is a failure that is not known.
    pub fn is_news(&self, difference: &Difference) -> bool {
        difference.is_failure() && !self.contains(&difference.key())
    }

    /// Whether a difference is known.
    pub fn contains(&self, key: &DifferenceKey) -> bool {
        self.entries.contains_key(key)
    }

    /// The text of a file that knows these too.
    pub fn with(&self, more: impl Iterator<Item = (DifferenceKey, String)>) -> String {
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

    fn key(hash: &str, class: &str) -> DifferenceKey {
        DifferenceKey { hash: hash.to_owned(), class: class.to_owned(), solver: "new".to_owned() }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let known = KnownDifferences::parse("# a comment\n\n0a1b\tdisputed\tnew\t(assert (= x \"\t\"))\n");
        assert_eq!(known, Err((3, BaselineProblem::Malformed)));
        let known = KnownDifferences::parse("# a comment\n\n0a1b\tdisputed\tnew\t(assert true)\n").unwrap();
        assert!(known.contains(&key("0a1b", "disputed")));
        let more = known.with([(key("ff00", "crash"), "(assert false)".to_owned())].into_iter());
        let again = KnownDifferences::parse(&more).unwrap();
        assert!(again.contains(&key("ff00", "crash")) && again.contains(&key("0a1b", "disputed")));
        assert!(!again.contains(&key("ff00", "disputed")));
    }

    #[test]
    fn a_baseline_by_index_is_told_from_one_that_is_broken() {
        assert_eq!(KnownDifferences::parse("strings 2 1 124 drift\n"), Err((1, BaselineProblem::ByIndex)));
        assert_eq!(KnownDifferences::parse("# one\ncore 5\n"), Err((2, BaselineProblem::Malformed)));
    }
}

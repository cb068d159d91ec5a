//! Rules that the tree does not follow everywhere yet, with the number of exceptions that each crate has left.
//!
//! The table is `xtask/ratchet.txt`. A count above its entry is a complaint, and so is a count below it: the table stays
//! true. `cargo xtask tidy --lower` writes lower counts into it, and never higher ones. A pair of rule and crate without
//! an entry has none left.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use crate::exports::shared_type_names;
use crate::sources::Source;

/// The table, from the root of the workspace.
pub(crate) const TABLE: &str = "xtask/ratchet.txt";

const HEADER: &str = "# Exceptions from rules that are left, see xtask/src/ratchet.rs: rule, crate, count.\n\
    # Lower the counts with `cargo xtask tidy --lower`.\n";

/// A rule with exceptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// A parameter is not a tuple that the signature takes apart.
    TupleParameter,
    /// A function does not return a result of a result.
    NestedResult,
    /// An error is not a string, except in functions that parse an argument for `clap`.
    StringError,
    /// Two crates do not export types of the same name.
    SharedTypeName,
}

impl Rule {
    const ALL: [Rule; 4] =
        [Rule::TupleParameter, Rule::NestedResult, Rule::StringError, Rule::SharedTypeName];

    fn name(self) -> &'static str {
        match self {
            Rule::TupleParameter => "tuple-parameter",
            Rule::NestedResult => "nested-result",
            Rule::StringError => "string-error",
            Rule::SharedTypeName => "shared-type-name",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Rule::TupleParameter => "a tuple parameter: give the pair a type with a name",
            Rule::NestedResult => "a result of a result: use one error type",
            Rule::StringError => "an error that is a string: give it a type",
            Rule::SharedTypeName => "a type name that another crate exports too",
        }
    }
}

/// One exception.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exception {
    /// The rule that is broken.
    pub rule: Rule,
    /// The crate that breaks it.
    pub crate_name: String,
    /// Where: a file and a line, or a path of modules.
    place: String,
}

impl fmt::Display for Exception {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.rule.advice())
    }
}

/// All exceptions of the tree, sorted.
pub(crate) fn exceptions(sources: &[Source]) -> Vec<Exception> {
    let parsers: Vec<(&str, &str)> = sources
        .iter()
        .flat_map(|source| {
            let parsers =
                source.syntax().map(|syntax| syntax.argument_parsers.as_slice()).unwrap_or_default();
            parsers.iter().map(|parser| (owner(source), parser.as_str()))
        })
        .collect();
    let mut exceptions = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test_file()) {
        let Some(syntax) = source.syntax() else { continue };
        let crate_name = owner(source);
        let mut add = |rule, line: &usize| {
            let place = format!("{}:{line}", source.path);
            exceptions.push(Exception { rule, crate_name: crate_name.to_owned(), place });
        };
        syntax.tuple_parameters.iter().for_each(|line| add(Rule::TupleParameter, line));
        syntax.nested_results.iter().for_each(|line| add(Rule::NestedResult, line));
        let is_parser = |function: &str| parsers.contains(&(crate_name, function));
        let string_errors = syntax.string_errors.iter().filter(|(_, function)| !is_parser(function));
        string_errors.for_each(|(line, _)| add(Rule::StringError, line));
    }
    for (crate_name, export) in shared_type_names(sources) {
        let place = format!("{crate_name}::{}::{}", export.module, export.name);
        exceptions.push(Exception { rule: Rule::SharedTypeName, crate_name, place });
    }
    exceptions.sort();
    exceptions
}

/// The crate of a file, tools of the workspace included.
fn owner(source: &Source) -> &str {
    source.crate_name().unwrap_or_else(|| source.path.split('/').next().unwrap_or_default())
}

/// The number of exceptions by rule and crate.
type Counts = BTreeMap<(Rule, String), usize>;

fn counts(exceptions: &[Exception]) -> Counts {
    let mut counts = Counts::new();
    for exception in exceptions {
        *counts.entry((exception.rule, exception.crate_name.clone())).or_default() += 1;
    }
    counts
}

/// Reads the table; a line that is not understood is a complaint.
fn read_table(table: &str) -> (Counts, Vec<String>) {
    let mut counts = Counts::new();
    let mut complaints = Vec::new();
    for (position, line) in table.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let entry = match words.as_slice() {
            [rule, crate_name, count] => Rule::ALL
                .into_iter()
                .find(|known| known.name() == *rule)
                .zip(count.parse().ok())
                .map(|(rule, count)| ((rule, (*crate_name).to_owned()), count)),
            _ => None,
        };
        match entry {
            Some((key, count)) => {
                counts.insert(key, count);
            }
            None => complaints.push(format!("{TABLE}:{}: expected rule, crate, count", position + 1)),
        }
    }
    (counts, complaints)
}

/// Where the tree and the table differ.
pub(crate) fn complaints(exceptions: &[Exception], table: &str) -> Vec<String> {
    let (allowed, mut complaints) = read_table(table);
    let found = counts(exceptions);
    for (key, count) in &found {
        let limit = allowed.get(key).copied().unwrap_or(0);
        if *count > limit {
            let (rule, crate_name) = key;
            let these = exceptions.iter().filter(|one| one.rule == *rule && one.crate_name == *crate_name);
            complaints.extend(these.map(ToString::to_string));
            complaints.push(format!("{crate_name}: {} has {count} exceptions, {limit} allowed", rule.name()));
        }
    }
    for (key, limit) in &allowed {
        let count = found.get(key).copied().unwrap_or(0);
        if count < *limit {
            let (rule, crate_name) = key;
            complaints.push(format!(
                "{crate_name}: {} has {count} exceptions, not {limit}: run `cargo xtask tidy --lower`",
                rule.name()
            ));
        }
    }
    complaints
}

/// The table with every count that has fallen.
pub(crate) fn lowered(exceptions: &[Exception], table: &str) -> String {
    let found = counts(exceptions);
    let mut text = HEADER.to_owned();
    for (key, limit) in read_table(table).0 {
        let count = found.get(&key).copied().unwrap_or(0).min(limit);
        if count > 0 {
            let _ = writeln!(text, "{} {} {count}", key.0.name(), key.1);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_exceptions() -> Vec<Exception> {
        let text =
            "//! A.\n#[cfg(test)]\nmod tests;\n\nfn f((a, b): (u8, u8)) {}\nfn g((a, b): (u8, u8)) {}\n";
        exceptions(&[Source::new("crates/a/src/lib.rs", text)])
    }

    fn check(table: &str, expected: &[&str]) {
        let found = complaints(&two_exceptions(), table);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn the_number_in_the_table_is_fine() {
        check("tuple-parameter a 2\n", &[]);
    }

    #[test]
    fn more_than_the_table_allows_is_listed() {
        check(
            "tuple-parameter a 1\n",
            &["lib.rs:5: a tuple", "lib.rs:6: a tuple", "2 exceptions, 1 allowed"],
        );
    }

    #[test]
    fn less_than_the_table_allows_must_be_written_down() {
        check("tuple-parameter a 3\n", &["not 3"]);
        check("tuple-parameter a 2\nnested-result b 1\n", &["not 1"]);
    }

    #[test]
    fn a_line_that_is_not_understood_is_found() {
        check("tuple-parameter a 2\ntuples a 2\n", &["ratchet.txt:2"]);
    }

    #[test]
    fn lowering_never_raises() {
        let table = "tuple-parameter a 1\nnested-result a 4\n";
        assert_eq!(lowered(&two_exceptions(), table), format!("{HEADER}tuple-parameter a 1\n"));
    }

    #[test]
    fn a_string_is_an_error_of_arguments_only() {
        let text = "//! A.\n#[derive(Args)]\nstruct Args {\n    #[arg(value_parser = size)]\n    size: u8,\n}\n\
                    fn size(text: &str) -> Result<u8, String> {}\nfn other() -> Result<u8, String> {}\n";
        let found = exceptions(&[Source::new("crates/a/src/main.rs", text)]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].place, "crates/a/src/main.rs:8");
    }

    #[test]
    fn a_type_name_is_exported_once() {
        let one = Source::new("crates/a/src/lib.rs", "pub struct Same;\npub struct A;\n");
        let other = Source::new("crates/b/src/lib.rs", "pub struct Same;\nstruct A;\n");
        let found: Vec<String> = exceptions(&[one, other]).into_iter().map(|found| found.place).collect();
        assert_eq!(found, ["a::::Same", "b::::Same"]);
    }
}

//! Measures of the shape of the workspace, each with its target: `cargo xtask house`.
//!
//! Most numbers come from syntax trees. Two cannot be counted by a machine and are lists kept here, with the reason for
//! each entry: the types that one case passes through, and the places that decide which solver is wrong. An entry counts
//! as long as the tree has it, so a list falls by itself; a new type or place of this kind must be added here.

use std::fmt::Write as _;

use crate::exports::exports;
use crate::ratchet::{Exception, Rule, exceptions};
use crate::sources::Source;

/// Types that carry one case from its proposal to the record, with their crates, and why.
const NOUNS: &[(&str, &str, &str)] = &[
    ("smelt-oracle", "Case", "the formula, with its expectation and lineage"),
    ("smelt-trial", "Trial", "the case on all solvers"),
    ("smelt-oracle", "EvaluatedRun", "a run whose model was evaluated"),
    ("smelt-oracle", "Observed", "the case as judges see it"),
    ("smelt-trial", "Confirmed", "what judges say of fresh runs"),
    ("smelt-store", "Finding", "what is recorded"),
];

/// Functions that decide which solver is wrong: file, function and command. The judges themselves are one place.
const JUDGING: &[(&str, &str, &str)] = &[
    // The other functions of this file, `verdicts` and `Referee::verdict`, ask the same judges: for reductions, the study of
    // releases and bench.
    ("crates/smelt-trial/src/judge.rs", "suspicions", "all commands"),
];

/// One number.
#[derive(Debug)]
struct Measure {
    name: String,
    value: usize,
    most: usize,
}

/// The report.
pub(crate) fn report(sources: &[Source]) -> String {
    let (nouns, places) = (nouns(sources), judging_places(sources));
    let mut text = format!("{:<58} {:>7} {:>7}\n", "measure", "now", "target");
    for Measure { name, value, most } in measures(sources, nouns.len(), places.len()) {
        let mark = if value <= most { "" } else { "  above" };
        let _ = writeln!(text, "{name:<58} {value:>7} {most:>7}{mark}");
    }
    let _ = writeln!(text, "\ntypes that one case passes through:");
    for (home, name, reason) in nouns {
        let _ = writeln!(text, "  {home}: {name} ({reason})");
    }
    let _ = writeln!(text, "\nplaces that judge:");
    for (path, function, command) in places {
        let _ = writeln!(text, "  {path}: {function} ({command})");
    }
    text
}

fn measures(sources: &[Source], nouns: usize, places: usize) -> Vec<Measure> {
    let exceptions = exceptions(sources);
    let broken = |rule: Rule| exceptions.iter().filter(|one: &&Exception| one.rule == rule).count();
    let lengths = lengths(sources);
    let without_head = |source: &&Source| {
        source.is_rust() && !source.text.starts_with("//! ") && !source.path.ends_with("/tests.rs")
    };
    let mut measures = Vec::new();
    let mut add = |name: &str, value, most| measures.push(Measure { name: name.to_owned(), value, most });
    add("lines under crates/smelt/src", lines_under(sources, "crates/smelt/src/"), 6_000);
    add("public items of smelt-solver without features", exports("smelt-solver", sources).len(), 20);
    for name in ["Outcome", "Step", "Place"] {
        add(&format!("types named {name}"), types_named(sources, name), 3);
    }
    add("types that one case passes through", nouns, 6);
    add("signatures with a result of a result", broken(Rule::NestedResult), 0);
    add("signatures with a string as error, but for arguments", broken(Rule::StringError), 0);
    add("tuple parameters", broken(Rule::TupleParameter), 0);
    add("places that judge", places, 1);
    add("lines of a file without tests, 90th percentile", percentile(&lengths, 90), 400);
    add("lines of a file without tests, maximum", percentile(&lengths, 100), 800);
    add("files without a head comment", sources.iter().filter(without_head).count(), 0);
    measures
}

/// Whether a file is code of the product or of its tools.
fn is_code(source: &Source) -> bool {
    source.is_rust() && source.path.contains("/src/") && !source.is_test_file()
}

fn lines_under(sources: &[Source], folder: &str) -> usize {
    let files = sources.iter().filter(|source| source.is_rust() && source.path.starts_with(folder));
    files.map(|source| source.text.lines().count()).sum()
}

fn types_named(sources: &[Source], name: &str) -> usize {
    let types = sources.iter().filter(|source| is_code(source)).filter_map(Source::syntax);
    types.flat_map(|syntax| &syntax.types).filter(|(_, known)| known == name).count()
}

/// Lines outside of tests of all files, in ascending order.
fn lengths(sources: &[Source]) -> Vec<usize> {
    let files = sources.iter().filter(|source| is_code(source));
    let mut lengths: Vec<usize> = files.map(|source| source.outside_tests().count()).collect();
    lengths.sort_unstable();
    lengths
}

fn percentile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

fn nouns(sources: &[Source]) -> Vec<(&'static str, &'static str, &'static str)> {
    let is_there = |home: &str, noun: &str| {
        let files = sources.iter().filter(|source| is_code(source) && source.crate_name() == Some(home));
        files.filter_map(Source::syntax).any(|syntax| syntax.types.iter().any(|(_, known)| known == noun))
    };
    NOUNS.iter().copied().filter(|(home, noun, _)| is_there(home, noun)).collect()
}

fn judging_places(sources: &[Source]) -> Vec<(&'static str, &'static str, &'static str)> {
    let is_there = |path: &str, function: &str| {
        let signature = format!("fn {function}(");
        sources
            .iter()
            .any(|source| source.path == path && source.code().any(|(_, line)| line.contains(&signature)))
    };
    JUDGING.iter().copied().filter(|(path, function, _)| is_there(path, function)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_percentile_is_a_member() {
        assert_eq!(percentile(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 90), 9);
        assert_eq!(percentile(&[1, 2, 3], 100), 3);
        assert_eq!(percentile(&[], 90), 0);
    }

    #[test]
    fn types_and_lines_are_counted_outside_of_tests() {
        let text = "//! A.\nstruct Step;\n#[cfg(test)]\nmod tests {\n    struct Step;\n}\n";
        let sources = [Source::new("crates/a/src/lib.rs", text)];
        assert_eq!(types_named(&sources, "Step"), 1);
        assert_eq!(lengths(&sources), [2]);
        assert_eq!(lines_under(&sources, "crates/a/src/"), 6);
    }

    #[test]
    fn lists_count_what_the_tree_has() {
        let sources =
            [Source::new("crates/smelt-trial/src/judge.rs", "//! J.\nstruct Trial;\nfn suspicions() {}\n")];
        assert_eq!(nouns(&sources).len(), 1);
        assert_eq!(judging_places(&sources).len(), 1);
    }
}

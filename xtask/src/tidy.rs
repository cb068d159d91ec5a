//! Rules about the text of files: headers, length, names, leftovers.

use crate::sources::Source;

/// A file may have this many lines outside of tests.
const MAX_LINES: usize = 800;

/// Files that are longer because they are flat lists, and of what.
const FLAT_LISTS: &[(&str, &str)] =
    &[("crates/smelt-semantics/src/apply.rs", "one match over all operators, and what its branches share")];

/// Names that say nothing.
const EMPTY_NAMES: &[&str] = &["util", "utils", "common", "misc", "manager", "helpers"];

/// Parts of paths that exist on one machine only. Written in pieces, so that this file does not contain them.
const MACHINE_PATHS: &[&str] =
    &[concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/tm", "p/")];

const MARK: &str = concat!("TO", "DO");

/// What is wrong with one file.
pub(crate) fn complaints(source: &Source) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut complain = |line: usize, what: &str| complaints.push(format!("{}:{line}: {what}", source.path));
    for (number, line) in source.text.lines().enumerate().map(|(position, line)| (position + 1, line)) {
        if let Some(after) = line.split(MARK).nth(1)
            && !after.starts_with("(#")
        {
            complain(number, "a to-do carries an issue number, as in `(#12)`");
        }
        if !source.path.starts_with("testdata/") && MACHINE_PATHS.iter().any(|path| line.contains(path)) {
            complain(number, "a path of one machine: name it relative to the repository");
        }
    }
    if !source.is_rust() {
        return complaints;
    }
    // Unit tests beside a file need no header of their own.
    if !source.text.starts_with("//! ") && !source.path.ends_with("/tests.rs") {
        complain(1, "a file opens with `//!` and what it does");
    }
    let stem = source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    if EMPTY_NAMES.contains(&stem) {
        complain(1, "a file is named after its purpose");
    }
    if let Some(error) = source.syntax_error() {
        complain(1, &format!("cannot be read as Rust: {error}"));
    }
    let length = source.outside_tests().count();
    if length > MAX_LINES && !FLAT_LISTS.iter().any(|(path, _)| *path == source.path) {
        complain(MAX_LINES, "a file has at most 800 lines outside of tests: split it");
    }
    for (number, line) in source.code() {
        if line.contains(concat!(".unwrap", "()")) {
            complain(number, "no unwrap outside of tests: return an error, or expect with the invariant");
        }
    }
    for (number, line) in source.text.lines().enumerate() {
        if line.trim_start().starts_with(concat!("#[ign", "ore")) {
            complain(number + 1, "a test is never ignored: assert what happens and say why it is wrong");
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let source = Source::new(path, text);
        let found = complaints(&source);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn a_good_file_gives_no_complaints() {
        check("crates/a/src/b.rs", "//! Does b.\n\nfn b() {}\n", &[]);
    }

    #[test]
    fn a_missing_header_is_found() {
        check("crates/a/src/b.rs", "fn b() {}\n", &["opens with"]);
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let text = format!("//! Long.\n{}", "fn f() {}\n".repeat(900));
        check("crates/a/src/b.rs", &text, &["at most 800"]);
        let text = format!("//! Long.\n#[cfg(test)]\nmod tests {{\n{}}}\n", "fn f() {}\n".repeat(900));
        check("crates/a/src/b.rs", &text, &[]);
        check("crates/a/tests/b.rs", &format!("//! Long.\n{}", "fn f() {}\n".repeat(900)), &[]);
    }

    #[test]
    fn an_unwrap_is_found_outside_of_tests_and_comments_only() {
        check("crates/a/src/b.rs", "//! B.\nfn f() { x.unwrap() }\n", &["no unwrap"]);
        check("crates/a/src/b.rs", "//! B.\n// x.unwrap()\n#[cfg(test)]\nfn f() { x.unwrap() }\n", &[]);
    }

    #[test]
    fn what_follows_a_test_item_is_checked() {
        let text = "//! B.\n#[cfg(test)]\nmod tests;\n\nfn f() { x.unwrap() }\n";
        check("crates/a/src/b.rs", text, &["b.rs:5: no unwrap"]);
        let text = "//! B.\n#[cfg(test)]\nfn f() { x.unwrap() }\nfn g() { x.unwrap() }\n";
        check("crates/a/src/b.rs", text, &["b.rs:4: no unwrap"]);
    }

    #[test]
    fn what_is_not_rust_is_found() {
        check("crates/a/src/b.rs", "//! B.\nfn f( {}\n", &["line 2"]);
    }

    #[test]
    fn a_to_do_needs_an_issue() {
        check("a.md", &format!("{MARK}: later\n"), &["issue number"]);
        check("a.md", &format!("{MARK}(#7): later\n"), &[]);
    }

    #[test]
    fn machine_paths_and_empty_names_are_found() {
        check("a.md", concat!("see /ho", "me/me/notes\n"), &["one machine"]);
        check("crates/a/src/util.rs", "//! All sorts.\n", &["purpose"]);
    }
}

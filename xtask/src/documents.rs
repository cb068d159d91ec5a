//! Rules about documents: what they name must exist.
//!
//! In the documents for contributors every path in backquotes is a file or folder, and in "`item` in `path`" the file
//! contains the item. Files in the tables of the head comments of crates are files of that crate. Outside of tests, pages under `docs/` that are named exist, and so do the targets of links.

use std::path::Path;

use crate::packages::has_word;
use crate::sources::Source;

/// Documents whose paths are all checked.
const FOR_CONTRIBUTORS: &[&str] = &["CONTRIBUTING.md", "ARCHITECTURE.md"];

/// How paths from the root begin.
const FOLDERS: &[&str] = &["crates/", "docs/", "testdata/", "bench/", "fuzz/", "xtask/", ".ci/", ".cargo/"];

/// What is named and does not exist.
pub(crate) fn complaints(root: &Path, sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let is_test_line = |line| source.syntax().is_some_and(|syntax| syntax.is_test_line(line));
        for (number, line) in (1..).zip(source.text.lines()).filter(|(number, _)| !is_test_line(*number)) {
            let mut complain = |what: String| complaints.push(format!("{}:{number}: {what}", source.path));
            for path in pages(line).filter(|path| !root.join(path).exists()) {
                complain(format!("there is no `{path}`"));
            }
            for file in table_files(source, line).filter(|file| !is_in_crate(root, source, file, sources)) {
                complain(format!("the crate has no `{file}`"));
            }
            if source.path.ends_with(".md") {
                let folder = Path::new(&source.path).parent().unwrap_or(Path::new(""));
                for target in links(line).filter(|target| !root.join(folder).join(target).exists()) {
                    complain(format!("a link leads to `{target}`, which is not there"));
                }
            }
            if FOR_CONTRIBUTORS.contains(&source.path.as_str()) {
                for path in paths(line).filter(|path| !root.join(path).exists()) {
                    complain(format!("there is no `{path}`"));
                }
                for (item, path) in items(line) {
                    let file = sources.iter().find(|source| source.path == path);
                    if !file.is_some_and(|file| file.text.lines().any(|line| has_word(line, item))) {
                        complain(format!("there is no `{item}` in `{path}`"));
                    }
                }
            }
        }
    }
    complaints
}

/// Files that a table in the head comment of a crate names.
fn table_files<'l>(source: &Source, line: &'l str) -> impl Iterator<Item = &'l str> {
    let is_head = ["/src/lib.rs", "/src/main.rs"].iter().any(|name| source.path.ends_with(name));
    let is_row = is_head && line.starts_with("//! |");
    let words = quoted(line).map(|(_, word)| word);
    let is_file = |word: &&str| word.ends_with(".rs") || word.ends_with(".txt") || word.ends_with('/');
    words.filter(move |word| is_row && is_file(word) && !word.contains(' '))
}

/// Whether the crate of `source` has a file or folder that ends like this.
fn is_in_crate(root: &Path, source: &Source, file: &str, sources: &[Source]) -> bool {
    // What is not text of ours, such as grammars, is not among the sources.
    let folder = source.crate_name().map(|name| root.join("crates").join(name));
    if folder.is_some_and(|folder| folder.join(file).exists()) {
        return true;
    }
    let part = format!("/{file}");
    let is_it = |path: &str| if file.ends_with('/') { path.contains(&part) } else { path.ends_with(&part) };
    let in_crate = sources.iter().filter(|other| other.crate_name() == source.crate_name());
    in_crate.map(|other| other.path.as_str()).any(is_it)
}

/// Pages under `docs/` that a line names.
fn pages(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "/-_.".contains(letter);
    line.match_indices("docs/").filter_map(move |(start, _)| {
        let rest = &line[start..];
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        rest[..end].find(".md").map(|end| &rest[..end + 3])
    })
}

/// Targets of the links of a line that are files.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(move |(start, _)| {
        let target = line[start + 2..].split(')').next()?.split('#').next()?;
        (!target.is_empty() && !target.contains("://")).then_some(target)
    })
}

/// The words of a line in backquotes, each with what is before it.
fn quoted(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts: Vec<&str> = line.split('`').collect();
    (1..parts.len().saturating_sub(1)).step_by(2).map(move |at| (parts[at - 1], parts[at]))
}

/// Paths in backquotes.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    quoted(line).map(|(_, word)| word).filter(|word| {
        FOLDERS.iter().any(|folder| word.starts_with(folder)) && !word.contains([' ', '*', '<'])
    })
}

/// Items that a line places in a file, several of them in "`a`, `b` or `c` in `path`".
fn items(line: &str) -> Vec<(&str, &str)> {
    let words: Vec<(&str, &str)> = quoted(line).collect();
    let mut items = Vec::new();
    for (at, (before, path)) in words.iter().enumerate().skip(1) {
        if *before != " in " || !path.contains('/') || !path.contains('.') {
            continue;
        }
        let mut first = at - 1;
        while first > 0 && matches!(words[first].0, ", " | " or " | " and ") {
            first -= 1;
        }
        items.extend(words[first..at].iter().map(|(_, item)| (item.trim_end_matches("()"), *path)));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let root = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir_all(root.path().join("docs/design")).expect("a folder can be made");
        std::fs::write(root.path().join("docs/design/a.md"), "").expect("a file can be written");
        let code = Source::new("docs/design/a.md", "fn known() {}\n");
        let found = complaints(root.path(), &[Source::new(path, text), code]);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn pages_that_are_named_exist() {
        check(
            "crates/a/src/b.rs",
            "//! See docs/design/a.md and `docs/design/b.md`.\n",
            &["docs/design/b.md"],
        );
    }

    #[test]
    fn tables_of_a_crate_name_its_files() {
        let text = "//! Does a.\n//!\n//! | it | `lib.rs`, `b/none.rs`, `src/` |\n";
        check("crates/a/src/lib.rs", text, &["no `b/none.rs`"]);
    }

    #[test]
    fn links_lead_somewhere() {
        check("docs/design/b.md", "[a](a.md#part) [c](c.md) [web](https://x)\n", &["`c.md`"]);
    }

    #[test]
    fn contributors_find_what_they_are_told() {
        check(
            "CONTRIBUTING.md",
            "Add `known` in `docs/design/a.md`, as `xtask/src/none.rs` does.\n",
            &["none.rs"],
        );
        check("CONTRIBUTING.md", "Add `other()` in `docs/design/a.md`.\n", &["no `other`"]);
        check(
            "CONTRIBUTING.md",
            "Add `one`, `known` or `two` in `docs/design/a.md`.\n",
            &["no `one`", "no `two`"],
        );
    }
}

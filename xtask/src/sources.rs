//! The text files of the workspace, as the checks look at them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::syntax::Syntax;

/// One file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Its path from the root of the workspace, with `/` between the parts.
    pub path: String,
    /// Its content.
    pub text: String,
    /// What its syntax tree says, if it is Rust, or why there is none.
    syntax: Option<Result<Syntax, String>>,
    /// Whether it is a module that another file declares under `#[cfg(test)]`.
    is_test_module: bool,
}

/// Folders without sources of ours, by their paths from the root: what `.gitignore` lists.
const SKIPPED: &[&str] =
    &["target", "bench/target", "fuzz/target", "fuzz/corpus", "fuzz/artifacts", "smelt-campaign"];

/// Folders whose code is not part of the product, by their paths from the root.
const TOOLS: &[&str] = &["bench/", "fuzz/", "testdata/"];

/// Hidden folders that have some.
const HIDDEN: &[&str] = &[".cargo", ".ci"];

/// Extensions of the files that are checked; files without one are too.
const CHECKED: &[&str] = &["rs", "md", "toml", "sh", "py", "yml", "txt"];

/// The root of the workspace.
pub(crate) fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Source {
    /// The file at `path` with the content `text`.
    pub(crate) fn new(path: &str, text: &str) -> Source {
        let is_rust = path.ends_with(".rs");
        let syntax = is_rust.then(|| {
            Syntax::of(text).map_err(|error| format!("line {}: {error}", error.span().start().line))
        });
        Source { path: path.to_owned(), text: text.to_owned(), syntax, is_test_module: false }
    }

    /// All files under `root` that the rules are about, sorted by path.
    pub(crate) fn all(root: &Path) -> Vec<Source> {
        let mut sources = Vec::new();
        let mut pending = vec![root.to_owned()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let name = entry.file_name().to_string_lossy().into_owned();
                let from_root = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                if path.is_dir() {
                    let is_hidden = name.starts_with('.') && !HIDDEN.contains(&name.as_str());
                    if !is_hidden && !SKIPPED.contains(&from_root.as_str()) {
                        pending.push(path);
                    }
                    continue;
                }
                let is_checked = match path.extension() {
                    // In a linked worktree `.git` is a file.
                    None => name != ".git",
                    Some(extension) => CHECKED.iter().any(|checked| extension == *checked),
                };
                if let (true, Ok(text)) = (is_checked, fs::read_to_string(&path)) {
                    sources.push(Source::new(&from_root, &text));
                }
            }
        }
        sources.sort_by(|left, right| left.path.cmp(&right.path));
        mark_test_modules(&mut sources);
        sources
    }

    /// Whether this is Rust.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// What its syntax tree says; nothing if it is not Rust or cannot be read.
    pub(crate) fn syntax(&self) -> Option<&Syntax> {
        self.syntax.as_ref()?.as_ref().ok()
    }

    /// Why its syntax cannot be read.
    pub(crate) fn syntax_error(&self) -> Option<&str> {
        self.syntax.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// Whether the whole file is tests, benchmarks or a test tool.
    pub(crate) fn is_test_file(&self) -> bool {
        let is_tool = TOOLS.iter().any(|tool| self.path.starts_with(tool));
        let is_in_tests = self.path.split('/').any(|part| matches!(part, "tests" | "benches"));
        self.is_test_module || is_tool || is_in_tests || self.path.ends_with("/tests.rs")
    }

    /// Whether this runs before its crate is built.
    pub(crate) fn is_build_script(&self) -> bool {
        self.path.ends_with("/build.rs") && !self.path.contains("/src/")
    }

    /// The crate under `crates/` that this file belongs to.
    pub(crate) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// The lines of Rust outside of tests, with their numbers and without comments.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.outside_tests().filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The lines outside of test items, with their numbers; none in a test file.
    pub(crate) fn outside_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_test_file = self.is_test_file();
        let is_test_line = |line| self.syntax().is_some_and(|syntax| syntax.is_test_line(line));
        self.text
            .lines()
            .enumerate()
            .map(|(position, line)| (position + 1, line))
            .filter(move |(number, _)| !is_test_file && !is_test_line(*number))
    }
}

/// Finds the files of modules that are declared under `#[cfg(test)]`.
fn mark_test_modules(sources: &mut [Source]) {
    let mut stems = Vec::new();
    for source in sources.iter() {
        let stem = source.path.trim_end_matches(".rs");
        let (folder, file) = stem.rsplit_once('/').unwrap_or(("", stem));
        let folder = if matches!(file, "lib" | "main" | "mod") { folder } else { stem };
        let modules = source.syntax().map(|syntax| syntax.test_modules.as_slice()).unwrap_or_default();
        stems.extend(modules.iter().map(|name| format!("{folder}/{name}")));
    }
    for source in sources {
        let is_inside = |stem: &String| {
            source.path.strip_prefix(stem.as_str()).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        };
        source.is_test_module = stems.iter().any(is_inside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_test_folders_hold_tests() {
        let is_test = |path: &str| Source::new(path, "").is_test_file();
        for path in
            ["bench/src/main.rs", "crates/a/tests/b.rs", "crates/a/src/b/tests.rs", "crates/a/src/tests/b.rs"]
        {
            assert!(is_test(path), "{path}");
        }
        for path in ["crates/a/src/bench/table.rs", "crates/smelt-fuzz/src/lib.rs", "crates/a/src/fuzz/b.rs"]
        {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn a_module_named_build_is_no_build_script() {
        assert!(Source::new("crates/a/build.rs", "").is_build_script());
        assert!(!Source::new("crates/a/src/build.rs", "").is_build_script());
    }

    #[test]
    fn files_of_test_modules_are_tests() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write =
            |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("can be written");
        fs::create_dir(folder.path().join("a")).expect("can be made");
        write("a.rs", "#[cfg(test)]\nmod testing;\nmod other;\n");
        write("a/testing.rs", "");
        write("a/other.rs", "");
        let found = Source::all(folder.path());
        let tests: Vec<&str> =
            found.iter().filter(|one| one.is_test_file()).map(|one| one.path.as_str()).collect();
        assert_eq!(tests, ["a/testing.rs"]);
    }
}

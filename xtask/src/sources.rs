//! The text files of the workspace, as the checks look at them.

use std::fs;
use std::path::{Path, PathBuf};

/// One file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Its path from the root of the workspace, with `/` between the parts.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// Folders that hold no sources of ours.
const SKIPPED: &[&str] = &["target", "corpus", "artifacts", "smelt-campaign"];

/// Hidden folders that do.
const HIDDEN: &[&str] = &[".cargo", ".ci"];

/// Extensions of the files that are checked; files without one are too.
const CHECKED: &[&str] = &["rs", "md", "toml", "sh", "py", "yml", "txt"];

/// The root of the workspace.
pub(crate) fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Source {
    /// All files under `root` that the rules are about, sorted by path.
    pub(crate) fn all(root: &Path) -> Vec<Source> {
        let mut sources = Vec::new();
        let mut pending = vec![root.to_owned()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let name = entry.file_name().to_string_lossy().into_owned();
                if path.is_dir() {
                    let is_hidden = name.starts_with('.') && !HIDDEN.contains(&name.as_str());
                    if !is_hidden && !SKIPPED.contains(&name.as_str()) {
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
                    let path = path.strip_prefix(root).unwrap_or(&path);
                    sources.push(Source { path: path.to_string_lossy().replace('\\', "/"), text });
                }
            }
        }
        sources.sort_by(|left, right| left.path.cmp(&right.path));
        sources
    }

    /// Whether this is Rust.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the whole file is tests, benchmarks or a test tool.
    pub(crate) fn is_test_file(&self) -> bool {
        let parts: Vec<&str> = self.path.split('/').collect();
        let is_test_folder =
            |part: &&str| matches!(*part, "tests" | "benches" | "bench" | "fuzz" | "testdata");
        parts.iter().any(is_test_folder) || self.path.ends_with("/tests.rs")
    }

    /// The crate under `crates/` that this file belongs to.
    pub(crate) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// The lines of Rust before the unit tests, with their numbers and without comments.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.before_tests().filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The lines before the unit tests, with their numbers.
    pub(crate) fn before_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_test = self.is_test_file();
        self.text
            .lines()
            .enumerate()
            .map(|(position, line)| (position + 1, line))
            .take_while(move |(_, line)| !is_test && line.trim() != "#[cfg(test)]")
    }
}

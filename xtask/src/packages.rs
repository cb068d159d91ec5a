//! The packages of the workspace and their dependencies, as `cargo metadata` lists them, and which are unused.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::sources::Source;

/// One package of the workspace.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Package {
    /// Its name.
    pub name: String,
    /// What its manifest lists, for the program, for tests and for the build script.
    pub dependencies: Vec<Dependency>,
}

/// One line of a manifest.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Dependency {
    /// The name of the package.
    pub name: String,
    /// The name in the code, if it is another.
    rename: Option<String>,
    /// `dev` or `build`; none for ordinary ones.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

impl Package {
    /// All packages of the workspace at `root`.
    pub(crate) fn all(root: &Path) -> anyhow::Result<Vec<Package>> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
            .current_dir(root)
            .output()
            .context("cannot run `cargo metadata`")?;
        ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        let metadata: Metadata =
            serde_json::from_slice(&output.stdout).context("cannot read what `cargo metadata` writes")?;
        Ok(metadata.packages)
    }

    /// A package with these dependencies and their kinds.
    #[cfg(test)]
    pub(crate) fn new(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependency = |(name, kind): &(&str, Option<&str>)| Dependency {
            name: (*name).to_owned(),
            rename: None,
            kind: kind.map(str::to_owned),
        };
        Package { name: name.to_owned(), dependencies: dependencies.iter().map(dependency).collect() }
    }

    /// Its folder from the root of the workspace.
    fn folder(&self) -> String {
        if self.name == "xtask" { "xtask/".to_owned() } else { format!("crates/{}/", self.name) }
    }

    /// Its manifest from the root of the workspace.
    pub(crate) fn manifest(&self) -> String {
        format!("{}Cargo.toml", self.folder())
    }
}

impl Dependency {
    /// Whether only tests have it.
    pub(crate) fn is_for_tests(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }

    fn is_for_build(&self) -> bool {
        self.kind.as_deref() == Some("build")
    }

    /// Whether `source` names it where this kind of dependency may be used.
    fn is_used_in(&self, source: &Source) -> bool {
        if self.is_for_build() != source.is_build_script() {
            return false;
        }
        let name = self.rename.as_ref().unwrap_or(&self.name).replace('-', "_");
        if self.is_for_tests() {
            source.text.lines().any(|line| has_word(line, &name))
        } else {
            source.code().any(|(_, line)| has_word(line, &name))
        }
    }
}

/// Whether `line` contains `word` with nothing before or after it that belongs to a name.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(start, _)| {
        !line[..start].ends_with(is_part) && !line[start + word.len()..].starts_with(is_part)
    })
}

/// Dependencies that no code names. An ordinary one that only tests name is unused as well.
pub(crate) fn unused_complaints(packages: &[Package], sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for package in packages {
        let folder = package.folder();
        let files: Vec<&Source> =
            sources.iter().filter(|source| source.is_rust() && source.path.starts_with(&folder)).collect();
        for dependency in &package.dependencies {
            if !files.iter().any(|source| dependency.is_used_in(source)) {
                let place = match dependency.kind.as_deref() {
                    Some("dev") => "tests",
                    Some("build") => "the build script",
                    _ => "code outside of tests",
                };
                complaints.push(format!(
                    "{}: `{}` is not used in {place}",
                    package.manifest(),
                    dependency.name
                ));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_that_only_tests_name_is_unused() {
        let package = Package::new("a", &[("b-c", None), ("d", None), ("e", Some("dev"))]);
        let text = "//! A.\nuse b_c::X;\n#[cfg(test)]\nmod tests { use d::Y; use e::Z; }\n";
        let found = unused_complaints(&[package], &[Source::new("crates/a/src/lib.rs", text)]);
        assert_eq!(found, ["crates/a/Cargo.toml: `d` is not used in code outside of tests"]);
    }

    #[test]
    fn a_part_of_a_name_is_no_use() {
        assert!(has_word("use serde::Deserialize;", "serde"));
        assert!(!has_word("use serde_json::Value;", "serde"));
    }
}

//! Known bugs: a folder of formulas that trigger them, each with what is known of it in its first lines.
//!
//! ```text
//! ; status: fixed in 4.8.8
//! ; kind: crash z3 smt.string_solver=z3str3
//! ; signature: signal 11|theory_str.cpp
//! (assert ..)
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use smelt_runner::files::write_whole;

use super::findings::Kind;

/// A known bug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The name of its file.
    pub name: String,
    /// What has become of it.
    pub status: String,
    /// Class, family and options.
    pub kind: Kind,
    /// Where it crashes.
    pub signature: Option<String>,
    /// The formula, with all else that is in the file.
    pub text: String,
}

/// Why known bugs cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum KnownError {
    /// A file or the folder cannot be read.
    #[error("cannot read `{path}`: {error}")]
    Read {
        /// Its path.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// A file has no line about its kind.
    #[error("`{0}` does not say what it shows, as in `; kind: crash z3`")]
    NoKind(String),
}

/// All known bugs in a folder, by their names.
pub fn read(folder: &Path) -> Result<Vec<Known>, KnownError> {
    let failed = |path: &Path, error| KnownError::Read { path: path.display().to_string(), error };
    let entries = fs::read_dir(folder).map_err(|error| failed(folder, error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    paths.sort();
    let read_one = |path: &PathBuf| {
        let text = fs::read_to_string(path).map_err(|error| failed(path, error))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        parse(&name, text).ok_or_else(|| KnownError::NoKind(path.display().to_string()))
    };
    paths.iter().map(read_one).collect()
}

fn parse(name: &str, text: String) -> Option<Known> {
    let said = |word: &str| {
        let head = format!("; {word}: ");
        let lines = text.lines().take_while(|line| line.starts_with(';'));
        lines.filter_map(|line| line.strip_prefix(&head)).map(|value| value.trim().to_owned()).next()
    };
    Some(Known {
        name: name.to_owned(),
        status: said("status").unwrap_or_else(|| "open".to_owned()),
        kind: Kind::read(&said("kind")?),
        signature: said("signature"),
        text,
    })
}

/// Adds a known bug to a folder.
pub fn write(known: &Known, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let signature =
        known.signature.as_ref().map_or_else(String::new, |place| format!("; signature: {place}\n"));
    let head = format!("; status: {}\n; kind: {}\n{signature}", known.status, known.kind.text());
    write_whole(&folder.join(format!("{}.smt2", known.name)), (head + &known.text).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bugs_are_read_as_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let known = Known {
            name: "a".to_owned(),
            status: "fixed in 4.8.8".to_owned(),
            kind: Kind::read("crash z3 smt.string_solver=z3str3"),
            signature: Some("signal 11|theory_str.cpp".to_owned()),
            text: "(assert true)\n".to_owned(),
        };
        write(&known, folder).unwrap();
        let again = read(folder).unwrap();
        assert_eq!(again.len(), 1);
        assert!(again[0].text.ends_with(&known.text));
        assert_eq!(Known { text: known.text.clone(), ..again[0].clone() }, known);
    }

    #[test]
    fn a_formula_that_does_not_say_what_it_shows_is_refused() {
        assert_eq!(parse("a", "; status: open\n(assert true)\n".to_owned()), None);
    }
}

//! What the user has agreed to start: programs that files of others name, and configurations that start programs.
//!
//! A `smelt.toml` in the current folder and a campaign that somebody else has made both name programs with arguments and
//! an environment. What was agreed to is kept per user, by content: command lines by all of their words, a `smelt.toml` by
//! its folder and text, because a relative path means another program in another folder. A changed word is another item.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use smelt_oracle::foreign_text::{in_line, shell_word};
use smelt_store::configuration::SolverCommand;

/// Something that the user agrees to, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentItem {
    /// BLAKE3 of all that it consists of.
    hash: String,
    /// One line for people.
    pub text: String,
}

impl ConsentItem {
    /// A command line with its environment. What the solver is called does not matter.
    pub fn command(command: &SolverCommand) -> ConsentItem {
        let mut parts: Vec<&str> = vec!["command", &command.program];
        parts.extend(command.args.iter().map(String::as_str));
        parts.push("\0environment");
        parts.extend(command.environment.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]));
        let variables = command
            .environment
            .iter()
            .map(|(name, value)| format!("{}={}", in_line(name), shell_word(value)));
        let words = [&command.program].into_iter().chain(&command.args).map(|word| shell_word(word));
        let line = variables.chain(words).collect::<Vec<_>>().join(" ");
        ConsentItem { hash: hash(&parts), text: in_line(&format!("{}: {line}", command.solver)) }
    }

    /// Options for the releases of a family, which may make a solver write files.
    pub fn options(family: &str, options: &[String]) -> ConsentItem {
        let words: Vec<&str> =
            ["options", family].into_iter().chain(options.iter().map(String::as_str)).collect();
        ConsentItem { hash: hash(&words), text: in_line(&format!("releases of {}", words[1..].join(" "))) }
    }

    /// A configuration with this text.
    pub fn configuration(path: &Path, text: &str) -> ConsentItem {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let place = path.to_string_lossy();
        ConsentItem { hash: hash(&["configuration", &place, text]), text: in_line(&place) }
    }

    /// The same, with what it starts for people.
    pub fn starting(self, programs: &str) -> ConsentItem {
        ConsentItem { text: format!("{} ({})", self.text, in_line(programs)), ..self }
    }
}

/// The hash of some words, of which none can take the place of two.
fn hash(words: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(&(word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The file that keeps what the user has agreed to.
#[derive(Debug, Clone)]
pub struct Consents {
    /// The file; none for a user without a home.
    pub file: Option<PathBuf>,
}

impl Consents {
    /// The hashes of all that the user has agreed to: the first word of each line.
    fn known(&self) -> BTreeSet<String> {
        let text = self.file.as_ref().and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    }

    /// Those that the user has not agreed to yet.
    pub fn missing<'i>(&self, items: &'i [ConsentItem]) -> Vec<&'i ConsentItem> {
        let known = self.known();
        let mut new: Vec<&ConsentItem> = items.iter().filter(|item| !known.contains(&item.hash)).collect();
        new.dedup();
        new
    }

    /// Keeps that the user has agreed to these.
    pub fn keep(&self, items: &[ConsentItem]) -> io::Result<()> {
        let known = self.known();
        let new = items.iter().filter(|item| !known.contains(&item.hash));
        let lines: String = new.map(|item| format!("{} {}\n", item.hash, item.text)).collect();
        let Some(path) = self.file.as_ref().filter(|_| !lines.is_empty()) else { return Ok(()) };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // One write at the end of the file: several commands may do so at once.
        OpenOptions::new().create(true).append(true).open(path)?.write_all(lines.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(program: &str, args: &[&str], environment: &[(&str, &str)]) -> ConsentItem {
        ConsentItem::command(&SolverCommand {
            solver: "z3".to_owned(),
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            environment: environment.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            version: None,
            hash: None,
        })
    }

    #[test]
    fn every_word_of_a_command_line_counts() {
        let plain = command("/bin/z3", &["-in"], &[]);
        assert_eq!(plain.hash, command("/bin/z3", &["-in"], &[]).hash);
        let others = [
            command("/opt/z3", &["-in"], &[]),
            command("/bin/z3", &["-in", "trace=true"], &[]),
            command("/bin/z3", &["-i", "n"], &[]),
            command("/bin/z3", &[], &[("-in", "")]),
            command("/bin/z3", &["-in"], &[("LD_PRELOAD", "/opt/x.so")]),
        ];
        for other in &others {
            assert_ne!(other.hash, plain.hash, "{other:?}");
        }
        assert_eq!(others[4].text, "z3: LD_PRELOAD=/opt/x.so /bin/z3 -in");
        assert_eq!(command("/bin/z3", &["a\nb\u{1b}[2J"], &[]).text, "z3: /bin/z3 'a b\\u{1b}[2J'");
    }

    #[test]
    fn a_configuration_is_another_in_another_folder_and_with_another_text() {
        let folder = tempfile::tempdir().unwrap();
        let item = |name: &str, text: &str| {
            let path = folder.path().join(name).join("smelt.toml");
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            ConsentItem::configuration(&path, text).hash
        };
        assert_eq!(item("a", "x"), item("a", "x"));
        assert_ne!(item("a", "x"), item("b", "x"));
        assert_ne!(item("a", "x"), item("a", "y"));
    }

    #[test]
    fn what_was_agreed_to_is_not_missing_again() {
        let folder = tempfile::tempdir().unwrap();
        let consents = Consents { file: Some(folder.path().join("state/trusted")) };
        let items = [command("/bin/z3", &["-in"], &[]), command("/bin/cvc5", &[], &[])];
        assert_eq!(consents.missing(&items).len(), 2);
        consents.keep(&items[..1]).unwrap();
        assert_eq!(consents.missing(&items), [&items[1]]);
        let nowhere = Consents { file: None };
        nowhere.keep(&items).unwrap();
        assert_eq!(nowhere.missing(&items).len(), 2);
    }
}

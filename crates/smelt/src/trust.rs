//! Programs that files of others name are started only after the user has agreed, once.
//!
//! A `smelt.toml` in the current folder and a campaign that somebody else has made both name programs with arguments and an
//! environment. What the user names on the command line is agreed to, and remembered, so that one's own campaigns are never
//! asked about. Anything else is shown and asked about on a terminal; without one it is an error unless `--trust` or
//! `SMELT_TRUST=1` is given. What was agreed to is kept per user, by content: command lines by all of their words, a
//! `smelt.toml` by its folder and text, because a relative path means another program in another folder. Whoever changes a
//! word is asked again.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use smelt_oracle::foreign_text::{in_line, shell_word};
use smelt_runner::interruption;
use smelt_store::configuration::SolverCommand;

use crate::error::CliError;
use crate::streams::Streams;

/// Something that the user agrees to, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// BLAKE3 of all that it consists of.
    hash: String,
    /// One line for people.
    text: String,
}

impl Item {
    /// A command line with its environment. What the solver is called does not matter.
    pub(crate) fn command(command: &SolverCommand) -> Item {
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
        Item { hash: hash(&parts), text: in_line(&format!("{}: {line}", command.solver)) }
    }

    /// Options for the releases of a family, which may make a solver write files.
    pub(crate) fn options(family: &str, options: &[String]) -> Item {
        let words: Vec<&str> =
            ["options", family].into_iter().chain(options.iter().map(String::as_str)).collect();
        Item { hash: hash(&words), text: in_line(&format!("releases of {}", words[1..].join(" "))) }
    }

    /// A configuration with this text.
    pub(crate) fn configuration(path: &Path, text: &str) -> Item {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let place = path.to_string_lossy();
        Item { hash: hash(&["configuration", &place, text]), text: in_line(&place) }
    }

    /// The same, with what it starts for people.
    pub(crate) fn starting(self, programs: &str) -> Item {
        Item { text: format!("{} ({})", self.text, in_line(programs)), ..self }
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

/// Whether `--trust` was given.
static IS_GIVEN: OnceLock<bool> = OnceLock::new();

/// Takes down whether `--trust` was given.
pub(crate) fn set_given(is_given: bool) {
    let _ = IS_GIVEN.set(is_given);
}

fn is_given() -> bool {
    let variable = std::env::var_os("SMELT_TRUST").is_some_and(|value| !value.is_empty() && value != "0");
    variable || IS_GIVEN.get().copied().unwrap_or_default()
}

/// Where it is kept what the user has agreed to; none for a user without a home.
fn file() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("SMELT_STATE")
        .or_else(|| variable("XDG_STATE_HOME").map(|folder| folder.join("smelt")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".local/state/smelt")))?;
    Some(folder.join("trusted"))
}

/// The hashes of all that the user has agreed to: the first word of each line.
fn known() -> BTreeSet<String> {
    let text = file().and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Whether the user has agreed to all of these.
pub(crate) fn is_trusted(items: &[Item]) -> bool {
    let known = known();
    items.iter().all(|item| known.contains(&item.hash))
}

/// Keeps that the user has agreed to these.
fn keep(items: &[Item]) -> io::Result<()> {
    let known = known();
    let new = items.iter().filter(|item| !known.contains(&item.hash));
    let lines: String = new.map(|item| format!("{} {}\n", item.hash, item.text)).collect();
    let Some(path) = file().filter(|_| !lines.is_empty()) else { return Ok(()) };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // One write at the end of the file: several commands may do so at once.
    OpenOptions::new().create(true).append(true).open(path)?.write_all(lines.as_bytes())
}

/// Remembers the command lines of solvers that the user has named, so that what is made with them is not asked about.
pub(crate) fn remember<'c>(commands: impl IntoIterator<Item = &'c SolverCommand>) {
    let items: Vec<Item> = commands.into_iter().map(Item::command).collect();
    // What cannot be kept is asked about later.
    let _ = keep(&items);
}

/// Remembers something that smelt itself has made for the user.
pub(crate) fn remember_item(item: &Item) {
    let _ = keep(std::slice::from_ref(item));
}

/// Asks the user to agree to what a file wants to start, unless that was done before; without agreement there is an exit
/// status, and the user was told why.
pub(crate) fn ask(source: &str, items: &[Item], streams: &mut Streams) -> Result<(), CliError> {
    let known = known();
    let mut new: Vec<&Item> = items.iter().filter(|item| !known.contains(&item.hash)).collect();
    new.dedup();
    if new.is_empty() {
        return Ok(());
    }
    let listed: String = new.iter().map(|item| format!("  {}\n", item.text)).collect();
    let is_agreed = if is_given() {
        true
    } else if io::stdin().is_terminal() && io::stderr().is_terminal() {
        streams.message(&format!(
            "{source} starts programs that you have not agreed to yet:\n{listed}Start them? [y/N] "
        ))?;
        streams.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        if interruption::is_requested() {
            return Err(CliError::Interrupted);
        }
        matches!(answer.trim(), "y" | "Y" | "yes")
    } else {
        return Err(CliError::environment(format!(
            "{source} starts programs that you have not agreed to yet:\n{listed}\
             if you know who made it, repeat the command with --trust or SMELT_TRUST=1"
        )));
    };
    if !is_agreed {
        return Err(CliError::environment(format!("{source} is not trusted, so nothing was started")));
    }
    if let Err(error) = keep(items) {
        let place = file().unwrap_or_default();
        streams.message(&format!("cannot keep what you agreed to in `{}`: {error}\n", place.display()))?;
    }
    Ok(())
}

/// Asks about the solvers of a campaign or finding, by their recorded command lines.
pub(crate) fn ask_about<'c>(
    source: &str,
    commands: impl IntoIterator<Item = &'c SolverCommand>,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let items: Vec<Item> = commands.into_iter().map(Item::command).collect();
    ask(source, &items, streams)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(program: &str, args: &[&str], environment: &[(&str, &str)]) -> Item {
        Item::command(&SolverCommand {
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
            Item::configuration(&path, text).hash
        };
        assert_eq!(item("a", "x"), item("a", "x"));
        assert_ne!(item("a", "x"), item("b", "x"));
        assert_ne!(item("a", "x"), item("a", "y"));
    }
}

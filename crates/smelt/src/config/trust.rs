//! Programs that files of others name are started only after the user has agreed, once.
//!
//! What the user names on the command line is agreed to, and remembered, so that one's own campaigns are never asked
//! about. Anything else is shown and asked about on a terminal; without one it is an error unless `--trust` or
//! `SMELT_TRUST=1` is given. What is asked about, and how it is kept, is in [`smelt_campaign::consent`].

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

pub(crate) use smelt_campaign::consent::ConsentItem;
use smelt_campaign::consent::Consents;
use smelt_runner::interruption;
use smelt_store::configuration::SolverCommand;

use crate::config::solvers::variable;
use crate::error::CliError;
use crate::render::streams::Streams;

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

/// What this user has agreed to.
fn consents() -> Consents {
    let folder = variable("SMELT_STATE")
        .or_else(|| variable("XDG_STATE_HOME").map(|folder| folder.join("smelt")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".local/state/smelt")));
    Consents { file: folder.map(|folder| folder.join("trusted")) }
}

/// Whether the user has agreed to this.
pub(crate) fn is_trusted(item: &ConsentItem) -> bool {
    consents().missing(std::slice::from_ref(item)).is_empty()
}

/// Remembers the command lines of solvers that the user has named, so that what is made with them is not asked about.
pub(crate) fn remember<'c>(commands: impl IntoIterator<Item = &'c SolverCommand>) {
    let items: Vec<ConsentItem> = commands.into_iter().map(ConsentItem::command).collect();
    // What cannot be kept is asked about later.
    let _ = consents().keep(&items);
}

/// Remembers something that smelt itself has made for the user.
pub(crate) fn remember_item(item: &ConsentItem) {
    let _ = consents().keep(std::slice::from_ref(item));
}

/// Asks the user to agree to what a file wants to start, unless that was done before; without agreement there is an exit
/// status, and the user was told why.
pub(crate) fn ask(source: &str, items: &[ConsentItem], streams: &mut Streams) -> Result<(), CliError> {
    let consents = consents();
    let new = consents.missing(items);
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
    if let Err(error) = consents.keep(items) {
        let place = consents.file.unwrap_or_default();
        streams.message(&format!("cannot keep what you agreed to in `{}`: {error}\n", place.display()))?;
    }
    Ok(())
}

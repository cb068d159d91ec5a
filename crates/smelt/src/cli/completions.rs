//! `smelt completions`: scripts that teach a shell to complete our commands and options.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt completions bash > ~/.local/share/bash-completion/completions/smelt")]
pub(crate) struct Args {
    /// The shell to complete in
    shell: Shell,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "smelt", &mut script);
    streams.scripts().write_all(&script)?;
    Ok(Exit::Done)
}

//! `smelt guard`, which users do not see: ends what a killed hunt leaves running.

use smelt_runner::orphans;

use crate::exit::{Exit, Failure};

/// The name of the subcommand.
pub(crate) const NAME: &str = "guard";

/// Wait for a hunt to end, and end the solvers that it left running
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The process of the hunt, which holds our standard input open
    #[arg(value_name = "PROCESS")]
    owner: u32,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    orphans::watch_over(args.owner);
    Ok(Exit::Done)
}

/// Starts a guard for this process; without one a hunt still works, so none is no error.
pub(crate) fn start() -> Option<orphans::Guard> {
    let program = std::env::current_exe().ok()?;
    orphans::Guard::start(&program, &[NAME]).ok()
}

//! `smelt replay`: a finding run again, exactly.

use std::io::Write;
use std::path::PathBuf;

use smelt_campaign::configure::DEFAULT_DIR;
use smelt_campaign::configure::values::parse_seconds;
use smelt_campaign::lookup::finding_named;
use smelt_campaign::replay::replay;
use smelt_campaign::solvers::{DEFAULT_TIMEOUT_SECS, targets_of};
use smelt_runner::limits::Limits;
use smelt_triage::reduce::folder::agree_to;

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// Run a finding again on its solvers, in fresh processes, and judge again
///
/// Exit status 1 if it reproduces, 4 if it does not. Programs that a finding of others names are started only with your
/// agreement. Without smelt, the replay.sh of a finding does the same by plain
/// commands, without judging.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt replay crash-1a2b3c4d5e")]
pub(crate) struct Args {
    /// The id of a finding, or how it begins
    #[arg(value_name = "ID")]
    id: String,
    /// The campaign's folder
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DIR)]
    dir: PathBuf,
    /// Processor time allowed for each run, in seconds [default: as in the finding]
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds)]
    timeout: Option<f64>,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Print one JSON object instead of text [default: text]
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let finding = finding_named(&args.id, &args.dir)?;
    agree_to(&finding, streams)?;
    let targets = targets_of(&installation(), &finding, |_| true)?;
    let seconds = args.timeout.or(finding.timeout_secs).unwrap_or(DEFAULT_TIMEOUT_SECS);
    let opinion = installation().finder().own();
    let replay = replay(&finding, &targets, &Limits::for_seconds(seconds), opinion.as_ref())
        .map_err(|error| CliError::from(error).context(format_args!("cannot replay `{}`", finding.id)))?;
    match args.json {
        true => streams.json_line(&replay.line(&finding.id))?,
        false => write!(streams.results(), "{}", replay.text(&finding.id))?,
    }
    Ok(if replay.is_reproduced { Exit::Findings } else { Exit::NotReproducible })
}

//! `smelt replay`: a finding run again, exactly.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use smelt_campaign::configure::values::parse_seconds;
use smelt_campaign::replay::replay;
use smelt_campaign::solvers::{self, DEFAULT_TIMEOUT_SECS};
use smelt_oracle::finding_id::FindingId;
use smelt_oracle::run::Run;
use smelt_runner::limits::Limits;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Finding;
use smelt_trial::target::Target;

use crate::cli::findings::{find_one, read};
use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::config::trust;
use crate::error::{CliError, Exit};
use crate::render::hints::DEFAULT_DIR;
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

/// The result of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'r> {
    id: &'r FindingId,
    reproduced: bool,
    runs: &'r [Run],
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let findings = read(&args.dir)?;
    let recorded = find_one(&findings, &args.id, &args.dir)?;
    let finding = &recorded.finding;
    let targets = targets_of(finding, |_| true, streams)?;
    let seconds = args.timeout.or(finding.timeout_secs).unwrap_or(DEFAULT_TIMEOUT_SECS);
    let opinion = installation().finder().own();
    let replay = replay(recorded, &targets, &Limits::for_seconds(seconds), opinion.as_ref())
        .map_err(|error| CliError::from(error).context(format_args!("cannot replay `{}`", finding.id)))?;
    if args.json {
        let line = Line { id: &finding.id, reproduced: replay.is_reproduced, runs: &replay.runs };
        streams.json_line(&line)?;
    } else {
        let out = streams.results();
        for run in &replay.runs {
            writeln!(out, "{:<24} {:<9} {:>7.0} ms", run.solver, run.answer.word(), run.cpu_ms)?;
        }
        for verdict in &replay.verdicts {
            writeln!(out, "{} {}", verdict.class.word(), verdict.culprit.as_deref().unwrap_or("-"))?;
        }
        writeln!(
            out,
            "{} {}",
            finding.id,
            if replay.is_reproduced { "shows again" } else { "does not show again" }
        )?;
    }
    Ok(if replay.is_reproduced { Exit::Findings } else { Exit::NotReproducible })
}

/// Those solvers of a finding that are wanted. The user is asked before programs of others are started.
pub(crate) fn targets_of(
    finding: &Finding,
    is_wanted: impl Fn(&SolverCommand) -> bool,
    streams: &mut Streams,
) -> Result<Vec<Target>, CliError> {
    trust::ask_about(&source_of(finding), &finding.commands, streams)?;
    Ok(solvers::targets_of(&installation(), finding, is_wanted)?)
}

/// What starts the programs of a finding, in words.
pub(crate) fn source_of(finding: &Finding) -> String {
    format!("finding `{}`", finding.id)
}

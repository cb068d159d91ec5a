//! `smelt replay`: a finding run again, exactly.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use smelt_campaign::campaign::solver_of;
use smelt_campaign::replay::{ReplayError, replay};
use smelt_oracle::finding_id::FindingId;
use smelt_oracle::run::Run;
use smelt_runner::family::Family;
use smelt_runner::limits::Limits;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Finding;
use smelt_trial::target::Target;

use crate::exit::{Exit, Failure};
use crate::findings::{find_one, read};
use crate::hints::DEFAULT_DIR;
use crate::memory::MemoryArg;
use crate::solvers::Place;
use crate::streams::Streams;
use crate::trust;

/// Run a finding again on its solvers, in fresh processes, and judge again
///
/// Exit status 1 if it shows again, 4 if it does not. Programs that a finding of others names are started only with your
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
    #[arg(short, long, value_name = "SECS")]
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

/// Processor time for each run of a finding that does not say.
pub(crate) const DEFAULT_TIMEOUT_SECS: f64 = 10.0;

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    if args.timeout.is_some_and(|seconds| !seconds.is_finite() || seconds <= 0.0) {
        streams.error("the timeout must be a positive number of seconds")?;
        return Ok(Exit::BadInput);
    }
    let findings = match read(&args.dir, streams)? {
        Ok(findings) => findings,
        Err(exit) => return Ok(exit),
    };
    let Some(recorded) = find_one(&findings, &args.id, &args.dir, streams)? else {
        return Ok(Exit::BadInput);
    };
    let finding = &recorded.finding;
    let targets = match targets_of(finding, |_| true, streams)? {
        Ok(targets) => targets,
        Err(exit) => return Ok(exit),
    };
    let seconds = args.timeout.or(finding.timeout_secs).unwrap_or(DEFAULT_TIMEOUT_SECS);
    let opinion = Place::of_user().finder().own();
    let replay = match replay(recorded, &targets, &Limits::for_seconds(seconds), opinion.as_ref()) {
        Ok(replay) => replay,
        Err(error) => {
            streams.error(&format!("cannot replay `{}`: {error}", finding.id))?;
            return Ok(match error {
                ReplayError::Case(_) => Exit::BadInput,
                ReplayError::Run(_) => Exit::EnvironmentFailed,
            });
        }
    };
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

/// Those solvers of a finding that are wanted; what keeps them from being run is told to the user.
pub(crate) fn targets_of(
    finding: &Finding,
    is_wanted: impl Fn(&SolverCommand) -> bool,
    streams: &mut Streams,
) -> Result<Result<Vec<Target>, Exit>, Failure> {
    if finding.commands.is_empty() {
        streams.error(&format!("finding `{}` does not say how its solvers were started", finding.id))?;
        return Ok(Err(Exit::BadInput));
    }
    if let Err(exit) = trust::ask_about(&source_of(finding), &finding.commands, streams)? {
        return Ok(Err(exit));
    }
    let place = Place::of_user();
    let mut targets = Vec::new();
    for command in finding.commands.iter().filter(|command| is_wanted(command)) {
        match place.recorded_target(solver_of(command, family_of(command))) {
            Ok(mut target) => {
                if finding.is_outside_safe_mode() {
                    target.leave_safe_mode();
                }
                targets.push(target);
            }
            Err(error) => {
                streams.error(&format!("cannot run `{}`: {error}", command.solver))?;
                return Ok(Err(Exit::EnvironmentFailed));
            }
        }
    }
    Ok(Ok(targets))
}

/// What a user is told that wants to start the programs of a finding.
pub(crate) fn source_of(finding: &Finding) -> String {
    format!("finding `{}`", finding.id)
}

pub(crate) fn family_of(command: &SolverCommand) -> &'static str {
    match Family::of_name(&command.solver) {
        Family::Generic => Family::of_name(&command.program).name(),
        family => family.name(),
    }
}

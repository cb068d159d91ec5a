//! `smelt reduce`: the smallest script that still shows it.

mod command;
mod finding;
mod warm;
mod work;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use smelt_triage::reduce::{CannotReduce, Reduced, Statistics, reduce};

use crate::exit::{Exit, Failure};
use crate::findings::{find_one, read};
use crate::hunt::parse_time;
use crate::interrupt;
use crate::streams::Streams;

use command::Command;
use finding::Shown;
use work::{Bounds, Test, Work, write_whole};

/// Make a script smaller as long as it shows what it shows
///
/// A finding of a campaign is reduced as long as it stays the same finding: same class, same culprit, same kind of evidence.
/// A file is reduced as long as a command behaves the same on it: same exit status, same output. Every script that the
/// command sees is well-sorted SMT-LIB. Ctrl-C ends it; the smallest script so far is on disk, and --resume goes on
/// with it. What is not shown every time is not reduced.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt reduce crash-1a2b3c4d5e
         smelt reduce big.smt2 -o small.smt2 --match-out Segmentation -- z3 big.smt2")]
pub(crate) struct Args {
    /// A file, or the id of a finding
    #[arg(value_name = "CASE")]
    case: String,
    /// Where to write the result [default: reduced.smt2 in the folder of the finding, or standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The folder of the campaign that has the finding
    #[arg(long, value_name = "DIR", default_value = "smelt-campaign")]
    dir: PathBuf,
    /// Go on with what is in the output file, if that still shows it [default: begin with CASE]
    #[arg(long)]
    resume: bool,
    /// How many runs of a command go on at once; what comes out is the same [default: 1]
    #[arg(short, long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    jobs: usize,
    /// Processor time allowed for each run, in seconds [default: as in the finding, or what the first run takes and some]
    #[arg(short, long, value_name = "SECS")]
    timeout: Option<f64>,
    /// How long all of it may take, such as 10m [default: as long as it takes]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// The command must print this on standard output [default: just what it printed at first]
    #[arg(long, value_name = "TEXT")]
    match_out: Option<String>,
    /// The command must print this on standard error [default: just what it printed at first]
    #[arg(long, value_name = "TEXT")]
    match_err: Option<String>,
    /// Only the exit status of the command counts [default: the output counts too]
    #[arg(long, conflicts_with_all = ["match_out", "match_err"])]
    ignore_output: bool,
    /// The command, after --; where it names CASE, it gets the file to try, otherwise as its last argument
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    if args.timeout.is_some_and(|seconds| !seconds.is_finite() || seconds <= 0.0) {
        return refuse("the timeout must be a positive number of seconds", streams);
    }
    let stop = interrupt::stop_when_asked()?;
    if args.command.is_empty() {
        reduce_finding(args, stop, streams)
    } else {
        reduce_file(args, stop, streams)
    }
}

fn refuse(message: &str, streams: &mut Streams) -> Result<Exit, Failure> {
    streams.error(message)?;
    Ok(Exit::BadInput)
}

fn reduce_file(args: &Args, stop: Arc<AtomicBool>, streams: &mut Streams) -> Result<Exit, Failure> {
    let source = match fs::read_to_string(&args.case) {
        Ok(source) => source,
        Err(error) => return refuse(&format!("cannot read `{}`: {error}", args.case), streams),
    };
    let mut command = match Command::new(args) {
        Ok(command) => command,
        Err(message) => return refuse(&message, streams),
    };
    let outcome = work_on(args, &source, &mut command, stop, args.output.as_deref());
    conclude(args, outcome, source.len(), args.output.as_deref(), streams)
}

fn reduce_finding(args: &Args, stop: Arc<AtomicBool>, streams: &mut Streams) -> Result<Exit, Failure> {
    if Path::new(&args.case).exists() {
        return refuse(
            "a file needs a command that tells whether it shows it: smelt reduce FILE -- COMMAND",
            streams,
        );
    }
    let findings = match read(&args.dir, streams)? {
        Ok(findings) => findings,
        Err(exit) => return Ok(exit),
    };
    let Some(recorded) = find_one(&findings, &args.case, streams)? else { return Ok(Exit::BadInput) };
    let mut shown = match Shown::new(recorded, args.timeout, streams)? {
        Ok(shown) => shown,
        Err(exit) => return Ok(exit),
    };
    let place = args.dir.join("findings").join(&recorded.finding.id).join("reduced.smt2");
    let output = args.output.clone().unwrap_or(place);
    let source = shown.formula();
    let outcome = work_on(args, &source, &mut shown, stop, Some(&output));
    conclude(args, outcome, source.len(), Some(&output), streams)
}

/// What came of a reduction, in the words of those who took part.
struct Outcome {
    result: Result<Reduced, CannotReduce>,
    problem: Option<String>,
    effort: String,
}

/// Reduces a script, or what an earlier reduction has made of it.
fn work_on(
    args: &Args,
    source: &str,
    test: &mut dyn Test,
    stop: Arc<AtomicBool>,
    output: Option<&Path>,
) -> Outcome {
    let bounds = Bounds { time: args.time, jobs: args.jobs.max(1) };
    let earlier = match (args.resume, output) {
        (true, Some(path)) => fs::read_to_string(path).ok(),
        _ => None,
    };
    if let Some(earlier) = earlier {
        // What is to be shown is what the case itself shows.
        let is_shown = test.shows(source);
        if is_shown == Ok(true) {
            let mut work = Work::new(test, bounds, Arc::clone(&stop), output);
            let result = reduce(&earlier, &mut work);
            let problem = work.finish();
            if result.is_ok() || problem.is_some() {
                return Outcome { result, problem, effort: test.effort() };
            }
        }
    }
    let mut work = Work::new(test, bounds, stop, output);
    let result = reduce(source, &mut work);
    let problem = work.finish();
    Outcome { result, problem, effort: test.effort() }
}

/// Says what came of it.
fn conclude(
    args: &Args,
    outcome: Outcome,
    bytes_before: usize,
    output: Option<&Path>,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    if let Some(problem) = outcome.problem {
        streams.error(&problem)?;
        return Ok(Exit::EnvironmentFailed);
    }
    let reduced = match outcome.result {
        Ok(reduced) => reduced,
        Err(CannotReduce::IllFormed(diagnostic)) => {
            let message = diagnostic.message;
            return refuse(
                &format!("cannot reduce `{}`: {message}; `smelt check` tells where", args.case),
                streams,
            );
        }
        Err(CannotReduce::NotShown) => {
            streams.error(&format!("`{}` does not show it, as smelt prints it, to begin with", args.case))?;
            return Ok(Exit::NotReproducible);
        }
        Err(CannotReduce::Flaky) => {
            streams.error(&format!("`{}` shows it now and then, which is not enough", args.case))?;
            return Ok(Exit::NotReproducible);
        }
        Err(CannotReduce::NoTime) => return refuse("there was no time for a single run", streams),
    };
    match output {
        Some(path) => {
            if let Err(error) = write_whole(path, &reduced.script) {
                streams.error(&format!("cannot write `{}`: {error}", path.display()))?;
                return Ok(Exit::EnvironmentFailed);
            }
        }
        None => write!(streams.results(), "{}", reduced.script)?,
    }
    let Statistics { candidates, judged, accepted } = reduced.statistics;
    let end = if reduced.is_finished { "" } else { ", stopped early" };
    streams.message(&format!(
        "{bytes_before} bytes to {}: {candidates} candidates, {judged} tried, {accepted} accepted{}{end}\n",
        reduced.script.len(),
        outcome.effort
    ))?;
    if reduced.is_flaky {
        streams.error(
            "what was shown once was not shown again: the result is the smallest script that was shown twice",
        )?;
        return Ok(Exit::NotReproducible);
    }
    Ok(Exit::Done)
}

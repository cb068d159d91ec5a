//! `smelt reduce`: the smallest script that still shows it.

mod command;
mod finding;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use smelt_triage::reduce::{CannotReduce, Criterion, Judgement, Reduced, Statistics, reduce};

use crate::exit::{Exit, Failure};
use crate::findings::{find_one, read};
use crate::hunt::parse_time;
use crate::interrupt;
use crate::streams::Streams;

use command::Command;
use finding::Shown;

/// Make a script smaller as long as it shows what it shows
///
/// A finding of a campaign is reduced as long as it stays the same finding: same class, same culprit, same kind of evidence.
/// A file is reduced as long as a command behaves the same on it: same exit status, same output. Every script that the
/// command sees is well-sorted SMT-LIB. Ctrl-C ends it; the smallest script so far is written.
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
    /// Processor time allowed for each run, in seconds [default: as in the finding, or twice what the first run takes]
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
    let mut work = Work::new(args, stop, args.output.as_deref(), &mut command);
    let result = reduce(&source, &mut work);
    let problem = work.finish();
    conclude(args, result, problem, source.len(), args.output.as_deref(), streams)
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
    let mut work = Work::new(args, stop, Some(&output), &mut shown);
    let result = reduce(&source, &mut work);
    let problem = work.finish();
    conclude(args, result, problem, source.len(), Some(&output), streams)
}

/// Says what came of it.
fn conclude(
    args: &Args,
    result: Result<Reduced, CannotReduce>,
    problem: Option<String>,
    bytes_before: usize,
    output: Option<&Path>,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    if let Some(problem) = problem {
        streams.error(&problem)?;
        return Ok(Exit::EnvironmentFailed);
    }
    let reduced = match result {
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
        "{bytes_before} bytes to {}: {candidates} candidates, {judged} tried, {accepted} accepted{end}\n",
        reduced.script.len()
    ))?;
    Ok(Exit::Done)
}

/// Writes a file that is whole or not there.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let partial = path.with_extension("partial");
    fs::write(&partial, text)?;
    fs::rename(&partial, path)
}

/// What tells whether a script shows it.
trait Test {
    /// Whether it does; an error ends the reduction.
    fn shows(&mut self, script: &str) -> Result<bool, String>;
}

/// A reduction with its limits, its progress, and its result on disk.
struct Work<'w> {
    test: &'w mut dyn Test,
    stop: Arc<AtomicBool>,
    started: Instant,
    time: Option<Duration>,
    output: Option<&'w Path>,
    bar: Option<ProgressBar>,
    problem: Option<String>,
}

impl<'w> Work<'w> {
    fn new(args: &Args, stop: Arc<AtomicBool>, output: Option<&'w Path>, test: &'w mut dyn Test) -> Self {
        let bar = io::stderr().is_terminal().then(ProgressBar::new_spinner);
        Work { test, stop, started: Instant::now(), time: args.time, output, bar, problem: None }
    }

    /// Takes the progress away; what went wrong, if something did.
    fn finish(self) -> Option<String> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.problem
    }

    fn fail(&mut self, problem: String) -> Judgement {
        self.problem = Some(problem);
        Judgement::Stop
    }
}

impl Criterion for Work<'_> {
    fn judge(&mut self, script: &str) -> Judgement {
        let is_late = self.time.is_some_and(|most| self.started.elapsed() >= most);
        if is_late || self.problem.is_some() || self.stop.load(Ordering::Relaxed) {
            return Judgement::Stop;
        }
        let shows = self.test.shows(script);
        // A run that we were told to end says nothing.
        if self.stop.load(Ordering::Relaxed) {
            return Judgement::Stop;
        }
        match shows {
            Ok(true) => Judgement::Holds,
            Ok(false) => Judgement::Fails,
            Err(problem) => self.fail(problem),
        }
    }

    fn progress(&mut self, script: &str, statistics: &Statistics) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{} bytes after {} runs", script.len(), statistics.judged));
            bar.tick();
        }
        if let Some(path) = self.output
            && let Err(error) = write_whole(path, script)
        {
            self.fail(format!("cannot write `{}`: {error}", path.display()));
        }
    }
}

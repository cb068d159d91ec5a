//! `smelt reduce`: the smallest script that still shows it.

mod command;
mod finding;
mod pair;
mod warm;
mod work;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_campaign::dating::{Added, FORMAT, REDUCED_PLAIN, Triage};
use smelt_campaign::exhibit::Exhibit;
use smelt_campaign::record::{export_with, folder_of};
use smelt_oracle::finding::Evidence;
use smelt_store::finding::{Finding, Recorded};
use smelt_triage::reduce::{CannotReduce, Reduced, Statistics, reduce};

use crate::error::{CliError, Exit, cannot_write};
use crate::findings::{find_one, read};
use crate::hints::DEFAULT_DIR;
use crate::hunt::parse_time;
use crate::interrupt;
use crate::streams::Streams;

use command::Command;
use finding::Shown;
use pair::Pair;
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
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DIR)]
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
    /// Memory that smelt itself may use, in MiB; then the smallest script so far is the result
    #[arg(long, value_name = "MIB", default_value_t = MEMORY_MIB)]
    own_memory: u64,
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

/// The usual limit of memory.
const MEMORY_MIB: u64 = 1024;

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if args.timeout.is_some_and(|seconds| !seconds.is_finite() || seconds <= 0.0) {
        return Err(CliError::usage("the timeout must be a positive number of seconds"));
    }
    let stop = interrupt::stop_when_asked();
    if args.command.is_empty() {
        reduce_finding(args, stop, streams)
    } else {
        reduce_file(args, stop, streams)
    }
}

fn reduce_file(args: &Args, stop: Arc<AtomicBool>, streams: &mut Streams) -> Result<Exit, CliError> {
    let source = fs::read_to_string(&args.case).map_err(|error| CliError::unreadable(&args.case, &error))?;
    let mut command = Command::new(args).map_err(CliError::usage)?;
    let wish = Wish::of(args);
    let outcome = work_on(wish, &source, &mut command, stop, args.output.as_deref());
    conclude(args, outcome, source.len(), args.output.as_deref(), streams)
}

fn reduce_finding(args: &Args, stop: Arc<AtomicBool>, streams: &mut Streams) -> Result<Exit, CliError> {
    if Path::new(&args.case).exists() {
        return Err(CliError::usage(
            "a file needs a command that tells whether it shows it: smelt reduce FILE -- COMMAND",
        ));
    }
    // What looks like a file is none.
    if args.case.contains('/') || Path::new(&args.case).extension().is_some() {
        return Err(CliError::usage(format!("there is no file `{}`", args.case)));
    }
    let findings = read(&args.dir)?;
    let recorded = find_one(&findings, &args.case, &args.dir)?;
    let mut shown = Shown::new(recorded, args.timeout, streams)?;
    let folder = folder_of(&args.dir, &recorded.finding.id);
    let output = args.output.clone().unwrap_or_else(|| folder.join(REDUCED_PLAIN));
    let source = shown.formula();
    let mut outcome = work_on_finding(Wish::of(args), &mut shown, stop, &output);
    let exhibit = exhibit_of(&shown, &mut outcome);
    if args.output.is_none() && outcome.problem.is_none() && outcome.result.is_ok() {
        keep(recorded, &folder, &outcome, exhibit.as_ref())?;
    }
    if let (Err(CannotReduce::NotShown), Some(reason)) = (&outcome.result, shown.why_not_shown()) {
        return Err(CliError::not_reproducible(format!("`{}` cannot be reduced: {reason}", args.case)));
    }
    let is_reduced = outcome.result.is_ok() && outcome.problem.is_none();
    let concluded = conclude(args, outcome, source.len(), Some(&output), streams);
    if matches!(&concluded, Err(error) if error.is_fatal()) {
        return concluded;
    }
    match (&args.output, &exhibit) {
        (Some(output), Some(exhibit)) => {
            write_whole(output, &exhibit.script).map_err(CliError::output(output))?
        }
        (_, None) if is_reduced => streams.message(NOT_ESTABLISHED)?,
        _ => {}
    }
    if let (Ok(Exit::Done), Some((drawn, needed))) = (&concluded, shown.options()) {
        let needed = if needed.is_empty() { "none".to_owned() } else { needed.join(" ") };
        streams.message(&format!("of the options {}, it needs {needed}\n", drawn.join(" ")))?;
    }
    concluded
}

/// What is said where a reduced formula has no exhibit.
const NOT_ESTABLISHED: &str = "the evidence could not be established for the reduced formula, so the report shows the case as it was found\n";

/// The formula that came of a reduction, with all evidence about it; none if the evidence cannot be established.
fn exhibit_of(shown: &Shown, outcome: &mut Outcome) -> Option<Exhibit> {
    let reduced = outcome.result.as_ref().ok()?;
    match shown.exhibit(&reduced.script, outcome.before.as_deref()) {
        Ok(exhibit) => exhibit,
        Err(problem) => {
            outcome.problem.get_or_insert(problem);
            None
        }
    }
}

/// Whether a finding can be reduced.
pub(crate) fn is_reducible(finding: &Finding) -> bool {
    finding::is_reducible(finding) && !finding.commands.is_empty()
}

/// Reduces a finding in its folder for some time, beginning with what an earlier reduction made of it; whether nothing
/// more can be done.
pub(crate) fn reduce_in_folder(
    recorded: &Recorded,
    dir: &Path,
    time: Duration,
    stop: Arc<AtomicBool>,
    streams: &mut Streams,
) -> Result<bool, CliError> {
    let folder = folder_of(dir, &recorded.finding.id);
    reduce_into(recorded, &folder, time, stop, streams)
}

/// The same in a folder of any name.
pub(crate) fn reduce_into(
    recorded: &Recorded,
    folder: &Path,
    time: Duration,
    stop: Arc<AtomicBool>,
    streams: &mut Streams,
) -> Result<bool, CliError> {
    let mut shown = match Shown::new(recorded, None, streams) {
        Ok(shown) => shown,
        Err(error) => {
            error.report_and_continue(streams)?;
            return Ok(false);
        }
    };
    let wish =
        Wish { bounds: Bounds { time: Some(time), memory: MEMORY_MIB << 20, jobs: 1 }, is_resumed: true };
    let is_stopped = Arc::clone(&stop);
    let mut outcome = work_on_finding(wish, &mut shown, stop, &folder.join(REDUCED_PLAIN));
    let exhibit = exhibit_of(&shown, &mut outcome);
    if let Some(problem) = &outcome.problem {
        streams.error(problem)?;
        return Ok(false);
    }
    if is_stopped.load(Ordering::Relaxed) && outcome.result.is_err() {
        return Ok(false);
    }
    keep(recorded, folder, &outcome, exhibit.as_ref())
}

/// Reduces the formula of a finding, and the options that were drawn for its culprit.
fn work_on_finding(wish: Wish, shown: &mut Shown, stop: Arc<AtomicBool>, output: &Path) -> Outcome {
    if let Evidence::EarlierLink { .. } = shown.finding().verdict.evidence {
        return work_on_pair(wish, shown, stop, output);
    }
    let source = shown.formula();
    // Before, so that fewer options are reduced with, and after, when fewer may be needed.
    let mut problem = shown.drop_options(&source).err();
    let mut outcome = work_on(wish, &source, shown, stop, Some(output));
    if let Ok(reduced) = &outcome.result {
        problem = problem.or_else(|| shown.drop_options(&reduced.script).err());
    }
    outcome.problem = outcome.problem.or(problem);
    outcome.options = shown.options().map(|(_, needed)| needed.to_vec());
    outcome
}

/// Reduces the two formulas of a finding in step.
fn work_on_pair(wish: Wish, shown: &mut Shown, stop: Arc<AtomicBool>, output: &Path) -> Outcome {
    let Some(mut pair) = Pair::new(shown) else {
        return Outcome::new(Err(CannotReduce::NotShown), None, String::new());
    };
    let script = pair.script().to_owned();
    // What is on disk is only one of the two.
    let mut outcome = work_on(Wish { is_resumed: false, ..wish }, &script, &mut pair, stop, Some(output));
    if let Ok(reduced) = &mut outcome.result
        && let Some((before, case)) = pair.apart(&reduced.script)
    {
        reduced.script = case;
        outcome.before = Some(before);
    }
    outcome
}

/// Writes what came of a reduction to the folder of a finding, and the report anew; whether nothing more can be done.
fn keep(
    recorded: &Recorded,
    folder: &Path,
    outcome: &Outcome,
    exhibit: Option<&Exhibit>,
) -> Result<bool, CliError> {
    let is_finished = match &outcome.result {
        Ok(reduced) => reduced.is_finished,
        Err(CannotReduce::NoTime) => false,
        // What is not shown, or only now and then, is not tried in every hunt again.
        Err(_) => true,
    };
    let write = || {
        let mut added = Added::load(folder)?;
        let earlier = added.triage.take().unwrap_or_default();
        added.triage =
            Some(Triage { format: FORMAT, is_finished, options: outcome.options.clone(), ..earlier });
        if let Ok(reduced) = &outcome.result {
            added.reduced = Some(reduced.script.clone());
            added.before = outcome.before.clone();
            // What was shown before was another formula.
            added.shown = exhibit.cloned();
        }
        export_with(recorded, &added, folder)
    };
    write().map_err(|error| CliError::Output { path: folder.display().to_string(), error })?;
    Ok(is_finished)
}

/// What came of a reduction, in the words of those who took part.
struct Outcome {
    result: Result<Reduced, CannotReduce>,
    problem: Option<String>,
    effort: String,
    /// Of the options that were drawn for the culprit of a finding, those that it needs.
    options: Option<Vec<String>>,
    /// The formula before the reduced one, of a finding about two.
    before: Option<String>,
}

impl Outcome {
    fn new(result: Result<Reduced, CannotReduce>, problem: Option<String>, effort: String) -> Self {
        Outcome { result, problem, effort, options: None, before: None }
    }
}

/// How a reduction is wanted.
#[derive(Debug, Clone, Copy)]
struct Wish {
    bounds: Bounds,
    /// Whether to begin with what an earlier reduction has made.
    is_resumed: bool,
}

impl Wish {
    fn of(args: &Args) -> Self {
        let bounds = Bounds { time: args.time, memory: args.own_memory << 20, jobs: args.jobs.max(1) };
        Wish { bounds, is_resumed: args.resume }
    }
}

/// Reduces a script, or what an earlier reduction has made of it.
fn work_on(
    wish: Wish,
    source: &str,
    test: &mut dyn Test,
    stop: Arc<AtomicBool>,
    output: Option<&Path>,
) -> Outcome {
    let bounds = wish.bounds;
    let earlier = match (wish.is_resumed, output) {
        (true, Some(path)) => fs::read_to_string(path).ok(),
        _ => None,
    };
    if let Some(earlier) = earlier {
        // What is to be shown is what the case itself shows.
        let is_shown = test.shows(source);
        if is_shown == Ok(true) {
            let mut work = Work::new(test, bounds, Arc::clone(&stop), output);
            let result = reduce(&earlier, &mut work);
            let (problem, effort) = work.finish();
            if result.is_ok() || problem.is_some() {
                return Outcome::new(result, problem, effort);
            }
        }
    }
    let mut work = Work::new(test, bounds, stop, output);
    let result = reduce(source, &mut work);
    let (problem, effort) = work.finish();
    Outcome::new(result, problem, effort)
}

/// Says what came of it.
fn conclude(
    args: &Args,
    outcome: Outcome,
    bytes_before: usize,
    output: Option<&Path>,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    if let Some(problem) = outcome.problem {
        return Err(CliError::environment(problem));
    }
    let reduced = match outcome.result {
        Ok(reduced) => reduced,
        Err(CannotReduce::IllFormed(diagnostic)) => {
            let message = diagnostic.message;
            return Err(CliError::usage(format!(
                "cannot reduce `{}`: {message}; `smelt check` tells where",
                args.case
            )));
        }
        Err(CannotReduce::NotShown) => {
            return Err(CliError::not_reproducible(format!(
                "`{}` does not show it, as smelt prints it, to begin with",
                args.case
            )));
        }
        Err(CannotReduce::Flaky) => {
            return Err(CliError::not_reproducible(format!(
                "`{}` shows it now and then, which is not enough",
                args.case
            )));
        }
        Err(CannotReduce::NoTime) => return Err(CliError::usage("there was no time for a single run")),
    };
    match output {
        Some(path) => {
            let failed = |error| CliError::Environment(cannot_write(path.display(), &error));
            write_whole(path, &reduced.script).map_err(failed)?;
        }
        None => write!(streams.scripts(), "{}", reduced.script)?,
    }
    let Statistics { candidates, judged, accepted } = reduced.statistics;
    let end = if reduced.is_finished { "" } else { ", stopped early" };
    streams.message(&format!(
        "{bytes_before} bytes to {}: {candidates} candidates, {judged} tried, {accepted} accepted{}{end}\n",
        reduced.script.len(),
        outcome.effort
    ))?;
    if reduced.is_flaky {
        return Err(CliError::not_reproducible(
            "what was shown once was not shown again: the result is the smallest script that was shown twice",
        ));
    }
    Ok(Exit::Done)
}

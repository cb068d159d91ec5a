//! `smelt reduce`: the smallest script that still reproduces a bug.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use smelt_campaign::configure::values::{parse_seconds, parse_time};
use smelt_campaign::record::folder_of;
use smelt_report::finding::triage_files::REDUCED_PLAIN;
use smelt_runner::installation::Installation;
use smelt_store::finding::{Finding, Recorded};
use smelt_triage::reduce::bounded::{Bounds, Progress, write_whole};
use smelt_triage::reduce::criterion::{self, Behaviour, Command, FindingCriterion};
use smelt_triage::reduce::finding::{Reduction, Request, reduce_finding, reduce_script};
use smelt_triage::reduce::{CannotReduce, Statistics};

use crate::cli::findings::{find_one, read};
use crate::cli::replay::source_of;
use crate::config::solvers::installation;
use crate::config::trust;
use crate::error::{CliError, Exit, cannot_write};
use crate::interrupt;
use crate::render::hints::DEFAULT_DIR;
use crate::render::streams::Streams;

/// Minimize a script while it keeps triggering the same bug
///
/// A finding of a campaign must stay the same finding: same class, same culprit, same kind of evidence. A file must keep a
/// command behaving the same: same exit status, same output. Every script that the command sees is well-sorted SMT-LIB.
/// Ctrl-C ends the reduction; the smallest script so far is on disk, and --resume continues with it. A bug that is not
/// triggered every time is not reduced.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt reduce crash-1a2b3c4d5e
         smelt reduce big.smt2 -o small.smt2 --match-out Segmentation -- z3 big.smt2")]
pub(crate) struct Args {
    /// A file, or the id of a finding
    #[arg(value_name = "CASE")]
    case: String,
    /// Where to write the result [default: reduced.smt2 in the folder of the finding, or standard output]
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// The folder of the campaign that has the finding
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DIR)]
    dir: PathBuf,
    /// Continue with the script in the output file, if that still triggers the bug [default: begin with CASE]
    #[arg(long)]
    resume: bool,
    /// Number of runs of a command at once; the result does not depend on it [default: 1]
    #[arg(short, long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    jobs: usize,
    /// Processor time allowed for each run, in seconds [default: as in the finding, or what the first run takes and some]
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds)]
    timeout: Option<f64>,
    /// Stop after this long, such as 10m [default: no limit]
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
    let stop = interrupt::stop_when_asked();
    if args.command.is_empty() {
        reduce_recorded(args, stop, streams)
    } else {
        reduce_file(args, stop, streams)
    }
}

fn reduce_file(args: &Args, stop: Arc<AtomicBool>, streams: &mut Streams) -> Result<Exit, CliError> {
    let source = fs::read_to_string(&args.case).map_err(|error| CliError::unreadable(&args.case, &error))?;
    let behaviour = Behaviour {
        out: args.match_out.clone(),
        err: args.match_err.clone(),
        is_output_ignored: args.ignore_output,
    };
    let mut command = Command::new(&args.command, &args.case, behaviour, args.timeout)
        .map_err(|error| CliError::usage(error.to_string()))?;
    let mut line = ProgressLine::new();
    let output = args.output.as_deref();
    let reduction = reduce_script(&source, &mut command, args.request(output, stop, &mut |at| line.show(at)));
    line.finish();
    conclude(args, reduction, source.len(), output, streams)
}

fn reduce_recorded(args: &Args, stop: Arc<AtomicBool>, streams: &mut Streams) -> Result<Exit, CliError> {
    if Path::new(&args.case).exists() {
        return Err(CliError::usage(
            "a file needs a command that tells whether it triggers the bug: smelt reduce FILE -- COMMAND",
        ));
    }
    // Ids of findings have neither folders nor an ending.
    if args.case.contains('/') || Path::new(&args.case).extension().is_some() {
        return Err(CliError::usage(format!("there is no file `{}`", args.case)));
    }
    let findings = read(&args.dir)?;
    let recorded = find_one(&findings, &args.case, &args.dir)?;
    let installation = installation();
    let mut criterion = criterion_of(&installation, recorded, args.timeout, streams)?;
    let folder = folder_of(&args.dir, &recorded.finding.id);
    let output = args.output.clone().unwrap_or_else(|| folder.join(REDUCED_PLAIN));
    let bytes_before = criterion.formula().len();
    let mut line = ProgressLine::new();
    let mut reduction =
        reduce_finding(&mut criterion, args.request(Some(&output), stop, &mut |at| line.show(at)));
    line.finish();
    let exhibit = reduction.exhibit(&criterion);
    if args.output.is_none() && reduction.is_good() {
        reduction.keep(recorded, &folder, exhibit.as_ref()).map_err(CliError::output(&folder))?;
    }
    if let (Err(CannotReduce::NotShown), Some(reason)) = (&reduction.result, criterion.why_not_reproduced()) {
        return Err(CliError::NotReproducible(format!("`{}` cannot be reduced: {reason}", args.case)));
    }
    let is_good = reduction.is_good();
    let concluded = conclude(args, reduction, bytes_before, Some(&output), streams);
    if matches!(&concluded, Err(error) if error.is_fatal()) {
        return concluded;
    }
    match (&args.output, &exhibit) {
        (Some(output), Some(exhibit)) => {
            write_whole(output, &exhibit.script).map_err(CliError::output(output))?;
        }
        (_, None) if is_good => streams.message(NOT_ESTABLISHED)?,
        _ => {}
    }
    if let (Ok(Exit::Done), Some(options)) = (&concluded, criterion.options()) {
        let needed = if options.needed.is_empty() { "none".to_owned() } else { options.needed.join(" ") };
        streams.message(&format!("of the options {}, it needs {needed}\n", options.drawn.join(" ")))?;
    }
    concluded
}

/// Printed where a reduced formula has no exhibit.
const NOT_ESTABLISHED: &str = "the evidence could not be established for the reduced formula, so the report shows the case as it was found\n";

/// What must stay true of a finding. The user is asked before its solvers are started.
fn criterion_of<'i>(
    installation: &'i Installation,
    recorded: &Recorded,
    timeout_secs: Option<f64>,
    streams: &mut Streams,
) -> Result<FindingCriterion<'i>, CliError> {
    let finding = &recorded.finding;
    if is_reducible(finding) {
        trust::ask_about(&source_of(finding), &finding.commands, streams)?;
    }
    Ok(FindingCriterion::new(installation, recorded, timeout_secs)?)
}

/// Whether a finding can be reduced.
pub(crate) fn is_reducible(finding: &Finding) -> bool {
    criterion::is_reducible(finding) && !finding.commands.is_empty()
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
    let installation = installation();
    let mut criterion = match criterion_of(&installation, recorded, None, streams) {
        Ok(criterion) => criterion,
        Err(error) => {
            error.report_and_continue(streams)?;
            return Ok(false);
        }
    };
    let mut line = ProgressLine::new();
    let output = folder.join(REDUCED_PLAIN);
    let request = Request {
        bounds: Bounds { time: Some(time), memory: MEMORY_MIB << 20, jobs: 1 },
        is_resumed: true,
        output: Some(&output),
        stop: Arc::clone(&stop),
        listener: &mut |at| line.show(at),
    };
    let mut reduction = reduce_finding(&mut criterion, request);
    line.finish();
    let exhibit = reduction.exhibit(&criterion);
    if let Some(problem) = reduction.problem.take() {
        CliError::from(problem).report_and_continue(streams)?;
        return Ok(false);
    }
    if stop.load(Ordering::Relaxed) && reduction.result.is_err() {
        return Ok(false);
    }
    reduction.keep(recorded, folder, exhibit.as_ref()).map_err(CliError::output(folder))
}

impl Args {
    /// The reduction that the user asks for.
    fn request<'r>(
        &self,
        output: Option<&'r Path>,
        stop: Arc<AtomicBool>,
        listener: &'r mut dyn FnMut(&Progress),
    ) -> Request<'r> {
        let bounds = Bounds { time: self.time, memory: self.own_memory << 20, jobs: self.jobs.max(1) };
        Request { bounds, is_resumed: self.resume, output, stop, listener }
    }
}

/// The progress of a reduction: a moving line on a terminal, elsewhere a line from time to time.
struct ProgressLine {
    bar: Option<ProgressBar>,
    reported: Instant,
}

/// Without a terminal, a line is printed this often.
const REPORT_EVERY: Duration = Duration::from_secs(30);

impl ProgressLine {
    fn new() -> Self {
        let bar = io::stderr().is_terminal().then(ProgressBar::new_spinner);
        ProgressLine { bar, reported: Instant::now() }
    }

    fn show(&mut self, progress: &Progress) {
        if self.bar.is_none() && self.reported.elapsed() < REPORT_EVERY {
            return;
        }
        let size = match progress.smallest {
            Some((bytes, judged)) => format!("{bytes} bytes after {judged} questions"),
            None => "nothing smaller yet".to_owned(),
        };
        let seconds = progress.elapsed.as_secs();
        match &self.bar {
            Some(bar) => {
                bar.set_message(format!("{size}, {seconds} s"));
                bar.tick();
            }
            None => {
                self.reported = Instant::now();
                // Nothing that matters is lost with this line.
                let _ = writeln!(io::stderr(), "reducing: {size}, {seconds} s");
            }
        }
    }

    fn finish(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Prints the result.
fn conclude(
    args: &Args,
    reduction: Reduction,
    bytes_before: usize,
    output: Option<&Path>,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    if let Some(problem) = reduction.problem {
        return Err(problem.into());
    }
    let reduced = match reduction.result {
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
                "`{}` does not trigger the bug as smelt prints it",
                args.case
            )));
        }
        Err(CannotReduce::Flaky) => {
            return Err(CliError::not_reproducible(format!(
                "`{}` triggers the bug only in some runs",
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
    let memory = if reduction.is_out_of_memory { ", out of memory (raise --own-memory)" } else { "" };
    let end = if reduced.is_finished { "" } else { ", stopped early" };
    streams.message(&format!(
        "{bytes_before} bytes to {}: {candidates} candidates, {judged} tried, {accepted} accepted{}{memory}{end}\n",
        reduced.script.len(),
        reduction.effort
    ))?;
    if reduced.is_flaky {
        return Err(CliError::not_reproducible(
            "a script triggered the bug only once: the result is the smallest one that triggered it twice",
        ));
    }
    Ok(Exit::Done)
}

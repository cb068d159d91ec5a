//! `smelt reduce`: the smallest script that still reproduces a bug.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use smelt_campaign::configure::DEFAULT_DIR;
use smelt_campaign::configure::values::{parse_seconds, parse_time};
use smelt_campaign::dialogue::{CannotWrite, Dialogue};
use smelt_campaign::lookup::finding_named;
use smelt_campaign::record::folder_of;
use smelt_report::finding::triage_files::REDUCED_PLAIN;
use smelt_runner::stop_signals;
use smelt_triage::reduce::CannotReduce;
use smelt_triage::reduce::bounded::{Bounds, Progress, write_whole};
use smelt_triage::reduce::criterion::{Behaviour, Command};
use smelt_triage::reduce::finding::{Reduction, Request, reduce_finding, reduce_script};
use smelt_triage::reduce::folder::{MEMORY_MIB, criterion_of};

use crate::config::solvers::installation;
use crate::error::{CliError, Exit, cannot_write, read_named};
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

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let stop = stop_signals::stop_when_asked();
    if args.command.is_empty() {
        reduce_recorded(args, stop, streams)
    } else {
        reduce_file(args, stop, streams)
    }
}

fn reduce_file(args: &Args, stop: Arc<AtomicBool>, streams: &mut Streams) -> Result<Exit, CliError> {
    let source = read_named(args.case.as_ref())?;
    let behaviour = Behaviour {
        out: args.match_out.clone(),
        err: args.match_err.clone(),
        is_output_ignored: args.ignore_output,
    };
    let mut command = Command::new(&args.command, &args.case, behaviour, args.timeout)
        .map_err(|error| CliError::usage(error.to_string()))?;
    let output = args.output.as_deref();
    let mut listener = |at: &Progress| streams.progress(Some(&format!("reducing: {at}")));
    let reduction = reduce_script(&source, &mut command, args.request(output, stop, &mut listener));
    streams.progress(None);
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
    let finding = finding_named(&args.case, &args.dir)?;
    let installation = installation();
    let mut criterion = criterion_of(&installation, &finding, args.timeout, streams)?;
    let folder = folder_of(&args.dir, &finding.id);
    let output = args.output.clone().unwrap_or_else(|| folder.join(REDUCED_PLAIN));
    let bytes_before = criterion.formula().len();
    let mut listener = |at: &Progress| streams.progress(Some(&format!("reducing: {at}")));
    let mut reduction = reduce_finding(&mut criterion, args.request(Some(&output), stop, &mut listener));
    streams.progress(None);
    let exhibit = reduction.exhibit(&criterion);
    if args.output.is_none() && reduction.is_good() {
        reduction.keep(&finding, &folder, exhibit.as_ref()).map_err(CannotWrite::to(&folder))?;
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
            write_whole(output, &exhibit.script).map_err(CannotWrite::to(output))?;
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
    let summary = reduction.summary(bytes_before);
    let reduced = reduction.result.map_err(|why| {
        let message = why.about(&args.case);
        match why {
            CannotReduce::IllFormed(_) | CannotReduce::NoTime => CliError::usage(message),
            CannotReduce::NotShown | CannotReduce::Flaky => CliError::NotReproducible(message),
        }
    })?;
    match output {
        Some(path) => {
            let failed = |error| CliError::Environment(cannot_write(path.display(), &error));
            write_whole(path, &reduced.script).map_err(failed)?;
        }
        None => write!(streams.scripts(), "{}", reduced.script)?,
    }
    streams.message(&summary)?;
    if reduced.is_flaky {
        let message =
            "a script triggered the bug only once: the result is the smallest one that triggered it twice";
        return Err(CliError::NotReproducible(message.to_owned()));
    }
    Ok(Exit::Done)
}

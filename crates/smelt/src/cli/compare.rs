//! `smelt compare`: what changes for those who replace a solver by another.
//!
//! Measuring and counting are in [`smelt_campaign::compare`].

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use smelt_campaign::bench::Corpus;
use smelt_campaign::compare::summary::{CompareSummary, FailOn};
use smelt_campaign::compare::{CompareRequest, Sides};
use smelt_campaign::configure::values::parse_seconds;
use smelt_campaign::dialogue::CannotWrite;
use smelt_runner::interruption;

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

const RUNS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4);

/// Tell what changes for your queries when a solver is replaced by another: should I upgrade?
///
/// Both solvers run on every query in turn. Where they differ they run again, and a change counts only if all runs show
/// it; what a little more time would change is listed as `near the limit`, what only some runs show as `unsteady`. Models
/// are evaluated, and where answers contradict each other the evidence says who is wrong. Slower is what takes at least
/// 1.5 times as long and 50 ms longer.
/// A comparison that was stopped is resumed by the same command: what was measured is in DIR.
/// Exit status 1 if something happens that --fail-on names.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt compare queries/ --from z3@4.12.2 --to z3@5.4.0 --fail-on wrong,lost,slower=2x"
)]
pub(crate) struct Args {
    /// Queries: files or folders (all .smt2 files below them)
    #[arg(value_name = "QUERIES", required = true)]
    paths: Vec<PathBuf>,
    /// The solver in use: NAME@VERSION, a path, NAME=COMMAND LINE, or one of smelt.toml
    #[arg(long, value_name = "SOLVER")]
    from: String,
    /// The solver that may replace it
    #[arg(long, value_name = "SOLVER")]
    to: String,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = 5.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// How often each solver runs where the first runs differ
    #[arg(long, value_name = "N", default_value_t = RUNS)]
    runs: NonZeroUsize,
    /// Number of queries at once, each on a separate core
    #[arg(short, long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    jobs: NonZeroUsize,
    /// The folder with what was measured
    #[arg(long, value_name = "DIR", default_value = "smelt-compare")]
    dir: PathBuf,
    /// Exit with status 1 on any of these: wrong, changed, lost, failing, slower, slower=FACTOR
    #[arg(long, value_name = "CHANGES", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// Print whole lists [default: the ten most telling queries of each]
    #[arg(long)]
    all: bool,
    /// Print one JSON object per query instead of lists
    #[arg(long)]
    json: bool,
    /// Write one line per query to this file [default: none]
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a test for each query, which fails on what --fail-on names, as JUnit XML [default: none]
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let Corpus { files, failures } = Corpus::below(&args.paths);
    failures.iter().try_for_each(|failure| streams.error(failure))?;
    if files.is_empty() {
        return Err(CliError::usage("there are no queries to run"));
    }
    let request = CompareRequest {
        files: &files,
        solvers: Sides { from: &args.from, to: &args.to },
        timeout: args.timeout,
        runs: args.runs.get(),
        jobs: args.jobs,
        folder: &args.dir,
    };
    let compared = request.measure(&installation(), streams)?;
    let summary = CompareSummary::of(&compared.records, &compared.names, args.timeout);
    let csv = args.csv.as_ref().map(|path| (path, summary.csv()));
    let junit = args.junit.as_ref().map(|path| (path, summary.junit(&args.fail_on)));
    for (path, text) in csv.into_iter().chain(junit) {
        fs::write(path, text).map_err(CannotWrite::to(path))?;
    }
    match args.json {
        true => summary.lines().try_for_each(|line| streams.json_line(&line))?,
        false => streams.results().write_all(summary.render(args.all).as_bytes())?,
    }
    compared.failures.iter().try_for_each(|failure| streams.error(failure))?;
    if interruption::is_requested() {
        let (done, all) = (compared.records.len(), files.len());
        streams.message(&format!("stopped after {done} of {all} queries; the same command resumes it\n"))?;
        return Ok(Exit::Interrupted);
    }
    let is_broken = !compared.failures.is_empty() || !failures.is_empty();
    Ok(match summary.failures(&args.fail_on).is_empty() {
        false => Exit::Findings,
        true if is_broken => Exit::BadInput,
        true => Exit::Done,
    })
}

//! `smelt compare`: what changes for those who replace a solver by another.
//!
//! Measuring and counting are in [`smelt_campaign::compare`].

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use smelt_campaign::compare::summary::{CompareSummary, FailOn};
use smelt_campaign::compare::{CompareRequest, Sides};
use smelt_campaign::dialogue::CannotWrite;

use crate::config::queries::QueryArgs;
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
    #[command(flatten)]
    pub(crate) queries: QueryArgs,
    /// The solver in use: NAME@VERSION, a path, NAME=COMMAND LINE, or one of smelt.toml
    #[arg(long, value_name = "SOLVER")]
    from: String,
    /// The solver that may replace it
    #[arg(long, value_name = "SOLVER")]
    to: String,
    /// How often each solver runs where the first runs differ
    #[arg(long, value_name = "N", default_value_t = RUNS)]
    runs: NonZeroUsize,
    /// The folder with what was measured
    #[arg(long, value_name = "DIR", default_value = "smelt-compare")]
    dir: PathBuf,
    /// Exit with status 1 on any of these: wrong, changed, lost, failing, slower, slower=FACTOR
    #[arg(long, value_name = "CHANGES", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// Write a test for each query, which fails on what --fail-on names, as JUnit XML [default: none]
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let queries = args.queries.files(streams)?;
    let request = CompareRequest {
        files: &queries.files,
        solvers: Sides { from: &args.from, to: &args.to },
        timeout: args.queries.timeout,
        runs: args.runs.get(),
        jobs: args.queries.jobs,
        folder: &args.dir,
    };
    let compared = request.measure(&installation(), streams)?;
    let summary = CompareSummary::of(&compared.records, &compared.names, args.queries.timeout);
    let csv = args.queries.csv.as_ref().map(|path| (path, summary.csv()));
    let junit = args.junit.as_ref().map(|path| (path, summary.junit(&args.fail_on)));
    for (path, text) in csv.into_iter().chain(junit) {
        fs::write(path, text).map_err(CannotWrite::to(path))?;
    }
    match args.queries.json {
        true => summary.lines().try_for_each(|line| streams.json_line(&line))?,
        false => streams.results().write_all(summary.render(args.queries.all).as_bytes())?,
    }
    let has_findings = !summary.failures(&args.fail_on).is_empty();
    queries.conclude(compared.records.len(), &compared.failures, has_findings, streams)
}

//! `smelt bench`: solvers over a corpus, compared.
//!
//! Measuring and counting are in [`smelt_campaign::bench`]; here files are read, run on several cores, and shown.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use smelt_campaign::bench::baseline;
use smelt_campaign::bench::table::Comparison;
use smelt_campaign::bench::{Benchmark, Corpus, FileResults, MachineLine, csv, cut_runs, names_of, sample};
use smelt_campaign::configure::values::parse_seconds;
use smelt_campaign::dialogue::CannotWrite;
use smelt_campaign::find_solvers::{find_or_install, introduce};
use smelt_runner::identity::Identity;
use smelt_runner::interruption;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_runner::timing::Timing;

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// Compare solvers on a corpus: what they solve, how fast, and whether they are right
///
/// A folder with files is a suite. A file with several checks counts as solved if all of them are decided. PAR-2 is the
/// mean time in seconds, where a file that is not solved counts twice the limit.
/// Exit status 1 if some solver is wrong.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt bench benchmarks/ --solver smelt --solver z3 --timeout 5 --csv results.csv"
)]
pub(crate) struct Args {
    /// Files or folders (all .smt2 files below them)
    #[arg(value_name = "CORPUS", required = true)]
    paths: Vec<PathBuf>,
    /// A solver: smelt, a path, NAME, NAME@VERSION, or NAME=COMMAND LINE that reads standard input; repeatable
    #[arg(short, long = "solver", value_name = "SOLVER", default_values_t = ["smelt".to_owned()])]
    solvers: Vec<String>,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = 5.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Take only N files, spread evenly over the corpus [default: all]
    #[arg(long, value_name = "N")]
    sample: Option<NonZeroUsize>,
    /// Results of other solvers: a CSV file with the columns suite, file, expected, and NAME and NAME_ms for each;
    /// files that it does not list are left out [default: none]
    #[arg(long, value_name = "CSV")]
    baseline: Option<PathBuf>,
    /// Write one line per run to this file [default: none]
    #[arg(long, value_name = "CSV")]
    csv: Option<PathBuf>,
    /// How often each solver is run on each file, in turn with the others; the run with the median time counts
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    repeats: NonZeroUsize,
    /// Print one JSON object per solver and file, and one of the machine, instead of a table [default: a table]
    #[arg(long)]
    json: bool,
    /// Number of files at once, each on a separate core; more than there are cores makes times less certain
    #[arg(short, long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    jobs: NonZeroUsize,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let place = installation();
    let solvers = find_or_install(&place, &args.solvers, streams)?;
    let identities = introduce(&place, &solvers, streams)?;
    let identities: BTreeMap<String, Identity> =
        solvers.iter().map(|solver| solver.name.clone()).zip(identities).collect();
    let baseline = args.baseline.as_deref().map(baseline::read).transpose()?.unwrap_or_default();
    let Corpus { mut files, mut failures } = Corpus::below(&args.paths);
    files.retain(|path| {
        let (suite, file) = names_of(path);
        args.baseline.is_none() || baseline.lists(&suite, &file)
    });
    let inputs = sample(files, args.sample);
    if inputs.is_empty() {
        failures.iter().try_for_each(|failure| streams.error(failure))?;
        return Err(CliError::usage("there are no files to run"));
    }
    let limits = Limits::for_seconds(args.timeout);
    let mut all: Vec<FileResults> = Vec::with_capacity(inputs.len());
    let timing = Timing::begin(args.jobs.get());
    let benchmark =
        Benchmark { solvers: &solvers, limits, timeout: args.timeout, repeats: args.repeats.get() };
    parallel::in_order(
        &inputs,
        args.jobs,
        |path| {
            let _core = timing.pin();
            benchmark.measure_file(path)
        },
        |measured| {
            match measured {
                Ok(mut results) => {
                    baseline.add_to(&mut results, args.timeout);
                    all.push(results);
                }
                Err(error) => failures.push(error.to_string()),
            }
            if (all.len() + failures.len()).is_multiple_of(50) {
                streams.message(&format!("{} of {} files\n", all.len() + failures.len(), inputs.len()))?;
            }
            Ok::<(), CliError>(())
        },
    )?;
    if all.is_empty() {
        // A table without rows says nothing.
        failures.iter().try_for_each(|failure| streams.error(failure))?;
        return Ok(Exit::BadInput);
    }
    if let Some(path) = &args.csv {
        fs::write(path, csv(&all, &identities)).map_err(CannotWrite::to(path))?;
    }
    let comparison = Comparison::of(&all, args.timeout);
    let machine = timing.conditions();
    let warning = machine.warning();
    if args.json {
        all.iter().flat_map(FileResults::lines).try_for_each(|line| streams.json_line(&line))?;
        streams.json_line(&MachineLine { machine })?;
    } else {
        streams.results().write_all(comparison.render().as_bytes())?;
    }
    if let Some(warning) = warning {
        streams.message(&format!("{warning}\n"))?;
    }
    failures.iter().try_for_each(|failure| streams.error(failure))?;
    streams.message(&cut_runs(&all).unwrap_or_default())?;
    if interruption::is_requested() {
        streams.message(&format!("stopped after {} of {} files\n", all.len(), inputs.len()))?;
        return Ok(Exit::Interrupted);
    }
    Ok(if comparison.has_wrong() {
        Exit::Findings
    } else if failures.is_empty() {
        Exit::Done
    } else {
        Exit::BadInput
    })
}

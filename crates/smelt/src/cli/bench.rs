//! `smelt bench`: solvers over a corpus, compared.
//!
//! Measuring and counting are in [`smelt_campaign::bench`]; here files are read, run on several cores, and shown.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Serialize;
use smelt_campaign::bench::baseline;
use smelt_campaign::bench::table::Comparison;
use smelt_campaign::bench::{Benchmark, FileResults, csv, names_of, sample};
use smelt_campaign::configure::values::parse_seconds;
use smelt_oracle::run::{Answer, Limit};
use smelt_runner::identity::Identity;
use smelt_runner::interruption;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_runner::timing::{Conditions, Timing};

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;
use smelt_campaign::find_solvers::{find_or_install, introduce};
use smelt_campaign::inputs::{self, ScriptInput};

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

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'r> {
    suite: &'r str,
    file: &'r str,
    solver: &'r str,
    expected: Option<Answer>,
    answer: Answer,
    limit: Option<Limit>,
    cpu_ms: f64,
    wall_ms: f64,
    /// Of all runs, in the order in which they were made.
    all_cpu_ms: &'r [f64],
    model_ok: Option<bool>,
}

/// The last line of `--json`.
#[derive(Debug, Serialize)]
struct MachineLine {
    machine: Conditions,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let place = installation();
    let solvers = find_or_install(&place, &args.solvers, streams)?;
    let identities = introduce(&place, &solvers, streams)?;
    let identities: BTreeMap<String, Identity> =
        solvers.iter().map(|solver| solver.name.clone()).zip(identities).collect();
    let baseline = args.baseline.as_deref().map(baseline::read).transpose()?.unwrap_or_default();
    let mut failures = Vec::new();
    let mut files: Vec<PathBuf> = Vec::new();
    for input in inputs::collect(&args.paths) {
        match input {
            Ok(ScriptInput::File(path)) => files.push(path),
            Ok(ScriptInput::Stdin) => {
                failures.push("standard input is not a corpus; name files or folders".to_owned());
            }
            Err(problem) => failures.push(format!("cannot read `{}`: {}", problem.name, problem.message)),
        }
    }
    let inputs: Vec<PathBuf> = files
        .into_iter()
        .filter(|path| {
            let (suite, file) = names_of(path);
            args.baseline.is_none() || baseline.lists(&suite, &file)
        })
        .collect();
    let inputs = sample(inputs, args.sample);
    if inputs.is_empty() {
        for failure in &failures {
            streams.error(failure)?;
        }
        return Err(CliError::usage("there are no files to run"));
    }
    let limits = Limits::for_seconds(args.timeout);
    let mut all: Vec<FileResults> = Vec::with_capacity(inputs.len());
    let timing = Timing::begin(args.jobs.get());
    let benchmark =
        Benchmark { solvers: &solvers, limits, timeout: args.timeout, repeats: args.repeats.get() };
    let measure = |path: &PathBuf| -> Result<FileResults, CliError> {
        let unreadable = |problem: inputs::UnreadableInput| {
            CliError::Input(format!("cannot read `{}`: {}", problem.name, problem.message))
        };
        let source = inputs::read(&ScriptInput::File(path.clone())).map_err(unreadable)?;
        Ok(benchmark.measure(path, &source)?)
    };
    parallel::in_order(
        &inputs,
        args.jobs,
        |path| {
            let _core = timing.pin();
            measure(path)
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
        for failure in &failures {
            streams.error(failure)?;
        }
        return Ok(Exit::BadInput);
    }
    if let Some(path) = &args.csv {
        let written =
            File::create(path).and_then(|mut file| file.write_all(csv(&all, &identities).as_bytes()));
        written.map_err(|error| CliError::Output { path: path.display().to_string(), error })?;
    }
    let comparison = Comparison::of(&all, args.timeout);
    let machine = timing.conditions();
    let warning = machine.warning();
    if args.json {
        print_json(&all, machine, streams)?;
    } else {
        streams.results().write_all(comparison.render().as_bytes())?;
    }
    if let Some(warning) = warning {
        streams.message(&format!("{warning}\n"))?;
    }
    for failure in &failures {
        streams.error(failure)?;
    }
    let cut = all.iter().flat_map(|file| &file.results).filter(|result| result.is_cut_by_the_clock()).count();
    if cut > 0 {
        streams.message(&format!(
            "{cut} runs slept or waited instead of computing until the clock ended them; they are not counted\n"
        ))?;
    }
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

fn print_json(all: &[FileResults], machine: Conditions, streams: &mut Streams) -> Result<(), CliError> {
    for file in all {
        for result in &file.results {
            streams.json_line(&Line {
                suite: &file.suite,
                file: &file.file,
                solver: &result.solver,
                expected: file.expected,
                answer: result.answer,
                limit: result.limit,
                cpu_ms: result.cpu_ms,
                wall_ms: result.wall_ms,
                all_cpu_ms: &result.all_cpu_ms,
                model_ok: result.model_ok,
            })?;
        }
    }
    streams.json_line(&MachineLine { machine })?;
    Ok(())
}

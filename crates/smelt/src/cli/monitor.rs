//! `smelt monitor`: a solver against a reference on the first formulas of grammars, with what that guarantees.
//!
//! Formulas are run in sessions; whatever is wrong is asked again in fresh processes before it counts. The result is a
//! statement about all formulas up to a size, and an exit status that a build can use.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use smelt_campaign::configure::values::{parse_seconds, parse_time};
use smelt_campaign::monitor::baseline::KnownDifferences;
use smelt_campaign::monitor::results::ResultFiles;
use smelt_campaign::monitor::{Difference, Monitor};
use smelt_runner::clock;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_testgen::enumeration::Parameters;
use smelt_trial::target::{Mode, Target};

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit, cannot_write};
use crate::render::streams::Streams;
use smelt_campaign::dialogue::CannotWrite;
use smelt_campaign::find_solvers::find_ready;
use smelt_campaign::grammars::read_grammar;
use smelt_campaign::prepare::ReadySolver;
use smelt_runner::stop_signals;

/// The grammars of the thesis without the one on which most of the time would be spent.
const USUAL_GRAMMARS: &[&str] = &["core", "ints", "reals", "realints", "bitvectors", "arrays", "strings"];

/// Watch over a solver: compare it with a reference on all small formulas of grammars, for continuous integration
///
/// The result holds for all formulas up to a size: on how many the solver agreed with the reference, gave up, or was
/// wrong. Models are evaluated by smelt, and what is wrong is asked again in fresh processes. Exit status 1 if
/// the solver is wrong, or the two disagree and nothing tells which is wrong, on a formula that the baseline does not have. Where
/// one of the two follows another definition of an operator (drift), that is counted and is not a failure.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt monitor --solver 'new=build/z3 -in' --reference cvc5@latest --time 20m --junit out.xml"
)]
pub(crate) struct Args {
    /// The solver to watch: NAME, NAME@VERSION, or NAME=COMMAND LINE
    #[arg(short, long, value_name = "SOLVER")]
    solver: String,
    /// The solver to compare it with
    #[arg(short, long, value_name = "SOLVER")]
    reference: String,
    /// A grammar by name or file; repeatable [default: the eight of the thesis but fp]
    #[arg(short, long = "grammar", value_name = "NAME|FILE")]
    grammars: Vec<String>,
    /// Number of formulas of each grammar
    #[arg(short = 'n', long, value_name = "N", default_value_t = 51_000)]
    count: u64,
    /// Only formulas up to this size [default: all sizes]
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(..=1000))]
    max_size: Option<u32>,
    /// Number of declared variables
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    variables: u32,
    /// Number of assertions in a formula
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    asserts: u32,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = 1.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Stop after this long, such as 20m; shared among the grammars [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// A file with differences that are known and do not count, by formula, class and solver [default: none]
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all differences to the baseline file, those that it has and those that are new, and create it if there is
    /// none [default: read it only]
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
    /// Write the results as JUnit XML [default: none]
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the differences as SARIF, and their formulas to a folder beside it, such as out.formulas for out.sarif
    /// [default: none]
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Number of workers [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Print one JSON object per grammar instead of text [default: text]
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let read = |path: &Path| KnownDifferences::read(path, args.update_baseline);
    let known = args.baseline.as_deref().map(read).transpose()?.unwrap_or_default();
    let parameters = Parameters { variables: args.variables, asserts: args.asserts, ..Parameters::default() };
    let mut grammars = Vec::new();
    let names: Vec<String> = match args.grammars.is_empty() {
        true => USUAL_GRAMMARS.iter().map(|name| (*name).to_owned()).collect(),
        false => args.grammars.clone(),
    };
    for name in &names {
        grammars.push((name.clone(), read_grammar(name, &parameters)?));
    }
    let stop = stop_signals::stop_when_asked();
    let monitor = prepare(args, parameters, streams)?;
    let begun = clock::now();
    let mut tallies = Vec::new();
    let mut differences = Vec::new();
    for (position, (name, enumeration)) in grammars.iter_mut().enumerate() {
        // What is left of the time is shared among the grammars that are left.
        let left =
            args.time.map(|time| time.saturating_sub(clock::since(begun)) / (names.len() - position) as u32);
        let deadline = left.map(|left| clock::now() + left);
        let (tally, found) = monitor.watch(name, enumeration, deadline, &stop)?;
        if args.json {
            streams.json_line(&tally)?;
        } else {
            writeln!(streams.results(), "{}", tally.guarantee())?;
        }
        for difference in &found {
            let is_known = known.contains(&difference.key());
            streams.message(&format!("{}\n", difference.describe(&monitor.parameters, is_known)))?;
        }
        streams.flush()?;
        tallies.push(tally);
        differences.extend(found);
    }
    let files = ResultFiles {
        baseline: args.baseline.as_deref().filter(|_| args.update_baseline),
        junit: args.junit.as_deref(),
        sarif: args.sarif.as_deref(),
    };
    let new: Vec<&Difference> = differences.iter().filter(|difference| known.is_news(difference)).collect();
    files
        .write(&known, &tallies, &differences)
        .map_err(|CannotWrite { path, error }| CliError::Environment(cannot_write(path.display(), &error)))?;
    if stop.load(Ordering::Relaxed) {
        streams.message("stopped before the end\n")?;
    }
    Ok(if new.is_empty() { Exit::Done } else { Exit::Findings })
}

/// Finds, installs and probes the two solvers.
fn prepare(args: &Args, parameters: Parameters, streams: &mut Streams) -> Result<Monitor, CliError> {
    let place = installation();
    let names = [args.solver.clone(), args.reference.clone()];
    let mut targets = Vec::new();
    for ReadySolver { chosen, mut target } in find_ready(&place, &names, streams)? {
        target.mode = Mode::Warm;
        chosen.demand_of(&mut target);
        targets.push(target);
    }
    Ok(Monitor {
        targets: <[Target; 2]>::try_from(targets).expect("two names stand for two solvers"),
        limits: Limits::for_seconds(args.timeout),
        jobs: args.jobs.unwrap_or_else(parallel::all_cores),
        parameters,
        count: args.count,
        max_size: args.max_size,
    })
}

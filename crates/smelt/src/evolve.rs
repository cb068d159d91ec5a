//! `smelt evolve`: the evolution study, many releases on fixed lists of formulas.
//!
//! What is run is in the engine, what is counted and drawn in the report; here are the arguments, the preparations, the
//! progress and the files.

mod prepare;
mod progress;
mod results;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use smelt_campaign::release_study;
use smelt_report::evolution::Study as Counted;
use smelt_runner::timing::Timing;
use smelt_store::lock::Lock;
use smelt_store::study::{StudyConfiguration, StudyStore};

use crate::error::{CliError, Exit};
use crate::interrupt;
use crate::memory::MemoryArg;
use crate::streams::Streams;
use prepare::prepare;
use progress::Progress;

/// Compare many releases of solvers on the same formulas: what they get wrong, what they solve, how fast
///
/// Each release is run once on each formula, at the largest time limit; all smaller limits, from 1/64 s up, follow from
/// processor time. The formulas of a theory are the first of its grammar and as many larger ones drawn by chance. What
/// seems wrong is run again in a fresh process before it counts; formulas that a release rejects and older definitions of
/// operators never do. The folder gets index.html with all plots and tables, and the same as SVG and CSV files. The same
/// command again goes on where a study was stopped or killed; releases and theories can be added to it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt evolve --solver z3@4.8.5..4.12.0 --solver cvc5@1.4.2 --theory strings,ints"
)]
pub(crate) struct Args {
    /// Releases: NAME@VERSION, NAME@FROM..TO, NAME, or NAME=COMMAND LINE; repeatable, missing ones are installed
    #[arg(short, long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Theories by the names of their grammars, or files with grammars [default: core,ints,bitvectors,strings]
    #[arg(long = "theory", value_name = "LIST", value_delimiter = ',')]
    theories: Vec<String>,
    /// How many formulas of each theory [default: 1000]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    formulas: Option<u32>,
    /// The largest size of formulas that are drawn by chance [default: 12]
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(..=1000))]
    max_size: Option<u32>,
    /// How many variables are declared [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    variables: Option<u32>,
    /// How many assertions a formula has [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    asserts: Option<u32>,
    /// Where chance starts [default: 0]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// The largest time limit: processor time for each run, in seconds [default: 1]
    #[arg(short, long, value_name = "SECS")]
    timeout: Option<f64>,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Solvers whose answers others are compared with [default: z3@latest,cvc5@latest,smelt]
    #[arg(short, long = "reference", value_name = "LIST", value_delimiter = ',')]
    references: Vec<String>,
    /// Processor time for each run of a reference, in seconds [default: four times --timeout]
    #[arg(long, value_name = "SECS")]
    reference_timeout: Option<f64>,
    /// `warm` keeps solvers running from formula to formula, `cold` starts one for each, so that start-up counts
    /// [default: warm]
    #[arg(long, value_name = "MODE", value_parser = ["warm", "cold"])]
    mode: Option<String>,
    /// The folder of the study
    #[arg(long, value_name = "DIR", default_value = "smelt-evolution")]
    dir: PathBuf,
    /// Go on with the study in the folder, with its own releases, theories and options [default: begin if there is none]
    #[arg(long)]
    resume: bool,
    /// How many runs at once, each on a core of its own; more than there are cores makes times less certain [default:
    /// one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Only say what would be run; missing releases of a range are installed all the same
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object per theory and release instead of tables [default: tables]
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    for seconds in [args.timeout, args.reference_timeout].into_iter().flatten() {
        if !seconds.is_finite() || seconds <= 0.0 {
            return Err(CliError::usage("a timeout must be a positive number of seconds"));
        }
    }
    let database = smelt_store::study::database(&args.dir);
    if !database.exists() {
        if args.resume {
            return Err(CliError::usage(format!(
                "there is no study in `{}` to go on with",
                args.dir.display()
            )));
        }
        if args.solvers.is_empty() {
            return Err(CliError::usage("evolve needs releases, as in `--solver z3@4.8.5..4.12.0`"));
        }
    }
    if args.dry_run {
        return prepare::preview(args, streams);
    }
    let folder = std::fs::create_dir_all(&args.dir);
    if let Err(error) = folder {
        return Err(CliError::environment(format!("cannot make folder `{}`: {error}", args.dir.display())));
    }
    let opened = Lock::take(&args.dir).and_then(|lock| Ok((lock, StudyStore::open(&args.dir)?)));
    let (_lock, mut store) = match opened {
        Ok(opened) => opened,
        Err(error) => return Err(CliError::environment(error.to_string())),
    };
    let stop = interrupt::stop_when_asked();
    let study = prepare(args, &mut store, streams)?;
    streams.flush()?;
    let progress = Progress::new();
    let timing = Timing::begin(study.jobs.get());
    let ended = release_study::run(&study, &mut store, &stop, &mut |done| progress.show(done));
    progress.finish();
    if let Err(error) = ended {
        return Err(CliError::environment(error.to_string()));
    }
    let counted = match Counted::read(&store) {
        Ok(counted) => counted.expect("a study that was run is recorded"),
        Err(error) => return Err(CliError::environment(error.to_string())),
    };
    results::write_files(&args.dir, &counted)?;
    let machine = timing.conditions();
    results::print(&counted, args.json.then_some(&machine), streams)?;
    if let Some(warning) = machine.warning() {
        streams.message(&format!("{warning}\n"))?;
    }
    if stop.load(Ordering::Relaxed) {
        let dir = args.dir.display();
        streams.message(&format!("stopped; go on with `smelt evolve --resume --dir {dir}`\n"))?;
    } else {
        streams.message(&format!("wrote {}\n", args.dir.join("index.html").display()))?;
    }
    Ok(if counted.bugs() > 0 { Exit::Findings } else { Exit::Done })
}

/// What the user asks for, with what is recorded, or else usual, where nothing is said.
fn configuration(args: &Args, recorded: Option<&StudyConfiguration>) -> StudyConfiguration {
    let usual = StudyConfiguration {
        formulas: 1000,
        random_seed: 0,
        max_size: 12,
        variables: 2,
        asserts: 1,
        timeout_secs: args.timeout.unwrap_or(1.0),
        reference_timeout_secs: args.timeout.unwrap_or(1.0) * 4.0,
        mode: "warm".to_owned(),
        references: ["z3@latest", "cvc5@latest", "smelt"].map(str::to_owned).to_vec(),
    };
    let before = recorded.cloned().unwrap_or(usual);
    StudyConfiguration {
        formulas: args.formulas.unwrap_or(before.formulas),
        random_seed: args.seed.unwrap_or(before.random_seed),
        max_size: args.max_size.unwrap_or(before.max_size),
        variables: args.variables.unwrap_or(before.variables),
        asserts: args.asserts.unwrap_or(before.asserts),
        timeout_secs: args.timeout.unwrap_or(before.timeout_secs),
        reference_timeout_secs: args.reference_timeout.unwrap_or(before.reference_timeout_secs),
        mode: args.mode.clone().unwrap_or(before.mode),
        references: if args.references.is_empty() { before.references } else { args.references.clone() },
    }
}

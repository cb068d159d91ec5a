//! `smelt study`: many releases on fixed lists of formulas.
//!
//! What is run is in [`smelt_campaign::release_study`], what is counted and drawn in [`smelt_report::evolution`].

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use smelt_campaign::release_study;
use smelt_campaign::release_study::prepare::{NO_RELEASES, StudyBeginning, StudyRequest};
use smelt_report::evolution::{Study as Counted, listing};
use smelt_runner::timing::Timing;
use smelt_store::lock::Lock;
use smelt_store::study::StudyStore;

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::progress::Progress;
use crate::render::streams::Streams;
use smelt_campaign::dialogue::CannotWrite;
use smelt_campaign::find_solvers::releases_named;
use smelt_runner::stop_signals;

/// Compare many releases of solvers on the same formulas: what they get wrong, what they solve, how fast
///
/// Each release is run once on each formula, at the largest time limit; all smaller limits, from 1/64 s up, follow from
/// processor time. The formulas of a theory are the first of its grammar and as many larger ones, sampled uniformly. What
/// seems wrong is run again in a fresh process before it counts; formulas that a release rejects and older definitions of
/// operators never do. The folder gets index.html with all plots and tables, and the same as SVG and CSV files. The same
/// command again resumes a study that was stopped or killed; releases and theories can be added to it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt study --solver z3@4.8.5..4.12.0 --solver cvc5@1.4.2 --theory strings,ints"
)]
pub(crate) struct Args {
    #[command(flatten)]
    request: StudyRequest,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// The folder of the study
    #[arg(long, value_name = "DIR", default_value = "smelt-evolution")]
    dir: PathBuf,
    /// Resume the study in the folder, with its own releases, theories and options [default: start one if there is none]
    #[arg(long)]
    resume: bool,
    /// Number of runs at once, each on a separate core; more than there are cores makes times less certain [default: one
    /// per core]
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
    let database = smelt_store::study::database(&args.dir);
    if !database.exists() {
        if args.resume {
            return Err(CliError::usage(format!(
                "there is no study in `{}`; start one without --resume",
                args.dir.display()
            )));
        }
        if args.request.solvers.is_empty() {
            return Err(CliError::usage(NO_RELEASES));
        }
    }
    if args.dry_run {
        let releases = releases_named(&installation(), &args.request.solvers, streams)?;
        write!(streams.results(), "{}", args.request.preview(&releases))?;
        return Ok(Exit::Done);
    }
    let folder = std::fs::create_dir_all(&args.dir);
    if let Err(error) = folder {
        return Err(CliError::environment(format!("cannot make folder `{}`: {error}", args.dir.display())));
    }
    let opened = Lock::take(&args.dir).and_then(|lock| Ok((lock, StudyStore::open(&args.dir)?)));
    let (_lock, mut store) = opened?;
    let stop = stop_signals::stop_when_asked();
    let beginning = StudyBeginning { request: &args.request, dir: &args.dir, jobs: args.jobs };
    let study = beginning.prepare(&installation(), &mut store, streams)?;
    streams.flush()?;
    let timing = Timing::begin(study.jobs.get());
    let progress = Progress::measured(Some(0));
    // The phase, and when it began.
    let mut phase = None;
    release_study::run(&study, &mut store, &stop, &mut |done| {
        let begun = match phase {
            Some((current, begun)) if current == done.phase => begun,
            _ => Instant::now(),
        };
        phase = Some((done.phase, begun));
        let line = || done.line(begun.elapsed());
        progress.set_length(done.total);
        progress.show(Some(done.done), line, line);
    })?;
    drop(progress);
    let counted = Counted::read(&store)?.expect("a study that was run is recorded");
    for file in listing::files(&counted) {
        let path = args.dir.join(file.name);
        std::fs::write(&path, file.text).map_err(CannotWrite::to(&path))?;
    }
    let machine = timing.conditions();
    match args.json {
        true => listing::lines(&counted, &machine).iter().try_for_each(|line| streams.json_line(line))?,
        false => write!(streams.results(), "{}", listing::text(&counted))?,
    }
    streams.message(&listing::wrong_references(&counted))?;
    if let Some(warning) = machine.warning() {
        streams.message(&format!("{warning}\n"))?;
    }
    if stop.load(Ordering::Relaxed) {
        let dir = args.dir.display();
        streams.message(&format!("stopped; resume with `smelt study --resume --dir {dir}`\n"))?;
    } else {
        streams.message(&format!("wrote {}\n", args.dir.join("index.html").display()))?;
    }
    Ok(if counted.bugs() > 0 { Exit::Findings } else { Exit::Done })
}

//! `smelt scale`: how the time of solvers grows with a formula.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use smelt_campaign::configure::values::{one_of, parse_seconds};
use smelt_campaign::dialogue::CannotWrite;
use smelt_campaign::inputs;
use smelt_campaign::slowdown::families::{FamilyMeasuring, family_in, grown_families};
use smelt_report::growth;
use smelt_runner::timing::Timing;
use smelt_testgen::scaling::Grown;

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;
use smelt_campaign::find_solvers::find_ready;
use smelt_campaign::prepare::ReadySolver;
use smelt_runner::stop_signals;

/// Measure how the time of solvers grows with a formula
///
/// The formula becomes a family: its string literals are repeated n times, its numbers multiplied by n, or both. A folder
/// with files 1.smt2, 2.smt2 and so on is a family as it is. Solvers are measured on it for growing n, in turn and in
/// processor time, until they do not decide in time. Growth is linear, polynomial or exponential, whichever fits best, by
/// least squares on logarithms; no law is given for times that grow by less than ten times or fit badly.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt scale smelt-campaign/findings/slowdown-1a2b3c4d5e/case.smt2 --solver z3@4.8.7 --solver z3@4.8.8 -o growth.svg"
)]
pub(crate) struct Args {
    /// The formula, or a folder with one for each n
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A solver: a path, NAME, NAME@VERSION, or NAME=COMMAND LINE that reads standard input; repeatable
    #[arg(short, long = "solver", value_name = "SOLVER", required = true)]
    solvers: Vec<String>,
    /// What grows [default: each that makes a difference]
    #[arg(long, value_name = "WHAT", value_parser = one_of::<Grown>())]
    grow: Option<Grown>,
    /// The largest n
    #[arg(long, value_name = "N", default_value_t = 64)]
    most: u32,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = 10.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Run each formula N times; the median counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    repeats: usize,
    /// Where to write a plot as SVG [default: nowhere]
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object per solver and family instead of text [default: text]
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if args.repeats == 0 || args.most < 2 {
        return Err(CliError::usage("there must be a run at least, and n must grow"));
    }
    let families = if args.file.is_dir() {
        if args.grow.is_some() {
            return Err(CliError::usage("--grow is about a single formula; a folder has one for each n"));
        }
        vec![family_in(&args.file, args.most)?]
    } else {
        let input = inputs::collect(std::slice::from_ref(&args.file)).remove(0);
        let text = inputs::read(&input?)?;
        grown_families(&args.file.display().to_string(), &text, args.grow, args.most)?
    };
    let place = installation();
    let ready = find_ready(&place, &args.solvers, streams)?;
    let stop = stop_signals::stop_when_asked();
    let mut targets = Vec::new();
    for ReadySolver { chosen, mut target } in ready {
        chosen.demand_of(&mut target);
        target.leave_safe_mode();
        targets.push(target);
    }
    let mut drawn = Vec::new();
    let timing = Timing::begin(1);
    let measuring = FamilyMeasuring { targets: &targets, repeats: args.repeats, timeout_secs: args.timeout };
    for family in families {
        let measured = measuring.measure(family, &stop)?;
        let machine = timing.conditions();
        match args.json {
            true => measured.lines(&machine).try_for_each(|line| streams.json_line(&line))?,
            false => write!(streams.results(), "{}", measured.text())?,
        }
        drawn.push((measured.title, measured.sizes, measured.curves));
    }
    if let Some(path) = &args.output {
        let title = format!("Processor time of {}", args.file.display());
        let figure = growth::figure(&title, &drawn).svg();
        fs::write(path, figure).map_err(CannotWrite::to(path))?;
    }
    if let Some(warning) = timing.conditions().warning() {
        streams.message(&format!("{warning}\n"))?;
    }
    Ok(Exit::Done)
}

//! `smelt run`: solvers on files, one line per run.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use smelt_campaign::configure::values::parse_seconds;
use smelt_campaign::find_solvers::{find_or_install, introduce};
use smelt_campaign::inputs;
use smelt_report::run::{RunLine, text};
use smelt_runner::crews::{CannotRun, Crews};
use smelt_runner::interruption;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::diagnostics::render_unreadable;
use crate::render::streams::Streams;

/// Run solvers on SMT-LIB files, with limits
///
/// A crash, a timeout or garbage is an answer like any other, and the exit status is 0.
/// A release NAME@VERSION that is not installed is installed first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt run benchmarks/ --solver z3@4.8.7 --solver cvc5 --timeout 5")]
pub(crate) struct Args {
    /// Files, folders (all .smt2 files below them) or - for standard input
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// A solver: a path, NAME, NAME@VERSION, or NAME=COMMAND LINE that reads standard input; repeatable
    #[arg(short, long = "solver", value_name = "SOLVER", required = true)]
    solvers: Vec<String>,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = 10.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Keep solvers running from file to file, with a reset in between [default: a process for each run]
    #[arg(long)]
    warm: bool,
    /// Print one JSON object per run instead of text [default: text]
    #[arg(long)]
    json: bool,
    /// Number of runs at once [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let place = installation();
    let solvers = find_or_install(&place, &args.solvers, streams)?;
    let identities = introduce(&place, &solvers, streams)?;
    let inputs = inputs::collect(&args.paths);
    let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
    let crews = Crews::new(&solvers, Limits::for_seconds(args.timeout), args.warm);
    let mut worst = Exit::Done;
    parallel::in_order(
        &inputs,
        jobs,
        |input| inputs::read_collected(input).map(|(input, text)| (input.name(), crews.run(&text))),
        |outcome| {
            let (name, runs) = match outcome {
                Ok(done) => done,
                Err(problem) => {
                    worst = Exit::BadInput;
                    return streams.diagnostics(&render_unreadable(&problem));
                }
            };
            for (run, identity) in runs.into_iter().zip(&identities) {
                match run {
                    Ok(run) if args.json => streams.json_line(&RunLine::new(&name, &run, identity))?,
                    Ok(run) => writeln!(streams.results(), "{}", text(&name, &run))?,
                    Err(CannotRun { solver, error }) => {
                        worst = Exit::EnvironmentFailed;
                        streams.error(&format!("cannot run `{solver}`: {error}"))?;
                    }
                }
            }
            Ok(())
        },
    )?;
    if interruption::is_requested() {
        streams.message("stopped\n")?;
        return Ok(Exit::Interrupted);
    }
    Ok(worst)
}

//! `smelt run`: solvers on files, one line per run.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use smelt_campaign::configure::values::parse_seconds;
use smelt_oracle::run::Run;
use smelt_report::run::{RunLine, text};
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::interruption;
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_runner::session::Session;
use smelt_runner::solver::Solver;

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;
use smelt_campaign::find_solvers::{find_or_install, introduce};
use smelt_campaign::inputs::{self, ScriptInput, UnreadableInput};

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
    let limits = Limits::for_seconds(args.timeout);
    let inputs = inputs::collect(&args.paths);
    let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
    let crews = args.warm.then(Crews::default);
    let mut worst = Exit::Done;
    parallel::in_order(
        &inputs,
        jobs,
        |input| run_all(input, &solvers, &limits, crews.as_ref()),
        |outcome| {
            let (name, runs) = match outcome {
                Ok(done) => done,
                Err(problem) => {
                    worst = Exit::BadInput;
                    return streams.diagnostics(&crate::render::diagnostics::render_unreadable(&problem));
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

/// What solvers say of a file.
type Runs = (String, Vec<Result<Run, CannotRun>>);

/// A solver that cannot be run.
struct CannotRun {
    solver: String,
    error: io::Error,
}

/// Sessions with all solvers that are not in use.
#[derive(Debug, Default)]
struct Crews(Mutex<Vec<Vec<Session>>>);

impl Crews {
    /// Sessions for one worker, until it gives them back.
    fn take(&self, solvers: &[Solver], limits: &Limits) -> Vec<Session> {
        let idle = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| {
            solvers.iter().map(|solver| Session::new(solver.clone(), Isolation::Reset, *limits)).collect()
        })
    }

    fn give_back(&self, crew: Vec<Session>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(crew);
    }
}

fn run_all(
    input: &Result<ScriptInput, UnreadableInput>,
    solvers: &[Solver],
    limits: &Limits,
    crews: Option<&Crews>,
) -> Result<Runs, UnreadableInput> {
    let input = input.clone()?;
    let script = inputs::read(&input)?;
    let failed = |solver: &Solver, error| CannotRun { solver: solver.name.clone(), error };
    let runs = match crews {
        None => solvers
            .iter()
            .map(|solver| match cold::run(&solver.invocation, &script, limits) {
                Ok(raw) => Ok(read_run(&solver.name, &raw)),
                Err(error) => Err(failed(solver, error)),
            })
            .collect(),
        Some(crews) => {
            let mut crew = crews.take(solvers, limits);
            let runs = crew
                .iter_mut()
                .zip(solvers)
                .map(|(session, solver)| session.run(&script).map_err(|error| failed(solver, error)));
            let runs = runs.collect();
            crews.give_back(crew);
            runs
        }
    };
    Ok((input.name(), runs))
}

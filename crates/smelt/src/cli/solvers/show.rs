//! What `smelt solvers list` and `smelt solvers probe` print.

use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use smelt_oracle::foreign_text::in_line;
use smelt_report::solver::{SolverLine, capabilities_text, table_head, table_row};
use smelt_runner::fetch::release_of;
use smelt_runner::installation::Installation;
use smelt_runner::interruption;
use smelt_runner::probe::{PROBE_TIME, Probe, probe_anew, probe_cached};
use smelt_runner::sandbox;
use smelt_runner::solver::Solver;

use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

/// What is said where there is nothing to show.
const NO_SOLVERS: &str = "no solvers found; get one with `smelt solvers install z3@latest`";

/// The hash of the program of a solver.
fn hash_of(place: &Installation, solver: &Solver) -> Option<String> {
    place.cache().content_hash(solver).ok()
}

/// A table of solvers.
pub(super) fn list(
    place: &Installation,
    solvers: &[Solver],
    json: bool,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    if solvers.is_empty() {
        streams.error(NO_SOLVERS)?;
        return Ok(Exit::Done);
    }
    if !json {
        writeln!(streams.results(), "{}", table_head())?;
    }
    let mut worst = Exit::Done;
    for solver in solvers {
        let Some(probe) = probed(place, solver, probe_cached, &mut worst, streams)? else { continue };
        if json {
            streams.json_line(&SolverLine::new(solver, &probe, hash_of(place, solver)))?;
        } else {
            writeln!(streams.results(), "{}", table_row(solver, &probe))?;
        }
    }
    Ok(worst)
}

/// All that is to be learned about solvers.
pub(super) fn show_map(
    place: &Installation,
    solvers: &[Solver],
    json: bool,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    if solvers.is_empty() {
        streams.error(NO_SOLVERS)?;
    }
    let mut worst = Exit::Done;
    for solver in solvers {
        let Some(probe) = probed(place, solver, probe_anew, &mut worst, streams)? else { continue };
        if json {
            let line = SolverLine::new(solver, &probe, hash_of(place, solver));
            streams.json_line(&line.with_capabilities(&probe))?;
        } else {
            write!(streams.results(), "{}", capabilities_text(solver, &probe))?;
        }
    }
    if !json {
        let obstacle = sandbox::obstacle().map_or_else(|| "yes".to_owned(), |why| format!("no ({why})"));
        writeln!(streams.results(), "sandbox: {obstacle}")?;
    }
    Ok(worst)
}

type Ask = fn(&Solver, &smelt_runner::cache::Cache, Instant) -> std::io::Result<Probe>;

/// Checks that a release is what was installed, and asks it.
fn probed(
    place: &Installation,
    solver: &Solver,
    ask: Ask,
    worst: &mut Exit,
    streams: &mut Streams,
) -> Result<Option<Probe>, CliError> {
    let release = release_of(&solver.name).and_then(|(family, version)| place.store().find(family, version));
    if let Some(release) = release
        && let Err(error) = place.store().verify(&release)
    {
        streams.error(&error.to_string())?;
        *worst = Exit::EnvironmentFailed;
    }
    if interruption::is_requested() {
        *worst = Exit::Interrupted;
        return Ok(None);
    }
    let (started, bar) = (Instant::now(), ProgressBar::new_spinner());
    bar.set_message(format!("probing {}", in_line(&solver.name)));
    bar.enable_steady_tick(TICK);
    let probed = ask(solver, &place.cache(), started + PROBE_TIME);
    bar.finish_and_clear();
    match probed {
        Ok(probe) => Ok(Some(probe)),
        Err(error) => {
            streams.error(&format!("cannot run `{}`: {error}", solver.name))?;
            *worst = Exit::EnvironmentFailed;
            Ok(None)
        }
    }
}

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(200);

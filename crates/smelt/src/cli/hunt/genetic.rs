//! `smelt hunt --technique genetic`: searches for formulas on which the last solver is slow by a genetic algorithm.
//!
//! Population, front, tables and figures are written after every generation; `--resume` continues from them.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use smelt_campaign::configure::error::RequestError;
use smelt_campaign::configure::profiles::Chosen;
use smelt_campaign::find_solvers::{find_solvers, probe};
use smelt_campaign::genetic::prepare::{announcement, check_same, plan};
use smelt_campaign::genetic::state::State;
use smelt_campaign::genetic::{self, GeneticEvent, Member, Plan, files};
use smelt_runner::files::hidden_folder;
use smelt_store::lock::Lock;

use super::{Hunting, agree_to};
use crate::config::solvers::installation;
use crate::config::trust;
use crate::error::{CliError, Exit};
use crate::render::progress::Progress;
use crate::render::streams::Streams;
use smelt_runner::stop_signals;

/// Searches, or continues to search.
pub(super) fn run(hunting: &Hunting<'_>, streams: &mut Streams) -> Result<Exit, CliError> {
    let dir = hunting.dir.as_path();
    let before = State::open(dir, hunting.asked.is_resumed)?;
    match &before {
        Some(state) => check_same(hunting.request, &state.about)?,
        None if hunting.request.solver.len() < 2 => return Err(RequestError::TooFewSolvers.into()),
        None => {}
    }
    let stop = stop_signals::stop_when_asked();
    let unusable = |error: &dyn std::fmt::Display| {
        CliError::environment(format!("cannot use folder `{}`: {error}", dir.display()))
    };
    fs::create_dir_all(dir).map_err(|error| unusable(&error))?;
    let _lock = Lock::take(dir).map_err(|error| unusable(&error))?;
    let place = installation();
    let chosen: Vec<Chosen> = match &before {
        Some(state) => {
            agree_to(dir, &state.about.solvers, streams)?;
            state.about.solvers.iter().map(Chosen::recorded).collect()
        }
        None => find_solvers(&hunting.request.solver, hunting.profiles, &place, streams)?,
    };
    let solvers = probe(&chosen, &hunting.probing(true), &place.cache(), streams)?;
    let scratch = hidden_folder(dir).map_err(|error| unusable(&error))?;
    let record = before.as_ref().map(|state| &state.about);
    let plan = plan(hunting.request, record, solvers, scratch.path())?;
    trust::remember(plan.about.solvers.iter().map(|solver| &solver.command));
    search(&plan, before, &Run { dir, stop: &stop }, streams)
}

/// Where a search is written, and what ends it.
struct Run<'r> {
    dir: &'r Path,
    stop: &'r AtomicBool,
}

fn search(
    plan: &Plan,
    before: Option<State>,
    run: &Run<'_>,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let Run { dir, stop } = *run;
    streams.message(&announcement(plan, before.as_ref()))?;
    let (started, progress) = (Instant::now(), Progress::lines());
    let result = genetic::run(plan, before, stop, &mut |event| match event {
        GeneticEvent::Formula(done) => {
            progress.show(None, String::new, || done.line(started.elapsed()));
            Ok(())
        }
        GeneticEvent::Checkpoint(result, state) => {
            state.write(dir)?;
            files::write(plan, result, dir)
        }
    });
    let result = result.map_err(|error| CliError::environment(error.to_string()))?;
    if stop.load(Ordering::Relaxed) {
        streams.message(&files::stopped(&result, dir))?;
    }
    write!(streams.results(), "{}", files::summary(plan, &result, dir))?;
    let is_slow = result.front.iter().any(Member::is_confirmed);
    Ok(if is_slow { Exit::Findings } else { Exit::Done })
}

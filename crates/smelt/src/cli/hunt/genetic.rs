//! `smelt hunt --technique genetic`: searches for formulas on which the last solver is slow by a genetic algorithm.
//!
//! Population, front, tables and figures are written after every generation; `--resume` continues from them.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smelt_campaign::configure::error::RequestError;
use smelt_campaign::configure::profiles::Chosen;
use smelt_campaign::genetic::prepare::{check_same, plan};
use smelt_campaign::genetic::state::State;
use smelt_campaign::genetic::{self, GeneticEvent, GeneticProgress, Member, Plan, files};
use smelt_runner::files::hidden_folder;
use smelt_store::lock::Lock;

use super::solvers::{find_solvers, probe};
use super::{Hunting, source_of};
use crate::config::solvers::installation;
use crate::config::trust;
use crate::error::{CliError, Exit};
use crate::interrupt;
use crate::render::streams::Streams;

/// Between two lines about how it goes.
const LINE_PAUSE: Duration = Duration::from_secs(10);

/// Searches, or continues to search.
pub(super) fn run(hunting: &Hunting<'_>, streams: &mut Streams) -> Result<Exit, CliError> {
    let dir = hunting.dir.as_path();
    let before = match (hunting.asked.is_resumed, State::exists(dir)) {
        (true, true) => Some(State::read(dir).map_err(|error| CliError::usage(error.to_string()))?),
        (false, false) => None,
        (true, false) => {
            return Err(CliError::usage(format!(
                "there is no genetic search in `{}`; start one without --resume",
                dir.display()
            )));
        }
        (false, true) => {
            return Err(CliError::usage(format!(
                "there is a genetic search in `{}`; continue it with --resume, or choose another folder with --dir",
                dir.display()
            )));
        }
    };
    match &before {
        Some(state) => check_same(hunting.request, &state.about)
            .map_err(|difference| CliError::usage(difference.to_string()))?,
        None if hunting.request.solver.len() < 2 => return Err(RequestError::TooFewSolvers.into()),
        None => {}
    }
    let stop = interrupt::stop_when_asked();
    let unusable = |error: &dyn std::fmt::Display| {
        CliError::environment(format!("cannot use folder `{}`: {error}", dir.display()))
    };
    fs::create_dir_all(dir).map_err(|error| unusable(&error))?;
    let _lock = Lock::take(dir).map_err(|error| unusable(&error))?;
    let place = installation();
    let chosen: Vec<Chosen> = match &before {
        Some(state) => {
            let commands = state.about.solvers.iter().map(|solver| &solver.command);
            trust::ask_about(&source_of(dir), commands, streams)?;
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
    if let Some(state) = &before {
        streams.message(&format!(
            "continuing after {} generations and {} formulas in {:.0} s\n",
            state.search.history.len(),
            state.search.evaluated,
            state.elapsed_secs
        ))?;
    }
    streams.message(&format!(
        "searching with {} formulas for {:.0} s, variant {}, {} s a run; target {}, operators {}\n",
        plan.search.population,
        plan.time.as_secs_f64(),
        plan.search.variant.name,
        plan.timeout_secs,
        plan.targets.last().map_or("", |target| target.solver.name.as_str()),
        plan.search.knobs.weights.ops().count(),
    ))?;
    let started = Instant::now();
    let mut last_line = Instant::now();
    let result = genetic::run(plan, before, stop, &mut |event| match event {
        GeneticEvent::Formula(progress) => {
            if last_line.elapsed() >= LINE_PAUSE {
                last_line = Instant::now();
                let _ = writeln!(std::io::stderr(), "{}", progress_line(started, &progress));
            }
            Ok(())
        }
        GeneticEvent::Checkpoint(result, state) => {
            state.write(dir)?;
            files::write(plan, result, dir)
        }
    });
    let result = result.map_err(|error| CliError::environment(error.to_string()))?;
    if stop.load(Ordering::Relaxed) {
        streams.message(&format!(
            "stopped, {} of {} formulas of the front are not confirmed or refuted yet; continue with `smelt hunt --technique \
             genetic --resume --dir {}`\n",
            result.open(),
            result.front.len(),
            dir.display()
        ))?;
    }
    write!(streams.results(), "{}", files::summary(plan, &result, dir))?;
    let is_slow = result.front.iter().any(Member::is_confirmed);
    Ok(if is_slow { Exit::Findings } else { Exit::Done })
}

fn progress_line(started: Instant, progress: &GeneticProgress) -> String {
    let GeneticProgress { rerun, to_rerun, .. } = progress;
    let rest = if *to_rerun > 0 { format!(", ran {rerun} of {to_rerun} again") } else { String::new() };
    format!(
        "{:.0} s: {} generations, {} formulas, best time score {:.2}{rest}",
        started.elapsed().as_secs_f64(),
        progress.generations,
        progress.evaluated,
        progress.best_time,
    )
}

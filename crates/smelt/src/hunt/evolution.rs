//! `smelt hunt --technique evolution`: evolves formulas on which the last solver is slow.
//!
//! Population, front, tables and figures are written after every generation; `--resume` continues from them. What is
//! written is in `files`.

mod files;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smelt_campaign::genetic::coverage::Provider;
use smelt_campaign::genetic::state::{About, State};
use smelt_campaign::genetic::{self, GeneticEvent, Member, Plan, Progress, Traces, common_weights};
use smelt_runner::files::hidden_folder;
use smelt_store::lock::Lock;
use smelt_testgen::search::evolution::{Evolution, Settings as Search, VARIANTS, Variant};

use super::prepare::{
    Probing, chosen_before, find_solvers, probe, solver_configuration, with_default_options,
};
use super::settings::Settings;
use super::{Args, source_of};
use crate::error::{CliError, Exit};
use crate::interrupt;
use crate::profiles::{Chosen, Profiles};
use crate::solvers::{installation, probing_ends};
use crate::streams::Streams;
use crate::trust;

/// What belongs to the technique `evolution` only.
#[derive(Debug, clap::Args)]
#[group(id = "evolution-of-slow-formulas")]
#[command(next_help_heading = "Options of the technique evolution")]
pub(super) struct Options {
    /// How to evolve: default, only-time, no-coverage, no-complexity, default-crowding, stringfuzz or stringfuzz-difference
    /// [default: default]
    #[arg(long, value_name = "NAME", value_parser = parse_variant)]
    pub(super) variant: Option<Variant>,
    /// How many formulas a generation has [default: 40]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub(super) population: Option<u32>,
    /// From where it is known what the last solver did: `statistics`, or gcov=FOLDER or llvm=PROGRAM of a solver that was
    /// built to tell [default: statistics]
    #[arg(long, value_name = "PROVIDER", value_parser = Provider::parse)]
    pub(super) coverage: Option<Provider>,
    /// Where traces come from: `solver` from Z3 itself and from the statistics of others, or always `statistics`
    /// [default: solver]
    #[arg(long, value_name = "SOURCE", value_parser = ["solver", "statistics"])]
    pub(super) traces: Option<String>,
    /// Processor time for each run of the final formulas, in seconds [default: 20]
    #[arg(long, value_name = "SECS", value_parser = parse_seconds)]
    pub(super) confirm: Option<f64>,
}

/// Processor time for each run if nothing is said, as in the paper.
const DEFAULT_TIMEOUT_SECS: f64 = 5.0;
const DEFAULT_CONFIRM_SECS: f64 = 20.0;
const DEFAULT_TIME: Duration = Duration::from_secs(120);
/// How many formulas a preview shows.
const PREVIEWED: usize = 2;
/// Between two lines about how it goes.
const LINE_PAUSE: Duration = Duration::from_secs(10);

fn parse_variant(name: &str) -> Result<Variant, String> {
    let names: Vec<&str> = VARIANTS.iter().map(|variant| variant.name).collect();
    Variant::named(name).ok_or_else(|| format!("there are {}", names.join(", ")))
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && seconds.is_finite());
    seconds.ok_or_else(|| "expected a positive number of seconds".to_owned())
}

/// Evolves, continues to evolve, or shows what would be done.
pub(super) fn run(
    args: &Args,
    settings: &Settings,
    profiles: &Profiles,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let dir = settings.dir.as_path();
    let before = match (args.resume, State::exists(dir)) {
        (true, true) => match State::read(dir) {
            Ok(state) => Some(state),
            Err(error) => return Err(CliError::usage(error.to_string())),
        },
        (true, false) => {
            let message = format!("there is no evolution in `{}`; start one without --resume", dir.display());
            return Err(CliError::usage(message));
        }
        (false, true) if !args.dry_run => {
            let message = format!(
                "there is an evolution in `{}`; continue it with --resume, or choose another folder with --dir",
                dir.display()
            );
            return Err(CliError::usage(message));
        }
        (false, _) => None,
    };
    if let Some(message) = before.as_ref().and_then(|state| difference(args, settings, &state.about)) {
        return Err(CliError::usage(message));
    }
    if before.is_none() && settings.solvers.len() < 2 {
        return Err(CliError::usage("name two solvers or more with --solver; the last one is the target"));
    }
    let place = installation();
    if args.dry_run {
        return preview(args, settings, |name| profiles.describe(&place, name), streams);
    }
    let stop = interrupt::stop_when_asked();
    let locked = fs::create_dir_all(dir).map_err(|error| error.to_string());
    let _lock = match locked.and_then(|()| Lock::take(dir).map_err(|error| error.to_string())) {
        Ok(lock) => lock,
        Err(error) => {
            return Err(CliError::environment(format!("cannot use folder `{}`: {error}", dir.display())));
        }
    };
    let chosen: Vec<Chosen> = match &before {
        Some(state) => {
            let commands = state.about.solvers.iter().map(|solver| &solver.command);
            trust::ask_about(&source_of(dir), commands, streams)?;
            state.about.solvers.iter().map(chosen_before).collect()
        }
        None => find_solvers(&settings.solvers, profiles, &place, streams)?,
    };
    let probing = Probing {
        cache: &place.cache(),
        is_resumed: true,
        until: probing_ends(args.time.map(|time| time.as_secs_f64())),
    };
    let targets = probe(&chosen, &probing, streams)?;
    let about = match &before {
        Some(state) => state.about.clone(),
        None => About {
            solvers: targets.iter().map(|(chosen, target)| solver_configuration(chosen, target)).collect(),
            ..about(args, settings)
        },
    };
    trust::remember(about.solvers.iter().map(|solver| &solver.command));
    let (Some(variant), Ok(coverage)) = (Variant::named(&about.variant), Provider::parse(&about.coverage))
    else {
        return Err(CliError::usage(format!(
            "the evolution in `{}` is of another release of smelt",
            dir.display()
        )));
    };
    let targets: Vec<_> = targets.into_iter().map(|(_, target)| with_default_options(target)).collect();
    let mut search = Search { variant, population: about.population, ..Search::default() };
    search.knobs.weights = common_weights(&targets);
    if search.knobs.weights.ops().next().is_none() {
        return Err(CliError::usage("these solvers have no operators of strings in common"));
    }
    let scratch = match hidden_folder(dir) {
        Ok(scratch) => scratch,
        Err(error) => {
            return Err(CliError::environment(format!(
                "cannot make a folder in `{}`: {error}",
                dir.display()
            )));
        }
    };
    let plan = Plan {
        targets,
        search,
        random_seed: about.random_seed,
        time: settings.budget.time_secs.map_or(DEFAULT_TIME, Duration::from_secs_f64),
        timeout_secs: about.timeout_secs,
        confirm_secs: about.confirm_secs,
        coverage,
        traces: if about.traces == STATISTICS { Traces::Statistics } else { Traces::Solver },
        scratch: scratch.path().to_owned(),
        about,
    };
    evolve(&plan, before, &Run { dir, stop: &stop }, streams)
}

const STATISTICS: &str = "statistics";

/// What a new evolution is about, by the arguments; how its solvers are started is left open.
fn about(args: &Args, settings: &Settings) -> About {
    let given = &args.evolution;
    About {
        given: settings.solvers.clone(),
        solvers: Vec::new(),
        variant: given.variant.unwrap_or_default().name.to_owned(),
        population: given.population.map_or(Search::default().population, |count| count as usize),
        random_seed: settings.random_seed.unwrap_or_default(),
        timeout_secs: settings.timeout_secs.unwrap_or(DEFAULT_TIMEOUT_SECS),
        confirm_secs: given.confirm.unwrap_or(DEFAULT_CONFIRM_SECS),
        coverage: given.coverage.clone().unwrap_or_default().text(),
        traces: given.traces.clone().unwrap_or_else(|| "solver".to_owned()),
    }
}

/// An option that is not as in the evolution that is continued, in words.
fn difference(args: &Args, settings: &Settings, before: &About) -> Option<String> {
    let given = &args.evolution;
    let wanted = about(args, settings);
    let differing = [
        ("--solver", !settings.solvers.is_empty() && wanted.given != before.given, before.given.join(" ")),
        ("--variant", given.variant.is_some() && wanted.variant != before.variant, before.variant.clone()),
        (
            "--population",
            given.population.is_some() && wanted.population != before.population,
            before.population.to_string(),
        ),
        (
            "--seed",
            settings.random_seed.is_some() && wanted.random_seed != before.random_seed,
            before.random_seed.to_string(),
        ),
        (
            "--timeout",
            settings.timeout_secs.is_some() && wanted.timeout_secs != before.timeout_secs,
            before.timeout_secs.to_string(),
        ),
        (
            "--confirm",
            given.confirm.is_some() && wanted.confirm_secs != before.confirm_secs,
            before.confirm_secs.to_string(),
        ),
        (
            "--coverage",
            given.coverage.is_some() && wanted.coverage != before.coverage,
            before.coverage.clone(),
        ),
        ("--traces", given.traces.is_some() && wanted.traces != before.traces, before.traces.clone()),
    ];
    let (option, _, value) = differing.into_iter().find(|(_, is_other, _)| *is_other)?;
    Some(format!(
        "the evolution was begun with {option} {value}; leave {option} out, or start another one with --dir"
    ))
}

/// Shows what would be run and the first formulas, over all operators, and does nothing.
fn preview(
    args: &Args,
    settings: &Settings,
    describe: impl Fn(&str) -> String,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let about = about(args, settings);
    let state = if State::exists(&settings.dir) { "which has an evolution" } else { "a new evolution" };
    let out = streams.results();
    writeln!(out, "folder      {}, {state}", settings.dir.display())?;
    for (number, name) in about.given.iter().enumerate() {
        let role = if number + 1 == about.given.len() { "target" } else { "reference" };
        writeln!(out, "{role:<11} {name}: {}", describe(name))?;
    }
    let time = settings.budget.time_secs.unwrap_or(DEFAULT_TIME.as_secs_f64());
    writeln!(
        out,
        "search      variant {}, {} formulas a generation, {time} s, {} s a run, coverage {}",
        about.variant, about.population, about.timeout_secs, about.coverage
    )?;
    writeln!(
        out,
        "afterwards  up to {} formulas of the front again, {} s a run",
        about.population, about.confirm_secs
    )?;
    writeln!(out, "operators   those that all solvers take; below, all there are")?;
    let variant = Variant::named(&about.variant).unwrap_or_default();
    let search = Search { variant, population: about.population, ..Search::default() };
    let mut evolution = Evolution::new(search, about.random_seed);
    for _ in 0..PREVIEWED.min(about.population) {
        if let Some(candidate) = evolution.ask() {
            write!(out, "\n; formula {}\n{}", candidate.number, candidate.text)?;
        }
    }
    Ok(Exit::Done)
}

/// Where an evolution is written, and what ends it.
struct Run<'r> {
    dir: &'r Path,
    stop: &'r AtomicBool,
}

fn evolve(
    plan: &Plan,
    before: Option<State>,
    run: &Run<'_>,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    if let Some(state) = &before {
        streams.message(&format!(
            "continuing after {} generations and {} formulas in {:.0} s\n",
            state.search.history.len(),
            state.search.evaluated,
            state.elapsed_secs
        ))?;
    }
    streams.message(&format!(
        "evolving {} formulas for {:.0} s, variant {}, {} s a run; target {}, operators {}\n",
        plan.search.population,
        plan.time.as_secs_f64(),
        plan.search.variant.name,
        plan.timeout_secs,
        plan.targets.last().map_or("", |target| target.solver.name.as_str()),
        plan.search.knobs.weights.ops().count(),
    ))?;
    let started = Instant::now();
    let mut last_line = Instant::now();
    let outcome = genetic::run(plan, before, run.stop, &mut |event| match event {
        GeneticEvent::Formula(progress) => {
            if last_line.elapsed() >= LINE_PAUSE {
                last_line = Instant::now();
                let _ = writeln!(std::io::stderr(), "{}", progress_line(started, &progress));
            }
            Ok(())
        }
        GeneticEvent::Checkpoint(outcome, state) => {
            state.write(run.dir)?;
            files::write(plan, outcome, run.dir)
        }
    });
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Err(CliError::environment(error.to_string())),
    };
    if run.stop.load(Ordering::Relaxed) {
        streams.message(&format!(
            "stopped, {} of {} formulas of the front are not confirmed or refuted yet; continue with `smelt hunt --technique \
             evolution --resume --dir {}`\n",
            outcome.open(),
            outcome.front.len(),
            run.dir.display()
        ))?;
    }
    write!(streams.results(), "{}", files::summary(plan, &outcome, run.dir))?;
    let is_slow = outcome.front.iter().any(Member::is_confirmed);
    Ok(if is_slow { Exit::Findings } else { Exit::Done })
}

fn progress_line(started: Instant, progress: &Progress) -> String {
    let (confirmed, of) = progress.confirmed;
    let rest = if of > 0 { format!(", looked again at {confirmed} of {of}") } else { String::new() };
    format!(
        "{:.0} s: {} generations, {} formulas, best time score {:.2}{rest}",
        started.elapsed().as_secs_f64(),
        progress.generations,
        progress.evaluated,
        progress.best_time,
    )
}

//! `smelt hunt --goal slowdown --technique evolution`: evolves formulas on which the last solver is slow.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smelt_campaign::slow_evolution::coverage::Provider;
use smelt_campaign::slow_evolution::{self, Confirmed, Outcome, Plan, Traces, common_weights};
use smelt_oracle::run::Answer;
use smelt_report::plot::{Axes, Figure, Mark, Panel, Row, Scale, Series, Shape, Style};
use smelt_testgen::search::evolution::{Settings, VARIANTS, Variant};

use super::prepare::{find_solvers, probe, with_default_options};
use super::{Args, fail, refuse};
use crate::exit::{Exit, Failure};
use crate::guard;
use crate::interrupt;
use crate::profiles::Profiles;
use crate::solvers::Place;
use crate::streams::Streams;

/// What belongs to the technique `evolution` only.
#[derive(Debug, clap::Args)]
#[group(id = "evolution-of-slow-formulas")]
#[command(next_help_heading = "Options of the technique evolution")]
pub(super) struct Options {
    /// How to evolve: default, only-time, no-coverage, no-complexity, default-crowding, stringfuzz or stringfuzz-difference
    /// [default: default]
    #[arg(long, value_name = "NAME", value_parser = parse_variant)]
    variant: Option<Variant>,
    /// How many formulas a generation has [default: 40]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    population: Option<u32>,
    /// From where it is known what the last solver did: `statistics`, or gcov=FOLDER or llvm=PROGRAM of a solver that was
    /// built to tell [default: statistics]
    #[arg(long, value_name = "PROVIDER", value_parser = Provider::parse)]
    coverage: Option<Provider>,
    /// Where traces come from: `solver` from Z3 itself and from the statistics of others, or always `statistics`
    /// [default: solver]
    #[arg(long, value_name = "SOURCE", value_parser = ["solver", "statistics"])]
    traces: Option<String>,
    /// Processor time for each run of the final formulas, in seconds [default: 20]
    #[arg(long, value_name = "SECS", value_parser = parse_seconds)]
    confirm: Option<f64>,
}

/// Processor time for each run if nothing is said, as in the paper.
const DEFAULT_TIMEOUT_SECS: f64 = 5.0;
const DEFAULT_CONFIRM_SECS: f64 = 20.0;
const DEFAULT_TIME: Duration = Duration::from_secs(120);
const DEFAULT_FOLDER: &str = "smelt-evolution";
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

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let profiles = match Profiles::read(args.config.as_deref()) {
        Ok(profiles) => profiles,
        Err(message) => return refuse(&message, streams),
    };
    if !args.seeds.is_empty() || args.resume || args.cases.is_some() || args.findings.is_some() {
        return refuse(
            "evolution makes its formulas itself, is bounded by --time, and is not resumed",
            streams,
        );
    }
    if args.solvers.len() < 2 {
        return refuse("name two solvers or more with --solver; the last one is the target", streams);
    }
    let timeout_secs = args.timeout.unwrap_or(DEFAULT_TIMEOUT_SECS);
    if !timeout_secs.is_finite() || timeout_secs <= 0.0 {
        return refuse("the timeout must be a positive number of seconds", streams);
    }
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FOLDER));
    if dir.join("report.md").exists() {
        let advice =
            format!("there is an evolution in `{}`; choose another folder with --dir", dir.display());
        return refuse(&advice, streams);
    }
    let _guard = guard::start();
    let stop = match interrupt::stop_when_asked() {
        Ok(stop) => stop,
        Err(error) => return fail(&format!("cannot watch for signals: {error}"), streams),
    };
    let place = Place::of_user();
    let chosen = match find_solvers(&args.solvers, &profiles, &place, streams)? {
        Ok(chosen) => chosen,
        Err(exit) => return Ok(exit),
    };
    let targets = match probe(&chosen, &place.cache(), true, streams)? {
        Ok(targets) => {
            targets.into_iter().map(|(_, target)| with_default_options(target)).collect::<Vec<_>>()
        }
        Err(exit) => return Ok(exit),
    };
    let mut search = Settings { variant: args.evolution.variant.unwrap_or_default(), ..Settings::default() };
    search.population = args.evolution.population.map_or(search.population, |count| count as usize);
    search.knobs.weights = common_weights(&targets);
    if search.knobs.weights.ops().next().is_none() {
        return refuse("these solvers have no operators of strings in common", streams);
    }
    let plan = Plan {
        targets,
        search,
        random_seed: args.seed.unwrap_or_default(),
        time: args.time.unwrap_or(DEFAULT_TIME),
        timeout_secs,
        confirm_secs: args.evolution.confirm.unwrap_or(DEFAULT_CONFIRM_SECS),
        coverage: args.evolution.coverage.clone().unwrap_or_default(),
        traces: match args.evolution.traces.as_deref() {
            Some("statistics") => Traces::Statistics,
            _ => Traces::Solver,
        },
        scratch: dir.join("scratch"),
    };
    if let Err(error) = fs::create_dir_all(&plan.scratch) {
        return fail(&format!("cannot make folder `{}`: {error}", plan.scratch.display()), streams);
    }
    evolve(&plan, &Given { solvers: &args.solvers, dir: &dir }, &stop, streams)
}

/// What the user gave.
struct Given<'g> {
    solvers: &'g [String],
    dir: &'g Path,
}

fn evolve(plan: &Plan, given: &Given<'_>, stop: &AtomicBool, streams: &mut Streams) -> Result<Exit, Failure> {
    streams.message(&format!(
        "evolving {} formulas for {:.0} s, variant {}, {} s a run; target {}, operators {}\n",
        plan.search.population,
        plan.time.as_secs_f64(),
        plan.search.variant.name,
        plan.timeout_secs,
        plan.targets.last().map_or("", |target| target.solver.name.as_str()),
        plan.search.knobs.weights.ops().count(),
    ))?;
    let last_line = Cell::new(Instant::now());
    let started = Instant::now();
    let outcome = slow_evolution::run(plan, stop, &|progress| {
        if last_line.get().elapsed() >= LINE_PAUSE {
            last_line.set(Instant::now());
            let (confirmed, of) = progress.confirmed;
            let rest = if of > 0 { format!(", looked again at {confirmed} of {of}") } else { String::new() };
            let _ = writeln!(
                std::io::stderr(),
                "{:.0} s: {} generations, {} formulas, best time score {:.2}{rest}",
                started.elapsed().as_secs_f64(),
                progress.generations,
                progress.evaluated,
                progress.best_time,
            );
        }
    });
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return fail(&error.to_string(), streams),
    };
    if let Err(error) = write_all(plan, &outcome, given) {
        return fail(&format!("cannot write to `{}`: {error}", given.dir.display()), streams);
    }
    if stop.load(Ordering::Relaxed) {
        streams.message("stopped before all was looked at again\n")?;
    }
    write!(streams.results(), "{}", summary(plan, &outcome, given))?;
    let is_slow = outcome.front.iter().any(Confirmed::is_timeout);
    Ok(if is_slow { Exit::Findings } else { Exit::Done })
}

/// The command that judges the formulas of the front again and records what is found.
fn recording(plan: &Plan, given: &Given<'_>) -> String {
    let solvers: String = given.solvers.iter().map(|solver| format!(" --solver '{solver}'")).collect();
    format!(
        "smelt hunt {} --technique unchanged --judge hang,slowdown --timeout {}{solvers}",
        given.dir.join("front").display(),
        plan.confirm_secs
    )
}

/// The numbers of Table I, and the confirmed formulas.
fn summary(plan: &Plan, outcome: &Outcome, given: &Given<'_>) -> String {
    let confirmed: Vec<&Confirmed> = outcome.front.iter().filter(|one| one.is_timeout()).collect();
    let mean = |value: &dyn Fn(&Confirmed) -> f64| {
        outcome.front.iter().map(value).sum::<f64>() / outcome.front.len().max(1) as f64
    };
    let mut text = format!(
        "{} of {} formulas of the front reach {} s while a reference answers; {} generations, {} formulas run\n",
        confirmed.len(),
        outcome.front.len(),
        plan.confirm_secs,
        outcome.history.len(),
        outcome.evaluated,
    );
    let _ = writeln!(
        text,
        "mean time score {:.2}, mean complexity {:.1}, behaviours covered {} in all, {:.1} a formula of the front",
        mean(&|one| one.individual.time),
        mean(&|one| one.individual.complexity as f64),
        outcome.rows,
        mean(&|one| one.individual.measured.covered.rows() as f64),
    );
    for (number, one) in (1..).zip(&outcome.front).filter(|(_, one)| one.is_timeout()) {
        let (name, answer, seconds) =
            one.reference.clone().unwrap_or_else(|| (String::new(), Answer::Error, 0.0));
        let _ = writeln!(
            text,
            "front/{number:02}.smt2: complexity {}, {name} says {} after {seconds:.2} s",
            one.individual.complexity,
            answer.word(),
        );
    }
    if !confirmed.is_empty() {
        let _ = writeln!(text, "findings of them, with five runs each: {}", recording(plan, given));
    }
    if !outcome.crashes.is_empty() || !outcome.disagreements.is_empty() {
        let _ = writeln!(
            text,
            "on the way: {} crashes, {} formulas that solvers decide differently; judge them with `smelt hunt --technique unchanged`",
            outcome.crashes.len(),
            outcome.disagreements.len(),
        );
    }
    text
}

/// Writes formulas, tables, figures and a page.
fn write_all(plan: &Plan, outcome: &Outcome, given: &Given<'_>) -> std::io::Result<()> {
    let dir = given.dir;
    let _ = fs::remove_dir_all(&plan.scratch);
    for (folder, texts) in [("crashes", &outcome.crashes), ("disagreements", &outcome.disagreements)] {
        if !texts.is_empty() {
            fs::create_dir_all(dir.join(folder))?;
        }
        for (number, text) in (1..).zip(texts) {
            fs::write(dir.join(folder).join(format!("{number:03}.smt2")), text)?;
        }
    }
    fs::create_dir_all(dir.join("front"))?;
    let mut front = String::from(
        "file,time_score,target_secs,reference_secs,coverage_score,rows,complexity,confirm_target,confirm_target_secs,\
         confirm_reference,confirm_reference_secs,confirmed\n",
    );
    for (number, one) in (1..).zip(&outcome.front) {
        let individual = &one.individual;
        fs::write(dir.join("front").join(format!("{number:02}.smt2")), &individual.text)?;
        let (reference, reference_secs) = match &one.reference {
            Some((name, _, seconds)) => (name.as_str(), format!("{seconds:.3}")),
            None => ("", String::new()),
        };
        let _ = writeln!(
            front,
            "front/{number:02}.smt2,{:.3},{:.3},{:.3},{},{},{},{},{:.3},{reference},{reference_secs},{}",
            individual.time,
            individual.measured.target_secs,
            individual.measured.reference_secs,
            individual.coverage,
            individual.measured.covered.rows(),
            individual.complexity,
            one.target.0.word(),
            one.target.1,
            one.is_timeout(),
        );
    }
    fs::write(dir.join("front.csv"), front)?;
    let mut generations =
        String::from("generation,formulas,mean_time_score,best_time_score,mean_complexity,rows\n");
    for generation in &outcome.history {
        let _ = writeln!(
            generations,
            "{},{},{:.4},{:.4},{:.2},{}",
            generation.number,
            generation.evaluated,
            generation.mean_time,
            generation.best_time,
            generation.mean_complexity,
            generation.rows,
        );
    }
    fs::write(dir.join("generations.csv"), generations)?;
    fs::write(dir.join("convergence.svg"), convergence(outcome).svg())?;
    fs::write(dir.join("front.svg"), front_figure(outcome).svg())?;
    fs::write(dir.join("report.md"), page(plan, outcome, given))
}

fn page(plan: &Plan, outcome: &Outcome, given: &Given<'_>) -> String {
    let names: Vec<&str> = plan.targets.iter().map(|target| target.solver.name.as_str()).collect();
    format!(
        "# Evolution of slow formulas\n\nSolvers, the target last: {}.\nVariant {}, population {}, random seed {}, {} s a run, \
         {} s to confirm, {:.0} s in all.\n\n```text\n{}```\n\n![convergence](convergence.svg)\n\n![front](front.svg)\n\n\
         Numbers: `front.csv`, `generations.csv`.\n",
        names.join(", "),
        plan.search.variant.name,
        plan.search.population,
        plan.random_seed,
        plan.timeout_secs,
        plan.confirm_secs,
        outcome.elapsed.as_secs_f64(),
        summary(plan, outcome, given),
    )
}

/// How time scores, complexity and coverage went from generation to generation.
fn convergence(outcome: &Outcome) -> Figure {
    let history = &outcome.history;
    let labels: Vec<String> = history.iter().map(|generation| generation.number.to_string()).collect();
    let mean = Style::new("#1f77b4", Shape::Circle);
    let best = Style::new("#d62728", Shape::Square);
    let series = |name: &str, style: &Style, values: Vec<f64>| Series {
        name: name.to_owned(),
        style: style.clone(),
        values: values.into_iter().map(Some).collect(),
    };
    let row = |name: &str, series: Vec<Series>| Row {
        name: name.to_owned(),
        panels: vec![Panel { labels: labels.clone(), mark: Mark::Lines, series }],
    };
    let times = vec![
        series("mean", &mean, history.iter().map(|generation| generation.mean_time).collect()),
        series("best", &best, history.iter().map(|generation| generation.best_time).collect()),
    ];
    let complexity = history.iter().map(|generation| generation.mean_complexity).collect();
    let rows = history.iter().map(|generation| generation.rows as f64).collect();
    Figure {
        title: "Generations".to_owned(),
        unit: "time score in seconds, complexity, behaviours covered".to_owned(),
        columns: vec!["generation".to_owned()],
        rows: vec![
            row("time score", times),
            row("complexity", vec![series("mean", &mean, complexity)]),
            row("covered", vec![series("all", &best, rows)]),
        ],
        legend: vec![("mean".to_owned(), mean.clone()), ("best or all".to_owned(), best.clone())],
        scale: Scale::Linear,
        axes: Axes::PerPanel,
    }
}

/// The time scores of the front over its complexities.
fn front_figure(outcome: &Outcome) -> Figure {
    let mut front: Vec<&Confirmed> = outcome.front.iter().collect();
    front.sort_by_key(|one| (one.individual.complexity, one.individual.number));
    let styles = [Style::new("#d62728", Shape::Square), Style::new("#1f77b4", Shape::Circle)];
    let series = |name: &str, style: &Style, is_wanted: &dyn Fn(&Confirmed) -> bool| Series {
        name: name.to_owned(),
        style: style.clone(),
        values: front.iter().map(|one| is_wanted(one).then_some(one.individual.time)).collect(),
    };
    let panel = Panel {
        labels: front.iter().map(|one| one.individual.complexity.to_string()).collect(),
        mark: Mark::Lines,
        series: vec![
            series("confirmed", &styles[0], &|one| one.is_timeout()),
            series("not confirmed", &styles[1], &|one| !one.is_timeout()),
        ],
    };
    Figure {
        title: "Front by complexity".to_owned(),
        unit: "time score in seconds".to_owned(),
        columns: vec!["complexity".to_owned()],
        rows: vec![Row { name: "time score".to_owned(), panels: vec![panel] }],
        legend: vec![
            ("confirmed".to_owned(), styles[0].clone()),
            ("not confirmed".to_owned(), styles[1].clone()),
        ],
        scale: Scale::Linear,
        axes: Axes::PerRow,
    }
}

//! What `smelt solvers list` and `smelt solvers probe` print.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde::Serialize;
use smelt_oracle::foreign_text::in_line;
use smelt_runner::installation::Installation;
use smelt_runner::interruption;
use smelt_runner::kind::{Cost, Kind};
use smelt_runner::probe::{PROBE_TIME, Probe, probe_anew, probe_cached};
use smelt_runner::sandbox;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::{Op, Theory};

use super::release_of;
use crate::error::{CliError, Exit};
use crate::streams::Streams;

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'s> {
    solver: &'s str,
    family: &'static str,
    program: String,
    works: bool,
    version: Option<&'s str>,
    hash: Option<String>,
    takes_new_names: bool,
    takes_old_names: bool,
    cold_cpu_ms: f64,
    warm_cpu_ms: Option<f64>,
    mode: &'static str,
    warm_kinds: Vec<&'static str>,
    /// Whether it runs in a sandbox, and why not.
    sandbox: bool,
    sandbox_obstacle: Option<String>,
    #[serde(flatten)]
    map: Option<Map<'s>>,
}

/// What a solver takes, for `--json`.
#[derive(Debug, Serialize)]
struct Map<'s> {
    costs: &'s [Cost],
    operators: Vec<&'static str>,
    refused_operators: Vec<&'static str>,
    partly_refused: Vec<(&'static str, String)>,
    refused_sorts: Vec<String>,
    refused_features: Vec<String>,
    spellings: BTreeMap<&'s str, bool>,
    commands: BTreeMap<&'s str, bool>,
}

impl<'s> Line<'s> {
    fn new(place: &Installation, solver: &'s Solver, probe: &'s Probe, map: Option<Map<'s>>) -> Self {
        Line {
            solver: &solver.name,
            family: solver.family.name(),
            program: solver.invocation.program.display().to_string(),
            works: probe.works,
            version: probe.version.as_deref(),
            hash: place.cache().content_hash(solver).ok(),
            takes_new_names: probe.takes_new_names,
            takes_old_names: probe.takes_old_names,
            cold_cpu_ms: probe.cold_cpu_ms,
            warm_cpu_ms: probe.warm_cpu_ms(),
            mode: mode(probe),
            warm_kinds: probe.warm_kinds().map(Kind::name).collect(),
            sandbox: sandbox::obstacle().is_none(),
            sandbox_obstacle: sandbox::obstacle(),
            map,
        }
    }
}

impl<'s> Map<'s> {
    fn of(probe: &'s Probe) -> Self {
        let capabilities = &probe.capabilities;
        let operators = |is_taken: bool| {
            let mut names: Vec<&'static str> = Op::all()
                .filter(|op| capabilities.takes_operator(*op) == is_taken)
                .map(|op| op.info().name)
                .collect();
            names.dedup();
            names
        };
        Map {
            costs: &probe.costs,
            operators: operators(true),
            refused_operators: operators(false),
            partly_refused: capabilities
                .partly_refused()
                .into_iter()
                .map(|(op, sorts)| (op.info().name, sorts))
                .collect(),
            refused_sorts: capabilities.refused_sorts().iter().map(|class| format!("{class:?}")).collect(),
            refused_features: capabilities
                .refused_features()
                .iter()
                .map(|feature| feature.name().to_owned())
                .collect(),
            spellings: capabilities.spellings().collect(),
            commands: capabilities.commands().collect(),
        }
    }
}

/// In one word, whether formulas are run in sessions; which ones are is in the map.
fn mode(probe: &Probe) -> &'static str {
    let warm = probe.warm_kinds().count();
    match (probe.works, warm) {
        (false, _) => "fails",
        (true, 0) => "cold",
        (true, _) if warm == probe.costs.len() => "warm",
        (true, _) => "mixed",
    }
}

/// What is said where there is nothing to show.
const NO_SOLVERS: &str = "no solvers found; get one with `smelt solvers install z3@latest`";

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
        writeln!(
            streams.results(),
            "{:<22} {:<9} {:<9} {:>10} {:>10} {:<5} version",
            "solver",
            "family",
            "dialects",
            "cold ms",
            "warm ms",
            "mode"
        )?;
    }
    let mut worst = Exit::Done;
    for solver in solvers {
        let Some(probe) = probed(place, solver, probe_cached, &mut worst, streams)? else { continue };
        if json {
            streams.json_line(&Line::new(place, solver, &probe, None))?;
            continue;
        }
        let warm = probe.warm_cpu_ms().map_or("-".to_owned(), |warm| format!("{warm:.1}"));
        writeln!(
            streams.results(),
            "{:<22} {:<9} {:<9} {:>10.1} {:>10} {:<5} {}",
            solver.name,
            solver.family.name(),
            probe.dialects(),
            probe.cold_cpu_ms,
            warm,
            mode(&probe),
            probe.version.as_deref().unwrap_or("-"),
        )?;
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
            streams.json_line(&Line::new(place, solver, &probe, Some(Map::of(&probe))))?;
        } else {
            write!(streams.results(), "{}", map_text(solver, &probe))?;
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

const THEORIES: [(Theory, &str); 10] = [
    (Theory::Core, "core"),
    (Theory::Ints, "ints"),
    (Theory::Reals, "reals"),
    (Theory::Transcendentals, "transcendentals"),
    (Theory::BitVectors, "bit-vectors"),
    (Theory::Floats, "floats"),
    (Theory::Arrays, "arrays"),
    (Theory::Strings, "strings"),
    (Theory::Regexes, "regexes"),
    (Theory::Sequences, "sequences"),
];

/// What of the above is not taken in safe mode, if there is one.
fn safe_mode_text(probe: &Probe) -> String {
    let Some(safe_mode) = &probe.safe_mode else { return String::new() };
    let mut left_out = Vec::new();
    for (theory, name) in THEORIES {
        let is_known = |op: &Op| op.info().theory == theory && probe.capabilities.takes_operator(*op);
        let known: Vec<Op> = Op::all().filter(is_known).collect();
        let lost: Vec<&str> =
            known.iter().filter(|op| !safe_mode.takes_operator(**op)).map(|op| op.info().name).collect();
        match lost.len() {
            0 => {}
            count if count == known.len() => left_out.push(name.to_owned()),
            _ => left_out.extend(lost.into_iter().map(str::to_owned)),
        }
    }
    let features = safe_mode.refused_features().iter();
    let lost = features.filter(|feature| probe.capabilities.takes_feature(**feature).is_ok());
    left_out.extend(lost.map(|feature| feature.name().to_owned()));
    match left_out.is_empty() {
        true => format!("  {:<16} all of that\n", "safe mode"),
        false => format!("  {:<16} all of that but {}\n", "safe mode", left_out.join(" ")),
    }
}

fn map_text(solver: &Solver, probe: &Probe) -> String {
    let version = probe.version.as_deref().unwrap_or("unknown version");
    let mut text =
        format!("{} ({}, {version}), dialects {}, ", solver.name, solver.family.name(), probe.dialects());
    text.push_str(&format!("start {:.1} ms, {}\n", probe.cold_cpu_ms, mode(probe)));
    if !probe.works {
        let failure = probe.failure.as_deref().unwrap_or("smoke test failed");
        text.push_str(&format!("  {failure}\n"));
        return text;
    }
    for cost in &probe.costs {
        let warm = cost.warm_cpu_ms.map_or("fails".to_owned(), |warm| format!("{warm:.1} ms"));
        let choice = if cost.prefers_warm() { "warm" } else { "cold" };
        text.push_str(&format!(
            "  {:<16} {choice} (cold {:.1} ms, warm {warm})\n",
            cost.kind.name(),
            cost.cold_cpu_ms
        ));
    }
    let capabilities = &probe.capabilities;
    for (theory, name) in THEORIES {
        let ops: Vec<Op> = Op::all().filter(|op| op.info().theory == theory).collect();
        let refused: Vec<&str> =
            ops.iter().filter(|op| !capabilities.takes_operator(**op)).map(|op| op.info().name).collect();
        let what = match refused.len() {
            0 => "all".to_owned(),
            count if count == ops.len() => "none".to_owned(),
            count => format!("{} of {}, not {}", ops.len() - count, ops.len(), refused.join(" ")),
        };
        text.push_str(&format!("  {name:<16} {what}\n"));
    }
    text.push_str(&safe_mode_text(probe));
    let partly: Vec<String> = capabilities
        .partly_refused()
        .into_iter()
        .map(|(op, sorts)| format!("({} {sorts})", op.info().name))
        .collect();
    let list = |name: &str, words: Vec<String>| match words.is_empty() {
        true => String::new(),
        false => format!("  {name:<16} {}\n", words.join(" ")),
    };
    text.push_str(&list("refused", partly));
    text.push_str(&list(
        "unknown sorts",
        capabilities.refused_sorts().iter().map(|class| format!("{class:?}")).collect(),
    ));
    text.push_str(&list(
        "lacks",
        capabilities.refused_features().iter().map(|feature| feature.name().to_owned()).collect(),
    ));
    let named = |pairs: Vec<(&str, bool)>, wanted: bool| {
        pairs
            .into_iter()
            .filter(|(_, is_taken)| *is_taken == wanted)
            .map(|(name, _)| name.to_owned())
            .collect()
    };
    text.push_str(&list("spellings", named(capabilities.spellings().collect(), true)));
    text.push_str(&list("not spelled", named(capabilities.spellings().collect(), false)));
    text.push_str(&list("commands", named(capabilities.commands().collect(), true)));
    text.push_str(&list("no commands", named(capabilities.commands().collect(), false)));
    text
}

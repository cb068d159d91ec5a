//! Solvers for people and for other programs: what `smelt solvers` says of a solver that was probed.

use std::collections::BTreeMap;

use serde::Serialize;
use smelt_runner::fragment::{Cost, Fragment};
use smelt_runner::probe::Probe;
use smelt_runner::sandbox;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::{Op, Theory};

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct SolverLine<'s> {
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
    map: Option<CapabilityMap<'s>>,
}

/// What a solver takes, for `--json`.
#[derive(Debug, Serialize)]
struct CapabilityMap<'s> {
    costs: &'s [Cost],
    operators: Vec<&'static str>,
    refused_operators: Vec<&'static str>,
    partly_refused: Vec<(&'static str, String)>,
    refused_sorts: Vec<String>,
    refused_features: Vec<String>,
    spellings: BTreeMap<&'s str, bool>,
    commands: BTreeMap<&'s str, bool>,
}

impl<'s> SolverLine<'s> {
    /// What is known of a solver whose program has this hash.
    pub fn new(solver: &'s Solver, probe: &'s Probe, hash: Option<String>) -> Self {
        SolverLine {
            solver: &solver.name,
            family: solver.family.name(),
            program: solver.invocation.program.display().to_string(),
            works: probe.works,
            version: probe.version.as_deref(),
            hash,
            takes_new_names: probe.takes_new_names,
            takes_old_names: probe.takes_old_names,
            cold_cpu_ms: probe.cold_cpu_ms,
            warm_cpu_ms: probe.warm_cpu_ms(),
            mode: mode(probe),
            warm_kinds: probe.warm_kinds().map(Fragment::name).collect(),
            sandbox: sandbox::obstacle().is_none(),
            sandbox_obstacle: sandbox::obstacle(),
            map: None,
        }
    }

    /// The same with all that the solver takes.
    pub fn with_capabilities(self, probe: &'s Probe) -> Self {
        SolverLine { map: Some(CapabilityMap::of(probe)), ..self }
    }
}

impl<'s> CapabilityMap<'s> {
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
        CapabilityMap {
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

/// The head of the table of solvers.
pub fn table_head() -> String {
    format!(
        "{:<22} {:<9} {:<9} {:>10} {:>10} {:<5} version",
        "solver", "family", "dialects", "cold ms", "warm ms", "mode"
    )
}

/// The row of a solver in that table.
pub fn table_row(solver: &Solver, probe: &Probe) -> String {
    let warm = probe.warm_cpu_ms().map_or("-".to_owned(), |warm| format!("{warm:.1}"));
    format!(
        "{:<22} {:<9} {:<9} {:>10.1} {:>10} {:<5} {}",
        solver.name,
        solver.family.name(),
        probe.dialects(),
        probe.cold_cpu_ms,
        warm,
        mode(probe),
        probe.version.as_deref().unwrap_or("-"),
    )
}

const THEORIES: [(Theory, &str); 20] = [
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
    (Theory::HigherOrder, "higher-order"),
    (Theory::Tuples, "tuples"),
    (Theory::Sets, "sets"),
    (Theory::Relations, "relations"),
    (Theory::Bags, "bags"),
    (Theory::FiniteFields, "finite-fields"),
    (Theory::Nullables, "nullables"),
    (Theory::FiniteSets, "finite-sets"),
    (Theory::Separation, "separation"),
    (Theory::Cardinality, "cardinality"),
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

/// All that was learned about a solver, on several lines.
pub fn capabilities_text(solver: &Solver, probe: &Probe) -> String {
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

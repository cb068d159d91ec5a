//! `smelt monitor`: a solver against a reference on the first formulas of grammars, with what that guarantees.
//!
//! Formulas are run in sessions; whatever is wrong is asked again in fresh processes before it counts. The result is a
//! statement about all formulas up to a size, and an exit status that a build can use.

mod compare;
mod known;
mod results;

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dashu_int::UBig;
use serde::Serialize;
use smelt_runner::clock;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_testgen::enumeration::{Enumeration, Parameters};
use smelt_trial::target::{Mode, Target};
use smelt_trial::worker::TargetSession;

use crate::error::{CliError, Exit, cannot_write};
use crate::grammars::read_grammar;
use crate::hunt::parse_time;
use crate::interrupt;
use crate::memory::MemoryArg;
use crate::solvers::{find_or_install_chosen, installation, make_ready, probing_ends};
use crate::streams::Streams;
use compare::{Difference, Outcome, compare};
use known::Known;

/// The grammars of the thesis without the one on which most of the time would be spent.
const USUAL_GRAMMARS: &[&str] = &["core", "ints", "reals", "realints", "bitvectors", "arrays", "strings"];

/// Watch over a solver: compare it with a reference on all small formulas of grammars, for continuous integration
///
/// What is told at the end holds for all formulas up to a size: on how many the solver agreed with the reference, gave
/// up, or was wrong. Models are evaluated by smelt, and what is wrong is asked again in fresh processes. Exit status 1 if
/// the solver is wrong, or disagrees and nothing tells who is wrong, on a formula that the baseline does not have. Where
/// one of the two follows another definition of an operator (drift), that is counted and is not a failure.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt monitor --solver 'new=build/z3 -in' --reference cvc5@latest --time 20m --junit out.xml"
)]
pub(crate) struct Args {
    /// The solver to watch: NAME, NAME@VERSION, or NAME=COMMAND LINE
    #[arg(short, long, value_name = "SOLVER")]
    solver: String,
    /// The solver to compare it with
    #[arg(short, long, value_name = "SOLVER")]
    reference: String,
    /// A grammar by name or file; repeatable [default: the eight of the thesis but fp]
    #[arg(short, long = "grammar", value_name = "NAME|FILE")]
    grammars: Vec<String>,
    /// How many formulas of each grammar
    #[arg(short = 'n', long, value_name = "N", default_value_t = 51_000)]
    count: u64,
    /// Only formulas up to this size [default: all sizes]
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(..=1000))]
    max_size: Option<u32>,
    /// How many variables are declared
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    variables: u32,
    /// How many assertions a formula has
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    asserts: u32,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", default_value_t = 1.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// How long all of it may take, such as 20m; shared among the grammars [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// A file with differences that are known and do not count, by formula, class and solver [default: none]
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all differences to the baseline file, those that it has and those that are new, and create it if there is
    /// none [default: read it only]
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
    /// Write the results as JUnit XML [default: none]
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the differences as SARIF, and their formulas to a folder beside it, such as out.formulas for out.sarif
    /// [default: none]
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// How many workers [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Print one JSON object per grammar instead of text [default: text]
    #[arg(long)]
    json: bool,
}

/// What came of the formulas of a grammar. In `--json` the names of the fields never change.
#[derive(Debug, Clone, Default, Serialize)]
struct Tally {
    grammar: String,
    solver: String,
    reference: String,
    variables: u32,
    asserts: u32,
    /// How many formulas were compared, from the first on without a gap.
    formulas: u64,
    /// All formulas up to this size are among them.
    complete_size: Option<u32>,
    /// How many of them are up to that size.
    complete_formulas: u64,
    agreed: u64,
    unknown: u64,
    timeout: u64,
    /// The solver does not take them.
    refused: u64,
    /// The solver decided them, the reference did not.
    unchecked: u64,
    /// The solver answers `sat` and its model satisfies the formula by our evaluator.
    models: u64,
    /// The solver is wrong, or nobody knows who is.
    differences: u64,
    /// The reference is wrong.
    reference_wrong: u64,
    /// One of the two follows another definition of an operator.
    drift: u64,
}

/// How many formulas a worker takes at once.
const CHUNK: u64 = 500;

/// The two solvers, and how they are run.
struct Pair {
    solver: Target,
    reference: Target,
    limits: Limits,
    jobs: NonZeroUsize,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if !args.timeout.is_finite() || args.timeout <= 0.0 {
        return Err(CliError::usage("the timeout must be a positive number of seconds"));
    }
    let read = |path: &Path| Known::read(path, args.update_baseline);
    let known = args.baseline.as_deref().map(read).transpose()?.unwrap_or_default();
    let parameters = Parameters { variables: args.variables, asserts: args.asserts, ..Parameters::default() };
    let mut grammars = Vec::new();
    let names: Vec<String> = match args.grammars.is_empty() {
        true => USUAL_GRAMMARS.iter().map(|name| (*name).to_owned()).collect(),
        false => args.grammars.clone(),
    };
    for name in &names {
        grammars.push((name.clone(), read_grammar(name, &parameters)?));
    }
    let stop = interrupt::stop_when_asked();
    let pair = prepare(args, streams)?;
    let begun = clock::now();
    let mut tallies = Vec::new();
    let mut differences = Vec::new();
    for (position, (name, enumeration)) in grammars.iter_mut().enumerate() {
        // What is left of the time is shared among the grammars that are left.
        let left =
            args.time.map(|time| time.saturating_sub(clock::since(begun)) / (names.len() - position) as u32);
        let deadline = left.map(|left| clock::now() + left);
        let (tally, found) = watch(args, name, enumeration, &pair, deadline, &stop)?;
        if args.json {
            streams.json_line(&tally)?;
        } else {
            writeln!(streams.results(), "{}", guarantee(&tally))?;
        }
        for difference in &found {
            let is_known = known.contains(&difference.key());
            streams.message(&format!("{}\n", describe(difference, args, is_known)))?;
        }
        streams.flush()?;
        tallies.push(tally);
        differences.extend(found);
    }
    let new: Vec<&Difference> = differences
        .iter()
        .filter(|difference| difference.is_failure() && !known.contains(&difference.key()))
        .collect();
    write_files(args, &known, &tallies, &differences, &new)?;
    if stop.load(Ordering::Relaxed) {
        streams.message("stopped before the end\n")?;
    }
    Ok(if new.is_empty() { Exit::Done } else { Exit::Findings })
}

/// Finds, installs and probes the two solvers.
fn prepare(args: &Args, streams: &mut Streams) -> Result<Pair, CliError> {
    let place = installation();
    let names = [args.solver.clone(), args.reference.clone()];
    let found = find_or_install_chosen(&place, &names, streams)?;
    let mut targets = Vec::new();
    for chosen in found {
        let name = chosen.solver.name.clone();
        let mut target = make_ready(chosen.solver.clone(), &place.cache(), probing_ends(None), streams)
            .map_err(|error| error.context(format_args!("cannot run `{name}`")))?;
        target.mode = Mode::Warm;
        chosen.demand_of(&mut target);
        targets.push(target);
    }
    let Ok([solver, reference]) = <[Target; 2]>::try_from(targets) else {
        unreachable!("two names stand for two solvers")
    };
    let limits = Limits::for_seconds(args.timeout);
    Ok(Pair { solver, reference, limits, jobs: args.jobs.unwrap_or_else(parallel::all_cores) })
}

/// Compares the solvers on the first formulas of a grammar.
fn watch(
    args: &Args,
    name: &str,
    enumeration: &mut Enumeration,
    pair: &Pair,
    deadline: Option<Instant>,
    stop: &AtomicBool,
) -> Result<(Tally, Vec<Difference>), CliError> {
    let mut end = UBig::from(args.count);
    if let Some(size) = args.max_size.into_iter().chain(enumeration.largest_size()).min() {
        end = end.min(enumeration.count_below(size + 1).clone());
    }
    let end = u64::try_from(&end).expect("the end is at most the count");
    let chunks: Vec<(u64, u64)> =
        (0..end).step_by(CHUNK as usize).map(|start| (start, (start + CHUNK).min(end))).collect();
    let mut tally = Tally {
        grammar: name.to_owned(),
        solver: pair.solver.solver.name.clone(),
        reference: pair.reference.solver.name.clone(),
        variables: args.variables,
        asserts: args.asserts,
        ..Tally::default()
    };
    let mut differences = Vec::new();
    let mut is_contiguous = true;
    let is_over =
        || stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| clock::now() >= deadline);
    let work = |(start, end): &(u64, u64)| -> Result<Vec<(u64, Outcome)>, CliError> {
        let mut enumeration = enumeration.clone();
        let mut runners =
            [&pair.solver, &pair.reference].map(|target| TargetSession::new(target, pair.limits));
        let mut outcomes = Vec::new();
        let Some(mut cursor) = enumeration.from(&UBig::from(*start)) else { return Ok(outcomes) };
        for index in *start..*end {
            if is_over() {
                break;
            }
            let outcome = compare(&mut runners, cursor.text(), &pair.limits).map_err(|error| {
                let doing = format!("cannot run the solvers on formula {index} of {name}");
                CliError::Environment(format!("{doing}: {error}"))
            })?;
            outcomes.push((index, outcome));
            if !cursor.advance() {
                break;
            }
        }
        Ok(outcomes)
    };
    parallel::in_order(&chunks, pair.jobs, work, |outcomes| -> Result<(), CliError> {
        for (index, mut outcome) in outcomes? {
            is_contiguous &= index == tally.formulas;
            for difference in &mut outcome.differences {
                difference.place(&pair.solver.solver.name, name, index);
            }
            if is_contiguous {
                tally.count(&outcome);
            }
            differences.append(&mut outcome.differences);
        }
        Ok(())
    })?;
    let last = args.max_size.into_iter().chain(enumeration.largest_size()).min().unwrap_or(u32::MAX - 1);
    for size in 0..=last {
        match u64::try_from(enumeration.count_below(size + 1)) {
            // Sizes without formulas are no extent to speak of.
            Ok(0) => {}
            Ok(complete) if complete <= tally.formulas => {
                (tally.complete_size, tally.complete_formulas) = (Some(size), complete);
            }
            _ => break,
        }
    }
    Ok((tally, differences))
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        self.formulas += 1;
        self.models += u64::from(outcome.has_model);
        *match outcome.kind {
            compare::Kind::Agreed => &mut self.agreed,
            compare::Kind::Unknown => &mut self.unknown,
            compare::Kind::Timeout => &mut self.timeout,
            compare::Kind::Refused => &mut self.refused,
            compare::Kind::Unchecked => &mut self.unchecked,
            compare::Kind::Differs => &mut self.differences,
            compare::Kind::ReferenceWrong => &mut self.reference_wrong,
            compare::Kind::Drifts => &mut self.drift,
        } += 1;
    }
}

/// What was found out, in words.
fn guarantee(tally: &Tally) -> String {
    let Tally { grammar, solver, reference, variables, asserts, formulas, .. } = tally;
    let extent = match tally.complete_size {
        Some(size) if tally.complete_formulas == *formulas => {
            format!("all {formulas} formulas of grammar {grammar} up to size {size}")
        }
        Some(size) => {
            let complete = tally.complete_formulas;
            format!(
                "the first {formulas} formulas of grammar {grammar}, with all {complete} up to size {size}"
            )
        }
        None => format!("the first {formulas} formulas of grammar {grammar}"),
    };
    let mut text = format!(
        "{extent} ({variables} variables, {asserts} asserts): {solver} agreed with {reference} on {}, unknown on {}, \
         timed out on {}",
        tally.agreed, tally.unknown, tally.timeout
    );
    let rest = [
        ("not taken", tally.refused),
        ("not decided by the reference", tally.unchecked),
        ("reference wrong on", tally.reference_wrong),
        ("other definition of an operator on", tally.drift),
        ("wrong or disputed", tally.differences),
    ];
    for (what, count) in rest {
        if count > 0 || what == "wrong or disputed" {
            text.push_str(&format!(", {what} {count}"));
        }
    }
    text.push_str(&format!("; {} models checked", tally.models));
    text
}

fn describe(difference: &Difference, args: &Args, is_known: bool) -> String {
    let known = match (is_known, difference.is_failure()) {
        (true, _) => " (known)",
        (false, true) => "",
        (false, false) => " (not a failure of the solver)",
    };
    format!(
        "{}{known}: {}\n  smelt generate enumerate --grammar {} --variables {} --asserts {} --start {} --count 1",
        difference.class.word(),
        difference.message,
        difference.grammar,
        args.variables,
        args.asserts,
        difference.index
    )
}

fn write_files(
    args: &Args,
    known: &Known,
    tallies: &[Tally],
    differences: &[Difference],
    new: &[&Difference],
) -> Result<(), CliError> {
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    if let Some(path) = args.baseline.as_ref().filter(|_| args.update_baseline) {
        let own = differences.iter().filter(|difference| difference.is_failure());
        let entries = own.map(|difference| (difference.key(), difference.essence.clone()));
        files.insert(path.clone(), known.with(entries));
    }
    if let Some(path) = &args.junit {
        files.insert(path.clone(), results::junit(tallies, new, guarantee));
    }
    if let Some(path) = &args.sarif {
        files.insert(path.clone(), results::sarif(path, new));
        for difference in new {
            files.insert(results::formula_file(path, difference), difference.formula.clone());
        }
    }
    for (path, text) in files {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder.map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, text))
            .map_err(|error| CliError::Environment(cannot_write(path.display(), &error)))?;
    }
    Ok(())
}

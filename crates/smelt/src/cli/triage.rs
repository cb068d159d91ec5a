//! `smelt triage`: from one formula that a user has to a report that stands alone.
//!
//! The formula is run and judged as in a hunt, reduced, asked of releases, and written to a folder in the form of a
//! finding of a campaign. Nothing is judged here: who is wrong, and why, is what the judges say.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_campaign::campaign::command_of_target;
use smelt_campaign::configure::values::{parse_seconds, parse_time};
use smelt_campaign::exhibit::Stage;
use smelt_campaign::solvers::DEFAULT_TIMEOUT_SECS;
use smelt_report::finding::triage_summary::{Triaged, nothing_line, nothing_text};
use smelt_runner::limits::Limits;
use smelt_runner::stop_signals;
use smelt_smtlib::snippet::Severity;
use smelt_triage::file::{formulas_of, judge, may_write_report, targets_for};
use smelt_triage::file_report::FileReport;

use crate::config::memory::MemoryArg;
use crate::config::solvers::installation;
use crate::config::trust;
use crate::error::{CliError, Exit, read_named};
use crate::render::diagnostics::render;
use crate::render::streams::Streams;

/// Turn one formula into a bug report: run, judge, reduce, bisect over releases, check the newest release
///
/// Works for crashes, wrong answers, invalid models and invalid unsat cores. The solver is compared with the references,
/// and a model that smelt itself evaluates tells which of them is wrong. The folder gets report.md, reduced.smt2, replay.sh
/// and finding.json. Ctrl-C ends it; the report says which steps are missing. Exit status 1 if there is a bug, 0 if nothing is
/// found.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt triage crash.smt2 --solver z3@4.5.1.0.post2
         smelt triage wrong.smt2 --solver nightly='build/z3 -in' --reference cvc5 --releases 4.8.5..5.4")]
pub(crate) struct Args {
    /// The formula
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The solver that misbehaves: NAME, NAME@VERSION (installed if it is not), or NAME=COMMAND LINE
    #[arg(short, long, value_name = "SOLVER")]
    solver: String,
    /// A solver to compare with; repeatable [default: the newest installed z3 and cvc5, and smelt itself]
    #[arg(short, long = "reference", value_name = "SOLVER")]
    references: Vec<String>,
    /// Releases to bisect over, such as 4.8.5..5.4 [default: all installed releases of the family of the solver]
    #[arg(long, value_name = "RANGE")]
    releases: Option<String>,
    /// Fetch releases of the range that are not installed [default: leave them out and say so]
    #[arg(long)]
    install: bool,
    /// The folder of a campaign in which duplicates are looked for [default: smelt-campaign, if there is one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// A folder of known bugs in which duplicates are looked for, as in `findings clusters` [default: none]
    #[arg(long, value_name = "FOLDER")]
    known: Option<PathBuf>,
    /// Where to write the report [default: the name of FILE with `.triage` after it]
    #[arg(short, long = "out", visible_alias = "output", value_name = "DIR")]
    output: Option<PathBuf>,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = DEFAULT_TIMEOUT_SECS)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Stop reducing after this long, such as 90s or 10m
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_time)]
    time: Duration,
    /// Leave the formula as it is [default: reduce it]
    #[arg(long, conflicts_with = "time")]
    no_reduce: bool,
    /// Print one JSON object instead of text [default: text]
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let formulas = read_formulas(&args.file)?;
    let output = args.output.clone().unwrap_or_else(|| {
        let mut name = args.file.clone().into_os_string();
        name.push(".triage");
        name.into()
    });
    if !may_write_report(&output) {
        let message = format!("`{}` is there already and is not a report; use -o", output.display());
        return Err(CliError::Usage(message));
    }
    let stop = stop_signals::stop_when_asked();
    let place = installation();
    let targets = targets_for(&place, &args.solver, &args.references, streams)?;
    trust::remember(&targets.iter().map(command_of_target).collect::<Vec<_>>());
    let limits = Limits::for_seconds(args.timeout);
    let opinion = place.finder().own();
    let stage = Stage { targets: &targets, others: &[], limits: &limits, opinion: opinion.as_ref() };
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let judged = judge(&name, &formulas, &stage).map_err(|error| CliError::environment(error.to_string()))?;
    let Some(finding) = judged.finding else {
        let solver = &targets[0].solver.name;
        match args.json {
            true => streams.json_line(&nothing_line(&args.file, solver, &judged.runs))?,
            false => write!(streams.results(), "{}", nothing_text(&args.file, solver, &judged.runs))?,
        }
        return Ok(Exit::Done);
    };
    let report = FileReport {
        file: &args.file,
        finding,
        output,
        reduce_for: (!args.no_reduce).then_some(args.time),
        releases: args.releases.clone(),
        is_installing: args.install,
        dir: args.dir.clone(),
        known: args.known.clone(),
        stop,
    };
    report.write(&place, &stage, streams)?;
    let triaged = Triaged::read(&report.finding, &report.output);
    match args.json {
        true => streams.json_line(&triaged.line(&args.file))?,
        false => write!(streams.results(), "{}", triaged.text())?,
    }
    Ok(Exit::Findings)
}

/// The forms in which the formula of a file is tried.
fn read_formulas(file: &Path) -> Result<Vec<String>, CliError> {
    let name = file.display().to_string();
    let source = read_named(file)?;
    formulas_of(&name, &source)
        .map_err(|problems| CliError::Diagnostics(render(&name, &source, Severity::Error, &problems)))
}

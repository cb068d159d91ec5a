//! `smelt triage`: from one formula that a user has to a report that stands alone.
//!
//! The formula is run and judged as in a hunt, reduced, asked of releases, and written to a folder in the form of a
//! finding of a campaign. Nothing is judged here: who is wrong, and why, is what the judges say.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_campaign::campaign::command_of_target;
use smelt_campaign::configure::values::{parse_seconds, parse_time};
use smelt_campaign::exhibit::Stage;
use smelt_campaign::releases::options_of;
use smelt_campaign::solvers::{DEFAULT_TIMEOUT_SECS, culprit_of, family_of};
use smelt_report::finding::exhibit::Exhibit;
use smelt_report::finding::triage_files::{Added, Dating, FORMAT, Newest, Triage};
use smelt_report::finding::triage_summary::{Triaged, nothing_line, nothing_text};
use smelt_runner::family::Family;
use smelt_runner::installation::Installation;
use smelt_runner::limits::Limits;
use smelt_smtlib::snippet::Severity;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::{Finding, Recorded};
use smelt_triage::bisect::finding::{ReleaseQuestion, bisect_finding};
use smelt_triage::bisect::releases::{Releases, Selection};
use smelt_triage::cluster::findings::{Duplicates, Search};
use smelt_triage::file::{self, exhibit_as_found, formulas_of, judge, may_write_report, others_of, rewrite};
use smelt_trial::target::Target;

use crate::cli::reduce::{is_reducible, reduce_into};
use crate::cli::replay::source_of;
use crate::config::memory::MemoryArg;
use crate::config::solvers::{find_or_install, installation};
use crate::config::trust;
use crate::error::{CliError, Exit};
use crate::interrupt;
use crate::render::diagnostics::render;
use crate::render::hints::DEFAULT_DIR;
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
    let stop = interrupt::stop_when_asked();
    let place = installation();
    let targets = targets(args, &place, streams)?;
    let limits = Limits::for_seconds(args.timeout);
    let opinion = place.finder().own();
    let stage = Stage { targets: &targets, others: &[], limits: &limits, opinion: opinion.as_ref() };
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let judged = judge(&name, &formulas, &stage).map_err(|error| CliError::environment(error.to_string()))?;
    let Some(recorded) = judged.finding else {
        let solver = &targets[0].solver.name;
        match args.json {
            true => streams.json_line(&nothing_line(&args.file, solver, &judged.runs))?,
            false => write!(streams.results(), "{}", nothing_text(&args.file, solver, &judged.runs))?,
        }
        return Ok(Exit::Done);
    };
    let work = Work { args, recorded, output, stop };
    work.begin(&stage, streams)?;
    work.reduce(&stage, streams)?;
    let dating = work.bisect(&place, streams)?;
    work.conclude(dating, streams)?;
    let triaged = Triaged::read(&work.recorded.finding, &work.output);
    match args.json {
        true => streams.json_line(&triaged.line(&args.file))?,
        false => write!(streams.results(), "{}", triaged.text())?,
    }
    Ok(Exit::Findings)
}

/// The forms in which the formula of a file is tried.
fn read_formulas(file: &Path) -> Result<Vec<String>, CliError> {
    let name = file.display().to_string();
    let source = fs::read_to_string(file).map_err(|error| CliError::unreadable(&name, &error))?;
    formulas_of(&name, &source)
        .map_err(|problems| CliError::Diagnostics(render(&name, &source, Severity::Error, &problems)))
}

/// The solver first, then the references.
fn targets(args: &Args, place: &Installation, streams: &mut Streams) -> Result<Vec<Target>, CliError> {
    let names = [std::slice::from_ref(&args.solver), args.references.as_slice()].concat();
    let mut solvers = find_or_install(place, &names, streams)?;
    if args.references.is_empty() {
        let newest = [Family::Z3, Family::Cvc5].into_iter().filter_map(|family| place.store().newest(family));
        solvers.extend(newest.filter_map(|release| place.finder().find(&release.name()).ok()));
        solvers.extend(place.finder().own());
    }
    let mut targets: Vec<Target> = Vec::new();
    for solver in solvers {
        let is_known = |target: &Target| {
            target.solver.name == solver.name || target.solver.invocation == solver.invocation
        };
        if targets.iter().any(is_known) {
            continue;
        }
        let name = solver.name.clone();
        match Target::cached(solver, &place.cache()) {
            Ok(target) if target.probe.works || targets.is_empty() => targets.push(target),
            Ok(_) => {
                streams.message(&format!(
                    "leaving out {name}: smoke test failed: no answer to a trivial formula\n"
                ))?;
            }
            Err(error) => {
                return Err(CliError::environment(format!("cannot run `{name}`: {error}")));
            }
        }
    }
    let commands: Vec<SolverCommand> = targets.iter().map(command_of_target).collect();
    trust::remember(&commands);
    Ok(targets)
}

/// A finding on its way to a report.
struct Work<'w> {
    args: &'w Args,
    recorded: Recorded,
    output: PathBuf,
    stop: Arc<AtomicBool>,
}

impl Work<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn finding(&self) -> &Finding {
        &self.recorded.finding
    }

    /// Changes what triage has added to the finding, and writes the report anew.
    fn write(&self, change: impl FnOnce(&mut Added)) -> Result<(), CliError> {
        rewrite(&self.recorded, &self.output, change).map_err(CliError::output(&self.output))
    }

    /// Writes a first report about the formula as it is.
    fn begin(&self, stage: &Stage<'_>, streams: &mut Streams) -> Result<(), CliError> {
        let finding = self.finding();
        streams.message(&format!(
            "{}: {} on {}\n",
            finding.verdict.class.word(),
            finding.verdict.culprit.as_deref().unwrap_or("-"),
            self.args.file.display()
        ))?;
        if self.output.exists() {
            fs::remove_dir_all(&self.output).map_err(CliError::output(&self.output))?;
        }
        let shown = self.exhibit(stage, streams)?;
        self.write(|added| added.shown = shown)
    }

    /// The formula as it is with all evidence about it; none if it cannot be established a second time.
    fn exhibit(&self, stage: &Stage<'_>, streams: &mut Streams) -> Result<Option<Exhibit>, CliError> {
        match exhibit_as_found(&self.recorded, stage) {
            Ok(shown) => Ok(shown),
            Err(error) => {
                streams.error(&error.to_string())?;
                Ok(None)
            }
        }
    }

    /// Reduces the formula; where that does not work, the report stays about the formula as it is.
    fn reduce(&self, stage: &Stage<'_>, streams: &mut Streams) -> Result<(), CliError> {
        if self.args.no_reduce || !is_reducible(self.finding()) || self.is_stopped() {
            return Ok(());
        }
        let before = Added::read(&self.output).shown;
        streams.message(&format!("reducing for at most {:.0} s\n", self.args.time.as_secs_f64()))?;
        reduce_into(&self.recorded, &self.output, self.args.time, Arc::clone(&self.stop), streams)?;
        if Added::read(&self.output).shown.is_none() && before.is_some() {
            streams.message("the finding could not be reproduced on a smaller formula\n")?;
            let shown = if self.is_stopped() { before } else { self.exhibit(stage, streams)? };
            self.write(|added| added.shown = shown)?;
        }
        Ok(())
    }

    /// The finding about the formula that the report shows.
    fn shown(&self) -> Recorded {
        let mut shown = self.recorded.clone();
        if let Some(exhibit) = Added::read(&self.output).shown {
            shown.script = exhibit.formula.clone();
            shown.finding.formula = Some(exhibit.formula);
        }
        shown
    }

    /// Asks releases; none if there are none to ask.
    fn bisect(&self, place: &Installation, streams: &mut Streams) -> Result<Option<Dating>, CliError> {
        if self.is_stopped() {
            return Ok(None);
        }
        let recorded = self.shown();
        let Some(culprit) = culprit_of(&recorded.finding) else { return Ok(None) };
        let family = Family::of_name(family_of(culprit));
        if family.package().is_none() {
            streams.message(&format!("not bisected: smelt knows no releases of {}\n", culprit.solver))?;
            return Ok(None);
        }
        let request = self.args.releases.as_deref().map(|request| version_part(request).to_owned());
        let selection = Selection { family, request, options: options_of(culprit, family) };
        let mut releases = match Releases::new(place, selection, self.args.install) {
            Ok(releases) => releases,
            Err(problem) => {
                streams.message(&format!("not bisected: {problem}\n"))?;
                return Ok(None);
            }
        };
        let asked = trust::ask_about(&source_of(&recorded.finding), &recorded.finding.commands, streams);
        let others = match asked.and_then(|()| Ok(others_of(place, &recorded.finding)?)) {
            Ok(others) => others,
            Err(error) => {
                error.report_and_continue(streams)?;
                return Ok(None);
            }
        };
        streams.message(&format!("asking {} releases of {}\n", releases.count(), family.name()))?;
        let own = place.finder().own();
        let question = ReleaseQuestion {
            recorded: &recorded,
            others: &others,
            opinion: own.as_ref(),
            limits: Limits::for_seconds(self.args.timeout),
        };
        let (dating, problem) = bisect_finding(&mut releases, culprit, &question, &self.stop);
        if let Some(problem) = problem {
            streams.error(&problem.to_string())?;
        }
        Ok(Some(dating))
    }

    /// Asks the newest release, looks for duplicates, and writes the last report.
    fn conclude(&self, dating: Option<Dating>, streams: &mut Streams) -> Result<(), CliError> {
        let shown = self.shown();
        let newest = match self.is_stopped() {
            true => None,
            false => ask_newest(&shown, streams)?,
        };
        let default = Path::new(DEFAULT_DIR);
        let dir = self.args.dir.as_deref().or_else(|| default.is_dir().then_some(default));
        let search = Search { dir, known: self.args.known.as_deref() };
        let formula = shown.finding.formula.clone().unwrap_or_default();
        let duplicates = match search.duplicates(&shown.finding, &formula) {
            Ok(duplicates) => duplicates,
            Err(error) => {
                streams.error(&error.to_string())?;
                Duplicates { first: None, searched: None }
            }
        };
        self.write(|added| {
            let earlier = added.triage.take().unwrap_or_default();
            added.triage = Some(Triage {
                format: FORMAT,
                newest,
                same_as: duplicates.first,
                searched: duplicates.searched,
                ..earlier
            });
            added.dating = dating.or(added.dating.take());
        })
    }
}

/// `4.8.5..5.4` of `z3@4.8.5..5.4`.
fn version_part(request: &str) -> &str {
    request.split_once('@').map_or(request, |(_, version)| version)
}

/// What the newest installed release of the culprit's family does with a finding; none if there is no release, or it
/// cannot be asked, which is reported.
pub(crate) fn ask_newest(recorded: &Recorded, streams: &mut Streams) -> Result<Option<Newest>, CliError> {
    let finding = &recorded.finding;
    // The release is run with the options of the culprit.
    let asked = trust::ask_about(&source_of(finding), &finding.commands, streams)
        .and_then(|()| Ok(file::ask_newest(&installation(), recorded)?));
    asked.or_else(|error| error.report_and_continue(streams).map(|()| None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_name_its_family() {
        assert_eq!(version_part("z3@4.8.5..5.4"), "4.8.5..5.4");
        assert_eq!(version_part("4.8.5..5.4"), "4.8.5..5.4");
    }
}

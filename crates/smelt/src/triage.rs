//! `smelt triage`: from one formula that a user has to a report that stands alone.
//!
//! The formula is run and judged as in a hunt, reduced, asked of releases, and written to a folder in the form of a
//! finding of a campaign. Nothing is judged here: who is wrong, and why, is what the judges say.

mod bisect;
mod summary;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_campaign::campaign::command_of_target;
use smelt_campaign::dating::{Added, Dating, FORMAT, Newest, Triage};
use smelt_campaign::exhibit::{Exhibit, Picked, Stage, exhibit};
use smelt_campaign::record::export_with;
use smelt_campaign::releases::{ask, options_of};
use smelt_campaign::replay::{Replay, TRIAGE, examine};
use smelt_oracle::case::{Case, Expectation, Lineage};
use smelt_oracle::finding::Class;
use smelt_oracle::run::Run;
use smelt_runner::family::Family;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::read_script;
use smelt_smtlib::script::{Command, Role, Script};
use smelt_smtlib::term::Terms;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::{Finding, Recorded};
use smelt_testgen::seed::Seed;
use smelt_trial::target::Target;

use crate::exit::{Exit, Failure};
use crate::findings::{Duplicates, Search};
use crate::hints::DEFAULT_DIR;
use crate::hunt::parse_time;
use crate::interrupt;
use crate::memory::MemoryArg;
use crate::reduce::{is_reducible, reduce_into};
use crate::replay::{DEFAULT_TIMEOUT_SECS, family_of, source_of, targets_of};
use crate::report::{Severity, render};
use crate::solvers::{Place, find_or_install};
use crate::streams::Streams;
use crate::trust;

/// Turn one formula into a bug report: run, judge, reduce, bisect over releases, check the newest release
///
/// Works for crashes, wrong answers, invalid models and invalid unsat cores. The solver is compared with the references,
/// and a model that smelt itself evaluates tells which of them is wrong. The folder gets report.md, reduced.smt2, replay.sh
/// and finding.json. Ctrl-C ends it; the report says how far it came. Exit status 1 if there is a bug, 0 if nothing is
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
    #[arg(short, long, value_name = "SECS", default_value_t = DEFAULT_TIMEOUT_SECS)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// How long reducing may take, such as 90s or 10m
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_time)]
    time: Duration,
    /// Leave the formula as it is [default: reduce it]
    #[arg(long, conflicts_with = "time")]
    no_reduce: bool,
    /// Print one JSON object instead of text [default: text]
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    if !args.timeout.is_finite() || args.timeout <= 0.0 {
        return refuse("the timeout must be a positive number of seconds", streams);
    }
    let formulas = match read_formulas(&args.file, streams)? {
        Ok(formulas) => formulas,
        Err(exit) => return Ok(exit),
    };
    let output = args.output.clone().unwrap_or_else(|| {
        let mut name = args.file.clone().into_os_string();
        name.push(".triage");
        name.into()
    });
    if let Err(message) = check_output(&output) {
        return refuse(&message, streams);
    }
    let stop = interrupt::stop_when_asked();
    let place = Place::of_user();
    let targets = match targets(args, &place, streams)? {
        Ok(targets) => targets,
        Err(exit) => return Ok(exit),
    };
    let limits = Limits::for_seconds(args.timeout);
    let opinion = place.finder().own();
    let stage = Stage { targets: &targets, others: &[], limits: &limits, opinion: opinion.as_ref() };
    let (recorded, runs) = match judge(args, &formulas, &stage) {
        Ok(judged) => judged,
        Err(message) => {
            streams.error(&message)?;
            return Ok(Exit::EnvironmentFailed);
        }
    };
    let Some(recorded) = recorded else {
        summary::print_nothing(args, &targets[0].solver.name, &runs, streams)?;
        return Ok(Exit::Done);
    };
    let work = Work { args, recorded, output, stop };
    work.begin(&stage, streams)?;
    work.reduce(&stage, streams)?;
    let dating = work.bisect(&place, streams)?;
    work.conclude(dating, streams)?;
    summary::print(args, &work.recorded.finding, &work.output, streams)?;
    Ok(Exit::Findings)
}

fn refuse(message: &str, streams: &mut Streams) -> Result<Exit, Failure> {
    streams.error(message)?;
    Ok(Exit::BadInput)
}

/// The formula of a file in the forms in which it is tried: what is in force at its first check, then all of it with its
/// logic and its options. What keeps it from being read is told to the user.
fn read_formulas(file: &Path, streams: &mut Streams) -> Result<Result<Vec<String>, Exit>, Failure> {
    let name = file.display().to_string();
    let source = match fs::read_to_string(file) {
        Ok(source) => source,
        Err(error) => return refuse(&format!("cannot read `{name}`: {error}"), streams).map(Err),
    };
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, &source);
    let is_grave = |diagnostic: &&Diagnostic| diagnostic.problem != Problem::UnknownName;
    let problems: Vec<&Diagnostic> = reading.diagnostics.iter().filter(is_grave).collect();
    if !problems.is_empty() {
        streams.diagnostics(&render(&name, &source, Severity::Error, problems))?;
        return Ok(Err(Exit::BadInput));
    }
    let mut formulas = Vec::new();
    if let Ok(seed) = Seed::read(&mut terms, &name, &source) {
        formulas.push(text_of(&mut terms, &seed.script));
    }
    let mut whole = reading.script.emptied();
    for command in &reading.script.commands {
        if command.role() != Role::Question && !matches!(command, Command::SetInfo(..)) {
            whole.push(command.clone());
        }
    }
    let whole = text_of(&mut terms, &whole);
    if !formulas.contains(&whole) {
        formulas.push(whole);
    }
    Ok(Ok(formulas))
}

/// A script as SMT-LIB 2.6, which is how findings keep their formulas.
fn text_of(terms: &mut Terms, script: &Script) -> String {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(script);
    printer.finish()
}

/// Whether the report may be written there: to a new or empty folder, or over an earlier report.
fn check_output(output: &Path) -> Result<(), String> {
    let has_entries = fs::read_dir(output).is_ok_and(|mut entries| entries.next().is_some());
    let is_ours = output.join("finding.json").is_file() && output.join("report.md").is_file();
    match output.exists() && !output.is_dir() || has_entries && !is_ours {
        true => Err(format!("`{}` is there already and is not a report; use -o", output.display())),
        false => Ok(()),
    }
}

/// The solver first, then the references; what keeps them from being run is told to the user.
fn targets(args: &Args, place: &Place, streams: &mut Streams) -> Result<Result<Vec<Target>, Exit>, Failure> {
    let names = [std::slice::from_ref(&args.solver), args.references.as_slice()].concat();
    let mut solvers = match find_or_install(place, &names, streams)? {
        Ok(solvers) => solvers,
        Err(exit) => return Ok(Err(exit)),
    };
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
                streams.message(&format!("leaving out {name}: it does not answer a trivial formula\n"))?;
            }
            Err(error) => {
                streams.error(&format!("cannot run `{name}`: {error}"))?;
                return Ok(Err(Exit::EnvironmentFailed));
            }
        }
    }
    let commands: Vec<SolverCommand> = targets.iter().map(command_of_target).collect();
    trust::remember(&commands);
    Ok(Ok(targets))
}

/// The worst finding against the solver in the first form of the formula that shows one, and what all solvers say.
fn judge(
    args: &Args,
    formulas: &[String],
    stage: &Stage<'_>,
) -> Result<(Option<Recorded>, Vec<Run>), String> {
    let culprit = &stage.targets[0].solver.name;
    let mut runs = Vec::new();
    for formula in formulas {
        let seed = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let lineage = Lineage { technique: TRIAGE.to_owned(), seed, random_seed: 0, step: 0 };
        let case =
            Case { script: formula.clone(), expectation: Expectation::None, is_doubtful: false, lineage };
        let examined = examine(&case, culprit, stage).map_err(|error| error.to_string())?;
        let is_blamed = |recorded: &Recorded| recorded.finding.verdict.culprit.as_ref() == Some(culprit);
        if let Some(recorded) = examined.findings.into_iter().find(is_blamed) {
            return Ok((Some(recorded), examined.runs));
        }
        runs = examined.runs;
    }
    Ok((None, runs))
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

    /// Changes what is beside the finding, and writes the report anew.
    fn write(&self, change: impl FnOnce(&mut Added)) -> Result<(), Failure> {
        let failed = |error| Failure::Output { path: self.output.display().to_string(), error };
        let mut added = Added::load(&self.output).map_err(failed)?;
        change(&mut added);
        let parent = self.output.parent().unwrap_or(Path::new(""));
        let made = if parent.as_os_str().is_empty() { Ok(()) } else { fs::create_dir_all(parent) };
        made.and_then(|()| export_with(&self.recorded, &added, &self.output)).map_err(failed)
    }

    /// Writes a first report about the formula as it is.
    fn begin(&self, stage: &Stage<'_>, streams: &mut Streams) -> Result<(), Failure> {
        let finding = self.finding();
        streams.message(&format!(
            "{}: {} on {}\n",
            finding.verdict.class.word(),
            finding.verdict.culprit.as_deref().unwrap_or("-"),
            self.args.file.display()
        ))?;
        if self.output.exists() {
            fs::remove_dir_all(&self.output)
                .map_err(|error| Failure::Output { path: self.output.display().to_string(), error })?;
        }
        let shown = self.exhibit(stage, streams)?;
        self.write(|added| added.shown = shown)
    }

    /// The formula as it is with all evidence about it; none if it cannot be established a second time.
    fn exhibit(&self, stage: &Stage<'_>, streams: &mut Streams) -> Result<Option<Exhibit>, Failure> {
        let wanted = &self.finding().verdict;
        let pick = |replay: &Replay| -> Option<Picked> {
            let mut verdicts = replay.verdicts.iter().zip(&replay.asked);
            let (verdict, asked) =
                verdicts.find(|(one, _)| one.class == wanted.class && one.culprit == wanted.culprit)?;
            Some((verdict.clone(), asked.clone()))
        };
        match exhibit(&self.recorded, stage, &pick) {
            Ok(shown) => Ok(shown),
            Err(error) => {
                streams.error(&error.to_string())?;
                Ok(None)
            }
        }
    }

    /// Reduces the formula; where that does not work, the report stays about the formula as it is.
    fn reduce(&self, stage: &Stage<'_>, streams: &mut Streams) -> Result<(), Failure> {
        if self.args.no_reduce || !is_reducible(self.finding()) || self.is_stopped() {
            return Ok(());
        }
        let before = Added::read(&self.output).shown;
        streams.message(&format!("reducing for at most {:.0} s\n", self.args.time.as_secs_f64()))?;
        reduce_into(&self.recorded, &self.output, self.args.time, Arc::clone(&self.stop), streams)?;
        if Added::read(&self.output).shown.is_none() && before.is_some() {
            streams.message("the finding could not be established for a smaller formula\n")?;
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
    fn bisect(&self, place: &Place, streams: &mut Streams) -> Result<Option<Dating>, Failure> {
        if self.is_stopped() {
            return Ok(None);
        }
        let wanted = bisect::Wanted {
            recorded: &self.shown(),
            request: self.args.releases.as_deref(),
            is_installing: self.args.install,
            limits: Limits::for_seconds(self.args.timeout),
        };
        wanted.run(place, &self.stop, streams)
    }

    /// Asks the newest release, looks for duplicates, and writes the last report.
    fn conclude(&self, dating: Option<Dating>, streams: &mut Streams) -> Result<(), Failure> {
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
            Err(message) => {
                streams.error(&message)?;
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

/// What the newest installed release of the culprit's family does with a finding; none if there is no release.
pub(crate) fn ask_newest(recorded: &Recorded, streams: &mut Streams) -> Result<Option<Newest>, Failure> {
    let finding = &recorded.finding;
    // The release is run with the options of the culprit.
    if trust::ask_about(&source_of(finding), &finding.commands, streams)?.is_err() {
        return Ok(None);
    }
    let is_culprit = |command: &SolverCommand| Some(&command.solver) == finding.verdict.culprit.as_ref();
    let Some(culprit) = finding.commands.iter().find(|command| is_culprit(command)) else { return Ok(None) };
    let family = Family::of_name(family_of(culprit));
    let place = Place::of_user();
    let found = place.store().newest(family).and_then(|newest| {
        let mut solver = place.finder().find(&newest.name()).ok()?;
        solver.invocation.args.extend(options_of(culprit, family).into_iter().map(Into::into));
        Some(solver)
    });
    let Some(solver) = found.filter(|_| family.package().is_some()) else { return Ok(None) };
    let release = solver.name.clone();
    if is_same_program(&solver, culprit) {
        let run = finding.runs.iter().find(|run| run.solver == culprit.solver);
        return Ok(Some(Newest { release, shows: Some(true), answer: run.map(|run| run.answer) }));
    }
    let Ok(target) = Target::cached(solver, &place.cache()) else { return Ok(None) };
    let others = match others_of(finding, streams)? {
        Ok(others) => others,
        Err(_) => return Ok(None),
    };
    let limits = Limits::for_seconds(finding.timeout_secs.unwrap_or(DEFAULT_TIMEOUT_SECS));
    let own = place.finder().own();
    match ask(recorded, &target, &others, &limits, own.as_ref()) {
        Ok(asked) => {
            let answer = asked.run.map(|run| run.answer);
            Ok(Some(Newest { release, shows: asked.shows, answer }))
        }
        Err(error) => {
            streams.error(&format!("cannot ask {release}: {error}"))?;
            Ok(None)
        }
    }
}

fn is_same_program(solver: &Solver, command: &SolverCommand) -> bool {
    let args: Vec<String> =
        solver.invocation.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    solver.invocation.program == Path::new(&command.program) && args == command.args
}

/// The solvers of a finding besides its culprit that are needed to show it.
fn others_of(finding: &Finding, streams: &mut Streams) -> Result<Result<Vec<Target>, Exit>, Failure> {
    // What a solver does to itself needs no other solver.
    if matches!(finding.verdict.class, Class::Crash | Class::InvalidModel) {
        return Ok(Ok(Vec::new()));
    }
    let is_other = |command: &SolverCommand| Some(&command.solver) != finding.verdict.culprit.as_ref();
    targets_of(finding, is_other, streams)
}

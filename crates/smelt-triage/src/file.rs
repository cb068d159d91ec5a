//! The triage of one file: is the solver wrong about it, with which evidence, and what does its newest release do?
//!
//! A file is tried in two forms, judged as a case of a hunt is, and becomes a finding with a folder like any other.
//! Reduction, bisection and the search for duplicates are in [`crate::reduce`], [`crate::bisect`] and [`crate::cluster`].

use std::fs;
use std::io;
use std::path::Path;
use std::slice;

use smelt_campaign::dialogue::Dialogue;
use smelt_campaign::exhibit::{Picked, Stage, exhibit};
use smelt_campaign::find_solvers::{SolverSearchError, find_or_install};
use smelt_campaign::record::export_with;
use smelt_campaign::releases::{ask, options_of};
use smelt_campaign::replay::{Replay, ReplayError, examine};
use smelt_campaign::solvers::{
    DEFAULT_TIMEOUT_SECS, NotReady, TargetsError, culprit_of, family_of, targets_of,
};
use smelt_oracle::case::{Basis, Case, Expectation, Lineage};
use smelt_oracle::run::Run;
use smelt_report::finding::TRIAGE;
use smelt_report::finding::exhibit::Exhibit;
use smelt_report::finding::triage_files::{Added, Newest};
use smelt_runner::family::Family;
use smelt_runner::installation::Installation;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::read_script;
use smelt_smtlib::script::{Command, Role, Script};
use smelt_smtlib::term::Terms;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Finding;
use smelt_testgen::seed::Seed;
use smelt_trial::target::Target;

use crate::bisect::asking::AskError;
use crate::error::TriageError;
use crate::reduce::folder::agree_to;

/// The formula of a file in the forms in which it is tried: what is in force at its first check, then all of it with its
/// logic and its options. Operators that we do not know are left to the solvers.
pub fn formulas_of(name: &str, source: &str) -> Result<Vec<String>, Vec<Diagnostic>> {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, source);
    let is_grave = |diagnostic: &Diagnostic| diagnostic.problem != Problem::UnknownName;
    if reading.diagnostics.iter().any(is_grave) {
        return Err(reading.diagnostics.into_iter().filter(is_grave).collect());
    }
    let mut formulas = Vec::new();
    if let Ok(seed) = Seed::read(&mut terms, name, source) {
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
    Ok(formulas)
}

/// A script as SMT-LIB 2.6, which is how findings keep their formulas.
fn text_of(terms: &mut Terms, script: &Script) -> String {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(script);
    printer.finish()
}

/// The solvers that a formula is run on: one that is named first, then the references, or those that are usual.
pub fn targets_for<D: Dialogue>(
    place: &Installation,
    solver: &String,
    references: &[String],
    dialogue: &mut D,
) -> Result<Vec<Target>, D::Failure> {
    let names = [slice::from_ref(solver), references].concat();
    let mut solvers = find_or_install(place, &names, dialogue)?;
    if references.is_empty() {
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
        let target = Target::cached(solver, &place.cache()).map_err(|error| SolverSearchError::Needed {
            name: name.clone(),
            problem: NotReady::Start(error),
        })?;
        if target.probe.works || targets.is_empty() {
            targets.push(target);
        } else {
            dialogue.message(&format!(
                "leaving out {name}: smoke test failed: no answer to a trivial formula\n"
            ))?;
        }
    }
    Ok(targets)
}

/// What was found about a file.
#[derive(Debug)]
pub struct Judged {
    /// The worst finding against the first solver; none if nothing is wrong with it.
    pub finding: Option<Finding>,
    /// What all solvers say.
    pub runs: Vec<Run>,
}

/// Runs the forms of a formula, until one shows that the first solver is wrong.
pub fn judge(name: &str, formulas: &[String], stage: &Stage<'_>) -> Result<Judged, ReplayError> {
    let culprit = &stage.targets[0].solver.name;
    let mut runs = Vec::new();
    for formula in formulas {
        let lineage =
            Lineage { technique: TRIAGE.to_owned(), seed: name.to_owned(), random_seed: 0, step: 0 };
        let case =
            Case { script: formula.clone(), expectation: Expectation::None, basis: Basis::Certain, lineage };
        let examined = examine(&case, culprit, stage)?;
        let is_blamed = |finding: &Finding| finding.verdict.culprit.as_ref() == Some(culprit);
        runs = examined.runs;
        if let Some(finding) = examined.findings.into_iter().find(is_blamed) {
            return Ok(Judged { finding: Some(finding), runs });
        }
    }
    Ok(Judged { finding: None, runs })
}

/// The formula of a finding as it is with all evidence about it; none if it cannot be established a second time.
pub fn exhibit_as_found(finding: &Finding, stage: &Stage<'_>) -> Result<Option<Exhibit>, ReplayError> {
    let wanted = &finding.verdict;
    let pick = |replay: &Replay| -> Option<Picked> {
        let mut verdicts = replay.verdicts.iter().zip(&replay.asked);
        let (verdict, asked) =
            verdicts.find(|(one, _)| one.class == wanted.class && one.culprit == wanted.culprit)?;
        Some((verdict.clone(), asked.clone()))
    };
    exhibit(finding, stage, &pick)
}

/// Whether a report may be written to a path: to a new or empty folder, or over an earlier report.
pub fn may_write_report(output: &Path) -> bool {
    let has_entries = fs::read_dir(output).is_ok_and(|mut entries| entries.next().is_some());
    let is_ours = output.join("finding.json").is_file() && output.join("report.md").is_file();
    (!output.exists() || output.is_dir()) && (!has_entries || is_ours)
}

/// Changes what triage has added to a finding, and writes its folder anew.
pub fn rewrite(finding: &Finding, folder: &Path, change: impl FnOnce(&mut Added)) -> io::Result<()> {
    let mut added = Added::load(folder)?;
    change(&mut added);
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent)?;
    }
    export_with(finding, &added, folder)
}

/// The solvers of a finding besides its culprit that are needed to show it.
pub fn others_of(installation: &Installation, finding: &Finding) -> Result<Vec<Target>, TargetsError> {
    if finding.verdict.evidence.is_about_culprit_alone() {
        return Ok(Vec::new());
    }
    let is_other = |command: &SolverCommand| Some(&command.solver) != finding.verdict.culprit.as_ref();
    targets_of(installation, finding, is_other)
}

/// Why the newest release cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum NewestError {
    /// The other solvers of the finding cannot be run.
    #[error(transparent)]
    Targets(#[from] TargetsError),
    /// The release cannot be run.
    #[error(transparent)]
    Ask(#[from] AskError),
}

/// What the newest installed release of the culprit's family does with a finding; none if there is no release.
pub fn ask_newest(installation: &Installation, finding: &Finding) -> Result<Option<Newest>, NewestError> {
    let Some(culprit) = culprit_of(finding) else { return Ok(None) };
    let family = Family::of_name(family_of(culprit));
    let found = installation.store().newest(family).and_then(|newest| {
        let mut solver = installation.finder().find(&newest.name()).ok()?;
        solver.invocation.args.extend(options_of(culprit, family).into_iter().map(Into::into));
        Some(solver)
    });
    let Some(solver) = found.filter(|_| family.package().is_some()) else { return Ok(None) };
    let release = solver.name.clone();
    if is_same_program(&solver, culprit) {
        let run = finding.runs.iter().find(|run| run.solver == culprit.solver);
        return Ok(Some(Newest { release, shows: Some(true), answer: run.map(|run| run.answer) }));
    }
    let Ok(target) = Target::cached(solver, &installation.cache()) else { return Ok(None) };
    let others = others_of(installation, finding)?;
    let limits = Limits::for_seconds(finding.timeout_secs.unwrap_or(DEFAULT_TIMEOUT_SECS));
    let own = installation.finder().own();
    let asked = ask(finding, &target, &others, &limits, own.as_ref())
        .map_err(|error| AskError { release: release.clone(), error })?;
    Ok(Some(Newest { release, shows: asked.shows, answer: asked.run.map(|run| run.answer) }))
}

/// The same, if the user agrees to what is started; why it cannot be asked is reported.
pub fn ask_newest_if_agreed<D: Dialogue<Failure: From<TriageError>>>(
    place: &Installation,
    finding: &Finding,
    dialogue: &mut D,
) -> Result<Option<Newest>, D::Failure> {
    // The release is run with the options of the culprit.
    let asked =
        agree_to(finding, dialogue).and_then(|()| Ok(ask_newest(place, finding).map_err(TriageError::from)?));
    asked.or_else(|failure| dialogue.report(failure).map(|()| None))
}

fn is_same_program(solver: &Solver, command: &SolverCommand) -> bool {
    let args: Vec<String> =
        solver.invocation.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    solver.invocation.program == Path::new(&command.program) && args == command.args
}

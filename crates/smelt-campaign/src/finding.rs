//! From a confirmed verdict to a finding: the case in the words of its solvers, with everything that a finding keeps.

use std::collections::BTreeMap;
use std::time::Duration;

use smelt_oracle::assertion_values::{AssertionValue, assertion_values, contradiction_values};
use smelt_oracle::evaluated::{EvaluatedRun, ModelWord};
use smelt_oracle::finding::{Evidence, Verdict};
use smelt_oracle::run::Limit;
use smelt_smtlib::canonical::canonical;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::Reading;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::operators;
use smelt_store::finding::{FORMAT, Finding, SafeMode};
use smelt_store::recorder::RunRecord;
use smelt_trial::confirm::Confirmed;
use smelt_trial::target::Target;
use smelt_trial::trial::Trial;
use smelt_trial::worker::Worker;

use crate::campaign::command_of_target;
use crate::record::id_of;
use crate::releases::is_understood;

/// The most processor time that one of some runs took; more than any limit if a limit of another kind ended one.
pub(crate) fn most_cpu<'r>(runs: impl Iterator<Item = &'r EvaluatedRun>) -> Duration {
    let cpu = |checked: &EvaluatedRun| match checked.run.limit {
        Some(Limit::Wall | Limit::Memory | Limit::Processes) => MORE_THAN_ANY_LIMIT,
        _ => Duration::from_secs_f64(checked.run.cpu_ms.max(0.0) / 1e3),
    };
    runs.map(cpu).max().unwrap_or_default()
}

/// A day of processor time.
const MORE_THAN_ANY_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The finding of a confirmed verdict, seen once.
pub(crate) fn finding_of(
    worker: &Worker<'_>,
    terms: &mut Terms,
    trial: &Trial,
    confirmed: Confirmed,
) -> Finding {
    let (targets, case, reading) = (worker.targets(), &trial.case, &trial.reading);
    let verdict = confirmed.explained();
    let Confirmed { drift, demonstration, runs, .. } = confirmed;
    let culprit = targets.iter().find(|target| Some(&target.solver.name) == verdict.culprit.as_ref());
    let (script, other_words) = match (demonstration, culprit) {
        (Some(demonstration), _) => (demonstration.script, demonstration.other_words),
        (None, culprit) => {
            let script = culprit.map(|target| target.text(terms, &reading.script));
            (script.unwrap_or_else(|| case.script.clone()), other_words(terms, targets, culprit, reading))
        }
    };
    let safe_mode = safe_mode(targets, verdict.culprit.as_deref(), &script, &other_words);
    let mut text = String::new();
    case.push_header(&trial.detail, &mut text);
    text.push_str(&script);
    let operators = operator_names(terms, &reading.script);
    let has_run = |target: &Target| runs.iter().any(|run| run.run.solver == target.solver.name);
    let commands = targets
        .iter()
        .filter(|target| target.options_of.is_none() || has_run(target))
        .map(command_of_target)
        .collect();
    Finding {
        format: FORMAT,
        id: id_of(&verdict, &case.lineage, &operators, &canonical_text(terms, reading)),
        evaluated: values_under_evidence(terms, targets, reading, &verdict),
        verdict,
        confirmed: true,
        count: 1,
        lineage: case.lineage.clone(),
        detail: trial.detail.clone(),
        operators,
        drifting: drift.operators,
        bytes: text.len(),
        runs: runs.into_iter().map(|run| run.run).collect(),
        commands,
        timeout_secs: Some(worker.limits().cpu.as_secs_f64()),
        other_words,
        formula: Some(case.script.clone()),
        safe_mode,
        script: text,
    }
}

/// The case for each solver that does not take the wording of the culprit, by name.
fn other_words(
    terms: &mut Terms,
    targets: &[Target],
    culprit: Option<&Target>,
    reading: &Reading,
) -> BTreeMap<String, String> {
    let is_other = |target: &&Target| culprit.is_none_or(|culprit| target.wording() != culprit.wording());
    let others = targets.iter().filter(is_other);
    others.map(|target| (target.solver.name.clone(), target.text(terms, &reading.script))).collect()
}

/// The assertions under the model that is the evidence; nothing where the evidence is something else.
fn values_under_evidence(
    terms: &mut Terms,
    targets: &[Target],
    reading: &Reading,
    verdict: &Verdict,
) -> Vec<AssertionValue> {
    if let Evidence::FalseUnderEveryModel { .. } = &verdict.evidence {
        return contradiction_values(terms, reading);
    }
    let (printer, model, only) = match &verdict.evidence {
        Evidence::Model { solver, model } => (Some(solver), model, None),
        Evidence::FalseAssertions { model, .. } => (verdict.culprit.as_ref(), model, None),
        Evidence::Core { solver, model, assertions } => (Some(solver), model, Some(assertions)),
        _ => return Vec::new(),
    };
    let printed_by = |target: &&Target| Some(&target.solver.name) == printer;
    let dialect = targets.iter().find(printed_by).map(Target::dialect).unwrap_or_default();
    let mut lines = assertion_values(terms, reading, model, dialect);
    lines.retain(|line| only.is_none_or(|only| only.contains(&line.number)));
    lines
}

/// Whether a finding shows in safe mode: that of its culprit, or that of all that have one where none is to blame.
fn safe_mode(
    targets: &[Target],
    culprit: Option<&str>,
    script: &str,
    other_words: &BTreeMap<String, String>,
) -> Option<SafeMode> {
    let is_meant = |target: &&Target| culprit.is_none_or(|culprit| target.solver.name == culprit);
    let text_for = |target: &Target| other_words.get(&target.solver.name).map_or(script, String::as_str);
    let known = targets.iter().filter(is_meant).filter_map(|target| target.is_safe(text_for(target)));
    known.map(|is_safe| if is_safe { SafeMode::Inside } else { SafeMode::Outside }).max()
}

/// Runs as they are recorded: those of the targets.
pub(crate) fn run_records(targets: &[Target], runs: &[EvaluatedRun]) -> Vec<RunRecord> {
    let position =
        |checked: &EvaluatedRun| targets.iter().position(|target| target.solver.name == checked.run.solver);
    runs.iter().filter_map(|checked| Some(run_record(position(checked)?, checked))).collect()
}

/// A run of the solver with this position.
fn run_record(solver: usize, checked: &EvaluatedRun) -> RunRecord {
    let millis = |millis: f64| Duration::from_secs_f64(millis.max(0.0) / 1e3);
    RunRecord {
        solver,
        answer: checked.run.answer,
        limit: checked.run.limit,
        model: ModelWord::of(&checked.model),
        message: checked.run.reason.clone().filter(|_| !is_understood(checked.run.answer)),
        cpu: millis(checked.run.cpu_ms),
        wall: millis(checked.run.wall_ms),
    }
}

fn canonical_text(terms: &mut Terms, reading: &Reading) -> String {
    let kept: Vec<_> = reading
        .script
        .commands
        .iter()
        .flat_map(|command| match command {
            Command::DeclareDatatypes(datatypes) => datatypes.clone(),
            _ => Vec::new(),
        })
        .flat_map(|datatype| datatype.constructors)
        .flat_map(|constructor| {
            let selectors = constructor.selectors.into_iter().map(|(selector, _)| selector);
            selectors.chain([constructor.name]).collect::<Vec<_>>()
        })
        .collect();
    let roots: Vec<Term> = reading.script.terms().collect();
    let forms = canonical(terms, &roots, |_, symbol| kept.contains(&symbol));
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    for form in forms {
        printer.term(form);
    }
    printer.finish()
}

pub(crate) fn operator_names(terms: &Terms, script: &Script) -> Vec<String> {
    let roots: Vec<Term> = script.terms().collect();
    let mut names: Vec<String> =
        operators(terms, &roots).into_iter().map(|op| op.info().name.to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

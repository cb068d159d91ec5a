//! From a confirmed verdict to an observation: the case in the words of its solvers, with all that a finding keeps.

use std::collections::BTreeMap;
use std::time::Duration;

use smelt_oracle::case::Case;
use smelt_oracle::evaluated::{EvaluatedRun, ModelWord};
use smelt_oracle::finding::{Evidence, Verdict};
use smelt_oracle::run::Limit;
use smelt_runner::limits::Limits;
use smelt_smtlib::canonical::canonical;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::Reading;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::operators;
use smelt_store::finding::{Evaluated, SafeMode};
use smelt_store::recorder::RunRecord;

use crate::drift;
use crate::evaluate;
use crate::hearing::Demonstration;
use crate::hunt::HuntError;
use crate::record::Observation;
use crate::releases::is_understood;
use crate::target::Target;

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

/// A case with what made it.
pub(crate) struct Link<'l> {
    pub case: &'l Case,
    /// What the last step did, for people.
    pub detail: &'l str,
}

/// What is observed of a case.
pub(crate) struct Seen<'s> {
    pub reading: &'s Reading,
    /// The confirming runs.
    pub runs: &'s [EvaluatedRun],
    pub verdict: Verdict,
    /// The question that shows it, where that is not the case itself.
    pub asked: Option<Demonstration>,
}

/// The hunt in which something is observed.
pub(crate) struct Around<'a> {
    pub targets: &'a [Target],
    pub limits: &'a Limits,
    pub timeout_secs: f64,
}

impl Around<'_> {
    /// All that a finding keeps of what was seen.
    pub(crate) fn observe(
        &self,
        terms: &mut Terms,
        link: &Link<'_>,
        seen: Seen<'_>,
    ) -> Result<Observation, HuntError> {
        let Seen { reading, runs, mut verdict, asked } = seen;
        let (targets, case) = (self.targets, link.case);
        let culprit = targets.iter().find(|target| Some(&target.solver.name) == verdict.culprit.as_ref());
        let drifting = drift::explain(terms, reading, targets, self.limits, &mut verdict)
            .map_err(|(solver, error)| HuntError::Solver { solver, error })?;
        let mut other_words = BTreeMap::new();
        if asked.is_none() {
            let is_other = |target: &&Target| culprit.is_none_or(|culprit| target.words() != culprit.words());
            for target in targets.iter().filter(is_other) {
                other_words.insert(target.solver.name.clone(), target.text(terms, &reading.script));
            }
        }
        // The runs of a finding are runs of its script.
        let mut runs = runs.to_vec();
        let script = match (asked, culprit) {
            (Some(asked), _) => {
                runs = asked.runs.unwrap_or(runs);
                other_words = asked.other_words;
                asked.script
            }
            (None, Some(target)) => target.text(terms, &reading.script),
            (None, None) => case.script.clone(),
        };
        let safe_mode = safe_mode(targets, verdict.culprit.as_deref(), &script, &other_words);
        let mut header = String::new();
        case.push_header(link.detail, &mut header);
        let evaluated = self.evaluated(terms, reading, &verdict);
        let has_run = |target: &Target| runs.iter().any(|checked| checked.run.solver == target.solver.name);
        Ok(Observation {
            verdict,
            script: header + &script,
            formula: case.script.clone(),
            canonical: canonical_text(terms, reading),
            operators: operator_names(terms, &reading.script),
            drifting,
            lineage: case.lineage.clone(),
            detail: link.detail.to_owned(),
            runs: runs.iter().map(|checked| checked.run.clone()).collect(),
            commands: targets
                .iter()
                .filter(|target| target.options_of.is_none() || has_run(target))
                .map(Target::command)
                .collect(),
            timeout_secs: self.timeout_secs,
            other_words,
            evaluated,
            safe_mode,
        })
    }

    /// The assertions under the model that is the evidence; nothing where the evidence is something else.
    fn evaluated(&self, terms: &mut Terms, reading: &Reading, verdict: &Verdict) -> Vec<Evaluated> {
        let (printer, model, only) = match &verdict.evidence {
            Evidence::Model { solver, model } => (Some(solver), model, None),
            Evidence::FalseAssertions { model, .. } => (verdict.culprit.as_ref(), model, None),
            Evidence::Core { solver, model, assertions } => (Some(solver), model, Some(assertions)),
            _ => return Vec::new(),
        };
        let printed_by = |target: &&Target| Some(&target.solver.name) == printer;
        let dialect = self.targets.iter().find(printed_by).map(Target::dialect).unwrap_or_default();
        let mut lines = evaluate::evaluated(terms, reading, model, dialect);
        lines.retain(|line| only.is_none_or(|only| only.contains(&line.number)));
        lines
    }
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

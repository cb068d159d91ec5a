//! Looking again: what seems wrong counts only if fresh processes show it, and an older definition does not explain it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_oracle::evaluated::{EvaluatedRun, ModelCheck, ModelWord};
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::references::Known;
use smelt_oracle::run::Run;
use smelt_store::study::{Role, RunRow, StudyStore, known_of};

use super::work::{Question, Unit, carry_out, solver_error};
use super::{Phase, ReleaseStudy, StudyError, StudyProgress, StudySubject};
use smelt_trial::SolverFailure;
use smelt_trial::drift::{Drift, Suspects};
use smelt_trial::judge::Referee;

/// What is known of the formulas of a theory.
struct Evidences {
    known: Vec<Known>,
    /// Accepted models by formula.
    models: BTreeMap<u32, PrintedModel>,
}

/// A model that our evaluator accepted.
struct PrintedModel {
    /// The number of the solver that printed it.
    printer: u32,
    text: String,
}

/// Looks again at every run that seems wrong and was not looked at again.
pub(super) fn run(
    study: &ReleaseStudy,
    store: &mut StudyStore,
    stop: &AtomicBool,
    told: &mut dyn FnMut(&StudyProgress),
) -> Result<(), StudyError> {
    let mut evidences: BTreeMap<u32, Evidences> = BTreeMap::new();
    let mut suspects: BTreeMap<(u32, u32, u32), Class> = BTreeMap::new();
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut before = 0;
    let mut referee = Referee::default();
    for theory in &study.theories {
        let rows = store.runs(theory.id)?;
        let family_of = |id| study.subject(id).map_or("", |subject| subject.family());
        let known = known_of(theory.formulas.len(), &rows, family_of);
        for subject in study.subjects.iter().filter(|subject| subject.is_release) {
            let own = |row: &&RunRow| row.solver == subject.id;
            let seen: BTreeSet<u32> = rows
                .iter()
                .filter(own)
                .filter(|row| row.role == Role::Again)
                .map(|row| row.formula)
                .collect();
            before += seen.len() as u64;
            let mut formulas = Vec::new();
            for row in rows.iter().filter(own).filter(|row| row.role == Role::Release) {
                if seen.contains(&row.formula) {
                    continue;
                }
                let opinions = known[row.formula as usize].opinions();
                if let Some(verdict) = referee.verdict(&recorded_run(subject, row), opinions) {
                    suspects.insert((theory.id, subject.id, row.formula), verdict.class);
                    formulas.push(row.formula);
                }
            }
            let pieces = formulas.chunks(PIECE).map(<[u32]>::to_vec);
            units.extend(pieces.map(|formulas| Unit { theory, subject, role: Role::Again, formulas }));
        }
        let printed = |row: RunRow| {
            let model = PrintedModel { printer: row.solver, text: row.output? };
            Some((row.formula, model))
        };
        let models = rows.into_iter().filter_map(printed).collect();
        evidences.insert(theory.id, Evidences { known, models });
    }
    let total = before + suspects.len() as u64;
    let mut progress = StudyProgress { phase: Phase::Again, before, done: before, total };
    let work = |unit: &Unit<'_>, send: &mut dyn FnMut(RunRow) -> bool| {
        let evidences = &evidences[&unit.theory.id];
        for number in &unit.formulas {
            let suspected = suspects[&(unit.theory.id, unit.subject.id, *number)];
            let again = Again { study, unit, number: *number, evidences };
            if stop.load(Ordering::Relaxed) || !send(again.look(suspected)?) {
                break;
            }
        }
        Ok(())
    };
    carry_out(store, &units, study.jobs, work, &mut || {
        progress.done += 1;
        told(&progress);
    })
}

/// A worker looks at this many formulas again at once.
const PIECE: usize = 20;

/// What a row says of its run, for judges. The assertions that a refuted model makes false are not recorded.
fn recorded_run(subject: &StudySubject, row: &RunRow) -> EvaluatedRun {
    let model = match row.model {
        None => ModelCheck::Missing,
        Some(ModelWord::Accepted) => ModelCheck::Accepted,
        Some(ModelWord::Refuted) => ModelCheck::Refuted(Vec::new()),
        Some(ModelWord::Undecided) => ModelCheck::Undecided,
    };
    let run = Run::saying(&subject.target.solver.name, row.answer);
    EvaluatedRun { model, ..EvaluatedRun::without_model(subject.family(), run) }
}

/// A formula that a release is asked again about.
struct Again<'a> {
    study: &'a ReleaseStudy,
    unit: &'a Unit<'a>,
    number: u32,
    evidences: &'a Evidences,
}

impl Again<'_> {
    /// Runs the formula in fresh processes, until two runs in a row show the same or one shows nothing wrong. The run
    /// that was seen first, with this class, counts as one of them.
    fn look(&self, suspected: Class) -> Result<RunRow, StudyError> {
        let target = &self.unit.subject.target;
        let limits = self.study.limits(Role::Again);
        let mut question = Question::new(&self.unit.theory.formulas[self.number as usize].script);
        let mut referee = Referee::default();
        let mut expected = suspected;
        loop {
            let run = question.ask_cold(target, &limits).map_err(|error| solver_error(target, error))?;
            let run = run.map(|run| question.evaluated(target, run));
            let mut row = question.row(self.unit, self.number, run.as_ref());
            let Some(verdict) = run.and_then(|run| referee.verdict(&run, self.opinions())) else {
                return Ok(row);
            };
            if verdict.class != expected && expected == suspected {
                // Wrong, but otherwise: once more.
                expected = verdict.class;
                continue;
            }
            if verdict.class == expected {
                let drift = self.drift(&verdict, &mut question)?;
                row.note = row.note.or_else(|| drift.is_explanation.then(|| drift.operators.join(" ")));
                row.class = Some(drift.explain(verdict).class);
            }
            return Ok(row);
        }
    }

    /// What is known of the formula; its model with the solver that printed it, which may have been left out since.
    fn opinions(&self) -> Vec<EvaluatedRun> {
        let mut opinions = self.evidences.known[self.number as usize].opinions();
        if let Some(model) = self.evidences.models.get(&self.number)
            && let Some(printer) = self.study.subject(model.printer)
        {
            for opinion in opinions.iter_mut().filter(|opinion| opinion.model == ModelCheck::Accepted) {
                opinion.run.solver.clone_from(&printer.target.solver.name);
                opinion.run.output.clone_from(&model.text);
            }
        }
        opinions
    }

    /// Whether an older definition of an operator explains a verdict.
    fn drift(&self, verdict: &Verdict, question: &mut Question) -> Result<Drift, StudyError> {
        let subject = self.unit.subject;
        // References that follow another definition explain a dispute too.
        let is_asked = |other: &&StudySubject| match &verdict.evidence {
            Evidence::Model { solver, .. } => *solver == other.target.solver.name,
            Evidence::Disagreement { .. } => other.is_reference,
            _ => false,
        };
        let others = self.study.subjects.iter().filter(is_asked).filter(|other| other.id != subject.id);
        let targets = std::iter::once(&subject.target).chain(others.map(|other| &other.target)).collect();
        let limits = self.study.limits(Role::Again);
        Suspects { targets, limits: &limits }
            .drift(&mut question.terms, &question.reading, verdict)
            .map_err(|SolverFailure { solver, error }| StudyError::Solver { name: solver, error })
    }
}

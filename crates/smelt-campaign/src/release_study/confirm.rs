//! Looking again: what seems wrong counts only if fresh processes show it, and an older definition does not explain it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_oracle::evaluated::ModelCheck;
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::references::Known;
use smelt_oracle::run::Run;
use smelt_store::study::{Role, RunRow, StudyStore, known_of};

use super::work::{Question, Unit, carry_out, solver_error};
use super::{Phase, Progress, Study, StudyError};
use smelt_trial::SolverFailure;
use smelt_trial::drift::Suspects;
use smelt_trial::target::Target;

/// What is known of the formulas of a theory.
struct Evidences {
    known: Vec<Known>,
    /// By formula, the solver that printed a model of it, and the model.
    models: BTreeMap<u32, (u32, String)>,
}

/// Looks again at every run that seems wrong and was not looked at again.
pub(super) fn run(
    study: &Study,
    store: &mut StudyStore,
    stop: &AtomicBool,
    told: &mut dyn FnMut(&Progress),
) -> Result<(), StudyError> {
    let mut evidences: BTreeMap<u32, Evidences> = BTreeMap::new();
    let mut suspects: BTreeMap<(u32, u32, u32), Class> = BTreeMap::new();
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut before = 0;
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
                let wrong = known[row.formula as usize].wrong(subject.family(), row.answer, row.model);
                if let Some(class) = wrong.filter(|_| !seen.contains(&row.formula)) {
                    suspects.insert((theory.id, subject.id, row.formula), class);
                    formulas.push(row.formula);
                }
            }
            let pieces = formulas.chunks(PIECE).map(<[u32]>::to_vec);
            units.extend(pieces.map(|formulas| Unit { theory, subject, role: Role::Again, formulas }));
        }
        let models =
            rows.into_iter().filter_map(|row| Some((row.formula, (row.solver, row.output?)))).collect();
        evidences.insert(theory.id, Evidences { known, models });
    }
    let total = before + suspects.len() as u64;
    let mut progress = Progress { phase: Phase::Again, before, done: before, total };
    let work = |unit: &Unit<'_>, send: &mut dyn FnMut(RunRow) -> bool| {
        let evidences = &evidences[&unit.theory.id];
        for number in &unit.formulas {
            let suspected = suspects[&(unit.theory.id, unit.subject.id, *number)];
            if stop.load(Ordering::Relaxed) || !send(look_again(study, unit, *number, suspected, evidences)?)
            {
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

/// So many formulas are looked at again at once by a worker.
const PIECE: usize = 20;

/// Runs a formula in fresh processes, until two runs in a row show the same or one shows nothing wrong. The run that was
/// seen first counts as one of them.
fn look_again(
    study: &Study,
    unit: &Unit<'_>,
    number: u32,
    suspected: Class,
    evidences: &Evidences,
) -> Result<RunRow, StudyError> {
    let target = &unit.subject.target;
    let limits = study.limits(Role::Again);
    let known = &evidences.known[number as usize];
    let mut question = Question::new(&unit.theory.formulas[number as usize].script);
    let mut expected = suspected;
    loop {
        let run = question.ask_cold(target, &limits).map_err(|error| solver_error(target, error))?;
        let mut row = question.row(unit, number, target, run.as_ref());
        let (Some(run), Some(class)) = (run, known.wrong(unit.subject.family(), row.answer, row.model))
        else {
            return Ok(row);
        };
        if class != expected && expected == suspected {
            // Wrong, but otherwise: once more.
            expected = class;
            continue;
        }
        if class == expected {
            let (class, operators) = explain(study, unit, number, class, &run, evidences, &mut question)?;
            row.class = Some(class);
            row.note = row.note.or(operators);
        }
        return Ok(row);
    }
}

/// The class, which is drift if an older definition explains it, and the operators that do.
fn explain(
    study: &Study,
    unit: &Unit<'_>,
    number: u32,
    class: Class,
    run: &Run,
    evidences: &Evidences,
    question: &mut Question,
) -> Result<(Class, Option<String>), StudyError> {
    if !class.is_about_meaning() {
        return Ok((class, None));
    }
    let target = &unit.subject.target;
    let mut targets: Vec<&Target> = vec![target];
    // Who printed the model may have been left out since.
    let certificate =
        evidences.models.get(&number).and_then(|(printer, model)| Some((study.subject(*printer)?, model)));
    let evidence = match (class, certificate) {
        (Class::SoundnessRefutation, Some((printer, model))) => {
            if printer.id != unit.subject.id {
                targets.push(&printer.target);
            }
            Evidence::Model { solver: printer.target.solver.name.clone(), model: model.clone() }
        }
        (Class::InvalidModel, _) => {
            let assertions = match question.model(target, run) {
                ModelCheck::Refuted(assertions) => assertions,
                _ => Vec::new(),
            };
            Evidence::FalseAssertions { model: run.output.clone(), assertions }
        }
        _ => {
            // References that follow another definition explain it too.
            let references = study.subjects.iter().filter(|subject| subject.is_reference);
            let others = references.filter(|subject| subject.id != unit.subject.id);
            targets.extend(others.map(|subject| &subject.target));
            Evidence::Disagreement { sat: Vec::new(), unsat: Vec::new() }
        }
    };
    let culprit = (class != Class::Disputed).then(|| target.solver.name.clone());
    let verdict = Verdict { class, culprit, evidence };
    let limits = study.limits(Role::Again);
    let suspects = Suspects { targets, limits: &limits };
    let drift = suspects
        .drift(&mut question.terms, &question.reading, &verdict)
        .map_err(|SolverFailure { solver, error }| StudyError::Solver { name: solver, error })?;
    let operators = drift.is_explanation.then(|| drift.operators.join(" "));
    Ok((drift.explain(verdict).class, operators))
}

//! The arbiter: a solver that is not under test, asked where the targets disagree and nothing tells who is right.

use smelt_oracle::evaluated::EvaluatedRun;
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::term::Terms;

use crate::SolverFailure;
use crate::target::PRODUCE_MODELS;
use crate::trial::Trial;

/// An answer that takes longer most often never comes.
const ARBITER_SECS: f64 = 1.0;

/// What the arbiter answers to the case of a trial, in a fresh process.
pub(crate) fn ask(terms: &mut Terms, trial: &Trial, arbiter: &Solver) -> Result<EvaluatedRun, SolverFailure> {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(&trial.reading.script);
    let text = format!("{PRODUCE_MODELS}{}(get-model)\n", printer.finish());
    let raw = cold::run(&arbiter.invocation, &text, &Limits::for_seconds(ARBITER_SECS))
        .map_err(|error| SolverFailure { solver: arbiter.name.clone(), error })?;
    let run = read_run(&arbiter.name, &raw);
    Ok(EvaluatedRun {
        model: trial.formula.model_of(terms, &run, Dialect::V26),
        run,
        family: arbiter.family.name().to_owned(),
        version: None,
        dialect: Dialect::V26,
        is_warm: false,
    })
}

//! Judges: what is wrong with the runs of a case.
//!
//! Ground truth is certified: a `sat` counts for more than an opinion only if our evaluator accepts its model, an
//! `unsat` only by construction or by the agreement of others. A judge speaks at once, or first asks for more runs;
//! who runs them is none of its business, so every judge can be tested with invented runs.

mod claim;
mod consistency;
mod core;
mod crash;
mod derived;
mod determinism;
mod implication;
mod incompleteness;
mod limits;
mod model;
mod optimum;
mod performance;
mod proof;
mod simplify;
mod trace;
mod truth;
mod values;
mod warm_cold;
mod weigh;

use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
pub use trace::always_looked_at;

use crate::case::{Basis, Expectation, Relation};
use crate::evaluated::{EvaluatedRun, Formula};
use crate::finding::{Class, Evidence, Verdict};
use crate::run::Answer;

/// A way to form verdicts.
pub trait Judge: Sync {
    /// The name that users give it.
    fn name(&self) -> &'static str;

    /// What it looks for, in one line.
    fn about(&self) -> &'static str;

    /// The classes of its verdicts.
    fn classes(&self) -> &'static [Class];

    /// Whether hunts for wrong answers use it unless told otherwise.
    fn is_usual(&self) -> bool {
        true
    }

    /// Whether it compares how long solvers take, so that runs need their full limit.
    fn is_about_time(&self) -> bool {
        false
    }

    /// Whether its evidence is a check of a session, also where others have verdicts of the same class.
    fn is_about_sessions(&self) -> bool {
        false
    }

    /// Looks at what was observed and at the replies to all questions asked so far.
    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep;
}

/// What a judge does next.
#[derive(Debug)]
pub enum JudgeStep {
    /// It needs the replies to these questions first. An empty list asks to run the case itself in fresh processes.
    Ask(Vec<Question>),
    /// These are its verdicts.
    Done(Vec<Verdict>),
}

/// One more run that a judge asks for.
#[derive(Debug, Clone)]
pub struct Question {
    /// The solver to ask, by name.
    pub solver: String,
    /// What to ask it.
    pub script: Script,
    /// In which process to ask.
    pub venue: Venue,
    /// How many times the time limit of the hunt it gets.
    pub time_factor: u32,
}

/// In which process a question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Venue {
    /// In a fresh process.
    Fresh,
    /// At the end of the session in which the case was run, with everything that came before it.
    Session,
}

/// What is known of a case.
#[derive(Debug)]
pub struct Observed<'c> {
    /// What must hold.
    pub expectation: Expectation,
    /// What that rests on.
    pub basis: &'c Basis,
    /// The case as a script of declarations, assertions and one check.
    pub script: &'c Script,
    /// The case, ready for models.
    pub formula: &'c Formula,
    /// Its runs.
    pub runs: &'c [EvaluatedRun],
    /// The runs that were made first, if `runs` are those in fresh processes.
    pub first: Option<&'c [EvaluatedRun]>,
    /// The formula before it in its chain, if it follows from that one or the other way round.
    pub parent: Option<Parent<'c>>,
    /// A number drawn for the case. Judges that cost runs look at a share of all cases by it.
    pub sample_key: u64,
}

/// The formula before a case in its chain.
#[derive(Debug, Clone, Copy)]
pub struct Parent<'c> {
    /// The formula.
    pub script: &'c Script,
    /// How the case follows from it.
    pub relation: Relation,
    /// What was done to it, and where.
    pub change: &'c str,
    /// Its runs; none if it was not run.
    pub runs: Option<&'c [EvaluatedRun]>,
}

impl<'c> Observed<'c> {
    /// A script for the solver of a run, in a process of its own.
    fn ask(&self, checked: &EvaluatedRun, script: Script) -> Question {
        Question { solver: checked.run.solver.clone(), script, venue: Venue::Fresh, time_factor: 1 }
    }

    /// Those runs that gave this answer.
    fn saying(&self, answer: Answer) -> impl Iterator<Item = &'c EvaluatedRun> {
        self.runs.iter().filter(move |checked| checked.run.answer == answer)
    }
}

/// A verdict against the solver of a run.
fn blame(class: Class, checked: &EvaluatedRun, evidence: Evidence) -> Verdict {
    Verdict { class, culprit: Some(checked.run.solver.clone()), evidence }
}

/// All judges.
pub fn judges() -> Vec<&'static dyn Judge> {
    vec![
        &truth::GroundTruth,
        &truth::Differential,
        &model::InvalidModel,
        &core::InvalidCore,
        &proof::InvalidProof,
        &simplify::InvalidSimplification,
        &optimum::InvalidOptimum,
        &derived::INTERPOLANT,
        &derived::ELIMINATION,
        &derived::ABDUCT,
        &crash::Crash,
        &performance::Slowdown,
        &incompleteness::Regression,
        &performance::Hang,
        &implication::Implication,
        &consistency::Inconsistency,
        &trace::TraceInconsistency,
        &values::Values,
        &limits::Limits,
        &determinism::Nondeterminism,
        &warm_cold::WarmCold,
    ]
}

/// The judges that may have found something of this class.
pub fn judges_of(class: Class) -> Vec<&'static dyn Judge> {
    // Drift is what a verdict of another class becomes.
    judges().into_iter().filter(|judge| class == Class::Drift || judge.classes().contains(&class)).collect()
}

/// The judge with this name.
pub fn judge(name: &str) -> Option<&'static dyn Judge> {
    judges().into_iter().find(|judge| judge.name() == name)
}

#[cfg(test)]
mod tests;

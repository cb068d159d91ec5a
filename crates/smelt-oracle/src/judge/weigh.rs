//! How answers that contradict each other are weighed, for all judges and for studies of releases alike.

use crate::run::Answer;

/// Whether an answer is refuted by a model that our evaluator accepts.
pub(crate) fn is_refuted(answer: Answer, has_certificate: bool) -> bool {
    has_certificate && answer == Answer::Unsat
}

/// Whether a `sat` whose model fails is wrong: solvers of at least two other origins say `unsat`.
pub(crate) fn is_outvoted<'o>(own: &str, unsat: impl Iterator<Item = &'o str>) -> bool {
    let mut others: Vec<&str> = unsat.filter(|origin| *origin != own).collect();
    others.sort_unstable();
    others.dedup();
    others.len() >= 2
}

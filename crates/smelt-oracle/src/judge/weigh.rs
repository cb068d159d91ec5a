//! How answers that contradict each other are weighed, by all judges alike.

use crate::references::lineage;
use crate::run::Answer;

/// Whether an answer is refuted by a model that our evaluator accepts.
pub(crate) fn is_refuted(answer: Answer, has_certificate: bool) -> bool {
    has_certificate && answer == Answer::Unsat
}

/// Whether a `sat` whose model fails is wrong: solvers of at least two other lineages say `unsat`.
pub(crate) fn is_outvoted<'f>(own: &str, unsat: impl Iterator<Item = &'f str>) -> bool {
    let others = lineages(unsat);
    others.len() - usize::from(others.contains(&lineage(own))) >= 2
}

/// The lineages of families, each once.
pub(crate) fn lineages<'f>(families: impl Iterator<Item = &'f str>) -> Vec<&'f str> {
    let mut lineages: Vec<&str> = families.map(lineage).collect();
    lineages.sort_unstable();
    lineages.dedup();
    lineages
}

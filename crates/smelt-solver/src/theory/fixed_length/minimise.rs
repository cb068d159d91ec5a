//! Smaller refutations: constraints that are not needed are left out.
//!
//! A refutation that rests on exact lengths costs its reader one length for every variable of its constraints. So each constraint is
//! taken away in turn, and if the others are refuted without it, that refutation is taken instead; it may be smaller still, or general.

use smelt_semantics::Budget;

use super::{Answer, Problem, Refutation, decide};
use crate::theory::regex::Regexes;

/// Refutations of more constraints stay as they are.
const MAX_CONSTRAINTS: usize = 24;

/// A refutation with as few constraints as the budget allows.
pub(super) fn minimise(
    regexes: &mut Regexes,
    problem: &Problem,
    refutation: Refutation,
    budget: &mut Budget,
) -> Refutation {
    let mut best = refutation;
    // A constraint without which the others have a solution stays needed as more are left out.
    let mut needed: Vec<usize> = Vec::new();
    while best.constraints().len() <= MAX_CONSTRAINTS && !best.is_general() {
        let Some(left_out) = best.constraints().iter().copied().find(|index| !needed.contains(index)) else {
            break;
        };
        let kept: Vec<usize> =
            best.constraints().iter().copied().filter(|&index| index != left_out).collect();
        let smaller = Problem {
            lengths: problem.lengths.clone(),
            constraints: kept.iter().map(|&index| problem.constraints[index].clone()).collect(),
        };
        match decide(regexes, &smaller, budget) {
            Ok(Answer::Unsat(refutation)) => best = refutation.renumbered(&kept),
            Ok(Answer::Sat(_)) => needed.push(left_out),
            Ok(Answer::Unknown) | Err(_) => break,
        }
    }
    best
}

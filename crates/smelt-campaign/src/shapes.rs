//! The shapes of a formula: which operators it has, and which stand below which.
//!
//! A technique that keeps making new shapes leads solvers to places where they have not been. Shapes follow from the
//! formula alone, so what techniques are given for them does not depend on how fast the machine is.

use smelt_oracle::evaluated::EvaluatedRun;
use smelt_oracle::run::Answer;
use smelt_runner::script_profile::ScriptProfile;
use smelt_smtlib::term::Terms;
use smelt_trial::target::Target;

use crate::schedule::mix;

/// The shapes of a formula with these profile, as numbers that are the same on every machine.
pub(crate) fn shapes(terms: &Terms, profile: &ScriptProfile) -> Vec<u64> {
    let mut shapes = Vec::new();
    for term in &profile.subterms {
        let Some(op) = terms.op(*term) else { continue };
        let name = number_of(0, op.info().name);
        shapes.push(name);
        let below = terms.args(*term).iter().filter_map(|arg| terms.op(*arg));
        shapes.extend(below.map(|below| number_of(name, below.info().name)));
    }
    shapes.sort_unstable();
    shapes.dedup();
    shapes
}

/// What solvers did with the shapes of a case, as numbers: the answers with which runs ended by themselves.
pub(crate) fn outcomes(shapes: &[u64], targets: &[Target], runs: &[EvaluatedRun]) -> Vec<u64> {
    let mut outcomes = Vec::new();
    for checked in runs.iter().filter(|checked| is_understood(checked.run.answer)) {
        let name = &checked.run.solver;
        let Some(solver) = targets.iter().position(|target| target.solver.name == *name) else { continue };
        let answer = number_of(solver as u64, checked.run.answer.word());
        outcomes.extend(shapes.iter().map(|shape| mix(*shape, answer)));
    }
    outcomes
}

/// Whether a solver has understood a formula and come to an end.
fn is_understood(answer: Answer) -> bool {
    matches!(answer, Answer::Sat | Answer::Unsat | Answer::Unknown)
}

fn number_of(before: u64, name: &str) -> u64 {
    name.bytes().fold(mix(before, 0), |number, byte| mix(number, u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::op::Dialect;
    use smelt_smtlib::read::read_script_as;

    use super::*;

    fn of(script: &str) -> Vec<u64> {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, script, Dialect::V26);
        assert!(reading.diagnostics.is_empty(), "{script}");
        shapes(&terms, &ScriptProfile::of(&terms, &reading.script))
    }

    #[test]
    fn a_shape_is_an_operator_or_one_below_another() {
        let one = of("(declare-const x Int)(assert (> (+ x 1) 2))");
        assert_eq!(one.len(), 3);
        assert_eq!(of("(declare-const y Int)(assert (> (+ y 7) 2))"), one);
        let other = of("(declare-const x Int)(assert (> (* x 1) (+ x 2)))");
        assert!(one.iter().all(|shape| other.contains(shape)));
        assert_eq!(other.len(), 5);
    }
}

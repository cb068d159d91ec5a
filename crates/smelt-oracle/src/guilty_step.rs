//! The guilty inference of a wrong `unsat`: the first step of its proof that is false.

use serde::{Deserialize, Serialize};
use smelt_proof::steps::{FalseStep, TestLimits, read_proof, standalone, test_steps};
use smelt_semantics::environment::Environment;
use smelt_semantics::model::Model;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::term_text;
use smelt_smtlib::read::read_script;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::Terms;

/// A step of a proof that is false: its premises are true, and its conclusion is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuiltyStep {
    /// The name of the rule.
    pub rule: String,
    /// The line in the proof.
    pub line: u32,
    /// What it follows from.
    pub premises: Vec<String>,
    /// What it claims.
    pub conclusion: String,
    /// Values that make it false, as `name = value`; none if those of the model that refutes the answer do.
    pub values: Vec<String>,
    /// The premises and the negated conclusion as a script, which has a model.
    pub script: String,
}

/// A model of the formula whose `unsat` is wrong, as a solver printed it.
#[derive(Debug, Clone, Copy)]
pub struct RefutingModel<'m> {
    /// What was printed.
    pub text: &'m str,
    /// The dialect of that solver.
    pub dialect: Dialect,
}

/// The first false step of a proof of a plain script: under a model of the script, or else under other values; none if the
/// proof cannot be read or no step is known to be false.
pub fn guilty_step(plain: &str, proof: &str, model: Option<RefutingModel<'_>>) -> Option<GuiltyStep> {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, plain);
    let environment = Environment::at_last_check(&terms, &reading.script);
    let derivation = read_proof(&mut terms, &reading.scope, proof, Dialect::V26).ok()?;
    let model =
        model.and_then(|model| Model::parse(&mut terms, &reading.scope, model.text, model.dialect).ok());
    let test = test_steps(&mut terms, &environment, &derivation, model.as_ref(), TestLimits::default());
    let FalseStep { rule, line, premises, conclusion, values } = test.false_steps.first()?.clone();
    let named = |name: Symbol, text: &str| format!("{} = {text}", terms.text(name));
    let values = values.iter().filter_map(|value| Some(named(value.name, value.text.as_deref()?))).collect();
    let script = standalone(&mut terms, &reading.script, &test.false_steps[0], false);
    Some(GuiltyStep {
        rule,
        line,
        premises: premises.into_iter().map(|premise| term_text(&mut terms, premise)).collect(),
        conclusion: term_text(&mut terms, conclusion),
        values,
        script,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "(declare-const x Int)(assert (> x 5))(check-sat)";

    fn model(text: &str) -> Option<RefutingModel<'_>> {
        Some(RefutingModel { text, dialect: Dialect::V26 })
    }

    #[test]
    fn the_first_step_that_a_model_of_the_formula_refutes_is_guilty() {
        let proof = "((proof (mp (mp (asserted (> x 5)) (rewrite (= (> x 5) (not (<= x 5)))) (not (<= x 5)))\
            (rewrite (= (not (<= x 5)) false)) false)))";
        let found = guilty_step(SCRIPT, proof, model("((define-fun x () Int 7))")).unwrap();
        assert_eq!((found.rule.as_str(), found.conclusion.as_str()), ("rewrite", "(= (not (<= x 5)) false)"));
        assert_eq!(found.values, [""; 0]);
        assert!(found.script.contains("(assert (not (= (not (<= x 5)) false)))"), "{}", found.script);
        let unaided = guilty_step(SCRIPT, proof, None).unwrap();
        assert_eq!((unaided.line, unaided.values.len()), (found.line, 1));
    }

    #[test]
    fn a_proof_without_a_false_step_has_none() {
        let proof = "((proof (mp (asserted (> x 5)) (rewrite (= (> x 5) (not (<= x 5)))) (not (<= x 5)))))";
        assert_eq!(guilty_step(SCRIPT, proof, model("((define-fun x () Int 7))")), None);
        assert_eq!(guilty_step(SCRIPT, "(error \"no proof\")", None), None);
    }
}

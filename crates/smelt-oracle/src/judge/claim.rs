//! Claims that solvers print and that our evaluator calls false: steps of proofs, results of simplification.
//!
//! A claim is put to all solvers once more as a formula of its own, with the values that make it false: nobody is blamed
//! if a solver says that these values do not.

use smelt_proof::steps::{Derivation, FalseStep, TestLimits, standalone, test_steps};
use smelt_semantics::environment::Environment;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::term_text;
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Script;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::Terms;
use smelt_smtlib::walk::tree_size;

use super::{Observed, Question, blame};
use crate::evaluated::EvaluatedRun;
use crate::finding::{Class, Evidence, Verdict};
use crate::run::Answer;

/// Effort for the claims of one reply, about a second.
const EFFORT: u64 = 500_000_000;

/// A false claim of one reply.
pub(super) struct FalseClaim {
    /// The position of the reply.
    pub(super) position: usize,
    pub(super) rule: String,
    /// Its line in a proof, or its number among other claims.
    pub(super) line: u32,
    conclusion: String,
    values: Vec<String>,
    /// The claim as a formula that has a model.
    script: String,
    /// The same with the values that make it false.
    pinned: String,
}

impl FalseClaim {
    /// A claim that needs no opinion: what is wrong with it can be seen.
    pub(super) fn unasked(position: usize, rule: String, conclusion: String) -> FalseClaim {
        FalseClaim::asked(position, rule, conclusion, String::new())
    }

    /// A claim that no values show to be false; solvers are asked this script.
    pub(super) fn asked(position: usize, rule: String, conclusion: String, script: String) -> FalseClaim {
        let pinned = script.clone();
        FalseClaim { position, rule, line: 1, conclusion, values: Vec::new(), script, pinned }
    }
}

/// A false claim among some about a script; of several the smallest, which says most.
pub(super) fn false_claim(
    terms: &mut Terms,
    script: &Script,
    claims: &Derivation,
    position: usize,
) -> Option<FalseClaim> {
    let environment = Environment::at_last_check(terms, script);
    let limits = TestLimits { effort: EFFORT, ..TestLimits::default() };
    let test = test_steps(terms, &environment, claims, None, limits);
    let size = |step: &&FalseStep| {
        let formulas = step.premises.iter().chain([&step.conclusion]);
        formulas.fold(0u64, |sum, formula| sum.saturating_add(tree_size(terms, *formula)))
    };
    let step = test.false_steps.iter().min_by_key(size)?.clone();
    let mut as_script = |pinned| standalone(terms, script, &step, pinned);
    let (alone, pinned) = (as_script(false), as_script(true));
    let named = |name: Symbol, text: &str| format!("{} = {text}", terms.text(name));
    let values = step.values.iter().filter_map(|value| Some(named(value.name, value.text.as_deref()?)));
    let values = values.collect();
    let conclusion = term_text(terms, step.conclusion);
    Some(FalseClaim { position, rule: step.rule, line: step.line, conclusion, values, script: alone, pinned })
}

/// Every solver about a claim with the values that make it false.
pub(super) fn about(terms: &mut Terms, observed: &Observed<'_>, claim: &FalseClaim) -> Vec<Question> {
    let script = read_script_as(terms, &claim.pinned, Dialect::V26).script;
    observed.runs.iter().map(|checked| observed.ask(checked, script.clone())).collect()
}

/// Blames the solver of a claim, unless a solver that was asked about the claim says that it holds.
pub(super) fn judged(
    class: Class,
    claim: FalseClaim,
    claimant: &EvaluatedRun,
    opinions: &[EvaluatedRun],
) -> Option<Verdict> {
    if opinions.iter().any(|reply| reply.run.answer == Answer::Unsat) {
        return None;
    }
    let agrees = |reply: &&EvaluatedRun| reply.run.answer == Answer::Sat && !reply.model.is_refuted();
    let confirmed_by = opinions.iter().filter(agrees).map(|reply| reply.run.solver.clone()).collect();
    let evidence = Evidence::FalseClaim {
        rule: claim.rule,
        line: claim.line,
        conclusion: claim.conclusion,
        values: claim.values,
        script: claim.script,
        confirmed_by,
    };
    Some(blame(class, claimant, evidence))
}

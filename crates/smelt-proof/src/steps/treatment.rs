//! What the rules of proofs claim: most that the conclusion is true wherever the premises are, some that it may be added
//! without changing the answer, which no assignment can refute.

use smelt_smtlib::term::{Head, Term, Terms};

use super::table::Unchecked;
use super::{Derivation, ProofFormat, ProofStep, StepRole};

/// What is done with a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Where its premises are true, its conclusion must be.
    Tested,
    /// It claims something else.
    Skipped(Unchecked),
}

/// Rules of z3 that introduce symbols, or bring a formula into a form that is only as satisfiable as the formula.
const INTRODUCING_Z3: &[&str] =
    &["sk", "skolemize", "intro-def", "def-intro", "apply-def", "nnf-pos", "nnf-neg", "cnf*", "nnf*", "mp~"];
/// Rules of z3 with a premise for all values of variables.
const BINDING_Z3: &[&str] = &["quant-intro", "proof-bind", "bind"];
/// Rules of cvc5 that introduce symbols.
const INTRODUCING_CPC: &[&str] = &["skolemize", "skolem_intro", "exists_elim"];
const INTRODUCING_ALETHE: &[&str] = &["sko_ex", "sko_forall"];
const BINDING_ALETHE: &[&str] = &["bind", "onepoint", "let", "bind_let"];

/// What is done with a step, by its rule and the form of its conclusion.
pub(super) fn treatment(terms: &Terms, derivation: &Derivation, step: &ProofStep) -> Treatment {
    if step.role != StepRole::Derived {
        return Treatment::Skipped(Unchecked::Given);
    }
    let rule = derivation.rule(step);
    let (introducing, binding): (&[&str], &[&str]) = match derivation.format {
        ProofFormat::Z3 => (INTRODUCING_Z3, BINDING_Z3),
        ProofFormat::Cpc => (INTRODUCING_CPC, &[]),
        ProofFormat::Alethe => (INTRODUCING_ALETHE, BINDING_ALETHE),
    };
    if introducing.contains(&rule) {
        return Treatment::Skipped(Unchecked::Introduction);
    }
    if binding.contains(&rule) {
        return Treatment::Skipped(Unchecked::Binder);
    }
    // A solver that trusts a step says nothing of what it is; of rewriting it says so.
    let is_trusted = rule.starts_with("trust") || rule.starts_with("hole");
    if is_trusted && !rule.to_ascii_lowercase().contains("rewrite") {
        return Treatment::Skipped(Unchecked::Trusted);
    }
    match step.conclusion {
        None => Treatment::Skipped(Unchecked::NotRead),
        Some(conclusion) if is_equisatisfiability(terms, conclusion) => {
            Treatment::Skipped(Unchecked::Introduction)
        }
        Some(_) => Treatment::Tested,
    }
}

/// Whether a conclusion is one of z3's `(~ p q)`: q is satisfiable if and only if p is.
fn is_equisatisfiability(terms: &Terms, conclusion: Term) -> bool {
    matches!(terms.head(conclusion), Head::Opaque(spelling) if terms.text(spelling) == "~")
}

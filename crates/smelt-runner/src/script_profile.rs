//! What stands in a script, gathered once for all solvers that it may be sent to.

use smelt_smtlib::op::Op;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::fragment::Fragments;

/// What stands in a script.
#[derive(Debug, Clone)]
pub struct ScriptProfile {
    /// Its distinct subterms, each after its arguments.
    pub subterms: Vec<Term>,
    /// Its distinct operators, in the order of the table.
    pub operators: Vec<Op>,
    /// What it is about.
    pub fragments: Fragments,
}

impl ScriptProfile {
    /// What stands in this script.
    pub fn of(terms: &Terms, script: &Script) -> ScriptProfile {
        let roots: Vec<Term> = script.terms().collect();
        let subterms = subterms(terms, &roots);
        let mut operators: Vec<Op> = subterms.iter().filter_map(|term| terms.op(*term)).collect();
        operators.sort_unstable();
        operators.dedup();
        let fragments = Fragments::of(terms, script, &subterms);
        ScriptProfile { subterms, operators, fragments }
    }
}

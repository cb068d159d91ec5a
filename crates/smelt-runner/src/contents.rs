//! What stands in a script, gathered once for all solvers that it may be sent to.

use smelt_smtlib::op::Op;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::kind::Kinds;

/// What stands in a script.
#[derive(Debug, Clone)]
pub struct Contents {
    /// Its distinct subterms, each after its arguments.
    pub subterms: Vec<Term>,
    /// Its distinct operators, in the order of the table.
    pub operators: Vec<Op>,
    /// What it is about.
    pub kinds: Kinds,
}

impl Contents {
    /// What stands in this script.
    pub fn of(terms: &Terms, script: &Script) -> Contents {
        let roots: Vec<Term> = script.terms().collect();
        let subterms = subterms(terms, &roots);
        let mut operators: Vec<Op> = subterms.iter().filter_map(|term| terms.op(*term)).collect();
        operators.sort_unstable();
        operators.dedup();
        let kinds = Kinds::of(terms, script, &subterms);
        Contents { subterms, operators, kinds }
    }
}

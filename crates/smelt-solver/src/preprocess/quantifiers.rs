//! Quantifiers that say no more than terms without them.

use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

/// More Boolean variables than this are not tried with all values.
const MAX_BOOLEANS: usize = 3;

/// What a quantifier says.
pub(super) enum Meaning {
    /// Its body, in which none of its variables occurs: sorts are not empty.
    Body,
    /// Its body for this value of its variable: the body says that the variable has it.
    One(Term),
    /// Its body for all values of its variables, which are Boolean.
    Booleans,
    /// Something else.
    Other,
}

/// What a quantifier says.
pub(super) fn meaning(terms: &Terms, term: Term) -> Meaning {
    let body = terms.args(term)[0];
    let variables = terms.bound_at(term, 0);
    if !variables.iter().any(|variable| occurs(terms, variable.name, body)) {
        return Meaning::Body;
    }
    if let (Head::Exists(_), [variable]) = (terms.head(term), variables)
        && let Some(value) = only_value(terms, variable.name, body)
    {
        return Meaning::One(value);
    }
    let are_boolean = variables.iter().all(|variable| variable.sort == Sort::BOOL);
    if are_boolean && variables.len() <= MAX_BOOLEANS { Meaning::Booleans } else { Meaning::Other }
}

/// The value that a conjunction gives to a variable by an equation.
fn only_value(terms: &Terms, variable: Symbol, body: Term) -> Option<Term> {
    if terms.op(body) != Some(Op::And) {
        return None;
    }
    let is_variable = |term: Term| matches!(terms.head(term), Head::Local(name) if name == variable);
    terms
        .args(body)
        .iter()
        .find_map(|conjunct| match (terms.op(*conjunct), terms.args(*conjunct)) {
            (Some(Op::Eq), &[left, right]) if is_variable(left) => Some(right),
            (Some(Op::Eq), &[left, right]) if is_variable(right) => Some(left),
            _ => None,
        })
        .filter(|value| !occurs(terms, variable, *value))
}

/// Whether a variable of this name occurs in a term, be it another one of the same name.
fn occurs(terms: &Terms, variable: Symbol, term: Term) -> bool {
    let is_variable = |part: &Term| matches!(terms.head(*part), Head::Local(name) if name == variable);
    subterms(terms, &[term]).iter().any(is_variable)
}

//! A link between any two seeds, whatever their sorts are: a choice by a formula of one between terms of the other.
//!
//! With z = ite(p, t, u), where t and u are terms of one seed and p is a formula of the other, t is ite(p, z, t). This needs
//! no constants that a triple fits: t may be an application of a function, or a whole assertion.

use rustc_hash::FxHashSet;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::free_names;

use super::Link;
use super::triple::Instance;
use crate::fresh_names::new_name;
use crate::operators::{draw_value, is_portable};
use crate::random::Random;
use crate::seed::Seed;
use crate::term_index::TermIndex;

/// How such a link is called where triples have ids.
pub(super) const ID: &str = "choice";

/// A term is taken for the other branch only if it has at most so many nodes.
const MAX_NODES: u64 = 40;

/// Links a term of one seed to a formula of another; none if one of them has none that can be copied.
pub(super) fn choice_link(
    terms: &mut Terms,
    first: &Seed,
    second: &Seed,
    taken: &mut FxHashSet<String>,
    random: &mut Random,
) -> Option<Link> {
    let chosen = closed_terms(terms, first);
    let x = *random.choose(&chosen)?;
    let sort = terms.sort(x);
    let conditions: Vec<Term> =
        closed_terms(terms, second).into_iter().filter(|term| terms.sort(*term) == Sort::BOOL).collect();
    let condition = *random.choose(&conditions)?;
    let alike: Vec<Term> =
        chosen.into_iter().filter(|term| *term != x && terms.sort(*term) == sort).collect();
    let other = match random.choose(&alike) {
        Some(other) => *other,
        None => draw_value(terms, sort, random).unwrap_or(x),
    };
    let name = new_name("z", taken);
    let z = terms.symbols.intern(&name);
    let constant = terms.constant(z, sort);
    let fusion = terms.apply(Op::Ite, &[], &[condition, x, other]).ok()?;
    let find_x = terms.apply(Op::Ite, &[], &[condition, constant, x]).ok()?;
    let instance = Instance {
        names: [z; 3],
        sorts: [sort, Sort::BOOL, sort],
        fusion,
        find_x,
        find_y: condition,
        constants: Vec::new(),
        conditions: Vec::new(),
    };
    // z = f(x, y) is enough: where the condition holds z is x, and elsewhere z is not looked at.
    Some(Link { x, y: condition, z, z_sort: sort, instance, inverts: true })
}

/// The terms of a seed that mean the same everywhere in it, are of a sort that has choices, and speak of something that
/// the seed declares.
fn closed_terms(terms: &mut Terms, seed: &Seed) -> Vec<Term> {
    let index = TermIndex::new(terms, &seed.script, |_, _| true);
    let mut closed = Vec::new();
    for term in &index.terms {
        let facts = index.facts(*term);
        let sort = terms.sort(*term);
        let is_movable = facts.nodes <= MAX_NODES
            && !facts.has_names
            && !facts.has_opaque
            && !matches!(terms.head(*term), Head::Annotated(_))
            && is_portable(&terms.sorts, Op::Ite, &[Sort::BOOL, sort, sort]);
        if !is_movable {
            continue;
        }
        let names = free_names(terms, *term);
        if names.locals.is_empty() && !names.globals.is_empty() {
            closed.push(*term);
        }
    }
    closed
}

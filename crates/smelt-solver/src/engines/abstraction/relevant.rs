//! Which string constraints an assignment really needs.
//!
//! A complete assignment decides also what does not matter, such as the other branches of a disjunction that is true
//! already. Walking from the assertions and following one reason each leaves the constraints that a model must
//! satisfy for the formula to hold; refutations of these are shorter, too.

use rustc_hash::FxHashSet;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

use super::Abstraction;
use crate::theory::search::Assignment;

/// The positions of the facts that make the assertions true under the assignment, ascending.
pub(crate) fn relevant_facts(
    terms: &Terms,
    abstraction: &Abstraction,
    assignment: &Assignment,
    assertions: &[Term],
) -> Vec<usize> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut facts: Vec<usize> = Vec::new();
    let mut pending: Vec<Term> = assertions.to_vec();
    let holds = |term: Term| assignment.holds(abstraction.literal(term));
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        let active = |position: &&usize| assignment.holds(abstraction.facts[**position].guard);
        facts.extend(abstraction.facts_of(term).iter().filter(active));
        let args = terms.args(term);
        let op = terms.op(term);
        if op == Some(Op::Ite) {
            let branch = if holds(args[0]) { args[1] } else { args[2] };
            pending.extend([args[0], branch]);
            continue;
        }
        let is_bool = terms.sort(term) == Sort::BOOL;
        let one_suffices = match op {
            Some(Op::And) => !holds(term),
            Some(Op::Or | Op::Implies | Op::ImpliesWord) => holds(term),
            _ => false,
        };
        if is_bool && one_suffices {
            // The argument that decides the value: a false conjunct, a true disjunct, or a false premise.
            let last = args.len() - 1;
            let decides = |position: usize, arg: Term| match op {
                Some(Op::Or) => holds(arg),
                Some(Op::And) => !holds(arg),
                _ => holds(arg) == (position == last),
            };
            let mut deciding = args.iter().enumerate().filter(|(position, arg)| decides(*position, **arg));
            let known = deciding.clone().find(|(_, arg)| seen.contains(arg));
            if let Some((_, arg)) = known.or_else(|| deciding.next()) {
                pending.push(*arg);
            }
        } else {
            // Constant languages have no parts that matter.
            let looks_inside =
                abstraction.open_memberships.contains(&term) || terms.sort(term) == Sort::REG_LAN;
            let matters = |arg: &&Term| looks_inside || terms.sort(**arg) != Sort::REG_LAN;
            pending.extend(args.iter().filter(matters));
        }
    }
    let is_active = |position: &&usize| assignment.holds(abstraction.facts[**position].guard);
    facts.extend(abstraction.derived.iter().filter(is_active));
    facts.sort_unstable();
    facts.dedup();
    facts
}

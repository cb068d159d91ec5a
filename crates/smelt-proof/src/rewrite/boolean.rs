//! Identities of connectives and of `ite`.
//!
//! The normal form knows conjunction, negation and equation only. Conjuncts are sorted and occur once.

use rustc_hash::FxHashSet;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::boolean::is_connective;

/// More arguments of `distinct` than this are not compared in pairs.
const MAX_DISTINCT: usize = 60;
/// Atoms whose values are all tried.
const MAX_ATOMS: usize = 12;

pub(super) fn negation(terms: &mut Terms, term: Term) -> Option<Term> {
    let arg = terms.args(term)[0];
    Some(build::not(terms, arg))
}

/// Conjuncts of conjuncts are conjuncts. What one conjunct says holds in all others.
pub(super) fn conjunction(terms: &mut Terms, term: Term) -> Option<Term> {
    let mut conjuncts = Vec::new();
    for arg in terms.args(term) {
        match terms.op(*arg) {
            Some(Op::And) => conjuncts.extend_from_slice(terms.args(*arg)),
            Some(Op::True) => {}
            _ => conjuncts.push(*arg),
        }
    }
    conjuncts.sort_unstable();
    conjuncts.dedup();
    let known: FxHashSet<Term> = conjuncts.iter().copied().collect();
    let mut kept = Vec::with_capacity(conjuncts.len());
    for conjunct in conjuncts {
        let negated = build::not(terms, conjunct);
        if terms.op(conjunct) == Some(Op::False) || known.contains(&negated) {
            return Some(terms.bool(false));
        }
        // A conjunct `(not (and ..))` is a disjunction of the negations.
        if terms.op(negated) != Some(Op::And) {
            kept.push(conjunct);
            continue;
        }
        let inner = terms.args(negated).to_vec();
        let negations: Vec<Term> = inner.iter().map(|part| build::not(terms, *part)).collect();
        if negations.iter().any(|negation| known.contains(negation)) {
            continue;
        }
        let open: Vec<Term> = inner.into_iter().filter(|part| !known.contains(part)).collect();
        let open = build::and(terms, &open);
        kept.push(build::not(terms, open));
    }
    kept.sort_unstable();
    kept.dedup();
    Some(build::and(terms, &kept))
}

/// A disjunction is a negated conjunction, and an implication is a disjunction.
pub(super) fn disjunction(terms: &mut Terms, term: Term) -> Option<Term> {
    let is_implication = terms.op(term) != Some(Op::Or);
    let mut args = terms.args(term).to_vec();
    let last = args.len() - 1;
    for (position, arg) in args.iter_mut().enumerate() {
        if !is_implication || position == last {
            *arg = build::not(terms, *arg);
        }
    }
    let conjunction = build::and(terms, &args);
    Some(build::not(terms, conjunction))
}

/// `xor`, `iff` and `distinct` are equations and their negations.
pub(super) fn equivalence(terms: &mut Terms, term: Term) -> Option<Term> {
    let args = terms.args(term).to_vec();
    match terms.op(term)? {
        Op::Iff => Some(apply(terms, Op::Eq, &args)),
        Op::Xor => {
            let (first, others) = args.split_first()?;
            Some(others.iter().fold(*first, |sum, arg| unequal(terms, sum, *arg)))
        }
        _ if args.len() <= MAX_DISTINCT => {
            let mut pairs = Vec::new();
            for (position, left) in args.iter().enumerate() {
                pairs.extend(args[position + 1..].iter().map(|right| unequal(terms, *left, *right)));
            }
            Some(build::and(terms, &pairs))
        }
        _ => None,
    }
}

fn unequal(terms: &mut Terms, left: Term, right: Term) -> Term {
    let equal = apply(terms, Op::Eq, &[left, right]);
    build::not(terms, equal)
}

/// A chain of comparisons is a conjunction of pairs.
pub(super) fn chain(terms: &mut Terms, term: Term) -> Option<Term> {
    let args = terms.args(term).to_vec();
    if args.len() <= 2 {
        return None;
    }
    let op = terms.op(term)?;
    let pairs: Vec<Term> = args.windows(2).map(|pair| apply(terms, op, pair)).collect();
    Some(build::and(terms, &pairs))
}

pub(super) fn choice(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[condition, then, otherwise] = terms.args(term) else { return None };
    if let Some(value) = build::bool_value(terms, condition) {
        return Some(if value { then } else { otherwise });
    }
    if then == otherwise {
        return Some(then);
    }
    if terms.sort(term) == Sort::BOOL {
        // It is false if the condition holds and the first branch does not, or neither holds nor the second branch.
        let [negated, not_then, not_otherwise] =
            [condition, then, otherwise].map(|part| build::not(terms, part));
        let clauses = [[condition, not_then], [negated, not_otherwise]].map(|parts| {
            let both = build::and(terms, &parts);
            build::not(terms, both)
        });
        return Some(build::and(terms, &clauses));
    }
    let negated = build::not(terms, condition);
    (terms.op(condition) == Some(Op::Not)).then(|| apply(terms, Op::Ite, &[negated, otherwise, then]))
}

/// Sides of equations are sorted; equations of Booleans have no constants and no negations.
pub(super) fn equation(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[left, right] = terms.args(term) else { return None };
    if left == right {
        return Some(terms.bool(true));
    }
    match terms.sort(left) {
        Sort::INT => return None,
        Sort::BOOL => {}
        _ => return Some(build::eq(terms, left, right)),
    }
    let mut is_negated = false;
    let mut sides = Vec::new();
    for side in [left, right] {
        match terms.op(side) {
            Some(Op::True) => {}
            Some(Op::False) => is_negated = !is_negated,
            Some(Op::Not) => {
                is_negated = !is_negated;
                sides.push(terms.args(side)[0]);
            }
            _ => sides.push(side),
        }
    }
    let equal = match sides.as_slice() {
        [] => terms.bool(true),
        [only] => *only,
        _ => build::eq(terms, sides[0], sides[1]),
    };
    Some(if is_negated { build::not(terms, equal) } else { equal })
}

/// Whether two Boolean terms agree for all values of their atoms; false also if there are many atoms.
pub(super) fn are_equal_on_all_values(terms: &Terms, one: Term, other: Term) -> bool {
    let parts = subterms(terms, &[one, other]);
    let mut values: Vec<Option<bool>> = Vec::new();
    // Only parts below connectives matter, but atoms inside of atoms do no harm.
    let is_atom = |part: &Term| terms.sort(*part) == Sort::BOOL && !is_connective(terms, *part);
    let atoms: Vec<Term> = parts.iter().copied().filter(is_atom).collect();
    if atoms.len() > MAX_ATOMS {
        return false;
    }
    let position = |term: Term| parts.binary_search(&term).ok();
    (0..1u32 << atoms.len()).all(|code| {
        values.clear();
        for part in &parts {
            let value = match terms.op(*part) {
                Some(Op::True) => Some(true),
                Some(Op::False) => Some(false),
                _ => match atoms.binary_search(part) {
                    Ok(atom) => Some(code >> atom & 1 == 1),
                    Err(_) => connective_value(terms, *part, |arg| values[position(arg)?]),
                },
            };
            values.push(value);
        }
        let [one, other] = [one, other].map(|term| position(term).and_then(|position| values[position]));
        one.is_some() && one == other
    })
}

/// The value of a connective of the normal form.
fn connective_value(terms: &Terms, term: Term, value: impl Fn(Term) -> Option<bool>) -> Option<bool> {
    let args = terms.args(term);
    match (terms.op(term)?, args) {
        (Op::Not, &[arg]) => value(arg).map(|arg| !arg),
        (Op::And, _) => args.iter().try_fold(true, |all, arg| Some(value(*arg)? && all)),
        (Op::Eq, &[left, right]) => Some(value(left)? == value(right)?),
        _ => None,
    }
}

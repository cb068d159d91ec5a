//! What a subterm may become: something of the same sort that is simpler.

use std::cmp::Reverse;

use smelt_smtlib::op::{Attribute, Op};
use smelt_smtlib::substitute::{Substitution, expand_lets, substitute};
use smelt_smtlib::term::{Head, Index, Term, Terms, Variable};

use super::literals::simpler_literals;
use super::measure::tree_size;
use super::values::values;

/// Parts of a subterm that it may become, at most.
const MAX_PARTS: usize = 8;

/// So many parts are looked at, and so many of them are asked about, while much is asked for.
const MAX_INSIDE: usize = 256;
const MAX_COARSE: usize = 6;

/// What a subterm may become, what promises most first. `constants` are declared constants of its sort.
pub(super) fn changes(terms: &mut Terms, term: Term, constants: &[Term]) -> Vec<Term> {
    let sort = terms.sort(term);
    let mut found = Vec::new();
    if let Head::Literal(kind, text) = terms.head(term) {
        let text = terms.text(text).to_owned();
        return simpler_literals(terms, term, kind, &text);
    }
    found.extend(values(terms, sort));
    if terms.args(term).is_empty() {
        // Among constants of a sort the first one stands for all.
        found.extend(constants.iter().take_while(|constant| **constant != term));
    } else {
        found.extend(parts(terms, term));
        found.extend(constants);
        found.extend(without_binder(terms, term));
        found.extend(smaller_indices(terms, term));
        found.extend(other_operators(terms, term));
        found.extend(rewritten(terms, term));
    }
    let mut unique: Vec<Term> = Vec::with_capacity(found.len());
    for change in found {
        if change != term && terms.sort(change) == sort && !unique.contains(&change) {
            unique.push(change);
        }
    }
    // A part that is hardly smaller is asked about after small ones.
    unique.sort_by_key(|change| tree_size(terms, *change));
    unique
}

/// What a large subterm may become while much is asked for: a value, or a part of it.
///
/// A part that is as likely to be needed as it is large promises most if it is about half of all.
pub(super) fn coarse_changes(terms: &mut Terms, term: Term) -> Vec<Term> {
    let (sort, size) = (terms.sort(term), tree_size(terms, term));
    if terms.args(term).is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Term> = values(terms, sort).into_iter().take(1).collect();
    let mut inside = parts_of_sort(terms, term, MAX_INSIDE);
    inside.sort_by_key(|part| Reverse(tree_size(terms, *part) * (size - tree_size(terms, *part))));
    inside.dedup();
    inside.truncate(MAX_COARSE);
    found.extend(inside);
    found.extend(without_binder(terms, term));
    found
}

/// Subterms of the same sort, near ones first, none of them below a binder.
fn parts(terms: &Terms, term: Term) -> Vec<Term> {
    parts_of_sort(terms, term, MAX_PARTS)
}

fn parts_of_sort(terms: &Terms, term: Term, most: usize) -> Vec<Term> {
    let sort = terms.sort(term);
    let mut found = Vec::new();
    let mut level = vec![term];
    while !level.is_empty() && found.len() < most {
        let inside: Vec<Term> = level
            .iter()
            .filter(|term| !terms.is_binder(**term))
            .flat_map(|term| match terms.head(*term) {
                // The terms of patterns are no parts.
                Head::Annotated(_) => &terms.args(*term)[..1],
                _ => terms.args(*term),
            })
            .copied()
            .collect();
        found.extend(inside.iter().filter(|part| terms.sort(**part) == sort));
        level = inside;
        level.truncate(64);
    }
    found.truncate(most);
    found
}

/// A quantified formula with one variable less, which becomes a value; the body if it was the last. A `let` with the
/// bound term in place of its variable.
fn without_binder(terms: &mut Terms, term: Term) -> Vec<Term> {
    let binders = match terms.head(term) {
        Head::Forall(binders) | Head::Exists(binders) => binders,
        Head::Let(_) => return vec![expand_lets(terms, term)],
        _ => return Vec::new(),
    };
    let variables: Vec<Variable> = terms.binders(binders).to_vec();
    let body = terms.args(term)[0];
    let mut found = Vec::new();
    for (number, variable) in variables.iter().enumerate() {
        let mut rest = variables.clone();
        rest.remove(number);
        for value in values(terms, variable.sort) {
            let mut substitution = Substitution::new();
            substitution.replace(variable.name, value);
            let body = substitute(terms, body, &substitution);
            if rest.is_empty() {
                found.push(body);
                continue;
            }
            let binders = terms.intern_binders(&rest);
            let head = match terms.head(term) {
                Head::Forall(_) => Head::Forall(binders),
                _ => Head::Exists(binders),
            };
            let sort = terms.sort(term);
            found.push(terms.intern(head, &[body], sort));
        }
    }
    found
}

/// The same operator with smaller numbers, where the sort does not depend on them.
fn smaller_indices(terms: &mut Terms, term: Term) -> Vec<Term> {
    let Head::Op(op, indices) = terms.head(term) else { return Vec::new() };
    let indices = terms.indices(indices).to_vec();
    let args = terms.args(term).to_vec();
    let mut found = Vec::new();
    for (place, index) in indices.iter().enumerate() {
        let Index::Number(number) = index else { continue };
        for smaller in [0, 1, number / 2, number.saturating_sub(1)] {
            if smaller < *number {
                let mut changed = indices.clone();
                changed[place] = Index::Number(smaller);
                found.extend(terms.apply(op, &changed, &args));
            }
        }
    }
    found
}

/// Simpler operators for those with the same arguments.
const SIMPLER: &[(Op, Op)] = &[
    (Op::Distinct, Op::Eq),
    (Op::Lt, Op::Eq),
    (Op::Le, Op::Lt),
    (Op::Le, Op::Eq),
    (Op::Gt, Op::Eq),
    (Op::Ge, Op::Gt),
    (Op::Ge, Op::Eq),
    (Op::Iff, Op::Eq),
    (Op::ImpliesWord, Op::Implies),
    (Op::Xor, Op::Distinct),
    (Op::Implies, Op::Or),
    (Op::Implies, Op::And),
    (Op::StrReplaceAll, Op::StrReplace),
    (Op::StrReplaceReAll, Op::StrReplaceRe),
    (Op::StrPrefixof, Op::Eq),
    (Op::StrSuffixof, Op::Eq),
    (Op::StrContains, Op::Eq),
    (Op::StrLe, Op::Eq),
    (Op::StrLt, Op::Eq),
    (Op::RePlus, Op::ReStar),
    (Op::ReInter, Op::ReUnion),
    (Op::ReDiff, Op::ReUnion),
    (Op::BvUle, Op::Eq),
    (Op::BvUlt, Op::Eq),
    (Op::BvUge, Op::Eq),
    (Op::BvUgt, Op::Eq),
    (Op::BvSle, Op::Eq),
    (Op::BvSlt, Op::Eq),
    (Op::BvSge, Op::Eq),
    (Op::BvSgt, Op::Eq),
];

fn other_operators(terms: &mut Terms, term: Term) -> Vec<Term> {
    let Some(op) = terms.op(term) else { return Vec::new() };
    let args = terms.args(term).to_vec();
    let simpler = SIMPLER.iter().filter(|(from, _)| *from == op);
    simpler.filter_map(|(_, to)| terms.apply(*to, &[], &args).ok()).collect()
}

/// The same in fewer words: negations pushed in and taken away, nested applications of one operator merged.
fn rewritten(terms: &mut Terms, term: Term) -> Vec<Term> {
    let Some(op) = terms.op(term) else { return Vec::new() };
    let args = terms.args(term).to_vec();
    let mut found = Vec::new();
    if op == Op::Not {
        found.extend(negated(terms, args[0]));
    }
    let is_nested = |arg: &Term| terms.op(*arg) == Some(op);
    if op.info().attribute == Attribute::LeftAssoc && args.iter().any(is_nested) {
        let mut merged = Vec::new();
        for arg in &args {
            if is_nested(arg) { merged.extend(terms.args(*arg)) } else { merged.push(*arg) }
        }
        found.extend(terms.apply(op, &[], &merged));
    }
    if op == Op::Eq && args.len() == 2 {
        for (value, other) in [(args[0], args[1]), (args[1], args[0])] {
            match terms.op(value) {
                Some(Op::True) => found.push(other),
                Some(Op::False) => found.extend(terms.apply(Op::Not, &[], &[other])),
                _ => {}
            }
        }
    }
    found
}

/// The negation of a formula without a `not` in front.
fn negated(terms: &mut Terms, term: Term) -> Option<Term> {
    let op = terms.op(term)?;
    let args = terms.args(term).to_vec();
    let opposite = match op {
        Op::Not => return Some(args[0]),
        Op::Eq => Op::Distinct,
        Op::Distinct => Op::Eq,
        Op::Lt => Op::Ge,
        Op::Le => Op::Gt,
        Op::Gt => Op::Le,
        Op::Ge => Op::Lt,
        Op::And => Op::Or,
        Op::Or => Op::And,
        _ => return None,
    };
    terms.apply(opposite, &[], &args).ok()
}

//! Rules for connectives, `ite` and chains of comparisons.

use rustc_hash::FxHashSet;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::Term;

use crate::rewrite::Ctx;

pub fn not_constant(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let value = build::bool_value(ctx.terms, ctx.terms.args(term)[0])?;
    Some(ctx.terms.bool(!value))
}

pub fn not_not(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let arg = ctx.terms.args(term)[0];
    (ctx.terms.op(arg) == Some(Op::Not)).then(|| ctx.terms.args(arg)[0])
}

/// Integers: not a <= b is b + 1 <= a.
pub fn not_at_most(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let arg = ctx.terms.args(term)[0];
    let (Some(Op::Le), &[left, right]) = (ctx.terms.op(arg), ctx.terms.args(arg)) else { return None };
    if ctx.terms.sort(left) != Sort::INT {
        return None;
    }
    let one = literal::int(ctx.terms, &1.into());
    let next = build::sum(ctx.terms, &[right, one]);
    Some(build::at_most(ctx.terms, next, left))
}

/// a => b => c is (or (not a) (not b) c).
pub fn implies_to_or(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let mut args = ctx.terms.args(term).to_vec();
    let last = args.len().checked_sub(1)?;
    for arg in &mut args[..last] {
        *arg = build::not(ctx.terms, *arg);
    }
    Some(build::or(ctx.terms, &args))
}

pub fn xor_to_equal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term).to_vec();
    let (first, rest) = args.split_first()?;
    let mut result = *first;
    for arg in rest {
        let equal = build::apply(ctx.terms, Op::Eq, &[result, *arg]);
        result = build::not(ctx.terms, equal);
    }
    Some(result)
}

pub fn iff_to_equal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term).to_vec();
    Some(build::apply(ctx.terms, Op::Eq, &args))
}

/// Pairs of many arguments are very many.
const MAX_DISTINCT: usize = 300;

pub fn distinct_to_unequal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term).to_vec();
    if args.len() > MAX_DISTINCT {
        return None;
    }
    let mut unequal = Vec::new();
    for (position, left) in args.iter().enumerate() {
        for right in &args[position + 1..] {
            let equal = build::eq(ctx.terms, *left, *right);
            unequal.push(build::not(ctx.terms, equal));
        }
    }
    Some(build::and(ctx.terms, &unequal))
}

/// (= a b c) is (and (= a b) (= b c)).
pub fn chain_to_pairs(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term).to_vec();
    if args.len() <= 2 {
        return None;
    }
    let op = ctx.terms.op(term)?;
    let pairs: Vec<Term> = args.windows(2).map(|pair| build::apply(ctx.terms, op, pair)).collect();
    Some(build::and(ctx.terms, &pairs))
}

/// Conjuncts of conjuncts are conjuncts; the same for disjuncts.
pub fn flatten(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let op = ctx.terms.op(term)?;
    let args = ctx.terms.args(term);
    if !args.iter().any(|arg| ctx.terms.op(*arg) == Some(op)) {
        return None;
    }
    let flat = super::flat_args(ctx, term)?;
    Some(build::apply(ctx.terms, op, &flat))
}

/// Neutral, repeated and complementary arguments of `and` and `or`.
pub fn decide(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let op = ctx.terms.op(term)?;
    let neutral = op == Op::And;
    let args = ctx.terms.args(term).to_vec();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut kept = Vec::with_capacity(args.len());
    for arg in &args {
        match build::bool_value(ctx.terms, *arg) {
            Some(value) if value == neutral => {}
            Some(value) => return Some(ctx.terms.bool(value)),
            None if seen.insert(*arg) => kept.push(*arg),
            None => {}
        }
    }
    for arg in &kept {
        if ctx.terms.op(*arg) == Some(Op::Not) && seen.contains(&ctx.terms.args(*arg)[0]) {
            return Some(ctx.terms.bool(!neutral));
        }
    }
    if kept.len() == args.len() && args.len() > 1 {
        return None;
    }
    Some(match kept.as_slice() {
        [] => ctx.terms.bool(neutral),
        [only] => *only,
        _ => build::apply(ctx.terms, op, &kept),
    })
}

/// In (and p (or p q)) the disjunction says nothing; in (and p (or (not p) q)) its first part does not.
pub fn absorb(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    const MAX_ARGS: usize = 2_000;
    let op = ctx.terms.op(term)?;
    let dual = if op == Op::And { Op::Or } else { Op::And };
    let args = ctx.terms.args(term).to_vec();
    if args.len() > MAX_ARGS || !args.iter().any(|arg| ctx.terms.op(*arg) == Some(dual)) {
        return None;
    }
    let known: FxHashSet<Term> =
        args.iter().copied().filter(|arg| ctx.terms.op(*arg) != Some(dual)).collect();
    if known.is_empty() {
        return None;
    }
    let mut has_changed = false;
    let mut kept = Vec::with_capacity(args.len());
    for arg in args {
        if ctx.terms.op(arg) != Some(dual) {
            kept.push(arg);
            continue;
        }
        let inner = ctx.terms.args(arg).to_vec();
        if inner.iter().any(|part| known.contains(part)) {
            has_changed = true;
            continue;
        }
        let mut rest = Vec::with_capacity(inner.len());
        for part in &inner {
            let negation = build::not(ctx.terms, *part);
            if !known.contains(&negation) {
                rest.push(*part);
            }
        }
        has_changed |= rest.len() < inner.len();
        kept.push(match (op, rest.as_slice()) {
            (Op::And, _) => build::or(ctx.terms, &rest),
            (_, _) => build::and(ctx.terms, &rest),
        });
    }
    has_changed.then(|| match op {
        Op::And => build::and(ctx.terms, &kept),
        _ => build::or(ctx.terms, &kept),
    })
}

pub fn ite_constant_condition(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term);
    let condition = build::bool_value(ctx.terms, args[0])?;
    Some(args[if condition { 1 } else { 2 }])
}

pub fn ite_same_branches(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term);
    (args[1] == args[2]).then_some(args[1])
}

pub fn ite_negated_condition(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[condition, then, otherwise] = ctx.terms.args(term) else { return None };
    (ctx.terms.op(condition) == Some(Op::Not)).then(|| {
        let condition = ctx.terms.args(condition)[0];
        build::apply(ctx.terms, Op::Ite, &[condition, otherwise, then])
    })
}

/// A branch that is an `ite` with the same condition.
pub fn ite_known_condition(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[condition, then, otherwise] = ctx.terms.args(term) else { return None };
    let chosen = |branch: Term, position: usize| match (ctx.terms.op(branch), ctx.terms.args(branch)) {
        (Some(Op::Ite), args) if args[0] == condition => args[position],
        _ => branch,
    };
    let (new_then, new_otherwise) = (chosen(then, 1), chosen(otherwise, 2));
    (new_then != then || new_otherwise != otherwise)
        .then(|| build::ite(ctx.terms, condition, new_then, new_otherwise))
}

/// A Boolean `ite` with a constant branch is a connective.
pub fn ite_of_booleans(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    if ctx.terms.sort(term) != Sort::BOOL {
        return None;
    }
    let &[condition, then, otherwise] = ctx.terms.args(term) else { return None };
    let negated = build::not(ctx.terms, condition);
    let terms = &mut *ctx.terms;
    match (build::bool_value(terms, then), build::bool_value(terms, otherwise)) {
        (Some(true), Some(false)) => Some(condition),
        (Some(false), Some(true)) => Some(negated),
        (Some(true), None) => Some(build::or(terms, &[condition, otherwise])),
        (Some(false), None) => Some(build::and(terms, &[negated, otherwise])),
        (None, Some(true)) => Some(build::or(terms, &[negated, then])),
        (None, Some(false)) => Some(build::and(terms, &[condition, then])),
        (None, None) if then == condition => Some(build::or(terms, &[condition, otherwise])),
        (None, None) if otherwise == condition => Some(build::and(terms, &[condition, then])),
        _ => None,
    }
}

/// An operator on literals and one `ite` of literals is an `ite` of what it gives in each branch.
pub fn ite_lift_literals(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let args = ctx.terms.args(term).to_vec();
    let mut found = None;
    for (position, arg) in args.iter().enumerate() {
        if build::is_value(ctx.terms, *arg) {
            continue;
        }
        if ctx.terms.sort(*arg) == Sort::REG_LAN && ctx.facts.is_ground(ctx.terms, *arg) {
            continue;
        }
        let is_choice = ctx.terms.op(*arg) == Some(Op::Ite)
            && ctx.terms.args(*arg)[1..].iter().all(|branch| build::is_value(ctx.terms, *branch));
        if !is_choice || found.is_some() {
            return None;
        }
        found = Some(position);
    }
    let position = found?;
    let &[condition, then, otherwise] = ctx.terms.args(args[position]) else { return None };
    let mut branches = [then, otherwise];
    for branch in &mut branches {
        let mut new_args = args.clone();
        new_args[position] = *branch;
        *branch = ctx.terms.with_args(term, &new_args);
    }
    Some(build::ite(ctx.terms, condition, branches[0], branches[1]))
}

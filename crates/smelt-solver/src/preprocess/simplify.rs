//! Solving without search: conjunctions are taken apart, equations with a variable alone on one side are solved for it,
//! and what is asserted holds wherever else it occurs.
//!
//! Every step gives an equivalent conjunction over fewer constants; a [`Converter`] says what the lost constant is.

use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Term, Terms};

use super::replace::Replacement;
use crate::ablation::Part;
use crate::effort::Stopped;
use crate::engines::Context;
use crate::model::Converter;
use crate::proof::record::Recorder;
use crate::rewrite::linear::Linear;

/// What is left of the assertions, and how to get back.
#[derive(Debug, Clone, Default)]
pub struct Simplified {
    /// Conjuncts in normal form; `false` alone if there is no model.
    pub assertions: Vec<Term>,
    /// How eliminated constants get their values; the last one runs first.
    pub converters: Vec<Converter>,
}

/// A string is not replaced by a concatenation of more parts: what is squared and squared again explodes.
const MAX_PARTS: usize = 2_000;
/// Steps that looking for cycles may take in one round.
const MAX_CYCLE_STEPS: usize = 4_000_000;
/// Rounds of simplification.
const MAX_ROUNDS: usize = 200;

/// Simplifies until nothing changes.
pub fn simplify(ctx: &mut Context<'_>, assertions: &[Term]) -> Result<Simplified, Stopped> {
    let mut simplified = Simplified { assertions: assertions.to_vec(), converters: Vec::new() };
    for _ in 0..MAX_ROUNDS {
        ctx.effort.spend(1 + simplified.assertions.len() as u64)?;
        let words = ctx.terms.words();
        let is_possible = normalize(ctx, &mut simplified.assertions);
        if !is_possible {
            let contradiction = ctx.terms.bool(false);
            simplified.assertions = vec![contradiction];
            return Ok(simplified);
        }
        ctx.charge_terms_since(words)?;
        if ctx.parts.has(Part::CutMemberships) {
            cut_memberships(ctx, &mut simplified.assertions);
        }
        let solved = ctx.parts.has(Part::SolveEquations) && solve_equations(ctx, &mut simplified);
        let propagated = !solved
            && ctx.parts.has(Part::PropagateLiterals)
            && propagate_literals(ctx, &mut simplified.assertions);
        if !solved && !propagated {
            break;
        }
    }
    Ok(simplified)
}

/// Rewrites conjuncts and takes them apart; false if one is false or two are complements.
fn normalize(ctx: &mut Context<'_>, assertions: &mut Vec<Term>) -> bool {
    let Context { terms, rewriter, recorder, .. } = ctx;
    let mut seen = FxHashSet::default();
    // A conjunction that stands in several others is taken apart once.
    let mut opened = FxHashSet::default();
    let mut kept = Vec::with_capacity(assertions.len());
    let mut pending: Vec<Term> = assertions.drain(..).rev().collect();
    while let Some(assertion) = pending.pop() {
        let written = assertion;
        let assertion = rewriter.rewrite(terms, written);
        recorder.derive("rewrite", &[written], assertion);
        match terms.op(assertion) {
            Some(Op::And | Op::Not) if !opened.insert(assertion) => {}
            Some(Op::And) => {
                pending.extend(terms.args(assertion).iter().rev());
                terms.args(assertion).iter().for_each(|arg| recorder.derive("conjunct", &[assertion], *arg));
            }
            Some(Op::True) => {}
            Some(Op::False) => return false,
            Some(Op::Not) if terms.op(terms.args(assertion)[0]) == Some(Op::Or) => {
                let disjuncts = terms.args(terms.args(assertion)[0]).to_vec();
                for disjunct in disjuncts.into_iter().rev() {
                    let negated = build::not(terms, disjunct);
                    recorder.derive("conjunct", &[assertion], negated);
                    pending.push(negated);
                }
            }
            _ if seen.insert(assertion) => {
                let negation = build::not(terms, assertion);
                if seen.contains(&negation) {
                    let contradiction = terms.bool(false);
                    recorder.derive("contradiction", &[assertion, negation], contradiction);
                    return false;
                }
                kept.push(assertion);
            }
            _ => {}
        }
    }
    *assertions = kept;
    true
}

/// A string in a concatenation of languages with strings in them that are not known is cut into parts: one for each
/// such string, and one for each run of known languages between them.
fn cut_memberships(ctx: &mut Context<'_>, assertions: &mut Vec<Term>) {
    let Context { terms, rewriter, recorder, statistics, .. } = ctx;
    let mut position = 0;
    while position < assertions.len() {
        let assertion = assertions[position];
        position += 1;
        let (Some(Op::StrInRe), &[text, language]) = (terms.op(assertion), terms.args(assertion)) else {
            continue;
        };
        if terms.op(language) != Some(Op::ReConcat) || rewriter.facts().is_ground(terms, language) {
            continue;
        }
        let Some(factors) = concat_factors(terms, language) else { continue };
        let mut parts = Vec::new();
        let mut run: Vec<Term> = Vec::new();
        let first_new = assertions.len();
        for factor in factors {
            if rewriter.facts().is_ground(terms, factor) {
                run.push(factor);
                continue;
            }
            parts.extend(part_in(terms, assertions, std::mem::take(&mut run)));
            if terms.op(factor) == Some(Op::StrToRe) {
                parts.push(terms.args(factor)[0]);
            } else {
                parts.extend(part_in(terms, assertions, vec![factor]));
            }
        }
        parts.extend(part_in(terms, assertions, run));
        let whole = build::concat(terms, &parts);
        let equation = build::apply(terms, Op::Eq, &[text, whole]);
        for part in assertions[first_new..].iter().chain([&equation]) {
            recorder.derive("cut-membership", &[assertion], *part);
        }
        assertions[position - 1] = rewriter.rewrite(terms, equation);
        recorder.derive("rewrite", &[equation], assertions[position - 1]);
        statistics.add("preprocess.cut-memberships", 1);
    }
}

/// The languages of a concatenation, also of concatenations in it; nothing if there are too many.
fn concat_factors(terms: &Terms, language: Term) -> Option<Vec<Term>> {
    let mut factors = Vec::new();
    let mut pending = vec![language];
    while let Some(language) = pending.pop() {
        match terms.op(language) {
            Some(Op::ReConcat) => pending.extend(terms.args(language).iter().rev()),
            _ => factors.push(language),
        }
        if factors.len() + pending.len() > MAX_PARTS {
            return None;
        }
    }
    Some(factors)
}

/// A new string that is in a concatenation of languages; none if there are none.
fn part_in(terms: &mut Terms, assertions: &mut Vec<Term>, languages: Vec<Term>) -> Option<Term> {
    let language = match languages.as_slice() {
        [] => return None,
        [only] => *only,
        _ => build::apply(terms, Op::ReConcat, &languages),
    };
    let part = build::fresh(terms, "part", Sort::STRING);
    assertions.push(build::apply(terms, Op::StrInRe, &[part, language]));
    Some(part)
}

/// Solves equations for constants and puts the solutions in place of them; whether there were some.
fn solve_equations(ctx: &mut Context<'_>, simplified: &mut Simplified) -> bool {
    let Context { terms, rewriter, recorder, statistics, .. } = ctx;
    let mut replacement = Replacement::new();
    let mut solved: Vec<(Term, Term)> = Vec::new();
    let mut kept = Vec::with_capacity(simplified.assertions.len());
    let mut steps = MAX_CYCLE_STEPS;
    for assertion in &simplified.assertions {
        let solution = candidates(terms, *assertion)
            .into_iter()
            .find(|(constant, value)| is_solution(terms, &replacement, *constant, *value, &mut steps));
        match solution {
            Some((constant, value)) => {
                replacement.insert(constant, value);
                solved.push((constant, *assertion));
            }
            None => kept.push(*assertion),
        }
    }
    let heavy = too_heavy(terms, &mut replacement, &solved);
    solved.retain(|(constant, assertion)| {
        let is_heavy = heavy.contains(constant);
        kept.extend(is_heavy.then_some(*assertion));
        !is_heavy
    });
    if solved.is_empty() {
        return false;
    }
    statistics.add("preprocess.solved-equations", solved.len() as u64);
    let solutions = if recorder.is_on() {
        solutions(terms, recorder, &replacement, &solved)
    } else {
        FxHashMap::default()
    };
    for (constant, _) in solved {
        let value = replacement.apply(terms, constant);
        let value = rewriter.rewrite(terms, value);
        if let Some(name) = build::constant_name(terms, constant) {
            simplified.converters.push(Converter::Define(name, value));
        }
    }
    simplified.assertions = kept.iter().map(|assertion| replacement.apply(terms, *assertion)).collect();
    if recorder.is_on() {
        for (before, after) in kept.iter().zip(&simplified.assertions) {
            let premises = used(terms, &replacement, &solutions, *before);
            recorder.derive("substitute", &premises, *after);
        }
    }
    true
}

/// The equations by which constants are replaced, taken down as formulas.
fn solutions(
    terms: &mut Terms,
    recorder: &mut Recorder,
    replacement: &Replacement,
    solved: &[(Term, Term)],
) -> FxHashMap<Term, Term> {
    let mut solutions = FxHashMap::default();
    for (constant, assertion) in solved {
        if let Some(value) = replacement.get(*constant) {
            let solution = build::apply(terms, Op::Eq, &[*constant, value]);
            recorder.derive("solve", &[*assertion], solution);
            solutions.insert(*constant, solution);
        }
    }
    solutions
}

/// A formula and what is known of the terms that are replaced in it, or in what they are replaced by.
fn used(terms: &Terms, replacement: &Replacement, known: &FxHashMap<Term, Term>, formula: Term) -> Vec<Term> {
    let mut used = vec![formula];
    let mut seen = FxHashSet::default();
    let mut pending = vec![formula];
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        match known.get(&term) {
            Some(fact) => {
                used.push(*fact);
                pending.extend(replacement.get(term));
            }
            None => pending.extend_from_slice(terms.args(term)),
        }
    }
    used
}

/// The solved constants whose values would have too many parts once everything in them is replaced; they are
/// replaced no more.
///
/// Parts are counted from the inside out, so that a string that is doubled again and again is cut where it gets long.
fn too_heavy(terms: &Terms, replacement: &mut Replacement, solved: &[(Term, Term)]) -> FxHashSet<Term> {
    let mut weights: FxHashMap<Term, usize> = FxHashMap::default();
    let mut heavy = FxHashSet::default();
    for (root, _) in solved {
        let mut pending = vec![*root];
        while let Some(constant) = pending.last().copied() {
            let Some(value) = replacement.get(constant).filter(|_| !weights.contains_key(&constant)) else {
                pending.pop();
                continue;
            };
            let mut weight = 0usize;
            let mut is_ready = true;
            for part in build::parts(terms, value) {
                let of_part = match weights.get(&part) {
                    Some(known) => *known,
                    None if replacement.get(part).is_some() => {
                        pending.push(part);
                        is_ready = false;
                        0
                    }
                    None => part_weight(terms, part),
                };
                weight = weight.saturating_add(of_part);
            }
            if !is_ready {
                continue;
            }
            pending.pop();
            if weight > MAX_PARTS {
                heavy.insert(constant);
                replacement.remove(constant);
                weight = 1;
            }
            weights.insert(constant, weight);
        }
    }
    heavy
}

/// What a part of a concatenation counts: long literals count more.
fn part_weight(terms: &Terms, part: Term) -> usize {
    const LETTERS_PER_PART: usize = 512;
    match terms.head(part) {
        Head::Literal(_, text) => 1 + terms.text(text).len() / LETTERS_PER_PART,
        _ => 1,
    }
}

fn is_solution(
    terms: &Terms,
    replacement: &Replacement,
    constant: Term,
    value: Term,
    steps: &mut usize,
) -> bool {
    replacement.get(constant).is_none()
        && build::parts(terms, value).len() <= MAX_PARTS
        && !replacement.reaches(terms, value, constant, steps)
}

/// The constants that an assertion may be solved for, each with its value.
fn candidates(terms: &mut Terms, assertion: Term) -> Vec<(Term, Term)> {
    let is_constant = |terms: &Terms, term: Term| build::constant_name(terms, term).is_some();
    if is_constant(terms, assertion) {
        let value = terms.bool(true);
        return vec![(assertion, value)];
    }
    let (equation, is_negated) = match terms.op(assertion) {
        Some(Op::Not) => (terms.args(assertion)[0], true),
        _ => (assertion, false),
    };
    if is_negated && is_constant(terms, equation) {
        let value = terms.bool(false);
        return vec![(equation, value)];
    }
    let (Some(Op::Eq), &[left, right]) = (terms.op(equation), terms.args(equation)) else {
        return Vec::new();
    };
    let sort = terms.sort(left);
    if is_negated {
        if sort != Sort::BOOL {
            return Vec::new();
        }
        let (not_left, not_right) = (build::not(terms, left), build::not(terms, right));
        return [(left, not_right), (right, not_left)]
            .into_iter()
            .filter(|(constant, _)| is_constant(terms, *constant))
            .collect();
    }
    let mut found: Vec<(Term, Term)> = [(left, right), (right, left)]
        .into_iter()
        .filter(|(constant, _)| is_constant(terms, *constant))
        .collect();
    // A variable is best replaced by a literal.
    found.sort_by_key(|(_, value)| !build::is_value(terms, *value));
    if sort == Sort::INT && found.is_empty() {
        found = integer_candidates(terms, left, right);
    }
    found
}

/// The constants with coefficient one or minus one in a linear equation.
fn integer_candidates(terms: &mut Terms, left: Term, right: Term) -> Vec<(Term, Term)> {
    let form = Linear::of_difference(terms, left, right);
    let mut found = Vec::new();
    for (position, (atom, coefficient)) in form.monomials.iter().enumerate() {
        let is_unit = *coefficient == IBig::ONE || *coefficient == IBig::NEG_ONE;
        if !is_unit || build::constant_name(terms, *atom).is_none() {
            continue;
        }
        let mut rest = form.clone();
        rest.monomials.remove(position);
        let value = Linear::default().plus(&rest, &-coefficient).to_term(terms);
        found.push((*atom, value));
    }
    found
}

/// What is asserted is true wherever else it occurs; whether that changed anything.
fn propagate_literals(ctx: &mut Context<'_>, assertions: &mut [Term]) -> bool {
    let Context { terms, recorder, statistics, .. } = ctx;
    let mut facts = Replacement::new();
    // The assertions that the facts are.
    let mut known = FxHashMap::default();
    let (yes, no) = (terms.bool(true), terms.bool(false));
    let mut is_literal = Vec::with_capacity(assertions.len());
    for assertion in assertions.iter() {
        let (atom, value) = match terms.op(*assertion) {
            Some(Op::Not) => (terms.args(*assertion)[0], no),
            _ => (*assertion, yes),
        };
        let is_atom = !matches!(terms.op(atom), Some(Op::And | Op::Or | Op::Ite));
        if is_atom {
            facts.insert(atom, value);
            known.insert(atom, *assertion);
        }
        is_literal.push(is_atom);
    }
    if facts.is_empty() {
        return false;
    }
    let mut changes = 0;
    for (assertion, is_literal) in assertions.iter_mut().zip(is_literal) {
        // A fact does not speak of itself; what is inside of it would have to be replaced with care.
        if is_literal {
            continue;
        }
        let replaced = facts.apply(terms, *assertion);
        changes += u64::from(replaced != *assertion);
        if recorder.is_on() {
            recorder.derive("propagate", &used(terms, &facts, &known, *assertion), replaced);
        }
        *assertion = replaced;
    }
    statistics.add("preprocess.propagated-literals", changes);
    changes > 0
}

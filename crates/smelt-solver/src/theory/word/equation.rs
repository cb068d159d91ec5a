//! Equations as rows of symbols in normal form.
//!
//! A normal system has no equation that ends in the same symbol on both sides, at either end, and none with an empty side:
//! what such equations say has been carried out, or was found impossible.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::theory::fixed_length::{Piece, Text, Var};

/// A letter or a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Symbol {
    Letter(u32),
    Var(Var),
}

/// The two sides of an equation.
pub(super) type Equation = (Arc<[Symbol]>, Arc<[Symbol]>);

/// Equations, sorted: short ones first.
pub(super) type Equations = Vec<Equation>;

/// A system in normal form, and the variables that had to be empty for it.
pub(super) struct Normal {
    pub equations: Equations,
    pub empty_vars: Vec<Var>,
}

pub(super) fn symbols(text: &Text) -> Arc<[Symbol]> {
    let mut symbols = Vec::new();
    for piece in text {
        match piece {
            Piece::Var(var) => symbols.push(Symbol::Var(*var)),
            Piece::Word(letters) => symbols.extend(letters.iter().map(|&letter| Symbol::Letter(letter))),
        }
    }
    symbols.into()
}

/// The system with `var` replaced.
pub(super) fn substitute(equations: &[Equation], var: Var, by: &[Symbol]) -> Equations {
    let replace = |side: &Arc<[Symbol]>| -> Arc<[Symbol]> {
        if !side.contains(&Symbol::Var(var)) {
            return side.clone();
        }
        let mut replaced = Vec::with_capacity(side.len() + by.len());
        for &symbol in &**side {
            if symbol == Symbol::Var(var) {
                replaced.extend_from_slice(by);
            } else {
                replaced.push(symbol);
            }
        }
        replaced.into()
    };
    equations.iter().map(|(left, right)| (replace(left), replace(right))).collect()
}

/// The normal form; `None` if some equation has no solution.
pub(super) fn normalise(equations: Equations) -> Option<Normal> {
    let mut pending: VecDeque<Equation> = equations.into();
    let mut done: Equations = Vec::new();
    let mut empty_vars = Vec::new();
    while let Some((left, right)) = pending.pop_front() {
        let (left, right) = stripped(&left, &right);
        if left.is_empty() && right.is_empty() {
            continue;
        }
        if let ([], rest) | (rest, []) = (left, right) {
            for &symbol in rest {
                let Symbol::Var(var) = symbol else { return None };
                if !empty_vars.contains(&var) {
                    empty_vars.push(var);
                    pending = substitute(pending.make_contiguous(), var, &[]).into();
                    // What was done before may have changed its ends.
                    pending.extend(substitute(&done, var, &[]));
                    done.clear();
                }
            }
            continue;
        }
        if ends_clash(left, right) || counts_clash(left, right) {
            return None;
        }
        // The smaller side first, so that an equation and its mirror image are the same.
        let (left, right): Equation = (left.into(), right.into());
        done.push(if left <= right { (left, right) } else { (right, left) });
    }
    done.sort_unstable_by(|one, two| (size(one), one).cmp(&(size(two), two)));
    done.dedup();
    Some(Normal { equations: done, empty_vars })
}

fn size(equation: &Equation) -> usize {
    equation.0.len() + equation.1.len()
}

/// Both sides without what they begin and end with in common.
fn stripped<'a>(mut left: &'a [Symbol], mut right: &'a [Symbol]) -> (&'a [Symbol], &'a [Symbol]) {
    while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right)
        && first == second
    {
        (left, right) = (left_rest, right_rest);
    }
    while let ([left_rest @ .., first], [right_rest @ .., second]) = (left, right)
        && first == second
    {
        (left, right) = (left_rest, right_rest);
    }
    (left, right)
}

/// Whether the sides begin or end with different letters.
fn ends_clash(left: &[Symbol], right: &[Symbol]) -> bool {
    let differ = |pair: (Option<&Symbol>, Option<&Symbol>)| matches!(pair, (Some(Symbol::Letter(one)), Some(Symbol::Letter(two))) if one != two);
    differ((left.first(), right.first())) || differ((left.last(), right.last()))
}

/// Whether lengths or the number of occurrences of some letter cannot be the same on both sides.
fn counts_clash(left: &[Symbol], right: &[Symbol]) -> bool {
    let mut vars: FxHashMap<Var, i64> = FxHashMap::default();
    let mut letters: FxHashMap<u32, i64> = FxHashMap::default();
    let mut length = 0;
    for (side, sign) in [(left, 1), (right, -1)] {
        for &symbol in side {
            match symbol {
                Symbol::Var(var) => *vars.entry(var).or_insert(0) += sign,
                Symbol::Letter(letter) => {
                    *letters.entry(letter).or_insert(0) += sign;
                    length += sign;
                }
            }
        }
    }
    vars.retain(|_, factor| *factor != 0);
    let divisor = vars
        .values()
        .fold(0, |divisor, factor| crate::theory::regex::progression::gcd(divisor, factor.unsigned_abs()));
    let is_impossible = |constant: i64| {
        constant != 0
            && (divisor == 0
                || !constant.unsigned_abs().is_multiple_of(divisor)
                || vars.values().all(|factor| factor * constant.signum() > 0))
    };
    is_impossible(length) || letters.values().any(|&constant| is_impossible(constant))
}

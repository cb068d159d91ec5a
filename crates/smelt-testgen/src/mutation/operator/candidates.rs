//! Which operators may replace one, by the sorts of its arguments and of its result.
//!
//! It depends on the classes of these sorts, such as bit vectors of all widths, and there are few of them: what may
//! replace an operator is found once and remembered, because finding it costs more than all the rest of a step.

use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;
use smelt_smtlib::op::{Op, SortPattern};
use smelt_smtlib::sort::{Sort, SortClass, Sorts};
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::typing::sort_of_application;

use crate::operators::{OperatorSet, is_portable, may_be, param, takes_arity};

/// An operator that may replace another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    pub op: Op,
    pub fit: Fit,
}

/// Whether a candidate can really stand over the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// It can, without indices.
    Always,
    /// It cannot.
    Never,
    /// That must be tried, perhaps with indices.
    Perhaps,
}

/// Some operators, and what was found about them.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) operators: OperatorSet,
    /// By operators and classes of sorts, as [`key`] packs them.
    found: RwLock<FxHashMap<u64, Vec<Candidate>>>,
}

impl Candidates {
    pub(super) fn new(operators: OperatorSet) -> Self {
        Candidates { operators, found: RwLock::default() }
    }

    /// In table order the operators that may replace one over these arguments.
    pub(super) fn of(&self, terms: &mut Terms, old: Op, args: &[Term], result: Sort) -> Vec<Candidate> {
        let key = key(terms, old, args, result);
        let found = || self.found.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = key
            && let Some(candidates) = found().get(&key)
        {
            return candidates.clone();
        }
        let sorts: Vec<Sort> = args.iter().map(|arg| terms.sort(*arg)).collect();
        let candidates = self.find(&mut terms.sorts, old, &sorts, result);
        if let Some(key) = key {
            let mut found = self.found.write().unwrap_or_else(PoisonError::into_inner);
            found.insert(key, candidates.clone());
        }
        candidates
    }

    fn find(&self, known: &mut Sorts, old: Op, sorts: &[Sort], result: Sort) -> Vec<Candidate> {
        if sorts.contains(&Sort::UNKNOWN) || old.info().is_ascribed {
            return Vec::new();
        }
        // An integer where a real is wanted is not introduced, but where it is, it may stay.
        let coerces = !takes(known, old, sorts, result, false);
        let first = sorts.first().copied().unwrap_or(result);
        let ops: Vec<Op> = self
            .operators
            .near(first, result)
            .filter(|op| *op != old || !op.info().indices.is_empty())
            .filter(|op| takes(known, *op, sorts, result, coerces))
            .collect();
        ops.into_iter().map(|op| Candidate { op, fit: fit(known, op, sorts, result) }).collect()
    }
}

/// An operator and the classes of the sorts of its result and arguments in one number; none if there are too many
/// arguments or if some sort is not known.
fn key(terms: &Terms, old: Op, args: &[Term], result: Sort) -> Option<u64> {
    const MAX_ARGUMENTS: usize = 11;
    if args.len() > MAX_ARGUMENTS {
        return None;
    }
    let class =
        |sort: Sort| (sort != Sort::UNKNOWN).then(|| SortClass::of(terms.sorts.kind(sort)) as u64 + 1);
    let classes = args
        .iter()
        .try_fold(class(result)?, |classes, arg| Some((classes << 4) | class(terms.sort(*arg))?))?;
    // No class is zero, so lists of different lengths are different numbers; the longest has 48 bits.
    Some((u64::from(old as u16) << 48) | classes)
}

/// Whether an operator can stand over arguments of these sorts, as far as this is the same for all of their classes.
fn fit(known: &mut Sorts, op: Op, sorts: &[Sort], result: Sort) -> Fit {
    // The only sorts of their classes.
    let is_single = |sort: &Sort| sort.is_fixed() && *sort != Sort::UNKNOWN;
    if !op.info().indices.is_empty() || !sorts.iter().chain([&result]).all(is_single) {
        return Fit::Perhaps;
    }
    let fits =
        is_portable(known, op, sorts) && sort_of_application(known, op, &[], sorts).ok() == Some(result);
    if fits { Fit::Always } else { Fit::Never }
}

/// Whether an operator may take arguments of these sorts to this result, as far as this is quick to see.
fn takes(sorts: &Sorts, op: Op, args: &[Sort], result: Sort, coerces: bool) -> bool {
    let info = op.info();
    info.signatures.iter().any(|signature| {
        takes_arity(info, signature, args.len())
            && may_be(sorts, &signature.result, result)
            && args.iter().enumerate().all(|(position, sort)| {
                let param = param(info, signature, position);
                may_be(sorts, param, *sort)
                    || (coerces && *param == SortPattern::Fixed(Sort::REAL) && *sort == Sort::INT)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may replace an operator over constants of some sorts, asked twice of the same candidates.
    fn check(candidates: &Candidates, old: Op, args: &[Sort], result: Sort) -> Vec<Candidate> {
        let mut terms = Terms::new();
        let name = terms.symbols.intern("x");
        let args: Vec<Term> = args.iter().map(|sort| terms.constant(name, *sort)).collect();
        let found = candidates.of(&mut terms, old, &args, result);
        assert_eq!(candidates.of(&mut terms, old, &args, result), found);
        found
    }

    #[test]
    fn what_is_remembered_is_what_would_be_found() {
        let shared = Candidates::default();
        let sorts = [Sort::BOOL, Sort::INT, Sort::REAL, Sort::STRING, Sort::REG_LAN, Sort::ROUNDING_MODE];
        let ops =
            [Op::Not, Op::Eq, Op::Ite, Op::Add, Op::Lt, Op::StrLen, Op::StrInRe, Op::ReStar, Op::ToReal];
        let mut lists: Vec<Vec<Sort>> = vec![Vec::new()];
        for _ in 0..2 {
            let longer = lists.iter().flat_map(|list| sorts.map(|sort| [list.as_slice(), &[sort]].concat()));
            lists = lists.iter().cloned().chain(longer).collect();
        }
        for op in ops {
            for (args, result) in lists.iter().flat_map(|args| sorts.map(|result| (args, result))) {
                let alone = check(&Candidates::default(), op, args, result);
                assert_eq!(check(&shared, op, args, result), alone, "{op:?} {args:?} {result:?}");
            }
        }
    }

    #[test]
    fn keys_of_lists_of_different_lengths_differ() {
        let mut terms = Terms::new();
        let name = terms.symbols.intern("x");
        let x = terms.constant(name, Sort::BOOL);
        let all: Vec<Option<u64>> =
            (0..13).map(|count| key(&terms, Op::And, &vec![x; count], Sort::BOOL)).collect();
        for (number, key) in all.iter().enumerate() {
            assert_eq!(key.is_some(), number <= 11);
            assert!(key.is_none() || all.iter().filter(|other| *other == key).count() == 1);
        }
    }
}

//! Terms nested very deep: runs of levels left out at once.
//!
//! Asking about single places of such a term costs the square of its depth, because each question is as long as the
//! term. So the levels on the way to its deepest parts are treated as commands are: half of them is left out, then
//! quarters and so on. Leaving out a level puts the next one of the same sort in its place, everywhere, so that what is
//! shared stays shared.

use rustc_hash::FxHashMap;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::search::{Portions, Reducer};
use super::terms::{root_of, set_root};

/// Terms with fewer levels are done by other passes.
const MIN_LEVELS: usize = 64;

/// Leaves out levels of deep terms.
pub(super) fn leave_out_levels(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    for place in 0..reducer.commands.len() {
        let Some(root) = root_of(&reducer.commands[place]) else { continue };
        let levels = levels_of(&reducer.terms, root);
        if levels.len() < MIN_LEVELS || reducer.is_stopped {
            continue;
        }
        let words = (reducer.words() / levels.len()).max(1);
        let commands = reducer.commands.clone();
        let left = reducer.keep_fewest(Portions::Halving, &vec![words; levels.len()], &mut |terms, kept| {
            let mut candidate = commands.clone();
            set_root(&mut candidate[place], without_levels(terms, root, &levels, kept));
            Some(candidate)
        });
        has_changed |= left.has_changed;
    }
    has_changed
}

/// The terms of one sort on the way from a root to its deepest part, those of the most frequent sort. The last one stays
/// in any case and is not among them.
fn levels_of(terms: &Terms, root: Term) -> Vec<Term> {
    let mut depths: FxHashMap<Term, u32> = FxHashMap::default();
    for term in subterms(terms, &[root]) {
        let below = terms.args(term).iter().map(|arg| depths[arg]).max().unwrap_or(0);
        depths.insert(term, below + 1);
    }
    let mut way = vec![root];
    while let Some(next) = terms.args(way[way.len() - 1]).iter().max_by_key(|arg| depths[arg]) {
        way.push(*next);
    }
    let mut counts: FxHashMap<Sort, usize> = FxHashMap::default();
    way.iter().for_each(|term| *counts.entry(terms.sort(*term)).or_default() += 1);
    let frequent = counts.into_iter().max_by_key(|(sort, count)| (*count, *sort)).map(|(sort, _)| sort);
    way.retain(|term| Some(terms.sort(*term)) == frequent);
    way.pop();
    way
}

/// A root with the next level that is kept in place of each level that is not.
fn without_levels(terms: &mut Terms, root: Term, levels: &[Term], kept: &[bool]) -> Term {
    // The next term of the sort below each level; below the last one that is what was taken off the list.
    let mut below: FxHashMap<Term, Term> = FxHashMap::default();
    for (number, level) in levels.iter().enumerate().filter(|(number, _)| !kept[*number]) {
        let next = levels.get(number + 1).copied();
        below.extend(next.or_else(|| part_of_sort(terms, *level)).map(|next| (*level, next)));
    }
    let mut changed: FxHashMap<Term, Term> = FxHashMap::default();
    for term in subterms(terms, &[root]) {
        let new = match below.get(&term) {
            Some(next) => changed.get(next).copied().unwrap_or(*next),
            None if terms.args(term).iter().any(|arg| changed.contains_key(arg)) => {
                let args: Vec<Term> =
                    terms.args(term).iter().map(|arg| changed.get(arg).copied().unwrap_or(*arg)).collect();
                terms.with_args(term, &args)
            }
            None => continue,
        };
        changed.insert(term, new);
    }
    changed.get(&root).copied().unwrap_or(root)
}

/// The first part of a term that has its sort.
fn part_of_sort(terms: &Terms, term: Term) -> Option<Term> {
    let sort = terms.sort(term);
    subterms(terms, &[term]).into_iter().rev().find(|part| *part != term && terms.sort(*part) == sort)
}

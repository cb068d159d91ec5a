//! Splitting a conjunction into parts that share no constants, to be solved one by one.

use rustc_hash::FxHashMap;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

/// The parts, each with its assertions in their order; ground assertions are a part of their own.
pub fn split(terms: &Terms, assertions: &[Term]) -> Vec<Vec<Term>> {
    let mut leaders: Vec<usize> = (0..assertions.len()).collect();
    let mut first_user: FxHashMap<Term, usize> = FxHashMap::default();
    for (position, assertion) in assertions.iter().enumerate() {
        for term in subterms(terms, &[*assertion]) {
            if !matches!(terms.head(term), Head::Global(_)) {
                continue;
            }
            // An application is a use of its function, which all its applications share.
            let key = term;
            match first_user.get(&key) {
                Some(other) => unite(&mut leaders, position, *other),
                None => {
                    first_user.insert(key, position);
                }
            }
        }
    }
    let mut parts: Vec<Vec<Term>> = Vec::new();
    let mut place: FxHashMap<usize, usize> = FxHashMap::default();
    for (position, assertion) in assertions.iter().enumerate() {
        let leader = find(&mut leaders, position);
        let index = *place.entry(leader).or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[index].push(*assertion);
    }
    parts
}

fn find(leaders: &mut [usize], position: usize) -> usize {
    let mut root = position;
    while leaders[root] != root {
        root = leaders[root];
    }
    let mut at = position;
    while leaders[at] != root {
        at = std::mem::replace(&mut leaders[at], root);
    }
    root
}

fn unite(leaders: &mut [usize], left: usize, right: usize) {
    let (left, right) = (find(leaders, left), find(leaders, right));
    let (low, high) = (left.min(right), left.max(right));
    leaders[high] = low;
}

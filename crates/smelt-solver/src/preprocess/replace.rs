//! Replacing terms by terms everywhere in a graph, with a memo.

use rustc_hash::FxHashMap;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::{Rebuild, Rebuilt, rebuild};

/// A replacement of terms, applied also inside of what it puts in place.
///
/// The caller makes sure that no term is reached again from what replaces it.
#[derive(Debug, Clone, Default)]
pub struct Replacement {
    map: FxHashMap<Term, Term>,
    memo: FxHashMap<Term, Term>,
}

impl Replacement {
    /// Replaces nothing.
    pub fn new() -> Self {
        Replacement::default()
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// What a term itself is replaced by.
    pub fn get(&self, term: Term) -> Option<Term> {
        self.map.get(&term).copied()
    }

    /// Replaces a term by another.
    pub fn insert(&mut self, from: Term, to: Term) {
        self.memo.clear();
        self.map.insert(from, to);
    }

    /// Replaces a term no more.
    pub fn remove(&mut self, from: Term) {
        self.memo.clear();
        self.map.remove(&from);
    }

    /// Whether a term is reached from another, through what is replaced by now.
    ///
    /// Also true if that takes more than the given number of steps, which are taken away.
    pub fn reaches(&self, terms: &Terms, from: Term, target: Term, steps: &mut usize) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut pending = vec![from];
        while let Some(term) = pending.pop() {
            if term == target || *steps == 0 {
                return true;
            }
            // Arguments are older than the terms that use them, unless something is replaced on the way.
            if self.map.is_empty() && term < target || !seen.insert(term) {
                continue;
            }
            *steps -= 1;
            match self.map.get(&term) {
                Some(to) => pending.push(*to),
                None => pending.extend_from_slice(terms.args(term)),
            }
        }
        false
    }

    /// The term with everything replaced.
    pub fn apply(&mut self, terms: &mut Terms, root: Term) -> Term {
        rebuild(terms, root, self)
    }
}

impl Rebuild for Replacement {
    fn recall(&self, term: Term) -> Option<Term> {
        self.memo.get(&term).copied()
    }

    fn remember(&mut self, term: Term, result: Term) {
        self.memo.insert(term, result);
    }

    fn enter(&mut self, term: Term) -> Option<Term> {
        self.get(term)
    }

    fn leave(&mut self, _terms: &mut Terms, rebuilt: Term) -> Rebuilt {
        Rebuilt::Done(rebuilt)
    }
}

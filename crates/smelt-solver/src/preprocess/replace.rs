//! Replacing terms by terms everywhere in a graph, with a memo.

use rustc_hash::FxHashMap;
use smelt_smtlib::term::{Term, Terms};

/// A replacement of terms, applied also inside of what it puts in place.
///
/// The caller makes sure that no term is reached again from what replaces it.
#[derive(Debug, Clone, Default)]
pub struct Replacement {
    map: FxHashMap<Term, Term>,
    memo: FxHashMap<Term, Term>,
}

enum Task {
    Enter(Term),
    Leave(Term),
    Alias(Term),
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
        let mut tasks = vec![Task::Enter(root)];
        let mut results: Vec<Term> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter(term) => {
                    if let Some(result) = self.memo.get(&term) {
                        results.push(*result);
                    } else if let Some(to) = self.map.get(&term) {
                        tasks.push(Task::Alias(term));
                        tasks.push(Task::Enter(*to));
                    } else {
                        tasks.push(Task::Leave(term));
                        tasks.extend(terms.args(term).iter().rev().map(|arg| Task::Enter(*arg)));
                    }
                }
                Task::Leave(term) => {
                    let first = results.len() - terms.args(term).len();
                    let rebuilt = terms.with_args(term, &results[first..]);
                    results.truncate(first);
                    self.memo.insert(term, rebuilt);
                    results.push(rebuilt);
                }
                Task::Alias(term) => {
                    let result = *results.last().expect("the replacing term was rebuilt");
                    self.memo.insert(term, result);
                }
            }
        }
        results.pop().expect("one term was rebuilt")
    }
}

//! Rewriting and replacing again what a log says was rewritten and replaced.

use rustc_hash::FxHashMap;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{Rebuild, Rebuilt, rebuild, subterms};

/// More steps than any log has.
const MAX_STEPS: usize = 10_000_000;

/// Replaces parts of a term from the leaves up.
struct Replay<F> {
    memo: FxHashMap<Term, Term>,
    step: F,
    steps_left: usize,
}

impl<F: FnMut(Term) -> Option<Term>> Rebuild for Replay<F> {
    fn recall(&self, term: Term) -> Option<Term> {
        self.memo.get(&term).copied()
    }

    fn remember(&mut self, term: Term, result: Term) {
        self.memo.insert(term, result);
    }

    fn leave(&mut self, _terms: &mut Terms, rebuilt: Term) -> Rebuilt {
        if let Some(result) = self.recall(rebuilt) {
            return Rebuilt::Done(result);
        }
        if self.steps_left > 0
            && let Some(next) = (self.step)(rebuilt)
        {
            self.steps_left -= 1;
            return Rebuilt::Again(next);
        }
        self.remember(rebuilt, rebuilt);
        Rebuilt::Done(rebuilt)
    }
}

/// The result of replacing parts of a term from the leaves up, for as long as there is a step for one.
///
/// None if that does not end.
pub fn replay(terms: &mut Terms, root: Term, step: impl FnMut(Term) -> Option<Term>) -> Option<Term> {
    let mut replay = Replay { memo: FxHashMap::default(), step, steps_left: MAX_STEPS };
    let result = rebuild(terms, root, &mut replay);
    (replay.steps_left > 0).then_some(result)
}

/// Replaces terms by others, wherever they are found.
struct Replace<'m> {
    map: &'m FxHashMap<Term, Term>,
    memo: FxHashMap<Term, Term>,
    steps_left: usize,
}

impl Rebuild for Replace<'_> {
    fn recall(&self, term: Term) -> Option<Term> {
        self.memo.get(&term).copied()
    }

    fn remember(&mut self, term: Term, result: Term) {
        self.memo.insert(term, result);
    }

    fn enter(&mut self, term: Term) -> Option<Term> {
        let other = self.map.get(&term).copied().filter(|_| self.steps_left > 0)?;
        self.steps_left -= 1;
        Some(other)
    }

    fn leave(&mut self, _terms: &mut Terms, rebuilt: Term) -> Rebuilt {
        Rebuilt::Done(rebuilt)
    }
}

/// The result of replacing terms by others wherever they are found, also in the terms that replace them.
///
/// None if that does not end.
pub(crate) fn replace(terms: &mut Terms, root: Term, map: &FxHashMap<Term, Term>) -> Option<Term> {
    let mut replace = Replace { map, memo: FxHashMap::default(), steps_left: MAX_STEPS };
    let result = rebuild(terms, root, &mut replace);
    (replace.steps_left > 0).then_some(result)
}

/// The term without its annotations.
pub fn without_annotations(terms: &mut Terms, term: Term) -> Option<Term> {
    let annotated = |part: &Term| matches!(terms.head(*part), Head::Annotated(_));
    let parts: Vec<Term> = subterms(terms, &[term]).into_iter().filter(annotated).collect();
    let map = parts.into_iter().map(|part| (part, terms.args(part)[0])).collect();
    replace(terms, term, &map)
}

//! Rewriting done again from a list of single steps.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

/// More steps than any log has.
const MAX_STEPS: usize = 10_000_000;

enum Task {
    Enter(Term),
    Leave(Term),
    /// The result is also that of these two terms.
    Alias(Term, Term),
}

/// Looks at the arguments of a term before the term itself.
fn enter(terms: &Terms, term: Term, tasks: &mut Vec<Task>) {
    tasks.push(Task::Leave(term));
    tasks.extend(terms.args(term).iter().rev().map(|arg| Task::Enter(*arg)));
}

/// The term with what has become of its arguments, which are taken away.
fn rebuild(terms: &mut Terms, term: Term, results: &mut Vec<Term>) -> Term {
    let first = results.len() - terms.args(term).len();
    let rebuilt = terms.with_args(term, &results[first..]);
    results.truncate(first);
    rebuilt
}

/// What becomes of a term whose parts are replaced from the leaves up, for as long as there is a step for one.
///
/// None if that does not end.
pub(super) fn replay(
    terms: &mut Terms,
    root: Term,
    mut step: impl FnMut(Term) -> Option<Term>,
) -> Option<Term> {
    let mut memo: FxHashMap<Term, Term> = FxHashMap::default();
    let mut tasks = vec![Task::Enter(root)];
    let mut results: Vec<Term> = Vec::new();
    for _ in 0..MAX_STEPS {
        match tasks.pop() {
            None => return results.pop(),
            Some(Task::Enter(term)) => {
                if let Some(result) = memo.get(&term) {
                    results.push(*result);
                } else {
                    enter(terms, term, &mut tasks);
                }
            }
            Some(Task::Leave(term)) => {
                let rebuilt = rebuild(terms, term, &mut results);
                if let Some(result) = memo.get(&rebuilt).copied() {
                    memo.insert(term, result);
                    results.push(result);
                } else if let Some(next) = step(rebuilt) {
                    tasks.push(Task::Alias(term, rebuilt));
                    tasks.push(Task::Enter(next));
                } else {
                    memo.insert(term, rebuilt);
                    memo.insert(rebuilt, rebuilt);
                    results.push(rebuilt);
                }
            }
            Some(Task::Alias(term, rebuilt)) => {
                let result = *results.last().expect("what replaces a term was looked at");
                memo.insert(term, result);
                memo.insert(rebuilt, result);
            }
        }
    }
    None
}

/// What becomes of a term in which terms are replaced by others wherever they are found, also in what replaces them.
///
/// None if that does not end.
pub(super) fn replace(terms: &mut Terms, root: Term, map: &FxHashMap<Term, Term>) -> Option<Term> {
    let mut memo: FxHashMap<Term, Term> = FxHashMap::default();
    let mut tasks = vec![Task::Enter(root)];
    let mut results: Vec<Term> = Vec::new();
    for _ in 0..MAX_STEPS {
        match tasks.pop() {
            None => return results.pop(),
            Some(Task::Enter(term)) => {
                if let Some(result) = memo.get(&term) {
                    results.push(*result);
                } else if let Some(to) = map.get(&term) {
                    tasks.push(Task::Alias(term, term));
                    tasks.push(Task::Enter(*to));
                } else {
                    enter(terms, term, &mut tasks);
                }
            }
            Some(Task::Leave(term)) => {
                let rebuilt = rebuild(terms, term, &mut results);
                memo.insert(term, rebuilt);
                results.push(rebuilt);
            }
            Some(Task::Alias(term, _)) => {
                let result = *results.last().expect("what replaces a term was looked at");
                memo.insert(term, result);
            }
        }
    }
    None
}

/// The term with the arguments of operators whose order does not matter in the order of their ids.
pub(super) fn unordered(terms: &mut Terms, root: Term) -> Term {
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for part in subterms(terms, &[root]) {
        let mut args: Vec<Term> = terms.args(part).iter().map(|arg| done[arg]).collect();
        if matches!(terms.op(part), Some(Op::Eq | Op::Add | Op::Mul | Op::And | Op::Or | Op::Distinct)) {
            args.sort_unstable();
        }
        let rebuilt = terms.with_args(part, &args);
        done.insert(part, rebuilt);
    }
    done[&root]
}

/// The term without its annotations.
pub(super) fn without_annotations(terms: &mut Terms, term: Term) -> Option<Term> {
    let annotated = |part: &Term| matches!(terms.head(*part), Head::Annotated(_));
    let parts: Vec<Term> = subterms(terms, &[term]).into_iter().filter(annotated).collect();
    let map = parts.into_iter().map(|part| (part, terms.args(part)[0])).collect();
    replace(terms, term, &map)
}

//! Walking over terms: sizes, subterms, positions, polarity, free symbols, rebuilding. Nothing here recurses.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::Op;
use crate::symbol::Symbol;
use crate::term::{Head, Term, Terms, Variable};

/// The distinct subterms of some roots, each after its arguments.
pub fn subterms(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut pending: Vec<Term> = roots.to_vec();
    while let Some(term) = pending.pop() {
        if seen.insert(term) {
            pending.extend(terms.args(term).iter().filter(|arg| !seen.contains(arg)));
        }
    }
    // Arguments are interned before the terms that use them, so the order of ids will do.
    let mut found: Vec<Term> = seen.into_iter().collect();
    found.sort_unstable();
    found
}

/// The distinct subterms of some roots, in the order in which they are first read. Other than that of [`subterms`], it does
/// not depend on what else is in the arena, as draws must not.
pub fn subterms_as_read(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut found = Vec::new();
    let mut pending: Vec<Term> = roots.iter().rev().copied().collect();
    while let Some(term) = pending.pop() {
        if seen.insert(term) {
            found.push(term);
            pending.extend(terms.args(term).iter().rev());
        }
    }
    found
}

/// The distinct operators in some roots, in the order of the table.
pub fn operators(terms: &Terms, roots: &[Term]) -> Vec<Op> {
    let mut found: Vec<Op> = subterms(terms, roots).into_iter().filter_map(|term| terms.op(term)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// How many distinct subterms a term has.
pub fn graph_size(terms: &Terms, term: Term) -> usize {
    subterms(terms, &[term]).len()
}

/// How many nodes a term has when written as a tree; saturates at `u64::MAX`.
pub fn tree_size(terms: &Terms, term: Term) -> u64 {
    // Terms know their size unless it is huge.
    if terms.tree_size(term) < u32::MAX {
        return u64::from(terms.tree_size(term));
    }
    fold_up(terms, term, |terms, term, of| {
        terms.args(term).iter().fold(1u64, |sum, arg| sum.saturating_add(of(*arg)))
    })
}

/// The length of the longest path from a term down to a leaf; a leaf has depth 1.
pub fn depth(terms: &Terms, term: Term) -> u64 {
    fold_up(terms, term, |terms, term, of| 1 + terms.args(term).iter().map(|arg| of(*arg)).max().unwrap_or(0))
}

/// Computes a number for a term from the numbers of its arguments.
fn fold_up(terms: &Terms, root: Term, number: impl Fn(&Terms, Term, &dyn Fn(Term) -> u64) -> u64) -> u64 {
    if terms.args(root).is_empty() {
        return number(terms, root, &|_| 0);
    }
    let mut numbers: FxHashMap<Term, u64> = FxHashMap::default();
    for term in subterms(terms, &[root]) {
        let value = number(terms, term, &|arg| numbers[&arg]);
        numbers.insert(term, value);
    }
    numbers[&root]
}

/// How [`rebuild`] treats the terms that it comes to.
///
/// The memo belongs to the implementation, so that it can outlive one walk.
pub trait Rebuild {
    /// The result of a term, if an earlier visit has found it.
    fn recall(&self, term: Term) -> Option<Term>;

    /// Stores the result of a term.
    fn remember(&mut self, term: Term, result: Term);

    /// A term to rebuild in the place of this one; its arguments are not visited then.
    fn enter(&mut self, _term: Term) -> Option<Term> {
        None
    }

    /// What becomes of a term whose arguments are rebuilt.
    fn leave(&mut self, terms: &mut Terms, rebuilt: Term) -> Rebuilt;
}

/// What becomes of a term whose arguments are rebuilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rebuilt {
    /// This is its result.
    Done(Term),
    /// Its result is that of this term, which is visited next.
    Again(Term),
}

/// Steps of a rebuilding walk.
enum Task {
    Enter(Term),
    Leave(Term),
    /// The last result is also that of a term, and of the term with rebuilt arguments.
    Alias(Term, Term),
}

/// Rebuilds a term from the leaves up.
pub fn rebuild(terms: &mut Terms, root: Term, how: &mut impl Rebuild) -> Term {
    let mut tasks = vec![Task::Enter(root)];
    let mut results: Vec<Term> = Vec::new();
    while let Some(task) = tasks.pop() {
        match task {
            Task::Enter(term) => {
                if let Some(result) = how.recall(term) {
                    results.push(result);
                } else if let Some(other) = how.enter(term) {
                    tasks.push(Task::Alias(term, term));
                    tasks.push(Task::Enter(other));
                } else {
                    tasks.push(Task::Leave(term));
                    tasks.extend(terms.args(term).iter().rev().map(|arg| Task::Enter(*arg)));
                }
            }
            Task::Leave(term) => {
                let first = results.len() - terms.args(term).len();
                let rebuilt = terms.with_args(term, &results[first..]);
                results.truncate(first);
                match how.leave(terms, rebuilt) {
                    Rebuilt::Done(result) => {
                        how.remember(term, result);
                        results.push(result);
                    }
                    Rebuilt::Again(next) => {
                        tasks.push(Task::Alias(term, rebuilt));
                        tasks.push(Task::Enter(next));
                    }
                }
            }
            Task::Alias(term, rebuilt) => {
                let result = *results.last().expect("the term to visit instead has a result");
                how.remember(term, result);
                if rebuilt != term {
                    how.remember(rebuilt, result);
                }
            }
        }
    }
    results.pop().expect("the root has a result")
}

/// A way down from a root: the argument to take at each step.
pub type Path = Vec<u32>;

/// How an occurrence of a Boolean subterm bears on the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Polarity {
    /// Making it true can only make the whole true.
    Positive,
    /// Making it true can only make the whole false.
    Negative,
    /// Nothing can be said.
    Mixed,
}

impl Polarity {
    /// The polarity of what this one's negation surrounds.
    pub fn flip(self) -> Self {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
            Polarity::Mixed => Polarity::Mixed,
        }
    }
}

/// One occurrence of a subterm.
#[derive(Debug, Clone)]
pub struct Occurrence {
    /// The subterm.
    pub term: Term,
    /// The way to it.
    pub path: Path,
    /// The polarity of the place, which also makes sense for regular expressions under `str.in_re`.
    pub polarity: Polarity,
}

/// All occurrences of subterms in reading order, at most `limit` of them: a graph may have exponentially many.
///
/// Fewer if their paths would fill the memory, as in a term nested a million deep.
pub fn occurrences(terms: &Terms, root: Term, limit: usize) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let mut steps = 0;
    let mut pending = vec![Occurrence { term: root, path: Vec::new(), polarity: Polarity::Positive }];
    while let Some(occurrence) = pending.pop() {
        steps += occurrence.path.len();
        if found.len() == limit || steps > MAX_STEPS {
            break;
        }
        for (position, arg) in terms.args(occurrence.term).iter().enumerate().rev() {
            let mut path = occurrence.path.clone();
            path.push(position as u32);
            let polarity = polarity_below(terms, occurrence.term, position, occurrence.polarity);
            pending.push(Occurrence { term: *arg, path, polarity });
        }
        found.push(occurrence);
    }
    found
}

/// The most steps that the paths of occurrences have together.
const MAX_STEPS: usize = 1 << 26;

/// The subterm at a path.
pub fn subterm_at(terms: &Terms, root: Term, path: &[u32]) -> Option<Term> {
    path.iter().try_fold(root, |term, position| terms.args(term).get(*position as usize).copied())
}

/// The variables in scope at a path, outermost first; a later one hides an earlier one of the same name.
pub fn variables_at(terms: &Terms, root: Term, path: &[u32]) -> Vec<Variable> {
    let mut variables = Vec::new();
    let mut term = root;
    for position in path {
        variables.extend_from_slice(terms.bound_at(term, *position as usize));
        match terms.args(term).get(*position as usize) {
            Some(arg) => term = *arg,
            None => break,
        }
    }
    variables
}

/// The polarity of the place at a path.
pub fn polarity_at(terms: &Terms, root: Term, path: &[u32]) -> Polarity {
    let mut term = root;
    let mut polarity = Polarity::Positive;
    for position in path {
        polarity = polarity_below(terms, term, *position as usize, polarity);
        match terms.args(term).get(*position as usize) {
            Some(arg) => term = *arg,
            None => break,
        }
    }
    polarity
}

/// The polarity of the argument at `position` of a term that stands at a place of polarity `outer`.
fn polarity_below(terms: &Terms, term: Term, position: usize, outer: Polarity) -> Polarity {
    let last = terms.args(term).len().saturating_sub(1);
    match terms.head(term) {
        Head::Op(op, _) => match op {
            Op::And | Op::Or => outer,
            Op::Not => outer.flip(),
            Op::Implies | Op::ImpliesWord => {
                if position == last {
                    outer
                } else {
                    outer.flip()
                }
            }
            Op::Ite if position > 0 => outer,
            // Regular expressions: a larger language makes membership true.
            Op::StrInRe if position == 1 => outer,
            Op::ReConcat | Op::ReUnion | Op::ReInter | Op::ReStar | Op::RePlus | Op::ReOpt => outer,
            Op::RePower | Op::ReLoop | Op::ReLoopFrom => outer,
            Op::ReLoopBetween if position == 0 => outer,
            Op::ReComp => outer.flip(),
            Op::ReDiff => {
                if position == 0 {
                    outer
                } else {
                    outer.flip()
                }
            }
            _ => Polarity::Mixed,
        },
        Head::Forall(_) | Head::Exists(_) => outer,
        Head::Annotated(_) if position == 0 => outer,
        // The body of a let has the polarity of the let; what is bound may be used anywhere.
        Head::Let(_) if position == last => outer,
        Head::Match(_) if position > 0 => outer,
        _ => Polarity::Mixed,
    }
}

/// The names that a term takes from around it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FreeNames {
    /// Declared symbols that it uses.
    pub globals: FxHashSet<Symbol>,
    /// Variables that no binder inside of it binds.
    pub locals: FxHashSet<Symbol>,
}

impl FreeNames {
    /// Whether a name occurs free, as one or the other.
    pub fn contains(&self, name: Symbol) -> bool {
        self.globals.contains(&name) || self.locals.contains(&name)
    }
}

/// The free names of a term.
pub fn free_names(terms: &Terms, root: Term) -> FreeNames {
    let mut names = FreeNames::default();
    // Symbols that are declared do not depend on binders.
    let mut has_locals = false;
    for term in subterms(terms, &[root]) {
        match terms.head(term) {
            Head::Global(name) | Head::Qualified(name) | Head::Tester(name) | Head::Updater(name) => {
                names.globals.insert(name);
            }
            Head::Match(cases) => {
                names.globals.extend(terms.cases(cases).iter().filter_map(|case| case.constructor));
            }
            Head::Local(_) => has_locals = true,
            _ => {}
        }
    }
    if has_locals {
        names.locals = free_locals(terms, root);
    }
    names
}

/// Steps of a walk that minds binders.
enum Walk {
    Visit(Term),
    /// Enter the scope that a binder opens for one of its arguments, and visit that argument.
    Enter(Term, usize),
    Leave(Term, usize),
}

fn free_locals(terms: &Terms, root: Term) -> FxHashSet<Symbol> {
    let mut free = FxHashSet::default();
    let mut bound: FxHashMap<Symbol, u32> = FxHashMap::default();
    // A term seen in the same scope needs no second look.
    let mut scopes = Scopes::default();
    let mut seen: FxHashSet<(Term, u32)> = FxHashSet::default();
    let mut pending = vec![Walk::Visit(root)];
    while let Some(step) = pending.pop() {
        match step {
            Walk::Visit(term) => {
                if !terms.has_locals(term) || !seen.insert((term, scopes.current())) {
                    continue;
                }
                if let Head::Local(name) = terms.head(term)
                    && bound.get(&name).copied().unwrap_or(0) == 0
                {
                    free.insert(name);
                }
                for (position, arg) in terms.args(term).iter().enumerate() {
                    let is_scope = !terms.bound_at(term, position).is_empty();
                    pending.push(if is_scope { Walk::Enter(term, position) } else { Walk::Visit(*arg) });
                }
            }
            Walk::Enter(term, position) => {
                for variable in terms.bound_at(term, position) {
                    *bound.entry(variable.name).or_default() += 1;
                }
                scopes.enter(term, position);
                pending.push(Walk::Leave(term, position));
                pending.push(Walk::Visit(terms.args(term)[position]));
            }
            Walk::Leave(term, position) => {
                for variable in terms.bound_at(term, position) {
                    *bound.entry(variable.name).or_default() -= 1;
                }
                scopes.leave();
            }
        }
    }
    free
}

/// Numbers for scopes: the same number for the same binders entered in the same order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scopes {
    ids: FxHashMap<(u32, Term, usize), u32>,
    entered: Vec<u32>,
}

impl Scopes {
    /// The number of the current scope; 0 outside of all binders.
    pub(crate) fn current(&self) -> u32 {
        self.entered.last().copied().unwrap_or(0)
    }

    pub(crate) fn enter(&mut self, binder: Term, position: usize) {
        let fresh = self.ids.len() as u32 + 1;
        let id = *self.ids.entry((self.current(), binder, position)).or_insert(fresh);
        self.entered.push(id);
    }

    pub(crate) fn leave(&mut self) {
        self.entered.pop();
    }
}

#[cfg(test)]
mod tests;

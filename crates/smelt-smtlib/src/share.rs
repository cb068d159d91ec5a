//! Sharing: introduces `let` for subterms that occur more than once, so that a graph prints in linear size.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::symbol::Symbol;
use crate::term::{Head, Term, Terms, Variable};
use crate::walk::subterms;

/// An equal term in which every compound subterm that occurs more than once in a scope is bound by a `let`.
///
/// A scope is the whole term or the body of a binder; what two bodies have in common stays where it is.
pub fn share(terms: &mut Terms, root: Term) -> Term {
    let mut sharing = Sharing { names: 0, taken: names_in(terms, root), bodies: FxHashMap::default() };
    // Bodies of inner binders have smaller ids than the binders around them, so they are done first.
    for term in subterms(terms, &[root]) {
        for position in 0..terms.args(term).len() {
            let body = terms.args(term)[position];
            if !terms.bound_at(term, position).is_empty() && !sharing.bodies.contains_key(&body) {
                let new_body = sharing.scope(terms, body);
                sharing.bodies.insert(body, new_body);
            }
        }
    }
    sharing.scope(terms, root)
}

struct Sharing {
    names: usize,
    /// Names that occur in the whole. Nothing else matters, so a term is shared in the same way every time.
    taken: FxHashSet<Symbol>,
    /// Bodies of binders with their own sharing done.
    bodies: FxHashMap<Term, Term>,
}

impl Sharing {
    /// Shares what occurs more than once below `root` without entering the bodies of binders.
    fn scope(&mut self, terms: &mut Terms, root: Term) -> Term {
        let region = region(terms, root);
        let mut uses: FxHashMap<Term, usize> = FxHashMap::default();
        for term in &region {
            for (position, arg) in terms.args(*term).iter().enumerate() {
                if terms.bound_at(*term, position).is_empty() {
                    *uses.entry(*arg).or_default() += 1;
                }
            }
        }
        // New versions, and how many lets each needs around it.
        let mut new: FxHashMap<Term, (Term, usize)> = FxHashMap::default();
        let mut levels: Vec<Vec<(Symbol, Term)>> = Vec::new();
        for term in region {
            let mut level = 0;
            let mut args = terms.args(term).to_vec();
            for (position, arg) in args.iter_mut().enumerate() {
                if terms.bound_at(term, position).is_empty() {
                    let (new_arg, arg_level) = new[arg];
                    level = level.max(arg_level);
                    *arg = new_arg;
                } else {
                    *arg = self.bodies[arg];
                }
            }
            let built = terms.with_args(term, &args);
            if term == root || args.is_empty() || uses[&term] < 2 {
                new.insert(term, (built, level));
                continue;
            }
            let name = self.fresh_name(terms);
            if levels.len() <= level {
                levels.resize(level + 1, Vec::new());
            }
            levels[level].push((name, built));
            let variable = terms.local(name, terms.sort(term));
            new.insert(term, (variable, level + 1));
        }
        let mut result = new[&root].0;
        for bindings in levels.into_iter().rev() {
            let variables: Vec<Variable> = bindings
                .iter()
                .map(|(name, term)| Variable { name: *name, sort: terms.sort(*term) })
                .collect();
            let binders = terms.intern_binders(&variables);
            let args: Vec<Term> = bindings.iter().map(|(_, term)| *term).chain([result]).collect();
            result = terms.intern(Head::Let(binders), &args, terms.sort(result));
        }
        result
    }

    fn fresh_name(&mut self, terms: &mut Terms) -> Symbol {
        loop {
            let name = terms.symbols.intern(&format!("s!{}", self.names));
            self.names += 1;
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
}

/// The names that occur in a term, free or bound.
fn names_in(terms: &Terms, root: Term) -> FxHashSet<Symbol> {
    let mut names = FxHashSet::default();
    for term in subterms(terms, &[root]) {
        if let Head::Global(name) | Head::Qualified(name) | Head::Local(name) | Head::Opaque(name) =
            terms.head(term)
        {
            names.insert(name);
        }
        for position in 0..terms.args(term).len() {
            names.extend(terms.bound_at(term, position).iter().map(|variable| variable.name));
        }
    }
    names
}

/// The subterms of `root` outside of the bodies of binders, each after its arguments.
fn region(terms: &Terms, root: Term) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut pending = vec![root];
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        for (position, arg) in terms.args(term).iter().enumerate() {
            if terms.bound_at(term, position).is_empty() {
                pending.push(*arg);
            }
        }
    }
    let mut found: Vec<Term> = seen.into_iter().collect();
    found.sort_unstable();
    found
}

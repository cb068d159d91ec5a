//! Sharing: introduces `let` for subterms that occur more than once, so that a graph prints in linear size.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Head, Term, Terms, Variable};
use crate::walk::subterms;

/// An equal term in which every compound subterm that occurs more than once in a scope is bound by a `let`.
///
/// A scope is the whole term, the body of a binder or a term with a name, which must not use variables around it; what
/// two scopes have in common stays where it is, and so do uses of a name, which must come after the term that it names.
pub fn share(terms: &mut Terms, root: Term) -> Term {
    let named = subterms(terms, &[root]).into_iter().flat_map(|term| names_of(terms, term)).collect();
    let mut sharing = Sharing { names: 0, taken: names_in(terms, root), named, bodies: FxHashMap::default() };
    // Bodies of inner binders have smaller ids than the binders around them, so they are done first.
    for term in subterms(terms, &[root]) {
        for position in 0..terms.args(term).len() {
            let body = terms.args(term)[position];
            if is_scope(terms, term, position) && !sharing.bodies.contains_key(&body) {
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
    /// The names of annotated terms.
    named: FxHashSet<Symbol>,
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
                if !is_scope(terms, *term, position) {
                    *uses.entry(*arg).or_default() += 1;
                }
            }
        }
        // New versions, and how many lets each needs around it.
        let mut new: FxHashMap<Term, (Term, usize)> = FxHashMap::default();
        let mut uses_name: FxHashSet<Term> = FxHashSet::default();
        let mut levels: Vec<Vec<(Symbol, Term)>> = Vec::new();
        for term in region {
            let mut level = 0;
            let mut args = terms.args(term).to_vec();
            for (position, arg) in args.iter_mut().enumerate() {
                if !is_scope(terms, term, position) {
                    if uses_name.contains(arg) {
                        uses_name.insert(term);
                    }
                    let (new_arg, arg_level) = new[arg];
                    level = level.max(arg_level);
                    *arg = new_arg;
                } else {
                    *arg = self.bodies[arg];
                }
            }
            let built = terms.with_args(term, &args);
            if matches!(terms.head(term), Head::Global(name) if self.named.contains(&name)) {
                uses_name.insert(term);
            }
            if term == root || args.is_empty() || uses[&term] < 2 || uses_name.contains(&term) {
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

/// The names that an annotation gives.
fn names_of(terms: &Terms, term: Term) -> Vec<Symbol> {
    let Head::Annotated(attributes) = terms.head(term) else { return Vec::new() };
    let name = |attribute: &Attribute| match attribute.value {
        AttributeValue::Name(name) => Some(name),
        _ => None,
    };
    terms.attributes(attributes).iter().filter_map(name).collect()
}

/// Whether the argument at `position` is a scope of its own.
fn is_scope(terms: &Terms, term: Term, position: usize) -> bool {
    !terms.bound_at(term, position).is_empty() || (position == 0 && !names_of(terms, term).is_empty())
}

/// The subterms of `root` outside of the scopes in it, each after its arguments.
fn region(terms: &Terms, root: Term) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut pending = vec![root];
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        for (position, arg) in terms.args(term).iter().enumerate() {
            if !is_scope(terms, term, position) {
                pending.push(*arg);
            }
        }
    }
    let mut found: Vec<Term> = seen.into_iter().collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::term_text;
    use crate::read::read_script;

    fn check(formula: &str, expected: &str) {
        let mut terms = Terms::new();
        let source = format!("(declare-fun f (Bool) Bool)(declare-const p Bool)(assert {formula})");
        let reading = read_script(&mut terms, &source);
        assert_eq!(reading.diagnostics, []);
        let assertion = reading.script.assertions().next().unwrap();
        let shared = share(&mut terms, assertion);
        assert_eq!(term_text(&mut terms, shared), expected);
    }

    #[test]
    fn what_occurs_twice_is_bound_once() {
        check("(and (f p) (f p))", "(let ((s!0 (f p))) (and s!0 s!0))");
    }

    #[test]
    fn bodies_of_binders_are_scopes() {
        let body = "(and (f x) (f x))";
        let shared = "(let ((s!0 (f x))) (and s!0 s!0))";
        check(&format!("(forall ((x Bool)) {body})"), &format!("(forall ((x Bool)) {shared})"));
    }

    #[test]
    fn a_named_term_uses_no_variables_from_outside() {
        check(
            "(or (! (and (f p) (f p)) :named a) (f p))",
            "(or (! (let ((s!0 (f p))) (and s!0 s!0)) :named a) (f p))",
        );
    }

    #[test]
    fn names_are_used_after_the_term_that_they_name() {
        let formula = "(and (! (f p) :named a) (f a) (f a))";
        check(formula, formula);
    }
}

//! What names mean at a place, so that nothing is put there that would mean something else.
//!
//! Terms are compared by binders, not by names (Definition 5.3.2 of the thesis, corrected): a term with free variables
//! may be copied only to places below the very binders that bind them, and a term without may not be copied to where a
//! binder would capture a declared symbol in it.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{AttributeValue, Head, Term, Terms, Variable};
use smelt_smtlib::walk::free_names;

use crate::term_index::{TermSite, open_args};

/// Operators whose names mean something else, because a script declares or a binder binds them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spoken {
    ops: Vec<Op>,
}

impl Spoken {
    /// The operators whose names a script declares.
    pub(crate) fn by_script(terms: &Terms, script: &Script) -> Self {
        let mut spoken = Spoken::default();
        let mut name = |name: Symbol| spoken.ops.extend_from_slice(terms.ops_named(name));
        for command in &script.commands {
            match command {
                Command::DeclareConst(declared, _) | Command::DeclareFun(declared, ..) => name(*declared),
                Command::DefineConst(definition)
                | Command::DefineFun(definition)
                | Command::DefineFunRec(definition) => name(definition.name),
                Command::DefineFunsRec(definitions) => {
                    definitions.iter().for_each(|definition| name(definition.name));
                }
                Command::DeclareDatatypes(datatypes) => {
                    for constructor in datatypes.iter().flat_map(|datatype| &datatype.constructors) {
                        name(constructor.name);
                        constructor.selectors.iter().for_each(|(selector, _)| name(*selector));
                    }
                }
                _ => {}
            }
        }
        spoken
    }

    /// Adds the operators whose names are variables.
    pub(crate) fn by_variables(&mut self, terms: &Terms, variables: &[Variable]) {
        for variable in variables {
            self.ops.extend_from_slice(terms.ops_named(variable.name));
        }
    }

    /// Whether the name of an operator means something else.
    pub(crate) fn contains(&self, op: Op) -> bool {
        self.ops.contains(&op)
    }
}

/// The binders around a place.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// For each binder, outermost first, the names that it binds at the place.
    bound: Vec<Vec<Symbol>>,
    /// Whether one of these names is an operator's.
    hides_operators: bool,
    /// For each term below some of the binders and below no other: how many, of which all must bind the
    /// same at the place.
    depths: FxHashMap<Term, usize>,
}

impl Surroundings {
    /// Looks around a place.
    pub(crate) fn of(terms: &Terms, place: &TermSite) -> Self {
        let mut surroundings =
            Surroundings { bound: Vec::new(), hides_operators: false, depths: FxHashMap::default() };
        let mut term = place.root;
        for position in &place.path {
            let position = *position as usize;
            let bound = terms.bound_at(term, position);
            let body = terms.args(term)[position];
            if !bound.is_empty() {
                surroundings.hides_operators |=
                    bound.iter().any(|variable| !terms.ops_named(variable.name).is_empty());
                surroundings.bound.push(bound.iter().map(|variable| variable.name).collect());
                let depth = surroundings.bound.len();
                surroundings.enter(terms, body, depth);
            }
            term = body;
        }
        surroundings
    }

    /// Notes the terms below `body` outside of the scopes of further binders.
    fn enter(&mut self, terms: &Terms, body: Term, depth: usize) {
        let mut pending = vec![body];
        while let Some(term) = pending.pop() {
            if !terms.has_locals(term) || self.depths.insert(term, depth) == Some(depth) {
                continue;
            }
            let args = open_args(terms, term).iter().enumerate();
            pending.extend(
                args.filter(|(position, _)| terms.bound_at(term, *position).is_empty()).map(|(_, arg)| *arg),
            );
        }
    }

    /// Whether a term that occurs somewhere in the assertions means the same at the place.
    pub(crate) fn admits(&self, terms: &Terms, term: Term) -> bool {
        if self.bound.is_empty() && !terms.has_locals(term) {
            return true;
        }
        if self.hides_operators && !terms.args(term).is_empty() {
            return false;
        }
        let names = free_names(terms, term);
        let is_bound = |name: &Symbol, bound: &[Vec<Symbol>]| bound.iter().any(|names| names.contains(name));
        if names.globals.iter().any(|name| is_bound(name, &self.bound)) {
            return false;
        }
        if names.locals.is_empty() {
            return true;
        }
        match self.depths.get(&term) {
            None => false,
            Some(depth) => !names.locals.iter().any(|name| is_bound(name, &self.bound[*depth..])),
        }
    }
}

/// The names that annotations in some terms give; no term that uses them may be copied to before the annotation.
pub(crate) fn annotated_names(terms: &Terms, all: &[Term]) -> FxHashSet<Symbol> {
    let mut names = FxHashSet::default();
    for term in all {
        if let Head::Annotated(attributes) = terms.head(*term) {
            names.extend(terms.attributes(attributes).iter().filter_map(|attribute| match attribute.value {
                AttributeValue::Name(name) => Some(name),
                _ => None,
            }));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::op::Dialect;
    use smelt_smtlib::read::read_script_as;
    use smelt_smtlib::walk::subterm_at;

    use super::*;

    /// Whether the term at `from` may be copied to `to`.
    fn check(declarations: &str, formula: &str, from: &[u32], to: &[u32], expected: bool) {
        let mut terms = Terms::new();
        let source = format!("{declarations}(assert {formula})");
        let reading = read_script_as(&mut terms, &source, Dialect::V26);
        assert_eq!(reading.diagnostics, []);
        let root = reading.script.assertions().next().expect("one formula is asserted");
        let at = |path: &[u32]| subterm_at(&terms, root, path).expect("tests name places that exist");
        let place = TermSite { command: 0, root, path: to.to_vec(), term: at(to) };
        assert_eq!(Surroundings::of(&terms, &place).admits(&terms, at(from)), expected, "{formula}");
    }

    const DECLARED: &str = "(declare-const a Int) (declare-const x Int)";

    #[test]
    fn a_variable_may_be_copied_below_its_binder_only() {
        let formula = "(and (< a 1) (forall ((y Int)) (or (< y 2) (< a 3))))";
        check(DECLARED, formula, &[1, 0, 0, 0], &[1, 0, 1, 0], true);
        check(DECLARED, formula, &[1, 0, 0], &[1, 0, 1], true);
        check(DECLARED, formula, &[1, 0, 0, 0], &[0, 0], false);
        check(DECLARED, formula, &[1, 0, 0, 0], &[1], false);
    }

    #[test]
    fn closed_terms_may_be_copied_anywhere() {
        let formula = "(and (< a 1) (forall ((y Int)) (< y 2)))";
        check(DECLARED, formula, &[0, 0], &[1, 0, 0], true);
        check(DECLARED, formula, &[1], &[0], true);
        check(DECLARED, formula, &[1], &[1, 0], true);
    }

    #[test]
    fn a_variable_of_another_binder_with_the_same_name_is_another() {
        let formula = "(and (exists ((y Int)) (< y 1)) (exists ((y Int)) (< 2 y)))";
        check("", formula, &[0, 0], &[1, 0], false);
        check("", formula, &[0, 0, 0], &[0, 0, 1], true);
    }

    #[test]
    fn a_hidden_variable_may_not_be_copied_below_what_hides_it() {
        let formula = "(forall ((y Int)) (and (< y 1) (exists ((y Int)) (< 2 y))))";
        check("", formula, &[0, 0], &[0, 1, 0], false);
        check("", formula, &[0, 0], &[0, 1], true);
        check("", formula, &[0, 1], &[0, 0], true);
    }

    #[test]
    fn an_outer_variable_may_be_copied_below_an_inner_binder() {
        let formula = "(forall ((y Int)) (and (< y 1) (exists ((z Int)) (< z y))))";
        check("", formula, &[0, 0], &[0, 1, 0], true);
        check("", formula, &[0, 1, 0], &[0, 0], false);
    }

    #[test]
    fn a_variable_of_a_let_is_not_bound_in_what_it_stands_for() {
        let formula = "(let ((y (+ a 1))) (< y 2))";
        check(DECLARED, formula, &[1, 0], &[0, 0], false);
        check(DECLARED, formula, &[0], &[1, 1], true);
    }

    #[test]
    fn a_declared_symbol_may_not_be_copied_below_a_binder_of_its_name() {
        let formula = "(and (< x 1) (forall ((x Int)) (< x 2)))";
        check(DECLARED, formula, &[0], &[1, 0], false);
        check(DECLARED, formula, &[0], &[1], true);
    }

    #[test]
    fn applications_may_not_be_copied_to_where_an_operator_is_hidden() {
        let formula = "(and (< a 1) (forall ((abs Int)) (< abs 2)))";
        check(DECLARED, formula, &[0], &[1, 0], false);
        check(DECLARED, formula, &[0, 0], &[1, 0, 0], true);
    }
}

//! What uninterpreted sorts consist of, where a model says so.
//!
//! Z3 prints the elements of each sort and a cardinality constraint `(forall ((x S)) (or (= x S!val!0) ..))`. cvc5 says it in
//! comments, `; cardinality of S is 2` and a line `; rep: (as @S_0 S)` for each element, and documents that the model
//! interprets the sort as just these. Other solvers say nothing, and then nothing is assumed.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::{Scope, read_term_tolerantly};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::is_element_name;

/// The elements of uninterpreted sorts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Universes(FxHashMap<Sort, Vec<Symbol>>);

impl Universes {
    /// All elements of a sort, if the model lists them.
    pub fn of(&self, sort: Sort) -> Option<&[Symbol]> {
        self.0.get(&sort).map(Vec::as_slice)
    }

    /// How many elements the sort has that is written like this.
    pub(crate) fn size_of_named(&self, terms: &Terms, name: &str) -> Option<usize> {
        let is_named = |sort: Sort| {
            let mut text = String::new();
            terms.sorts.write(&terms.symbols, sort, &mut text);
            text == name
        };
        self.0.iter().find(|(sort, _)| is_named(**sort)).map(|(_, elements)| elements.len())
    }

    /// Takes a cardinality constraint of Z3.
    pub(super) fn read_constraint(&mut self, terms: &Terms, constraint: Term) {
        let Head::Forall(binders) = terms.head(constraint) else { return };
        let ([variable], [body]) = (terms.binders(binders), terms.args(constraint)) else { return };
        let cases: &[Term] = if terms.op(*body) == Some(Op::Or) { terms.args(*body) } else { &[*body] };
        let element = |case: &Term| match (terms.op(*case), terms.args(*case)) {
            (Some(Op::Eq), [left, right]) if terms.head(*left) == Head::Local(variable.name) => {
                element_of(terms, *right)
            }
            _ => None,
        };
        if let Some(elements) = cases.iter().map(element).collect::<Option<Vec<Symbol>>>() {
            self.0.insert(variable.sort, elements);
        }
    }

    /// Takes the comments of cvc5.
    pub(super) fn read_comments(
        &mut self,
        terms: &mut Terms,
        scope: &mut Scope,
        text: &str,
        dialect: Dialect,
    ) {
        let mut lines = text.lines().map(str::trim).peekable();
        while let Some(line) = lines.next() {
            let Some(rest) = line.strip_prefix("; cardinality of ") else { continue };
            let count = rest.rsplit(' ').next().and_then(|count| count.parse::<usize>().ok());
            let mut elements = Vec::new();
            let mut sort = None;
            while let Some(element) = lines.next_if(|line| line.starts_with("; rep: ")) {
                let text = element.trim_start_matches("; rep: ");
                let Some(term) = read_term_tolerantly(terms, scope, text, dialect) else { break };
                sort = Some(terms.sort(term));
                elements.extend(element_of(terms, term));
            }
            if let Some(sort) = sort.filter(|_| count == Some(elements.len())) {
                self.0.insert(sort, elements);
            }
        }
    }

    /// Forgets sorts of which some value in the model is not among the elements that it lists.
    pub(super) fn forget_incomplete(&mut self, terms: &Terms, bodies: &[Term]) {
        if self.0.is_empty() {
            return;
        }
        for term in subterms(terms, bodies) {
            let sort = terms.sort(term);
            if let Some(element) = element_of(terms, term)
                && is_element_name(terms.text(element).trim_start_matches("(as "))
                && self.of(sort).is_some_and(|elements| !elements.contains(&element))
            {
                self.0.remove(&sort);
            }
        }
    }
}

/// The name under which a term is an element.
fn element_of(terms: &Terms, term: Term) -> Option<Symbol> {
    match terms.head(term) {
        Head::Global(name) | Head::Opaque(name) if terms.args(term).is_empty() => Some(name),
        _ => None,
    }
}

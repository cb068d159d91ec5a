//! A canonical form of assertions modulo the names of variables: two formulas that differ in names only get the same.

use rustc_hash::FxHashSet;

use crate::substitute::{Substitution, normalize_binders, substitute};
use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Head, Term, Terms};

/// Renames declared symbols in the order of their first occurrence and bound variables by nesting depth.
///
/// Names for which `keep` says so stay, and so do the names of sorts; everything else becomes `c!0`, `c!1`, ...
/// Occurrences are ordered as in the text of the assertions, so the form depends on the order of assertions and
/// arguments.
pub fn canonical(terms: &mut Terms, assertions: &[Term], keep: impl Fn(&Terms, Symbol) -> bool) -> Vec<Term> {
    let mut order: Vec<Symbol> = Vec::new();
    let mut known = FxHashSet::default();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut pending: Vec<Term> = assertions.iter().rev().copied().collect();
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        for name in declared_names(terms, term) {
            if !keep(terms, name) && known.insert(name) {
                order.push(name);
            }
        }
        pending.extend(terms.args(term).iter().rev());
    }
    let mut substitution = Substitution::new();
    for (number, name) in order.into_iter().enumerate() {
        let new_name = terms.symbols.intern(&format!("c!{number}"));
        substitution.rename(name, new_name);
    }
    assertions
        .iter()
        .map(|assertion| {
            let renamed = substitute(terms, *assertion, &substitution);
            normalize_binders(terms, renamed, "l!")
        })
        .collect()
}

/// The declared names in the head of a term.
fn declared_names(terms: &Terms, term: Term) -> Vec<Symbol> {
    match terms.head(term) {
        Head::Global(name) | Head::Qualified(name) | Head::Tester(name) | Head::Updater(name) => vec![name],
        Head::Match(cases) => terms.cases(cases).iter().filter_map(|case| case.constructor).collect(),
        Head::Annotated(attributes) => {
            let name = |attribute: &Attribute| match attribute.value {
                AttributeValue::Name(name) => Some(name),
                _ => None,
            };
            terms.attributes(attributes).iter().filter_map(name).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read_script;

    fn forms(sources: &[&str]) -> Vec<Vec<Term>> {
        let mut terms = Terms::new();
        sources
            .iter()
            .map(|source| {
                let reading = read_script(&mut terms, source);
                assert_eq!(reading.diagnostics, []);
                let assertions: Vec<Term> = reading.script.assertions().collect();
                canonical(&mut terms, &assertions, |_, _| false)
            })
            .collect()
    }

    #[test]
    fn names_of_constants_and_bound_variables_do_not_matter() {
        let forms = forms(&[
            "(declare-const x Int)(declare-const y Int)(assert (forall ((z Int)) (< x (+ z y))))",
            "(declare-const b Int)(declare-const a Int)(assert (forall ((x Int)) (< a (+ x b))))",
        ]);
        assert_eq!(forms[0], forms[1]);
    }

    #[test]
    fn the_use_of_the_same_variable_twice_matters() {
        let forms = forms(&[
            "(declare-const x Int)(declare-const y Int)(assert (< x y))",
            "(declare-const x Int)(declare-const y Int)(assert (< x x))",
        ]);
        assert_ne!(forms[0], forms[1]);
    }

    #[test]
    fn names_of_constructors_and_annotations_do_not_matter() {
        let forms = forms(&[
            "(declare-datatype D ((c (s Int)) (d)))(declare-const x D)
             (assert (! (and ((_ is d) x) (match x (((c n) true) (d false)))) :named a))(assert a)",
            "(declare-datatype D ((k (t Int)) (e)))(declare-const y D)
             (assert (! (and ((_ is e) y) (match y (((k m) true) (e false)))) :named b))(assert b)",
        ]);
        assert_eq!(forms[0], forms[1]);
    }

    #[test]
    fn kept_names_matter() {
        let mut terms = Terms::new();
        let mut form = |source: &str| {
            let assertions: Vec<Term> = read_script(&mut terms, source).script.assertions().collect();
            canonical(&mut terms, &assertions, |terms, name| terms.text(name) == "x")
        };
        let x = form("(declare-const x Int)(assert (= x 1))");
        let y = form("(declare-const y Int)(assert (= y 1))");
        let z = form("(declare-const z Int)(assert (= z 1))");
        assert_ne!(x, y);
        assert_eq!(y, z);
    }
}

//! Uninterpreted functions replaced by constants, one for each application, with the axioms that equal arguments give
//! equal values (Ackermann's reduction).

use rustc_hash::FxHashMap;
use smelt_smtlib::build;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::replace::Replacement;
use crate::model::Converter;

/// A function with more applications is not reduced: the axioms are quadratic.
const MAX_APPLICATIONS: usize = 400;

/// Assertions without functions, and how these get their tables; none if there are too many applications.
pub fn reduce(terms: &mut Terms, assertions: &[Term]) -> Option<(Vec<Term>, Vec<Converter>)> {
    let applications: Vec<Term> = subterms(terms, assertions)
        .into_iter()
        .filter(|term| matches!(terms.head(*term), Head::Global(_)) && !terms.args(*term).is_empty())
        .collect();
    if applications.is_empty() {
        return Some((assertions.to_vec(), Vec::new()));
    }
    let mut replacement = Replacement::new();
    let mut by_function: FxHashMap<Symbol, Vec<(Vec<Term>, Term)>> = FxHashMap::default();
    let mut order: Vec<Symbol> = Vec::new();
    // Inner applications come first, so that arguments are free of functions when they are looked at.
    for application in applications {
        let Head::Global(function) = terms.head(application) else { continue };
        let sort = terms.sort(application);
        let args: Vec<Term> = terms.args(application).to_vec();
        let args: Vec<Term> = args.into_iter().map(|arg| replacement.apply(terms, arg)).collect();
        let constant = build::fresh(terms, "value", sort);
        replacement.insert(application, constant);
        let known = by_function.entry(function).or_insert_with(|| {
            order.push(function);
            Vec::new()
        });
        known.push((args, constant));
        if known.len() > MAX_APPLICATIONS {
            return None;
        }
    }
    let mut reduced: Vec<Term> =
        assertions.iter().map(|assertion| replacement.apply(terms, *assertion)).collect();
    let mut converters = Vec::new();
    for function in order {
        let applications = &by_function[&function];
        for (position, (args, value)) in applications.iter().enumerate() {
            for (other_args, other_value) in &applications[..position] {
                let mut clause = Vec::new();
                for (left, right) in args.iter().zip(other_args) {
                    let equal = build::eq(terms, *left, *right);
                    clause.push(build::not(terms, equal));
                }
                clause.push(build::eq(terms, *value, *other_value));
                reduced.push(build::or(terms, &clause));
            }
        }
        let entries = applications
            .iter()
            .filter_map(|(args, value)| Some((args.clone(), build::constant_name(terms, *value)?)))
            .collect();
        converters.push(Converter::Function(function, entries));
    }
    Some((reduced, converters))
}

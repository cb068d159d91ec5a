//! The conjunctive fragment: formulas that become conjunctions of letter equations once lengths are known.
//!
//! String atoms (equations, prefixes, suffixes) stand under an even number of negations and under no disjunction; integer
//! atoms may be negated and joined by `or`; strings are made of literals, constants, concatenation and `str.at`, integers are
//! linear over constants and lengths. Follows Figure 3 of the Z3str4 paper.

use rustc_hash::FxHashSet;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

/// Whether all assertions are in the fragment.
pub fn is_conjunctive(terms: &Terms, assertions: &[Term]) -> bool {
    let fragment = Fragment::of(terms, assertions);
    let mut pending: Vec<(Term, bool)> = assertions.iter().map(|assertion| (*assertion, true)).collect();
    let mut seen = FxHashSet::default();
    while let Some((term, is_positive)) = pending.pop() {
        if fragment.parts.contains(&term) || !seen.insert((term, is_positive)) {
            continue;
        }
        let args = terms.args(term);
        match (terms.op(term), is_positive) {
            (Some(Op::Not), _) => pending.push((args[0], !is_positive)),
            (Some(Op::And), true) | (Some(Op::Or), false) => {
                pending.extend(args.iter().map(|arg| (*arg, is_positive)));
            }
            (Some(Op::Eq | Op::StrPrefixof | Op::StrSuffixof), true)
                if args.iter().all(|arg| fragment.has(terms, *arg, Sort::STRING)) => {}
            _ => return false,
        }
    }
    true
}

/// The strings, integers, and formulas over integers that are in the fragment, wherever they stand.
struct Fragment {
    parts: FxHashSet<Term>,
}

impl Fragment {
    fn of(terms: &Terms, assertions: &[Term]) -> Self {
        let mut fragment = Fragment { parts: FxHashSet::default() };
        // Arguments come first in this order, and what is shared comes once.
        for term in subterms(terms, assertions) {
            if fragment.is_part(terms, term) {
                fragment.parts.insert(term);
            }
        }
        fragment
    }

    /// Whether a term of this sort is in the fragment.
    fn has(&self, terms: &Terms, term: Term, sort: Sort) -> bool {
        terms.sort(term) == sort && self.parts.contains(&term)
    }

    fn is_part(&self, terms: &Terms, term: Term) -> bool {
        let args = terms.args(term);
        let all = |sort: Sort| args.iter().all(|arg| self.has(terms, *arg, sort));
        match terms.sort(term) {
            Sort::BOOL => match terms.op(term) {
                // An integer atom, its negation, or a disjunction of such.
                Some(Op::Not | Op::Or) => all(Sort::BOOL),
                Some(Op::Eq | Op::Le | Op::Lt | Op::Ge | Op::Gt) => all(Sort::INT),
                _ => false,
            },
            Sort::INT => match terms.op(term) {
                _ if literal::int_value(terms, term).is_some() => true,
                None => build::constant_name(terms, term).is_some(),
                Some(Op::StrLen) => all(Sort::STRING),
                Some(Op::Add | Op::Sub | Op::Neg) => all(Sort::INT),
                Some(Op::Mul) => {
                    let unknown = args.iter().filter(|arg| literal::int_value(terms, **arg).is_none());
                    unknown.count() <= 1 && all(Sort::INT)
                }
                _ => false,
            },
            Sort::STRING => match terms.op(term) {
                _ if build::is_string_literal(terms, term) => true,
                None => build::constant_name(terms, term).is_some(),
                Some(Op::StrConcat) => all(Sort::STRING),
                Some(Op::StrAt) => {
                    self.has(terms, args[0], Sort::STRING) && self.has(terms, args[1], Sort::INT)
                }
                _ => false,
            },
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::schedule::probe::tests::probe;

    fn check(assertion: &str, is_conjunctive: bool) {
        assert_eq!(probe(&[assertion]).is_conjunctive, is_conjunctive, "{assertion}");
    }

    #[test]
    fn equations_prefixes_and_lengths_are_in_the_fragment() {
        check(r#"(= (str.++ x "a") (str.++ (str.at y i) x))"#, true);
        check("(and (str.prefixof x y) (str.suffixof y x))", true);
        check("(or (< (str.len x) 3) (= i (+ (* 2 (str.len y)) 1)))", true);
        check("(not (= i (str.len x)))", true);
        check("(not (or (not (= x y)) (< i 3)))", true);
    }

    #[test]
    fn negated_or_alternative_string_atoms_are_not() {
        check("(not (= x y))", false);
        check("(or (= x y) (< i 3))", false);
        check("(not (and (= x y) (< i 3)))", false);
    }

    #[test]
    fn other_operators_are_not() {
        check("(str.contains x y)", false);
        check("(= x (str.substr y 0 i))", false);
        check("(= i (* i (str.len x)))", false);
        check("b", false);
    }
}

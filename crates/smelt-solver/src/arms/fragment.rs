//! The conjunctive fragment: formulas that become conjunctions of letter equations once lengths are known.
//!
//! String atoms (equations, prefixes, suffixes) stand under an even number of negations and under no disjunction; integer
//! atoms may be negated and joined by `or`; strings are made of literals, constants, concatenation and `str.at`, integers are
//! linear over constants and lengths. Follows Figure 3 of the Z3str4 paper.

use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

use crate::construct;

/// Whether all assertions are in the fragment.
pub fn is_conjunctive(terms: &Terms, assertions: &[Term]) -> bool {
    let mut pending: Vec<(Term, bool)> = assertions.iter().map(|assertion| (*assertion, true)).collect();
    while let Some((term, is_positive)) = pending.pop() {
        if is_integer_formula(terms, term) {
            continue;
        }
        let args = terms.args(term);
        match (terms.op(term), is_positive) {
            (Some(Op::Not), _) => pending.push((args[0], !is_positive)),
            (Some(Op::And), true) | (Some(Op::Or), false) => {
                pending.extend(args.iter().map(|arg| (*arg, is_positive)));
            }
            (Some(Op::Eq | Op::StrPrefixof | Op::StrSuffixof), true)
                if args.iter().all(|arg| is_string(terms, *arg)) => {}
            _ => return false,
        }
    }
    true
}

/// An integer atom, its negation, or a disjunction of such.
fn is_integer_formula(terms: &Terms, term: Term) -> bool {
    let args = terms.args(term);
    match terms.op(term) {
        Some(Op::Not) => is_integer_formula(terms, args[0]),
        Some(Op::Or) => args.iter().all(|arg| is_integer_formula(terms, *arg)),
        Some(Op::Eq | Op::Le | Op::Lt | Op::Ge | Op::Gt) => args.iter().all(|arg| is_integer(terms, *arg)),
        _ => false,
    }
}

fn is_integer(terms: &Terms, term: Term) -> bool {
    if terms.sort(term) != Sort::INT {
        return false;
    }
    if construct::int_value(terms, term).is_some() || construct::constant_name(terms, term).is_some() {
        return true;
    }
    let args = terms.args(term);
    match terms.op(term) {
        Some(Op::StrLen) => is_string(terms, args[0]),
        Some(Op::Add | Op::Sub | Op::Neg) => args.iter().all(|arg| is_integer(terms, *arg)),
        Some(Op::Mul) => {
            let unknown = args.iter().filter(|arg| construct::int_value(terms, **arg).is_none());
            unknown.clone().count() <= 1 && unknown.clone().all(|arg| is_integer(terms, *arg))
        }
        _ => false,
    }
}

fn is_string(terms: &Terms, term: Term) -> bool {
    if terms.sort(term) != Sort::STRING {
        return false;
    }
    if construct::is_string_literal(terms, term) || construct::constant_name(terms, term).is_some() {
        return true;
    }
    let args = terms.args(term);
    match terms.op(term) {
        Some(Op::StrConcat) => args.iter().all(|arg| is_string(terms, *arg)),
        Some(Op::StrAt) => is_string(terms, args[0]) && is_integer(terms, args[1]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::arms::probe::tests::probe;

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

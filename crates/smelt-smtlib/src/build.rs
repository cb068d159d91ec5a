//! Building terms and taking them apart.
//!
//! The functions expect well-sorted arguments. They simplify only where it costs nothing, such as the conjunction of
//! one term; everything else is left to rewriting. Literals of numbers and strings are built by `smelt-semantics`,
//! which knows what they mean.

use smallvec::SmallVec;

use crate::op::Op;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Literal, Term, Terms};

/// An operator applied to arguments of the right sorts.
pub fn apply(terms: &mut Terms, op: Op, args: &[Term]) -> Term {
    terms.apply(op, &[], args).expect("terms are built from arguments of the right sorts")
}

/// The empty string.
pub fn empty(terms: &mut Terms) -> Term {
    terms.literal(Literal::Str, "", Sort::STRING)
}

/// The number of bytes of a string literal as it is written, at least its number of characters.
pub fn literal_len(terms: &Terms, term: Term) -> Option<usize> {
    match terms.head(term) {
        Head::Literal(Literal::Str, text) => Some(terms.text(text).len()),
        _ => None,
    }
}

/// Whether a term is a string literal.
pub fn is_string_literal(terms: &Terms, term: Term) -> bool {
    matches!(terms.head(term), Head::Literal(Literal::Str, _))
}

/// Whether a term is the empty string.
pub fn is_empty_literal(terms: &Terms, term: Term) -> bool {
    matches!(terms.head(term), Head::Literal(Literal::Str, text) if terms.text(text).is_empty())
}

/// About how many digits an integer literal has; 0 if a term is none.
pub fn int_digits(terms: &Terms, term: Term) -> usize {
    let numeral = match terms.head(term) {
        Head::Op(Op::Neg, _) => terms.args(term).first().copied().unwrap_or(term),
        _ => term,
    };
    match terms.head(numeral) {
        Head::Literal(Literal::Numeral, text) => terms.text(text).len(),
        _ => 0,
    }
}

/// The value of a Boolean literal.
pub fn bool_value(terms: &Terms, term: Term) -> Option<bool> {
    match terms.op(term) {
        Some(Op::True) => Some(true),
        Some(Op::False) => Some(false),
        _ => None,
    }
}

/// Whether a term is a literal of a Boolean, an integer or a string. Negative integers are applications of the minus.
pub fn is_value(terms: &Terms, term: Term) -> bool {
    match terms.head(term) {
        Head::Literal(literal, _) => matches!(literal, Literal::Numeral | Literal::Str),
        Head::Op(Op::True | Op::False, _) => true,
        Head::Op(Op::Neg, _) => is_negative_numeral(terms, term),
        _ => false,
    }
}

/// The negation, without a double one.
pub fn not(terms: &mut Terms, term: Term) -> Term {
    match terms.op(term) {
        Some(Op::Not) => terms.args(term)[0],
        Some(Op::True) => terms.bool(false),
        Some(Op::False) => terms.bool(true),
        _ => apply(terms, Op::Not, &[term]),
    }
}

/// The conjunction, also of one or none.
pub fn and(terms: &mut Terms, conjuncts: &[Term]) -> Term {
    match conjuncts {
        [] => terms.bool(true),
        [only] => *only,
        _ => apply(terms, Op::And, conjuncts),
    }
}

/// The disjunction, also of one or none.
pub fn or(terms: &mut Terms, disjuncts: &[Term]) -> Term {
    match disjuncts {
        [] => terms.bool(false),
        [only] => *only,
        _ => apply(terms, Op::Or, disjuncts),
    }
}

/// The equation, with its sides in the order of their ids.
pub fn eq(terms: &mut Terms, left: Term, right: Term) -> Term {
    if left == right {
        return terms.bool(true);
    }
    apply(terms, Op::Eq, &[left.min(right), left.max(right)])
}

/// `(ite condition then otherwise)`.
pub fn ite(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Term {
    if then == otherwise {
        return then;
    }
    apply(terms, Op::Ite, &[condition, then, otherwise])
}

/// The concatenation, also of one or none.
pub fn concat(terms: &mut Terms, parts: &[Term]) -> Term {
    match parts {
        [] => empty(terms),
        [only] => *only,
        _ => apply(terms, Op::StrConcat, parts),
    }
}

/// The parts of a string term: those of a concatenation, none of the empty string, else the term itself.
pub fn parts(terms: &Terms, term: Term) -> SmallVec<[Term; 4]> {
    match terms.op(term) {
        Some(Op::StrConcat) => terms.args(term).into(),
        _ if is_empty_literal(terms, term) => SmallVec::new(),
        _ => SmallVec::from_slice(&[term]),
    }
}

/// The sum, also of one or none.
pub fn sum(terms: &mut Terms, summands: &[Term]) -> Term {
    match summands {
        [] => terms.literal(Literal::Numeral, "0", Sort::INT),
        [only] => *only,
        _ => apply(terms, Op::Add, summands),
    }
}

/// The difference.
pub fn difference(terms: &mut Terms, left: Term, right: Term) -> Term {
    apply(terms, Op::Sub, &[left, right])
}

/// The length of a string.
pub fn len(terms: &mut Terms, text: Term) -> Term {
    apply(terms, Op::StrLen, &[text])
}

/// `(<= left right)`.
pub fn at_most(terms: &mut Terms, left: Term, right: Term) -> Term {
    apply(terms, Op::Le, &[left, right])
}

/// A constant that occurs nowhere else.
pub fn fresh(terms: &mut Terms, stem: &str, sort: Sort) -> Term {
    let name = terms.symbols.fresh(stem);
    terms.constant(name, sort)
}

/// Whether a term is a declared constant.
pub fn constant_name(terms: &Terms, term: Term) -> Option<Symbol> {
    match terms.head(term) {
        Head::Global(name) if terms.args(term).is_empty() => Some(name),
        _ => None,
    }
}

/// Whether a term is an integer numeral with a minus.
fn is_negative_numeral(terms: &Terms, term: Term) -> bool {
    let &[arg] = terms.args(term) else { return false };
    matches!(terms.head(arg), Head::Literal(Literal::Numeral, _)) && terms.sort(arg) == Sort::INT
}

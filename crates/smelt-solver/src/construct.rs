//! Building terms and taking literals apart.
//!
//! The functions here expect well-sorted arguments and build in normal form only as far as it costs nothing: the
//! rewriter does the rest.

use dashu_int::{IBig, Sign};
use smallvec::SmallVec;
use smelt_semantics::string::Str;
use smelt_semantics::value::Value;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Literal, Term, Terms};

/// An operator applied to arguments of the right sorts.
pub fn apply(terms: &mut Terms, op: Op, args: &[Term]) -> Term {
    terms.apply(op, &[], args).expect("terms are built from arguments of the right sorts")
}

/// A string literal.
pub fn string(terms: &mut Terms, value: &Str) -> Term {
    let literal = value.to_literal();
    terms.literal(Literal::Str, &literal[1..literal.len() - 1], Sort::STRING)
}

/// The empty string.
pub fn empty(terms: &mut Terms) -> Term {
    terms.literal(Literal::Str, "", Sort::STRING)
}

/// The value of a string literal.
pub fn string_value(terms: &Terms, term: Term) -> Option<Str> {
    match terms.head(term) {
        Head::Literal(Literal::Str, text) => Str::from_literal(terms.text(text)).ok(),
        _ => None,
    }
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

/// An integer literal, which is an application of the minus if it is negative.
pub fn int(terms: &mut Terms, value: &IBig) -> Term {
    let (sign, magnitude) = (value.sign(), value.clone().into_parts().1);
    let numeral = terms.literal(Literal::Numeral, &magnitude.to_string(), Sort::INT);
    match sign {
        Sign::Positive => numeral,
        Sign::Negative => apply(terms, Op::Neg, &[numeral]),
    }
}

/// The value of an integer literal.
pub fn int_value(terms: &Terms, term: Term) -> Option<IBig> {
    match terms.head(term) {
        Head::Literal(Literal::Numeral, text) if terms.sort(term) == Sort::INT => {
            terms.text(text).parse().ok()
        }
        Head::Op(Op::Neg, _) => {
            let &[arg] = terms.args(term) else { return None };
            match terms.head(arg) {
                Head::Literal(Literal::Numeral, text) if terms.sort(arg) == Sort::INT => {
                    terms.text(text).parse().ok().map(|value: IBig| -value)
                }
                _ => None,
            }
        }
        _ => None,
    }
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

/// Whether a term is a literal of a sort that we solve.
pub fn is_value(terms: &Terms, term: Term) -> bool {
    match terms.head(term) {
        Head::Literal(literal, _) => matches!(literal, Literal::Numeral | Literal::Str),
        Head::Op(Op::True | Op::False, _) => true,
        Head::Op(Op::Neg, _) => int_value(terms, term).is_some(),
        _ => false,
    }
}

/// The literal of a value; none for values of other sorts than Booleans, integers and strings.
pub fn value(terms: &mut Terms, value: &Value) -> Option<Term> {
    match value {
        Value::Bool(value) => Some(terms.bool(*value)),
        Value::Int(value) => Some(int(terms, value)),
        Value::Str(value) => Some(string(terms, value)),
        _ => None,
    }
}

/// The value that a literal denotes.
pub fn value_of(terms: &Terms, term: Term) -> Option<Value> {
    if let Some(value) = bool_value(terms, term) {
        return Some(Value::Bool(value));
    }
    if let Some(value) = string_value(terms, term) {
        return Some(Value::Str(value));
    }
    int_value(terms, term).map(Value::Int)
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
        [] => int(terms, &IBig::ZERO),
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
pub fn constant_name(terms: &Terms, term: Term) -> Option<smelt_smtlib::symbol::Symbol> {
    match terms.head(term) {
        Head::Global(name) if terms.args(term).is_empty() => Some(name),
        _ => None,
    }
}

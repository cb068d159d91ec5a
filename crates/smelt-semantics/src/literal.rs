//! Literals of Booleans, integers and strings: values as terms, and back.

use dashu_int::{IBig, Sign};
use smelt_smtlib::build::{apply, bool_value};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Literal, Term, Terms};

use crate::string::Str;
use crate::value::Value;

/// A string literal.
pub fn string(terms: &mut Terms, value: &Str) -> Term {
    let literal = value.to_literal();
    terms.literal(Literal::Str, &literal[1..literal.len() - 1], Sort::STRING)
}

/// The value of a string literal.
pub fn string_value(terms: &Terms, term: Term) -> Option<Str> {
    match terms.head(term) {
        Head::Literal(Literal::Str, text) => Str::from_literal(terms.text(text)).ok(),
        _ => None,
    }
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

/// The literal of a value; none for values of other sorts than Booleans, integers and strings.
pub fn of_value(terms: &mut Terms, value: &Value) -> Option<Term> {
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

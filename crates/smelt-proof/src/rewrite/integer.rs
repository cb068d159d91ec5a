//! Identities of linear integer arithmetic.
//!
//! Sums are linear forms. Atoms are `(<= form constant)` and `(= form constant)` with coprime factors, of which the first
//! is positive.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

use super::never;
use crate::arithmetic::negated;
use crate::integer::{div_ceil, div_floor, divides};
use crate::linear::Form;

pub(super) fn sum(terms: &mut Terms, term: Term) -> Option<Term> {
    let args = terms.args(term).to_vec();
    if terms.sort(term) != Sort::INT || build::is_value(terms, term) {
        return None;
    }
    match (terms.op(term)?, args.as_slice()) {
        (Op::Abs, &[number]) => {
            let zero = literal::int(terms, &IBig::ZERO);
            let is_positive = build::at_most(terms, zero, number);
            let negated = apply(terms, Op::Neg, &[number]);
            Some(build::ite(terms, is_positive, number, negated))
        }
        (Op::IntDiv, &[dividend, divisor]) => {
            literal::int_value(terms, divisor).is_some_and(|divisor| divisor.is_one()).then_some(dividend)
        }
        _ => Some(Form::of(terms, term).to_term(terms)),
    }
}

/// The two sides of a comparison of integers.
fn sides(terms: &Terms, term: Term) -> Option<[Term; 2]> {
    let &[left, right] = terms.args(term) else { return None };
    (terms.sort(left) == Sort::INT && terms.sort(right) == Sort::INT).then_some([left, right])
}

pub(super) fn at_most(terms: &mut Terms, term: Term) -> Option<Term> {
    let [left, right] = sides(terms, term)?;
    let form = match terms.op(term)? {
        Op::Le => Form::difference(terms, left, right, 0),
        Op::Lt => Form::difference(terms, left, right, 1),
        Op::Ge => Form::difference(terms, right, left, 0),
        _ => Form::difference(terms, right, left, 1),
    };
    let divisor = form.divisor();
    if divisor.is_zero() {
        return Some(terms.bool(form.constant <= IBig::ZERO));
    }
    if form.is_led_by_a_negative() {
        // It is at most zero if its negation is not at most minus one.
        let mut opposite = negated(&form);
        opposite.constant += IBig::ONE;
        let opposite = bounded(terms, opposite, &divisor);
        return Some(build::not(terms, opposite));
    }
    Some(bounded(terms, form, &divisor))
}

/// `form <= 0`, divided by the common divisor of the factors.
fn bounded(terms: &mut Terms, mut form: Form, divisor: &IBig) -> Term {
    form.factors.values_mut().for_each(|factor| *factor = div_floor(factor, divisor));
    let bound = -div_ceil(&std::mem::take(&mut form.constant), divisor);
    if bound.is_zero()
        && let Some(is_empty) = is_empty(terms, &form)
    {
        return is_empty;
    }
    let (left, right) = (form.to_term(terms), literal::int(terms, &bound));
    build::at_most(terms, left, right)
}

pub(super) fn equation(terms: &mut Terms, term: Term) -> Option<Term> {
    let [left, right] = sides(terms, term)?;
    let mut form = Form::difference(terms, left, right, 0);
    let divisor = form.divisor();
    if divisor.is_zero() || !divides(&divisor, &form.constant) {
        return Some(terms.bool(divisor.is_zero() && form.constant.is_zero()));
    }
    if form.is_led_by_a_negative() {
        form = negated(&form);
    }
    form.factors.values_mut().for_each(|factor| *factor = div_floor(factor, &divisor));
    let value = -div_floor(&std::mem::take(&mut form.constant), &divisor);
    if value.is_zero()
        && let Some(is_empty) = is_empty(terms, &form)
    {
        return Some(is_empty);
    }
    let (left, right) = (form.to_term(terms), literal::int(terms, &value));
    Some(apply(terms, Op::Eq, &[left, right]))
}

/// A length that is zero, or at most zero, is that of the empty string.
fn is_empty(terms: &mut Terms, form: &Form) -> Option<Term> {
    let mut monomials = form.factors.iter();
    let (Some((&length, factor)), None) = (monomials.next(), monomials.next()) else { return None };
    if terms.op(length) != Some(Op::StrLen) || !factor.is_one() {
        return None;
    }
    let text = terms.args(length)[0];
    let empty = build::empty(terms);
    Some(build::eq(terms, text, empty))
}

/// Atoms that are true or false whatever the integers and lengths in them are.
pub(super) fn entailed(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[left, _] = terms.args(term) else { return None };
    if !matches!(terms.sort(left), Sort::INT | Sort::STRING) {
        return None;
    }
    if never(terms, &[term]) {
        return Some(terms.bool(false));
    }
    let negation = build::not(terms, term);
    never(terms, &[negation]).then(|| terms.bool(true))
}

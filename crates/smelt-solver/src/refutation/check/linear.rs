//! What terms say about integers, as linear forms over integer terms that are not taken apart.

use std::collections::BTreeMap;

use smelt_semantics::literal;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

use crate::number::Integer;

/// A sum of multiples of integer terms, and a constant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// Factors that are not zero.
    pub(super) factors: BTreeMap<Term, Integer>,
    pub(super) constant: Integer,
}

/// How a form compares with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    AtMostZero,
    Zero,
    NotZero,
}

/// A form that stands in a relation to zero.
pub(super) type Constraint = (Form, Relation);

impl Form {
    /// The difference of two integer terms and a constant.
    fn difference(terms: &mut Terms, left: Term, right: Term, constant: i64) -> Form {
        let mut form = Form { constant: Integer::from(constant), ..Form::default() };
        form.add(terms, left, Integer::ONE);
        form.add(terms, right, Integer::from(-1));
        form
    }

    /// Adds a multiple of an integer term.
    fn add(&mut self, terms: &mut Terms, term: Term, factor: Integer) {
        let mut pending = vec![(term, factor)];
        while let Some((term, factor)) = pending.pop() {
            if let Some(value) = literal::int_value(terms, term) {
                self.constant += &(&factor * &Integer::from(value));
                continue;
            }
            let args = terms.args(term).to_vec();
            match (terms.op(term), args.as_slice()) {
                (Some(Op::Neg), &[arg]) => pending.push((arg, -&factor)),
                (Some(Op::Add), _) => pending.extend(args.iter().map(|arg| (*arg, factor.clone()))),
                (Some(Op::Sub), [first, others @ ..]) => {
                    pending.push((*first, factor.clone()));
                    pending.extend(others.iter().map(|arg| (*arg, -&factor)));
                }
                (Some(Op::Mul), _) => {
                    let (numbers, others): (Vec<Term>, Vec<Term>) =
                        args.iter().copied().partition(|arg| literal::int_value(terms, *arg).is_some());
                    let &[other] = others.as_slice() else {
                        self.add_monomial(term, &factor);
                        continue;
                    };
                    let values = numbers.iter().filter_map(|number| literal::int_value(terms, *number));
                    let product = values.fold(factor, |product, value| &product * &Integer::from(value));
                    pending.push((other, product));
                }
                (Some(Op::Mod), &[dividend, divisor])
                    if literal::int_value(terms, divisor)
                        .is_some_and(|value| value != dashu_int::IBig::ZERO) =>
                {
                    let quotient = apply(terms, Op::IntDiv, &[dividend, divisor]);
                    let value = literal::int_value(terms, divisor).expect("it was looked at");
                    pending.push((dividend, factor.clone()));
                    self.add_monomial(quotient, &-&(&factor * &Integer::from(value)));
                }
                (Some(Op::StrLen), &[text]) => self.add_length(terms, text, &factor),
                _ => self.add_monomial(term, &factor),
            }
        }
    }

    /// Adds a multiple of the length of a string.
    fn add_length(&mut self, terms: &mut Terms, text: Term, factor: &Integer) {
        let mut pending = vec![text];
        while let Some(text) = pending.pop() {
            if let Some(word) = literal::string_value(terms, text) {
                self.constant += &(factor * &Integer::from(word.len()));
            } else if terms.op(text) == Some(Op::StrConcat) {
                pending.extend_from_slice(terms.args(text));
            } else {
                let length = build::len(terms, text);
                self.add_monomial(length, factor);
            }
        }
    }

    fn add_monomial(&mut self, term: Term, factor: &Integer) {
        let sum = self.factors.entry(term).or_insert(Integer::ZERO);
        *sum += factor;
        if sum.is_zero() {
            self.factors.remove(&term);
        }
    }
}

/// What a Boolean term says about integers and lengths of strings; nothing if it is about something else.
pub(super) fn constraints(terms: &mut Terms, term: Term) -> Vec<Constraint> {
    let (atom, is_true) = match terms.op(term) {
        Some(Op::Not) => (terms.args(term)[0], false),
        _ => (term, true),
    };
    let (Some(op), &[left, right]) = (terms.op(atom), terms.args(atom)) else {
        return match terms.op(term) {
            // What is never true says that zero is not zero.
            Some(Op::False) => vec![(Form::default(), Relation::NotZero)],
            _ => Vec::new(),
        };
    };
    if terms.sort(left) == Sort::STRING && terms.sort(right) == Sort::STRING {
        return string_constraints(terms, op, [left, right], is_true);
    }
    if terms.sort(left) != Sort::INT {
        return Vec::new();
    }
    let at_most = |terms: &mut Terms, left, right, slack| {
        vec![(Form::difference(terms, left, right, slack), Relation::AtMostZero)]
    };
    match (op, is_true) {
        (Op::Le, true) | (Op::Gt, false) => at_most(terms, left, right, 0),
        (Op::Ge, true) | (Op::Lt, false) => at_most(terms, right, left, 0),
        (Op::Lt, true) | (Op::Ge, false) => at_most(terms, left, right, 1),
        (Op::Gt, true) | (Op::Le, false) => at_most(terms, right, left, 1),
        (Op::Eq, true) | (Op::Distinct, false) => {
            vec![(Form::difference(terms, left, right, 0), Relation::Zero)]
        }
        (Op::Eq, false) | (Op::Distinct, true) => {
            vec![(Form::difference(terms, left, right, 0), Relation::NotZero)]
        }
        _ => Vec::new(),
    }
}

/// What a predicate of two strings says about their lengths.
fn string_constraints(terms: &mut Terms, op: Op, sides: [Term; 2], is_true: bool) -> Vec<Constraint> {
    let [left, right] = sides.map(|side| build::len(terms, side));
    let zero = literal::int(terms, &dashu_int::IBig::ZERO);
    let (part, whole) = match op {
        Op::Eq if is_true => return vec![(Form::difference(terms, left, right, 0), Relation::Zero)],
        Op::Eq => {
            // Two strings that differ are not both empty.
            let both = apply(terms, Op::Add, &[left, right]);
            return vec![(Form::difference(terms, zero, both, 1), Relation::AtMostZero)];
        }
        Op::StrPrefixof | Op::StrSuffixof => (left, right),
        Op::StrContains => (right, left),
        _ => return Vec::new(),
    };
    let form = if is_true {
        Form::difference(terms, part, whole, 0)
    } else {
        // The empty string is part of everything.
        Form::difference(terms, zero, part, 1)
    };
    vec![(form, Relation::AtMostZero)]
}

/// What holds of an integer term whatever its constants are.
pub(super) fn always(terms: &mut Terms, term: Term) -> Vec<Constraint> {
    let bound = |terms: &mut Terms, least: i64| {
        let least = literal::int(terms, &least.into());
        vec![(Form::difference(terms, least, term, 0), Relation::AtMostZero)]
    };
    let args = terms.args(term).to_vec();
    match (terms.op(term), args.as_slice()) {
        (Some(Op::StrLen), _) => bound(terms, 0),
        (Some(Op::StrIndexof | Op::StrToCode | Op::StrToInt), _) => bound(terms, -1),
        (Some(Op::IntDiv), &[dividend, divisor]) => {
            let Some(number) = literal::int_value(terms, divisor) else { return Vec::new() };
            if number == dashu_int::IBig::ZERO {
                return Vec::new();
            }
            // The remainder is not negative, and less than the absolute value of the divisor.
            let number = Integer::from(number);
            let mut above = Form { constant: Integer::ONE - number.abs(), ..Form::default() };
            above.add(terms, dividend, Integer::ONE);
            above.add_monomial(term, &-&number);
            let mut below = Form::default();
            below.add(terms, dividend, Integer::from(-1));
            below.add_monomial(term, &number);
            vec![(above, Relation::AtMostZero), (below, Relation::AtMostZero)]
        }
        _ => Vec::new(),
    }
}

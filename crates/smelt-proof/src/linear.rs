//! What terms say about integers, as linear forms over integer terms that are not taken apart.

use std::collections::BTreeMap;

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_semantics::string::MAX_CHAR;
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

use crate::integer::{abs, gcd, is_negative};

/// A sum of multiples of integer terms, and a constant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// Factors that are not zero.
    pub(crate) factors: BTreeMap<Term, IBig>,
    pub(crate) constant: IBig,
}

/// How a form compares with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    AtMostZero,
    Zero,
    NotZero,
}

/// A form that stands in a relation to zero.
pub(crate) type Constraint = (Form, Relation);

impl Form {
    /// The form of an integer term.
    pub(crate) fn of(terms: &mut Terms, term: Term) -> Form {
        let mut form = Form::default();
        form.add(terms, term, IBig::ONE);
        form
    }

    /// The term of the form: the same for equal forms.
    pub(crate) fn to_term(&self, terms: &mut Terms) -> Term {
        let mut summands = Vec::with_capacity(self.factors.len() + 1);
        for (term, factor) in &self.factors {
            if factor.is_one() {
                summands.push(*term);
            } else {
                let factor = literal::int(terms, factor);
                summands.push(apply(terms, Op::Mul, &[factor, *term]));
            }
        }
        if !self.constant.is_zero() || summands.is_empty() {
            summands.push(literal::int(terms, &self.constant));
        }
        build::sum(terms, &summands)
    }

    /// The greatest common divisor of the factors; zero if there are none.
    pub(crate) fn divisor(&self) -> IBig {
        self.factors.values().fold(IBig::ZERO, |divisor, factor| gcd(&divisor, factor))
    }

    /// Whether the factor of the first term is negative.
    pub(crate) fn is_led_by_a_negative(&self) -> bool {
        self.factors.values().next().is_some_and(is_negative)
    }

    /// The difference of two integer terms and a constant.
    pub(crate) fn difference(terms: &mut Terms, left: Term, right: Term, constant: i64) -> Form {
        let mut form = Form { constant: IBig::from(constant), ..Form::default() };
        form.add(terms, left, IBig::ONE);
        form.add(terms, right, IBig::NEG_ONE);
        form
    }

    /// Adds a multiple of an integer term.
    fn add(&mut self, terms: &mut Terms, term: Term, factor: IBig) {
        let mut pending = vec![(term, factor)];
        while let Some((term, factor)) = pending.pop() {
            if let Some(value) = literal::int_value(terms, term) {
                self.constant += &(&factor * &value);
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
                    let values = numbers.iter().filter_map(|number| literal::int_value(terms, *number));
                    let product = values.fold(factor, |product, value| &product * &value);
                    match others.as_slice() {
                        [] => self.constant += &product,
                        [other] => pending.push((*other, product)),
                        _ => {
                            let mut others = others;
                            others.sort_unstable();
                            let monomial = apply(terms, Op::Mul, &others);
                            self.add_monomial(monomial, &product);
                        }
                    }
                }
                (Some(Op::Mod), &[dividend, divisor])
                    if literal::int_value(terms, divisor).is_some_and(|value| value != IBig::ZERO) =>
                {
                    let quotient = apply(terms, Op::IntDiv, &[dividend, divisor]);
                    let value = literal::int_value(terms, divisor).expect("it was looked at");
                    pending.push((dividend, factor.clone()));
                    self.add_monomial(quotient, &-&(&factor * &value));
                }
                (Some(Op::StrLen), &[text]) => self.add_length(terms, text, &factor),
                _ => self.add_monomial(term, &factor),
            }
        }
    }

    /// Adds a multiple of the length of a string.
    fn add_length(&mut self, terms: &mut Terms, text: Term, factor: &IBig) {
        let mut pending = vec![text];
        while let Some(text) = pending.pop() {
            if let Some(word) = literal::string_value(terms, text) {
                self.constant += &(factor * &IBig::from(word.len()));
            } else if terms.op(text) == Some(Op::StrConcat) {
                pending.extend_from_slice(terms.args(text));
            } else {
                let length = build::len(terms, text);
                self.add_monomial(length, factor);
            }
        }
    }

    fn add_monomial(&mut self, term: Term, factor: &IBig) {
        let sum = self.factors.entry(term).or_insert(IBig::ZERO);
        *sum += factor;
        if sum.is_zero() {
            self.factors.remove(&term);
        }
    }
}

/// What a Boolean term says about integers and lengths of strings; nothing if it is about something else.
pub(crate) fn constraints(terms: &mut Terms, term: Term) -> Vec<Constraint> {
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
    let zero = literal::int(terms, &IBig::ZERO);
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
pub(crate) fn always(terms: &mut Terms, term: Term) -> Vec<Constraint> {
    let bound = |terms: &mut Terms, least: i64| {
        let least = literal::int(terms, &least.into());
        vec![(Form::difference(terms, least, term, 0), Relation::AtMostZero)]
    };
    let args = terms.args(term).to_vec();
    match (terms.op(term), args.as_slice()) {
        (Some(Op::StrLen), &[text]) => {
            let mut known = bound(terms, 0);
            known.extend(length_bounds(terms, term, text));
            known
        }
        (Some(Op::StrIndexof), &[text, ..]) => {
            let mut known = bound(terms, -1);
            let length = build::len(terms, text);
            known.push((Form::difference(terms, term, length, 0), Relation::AtMostZero));
            known
        }
        (Some(Op::StrToCode), _) => {
            let mut known = bound(terms, -1);
            let most = literal::int(terms, &IBig::from(MAX_CHAR));
            known.push((Form::difference(terms, term, most, 0), Relation::AtMostZero));
            known
        }
        (Some(Op::StrToInt), _) => bound(terms, -1),
        (Some(Op::IntDiv), &[dividend, divisor]) => {
            let Some(number) = literal::int_value(terms, divisor) else { return Vec::new() };
            if number == IBig::ZERO {
                return Vec::new();
            }
            // The remainder is not negative, and less than the absolute value of the divisor.
            let number = number;
            let mut above = Form { constant: IBig::ONE - abs(&number), ..Form::default() };
            above.add(terms, dividend, IBig::ONE);
            above.add_monomial(term, &-&number);
            let mut below = Form::default();
            below.add(terms, dividend, IBig::NEG_ONE);
            below.add_monomial(term, &number);
            vec![(above, Relation::AtMostZero), (below, Relation::AtMostZero)]
        }
        _ => Vec::new(),
    }
}

/// What holds of the length of a text because of the function that makes it.
fn length_bounds(terms: &mut Terms, length: Term, text: Term) -> Vec<Constraint> {
    let args = terms.args(text).to_vec();
    let at_most =
        |terms: &mut Terms, bound: Term| (Form::difference(terms, length, bound, 0), Relation::AtMostZero);
    match (terms.op(text), args.as_slice()) {
        (Some(Op::StrAt | Op::StrFromCode), _) => {
            let one = literal::int(terms, &IBig::ONE);
            vec![at_most(terms, one)]
        }
        (Some(Op::StrSubstr), &[whole, _, count]) => {
            let whole = build::len(terms, whole);
            let mut known = vec![at_most(terms, whole)];
            // A negative count makes the length zero, so only one that is not negative bounds it.
            if literal::int_value(terms, count).is_some_and(|count| !is_negative(&count)) {
                known.push(at_most(terms, count));
            }
            known
        }
        (Some(Op::StrRev | Op::StrToLower | Op::StrToUpper | Op::StrUpdate), &[whole, ..]) => {
            let whole = build::len(terms, whole);
            vec![(Form::difference(terms, length, whole, 0), Relation::Zero)]
        }
        _ => Vec::new(),
    }
}

//! Rules for integers: linear normal forms and what bounds decide.

use dashu_int::IBig;
use dashu_int::ops::DivEuclid;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::Term;

use crate::rewrite::Ctx;
use crate::rewrite::MAX_DIGITS;
use crate::rewrite::linear::Linear;

/// a >= b is b <= a; a < b is a + 1 <= b.
pub fn to_at_most(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[left, right] = ctx.terms.args(term) else { return None };
    if ctx.terms.sort(left) != Sort::INT || ctx.terms.sort(right) != Sort::INT {
        return None;
    }
    let (small, large, is_strict) = match ctx.terms.op(term)? {
        Op::Ge => (right, left, false),
        Op::Gt => (right, left, true),
        _ => (left, right, true),
    };
    let small = if is_strict {
        let one = literal::int(ctx.terms, &1.into());
        build::sum(ctx.terms, &[small, one])
    } else {
        small
    };
    Some(build::at_most(ctx.terms, small, large))
}

/// Sums of atoms with coefficients, in the order of the atoms; products of atoms in their order.
pub fn sum_normal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    if ctx.terms.sort(term) != Sort::INT {
        return None;
    }
    if ctx.terms.op(term) == Some(Op::Mul) {
        let digits = ctx.terms.args(term).iter().map(|arg| build::int_digits(ctx.terms, *arg));
        if digits.sum::<usize>() > MAX_DIGITS {
            return None;
        }
        let mut coefficient = IBig::ONE;
        let mut factors = Vec::new();
        for arg in ctx.terms.args(term) {
            match literal::int_value(ctx.terms, *arg) {
                Some(value) => coefficient *= value,
                None => factors.push(*arg),
            }
        }
        factors.sort_unstable();
        // One sum is multiplied out; products of sums stay.
        let product = match factors.as_slice() {
            [] => literal::int(ctx.terms, &IBig::ONE),
            [only] => *only,
            _ => build::apply(ctx.terms, Op::Mul, &factors),
        };
        let form = if product == term || factors.len() > 1 {
            Linear { constant: IBig::ZERO, monomials: vec![(product, IBig::ONE)] }
        } else {
            Linear::of(ctx.terms, product)
        };
        let scaled = Linear::default().plus(&form, &coefficient);
        let normal = scaled.to_term(ctx.terms);
        return (normal != term).then_some(normal);
    }
    let normal = Linear::of(ctx.terms, term).to_term(ctx.terms);
    (normal != term).then_some(normal)
}

fn integer_sides(ctx: &Ctx<'_>, term: Term) -> Option<(Term, Term)> {
    let &[left, right] = ctx.terms.args(term) else { return None };
    (ctx.terms.sort(left) == Sort::INT && ctx.terms.sort(right) == Sort::INT).then_some((left, right))
}

/// a <= b with what is common to both sides taken away, divided by the common divisor of the coefficients.
pub fn at_most_normal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = integer_sides(ctx, term)?;
    let mut form = Linear::of_difference(ctx.terms, left, right);
    if let Some(value) = form.as_constant() {
        let holds = *value <= IBig::ZERO;
        return Some(ctx.terms.bool(holds));
    }
    let divisor = form.divisor();
    if divisor > IBig::ONE {
        for (_, coefficient) in &mut form.monomials {
            *coefficient = &*coefficient / &divisor;
        }
        // The constant is rounded up: d * s + k <= 0 is s <= floor(-k / d).
        form.constant = -((-form.constant).div_euclid(&divisor));
    }
    let (left, right) = form.to_sides(ctx.terms);
    let normal = build::at_most(ctx.terms, left, right);
    (normal != term).then_some(normal)
}

pub fn at_most_entailed(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = integer_sides(ctx, term)?;
    let slack = Linear::of_difference(ctx.terms, right, left);
    if ctx.facts.is_nonnegative(ctx.terms, &slack) {
        return Some(ctx.terms.bool(true));
    }
    let mut excess = Linear::of_difference(ctx.terms, left, right);
    excess.constant -= IBig::ONE;
    ctx.facts.is_nonnegative(ctx.terms, &excess).then(|| ctx.terms.bool(false))
}

/// |x| <= 0 is x = "".
pub fn length_at_most_zero(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = integer_sides(ctx, term)?;
    if ctx.terms.op(left) != Some(Op::StrLen) || literal::int_value(ctx.terms, right)? != IBig::ZERO {
        return None;
    }
    let text = ctx.terms.args(left)[0];
    let empty = build::empty(ctx.terms);
    Some(build::eq(ctx.terms, text, empty))
}

/// |x| = 0 is x = "".
pub fn equal_length_zero(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = integer_sides(ctx, term)?;
    let (length, value) = if ctx.terms.op(left) == Some(Op::StrLen) { (left, right) } else { (right, left) };
    if ctx.terms.op(length) != Some(Op::StrLen) || literal::int_value(ctx.terms, value)? != IBig::ZERO {
        return None;
    }
    let text = ctx.terms.args(length)[0];
    let empty = build::empty(ctx.terms);
    Some(build::eq(ctx.terms, text, empty))
}

/// a = b with what is common to both sides taken away; false if the common divisor does not divide the constant.
pub fn equal_normal(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = integer_sides(ctx, term)?;
    let mut form = Linear::of_difference(ctx.terms, left, right);
    if let Some(value) = form.as_constant() {
        let holds = *value == IBig::ZERO;
        return Some(ctx.terms.bool(holds));
    }
    let mut divisor = form.divisor();
    if &form.constant % &divisor != IBig::ZERO {
        return Some(ctx.terms.bool(false));
    }
    if form.monomials[0].1 < IBig::ZERO {
        divisor = -divisor;
    }
    for (_, coefficient) in &mut form.monomials {
        *coefficient = &*coefficient / &divisor;
    }
    form.constant = &form.constant / &divisor;
    let (left, right) = form.to_sides(ctx.terms);
    let normal = build::eq(ctx.terms, left, right);
    (normal != term).then_some(normal)
}

pub fn equal_entailed(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let (left, right) = integer_sides(ctx, term)?;
    for (large, small) in [(left, right), (right, left)] {
        let mut excess = Linear::of_difference(ctx.terms, large, small);
        excess.constant -= IBig::ONE;
        if ctx.facts.is_nonnegative(ctx.terms, &excess) {
            return Some(ctx.terms.bool(false));
        }
    }
    None
}

pub fn divide_by_one(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let &[dividend, divisor] = ctx.terms.args(term) else { return None };
    if literal::int_value(ctx.terms, divisor)? != IBig::ONE {
        return None;
    }
    Some(match ctx.terms.op(term)? {
        Op::IntDiv => dividend,
        _ => literal::int(ctx.terms, &IBig::ZERO),
    })
}

pub fn abs_to_ite(ctx: &mut Ctx<'_>, term: Term) -> Option<Term> {
    let number = ctx.terms.args(term)[0];
    if ctx.terms.sort(number) != Sort::INT {
        return None;
    }
    let zero = literal::int(ctx.terms, &IBig::ZERO);
    let is_positive = build::at_most(ctx.terms, zero, number);
    let negated = build::apply(ctx.terms, Op::Neg, &[number]);
    Some(build::ite(ctx.terms, is_positive, number, negated))
}

//! Reading algebraic numbers as cvc5 prints them: `(_ real_algebraic_number <1*x^2 + (-8), (11/4, 3)>)`.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::{Irrationals, MAX_DEGREE, Number, Polynomial};

/// The number that such a text is; none if it has another form.
pub(crate) fn root_of_text(text: &str, numbers: &mut Irrationals) -> Option<Number> {
    let body = text.strip_prefix("(_ real_algebraic_number <")?.strip_suffix(">)")?;
    let (polynomial, interval) = body.split_once(',')?;
    let polynomial = polynomial_of_text(polynomial)?;
    let (low, high) = interval.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    numbers.root(&polynomial, fraction(low)?, fraction(high)?)
}

/// A sum of `1*x^2`, `(-2*x)` and `(-8)`.
fn polynomial_of_text(text: &str) -> Option<Polynomial> {
    let mut coefficients: Vec<RBig> = Vec::new();
    for summand in text.split(" + ") {
        let summand = summand.trim();
        let summand = match summand.strip_prefix('(') {
            Some(inner) => inner.strip_suffix(')')?,
            None => summand,
        };
        let (coefficient, power) = match summand.split_once("*x") {
            Some((coefficient, "")) => (coefficient, 1),
            Some((coefficient, power)) => (coefficient, power.strip_prefix('^')?.parse().ok()?),
            None => (summand, 0usize),
        };
        if power > MAX_DEGREE {
            return None;
        }
        if coefficients.len() <= power {
            coefficients.resize(power + 1, RBig::ZERO);
        }
        coefficients[power] += fraction(coefficient)?;
    }
    Some(Polynomial::new(coefficients))
}

/// `3`, `-3` or `11/4`.
fn fraction(text: &str) -> Option<RBig> {
    let (numerator, denominator) = text.trim().split_once('/').unwrap_or((text.trim(), "1"));
    let numerator: IBig = numerator.parse().ok()?;
    let denominator: UBig = denominator.parse().ok()?;
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    (is_plain(text.trim().split('/').next()?) && denominator != UBig::ZERO)
        .then(|| RBig::from_parts(numerator, denominator))
}

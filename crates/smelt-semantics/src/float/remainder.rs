//! The IEEE remainder `x - y·n`, where `n` is the integer nearest to `x/y`, and the even one if two are.
//!
//! The quotient `x/y` may have as many bits as the exponents of the format are large, so it is never computed:
//! the remainder modulo `2y` tells what is needed, the remainder modulo `y` and the parity of the quotient. A
//! large power of two enters it by modular exponentiation.

use dashu_int::fast_div::ConstDivisor;
use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};

use super::{Dyadic, Float, Value};
use crate::bitvec;
use crate::{Budget, LimitReached};

impl Float {
    /// `fp.rem`. The effort grows with the number of exponent bits, hence the budget.
    pub fn rem(&self, budget: &mut Budget, divisor: &Self) -> Result<Self, LimitReached> {
        self.assert_same_format(divisor);
        match (&self.value, &divisor.value) {
            (Value::NaN | Value::Infinity(_), _) | (_, Value::NaN | Value::Zero(_)) => {
                Ok(Float::nan(self.format))
            }
            (Value::Zero(_), _) | (_, Value::Infinity(_)) => Ok(self.clone()),
            (Value::Finite(x), Value::Finite(y)) => {
                let value = match remainder(budget, x, y)? {
                    None => Value::Zero(x.sign),
                    Some(number) => Value::Finite(number),
                };
                Ok(Float { format: self.format, value })
            }
        }
    }
}

/// The remainder of two numbers; `None` if it is zero.
///
/// It needs no rounding: it is a multiple of the last place of one of the two, and no larger than that one.
fn remainder(budget: &mut Budget, x: &Dyadic, y: &Dyadic) -> Result<Option<Dyadic>, LimitReached> {
    if y.top() > x.top() + 1 {
        // Less than half of `y`: the nearest multiple is zero.
        return Ok(Some(x.clone()));
    }
    let (direction, distance) = (&x.exponent - &y.exponent).into_parts();
    // From here on, `modulus` and what is left of `x` count units of 2^unit.
    let (unit, modulus, rest_modulo_twice) = match direction {
        Sign::Positive => {
            let rest = shift_modulo(budget, &x.significand, &distance, &(&y.significand << 1))?;
            (&y.exponent, y.significand.clone(), rest)
        }
        Sign::Negative => {
            let shift = usize::try_from(&distance).expect("y starts at most one place above x");
            let modulus = &y.significand << shift;
            let rest = &x.significand % (&modulus << 1);
            (&x.exponent, modulus, rest)
        }
    };
    let is_quotient_odd = rest_modulo_twice >= modulus;
    let rest = if is_quotient_odd { rest_modulo_twice - &modulus } else { rest_modulo_twice };
    let twice = &rest << 1;
    let rest = if twice > modulus || (twice == modulus && is_quotient_odd) {
        IBig::from(rest) - IBig::from(modulus)
    } else {
        IBig::from(rest)
    };
    let (sign, magnitude) = rest.into_parts();
    Ok(Dyadic::new(sign * x.sign, magnitude, unit.clone()))
}

/// `number` · 2^`distance` modulo `modulus`.
fn shift_modulo(
    budget: &mut Budget,
    number: &UBig,
    distance: &UBig,
    modulus: &UBig,
) -> Result<UBig, LimitReached> {
    let len = modulus.bit_len().max(number.bit_len());
    if let Ok(distance) = usize::try_from(distance)
        && distance <= len
    {
        return Ok((number << distance) % modulus);
    }
    // For each bit of the exponent one squaring and at most one more multiplication.
    let step_cost = bitvec::operation_cost(u32::try_from(len).unwrap_or(u32::MAX));
    budget.spend(step_cost.saturating_mul(4 + 2 * distance.bit_len() as u64))?;
    let ring = ConstDivisor::new(modulus.clone());
    let power = ring.reduce(UBig::from(2u8)).pow(distance);
    Ok((power * ring.reduce(number.clone())).residue())
}

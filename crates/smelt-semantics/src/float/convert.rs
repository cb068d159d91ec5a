//! Conversions from and to bit-vectors, reals and other formats.
//!
//! The packed form is IEEE 754's interchange encoding: sign bit, biased exponent, significand without its
//! leading bit.

use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;

use super::arithmetic::{Ratio, integral_magnitude};
use super::round::round_value;
use super::{Dyadic, Float, Format, RoundingMode, Value};
use crate::bitvec::BitVec;
use crate::{Budget, LimitReached, cost};

/// Into a format.
impl Float {
    /// `fp`: the value with these fields, which also give the format.
    ///
    /// The sign has one bit, the exponent at least two; the hidden bit is not part of the significand.
    pub fn from_fields(sign: &BitVec, exponent: &BitVec, significand: &BitVec) -> Self {
        assert_eq!(sign.width(), 1, "a sign is one bit");
        let significand_bits = significand.width().checked_add(1);
        let format =
            significand_bits.and_then(|significand_bits| Format::new(exponent.width(), significand_bits));
        let format = format.expect("the sort of the value exists");
        let sign = Sign::from(sign.msb());
        let value = if exponent.is_ones() {
            if significand.is_zero() { Value::Infinity(sign) } else { Value::NaN }
        } else {
            let (magnitude, place) = if exponent.is_zero() {
                (significand.to_ubig(), format.min_exponent())
            } else {
                let hidden_bit = UBig::ONE << significand.width() as usize;
                (significand.to_ubig() | hidden_bit, IBig::from(exponent.to_ubig()) - format.max_exponent())
            };
            let number = Dyadic::new(sign, magnitude, place - significand.width());
            number.map_or(Value::Zero(sign), Value::Finite)
        };
        Float { format, value }
    }

    /// `to_fp` of a bit-vector alone: reads the packed form, whose width must be the format's.
    pub fn from_ieee_bv(format: Format, bits: &BitVec) -> Self {
        assert_eq!(bits.width(), format.width(), "the packed form of this format");
        let exponent_start = format.significand_bits() - 1;
        let sign_place = format.width() - 1;
        Float::from_fields(
            &bits.extract(sign_place, sign_place),
            &bits.extract(sign_place - 1, exponent_start),
            &bits.extract(exponent_start - 1, 0),
        )
    }

    /// `to_fp` of a value of another format.
    pub fn to_format(&self, format: Format, mode: RoundingMode) -> Self {
        round_value(format, mode, self.value.clone())
    }

    /// `to_fp` of a real. Zero becomes `+zero` in every mode.
    pub fn from_rational(format: Format, mode: RoundingMode, number: &RBig) -> Self {
        if number.is_zero() {
            return Float::zero(format, Sign::Positive);
        }
        let (sign, dividend) = number.numerator().clone().into_parts();
        let exact = Ratio { sign, dividend: &dividend, divisor: number.denominator(), exponent: IBig::ZERO };
        exact.round(format, mode)
    }

    /// `to_fp` of an integer. Zero becomes `+zero` in every mode.
    pub fn from_integer(format: Format, mode: RoundingMode, number: IBig) -> Self {
        let (sign, magnitude) = number.into_parts();
        let number = Dyadic::new(sign, magnitude, IBig::ZERO);
        round_value(format, mode, number.map_or(Value::Zero(Sign::Positive), Value::Finite))
    }

    /// `to_fp_unsigned` of a bit-vector.
    pub fn from_ubv(format: Format, mode: RoundingMode, bits: &BitVec) -> Self {
        Float::from_integer(format, mode, IBig::from(bits.to_ubig()))
    }

    /// `to_fp` of a bit-vector that counts in two's complement.
    pub fn from_sbv(format: Format, mode: RoundingMode, bits: &BitVec) -> Self {
        Float::from_integer(format, mode, bits.to_signed())
    }
}

/// Out of a format.
impl Float {
    /// The packed form, Z3's `fp.to_ieee_bv`; `None` for NaN, which has many.
    pub fn to_ieee_bv(&self) -> Option<BitVec> {
        let Format { exponent_bits, significand_bits } = self.format;
        let (sign, exponent, significand) = match &self.value {
            Value::NaN => return None,
            Value::Infinity(sign) => {
                (sign_bit(*sign), BitVec::ones(exponent_bits), BitVec::zero(significand_bits - 1))
            }
            Value::Zero(sign) => {
                (sign_bit(*sign), BitVec::zero(exponent_bits), BitVec::zero(significand_bits - 1))
            }
            Value::Finite(number) => fields(self.format, number),
        };
        Some(sign.concat(&exponent).concat(&significand))
    }

    /// `fp.to_ubv`; `None` if the rounded number is not an integer from 0 to 2^`width` - 1.
    pub fn to_ubv(&self, mode: RoundingMode, width: u32) -> Option<BitVec> {
        let (sign, magnitude) = self.to_integer_within(mode, width)?;
        let is_in_range =
            magnitude.is_zero() || (sign == Sign::Positive && magnitude.bit_len() <= width as usize);
        is_in_range.then(|| BitVec::from_ubig(width, magnitude))
    }

    /// `fp.to_sbv`; `None` if the rounded number is not an integer from -2^(`width`-1) to 2^(`width`-1) - 1.
    pub fn to_sbv(&self, mode: RoundingMode, width: u32) -> Option<BitVec> {
        let (sign, magnitude) = self.to_integer_within(mode, width)?;
        let number = IBig::from_parts(sign, magnitude);
        // In two's complement a negative number takes as many bits as its bitwise complement.
        let pattern = if number.sign() == Sign::Negative { -&number - 1 } else { number.clone() };
        (pattern.bit_len() < width as usize).then(|| BitVec::from_ibig(width, number))
    }

    /// `fp.to_real`; `None` for infinities and NaN.
    ///
    /// The result takes as much memory as the exponent is large, hence the budget.
    pub fn to_real(&self, budget: &mut Budget) -> Result<Option<RBig>, LimitReached> {
        match &self.value {
            Value::NaN | Value::Infinity(_) => Ok(None),
            Value::Zero(_) => Ok(Some(RBig::ZERO)),
            Value::Finite(number) => {
                let (direction, distance) = number.exponent.clone().into_parts();
                let shift = usize::try_from(&distance).map_err(|_| LimitReached)?;
                let (words, shift_words) =
                    (number.significand.bit_len() as u64 / 64 + 1, shift as u64 / 64 + 1);
                // The library reduces fractions by a quadratic algorithm, although these are reduced already.
                let reduction_cost =
                    if direction == Sign::Negative { words.saturating_mul(shift_words / 8) } else { 0 };
                budget.spend(reduction_cost.saturating_add(cost::linear(words + shift_words)))?;
                let significand = IBig::from_parts(number.sign, number.significand.clone());
                Ok(Some(match direction {
                    Sign::Positive => RBig::from(significand << shift),
                    Sign::Negative => RBig::from_parts(significand, UBig::ONE << shift),
                }))
            }
        }
    }

    /// Sign and magnitude of the number rounded to an integer, if the magnitude can have `width` bits or fewer.
    fn to_integer_within(&self, mode: RoundingMode, width: u32) -> Option<(Sign, UBig)> {
        match &self.value {
            Value::NaN | Value::Infinity(_) => None,
            Value::Zero(sign) => Some((*sign, UBig::ZERO)),
            Value::Finite(number) if number.exponent.sign() == Sign::Positive => {
                if number.top() >= IBig::from(width) {
                    return None;
                }
                let shift = usize::try_from(&number.exponent).expect("the exponent is below the width");
                Some((number.sign, &number.significand << shift))
            }
            Value::Finite(number) => Some((number.sign, integral_magnitude(mode, number))),
        }
    }
}

/// Sign, biased exponent and trailing significand of a number of the format.
pub(super) fn fields(format: Format, number: &Dyadic) -> (BitVec, BitVec, BitVec) {
    let top = number.top();
    let is_subnormal = format.is_below_normal(&top);
    let leading_place = if is_subnormal { format.min_exponent() } else { top };
    let last_place = &leading_place + 1 - format.precision();
    let shift = usize::try_from(&number.exponent - last_place).expect("a number of the format");
    let biased = if is_subnormal { IBig::ZERO } else { leading_place + format.max_exponent() };
    (
        sign_bit(number.sign),
        BitVec::from_ibig(format.exponent_bits(), biased),
        // The hidden bit is the one that the width cuts off.
        BitVec::from_ubig(format.significand_bits() - 1, &number.significand << shift),
    )
}

fn sign_bit(sign: Sign) -> BitVec {
    BitVec::from_bool(sign == Sign::Negative)
}

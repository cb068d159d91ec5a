//! IEEE 754 values of any format and the operations of SMT-LIB's FloatingPoint theory, exact.
//!
//! A finite number is kept unpacked, as sign, odd significand and unbounded exponent. Every operation finds its
//! exact result (or a stand-in that rounds alike) and leaves the rest to the one rounding routine in `round`.
//! Work and memory follow the numbers at hand and not the range of the format: exponents are big integers, so
//! that formats with a million exponent bits are no special case.
//!
//! Where the standard leaves the result open (`fp.min` of two zeros, `fp.to_ubv` out of range), functions return
//! `None`; choosing a value is the caller's business.
//!
//! Follows IEEE 754-2008 and Brain, Tinelli, Rümmer and Wahl 2015, "An automatable formal semantics for IEEE-754
//! floating-point arithmetic", which is what the SMT-LIB theory refers to.

mod arithmetic;
mod convert;
mod remainder;
mod round;

use std::cmp::Ordering;
use std::fmt;

use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};

use crate::bitvec;

/// A floating-point format, the sort `(_ FloatingPoint eb sb)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format {
    /// At least 2.
    exponent_bits: u32,
    /// At least 2; counts the hidden bit. The sum of both fits, so that the packed form has a width.
    significand_bits: u32,
}

impl Format {
    /// The format, if both numbers are at least 2 and their sum, the width of the packed form, fits `u32`.
    pub fn new(exponent_bits: u32, significand_bits: u32) -> Option<Self> {
        exponent_bits.checked_add(significand_bits)?;
        (exponent_bits >= 2 && significand_bits >= 2).then_some(Format { exponent_bits, significand_bits })
    }

    /// SMT-LIB's `eb`.
    pub fn exponent_bits(self) -> u32 {
        self.exponent_bits
    }

    /// SMT-LIB's `sb`, which counts the hidden bit.
    pub fn significand_bits(self) -> u32 {
        self.significand_bits
    }

    /// The width of the packed form.
    pub fn width(self) -> u32 {
        self.exponent_bits + self.significand_bits
    }

    /// What one operation in this format costs at most, in units of [`Budget`](crate::Budget).
    ///
    /// Functions that may cost more take a budget themselves.
    pub fn operation_cost(self) -> u64 {
        bitvec::operation_cost(self.width())
    }

    /// The number of significand bits as a shift.
    fn precision(self) -> usize {
        self.significand_bits as usize
    }

    /// The exponent of the largest numbers, which is also the bias.
    fn max_exponent(self) -> IBig {
        IBig::from(UBig::ones(self.exponent_bits as usize - 1))
    }

    /// The exponent of the least normal number.
    fn min_exponent(self) -> IBig {
        IBig::ONE - self.max_exponent()
    }

    /// Whether a number whose leading bit has weight 2^`top` is beyond the largest finite one.
    fn is_above_range(self, top: &IBig) -> bool {
        // Compares with 2^(eb-1) by length: building that number is wasteful if the exponent field is wide.
        top.sign() == Sign::Positive && top.bit_len() >= self.exponent_bits as usize
    }

    /// Whether a number whose leading bit has weight 2^`top` is below the least normal one.
    fn is_below_normal(self, top: &IBig) -> bool {
        // `top < 2 - 2^(eb-1)`, again by length; `1 - top` is positive for negative `top`.
        top.sign() == Sign::Negative && (IBig::ONE - top).bit_len() >= self.exponent_bits as usize
    }
}

/// How a number between two values of a format becomes one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RoundingMode {
    /// `RNE`: to the nearest, halfway to the even one.
    NearestTiesToEven,
    /// `RNA`: to the nearest, halfway away from zero.
    NearestTiesToAway,
    /// `RTP`: upwards.
    TowardPositive,
    /// `RTN`: downwards.
    TowardNegative,
    /// `RTZ`: to the one with the smaller magnitude.
    TowardZero,
}

impl RoundingMode {
    /// All modes, in the order of the standard.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestTiesToEven,
        RoundingMode::NearestTiesToAway,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
        RoundingMode::TowardZero,
    ];

    /// The short SMT-LIB name.
    pub fn name(self) -> &'static str {
        match self {
            RoundingMode::NearestTiesToEven => "RNE",
            RoundingMode::NearestTiesToAway => "RNA",
            RoundingMode::TowardPositive => "RTP",
            RoundingMode::TowardNegative => "RTN",
            RoundingMode::TowardZero => "RTZ",
        }
    }

    /// Whether the mode sends magnitudes of this sign away from zero, however small the excess.
    fn is_outward(self, sign: Sign) -> bool {
        match sign {
            Sign::Positive => self == RoundingMode::TowardPositive,
            Sign::Negative => self == RoundingMode::TowardNegative,
        }
    }

    fn is_nearest(self) -> bool {
        matches!(self, RoundingMode::NearestTiesToEven | RoundingMode::NearestTiesToAway)
    }
}

/// A floating-point value together with its format.
///
/// `==` is SMT-LIB's `=`: there is one NaN, equal to itself, and the two zeros differ. For `fp.eq` see
/// [`Float::ieee_eq`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Float {
    format: Format,
    value: Value,
}

/// A value, whatever its format; also the exact intermediate result of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Value {
    NaN,
    Infinity(Sign),
    Zero(Sign),
    Finite(Dyadic),
}

/// The nonzero number ± `significand` · 2^`exponent`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Dyadic {
    sign: Sign,
    /// Odd, so that every number has one representation.
    significand: UBig,
    exponent: IBig,
}

/// Constants.
impl Float {
    /// The NaN.
    pub fn nan(format: Format) -> Self {
        Float { format, value: Value::NaN }
    }

    /// `+oo` or `-oo`.
    pub fn infinity(format: Format, sign: Sign) -> Self {
        Float { format, value: Value::Infinity(sign) }
    }

    /// `+zero` or `-zero`.
    pub fn zero(format: Format, sign: Sign) -> Self {
        Float { format, value: Value::Zero(sign) }
    }

    /// The finite number of this sign with the largest magnitude.
    pub fn max_finite(format: Format, sign: Sign) -> Self {
        let significand = UBig::ones(format.precision());
        let exponent = format.max_exponent() + 1 - format.precision();
        Float { format, value: Value::Finite(Dyadic { sign, significand, exponent }) }
    }

    /// The normal number of this sign with the least magnitude.
    pub fn min_normal(format: Format, sign: Sign) -> Self {
        let exponent = format.min_exponent();
        Float { format, value: Value::Finite(Dyadic { sign, significand: UBig::ONE, exponent }) }
    }

    /// The subnormal number of this sign with the least magnitude.
    pub fn min_subnormal(format: Format, sign: Sign) -> Self {
        let exponent = format.min_exponent() + 1 - format.precision();
        Float { format, value: Value::Finite(Dyadic { sign, significand: UBig::ONE, exponent }) }
    }
}

/// Classification.
impl Float {
    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How many machine words the value takes.
    pub(crate) fn word_count(&self) -> u64 {
        match &self.value {
            Value::Finite(Dyadic { significand, exponent, .. }) => {
                (significand.as_words().len() + exponent.as_sign_words().1.len()) as u64
            }
            Value::NaN | Value::Infinity(_) | Value::Zero(_) => 1,
        }
    }

    /// `fp.isNaN`.
    pub fn is_nan(&self) -> bool {
        self.value == Value::NaN
    }

    /// `fp.isInfinite`.
    pub fn is_infinite(&self) -> bool {
        matches!(self.value, Value::Infinity(_))
    }

    /// `fp.isZero`.
    pub fn is_zero(&self) -> bool {
        matches!(self.value, Value::Zero(_))
    }

    /// `fp.isNormal`.
    pub fn is_normal(&self) -> bool {
        matches!(&self.value, Value::Finite(number) if !self.format.is_below_normal(&number.top()))
    }

    /// `fp.isSubnormal`.
    pub fn is_subnormal(&self) -> bool {
        matches!(&self.value, Value::Finite(number) if self.format.is_below_normal(&number.top()))
    }

    /// `fp.isNegative`; a NaN is neither negative nor positive.
    pub fn is_negative(&self) -> bool {
        self.sign() == Some(Sign::Negative)
    }

    /// `fp.isPositive`; a NaN is neither negative nor positive.
    pub fn is_positive(&self) -> bool {
        self.sign() == Some(Sign::Positive)
    }

    /// The sign, unless the value is NaN.
    pub fn sign(&self) -> Option<Sign> {
        self.value.sign()
    }
}

/// Comparisons.
impl Float {
    /// `fp.eq`: a NaN equals nothing, and the two zeros are equal.
    pub fn ieee_eq(&self, other: &Self) -> bool {
        self.compare(other) == Some(Ordering::Equal)
    }

    /// `fp.lt`.
    pub fn lt(&self, other: &Self) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }

    /// `fp.leq`.
    pub fn leq(&self, other: &Self) -> bool {
        matches!(self.compare(other), Some(Ordering::Less | Ordering::Equal))
    }

    /// `fp.gt`.
    pub fn gt(&self, other: &Self) -> bool {
        other.lt(self)
    }

    /// `fp.geq`.
    pub fn geq(&self, other: &Self) -> bool {
        other.leq(self)
    }

    /// The order of the numbers that the values stand for; none with a NaN.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        self.assert_same_format(other);
        /// Orders values by what decides first: negative, zero or positive.
        fn direction(value: &Value) -> Option<i8> {
            match value {
                Value::Zero(_) => Some(0),
                _ => value.sign().map(|sign| if sign == Sign::Negative { -1 } else { 1 }),
            }
        }
        let (left, right) = (direction(&self.value)?, direction(&other.value)?);
        let magnitudes = match (&self.value, &other.value) {
            _ if left != right => return Some(left.cmp(&right)),
            (Value::Finite(x), Value::Finite(y)) => x.compare_magnitude(y),
            _ => self.is_infinite().cmp(&other.is_infinite()),
        };
        Some(if left < 0 { magnitudes.reverse() } else { magnitudes })
    }

    fn assert_same_format(&self, other: &Self) {
        assert_eq!(self.format, other.format, "operands of one format");
    }
}

impl Value {
    fn sign(&self) -> Option<Sign> {
        match self {
            Value::NaN => None,
            Value::Infinity(sign) | Value::Zero(sign) => Some(*sign),
            Value::Finite(number) => Some(number.sign),
        }
    }

    fn with_sign(&self, sign: Sign) -> Self {
        match self {
            Value::NaN => Value::NaN,
            Value::Infinity(_) => Value::Infinity(sign),
            Value::Zero(_) => Value::Zero(sign),
            Value::Finite(number) => Value::Finite(Dyadic { sign, ..number.clone() }),
        }
    }
}

impl Dyadic {
    /// The number, unless it is zero.
    fn new(sign: Sign, significand: UBig, exponent: IBig) -> Option<Self> {
        match significand.trailing_zeros()? {
            0 => Some(Dyadic { sign, significand, exponent }),
            zeros => Some(Dyadic { sign, significand: significand >> zeros, exponent: exponent + zeros }),
        }
    }

    /// The weight of the leading bit, as an exponent of two.
    fn top(&self) -> IBig {
        &self.exponent + (self.significand.bit_len() - 1)
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        // With leading bits of one weight, the significands are fractions that start at the same place.
        self.top().cmp(&other.top()).then_with(|| {
            let (left, right) = (self.significand.bit_len(), other.significand.bit_len());
            let len = left.max(right);
            (&self.significand << (len - left)).cmp(&(&other.significand << (len - right)))
        })
    }
}

impl fmt::Display for Float {
    /// Writes the SMT-LIB term: `(fp #b0 #b.. #b..)` for nonzero numbers, `(_ +oo eb sb)` and the like for others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Format { exponent_bits, significand_bits } = self.format;
        let name = match &self.value {
            Value::NaN => "NaN",
            Value::Infinity(Sign::Positive) => "+oo",
            Value::Infinity(Sign::Negative) => "-oo",
            Value::Zero(Sign::Positive) => "+zero",
            Value::Zero(Sign::Negative) => "-zero",
            Value::Finite(number) => {
                let (sign, exponent, significand) = convert::fields(self.format, number);
                let [sign, exponent, significand] =
                    [sign, exponent, significand].map(|field| field.to_binary_digits());
                return write!(f, "(fp #b{sign} #b{exponent} #b{significand})");
            }
        };
        write!(f, "(_ {name} {exponent_bits} {significand_bits})")
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests;

//! What arithmetic on long numbers costs, in units of [`Budget`](crate::Budget).
//!
//! The bounds follow the algorithms of `dashu`: products by Toom and Cook take less than the power 1.5 of the length,
//! quotients and conversions between radices a few times that, and greatest common divisors are quadratic. If one number
//! is longer, it is cut into pieces as long as the other. The factors are measured, at two nanoseconds a unit.

use dashu_int::IBig;
use dashu_ratio::RBig;

/// Copying, adding or shifting so many machine words.
pub(crate) fn linear(words: u64) -> u64 {
    words.saturating_mul(crate::budget::WORD_COST)
}

/// Multiplying numbers of so many words.
pub(crate) fn product(left: u64, right: u64) -> u64 {
    let (short, long) = (left.min(right), left.max(right));
    // Short factors are multiplied word by word.
    long.saturating_mul(4 + short.min(8 * (short.isqrt() + 1)))
}

/// Dividing numbers of so many words, with remainder.
pub(crate) fn quotient(dividend: u64, divisor: u64) -> u64 {
    let (short, long) = (dividend.min(divisor), dividend.max(divisor));
    long.saturating_mul(4 + short.saturating_mul(4).min(24 * (short.isqrt() + 1)))
}

/// Converting a number of so many decimal digits from or to binary.
pub(crate) fn radix_conversion(digits: u64) -> u64 {
    let words = digits / 19 + 1;
    words.saturating_mul(words.isqrt() + 1).saturating_mul(16).saturating_add(digits)
}

/// Any operation on fractions whose numerators and denominators have so many words together: it ends in a greatest
/// common divisor.
pub(crate) fn fraction(left: u64, right: u64) -> u64 {
    left.saturating_mul(right).saturating_mul(4).saturating_add(linear(left.saturating_add(right)))
}

/// The words that so many bits take.
pub(crate) fn words(bits: u64) -> u64 {
    bits / 64 + 1
}

/// The words that an integer takes.
#[inline]
pub(crate) fn int_words(number: &IBig) -> u64 {
    number.as_sign_words().1.len() as u64
}

/// The words that a fraction takes.
#[inline]
pub(crate) fn fraction_words(number: &RBig) -> u64 {
    int_words(number.numerator()) + number.denominator().as_words().len() as u64
}

/// How the effort of an operation on two numbers grows.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    Linear,
    Product,
    Quotient,
}

impl Work {
    #[inline]
    pub(crate) fn cost(self, left_words: u64, right_words: u64) -> u64 {
        match self {
            Work::Linear => linear(left_words.max(right_words) + 1),
            Work::Product => product(left_words, right_words),
            Work::Quotient => quotient(left_words, right_words),
        }
    }
}

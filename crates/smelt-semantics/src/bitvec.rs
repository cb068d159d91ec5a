//! Bit-vector values of any width and the operations that SMT-LIB defines on them.
//!
//! Operations follow the theory FixedSizeBitVectors and the logic QF_BV of SMT-LIB 2.7, to the letter where a
//! divisor is zero; the few that only Z3 has are marked. They never look at a sort: the caller is typed, and an
//! operand of the wrong width is our bug and ends in an assertion.
//!
//! Nothing here counts effort. Whoever evaluates terms from outside charges a cost like [`operation_cost`] first, since
//! a width of 2^32 - 1 is legal and takes half a gigabyte.

use std::fmt;

use dashu_int::ops::{BitTest, DivRem};
use dashu_int::{IBig, Sign, UBig};

use crate::cost;

/// What one operation on bit-vectors of this width costs at most, in units of [`Budget`](crate::Budget).
pub fn operation_cost(width: u32) -> u64 {
    let words = cost::words(u64::from(width));
    cost::quotient(words, words)
}

/// A bit-vector: a width of at least one bit, and that many bits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitVec {
    width: u32,
    bits: Bits,
}

/// The bits as a number below 2^width. `Small` exactly if the width is at most 64, so that equality is derived.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Bits {
    Small(u64),
    Large(UBig),
}

/// Construction.
impl BitVec {
    /// The value modulo 2^`width`.
    pub fn from_u64(width: u32, value: u64) -> Self {
        assert!(width >= 1, "a bit-vector has at least one bit");
        match width {
            1..64 => BitVec { width, bits: Bits::Small(value & ((1 << width) - 1)) },
            64 => BitVec { width, bits: Bits::Small(value) },
            _ => BitVec { width, bits: Bits::Large(UBig::from(value)) },
        }
    }

    /// The value modulo 2^`width`.
    pub fn from_ubig(width: u32, mut value: UBig) -> Self {
        if width > 64 {
            value.clear_high_bits(width as usize);
            return BitVec { width, bits: Bits::Large(value) };
        }
        value.clear_high_bits(64);
        BitVec::from_u64(width, u64::try_from(value).expect("only 64 bits are left"))
    }

    /// The two's complement of the value, modulo 2^`width`: the function `int_to_bv`.
    pub fn from_ibig(width: u32, value: IBig) -> Self {
        let (sign, magnitude) = value.into_parts();
        let magnitude = BitVec::from_ubig(width, magnitude);
        if sign == Sign::Negative { magnitude.neg() } else { magnitude }
    }

    /// One bit.
    pub fn from_bool(bit: bool) -> Self {
        BitVec::from_u64(1, u64::from(bit))
    }

    /// All bits zero.
    pub fn zero(width: u32) -> Self {
        BitVec::from_u64(width, 0)
    }

    /// All bits one.
    pub fn ones(width: u32) -> Self {
        if width <= 64 {
            BitVec::from_u64(width, u64::MAX)
        } else {
            BitVec { width, bits: Bits::Large(UBig::ones(width as usize)) }
        }
    }

    /// Reads the digits of a `#b` literal, one bit each; `None` unless there are some and all are `0` or `1`.
    pub fn parse_binary(digits: &str) -> Option<Self> {
        BitVec::parse(digits, 2, 1)
    }

    /// Reads the digits of a `#x` literal, four bits each; `None` unless there are some and all are hexadecimal.
    pub fn parse_hex(digits: &str) -> Option<Self> {
        BitVec::parse(digits, 16, 4)
    }

    fn parse(digits: &str, radix: u32, bits_per_digit: u32) -> Option<Self> {
        if digits.is_empty() || !digits.bytes().all(|digit| char::from(digit).is_digit(radix)) {
            return None;
        }
        let width = u32::try_from(digits.len()).ok()?.checked_mul(bits_per_digit)?;
        Some(BitVec::from_ubig(width, UBig::from_str_radix(digits, radix).ok()?))
    }
}

/// Observation.
impl BitVec {
    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// How many machine words the number takes.
    pub(crate) fn word_count(&self) -> u64 {
        match &self.bits {
            Bits::Small(_) => 1,
            Bits::Large(bits) => bits.as_words().len() as u64,
        }
    }

    /// The unsigned value: the function `ubv_to_int`.
    pub fn to_ubig(&self) -> UBig {
        match &self.bits {
            Bits::Small(bits) => UBig::from(*bits),
            Bits::Large(bits) => bits.clone(),
        }
    }

    /// The two's complement value: the function `sbv_to_int`.
    pub fn to_signed(&self) -> IBig {
        if self.msb() {
            IBig::from(self.to_ubig()) - (IBig::ONE << self.width as usize)
        } else {
            IBig::from(self.to_ubig())
        }
    }

    /// The unsigned value if it is below 2^64.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.bits {
            Bits::Small(bits) => Some(*bits),
            Bits::Large(bits) => u64::try_from(bits).ok(),
        }
    }

    /// Bit `index`, counted from the least significant.
    pub fn bit(&self, index: u32) -> bool {
        assert!(index < self.width, "bit {index} of a bit-vector of width {}", self.width);
        match &self.bits {
            Bits::Small(bits) => bits.bit(index as usize),
            Bits::Large(bits) => bits.bit(index as usize),
        }
    }

    /// The most significant bit: whether the two's complement value is negative.
    pub fn msb(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => *bits == 0,
            Bits::Large(bits) => bits.is_zero(),
        }
    }

    /// Whether all bits are one.
    pub fn is_ones(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => bits.count_ones() == self.width,
            // Not `trailing_ones`: dashu-int 0.6.2 forgets the lowest of three or more words there, and can panic.
            Bits::Large(bits) => bits.count_ones() == self.width as usize,
        }
    }

    /// The digits of the `#b` literal, most significant first.
    pub fn to_binary_digits(&self) -> String {
        let digits = match &self.bits {
            Bits::Small(bits) => format!("{bits:b}"),
            Bits::Large(bits) => format!("{bits:b}"),
        };
        pad_with_zeros(&digits, self.width as usize)
    }

    /// Whether the value is the least one of two's complement, `#b10..0`.
    fn is_signed_min(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => *bits == 1 << (self.width - 1),
            Bits::Large(bits) => self.msb() && bits.trailing_zeros() == Some(self.width as usize - 1),
        }
    }
}

/// Cutting and joining.
impl BitVec {
    /// `concat`: `self` becomes the high part.
    pub fn concat(&self, low: &Self) -> Self {
        let width = self.width.checked_add(low.width).expect("the sort of the result exists");
        if width <= 64 {
            // Both parts are then narrower than 64 bits, so that the shift is in range.
            if let (Some(high), Some(low_bits)) = (self.to_u64(), low.to_u64()) {
                return BitVec::from_u64(width, high << low.width | low_bits);
            }
        }
        BitVec::from_ubig(width, (self.to_ubig() << low.width as usize) | low.to_ubig())
    }

    /// `(_ extract high low)`: the bits from `high` down to `low`, both included.
    pub fn extract(&self, high: u32, low: u32) -> Self {
        assert!(low <= high && high < self.width, "extract {high} {low} of width {}", self.width);
        let width = high - low + 1;
        match &self.bits {
            Bits::Small(bits) => BitVec::from_u64(width, bits >> low),
            Bits::Large(bits) => BitVec::from_ubig(width, bits >> low as usize),
        }
    }

    /// `(_ repeat count)`: the concatenation of `count` copies, of which there is at least one.
    pub fn repeat(&self, count: u32) -> Self {
        assert!(count >= 1, "a bit-vector is repeated at least once");
        self.width.checked_mul(count).expect("the sort of the result exists");
        // Doubling, because appending copies one by one takes quadratic time.
        let mut result = self.clone();
        for position in (0..count.ilog2()).rev() {
            result = result.concat(&result);
            if count >> position & 1 == 1 {
                result = result.concat(self);
            }
        }
        result
    }

    /// `(_ zero_extend extra)`.
    pub fn zero_extend(&self, extra: u32) -> Self {
        let width = self.width.checked_add(extra).expect("the sort of the result exists");
        self.resize(width)
    }

    /// `(_ sign_extend extra)`.
    pub fn sign_extend(&self, extra: u32) -> Self {
        if extra == 0 || !self.msb() {
            return self.zero_extend(extra);
        }
        BitVec::ones(extra).concat(self)
    }

    /// `(_ rotate_left amount)`.
    pub fn rotate_left(&self, amount: u64) -> Self {
        let amount = (amount % u64::from(self.width)) as u32;
        if amount == 0 {
            return self.clone();
        }
        let split = self.width - amount;
        self.extract(split - 1, 0).concat(&self.extract(self.width - 1, split))
    }

    /// `(_ rotate_right amount)`.
    pub fn rotate_right(&self, amount: u64) -> Self {
        let width = u64::from(self.width);
        self.rotate_left(width - amount % width)
    }

    /// Z3's `ext_rotate_left`: the amount is a bit-vector of the same width.
    pub fn ext_rotate_left(&self, amount: &Self) -> Self {
        self.rotate_left(self.reduce_rotation(amount))
    }

    /// Z3's `ext_rotate_right`: the amount is a bit-vector of the same width.
    pub fn ext_rotate_right(&self, amount: &Self) -> Self {
        self.rotate_right(self.reduce_rotation(amount))
    }

    fn reduce_rotation(&self, amount: &Self) -> u64 {
        self.assert_same_width(amount);
        let reduced: u32 = amount.to_ubig() % self.width;
        u64::from(reduced)
    }

    fn resize(&self, width: u32) -> Self {
        match &self.bits {
            Bits::Small(bits) => BitVec::from_u64(width, *bits),
            Bits::Large(bits) => BitVec::from_ubig(width, bits.clone()),
        }
    }
}

/// Bitwise operations and shifts.
impl BitVec {
    /// `bvnot`.
    pub fn not(&self) -> Self {
        match &self.bits {
            Bits::Small(bits) => BitVec::from_u64(self.width, !bits),
            Bits::Large(bits) => BitVec::from_ubig(self.width, UBig::ones(self.width as usize) - bits),
        }
    }

    /// `bvand`.
    pub fn and(&self, other: &Self) -> Self {
        self.combine(other, |x, y| x & y, |x, y| x & y)
    }

    /// `bvor`.
    pub fn or(&self, other: &Self) -> Self {
        self.combine(other, |x, y| x | y, |x, y| x | y)
    }

    /// `bvxor`.
    pub fn xor(&self, other: &Self) -> Self {
        self.combine(other, |x, y| x ^ y, |x, y| x ^ y)
    }

    /// `bvnand`.
    pub fn nand(&self, other: &Self) -> Self {
        self.and(other).not()
    }

    /// `bvnor`.
    pub fn nor(&self, other: &Self) -> Self {
        self.or(other).not()
    }

    /// `bvxnor`.
    pub fn xnor(&self, other: &Self) -> Self {
        self.xor(other).not()
    }

    /// `bvcomp`: the bit that tells whether the two are equal.
    pub fn comp(&self, other: &Self) -> Self {
        self.assert_same_width(other);
        BitVec::from_bool(self == other)
    }

    /// `bvredor`: the bit that tells whether any bit is one.
    pub fn redor(&self) -> Self {
        BitVec::from_bool(!self.is_zero())
    }

    /// `bvredand`: the bit that tells whether all bits are one.
    pub fn redand(&self) -> Self {
        BitVec::from_bool(self.is_ones())
    }

    /// `bvshl`.
    pub fn shl(&self, amount: &Self) -> Self {
        match self.shift_amount(amount) {
            None => BitVec::zero(self.width),
            Some(amount) => match &self.bits {
                Bits::Small(bits) => BitVec::from_u64(self.width, bits << amount),
                Bits::Large(bits) => {
                    let mut kept = bits.clone();
                    kept.clear_high_bits((self.width - amount) as usize);
                    BitVec::from_ubig(self.width, kept << amount as usize)
                }
            },
        }
    }

    /// `bvlshr`.
    pub fn lshr(&self, amount: &Self) -> Self {
        match self.shift_amount(amount) {
            None => BitVec::zero(self.width),
            Some(amount) => match &self.bits {
                Bits::Small(bits) => BitVec::from_u64(self.width, bits >> amount),
                Bits::Large(bits) => BitVec::from_ubig(self.width, bits >> amount as usize),
            },
        }
    }

    /// `bvashr`.
    pub fn ashr(&self, amount: &Self) -> Self {
        if self.msb() { self.not().lshr(amount).not() } else { self.lshr(amount) }
    }

    /// The amount if it is below the width.
    fn shift_amount(&self, amount: &Self) -> Option<u32> {
        self.assert_same_width(amount);
        u32::try_from(amount.to_u64()?).ok().filter(|amount| *amount < self.width)
    }
}

/// Arithmetic modulo 2^width.
impl BitVec {
    /// `bvneg`.
    pub fn neg(&self) -> Self {
        match &self.bits {
            Bits::Small(bits) => BitVec::from_u64(self.width, bits.wrapping_neg()),
            Bits::Large(bits) => BitVec::from_ubig(self.width, (UBig::ONE << self.width as usize) - bits),
        }
    }

    /// `bvadd`.
    pub fn add(&self, other: &Self) -> Self {
        self.combine(other, u64::wrapping_add, |x, y| x + y)
    }

    /// `bvsub`.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// `bvmul`.
    pub fn mul(&self, other: &Self) -> Self {
        self.combine(other, u64::wrapping_mul, |x, y| x * y)
    }

    /// `bvudiv`: all bits one if the divisor is zero.
    pub fn udiv(&self, divisor: &Self) -> Self {
        if divisor.is_zero() {
            self.assert_same_width(divisor);
            return BitVec::ones(self.width);
        }
        self.combine(divisor, |x, y| x / y, |x, y| x / y)
    }

    /// `bvurem`: the dividend if the divisor is zero.
    pub fn urem(&self, divisor: &Self) -> Self {
        if divisor.is_zero() {
            self.assert_same_width(divisor);
            return self.clone();
        }
        self.combine(divisor, |x, y| x % y, |x, y| x.div_rem(y).1)
    }

    /// `bvsdiv`: truncates towards zero; by zero, 1 for a negative dividend and -1 for any other.
    pub fn sdiv(&self, divisor: &Self) -> Self {
        let quotient = self.absolute().udiv(&divisor.absolute());
        if self.msb() == divisor.msb() { quotient } else { quotient.neg() }
    }

    /// `bvsrem`: the remainder of `bvsdiv`, with the sign of the dividend; by zero, the dividend.
    pub fn srem(&self, divisor: &Self) -> Self {
        let remainder = self.absolute().urem(&divisor.absolute());
        if self.msb() { remainder.neg() } else { remainder }
    }

    /// `bvsmod`: the remainder of the flooring division, with the sign of the divisor; by zero, the dividend.
    pub fn smod(&self, divisor: &Self) -> Self {
        let remainder = self.absolute().urem(&divisor.absolute());
        match (self.msb(), divisor.msb()) {
            _ if remainder.is_zero() => remainder,
            (false, false) => remainder,
            (true, false) => remainder.neg().add(divisor),
            (false, true) => remainder.add(divisor),
            (true, true) => remainder.neg(),
        }
    }

    /// The magnitude of the two's complement value, read as unsigned.
    fn absolute(&self) -> Self {
        if self.msb() { self.neg() } else { self.clone() }
    }

    fn combine(&self, other: &Self, small: fn(u64, u64) -> u64, large: fn(&UBig, &UBig) -> UBig) -> Self {
        self.assert_same_width(other);
        match (&self.bits, &other.bits) {
            (Bits::Small(x), Bits::Small(y)) => BitVec::from_u64(self.width, small(*x, *y)),
            (Bits::Large(x), Bits::Large(y)) => BitVec::from_ubig(self.width, large(x, y)),
            _ => unreachable!("the width decides the representation"),
        }
    }

    fn assert_same_width(&self, other: &Self) {
        assert_eq!(self.width, other.width, "operands of one width");
    }
}

/// Comparisons.
impl BitVec {
    /// `bvult`.
    pub fn ult(&self, other: &Self) -> bool {
        self.assert_same_width(other);
        match (&self.bits, &other.bits) {
            (Bits::Small(x), Bits::Small(y)) => x < y,
            (Bits::Large(x), Bits::Large(y)) => x < y,
            _ => unreachable!("the width decides the representation"),
        }
    }

    /// `bvule`.
    pub fn ule(&self, other: &Self) -> bool {
        !other.ult(self)
    }

    /// `bvugt`.
    pub fn ugt(&self, other: &Self) -> bool {
        other.ult(self)
    }

    /// `bvuge`.
    pub fn uge(&self, other: &Self) -> bool {
        !self.ult(other)
    }

    /// `bvslt`.
    pub fn slt(&self, other: &Self) -> bool {
        if self.msb() == other.msb() {
            self.ult(other)
        } else {
            self.assert_same_width(other);
            self.msb()
        }
    }

    /// `bvsle`.
    pub fn sle(&self, other: &Self) -> bool {
        !other.slt(self)
    }

    /// `bvsgt`.
    pub fn sgt(&self, other: &Self) -> bool {
        other.slt(self)
    }

    /// `bvsge`.
    pub fn sge(&self, other: &Self) -> bool {
        !self.slt(other)
    }
}

/// Overflow predicates: whether the exact result does not fit the width.
impl BitVec {
    /// `bvnego`.
    pub fn nego(&self) -> bool {
        self.is_signed_min()
    }

    /// `bvuaddo`.
    pub fn uaddo(&self, other: &Self) -> bool {
        self.add(other).ult(self)
    }

    /// `bvsaddo`.
    pub fn saddo(&self, other: &Self) -> bool {
        self.msb() == other.msb() && self.add(other).msb() != self.msb()
    }

    /// `bvusubo`.
    pub fn usubo(&self, other: &Self) -> bool {
        self.ult(other)
    }

    /// `bvssubo`.
    pub fn ssubo(&self, other: &Self) -> bool {
        self.msb() != other.msb() && self.sub(other).msb() != self.msb()
    }

    /// `bvumulo`.
    pub fn umulo(&self, other: &Self) -> bool {
        self.assert_same_width(other);
        match (&self.bits, &other.bits) {
            (Bits::Small(x), Bits::Small(y)) => (u128::from(*x) * u128::from(*y)) >> self.width != 0,
            _ => (self.to_ubig() * other.to_ubig()).bit_len() > self.width as usize,
        }
    }

    /// `bvsmulo`.
    pub fn smulo(&self, other: &Self) -> bool {
        !self.smul_noovfl(other) || !self.smul_noudfl(other)
    }

    /// `bvsdivo`.
    pub fn sdivo(&self, other: &Self) -> bool {
        self.assert_same_width(other);
        self.is_signed_min() && other.is_ones()
    }

    /// Z3's `bvumul_noovfl`: the unsigned product fits.
    pub fn umul_noovfl(&self, other: &Self) -> bool {
        !self.umulo(other)
    }

    /// Z3's `bvsmul_noovfl`: the signed product is not too large; it may be too small.
    pub fn smul_noovfl(&self, other: &Self) -> bool {
        self.assert_same_width(other);
        if self.msb() != other.msb() {
            return true;
        }
        let product = self.absolute().to_ubig() * other.absolute().to_ubig();
        product.bit_len() < self.width as usize
    }

    /// Z3's `bvsmul_noudfl`: the signed product is not too small; it may be too large.
    pub fn smul_noudfl(&self, other: &Self) -> bool {
        self.assert_same_width(other);
        if self.msb() == other.msb() {
            return true;
        }
        let product = self.absolute().to_ubig() * other.absolute().to_ubig();
        product <= UBig::ONE << (self.width as usize - 1)
    }
}

impl fmt::Display for BitVec {
    /// Writes the SMT-LIB literal: `#x` and digits if they come out even, else `#b` and digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.width.is_multiple_of(4) {
            return write!(f, "#b{}", self.to_binary_digits());
        }
        let digits = match &self.bits {
            Bits::Small(bits) => format!("{bits:x}"),
            Bits::Large(bits) => format!("{bits:x}"),
        };
        write!(f, "#x{}", pad_with_zeros(&digits, self.width as usize / 4))
    }
}

impl fmt::Debug for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The digits of a number, in a field of `len` digits. The standard library pads to 65,535 characters at most.
fn pad_with_zeros(digits: &str, len: usize) -> String {
    let digits = if digits == "0" { "" } else { digits };
    let mut padded = "0".repeat(len - digits.len());
    padded.push_str(digits);
    padded
}

#[cfg(test)]
mod tests;

//! Unicode strings: the value type and the operations of the SMT-LIB theory UnicodeStrings.
//!
//! A character is any number from 0 to 0x2FFFF. That is not Rust's `char`: surrogates are characters here,
//! and code points from 0x30000 on are not. Every operation is total, as in the standard; where the standard
//! answers -1 or the empty string, so do we. Operations whose work grows with their arguments charge a
//! [`Budget`] first.
//!
//! The extensions `str.rev`, `str.to_lower`, `str.to_upper` and `str.update` follow cvc5. Reading and
//! printing literals is in `literal`, substring search in `search`; operations with regular languages are in
//! `regex`.

mod literal;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use dashu_int::{IBig, Sign, UBig};

use crate::{Budget, LimitReached, cost};
use search::Needle;

pub use literal::CharTooLarge;

/// The largest character of the theory.
pub const MAX_CHAR: u32 = 0x2FFFF;

/// Cost of writing one character of a result: the memory of a buffer and of the shared slice, half a word each.
const WRITE_COST: u64 = 8;

/// A string: an immutable sequence of characters, cheap to clone.
///
/// The order is the one of `str.<`: lexicographic by code point.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Str {
    /// Every element is at most [`MAX_CHAR`].
    chars: Arc<[u32]>,
}

impl Str {
    /// The empty string.
    pub fn empty() -> Self {
        Str::from_valid(Vec::new())
    }

    /// The string of these code points, or `None` if one of them is no character of the theory.
    pub fn from_code_points(code_points: Vec<u32>) -> Option<Self> {
        code_points.iter().all(|&code_point| code_point <= MAX_CHAR).then(|| Str::from_valid(code_points))
    }

    /// The characters.
    pub fn chars(&self) -> &[u32] {
        &self.chars
    }

    /// `str.len`.
    pub fn len(&self) -> usize {
        self.chars.len()
    }

    /// Whether this is the empty string.
    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// `str.++`.
    pub fn concat(parts: &[Str], budget: &mut Budget) -> Result<Str, LimitReached> {
        let mut non_empty = parts.iter().filter(|part| !part.is_empty());
        if let (Some(only), None) = (non_empty.next(), non_empty.next()) {
            return Ok(only.clone());
        }
        budget.spend(parts.len() as u64)?;
        join(parts.iter().map(Str::chars), budget)
    }

    /// `str.at`.
    pub fn at(&self, index: &IBig) -> Str {
        let found = usize::try_from(index).ok().and_then(|index| self.chars.get(index));
        found.map_or_else(Str::empty, |&character| Str::from_valid(vec![character]))
    }

    /// `str.substr`.
    pub fn substr(&self, start: &IBig, count: &IBig, budget: &mut Budget) -> Result<Str, LimitReached> {
        let Some(start) = self.position(start) else {
            return Ok(Str::empty());
        };
        let available = self.len() - start;
        let count = match count.sign() {
            Sign::Negative => 0,
            Sign::Positive => usize::try_from(count).unwrap_or(available).min(available),
        };
        if count == self.len() {
            return Ok(self.clone());
        }
        join([&self.chars[start..start + count]], budget)
    }

    /// `str.prefixof`: whether this string is a prefix of `whole`.
    pub fn is_prefix_of(&self, whole: &Str, budget: &mut Budget) -> Result<bool, LimitReached> {
        budget.spend(self.len().min(whole.len()) as u64)?;
        Ok(whole.chars.starts_with(&self.chars))
    }

    /// `str.suffixof`: whether this string is a suffix of `whole`.
    pub fn is_suffix_of(&self, whole: &Str, budget: &mut Budget) -> Result<bool, LimitReached> {
        budget.spend(self.len().min(whole.len()) as u64)?;
        Ok(whole.chars.ends_with(&self.chars))
    }

    /// `str.contains`: whether `part` occurs in this string.
    pub fn contains(&self, part: &Str, budget: &mut Budget) -> Result<bool, LimitReached> {
        Ok(self.find(part, 0, budget)?.is_some())
    }

    /// `str.indexof`: the first position from `start` on where `part` occurs, or -1.
    pub fn index_of(&self, part: &Str, start: &IBig, budget: &mut Budget) -> Result<IBig, LimitReached> {
        let Some(start) = self.position(start) else {
            return Ok(IBig::NEG_ONE);
        };
        Ok(self.find(part, start, budget)?.map_or(IBig::NEG_ONE, IBig::from))
    }

    /// `str.replace`: the first occurrence of `old` replaced by `new`; an empty `old` occurs at the start.
    pub fn replace(&self, old: &Str, new: &Str, budget: &mut Budget) -> Result<Str, LimitReached> {
        match self.find(old, 0, budget)? {
            None => Ok(self.clone()),
            Some(at) => join([&self.chars[..at], &new.chars, &self.chars[at + old.len()..]], budget),
        }
    }

    /// `str.replace_all`: all occurrences of `old`, from the left and not overlapping; none if `old` is
    /// empty.
    pub fn replace_all(&self, old: &Str, new: &Str, budget: &mut Budget) -> Result<Str, LimitReached> {
        if old.is_empty() || old.len() > self.len() {
            return Ok(self.clone());
        }
        let needle = Needle::new(&old.chars, budget)?;
        let span_from = |from| needle.find_in(&self.chars, from).map(|at| (at, at + old.len()));
        // Searching twice, to count and to copy, is cheaper than remembering every span of a long string.
        budget.spend(2 * self.len() as u64)?;
        self.replace_spans(std::iter::successors(span_from(0), |&(_, end)| span_from(end)), new, budget)
    }

    /// `str.is_digit`: whether this is one of the ten strings "0" to "9".
    pub fn is_digit(&self) -> bool {
        matches!(*self.chars, [character] if is_ascii_digit(character))
    }

    /// `str.to_code`: the code point of the only character, or -1 if there is not exactly one.
    pub fn to_code(&self) -> IBig {
        match *self.chars {
            [character] => IBig::from(character),
            _ => IBig::NEG_ONE,
        }
    }

    /// `str.from_code`: the string of one character, or the empty string if the number is no character.
    pub fn from_code(code: &IBig) -> Str {
        match u32::try_from(code) {
            Ok(code @ 0..=MAX_CHAR) => Str::from_valid(vec![code]),
            _ => Str::empty(),
        }
    }

    /// `str.to_int`: the number written in decimal digits, leading zeros allowed; else -1.
    pub fn to_int(&self, budget: &mut Budget) -> Result<IBig, LimitReached> {
        budget.spend(self.len() as u64)?;
        if self.is_empty() || !self.chars.iter().all(|&character| is_ascii_digit(character)) {
            return Ok(IBig::NEG_ONE);
        }
        let significant = self.chars.iter().skip_while(|&&character| character == u32::from(b'0'));
        let digits: String = significant.filter_map(|&character| char::from_u32(character)).collect();
        if digits.is_empty() {
            return Ok(IBig::ZERO);
        }
        budget.spend(cost::radix_conversion(digits.len() as u64))?;
        let value = UBig::from_str_radix(&digits, 10).expect("the text is a non-empty run of decimal digits");
        Ok(IBig::from(value))
    }

    /// `str.from_int`: the decimal digits without leading zeros, or the empty string for a negative number.
    pub fn from_int(value: &IBig, budget: &mut Budget) -> Result<Str, LimitReached> {
        let (sign, magnitude) = value.as_sign_words();
        if sign == Sign::Negative {
            return Ok(Str::empty());
        }
        let max_digits = magnitude.len().saturating_mul(20);
        budget.spend(cost::radix_conversion(max_digits as u64))?;
        Ok(Str::from_valid(value.to_string().bytes().map(u32::from).collect()))
    }

    /// `str.<`.
    pub fn is_less(&self, other: &Str, budget: &mut Budget) -> Result<bool, LimitReached> {
        budget.spend(self.len().min(other.len()) as u64)?;
        Ok(self < other)
    }

    /// `str.<=`.
    pub fn is_at_most(&self, other: &Str, budget: &mut Budget) -> Result<bool, LimitReached> {
        budget.spend(self.len().min(other.len()) as u64)?;
        Ok(self <= other)
    }

    /// `str.rev` of cvc5: the characters in reverse order.
    pub fn reverse(&self, budget: &mut Budget) -> Result<Str, LimitReached> {
        budget.spend(WRITE_COST * self.len() as u64)?;
        Ok(Str { chars: self.chars.iter().rev().copied().collect() })
    }

    /// `str.to_lower` of cvc5: changes the letters A to Z only.
    pub fn to_lower(&self, budget: &mut Budget) -> Result<Str, LimitReached> {
        self.map_ascii(u8::to_ascii_lowercase, budget)
    }

    /// `str.to_upper` of cvc5: changes the letters a to z only.
    pub fn to_upper(&self, budget: &mut Budget) -> Result<Str, LimitReached> {
        self.map_ascii(u8::to_ascii_uppercase, budget)
    }

    /// `str.update` of cvc5: overwrites from position `start` on by `patch`, never growing; unchanged if
    /// `start` is no position of a character.
    pub fn update(&self, start: &IBig, patch: &Str, budget: &mut Budget) -> Result<Str, LimitReached> {
        let Some(start) = self.position(start) else {
            return Ok(self.clone());
        };
        let count = patch.len().min(self.len() - start);
        join([&self.chars[..start], &patch.chars[..count], &self.chars[start + count..]], budget)
    }

    /// Replaces the given spans (start, end), which are in order and do not overlap, by `new` each.
    pub(crate) fn replace_spans(
        &self,
        spans: impl Iterator<Item = (usize, usize)> + Clone,
        new: &Str,
        budget: &mut Budget,
    ) -> Result<Str, LimitReached> {
        let (count, removed) =
            spans.clone().fold((0, 0), |(count, removed), (start, end)| (count + 1, removed + (end - start)));
        if count == 0 {
            return Ok(self.clone());
        }
        let total = new.len().saturating_mul(count).saturating_add(self.len() - removed);
        budget.spend(WRITE_COST.saturating_mul(total as u64))?;
        let mut result = Vec::with_capacity(total);
        let mut copied = 0;
        for (start, end) in spans {
            result.extend_from_slice(&self.chars[copied..start]);
            result.extend_from_slice(&new.chars);
            copied = end;
        }
        result.extend_from_slice(&self.chars[copied..]);
        Ok(Str::from_valid(result))
    }

    /// The number as a position between characters (0 to the length), if it is one.
    pub(crate) fn position(&self, number: &IBig) -> Option<usize> {
        usize::try_from(number).ok().filter(|&position| position <= self.len())
    }

    /// A string of code points that are known to be characters.
    fn from_valid(chars: Vec<u32>) -> Self {
        debug_assert!(chars.iter().all(|&character| character <= MAX_CHAR));
        Str { chars: chars.into() }
    }

    fn find(&self, part: &Str, from: usize, budget: &mut Budget) -> Result<Option<usize>, LimitReached> {
        if part.len() > self.len() - from {
            return Ok(None);
        }
        let needle = Needle::new(&part.chars, budget)?;
        budget.spend((self.len() - from) as u64)?;
        Ok(needle.find_in(&self.chars, from))
    }

    fn map_ascii(&self, change: fn(&u8) -> u8, budget: &mut Budget) -> Result<Str, LimitReached> {
        budget.spend(WRITE_COST * self.len() as u64)?;
        let changed = |&character: &u32| match u8::try_from(character) {
            Ok(byte) => u32::from(change(&byte)),
            Err(_) => character,
        };
        Ok(Str { chars: self.chars.iter().map(changed).collect() })
    }
}

fn is_ascii_digit(character: u32) -> bool {
    (u32::from(b'0')..=u32::from(b'9')).contains(&character)
}

/// The concatenation of the slices, charged before anything is allocated.
fn join<'a>(
    slices: impl IntoIterator<Item = &'a [u32], IntoIter: Clone>,
    budget: &mut Budget,
) -> Result<Str, LimitReached> {
    let slices = slices.into_iter();
    let total = slices.clone().fold(0, |total: usize, slice| total.saturating_add(slice.len()));
    budget.spend(WRITE_COST.saturating_mul(total as u64))?;
    let mut chars = Vec::with_capacity(total);
    slices.for_each(|slice| chars.extend_from_slice(slice));
    Ok(Str::from_valid(chars))
}

//! The formulas of a grammar by their numbers: which of them are wanted, and where each comes from.

use std::fmt;

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use serde::Serialize;
use smelt_testgen::enumeration::{Enumeration, Parameters, Symmetry};
use smelt_testgen::random::Random;

/// Which formulas of a grammar are wanted.
#[derive(Debug, Clone, Default)]
pub struct FormulaRange {
    /// The index of the first formula; of the first of `size`, if that is given.
    pub start: UBig,
    /// How many formulas.
    pub count: u64,
    /// Only formulas of this size.
    pub size: Option<u32>,
    /// Only formulas up to this size.
    pub max_size: Option<u32>,
    /// Only a part of the range.
    pub shard: Option<Shard>,
}

/// One of several equal parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1 on.
    pub number: u32,
    /// How many parts there are.
    pub of: u32,
}

/// A text that is not a value of an option.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// Not a kind of equivalent formulas.
    #[error("expected one of: none, variables, arguments, all")]
    Symmetry,
    /// It is not an index.
    #[error("an index is a number such as 1200, 10^1000 or 5e20")]
    Index,
    /// It is one with too many digits.
    #[error("the exponent is too large")]
    Exponent,
    /// It is not a shard.
    #[error("a shard is I/N with I from 1 to N, such as 2/8")]
    Shard,
}

/// Reads an index such as `1200`, `10^1000` or `5e20`.
pub fn parse_index(text: &str) -> Result<UBig, RangeError> {
    let number = |digits: &str| UBig::from_str_radix(digits, 10).map_err(|_| RangeError::Index);
    let exponent = |digits: &str| match digits.parse::<usize>() {
        Ok(exponent) if exponent <= 20_000 => Ok(exponent),
        Ok(_) => Err(RangeError::Exponent),
        Err(_) => Err(RangeError::Index),
    };
    if let Some((base, power)) = text.split_once('^') {
        return Ok(number(base)?.pow(exponent(power)?));
    }
    match text.split_once(['e', 'E']) {
        Some((factor, power)) => Ok(number(factor)? * UBig::from(10_u8).pow(exponent(power)?)),
        None => number(text),
    }
}

/// Reads a shard such as `2/8`.
pub fn parse_shard(text: &str) -> Result<Shard, RangeError> {
    let (number, of) = text.split_once('/').ok_or(RangeError::Shard)?;
    let (Ok(number), Ok(of)) = (number.parse(), of.parse()) else { return Err(RangeError::Shard) };
    if number == 0 || number > of { Err(RangeError::Shard) } else { Ok(Shard { number, of }) }
}

/// Takes a formula with its index in decimal.
pub type TakeFormula<'t, E> = &'t mut dyn FnMut(&[u8], &str) -> Result<(), E>;

/// Indices with more bits are far away, and so are larger sizes.
const FAR_BITS: usize = 600;
const FAR_SIZE: u32 = 150;

impl FormulaRange {
    /// Whether counting takes so long that it is worth keeping.
    pub fn is_far(&self) -> bool {
        let mut sizes = self.size.into_iter().chain(self.max_size);
        self.start.bit_len() > FAR_BITS || sizes.any(|size| size > FAR_SIZE)
    }

    /// The indices from the first to one behind the last.
    fn borders(&self, enumeration: &mut Enumeration) -> (UBig, UBig) {
        let mut start = self.start.clone();
        if let Some(size) = self.size {
            start += enumeration.count_below(size);
        }
        let mut end = &start + UBig::from(self.count);
        if let Some(size) = self.size.into_iter().chain(self.max_size).min() {
            end = end.min(enumeration.count_below(size + 1).clone()).max(start.clone());
        }
        if let Some(Shard { number, of }) = self.shard {
            let length = &end - &start;
            let border = |part: u32| &start + &length * UBig::from(part) / UBig::from(of);
            return (border(number - 1), border(number));
        }
        (start, end)
    }

    /// Gives the formulas one after the other, each with its index in decimal; says how many there are.
    pub fn in_order<E>(&self, enumeration: &mut Enumeration, take: TakeFormula<'_, E>) -> Result<u64, E> {
        let (start, end) = self.borders(enumeration);
        let count = if end > start { u64::try_from(end - &start).unwrap_or(u64::MAX) } else { 0 };
        let mut digits = Digits::new(&start);
        let mut cursor = match count {
            0 => None,
            _ => enumeration.from(&start),
        };
        let mut made = 0;
        while let Some(formulas) = &mut cursor {
            take(digits.text(), formulas.text())?;
            made += 1;
            if made >= count || !formulas.advance() {
                break;
            }
            digits.increment();
        }
        Ok(made)
    }

    /// Draws formulas uniformly among those of the size, or up to the largest one, and gives each with its index; says
    /// how many there are, which is none without a size.
    pub fn drawn<E>(
        &self,
        enumeration: &mut Enumeration,
        random_seed: u64,
        take: TakeFormula<'_, E>,
    ) -> Result<u64, E> {
        let mut random = Random::new(random_seed);
        for made in 0..self.count {
            let drawn = match (self.size, self.max_size) {
                (Some(size), _) => enumeration.sample(size, &mut random),
                (None, Some(size)) => enumeration.sample_up_to(size, &mut random),
                (None, None) => None,
            };
            let Some(index) = drawn else { return Ok(made) };
            let formula = enumeration.nth(&index).expect("what is drawn exists");
            take(index.to_string().as_bytes(), &formula)?;
        }
        Ok(self.count)
    }
}

/// Reads which equivalent formulas are left out.
pub fn parse_symmetry(word: &str) -> Result<Symmetry, RangeError> {
    let (variables, arguments) = match word {
        "none" => (false, false),
        "variables" => (true, false),
        "arguments" => (false, true),
        "all" => (true, true),
        _ => return Err(RangeError::Symmetry),
    };
    Ok(Symmetry { variables, arguments })
}

/// How many formulas of a size a grammar has. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct SizeCount<'n> {
    grammar: &'n str,
    size: u32,
    count: String,
    /// The index of the first formula of this size.
    start: String,
}

impl fmt::Display for SizeCount<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SizeCount { size, count, start, .. } = self;
        write!(formatter, "size {size}: {count} formulas, from index {start} on")
    }
}

/// How many formulas a grammar has of each size.
#[derive(Debug)]
pub struct SizeCounts<'n> {
    /// Of each size that has any.
    pub sizes: Vec<SizeCount<'n>>,
    /// Of all sizes up to the last, in words.
    pub sum: String,
}

/// Up to which size formulas are counted if the user does not say.
const DEFAULT_COUNTED: u32 = 16;

/// The sizes of which a grammar has formulas: one, or all up to one.
pub fn size_counts<'n>(
    grammar: &'n str,
    enumeration: &mut Enumeration,
    size: Option<u32>,
    max_size: Option<u32>,
) -> SizeCounts<'n> {
    let (first, last) = match (size, max_size) {
        (Some(size), _) => (size, size),
        (None, most) => (0, most.unwrap_or(DEFAULT_COUNTED)),
    };
    let last = enumeration.largest_size().map_or(last, |largest| last.min(largest));
    let mut sizes = Vec::new();
    for size in first..=last {
        let count = enumeration.count(size);
        if !count.is_zero() {
            let (count, start) = (count.to_string(), enumeration.count_below(size).to_string());
            sizes.push(SizeCount { grammar, size, count, start });
        }
    }
    let sum = format!("up to size {last}: {} formulas", enumeration.count_below(last + 1));
    SizeCounts { sizes, sum }
}

/// Where a formula of a grammar comes from, up to its index.
pub fn lineage(grammar: &str, parameters: &Parameters) -> String {
    let Parameters { variables, asserts, symmetry, .. } = parameters;
    let without = match (symmetry.variables, symmetry.arguments) {
        (false, false) => "",
        (true, false) => "symmetry variables, ",
        (false, true) => "symmetry arguments, ",
        (true, true) => "symmetry all, ",
    };
    format!("grammar {grammar}, variables {variables}, asserts {asserts}, {without}index ")
}

/// A number as text that is counted up in place.
struct Digits(Vec<u8>);

impl Digits {
    fn new(number: &UBig) -> Self {
        Digits(number.to_string().into_bytes())
    }

    fn text(&self) -> &[u8] {
        &self.0
    }

    fn increment(&mut self) {
        for digit in self.0.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.0.insert(0, b'1');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_carry() {
        let mut digits = Digits::new(&UBig::from(998_u32));
        digits.increment();
        assert_eq!(digits.text(), b"999");
        digits.increment();
        assert_eq!(digits.text(), b"1000");
    }

    #[test]
    fn indices_have_powers() {
        assert_eq!(parse_index("12"), Ok(UBig::from(12_u32)));
        assert_eq!(parse_index("10^3"), Ok(UBig::from(1000_u32)));
        assert_eq!(parse_index("5e2"), Ok(UBig::from(500_u32)));
        assert!(parse_index("-1").is_err());
        assert!(parse_index("").is_err());
        assert!(parse_index("10^999999999").is_err());
    }
}

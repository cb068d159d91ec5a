//! Sums of products of big numbers, without a new number for every product.
//!
//! Counting is nothing else, and the numbers have tens of words: too few for clever multiplication, enough for the
//! allocation of every product to show.

use dashu_int::{DoubleWord, UBig, Word};

/// From so many words on in both factors, clever multiplication pays.
const LARGE: usize = 64;

/// A sum that products are added to.
#[derive(Debug, Default)]
pub(super) struct ProductSum {
    /// The lowest first. There is always one more than the sum needs.
    words: Vec<Word>,
    /// Products of large factors.
    large: UBig,
}

impl ProductSum {
    pub fn add(&mut self, left: &UBig, right: &UBig) {
        let (left_words, right_words) = (left.as_words(), right.as_words());
        if left_words.len() >= LARGE && right_words.len() >= LARGE {
            self.large += left * right;
            return;
        }
        let needed = left_words.len() + right_words.len() + 2;
        if self.words.len() < needed {
            self.words.resize(needed, 0);
        }
        for (position, factor) in left_words.iter().enumerate() {
            let row = &mut self.words[position..];
            let mut carry: DoubleWord = 0;
            for (sum, other) in row.iter_mut().zip(right_words) {
                carry += DoubleWord::from(*sum) + DoubleWord::from(*factor) * DoubleWord::from(*other);
                *sum = carry as Word;
                carry >>= Word::BITS;
            }
            for sum in &mut row[right_words.len()..] {
                if carry == 0 {
                    break;
                }
                carry += DoubleWord::from(*sum);
                *sum = carry as Word;
                carry >>= Word::BITS;
            }
        }
    }

    pub fn total(self) -> UBig {
        UBig::from_words(&self.words) + self.large
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_what_the_library_says_with_carries_and_large_factors() {
        let number = |bits: usize| (UBig::ONE << bits) - UBig::ONE;
        let mut sum = ProductSum::default();
        let mut expected = UBig::ZERO;
        for (left, right) in [(0, 5), (64, 64), (127, 1), (1000, 3000), (64, 64), (5000, 5000), (3000, 1000)]
        {
            for _ in 0..3 {
                sum.add(&number(left), &number(right));
                expected += number(left) * number(right);
            }
        }
        assert_eq!(sum.total(), expected);
    }
}

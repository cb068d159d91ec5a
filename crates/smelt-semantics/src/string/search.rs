//! Substring search in linear time, whatever the strings.
//!
//! The algorithm is Knuth, Morris and Pratt's. Library searchers work on bytes, and ours is short.

use crate::{Budget, LimitReached};

/// A string to search for, prepared for searching.
pub(crate) struct Needle<'a> {
    chars: &'a [u32],
    /// `borders[i]` is the length of the longest proper prefix of `chars[..=i]` that is also its suffix.
    borders: Vec<usize>,
}

impl<'a> Needle<'a> {
    /// Prepares a search for `chars`.
    pub(crate) fn new(chars: &'a [u32], budget: &mut Budget) -> Result<Self, LimitReached> {
        // The borders take a word each.
        budget.spend_words(chars.len() as u64)?;
        let mut needle = Needle { chars, borders: Vec::with_capacity(chars.len()) };
        let mut matched = 0;
        for (index, &character) in chars.iter().enumerate() {
            matched = if index == 0 { 0 } else { needle.advance(matched, character) };
            needle.borders.push(matched);
        }
        Ok(needle)
    }

    /// The first position from `from` on where the needle occurs; the caller pays for the haystack.
    pub(crate) fn find_in(&self, haystack: &[u32], from: usize) -> Option<usize> {
        if self.chars.is_empty() {
            return Some(from);
        }
        let mut matched = 0;
        for (index, &character) in haystack.iter().enumerate().skip(from) {
            matched = self.advance(matched, character);
            if matched == self.chars.len() {
                return Some(index + 1 - matched);
            }
        }
        None
    }

    /// The length of the longest prefix of the needle that ends with `character`, given the one that ends
    /// before it.
    fn advance(&self, mut matched: usize, character: u32) -> usize {
        while self.chars[matched] != character {
            match matched {
                0 => return 0,
                _ => matched = self.borders[matched - 1],
            }
        }
        matched + 1
    }
}

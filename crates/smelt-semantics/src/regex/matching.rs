//! Operations that compare a string with a language: membership, replacement and search.
//!
//! A match is *leftmost*, then *shortest*, as the standard wants it. Searching tries the starts one after the
//! other: quadratic in the worst case, and charged.

use dashu_int::IBig;

use super::{Node, Re, Regexes};
use crate::string::Str;
use crate::{Budget, LimitReached};

/// Cost of one character of a string under test.
const STEP_COST: u64 = 4;

impl Regexes {
    /// `str.in_re`.
    pub fn matches(&mut self, text: &Str, re: Re, budget: &mut Budget) -> Result<bool, LimitReached> {
        let mut state = re;
        for (index, &character) in text.chars().iter().enumerate() {
            match *self.node(state) {
                _ if state == Re::NONE => return Ok(false),
                _ if state == Re::ALL => return Ok(true),
                Node::Word { word, start } => {
                    let rest = &text.chars()[index..];
                    budget.spend(rest.len() as u64)?;
                    return Ok(rest == self.word_chars(word, start));
                }
                _ => {}
            }
            budget.spend(STEP_COST)?;
            state = self.derivative(state, character, budget)?;
        }
        Ok(self.is_nullable(state))
    }

    /// `str.replace_re`: the leftmost shortest match, which may be empty, replaced by `new`.
    pub fn replace_re(
        &mut self,
        text: &Str,
        re: Re,
        new: &Str,
        budget: &mut Budget,
    ) -> Result<Str, LimitReached> {
        let span = self.find_match(text.chars(), re, 0, 0, budget)?;
        text.replace_spans(span.into_iter(), new, budget)
    }

    /// `str.replace_re_all`: the leftmost shortest non-empty matches, one after the other, replaced by `new`.
    pub fn replace_re_all(
        &mut self,
        text: &Str,
        re: Re,
        new: &Str,
        budget: &mut Budget,
    ) -> Result<Str, LimitReached> {
        let mut spans = Vec::new();
        let mut from = 0;
        while let Some((start, end)) = self.find_match(text.chars(), re, from, 1, budget)? {
            budget.spend(STEP_COST)?;
            spans.push((start, end));
            from = end;
        }
        text.replace_spans(spans.iter().copied(), new, budget)
    }

    /// `str.indexof_re` of cvc5: the first position from `start` on where a match, perhaps empty, begins; or
    /// -1.
    pub fn index_of_re(
        &mut self,
        text: &Str,
        re: Re,
        start: &IBig,
        budget: &mut Budget,
    ) -> Result<IBig, LimitReached> {
        let Some(start) = text.position(start) else {
            return Ok(IBig::NEG_ONE);
        };
        let span = self.find_match(text.chars(), re, start, 0, budget)?;
        Ok(span.map_or(IBig::NEG_ONE, |(start, _)| IBig::from(start)))
    }

    /// The leftmost shortest match of at least `min_len` characters that begins at `from` or later.
    fn find_match(
        &mut self,
        chars: &[u32],
        re: Re,
        from: usize,
        min_len: usize,
        budget: &mut Budget,
    ) -> Result<Option<(usize, usize)>, LimitReached> {
        for start in from..=chars.len() {
            let mut state = re;
            for end in start..=chars.len() {
                budget.spend(STEP_COST)?;
                if self.is_nullable(state) && end - start >= min_len {
                    return Ok(Some((start, end)));
                }
                if state == Re::NONE || end == chars.len() {
                    break;
                }
                state = self.derivative(state, chars[end], budget)?;
            }
        }
        Ok(None)
    }
}

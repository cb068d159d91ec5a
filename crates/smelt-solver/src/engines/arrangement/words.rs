//! Words from definitions: what is not defined may be anything, and the definitions say the rest.
//!
//! This is the model of an arrangement in solved form without other facts. It is only a guess where there are some.

use rustc_hash::FxHashMap;

use super::segments::Segments;
use crate::effort::{Effort, Stopped};
use crate::theory::fixed_length::{Piece, Var};

/// Longer words are not written out.
const MAX_LETTERS: usize = 1 << 20;
/// The letter of words that may be anything.
const FREE_LETTER: u32 = 'a' as u32;

/// A word for each variable.
pub(super) type Words = FxHashMap<Var, Vec<u32>>;

/// The words of all variables of the problem that have a definition or are given; none if one is too long.
pub(super) fn words(
    segments: &Segments<'_>,
    effort: &mut Effort,
    given: &Words,
) -> Result<Option<Words>, Stopped> {
    let mut words = given.clone();
    let mut letters = 0;
    for var in segments.defined() {
        let Some((text, _)) = segments.expand(effort, &vec![Piece::Var(var)])? else { return Ok(None) };
        let mut word: Vec<u32> = Vec::new();
        for piece in &text {
            match piece {
                Piece::Word(part) => word.extend_from_slice(part),
                Piece::Var(var) if let Some(known) = given.get(var) => word.extend_from_slice(known),
                Piece::Var(free) => {
                    let Some(length) = segments.value(*free).and_then(|value| usize::try_from(value).ok())
                    else {
                        return Ok(None);
                    };
                    if length > MAX_LETTERS {
                        return Ok(None);
                    }
                    word.resize(word.len() + length, FREE_LETTER);
                }
            }
        }
        letters += word.len();
        if letters > MAX_LETTERS {
            return Ok(None);
        }
        words.insert(var, word);
    }
    effort.spend(letters as u64 / 64)?;
    Ok(Some(words))
}

//! Whether a constraint holds for given words. The meaning is that of `smelt-semantics`.

use dashu_int::IBig;
use smelt_semantics::string::Str;
use smelt_semantics::{Budget, LimitReached};

use super::{Constraint, Matching, Piece, Text};
use crate::theory::regex::{Occurrences, Re, Regexes};

/// Whether the constraint holds for these words, one per variable.
pub fn holds(
    constraint: &Constraint,
    words: &[Vec<u32>],
    regexes: &mut Regexes,
    budget: &mut Budget,
) -> Result<bool, LimitReached> {
    let value = |text: &Text| -> Result<Str, LimitReached> {
        Str::from_code_points(letters(text, words)).ok_or(LimitReached)
    };
    Ok(match constraint {
        Constraint::Equal(left, right) => letters(left, words) == letters(right, words),
        Constraint::Different(left, right) => letters(left, words) != letters(right, words),
        Constraint::Member(text, re) => regexes.matches(*re, &letters(text, words), budget)?,
        Constraint::Prefix { part, whole, holds } => {
            value(part)?.is_prefix_of(&value(whole)?, budget)? == *holds
        }
        Constraint::Suffix { part, whole, holds } => {
            value(part)?.is_suffix_of(&value(whole)?, budget)? == *holds
        }
        Constraint::Contains { whole, part, holds } => {
            value(whole)?.contains(&value(part)?, budget)? == *holds
        }
        Constraint::Less { left, right, or_equal: true } => {
            value(left)?.is_at_most(&value(right)?, budget)?
        }
        Constraint::Less { left, right, or_equal: false } => value(left)?.is_less(&value(right)?, budget)?,
        Constraint::Substr { result, source, start, count } => {
            value(result)? == value(source)?.substr(&IBig::from(*start), &IBig::from(*count), budget)?
        }
        Constraint::IndexOf { result, source, part, start } => {
            IBig::from(*result) == value(source)?.index_of(&value(part)?, &IBig::from(*start), budget)?
        }
        Constraint::Replace { result, source, part, new } => {
            value(result)? == value(source)?.replace(&value(part)?, &value(new)?, budget)?
        }
        Constraint::ReplaceAll { result, source, part, new } => {
            value(result)? == value(source)?.replace_all(&value(part)?, &value(new)?, budget)?
        }
        Constraint::ReplaceRegex { result, source, matching, new } => {
            let source = letters(source, words);
            letters(result, words)
                == replace_matches(regexes, &source, *matching, &letters(new, words), budget)?
        }
        Constraint::ToCode { code, text } => IBig::from(*code) == value(text)?.to_code(),
        Constraint::FromCode { result, code } => value(result)? == Str::from_code(&IBig::from(*code)),
        Constraint::ToInt { value: number, text } => *number == value(text)?.to_int(budget)?,
        Constraint::FromInt { result, value: number } => value(result)? == Str::from_int(number, budget)?,
    })
}

/// The word with the leftmost match, or all of them, replaced; the shortest of those that begin at the same place.
fn replace_matches(
    regexes: &mut Regexes,
    source: &[u32],
    matching: Matching,
    new: &[u32],
    budget: &mut Budget,
) -> Result<Vec<u32>, LimitReached> {
    let takes_empty = matching.occurrences == Occurrences::First;
    let mut result = Vec::new();
    let mut start = 0;
    while start <= source.len() {
        let mut state = matching.language;
        let mut end = start;
        let is_match = loop {
            budget.spend(16)?;
            if regexes.is_nullable(state) && (takes_empty || end > start) {
                break true;
            }
            if end == source.len() || state == Re::NONE {
                break false;
            }
            state = regexes.derivative(state, source[end], budget)?;
            end += 1;
        };
        if is_match {
            result.extend_from_slice(new);
            start = end;
            if takes_empty {
                break;
            }
        } else {
            result.extend(source.get(start));
            start += 1;
        }
    }
    result.extend_from_slice(source.get(start..).unwrap_or_default());
    Ok(result)
}

/// The word that a text denotes.
pub(super) fn letters(text: &Text, words: &[Vec<u32>]) -> Vec<u32> {
    let mut letters = Vec::new();
    for piece in text {
        match piece {
            Piece::Var(var) => letters.extend_from_slice(&words[*var as usize]),
            Piece::Word(word) => letters.extend_from_slice(word),
        }
    }
    letters
}

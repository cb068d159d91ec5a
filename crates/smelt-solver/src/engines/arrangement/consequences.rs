//! What an arrangement means for facts that are no equations.
//!
//! Definitions of variables carry over to everything that speaks of them: two texts that are the same text are not
//! different, a text that begins with another one has it as a prefix, and the words of a text are in the language of its
//! pieces. Every contradiction comes with its premises.

use rustc_hash::FxHashMap;
use smelt_semantics::Budget;

use super::equation::{End, Equation, Stripped};
use super::premises::{Premise, Premises};
use super::segments::Segments;
use crate::effort::{Effort, Stopped};
use crate::engines::abstraction::facts::{Fact, Shape};
use crate::theory::fixed_length::{Constraint, Piece, Text, Var};
use crate::theory::regex::{Emptiness, Re, Regexes};

/// Effort for one test of emptiness.
const EMPTINESS_UNITS: u64 = 10_000;
/// Parts of one text whose languages are looked at.
const MAX_INNER: usize = 20;
/// Effort for taking words away from a language.
const QUOTIENT_UNITS: u64 = 1_000;

/// Languages that are known to be empty or not; without an answer if that was too expensive.
#[derive(Default)]
pub(super) struct KnownLanguages(FxHashMap<Re, Option<bool>>);

/// The expressions of an abstraction with what is known about the emptiness of their languages.
pub(super) struct EmptinessTests<'a> {
    pub(super) regexes: &'a mut Regexes,
    pub(super) known: &'a mut KnownLanguages,
}

impl EmptinessTests<'_> {
    /// Whether a language is known to be empty; false also if that is too expensive to find out.
    fn is_empty(&mut self, effort: &mut Effort, re: Re) -> bool {
        let regexes = &mut *self.regexes;
        let known = self.known.0.entry(re).or_insert_with(|| {
            let emptiness = effort.budgeted(EMPTINESS_UNITS, |budget| regexes.emptiness(re, budget));
            emptiness.ok().map(|emptiness| matches!(emptiness, Emptiness::Empty))
        });
        known.unwrap_or(false)
    }
}

/// A language that a variable is in, and why.
struct Language {
    re: Re,
    premises: Premises,
}

/// Premises that contradict each other by one of the facts that are no equations, if some are found.
pub(super) fn contradiction(
    segments: &mut Segments<'_>,
    effort: &mut Effort,
    facts: &[Fact],
    positions: &[usize],
) -> Result<Option<Premises>, Stopped> {
    for &position in positions {
        let Shape::Plain(constraint) = &facts[position].shape else { continue };
        let found = match constraint {
            Constraint::Different(left, right) => meet(segments, effort, left, right, Meeting::Whole)?,
            Constraint::Prefix { part, whole, holds: false } => {
                meet(segments, effort, part, whole, Meeting::LeftEnds(End::Front))?
            }
            Constraint::Suffix { part, whole, holds: false } => {
                meet(segments, effort, part, whole, Meeting::LeftEnds(End::Back))?
            }
            Constraint::Contains { whole, part, holds: false } => {
                occurs_within(segments, effort, part, whole)?
            }
            _ => None,
        };
        if let Some(mut premises) = found {
            segments.table.add(&mut premises, Premise::Fact(position));
            return Ok(Some(premises));
        }
    }
    Ok(None)
}

/// How far two texts are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meeting {
    /// Both to their ends.
    Whole,
    /// From this end on, until the left one ends.
    LeftEnds(End),
}

/// The premises for two texts to be the same, or for one to be at an end of the other, if they are.
fn meet(
    segments: &mut Segments<'_>,
    effort: &mut Effort,
    left: &Text,
    right: &Text,
    meeting: Meeting,
) -> Result<Option<Premises>, Stopped> {
    let mut equation = Equation::new(left, right, Premises::default());
    let end = match meeting {
        Meeting::Whole => End::Front,
        Meeting::LeftEnds(end) => end,
    };
    loop {
        let stripped = match meeting {
            Meeting::Whole => equation.strip(segments, effort)?,
            Meeting::LeftEnds(end) => equation.strip_end(segments, effort, end)?,
        };
        match stripped {
            Stripped::Clash => return Ok(None),
            Stripped::Nothing => return Ok(Some(equation.premises)),
            Stripped::Open if meeting != Meeting::Whole && equation.left.is_empty() => {
                return Ok(Some(equation.premises));
            }
            Stripped::Open => {
                if !equation.drop_empty(segments, end) && !equation.drop_empty(segments, opposite(end)) {
                    return Ok(None);
                }
            }
        }
    }
}

fn opposite(end: End) -> End {
    match end {
        End::Front => End::Back,
        End::Back => End::Front,
    }
}

/// The premises for a text to occur in another one, if it does.
fn occurs_within(
    segments: &Segments<'_>,
    effort: &mut Effort,
    part: &Text,
    whole: &Text,
) -> Result<Option<Premises>, Stopped> {
    let (Some((part, mut premises)), Some((whole, others))) =
        (segments.expand(effort, part)?, segments.expand(effort, whole)?)
    else {
        return Ok(None);
    };
    premises.extend(&others);
    let [part, whole] = [part, whole].map(symbols);
    effort.spend((part.len() * whole.len()) as u64 / 64)?;
    let occurs = part.is_empty() || whole.windows(part.len()).any(|window| window == part);
    Ok(occurs.then_some(premises))
}

/// Letters and variables one by one.
fn symbols(text: Text) -> Vec<(bool, u32)> {
    let mut symbols = Vec::new();
    for piece in text {
        match piece {
            Piece::Var(var) => symbols.push((true, var)),
            Piece::Word(letters) => symbols.extend(letters.iter().map(|letter| (false, *letter))),
        }
    }
    symbols
}

/// Premises that leave no word for some text by the languages of its pieces, if some are found.
pub(super) fn language_contradiction(
    segments: &mut Segments<'_>,
    mut tests: EmptinessTests<'_>,
    effort: &mut Effort,
    facts: &[Fact],
    positions: &[usize],
) -> Result<Option<Premises>, Stopped> {
    let mut memberships: Vec<(Text, Language)> = Vec::new();
    for &position in positions {
        let Shape::Plain(Constraint::Member(text, re)) = &facts[position].shape else { continue };
        let Some((text, mut premises)) = segments.expand(effort, text)? else { continue };
        segments.table.add(&mut premises, Premise::Fact(position));
        memberships.push((text, Language { re: *re, premises }));
    }
    let mut languages: FxHashMap<Var, Language> = FxHashMap::default();
    for (text, language) in &memberships {
        let Some((var, own)) = only_var(tests.regexes, effort, text, language.re) else { continue };
        let all =
            languages.entry(var).or_insert_with(|| Language { re: Re::ALL, premises: Premises::default() });
        let both = tests.regexes.inter(&[all.re, own]);
        if both != all.re {
            *all = Language { re: both, premises: all.premises.clone() };
            all.premises.extend(&language.premises);
        }
        if tests.is_empty(effort, both) {
            return Ok(Some(languages.remove(&var).expect("it was put there").premises));
        }
    }
    for (text, language) in &memberships {
        // The words of a part that is known to be in a language of its own, or of no part.
        let inner =
            memberships.iter().filter_map(|(part, own)| Some((start_of(part, text)?, part.len(), own)));
        for part in inner.map(Some).chain([None]).take(MAX_INNER) {
            effort.spend(1 + text.len() as u64)?;
            let (words, mut premises) = words_of(tests.regexes, &languages, text, part);
            premises.extend(&language.premises);
            let common = tests.regexes.inter(&[language.re, words]);
            if tests.is_empty(effort, common) {
                return Ok(Some(premises));
            }
        }
    }
    Ok(None)
}

/// Where a text of several pieces lies within a longer one.
fn start_of(part: &Text, whole: &Text) -> Option<usize> {
    if part.len() < 2 || part.len() >= whole.len() {
        return None;
    }
    whole.windows(part.len()).position(|window| window == part.as_slice())
}

/// The concatenation of the languages of pieces. One part, by start and number of pieces, may have its own language.
fn words_of(
    regexes: &mut Regexes,
    languages: &FxHashMap<Var, Language>,
    text: &Text,
    part: Option<(usize, usize, &Language)>,
) -> (Re, Premises) {
    let mut premises = Premises::default();
    let mut factors: Vec<Re> = Vec::with_capacity(text.len());
    let mut position = 0;
    while position < text.len() {
        if let Some((start, count, own)) = part
            && start == position
        {
            premises.extend(&own.premises);
            factors.push(own.re);
            position += count;
            continue;
        }
        factors.push(match &text[position] {
            Piece::Word(word) => regexes.word(word),
            Piece::Var(var) => match languages.get(var) {
                Some(own) => {
                    premises.extend(&own.premises);
                    own.re
                }
                None => Re::ALL,
            },
        });
        position += 1;
    }
    (regexes.concat(&factors), premises)
}

/// The only variable of a text with words around it, and the language that it is in if the text is in the given one.
fn only_var(regexes: &mut Regexes, effort: &mut Effort, text: &Text, re: Re) -> Option<(Var, Re)> {
    let mut before: Vec<u32> = Vec::new();
    let mut after: Vec<u32> = Vec::new();
    let mut only: Option<Var> = None;
    for piece in text {
        match (piece, only) {
            (Piece::Word(word), None) => before.extend_from_slice(word),
            (Piece::Word(word), Some(_)) => after.extend_from_slice(word),
            (Piece::Var(var), None) => only = Some(*var),
            (Piece::Var(_), Some(_)) => return None,
        }
    }
    let var = only?;
    let rest = effort.budgeted(QUOTIENT_UNITS, |budget| without_ends(regexes, re, &before, &after, budget));
    Some((var, rest?))
}

/// What may stand between two words so that the whole is in a language; none if that is too expensive to find out.
fn without_ends(
    regexes: &mut Regexes,
    re: Re,
    before: &[u32],
    after: &[u32],
    budget: &mut Budget,
) -> Option<Re> {
    let mut rest =
        if before.is_empty() { re } else { regexes.derivative_by_word(re, before, budget).ok()? };
    if !after.is_empty() {
        let mirrored: Vec<u32> = after.iter().rev().copied().collect();
        let reversed = regexes.reverse(rest, budget).ok()?;
        let shorter = regexes.derivative_by_word(reversed, &mirrored, budget).ok()?;
        rest = regexes.reverse(shorter, budget).ok()?;
    }
    Some(rest)
}

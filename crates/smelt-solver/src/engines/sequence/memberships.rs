//! Memberships of concatenations, cut into memberships of their parts.
//!
//! If `x y` is in a language, then `x` leads from its first state to some state, and `y` is in what follows there. For
//! a language with few states this is one clause, and languages of single variables meet each other for good.

use smelt_semantics::Budget;

use super::lemmas::Lemmas;
use super::premises::Premises;
use crate::engines::abstraction::Abstraction;
use crate::theory::fixed_length::{Piece, Text};
use crate::theory::regex::{Cut, Emptiness, Re};
use crate::theory::search::{Assignment, Literal};

/// Budget for one language.
const CUT_BUDGET: u64 = 2_000_000;
/// Languages that can be cut in more ways stay whole.
const MAX_CUTS: usize = 12;

/// A text that is in a language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Membership {
    pub(super) text: Text,
    pub(super) re: Re,
}

/// Says what a membership means for the parts of its text. Whether that is new.
pub(super) fn cut(
    abstraction: &mut Abstraction,
    assignment: &Assignment,
    lemmas: &mut Lemmas,
    premises: &Premises,
    membership: Membership,
) -> bool {
    let Some(stripped) = strip_words(abstraction, membership) else { return false };
    match stripped.text.as_slice() {
        [] => {
            !abstraction.regexes.is_nullable(stripped.re)
                && lemmas.send(abstraction, assignment, premises, &[])
        }
        [Piece::Var(_)] => {
            let literal = lemmas.membership(abstraction, stripped);
            lemmas.send(abstraction, assignment, premises, &[literal])
        }
        _ => match lemmas.is_cut(abstraction, stripped) {
            Some(literal) => lemmas.send(abstraction, assignment, premises, &[literal]),
            None => false,
        },
    }
}

/// Says that a literal implies one of the ways to cut the words of a language between the first piece and the rest of a
/// text. False if there are too many ways.
pub(super) fn define_cuts(
    abstraction: &mut Abstraction,
    lemmas: &mut Lemmas,
    literal: Literal,
    membership: &Membership,
) -> bool {
    let Membership { text, re } = membership;
    let Ok(cuts) = abstraction.regexes.cuts(*re, Re::ALL, &mut Budget::new(CUT_BUDGET)) else { return false };
    if cuts.len() > MAX_CUTS {
        return false;
    }
    let (first, rest) = (text[..1].to_vec(), text[1..].to_vec());
    let mut clause = vec![!literal];
    for Cut { first: first_re, rest: rest_re } in cuts {
        let first = lemmas.membership(abstraction, Membership { text: first.clone(), re: first_re });
        let rest = lemmas.membership(abstraction, Membership { text: rest.clone(), re: rest_re });
        clause.push(abstraction.conjunction(&[first, rest]));
    }
    abstraction.search.add_clause(&clause);
    true
}

/// What remains of a membership without the words at both ends; none if that is too expensive.
fn strip_words(abstraction: &mut Abstraction, membership: Membership) -> Option<Membership> {
    let mut budget = Budget::new(CUT_BUDGET);
    let Membership { mut text, mut re } = membership;
    if let Some(Piece::Word(word)) = text.first().cloned() {
        re = abstraction.regexes.derivative_by_word(re, &word, &mut budget).ok()?;
        text.remove(0);
    }
    if let Some(Piece::Word(word)) = text.last().cloned() {
        let reversed: Vec<u32> = word.iter().rev().copied().collect();
        let regexes = &mut abstraction.regexes;
        // Some languages cannot be read backwards; then the word stays.
        let shorter = regexes.reverse(re, &mut budget).and_then(|backwards| {
            let rest = regexes.derivative_by_word(backwards, &reversed, &mut budget)?;
            regexes.reverse(rest, &mut budget)
        });
        if let Ok(shorter) = shorter {
            re = shorter;
            text.pop();
        }
    }
    if matches!(abstraction.regexes.emptiness(re, &mut budget), Ok(Emptiness::Empty)) {
        re = Re::NONE;
    }
    Some(Membership { text, re })
}

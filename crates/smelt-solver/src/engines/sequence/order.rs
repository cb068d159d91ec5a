//! Codes and the order of words: letters with the same code are equal, and no chain of words leads back to its start.

use rustc_hash::FxHashMap;

use super::View;
use super::classes::{premises_of, text_of};
use super::lemmas::Lemmas;
use super::premises::Premises;
use crate::effort::{Effort, Stopped};
use crate::engines::abstraction::Abstraction;
use crate::engines::abstraction::facts::Shape;
use crate::engines::abstraction::rounds::Round;
use crate::theory::arith::Linear;
use crate::theory::fixed_length::{Constraint, Text};
use crate::theory::number::Integer;
use crate::theory::search::Assignment;

/// Says that letters with the same code are equal. Whether that is new.
pub(super) fn codes(
    abstraction: &mut Abstraction,
    assignment: &Assignment,
    lemmas: &mut Lemmas,
    facts: &[usize],
) -> bool {
    let mut known: FxHashMap<Integer, (usize, Linear, Text)> = FxHashMap::default();
    let mut is_new = false;
    for &position in facts {
        let Shape::ToCode { code, text } = &abstraction.facts[position].shape else { continue };
        let (code, text) = (code.clone(), text.clone());
        let value = assignment.value(&code);
        if value.is_negative() {
            continue;
        }
        let Some((other, other_code, other_text)) = known.get(&value).cloned() else {
            known.insert(value, (position, code, text));
            continue;
        };
        if other_text == text {
            continue;
        }
        let mut premises = Premises::of(abstraction.facts[position].guard);
        premises.push(abstraction.facts[other].guard);
        premises.push(abstraction.search.equals(&code, &other_code));
        premises.push(abstraction.search.at_least(&code, &Linear::constant(0)));
        let equal = abstraction.derived_equation(text, other_text);
        is_new |= lemmas.send(abstraction, assignment, &premises, &[equal]);
    }
    is_new
}

/// A comparison of two strings that holds.
struct Comparison {
    from: Text,
    to: Text,
    is_strict: bool,
    because: Premises,
}

/// Refutes chains of comparisons that lead back to their start with a strict one on the way. Whether there was one.
pub(super) fn chains(
    effort: &mut Effort,
    abstraction: &mut Abstraction,
    lemmas: &mut Lemmas,
    view: &View<'_>,
) -> Result<bool, Stopped> {
    let View { round: Round { assignment, facts }, classes } = view;
    let mut comparisons: Vec<Comparison> = Vec::new();
    for &position in facts {
        let fact = &abstraction.facts[position];
        let Shape::Plain(Constraint::Less { left, right, or_equal }) = &fact.shape else { continue };
        let (left, right) = (classes.flat(left), classes.flat(right));
        let mut because = premises_of(&left).and(&premises_of(&right));
        because.push(fact.guard);
        comparisons.push(Comparison {
            from: text_of(&left),
            to: text_of(&right),
            is_strict: !or_equal,
            because,
        });
    }
    for strict in comparisons.iter().filter(|comparison| comparison.is_strict) {
        effort.spend(1 + comparisons.len() as u64)?;
        if let Some(premises) = way_back(&comparisons, strict)
            && lemmas.send(abstraction, assignment, &premises, &[])
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The premises of a way from the end of a comparison to its start.
fn way_back(comparisons: &[Comparison], strict: &Comparison) -> Option<Premises> {
    let mut reached: Vec<(&Text, Premises)> = vec![(&strict.to, strict.because.clone())];
    let mut next = 0;
    while next < reached.len() {
        let (at, premises) = reached[next].clone();
        if *at == strict.from {
            return Some(premises);
        }
        next += 1;
        for comparison in comparisons.iter().filter(|comparison| comparison.from == *at) {
            if reached.iter().all(|(known, _)| **known != comparison.to) {
                reached.push((&comparison.to, premises.and(&comparison.because)));
            }
        }
    }
    None
}

//! Numbers that the assignment gives to functions between words and integers, and to products.
//!
//! A number and a length determine a numeral, and a code determines a letter, so a value of the assignment gives an
//! equation that other checks use. A product is linear as soon as one factor has a value.

use smelt_semantics::Budget;
use smelt_semantics::string::Str;

use super::View;
use super::classes::text_of;
use super::lemmas::Lemmas;
use super::premises::Premises;
use crate::engines::abstraction::Abstraction;
use crate::engines::abstraction::facts::Shape;
use crate::engines::abstraction::rounds::Round;
use crate::theory::arith::Linear;
use crate::theory::fixed_length::{Piece, Text};
use crate::theory::number::Integer;
use crate::theory::search::Assignment;

/// Longer numerals are not written.
const MAX_DIGITS: usize = 40;
/// Budget for writing one numeral.
const NUMERAL_BUDGET: u64 = 100_000;
/// Products that are made linear in one run.
const MAX_PRODUCTS: usize = 300;

/// Says which words belong to the numbers of the assignment. Whether that is new.
pub(super) fn write_numbers(abstraction: &mut Abstraction, lemmas: &mut Lemmas, view: &View<'_>) -> bool {
    let View { round: Round { assignment, facts }, classes } = view;
    let mut is_new = false;
    for &position in facts {
        let fact = abstraction.facts[position].clone();
        let (number, text) = match &fact.shape {
            Shape::ToCode { code: number, text }
            | Shape::FromCode { result: text, code: number }
            | Shape::ToInt { value: number, text }
            | Shape::FromInt { result: text, value: number } => (number, text),
            _ => continue,
        };
        let value = assignment.value(number);
        let length = abstraction.length(text);
        let is_known = text_of(&classes.flat(text)).iter().all(|piece| matches!(piece, Piece::Word(_)));
        if value.is_negative() || is_known {
            continue;
        }
        let mut premises = Premises::of(fact.guard);
        premises.push(abstraction.search.equals(number, &Linear::constant(value.clone())));
        let word = match &fact.shape {
            Shape::ToCode { .. } | Shape::FromCode { .. } => Some(Str::from_code(&value.to_big())),
            Shape::FromInt { .. } => numeral(&value),
            _ => {
                let digits = assignment.value(&length);
                premises.push(abstraction.search.equals(&length, &Linear::constant(digits.clone())));
                digits.to_usize().and_then(|digits| padded(&value, digits))
            }
        };
        let Some(word) = word else { continue };
        let word: Text = if word.is_empty() { Vec::new() } else { vec![Piece::word(word.chars())] };
        let equal = abstraction.derived_equation(text.clone(), word);
        is_new |= lemmas.send(abstraction, assignment, &premises, &[equal]);
    }
    is_new
}

fn numeral(value: &Integer) -> Option<Str> {
    Str::from_int(&value.to_big(), &mut Budget::new(NUMERAL_BUDGET)).ok()
}

/// The numeral with leading zeros; none if it does not fit.
fn padded(value: &Integer, digits: usize) -> Option<Str> {
    let numeral = numeral(value)?;
    let zeros = digits.checked_sub(numeral.len()).filter(|_| digits <= MAX_DIGITS)?;
    let mut letters = vec![u32::from('0'); zeros];
    letters.extend_from_slice(numeral.chars());
    Str::from_code_points(letters)
}

/// Says what products are for the value of one of their factors. Whether that is new.
pub(super) fn multiply(
    abstraction: &mut Abstraction,
    assignment: &Assignment,
    lemmas: &mut Lemmas,
    made: &mut usize,
) -> bool {
    let mut is_new = false;
    for product in abstraction.products.clone() {
        let [one, other] = &product.factors;
        let (one_value, other_value) = (assignment.value(one), assignment.value(other));
        if *made == MAX_PRODUCTS || assignment.value(&product.value) == &one_value * &other_value {
            continue;
        }
        // The smaller value is the one that few others compete with.
        let (fixed, value, free) = if one_value.abs() <= other_value.abs() {
            (one, one_value, other)
        } else {
            (other, other_value, one)
        };
        let premises = Premises::of(abstraction.search.equals(fixed, &Linear::constant(value.clone())));
        let is_product = abstraction.search.equals(&product.value, &free.scaled(&value));
        if lemmas.send(abstraction, assignment, &premises, &[is_product]) {
            *made += 1;
            is_new = true;
        }
    }
    is_new
}

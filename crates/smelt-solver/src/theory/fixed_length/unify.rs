//! The first level: everything that is a conjunction of equal cells.
//!
//! Equations, and all functions whose result is a known row of cells once the integers are known, unite cells right away. What
//! is decided by lengths and integers alone is decided. The other constraints stay open for the second level.

use dashu_int::IBig;
use smelt_semantics::{Budget, LimitReached};

use super::cells::{Cells, NodeId, Reason};
use super::conflict::{Refutation, text_len};
use super::{Constraint, Problem};
use crate::theory::regex::{Occurrences, Regexes};
use smelt_semantics::letters::MAX_LETTER;

/// Cost of one pair of cells.
const PAIR_COST: u64 = 40;

/// What is left of the constraints once cells that must be equal are united.
pub(super) enum Unified {
    Refuted(Refutation),
    /// The constraints that are still to be decided.
    Open(Vec<usize>),
}

/// What a constraint comes to once lengths and integers are known.
enum Reduced {
    True,
    False,
    /// These rows of cells, of the same length, are equal.
    Rows(Vec<NodeId>, Vec<NodeId>),
    /// It needs the second level.
    Open,
}

/// Unites all cells that must be equal.
pub(super) fn unite(
    regexes: &Regexes,
    problem: &Problem,
    cells: &mut Cells,
    budget: &mut Budget,
) -> Result<Unified, LimitReached> {
    let mut open = Vec::new();
    for (index, constraint) in problem.constraints.iter().enumerate() {
        match reduce(regexes, problem, constraint, cells, budget)? {
            Reduced::True => {}
            Reduced::False => {
                return Ok(Unified::Refuted(match constraint {
                    Constraint::Equal(left, right) => {
                        Refutation::of_unequal_lengths(problem, index, left, right)
                    }
                    _ => Refutation::at_exact_lengths(problem, vec![index]),
                }));
            }
            Reduced::Open => open.push(index),
            Reduced::Rows(left, right) => {
                budget.spend(PAIR_COST * left.len() as u64)?;
                for (position, (left, right)) in left.into_iter().zip(right).enumerate() {
                    let reason = Reason { constraint: index as u32, position: position as u32 };
                    if let Err(clash) = cells.unite(left, right, reason) {
                        return Ok(Unified::Refuted(Refutation::from_reasons(problem, &clash.reasons)));
                    }
                }
            }
        }
    }
    Ok(Unified::Open(open))
}

fn reduce(
    regexes: &Regexes,
    problem: &Problem,
    constraint: &Constraint,
    cells: &mut Cells,
    budget: &mut Budget,
) -> Result<Reduced, LimitReached> {
    let len = |text| text_len(problem, text);
    let decided = |is_true: bool| if is_true { Reduced::True } else { Reduced::False };
    Ok(match constraint {
        Constraint::Equal(left, right) => equal_rows(cells.nodes(left, budget)?, cells.nodes(right, budget)?),
        Constraint::Different(left, right) if len(left) != len(right) => Reduced::True,
        Constraint::Prefix { part, whole, holds }
        | Constraint::Suffix { part, whole, holds }
        | Constraint::Contains { part, whole, holds }
            if len(part) > len(whole) =>
        {
            decided(!holds)
        }
        Constraint::Prefix { part, whole, holds: true } => {
            let (part, mut whole) = (cells.nodes(part, budget)?, cells.nodes(whole, budget)?);
            whole.truncate(part.len());
            Reduced::Rows(part, whole)
        }
        Constraint::Suffix { part, whole, holds: true } => {
            let (part, mut whole) = (cells.nodes(part, budget)?, cells.nodes(whole, budget)?);
            Reduced::Rows(whole.split_off(whole.len() - part.len()), part)
        }
        Constraint::Contains { part, whole, holds: true } if len(part) == len(whole) => {
            Reduced::Rows(cells.nodes(whole, budget)?, cells.nodes(part, budget)?)
        }
        Constraint::Substr { result, source, start, count } => {
            let source = cells.nodes(source, budget)?;
            let result = cells.nodes(result, budget)?;
            let part = match usize::try_from(*start) {
                Ok(start) if start < source.len() && *count > 0 => {
                    let count = usize::try_from(*count).unwrap_or(usize::MAX);
                    source[start..source.len().min(start.saturating_add(count))].to_vec()
                }
                _ => Vec::new(),
            };
            equal_rows(result, part)
        }
        Constraint::IndexOf { result, source, part, start } => {
            let source_len = len(source) as i64;
            if *start < 0 || *start > source_len {
                decided(*result == -1)
            } else if len(part) == 0 {
                decided(result == start)
            } else if *result == -1 {
                // Without room for the part there is nothing to find.
                if len(part) as i64 > source_len - start { Reduced::True } else { Reduced::Open }
            } else if *result < *start || len(part) as i64 > source_len - result {
                Reduced::False
            } else {
                Reduced::Open
            }
        }
        Constraint::Replace { result, source, part, new } if len(part) == 0 => {
            let mut expected = cells.nodes(new, budget)?;
            expected.extend(cells.nodes(source, budget)?);
            equal_rows(cells.nodes(result, budget)?, expected)
        }
        // The empty match at the beginning is the first one.
        Constraint::ReplaceRegex { result, source, matching, new }
            if matching.occurrences == Occurrences::First && regexes.is_nullable(matching.language) =>
        {
            let mut expected = cells.nodes(new, budget)?;
            expected.extend(cells.nodes(source, budget)?);
            equal_rows(cells.nodes(result, budget)?, expected)
        }
        Constraint::ReplaceAll { result, source, part, .. } if len(part) == 0 => {
            equal_rows(cells.nodes(result, budget)?, cells.nodes(source, budget)?)
        }
        Constraint::ToCode { code, text } => match u32::try_from(*code) {
            Ok(letter) if letter <= MAX_LETTER => {
                let letter = cells.letter_node(letter);
                equal_rows(cells.nodes(text, budget)?, vec![letter])
            }
            _ => decided(*code == -1 && len(text) != 1),
        },
        Constraint::FromCode { result, code } => {
            let letter = u32::try_from(*code).ok().filter(|&code| code <= MAX_LETTER);
            let expected = letter.map(|letter| cells.letter_node(letter)).into_iter().collect();
            equal_rows(cells.nodes(result, budget)?, expected)
        }
        Constraint::ToInt { value, text } => {
            if *value < IBig::ZERO {
                match len(text) {
                    0 => decided(*value == IBig::NEG_ONE),
                    _ if *value == IBig::NEG_ONE => Reduced::Open,
                    _ => Reduced::False,
                }
            } else {
                let digits = decimal_letters(value, len(text), budget)?;
                let mut expected = Vec::new();
                let missing = len(text).saturating_sub(digits.len() as u64);
                for _ in 0..missing {
                    expected.push(cells.letter_node('0' as u32));
                }
                expected.extend(digits.into_iter().map(|digit| cells.letter_node(digit)));
                equal_rows(cells.nodes(text, budget)?, expected)
            }
        }
        Constraint::FromInt { result, value } => {
            let digits =
                if *value < IBig::ZERO { Vec::new() } else { decimal_letters(value, len(result), budget)? };
            let expected = digits.into_iter().map(|digit| cells.letter_node(digit)).collect();
            equal_rows(cells.nodes(result, budget)?, expected)
        }
        Constraint::Different(..)
        | Constraint::Member(..)
        | Constraint::Prefix { .. }
        | Constraint::Suffix { .. }
        | Constraint::Contains { .. }
        | Constraint::Less { .. }
        | Constraint::Replace { .. }
        | Constraint::ReplaceAll { .. }
        | Constraint::ReplaceRegex { .. } => Reduced::Open,
    })
}

fn equal_rows(left: Vec<NodeId>, right: Vec<NodeId>) -> Reduced {
    if left.len() == right.len() { Reduced::Rows(left, right) } else { Reduced::False }
}

/// The decimal numeral of a number. If it is certainly longer than `len`, some numeral of another length.
fn decimal_letters(value: &IBig, len: u64, budget: &mut Budget) -> Result<Vec<u32>, LimitReached> {
    use dashu_int::ops::BitTest;
    // A numeral of d digits has fewer than 4 d bits.
    if value.bit_len() as u64 > len.saturating_mul(4).saturating_add(8) {
        return Ok(vec!['1' as u32; len as usize + 1]);
    }
    let digits = value.to_string();
    budget.spend((digits.len() as u64).saturating_mul(64))?;
    Ok(digits.bytes().map(u32::from).collect())
}

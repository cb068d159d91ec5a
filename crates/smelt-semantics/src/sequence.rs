//! Sequences: the operations of cvc5's and Z3's theory, which mirror those of strings.

use dashu_int::IBig;
use smelt_smtlib::op::Op;

use crate::Budget;
use crate::unknown::Unknown;
use crate::value::{Seq, Value};

/// What an element takes in a sequence.
const ELEMENT_WORDS: u64 = 10;

/// Applies a sequence operator to values of the right sorts.
pub(crate) fn apply(op: Op, args: &[Value], budget: &mut Budget) -> Result<Value, Unknown> {
    let seq = |position: usize| elements(args, position);
    let int = |position: usize| args.get(position).ok_or(Unknown::IllSorted)?.int();
    let contents = args.iter().filter_map(|arg| content(arg).ok());
    let total: usize = contents.clone().map(|seq| seq.elements.len()).sum();
    // Every element may be copied, and looked at.
    budget.spend(total as u64)?;
    let words = contents.flat_map(|seq| &seq.elements).map(|element| ELEMENT_WORDS + element.part_words());
    budget.spend_words(words.sum::<u64>() + 1)?;
    if args.iter().any(Value::is_opaque_to_equality) {
        return Err(Unknown::FunctionEquality);
    }
    match op {
        Op::SeqConcat => {
            let mut all = Vec::with_capacity(total);
            for position in 0..args.len() {
                all.extend_from_slice(seq(position)?);
            }
            made(all)
        }
        Op::SeqLen => Ok(Value::Int(IBig::from(seq(0)?.len()))),
        Op::SeqNth => position(int(1)?)
            .and_then(|position| seq(0).ok()?.get(position))
            .cloned()
            .ok_or(Unknown::Open(Op::SeqNth)),
        Op::SeqExtract => made(extract(seq(0)?, int(1)?, int(2)?).to_vec()),
        Op::SeqAt => made(extract(seq(0)?, int(1)?, &IBig::ONE).to_vec()),
        Op::SeqContains => Ok(Value::Bool(find(seq(0)?, seq(1)?, 0, budget)?.is_some())),
        Op::SeqIndexof => {
            let start = position(int(2)?).filter(|start| *start <= args_len(args));
            let found = match start {
                Some(start) => find(seq(0)?, seq(1)?, start, budget)?,
                None => None,
            };
            Ok(Value::Int(found.map_or(IBig::NEG_ONE, IBig::from)))
        }
        Op::SeqIndexofFromStart => {
            Ok(Value::Int(find(seq(0)?, seq(1)?, 0, budget)?.map_or(IBig::NEG_ONE, IBig::from)))
        }
        Op::SeqLastIndexof => {
            let (whole, part) = (seq(0)?, seq(1)?);
            let mut last = None;
            let mut start = 0;
            while let Some(at) = find(whole, part, start, budget)? {
                last = Some(at);
                start = at + 1;
                if start > whole.len() {
                    break;
                }
            }
            Ok(Value::Int(last.map_or(IBig::NEG_ONE, IBig::from)))
        }
        Op::SeqReplace => {
            let (whole, old, new) = (seq(0)?, seq(1)?, seq(2)?);
            match find(whole, old, 0, budget)? {
                None => made(whole.to_vec()),
                Some(start) => made([&whole[..start], new, &whole[start + old.len()..]].concat()),
            }
        }
        Op::SeqReplaceAll => {
            let (whole, old, new) = (seq(0)?, seq(1)?, seq(2)?);
            let mut result = Vec::new();
            let mut rest = whole;
            while !old.is_empty()
                && let Some(start) = find(rest, old, 0, budget)?
            {
                let copied =
                    rest[..start].iter().chain(new).map(|element| ELEMENT_WORDS + element.part_words());
                budget.spend_words(copied.sum())?;
                result.extend_from_slice(&rest[..start]);
                result.extend_from_slice(new);
                rest = &rest[start + old.len()..];
            }
            result.extend_from_slice(rest);
            made(result)
        }
        Op::SeqPrefixof => {
            budget.spend(args[0].weight())?;
            Ok(Value::Bool(seq(1)?.starts_with(seq(0)?)))
        }
        Op::SeqSuffixof => {
            budget.spend(args[0].weight())?;
            Ok(Value::Bool(seq(1)?.ends_with(seq(0)?)))
        }
        Op::SeqUpdate => {
            let (whole, patch) = (seq(0)?, seq(2)?);
            let mut result = whole.to_vec();
            if let Some(start) = position(int(1)?).filter(|start| *start < whole.len()) {
                for (slot, element) in result[start..].iter_mut().zip(patch) {
                    *slot = element.clone();
                }
            }
            made(result)
        }
        Op::SeqRev => made(seq(0)?.iter().rev().cloned().collect()),
        other => unreachable!("{other:?} is not an operator on sequences"),
    }
}

fn elements(args: &[Value], position: usize) -> Result<&[Value], Unknown> {
    Ok(&content(args.get(position).ok_or(Unknown::IllSorted)?)?.elements)
}

fn content(value: &Value) -> Result<&Seq, Unknown> {
    match value {
        Value::Seq(content) => Ok(content),
        _ => Err(Unknown::IllSorted),
    }
}

fn args_len(args: &[Value]) -> usize {
    elements(args, 0).map_or(0, <[Value]>::len)
}

fn made(elements: Vec<Value>) -> Result<Value, Unknown> {
    Value::seq(elements).ok_or(Unknown::Limit)
}

/// An index as a machine number; none if it is negative or beyond any sequence.
fn position(index: &IBig) -> Option<usize> {
    usize::try_from(index).ok()
}

/// The part from `start` on of at most `count` elements; empty where the standard says so for strings.
fn extract<'v>(whole: &'v [Value], start: &IBig, count: &IBig) -> &'v [Value] {
    let Some(start) = position(start).filter(|start| *start < whole.len()) else { return &[] };
    if *count <= IBig::ZERO {
        return &[];
    }
    let count = position(count).unwrap_or(usize::MAX).min(whole.len() - start);
    &whole[start..start + count]
}

/// The first place at or after `start` where `part` stands in `whole`.
fn find(
    whole: &[Value],
    part: &[Value],
    start: usize,
    budget: &mut Budget,
) -> Result<Option<usize>, Unknown> {
    if part.len() > whole.len() {
        return Ok(None);
    }
    let weight = part.iter().fold(1u64, |sum, element| sum.saturating_add(element.weight()));
    budget.spend(weight.saturating_mul((whole.len() - start.min(whole.len())) as u64 + 1))?;
    Ok((start..=whole.len() - part.len()).find(|at| whole[*at..].starts_with(part)))
}

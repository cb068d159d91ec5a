//! Finite sets: the theory of cvc5, and the finite sets of Z3.
//!
//! cvc5 takes the universe for any superset of all sets of the model, so it and complements have no value here, and
//! neither has a choice between several elements. What takes a function is in `eval/iterate.rs`.

use std::sync::Arc;

use dashu_int::IBig;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::Index;

use super::Application;
use super::args::{Args, IntoOutcome};
use super::context::Context;
use crate::cost::int_words;
use crate::eval::EvalResult;
use crate::unknown::Unknown;
use crate::value::{ENTRY_WORDS, Multiset, Value};

/// At most so many elements are listed for a range of numbers.
const MAX_RANGE: u64 = 1 << 20;

impl Context<'_> {
    /// Charges for looking at all of a collection.
    pub(crate) fn spend_collection(&mut self, value: &Value) -> Result<(), Unknown> {
        if let Value::Set(collection) | Value::Bag(collection) = value {
            self.budget.spend(value.weight())?;
            self.budget.spend_words(collection.copy_words())?;
        }
        Ok(())
    }

    /// The set of some elements.
    pub(crate) fn set(&mut self, elements: impl IntoIterator<Item = Value>) -> EvalResult {
        let one = |element| (element, IBig::ONE);
        let bag = self.bag(elements.into_iter().map(one))?;
        let Value::Bag(bag) = bag else { return Err(Unknown::IllSorted) };
        if bag.entries().all(|(_, count)| count.is_one()) {
            return Ok(Value::Set(bag));
        }
        let set = Multiset::set(bag.elements().cloned()).ok_or(Unknown::Limit)?;
        Ok(Value::Set(Arc::new(set)))
    }

    /// The bag of some elements, each as often as its entries say together.
    pub(crate) fn bag(&mut self, entries: impl IntoIterator<Item = (Value, IBig)>) -> EvalResult {
        let mut charged = Vec::new();
        for (element, count) in entries {
            if element.is_opaque_to_equality() {
                return Err(Unknown::FunctionEquality);
            }
            // Elements with the same hash are compared.
            self.budget.spend(element.weight())?;
            self.budget.spend_words(ENTRY_WORDS + element.part_words() + int_words(&count))?;
            charged.push((element, count));
        }
        Ok(Value::Bag(Arc::new(Multiset::new(charged).ok_or(Unknown::Limit)?)))
    }
}

/// Applies an operator on sets.
pub(super) fn apply(ctx: &mut Context<'_>, application: &Application<'_>) -> EvalResult {
    let args = Args(application.args);
    for arg in application.args {
        ctx.spend_collection(arg)?;
    }
    let sets = || -> Result<Vec<&Multiset>, Unknown> {
        (0..args.0.len()).map(|position| Ok(&**args.set(position)?)).collect()
    };
    match application.op {
        Op::SetEmpty | Op::FiniteSetEmpty => ctx.set([]),
        Op::SetSingleton | Op::FiniteSetSingleton => ctx.set([args.get(0)?.clone()]),
        Op::SetInsert => {
            let (last, elements) = args.0.split_last().ok_or(Unknown::IllSorted)?;
            ctx.set(elements.iter().chain(last.set()?.elements()).cloned())
        }
        Op::SetUnion | Op::FiniteSetUnion => {
            ctx.set(sets()?.into_iter().flat_map(Multiset::elements).cloned())
        }
        Op::SetInter | Op::FiniteSetIntersect => {
            let sets = sets()?;
            let (first, others) = sets.split_first().ok_or(Unknown::IllSorted)?;
            let in_all = |element: &&Value| others.iter().all(|set| set.contains(element));
            ctx.set(first.elements().filter(in_all).cloned())
        }
        Op::SetMinus | Op::FiniteSetDifference => {
            let sets = sets()?;
            let (first, others) = sets.split_first().ok_or(Unknown::IllSorted)?;
            let in_none = |element: &&Value| !others.iter().any(|set| set.contains(element));
            ctx.set(first.elements().filter(in_none).cloned())
        }
        Op::SetMember | Op::FiniteSetIn => is_member(ctx, args.get(0)?, args.set(1)?),
        Op::SetSubset | Op::FiniteSetSubset => {
            let (part, whole) = (args.set(0)?, args.set(1)?);
            part.elements().all(|element| whole.contains(element)).ok()
        }
        Op::SetCard | Op::FiniteSetSize => IBig::from(args.set(0)?.len()).ok(),
        Op::SetIsEmpty => args.set(0)?.is_empty().ok(),
        Op::SetIsSingleton => (args.set(0)?.len() == 1).ok(),
        // The element of a singleton. Any element of a larger set, and anything at all if there is none.
        Op::SetChoose => only_element(ctx, args.set(0)?, Op::SetChoose),
        Op::SetUniverse | Op::SetComplement => Err(Unknown::Open(application.op)),
        Op::FiniteSetRange => {
            let (low, high) = (args.int(0)?, args.int(1)?);
            let count = high - low + IBig::ONE;
            let count =
                if count > IBig::ZERO { u64::try_from(&count).map_err(|_| Unknown::Limit)? } else { 0 };
            if count > MAX_RANGE {
                return Err(Unknown::Limit);
            }
            ctx.budget.spend_words(count.saturating_mul(int_words(low) + 1))?;
            ctx.set((0..count).map(|offset| Value::Int(low + IBig::from(offset))))
        }
        other => unreachable!("{other:?} is not an operator on sets"),
    }
}

/// Whether a value is an element.
pub(super) fn is_member(ctx: &mut Context<'_>, element: &Value, collection: &Multiset) -> EvalResult {
    if collection.is_empty() {
        return false.ok();
    }
    if element.is_opaque_to_equality() {
        return Err(Unknown::FunctionEquality);
    }
    ctx.budget.spend(element.weight())?;
    collection.contains(element).ok()
}

/// The element of a collection that has only one; which one is chosen otherwise is open.
pub(super) fn only_element(ctx: &mut Context<'_>, collection: &Multiset, op: Op) -> EvalResult {
    match collection.elements().next() {
        Some(only) if collection.len() == 1 => ctx.copy(only),
        _ => Err(Unknown::Open(op)),
    }
}

/// Whether a sort has at most so many elements.
pub(super) fn has_at_most(ctx: &mut Context<'_>, application: &Application<'_>) -> EvalResult {
    let Some(Index::Text(sort)) = application.indices.first() else { return Err(Unknown::IllSorted) };
    let most = ctx.index_natural(application.indices, 1)?;
    let name = ctx.terms.text(*sort);
    let size = ctx.universes.size_of_named(ctx.terms, name).ok_or(Unknown::NoMeaning(application.op))?;
    (dashu_int::UBig::from(size) <= most).ok()
}

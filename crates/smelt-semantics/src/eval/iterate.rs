//! Operators that call functions: maps, filters, folds, and equality of functions.
//!
//! An [`Iteration`] lists calls, takes their values one by one and says at the end what they make. A fold over a set or a
//! bag has a value only if it is the same in every order, which is found out by trying all of them: for each part of
//! the elements, what can come out of it.

use std::sync::Arc;

use dashu_int::IBig;
use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::Index;

use super::open::Part;
use super::{EvalResult, Evaluator};
use crate::apply::Application;
use crate::apply::relations::{collection, groups};
use crate::unknown::Unknown;
use crate::value::{Array, Value};

/// Folds over more elements than this are not tried in all orders.
const MAX_UNORDERED: usize = 10;
/// Functions are compared on all arguments if there are at most so many.
const MAX_COMPARED: u64 = 1 << 12;
/// What preparing a call costs.
const CALL_COST: u64 = 64;

/// Whether an operator calls functions.
pub(super) fn calls_functions(op: Op) -> bool {
    matches!(
        op,
        Op::Apply
            | Op::ApplyTerm
            | Op::SelectFunction
            | Op::AsArray
            | Op::ArrayMap
            | Op::NullableLift
            | Op::SeqMap
            | Op::SeqMapi
            | Op::SeqFoldl
            | Op::SeqFoldli
            | Op::SeqFoldLeft
            | Op::SeqFoldLefti
            | Op::SetMap
            | Op::SetFilter
            | Op::SetAll
            | Op::SetSome
            | Op::SetFold
            | Op::RelAggregate
            | Op::BagMap
            | Op::BagFilter
            | Op::BagAll
            | Op::BagSome
            | Op::BagFold
            | Op::BagPartition
            | Op::TableAggregate
            | Op::FiniteSetMap
            | Op::FiniteSetFilter
    )
}

/// A function and its arguments.
pub(super) type Call = (Value, Vec<Value>);

/// The calls of an operator.
pub(super) struct Iteration {
    op: Op,
    /// All arguments of the operator.
    args: Vec<Value>,
    plan: Plan,
}

enum Plan {
    /// A call for each item.
    Each { function: Value, items: Vec<Vec<Value>>, results: Vec<Result<Value, Unknown>> },
    /// Two functions on each item.
    Compare(Comparison),
    /// A call for each element, with the result of the call before.
    InOrder { function: Value, elements: Vec<Value>, at: usize, index: Option<IBig>, result: Value },
    /// The same in any order, for each of some groups of elements.
    Unordered(Unordered),
}

struct Comparison {
    functions: [Value; 2],
    items: Vec<Vec<Value>>,
    /// Whether the items are all that there are.
    is_complete: bool,
    at: usize,
    first: Option<Value>,
    /// Whether some item tells the functions apart; none if that is not known of all items.
    differ: Option<bool>,
}

struct Unordered {
    function: Value,
    start: Value,
    groups: Vec<Vec<Value>>,
    results: Vec<Value>,
    /// For each part of the elements of the group at hand, as bits, what can come out of it.
    reached: Vec<Vec<Value>>,
    part: usize,
    element: usize,
    value: usize,
}

impl Evaluator<'_> {
    /// The calls that an operator makes; or at once its value.
    pub(super) fn iteration(
        &mut self,
        op: Op,
        indices: &[Index],
        sort: Sort,
        args: Vec<Value>,
    ) -> Result<Iteration, EvalResult> {
        for arg in &args {
            self.context().spend_collection(arg).map_err(Err)?;
            if let Value::Seq(seq) = arg {
                self.budget
                    .spend(CALL_COST * seq.elements.len() as u64)
                    .map_err(|limit| Err(limit.into()))?;
            }
        }
        let plan = self.plan(&Application { op, indices, sort, args: &args })?;
        Ok(Iteration { op, args, plan })
    }

    fn plan(&mut self, application: &Application<'_>) -> Result<Plan, EvalResult> {
        let ill_sorted = || Err(Unknown::IllSorted);
        let [function, rest @ ..] = application.args else { return Err(ill_sorted()) };
        let function = function.clone();
        let last = rest.last().cloned().ok_or_else(ill_sorted)?;
        let each = |items: Vec<Vec<Value>>| {
            Ok(Plan::Each { function: function.clone(), items, results: Vec::new() })
        };
        match application.op {
            Op::SetMap
            | Op::SetFilter
            | Op::SetAll
            | Op::SetSome
            | Op::FiniteSetMap
            | Op::FiniteSetFilter
            | Op::BagMap
            | Op::BagFilter
            | Op::BagAll
            | Op::BagSome => {
                let elements = collection(&last).map_err(Err)?.elements();
                each(elements.map(|element| vec![element.clone()]).collect())
            }
            Op::BagPartition => {
                let elements: Vec<&Value> = collection(&last).map_err(Err)?.elements().collect();
                if elements.is_empty() {
                    // cvc5 does not say what it is.
                    return Err(Err(Unknown::Open(Op::BagPartition)));
                }
                self.budget
                    .spend(CALL_COST * (elements.len() as u64).pow(2))
                    .map_err(|limit| Err(limit.into()))?;
                let pair = |one: &Value, other: &Value| vec![one.clone(), other.clone()];
                each(elements.iter().flat_map(|one| elements.iter().map(|other| pair(one, other))).collect())
            }
            Op::SeqMap => {
                let Value::Seq(seq) = &last else { return Err(ill_sorted()) };
                each(seq.elements.iter().map(|element| vec![element.clone()]).collect())
            }
            Op::SeqMapi => {
                let (Value::Seq(seq), Some(Value::Int(start))) = (&last, rest.first()) else {
                    return Err(ill_sorted());
                };
                let item = |(offset, element): (usize, &Value)| {
                    vec![Value::Int(start + IBig::from(offset)), element.clone()]
                };
                each(seq.elements.iter().enumerate().map(item).collect())
            }
            Op::NullableLift => {
                let mut contents = Vec::new();
                for arg in rest.iter() {
                    match arg.nullable_content().map_err(Err)?.elements.first() {
                        Some(content) => contents.push(content.clone()),
                        None => return Err(Value::nullable(None).ok_or(Unknown::Limit)),
                    }
                }
                each(vec![contents])
            }
            Op::ArrayMap => {
                let arrays =
                    rest.iter().map(|arg| Ok(&**arg.array()?)).collect::<Result<Vec<&Array>, Unknown>>();
                let arrays = arrays.map_err(Err)?;
                let mut items: Vec<Vec<Value>> = mapped_indices(&arrays)
                    .iter()
                    .map(|index| arrays.iter().map(|array| array.select(index).clone()).collect())
                    .collect();
                items.push(arrays.iter().map(|array| array.default().clone()).collect());
                each(items)
            }
            Op::SeqFoldl | Op::SeqFoldLeft => {
                let (Value::Seq(seq), [start, _]) = (&last, rest) else { return Err(ill_sorted()) };
                let (elements, result) = (seq.elements.clone(), start.clone());
                Ok(Plan::InOrder { function, elements, at: 0, index: None, result })
            }
            Op::SeqFoldli | Op::SeqFoldLefti => {
                let (Value::Seq(seq), [Value::Int(index), start, _]) = (&last, rest) else {
                    return Err(ill_sorted());
                };
                let (elements, result, index) = (seq.elements.clone(), start.clone(), Some(index.clone()));
                Ok(Plan::InOrder { function, elements, at: 0, index, result })
            }
            Op::SetFold | Op::BagFold | Op::RelAggregate | Op::TableAggregate => {
                let start = rest.first().cloned().ok_or_else(ill_sorted)?;
                // A fold gives what it starts with, the others a collection of that.
                let result = match application.op {
                    Op::SetFold | Op::BagFold => application.sort,
                    _ => self
                        .terms
                        .sorts
                        .components(application.sort)
                        .first()
                        .copied()
                        .unwrap_or(Sort::UNKNOWN),
                };
                let start = super::coerce(start, result);
                let elements = collection(&last).map_err(Err)?;
                let groups = match application.op {
                    Op::SetFold | Op::BagFold => {
                        let entry = |(element, count): (&Value, &IBig)| (element.clone(), count.clone());
                        vec![elements.entries().map(entry).collect()]
                    }
                    _ => application.places().and_then(|places| groups(elements, &places)).map_err(Err)?,
                };
                let groups: Option<Vec<Vec<Value>>> = groups.into_iter().map(repeated).collect();
                let groups = groups.ok_or(Err(Unknown::Open(application.op)))?;
                Ok(Plan::Unordered(Unordered::new(function, start, groups)))
            }
            other => unreachable!("{other:?} calls no function"),
        }
    }

    /// The calls that tell whether two functions of a sort are equal.
    pub(super) fn comparison(&mut self, op: Op, args: &[Value], sort: Sort) -> Result<Iteration, Unknown> {
        let [left, right] = args else { return Err(Unknown::FunctionEquality) };
        let is_callable = |value: &Value| matches!(value, Value::Function(_) | Value::Array(_));
        let mut sorts = self.terms.sorts.as_function(sort);
        sorts.pop();
        if !is_callable(left) || !is_callable(right) || sorts.is_empty() {
            return Err(Unknown::FunctionEquality);
        }
        let mut items = vec![Vec::new()];
        let mut is_complete = true;
        for sort in sorts {
            let limit = MAX_COMPARED / items.len() as u64;
            let choices = match self.domains().values(sort, limit, &mut self.budget)? {
                Some(values) => values,
                None => {
                    is_complete = false;
                    let mut samples = self.domains().samples(sort, &mut self.budget)?;
                    samples.truncate(4);
                    samples
                }
            };
            self.budget.spend(CALL_COST * (items.len() * choices.len()) as u64)?;
            items = items
                .iter()
                .flat_map(|item: &Vec<Value>| {
                    choices.iter().map(|choice| item.iter().cloned().chain([choice.clone()]).collect())
                })
                .collect();
            if items.is_empty() {
                return Err(Unknown::FunctionEquality);
            }
        }
        let functions = [left.clone(), right.clone()];
        let comparison =
            Comparison { functions, items, is_complete, at: 0, first: None, differ: Some(false) };
        Ok(Iteration { op, args: Vec::new(), plan: Plan::Compare(comparison) })
    }

    /// What an iteration makes of the values of all its calls.
    pub(super) fn finish_iteration(&mut self, iteration: Iteration, sort: Sort) -> EvalResult {
        let Iteration { op, args, plan } = iteration;
        match plan {
            Plan::Each { results, items, .. } => self.finish_each(op, &args, items, results, sort),
            Plan::InOrder { result, .. } => Ok(result),
            Plan::Compare(comparison) => match comparison.differ {
                Some(true) => Ok(Value::Bool(op == Op::Distinct)),
                Some(false) if comparison.is_complete => Ok(Value::Bool(op != Op::Distinct)),
                _ => Err(Unknown::FunctionEquality),
            },
            Plan::Unordered(unordered) => {
                let results = unordered.results.into_iter();
                let entries: Vec<(Value, IBig)> = results.map(|result| (result, IBig::ONE)).collect();
                match op {
                    Op::RelAggregate | Op::TableAggregate => {
                        self.context().collected(op.info().theory == Theory::Bags, entries)
                    }
                    _ => entries.into_iter().next().map(|(result, _)| result).ok_or(Unknown::IllSorted),
                }
            }
        }
    }

    fn finish_each(
        &mut self,
        op: Op,
        args: &[Value],
        items: Vec<Vec<Value>>,
        results: Vec<Result<Value, Unknown>>,
        sort: Sort,
    ) -> EvalResult {
        if matches!(op, Op::SetAll | Op::SetSome | Op::BagAll | Op::BagSome) {
            let wanted = matches!(op, Op::SetSome | Op::BagSome);
            return match results.iter().find(|result| **result == Ok(Value::Bool(wanted))) {
                Some(_) => Ok(Value::Bool(wanted)),
                None => match results.into_iter().find_map(Result::err) {
                    Some(unknown) => Err(unknown),
                    None => Ok(Value::Bool(!wanted)),
                },
            };
        }
        let results = results.into_iter().collect::<Result<Vec<Value>, Unknown>>()?;
        let last = args.last().ok_or(Unknown::IllSorted)?;
        let holds = |result: &Value| *result == Value::Bool(true);
        match op {
            Op::SetMap | Op::FiniteSetMap => self.context().set(results),
            Op::SetFilter | Op::FiniteSetFilter => {
                let kept = items.into_iter().flatten().zip(&results).filter(|(_, result)| holds(result));
                self.context().set(kept.map(|(element, _)| element))
            }
            Op::BagMap => {
                // The items are in the order of the entries.
                let counts = collection(last)?.entries().map(|(_, count)| count.clone());
                self.context().bag(results.into_iter().zip(counts))
            }
            Op::BagFilter => {
                let entries = collection(last)?.entries().zip(&results).filter(|(_, result)| holds(result));
                self.context().bag(entries.map(|((element, count), _)| (element.clone(), count.clone())))
            }
            Op::BagPartition => self.partition(last, &results.iter().map(holds).collect::<Vec<bool>>()),
            Op::SeqMap | Op::SeqMapi => {
                let words = results.iter().map(|result| 10 + result.part_words()).sum();
                self.budget.spend_words(words)?;
                Value::seq(results).ok_or(Unknown::Limit)
            }
            Op::NullableLift => Value::nullable(results.into_iter().next()).ok_or(Unknown::Limit),
            Op::ArrayMap => {
                let arrays = args[1..]
                    .iter()
                    .map(|arg| Ok(&**arg.array()?))
                    .collect::<Result<Vec<&Array>, Unknown>>()?;
                let indices = mapped_indices(&arrays);
                let mut results = results;
                let default = results.pop().ok_or(Unknown::IllSorted)?;
                let SortKind::Array(index_sort, _) = *self.terms.sorts.kind(sort) else {
                    return Err(Unknown::IllSorted);
                };
                let index_count = self.domains().index_count(index_sort, &mut self.budget)?;
                let mut array = Array::constant(default, index_count).ok_or(Unknown::Limit)?;
                for (index, element) in indices.into_iter().zip(results) {
                    self.budget.spend_words(array.store_words(&index, &element))?;
                    array = array.store(index, element).ok_or(Unknown::Limit)?;
                }
                Ok(Value::Array(Arc::new(array)))
            }
            other => unreachable!("{other:?} makes no call for each item"),
        }
    }

    /// The classes of a bag by a relation, of which it is known whether it holds between any two elements; solvers do not
    /// say what they are if it is no equivalence.
    fn partition(&mut self, bag: &Value, related: &[bool]) -> EvalResult {
        let entries: Vec<(&Value, &IBig)> = collection(bag)?.entries().collect();
        let size = entries.len();
        self.budget.spend(CALL_COST * (size as u64).pow(2))?;
        let row = |place: usize| &related[place * size..(place + 1) * size];
        // An equivalence: each element is related to itself, and related elements to the same others.
        let is_equivalence = (0..size)
            .all(|one| row(one)[one] && (0..size).all(|other| !row(one)[other] || row(one) == row(other)));
        if !is_equivalence {
            return Err(Unknown::Open(Op::BagPartition));
        }
        let mut classes = Vec::new();
        for one in 0..size {
            if row(one)[..one].contains(&true) {
                continue;
            }
            let class = (0..size).filter(|other| row(one)[*other]).map(|other| entries[other]);
            let class = self.context().bag(class.map(|(element, count)| (element.clone(), count.clone())))?;
            classes.push((class, IBig::ONE));
        }
        self.context().bag(classes)
    }
}

/// Elements as often as they occur, if these are not many.
fn repeated(entries: Vec<(Value, IBig)>) -> Option<Vec<Value>> {
    let mut all = Vec::new();
    for (element, count) in entries {
        let count = usize::try_from(&count).ok().filter(|count| all.len() + count <= MAX_UNORDERED)?;
        all.extend(std::iter::repeat_n(element, count));
    }
    Some(all)
}

/// The indices at which some array has an entry.
fn mapped_indices(arrays: &[&Array]) -> Vec<Value> {
    let mut seen = rustc_hash::FxHashSet::default();
    let indices = arrays.iter().flat_map(|array| array.entries()).map(|(index, _)| index);
    indices.filter(|index| seen.insert(*index)).cloned().collect()
}

impl Iteration {
    /// The next call; none if all were made, or do not matter any more.
    pub(super) fn next_call(&mut self) -> Result<Option<Call>, Unknown> {
        match &mut self.plan {
            Plan::Each { function, items, results } => {
                Ok(items.get(results.len()).map(|item| (function.clone(), item.clone())))
            }
            Plan::Compare(comparison) => {
                if comparison.differ == Some(true) {
                    return Ok(None);
                }
                let function = &comparison.functions[usize::from(comparison.first.is_some())];
                Ok(comparison.items.get(comparison.at).map(|item| (function.clone(), item.clone())))
            }
            Plan::InOrder { function, elements, at, index, result } => {
                let Some(element) = elements.get(*at) else { return Ok(None) };
                let index = index.as_ref().map(|index| Value::Int(index + IBig::from(*at)));
                let args = index.into_iter().chain([result.clone(), element.clone()]).collect();
                Ok(Some((function.clone(), args)))
            }
            Plan::Unordered(unordered) => unordered.next_call(self.op),
        }
    }

    /// Takes the outcome of the last call.
    pub(super) fn take(&mut self, outcome: Part) -> Result<(), Unknown> {
        match &mut self.plan {
            Plan::Each { results, .. } => results.push(outcome.map_err(|absent| absent.reason)),
            Plan::Compare(comparison) => comparison.take(outcome),
            Plan::InOrder { at, result, .. } => {
                *result = outcome.map_err(|absent| absent.reason)?;
                *at += 1;
            }
            Plan::Unordered(unordered) => unordered.take(outcome.map_err(|absent| absent.reason)?)?,
        }
        Ok(())
    }
}

impl Comparison {
    fn take(&mut self, outcome: Part) {
        match (outcome, self.first.take()) {
            (Ok(first), None) => {
                self.first = Some(first);
                return;
            }
            (Ok(second), Some(first)) => {
                // An Int and a Real may be the same number.
                let is_known = !first.is_opaque_to_equality()
                    && !second.is_opaque_to_equality()
                    && std::mem::discriminant(&first) == std::mem::discriminant(&second);
                if !is_known {
                    self.differ = None;
                } else if first != second {
                    self.differ = Some(true);
                }
            }
            (Err(_), _) => self.differ = None,
        }
        self.at += 1;
    }
}

impl Unordered {
    fn new(function: Value, start: Value, groups: Vec<Vec<Value>>) -> Self {
        let results = Vec::new();
        let reached = Vec::new();
        Unordered { function, start, groups, results, reached, part: 0, element: 0, value: 0 }
    }

    /// The call of one more element on what can come out of a part, for all parts, small ones first.
    fn next_call(&mut self, op: Op) -> Result<Option<Call>, Unknown> {
        loop {
            let Some(group) = self.groups.get(self.results.len()) else { return Ok(None) };
            if self.reached.is_empty() {
                self.reached = vec![Vec::new(); 1 << group.len()];
                self.reached[0].push(self.start.clone());
                (self.part, self.element, self.value) = (0, 0, 0);
            }
            if self.part + 1 == self.reached.len() {
                let [result] = self.reached[self.part].as_slice() else { return Err(Unknown::Open(op)) };
                self.results.push(result.clone());
                self.reached.clear();
                continue;
            }
            if self.element == group.len() {
                (self.part, self.element, self.value) = (self.part + 1, 0, 0);
            } else if self.part & (1 << self.element) != 0 || self.value == self.reached[self.part].len() {
                (self.element, self.value) = (self.element + 1, 0);
            } else {
                let value = self.reached[self.part][self.value].clone();
                return Ok(Some((self.function.clone(), vec![group[self.element].clone(), value])));
            }
        }
    }

    fn take(&mut self, result: Value) -> Result<(), Unknown> {
        if result.is_opaque_to_equality() {
            return Err(Unknown::FunctionEquality);
        }
        let reached = &mut self.reached[self.part | 1 << self.element];
        if !reached.contains(&result) {
            reached.push(result);
        }
        self.value += 1;
        Ok(())
    }
}

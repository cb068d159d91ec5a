//! Finite sorts: how many values they have, and which.

use std::sync::Arc;

use dashu_int::UBig;
use rustc_hash::FxHashSet;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::Terms;

use crate::bitvec::BitVec;
use crate::environment::Environment;
use crate::float::{Float, Format, RoundingMode};
use crate::value::{Array, IndexCount, Value};
use crate::{Budget, LimitReached, cost};

/// How many values a sort has, where that is a number below 2^64; none if it has more or we cannot tell.
///
/// Recursion is bounded by the nesting of sorts, of which at most `MAX_NESTING` levels are looked at.
pub fn cardinality(terms: &Terms, environment: &Environment, sort: Sort) -> Option<u64> {
    Counter::new(terms, environment).count(sort, &[])
}

/// How many indices arrays over a sort have, charged; complicated sorts take long to count.
pub(crate) fn index_count(
    terms: &Terms,
    environment: &Environment,
    sort: Sort,
    budget: &mut Budget,
) -> Result<IndexCount, LimitReached> {
    let mut counter = Counter::new(terms, environment);
    let count = counter.count(sort, &[]);
    // The work is bounded, so that it may be paid afterwards.
    budget.spend(COUNT_COST * u64::from(counter.steps))?;
    Ok(match count {
        Some(count) => IndexCount::Exactly(count),
        None if counter.is_unsure => IndexCount::Unknown,
        None => IndexCount::Many,
    })
}

/// What one step of counting costs, in units of effort.
const COUNT_COST: u64 = 64;
/// What making a value by enumeration costs, in machine words.
const VALUE_WORDS: u64 = 16;

const MAX_NESTING: usize = 100;
const MAX_STEPS: u32 = 10_000;

struct Counter<'a> {
    terms: &'a Terms,
    environment: &'a Environment,
    /// The sorts being counted, to notice recursion.
    around: Vec<Sort>,
    steps: u32,
    /// Whether a sort was met of which we cannot tell how many values it has.
    is_unsure: bool,
}

impl<'a> Counter<'a> {
    fn new(terms: &'a Terms, environment: &'a Environment) -> Self {
        Counter { terms, environment, around: Vec::new(), steps: 0, is_unsure: false }
    }

    /// `bindings` say what sort parameters stand for.
    fn count(&mut self, sort: Sort, bindings: &[(Symbol, Sort)]) -> Option<u64> {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.around.len() > MAX_NESTING {
            self.is_unsure = true;
            return None;
        }
        // A sort that contains itself has infinitely many values.
        if self.around.contains(&sort) {
            return None;
        }
        match self.terms.sorts.kind(sort) {
            SortKind::Bool => Some(2),
            SortKind::RoundingMode => Some(5),
            SortKind::BitVec(width) => 1u64.checked_shl(*width).filter(|_| *width < 64),
            SortKind::Float(exponent, significand) => {
                // All patterns, but the NaNs count once.
                let width = exponent.checked_add(*significand).filter(|width| *width < 64)?;
                let nans = (1u64 << *significand) - 2;
                Some((1u64 << width) - nans + 1)
            }
            SortKind::Array(index, element) => {
                self.around.push(sort);
                let element_count = self.count(*element, bindings);
                let index_count = self.count(*index, bindings);
                self.around.pop();
                match (index_count, element_count) {
                    (_, Some(1)) => Some(1),
                    (Some(index_count), Some(element_count)) => {
                        element_count.checked_pow(u32::try_from(index_count).ok()?)
                    }
                    _ => None,
                }
            }
            SortKind::Named(name, arguments) => {
                let Some(datatype) = self.environment.datatype(*name) else {
                    self.is_unsure = true;
                    return None;
                };
                let inner: Vec<(Symbol, Sort)> =
                    datatype.params.iter().copied().zip(arguments.iter().copied()).collect();
                self.around.push(sort);
                let total = datatype.constructors.iter().try_fold(0u64, |sum, constructor| {
                    let product = constructor.selectors.iter().try_fold(1u64, |product, (_, field)| {
                        product.checked_mul(self.count(*field, &inner)?)
                    })?;
                    sum.checked_add(product)
                });
                self.around.pop();
                total
            }
            SortKind::Param(name) => {
                let Some((_, bound)) = bindings.iter().find(|(param, _)| param == name) else {
                    self.is_unsure = true;
                    return None;
                };
                self.count(*bound, &[])
            }
            SortKind::Arrow(_) | SortKind::Unknown => {
                self.is_unsure = true;
                None
            }
            SortKind::Int | SortKind::Real | SortKind::String | SortKind::RegLan | SortKind::Seq(_) => None,
        }
    }
}

/// All values of a sort, if there are at most `limit`.
pub fn values(
    terms: &Terms,
    environment: &Environment,
    sort: Sort,
    limit: u64,
    budget: &mut Budget,
) -> Result<Option<Vec<Value>>, LimitReached> {
    match index_count(terms, environment, sort, budget)? {
        IndexCount::Exactly(size) if size <= limit => {
            let values = enumerate(terms, environment, sort, &[]);
            // The number of values is bounded, and so is their size, so that they may be paid afterwards.
            let weight = values.iter().flatten().fold(0u64, |sum, value| sum.saturating_add(value.weight()));
            budget.spend_words(weight.saturating_add(VALUE_WORDS * size))?;
            Ok(values)
        }
        _ => Ok(None),
    }
}

/// The caller has checked that the sort is small.
fn enumerate(
    terms: &Terms,
    environment: &Environment,
    sort: Sort,
    bindings: &[(Symbol, Sort)],
) -> Option<Vec<Value>> {
    match terms.sorts.kind(sort) {
        SortKind::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        SortKind::RoundingMode => Some(RoundingMode::ALL.into_iter().map(Value::RoundingMode).collect()),
        SortKind::BitVec(width) => {
            let patterns = 0..1u64.checked_shl(*width)?;
            Some(patterns.map(|bits| Value::BitVec(BitVec::from_u64(*width, bits))).collect())
        }
        SortKind::Float(exponent, significand) => {
            let format = Format::new(*exponent, *significand)?;
            let patterns = 0..1u64.checked_shl(format.width())?;
            let mut seen_nan = false;
            let floats = patterns.map(|bits| {
                Float::from_ieee_bv(format, &BitVec::from_ubig(format.width(), UBig::from(bits)))
            });
            let distinct = floats.filter(|float| !float.is_nan() || !std::mem::replace(&mut seen_nan, true));
            Some(distinct.map(Value::Float).collect())
        }
        SortKind::Array(index, element) => {
            let indices = enumerate_or_one(terms, environment, *index, bindings)?;
            let elements = enumerate(terms, environment, *element, bindings)?;
            // Arrays are listed only where their indices can be, or do not matter.
            let index_count =
                cardinality(terms, environment, *index).map_or(IndexCount::Many, IndexCount::Exactly);
            let mut arrays = vec![Array::constant(elements.first()?.clone(), index_count)?];
            if elements.len() > 1 {
                for index in indices? {
                    arrays = arrays
                        .iter()
                        .flat_map(|array| {
                            elements.iter().map(|element| array.store(index.clone(), element.clone()))
                        })
                        .collect::<Option<_>>()?;
                }
            }
            Some(arrays.into_iter().map(|array| Value::Array(Arc::new(array))).collect())
        }
        SortKind::Named(name, arguments) => {
            let datatype = environment.datatype(*name)?;
            let inner: Vec<(Symbol, Sort)> =
                datatype.params.iter().copied().zip(arguments.iter().copied()).collect();
            let mut all = Vec::new();
            for constructor in &datatype.constructors {
                let mut rows = vec![Vec::new()];
                for (_, field) in &constructor.selectors {
                    let choices = enumerate(terms, environment, *field, &inner)?;
                    rows = rows
                        .iter()
                        .flat_map(|row: &Vec<Value>| {
                            choices.iter().map(|choice| row.iter().cloned().chain([choice.clone()]).collect())
                        })
                        .collect();
                }
                for fields in rows {
                    all.push(Value::data(constructor.name, fields)?);
                }
            }
            Some(all)
        }
        SortKind::Param(name) => {
            let (_, bound) = bindings.iter().find(|(param, _)| param == name)?;
            enumerate(terms, environment, *bound, &[])
        }
        SortKind::Int
        | SortKind::Real
        | SortKind::String
        | SortKind::RegLan
        | SortKind::Seq(_)
        | SortKind::Arrow(_)
        | SortKind::Unknown => None,
    }
}

/// The values of an index sort; `Some(None)` if there are too many to list, which a one-valued element sort allows.
fn enumerate_or_one(
    terms: &Terms,
    environment: &Environment,
    sort: Sort,
    bindings: &[(Symbol, Sort)],
) -> Option<Option<Vec<Value>>> {
    match cardinality(terms, environment, sort) {
        Some(size) if size <= 64 => Some(enumerate(terms, environment, sort, bindings)),
        _ => Some(None),
    }
}

/// Some values of a sort to try where there are too many to list: small numbers, short strings.
pub(crate) fn samples(
    terms: &Terms,
    environment: &Environment,
    sort: Sort,
    budget: &mut Budget,
) -> Result<Vec<Value>, LimitReached> {
    use crate::string::Str;
    use dashu_int::IBig;
    use dashu_ratio::RBig;
    Ok(match terms.sorts.kind(sort) {
        SortKind::Int => (-2..=3).map(|number| Value::Int(IBig::from(number))).collect(),
        SortKind::Real => (-2..=3).map(|number| Value::Real(RBig::from(IBig::from(number)))).collect(),
        SortKind::String => ["", "a", "b", "0", "aa", "ab"]
            .iter()
            .filter_map(|text| Str::from_literal(text).ok().map(Value::Str))
            .collect(),
        SortKind::BitVec(width) => {
            budget.spend_words(cost::words(u64::from(*width)))?;
            let ones = BitVec::ones(*width);
            let patterns = [BitVec::zero(*width), BitVec::from_u64(*width, 1), ones];
            patterns.into_iter().map(Value::BitVec).collect()
        }
        SortKind::Float(exponent, significand) => {
            use dashu_int::Sign::{Negative, Positive};
            let Some(format) = Format::new(*exponent, *significand) else { return Ok(Vec::new()) };
            budget.spend(format.operation_cost())?;
            let floats = [
                Float::nan(format),
                Float::zero(format, Positive),
                Float::zero(format, Negative),
                Float::infinity(format, Positive),
                Float::infinity(format, Negative),
                Float::min_normal(format, Positive),
                Float::max_finite(format, Negative),
            ];
            floats.into_iter().map(Value::Float).collect()
        }
        _ => default_value(terms, environment, sort, budget)?.into_iter().collect(),
    })
}

/// One value of a sort, for completing a model that leaves a symbol open.
pub fn default_value(
    terms: &Terms,
    environment: &Environment,
    sort: Sort,
    budget: &mut Budget,
) -> Result<Option<Value>, LimitReached> {
    // The sorts of the elements of arrays of arrays, which all have to be counted.
    let mut element = sort;
    let mut index_counts = Vec::new();
    while let SortKind::Array(index, inner) = *terms.sorts.kind(element) {
        if index_counts.len() == MAX_NESTING {
            return Ok(None);
        }
        index_counts.push(index_count(terms, environment, index, budget)?);
        element = inner;
    }
    let array =
        |element: Value, index_count| Some(Value::Array(Arc::new(Array::constant(element, index_count)?)));
    let innermost = default_element(terms, environment, element);
    Ok(innermost.and_then(|innermost| index_counts.into_iter().rev().try_fold(innermost, array)))
}

/// One value of a sort that is not of arrays.
fn default_element(terms: &Terms, environment: &Environment, sort: Sort) -> Option<Value> {
    use crate::string::Str;
    use dashu_int::IBig;
    use dashu_ratio::RBig;
    match terms.sorts.kind(sort) {
        SortKind::Bool => Some(Value::Bool(false)),
        SortKind::Int => Some(Value::Int(IBig::ZERO)),
        SortKind::Real => Some(Value::Real(RBig::ZERO)),
        SortKind::String => Some(Value::Str(Str::empty())),
        SortKind::RegLan => Some(Value::Regex(crate::regex::Re::NONE)),
        SortKind::RoundingMode => Some(Value::RoundingMode(RoundingMode::NearestTiesToEven)),
        SortKind::BitVec(width) => Some(Value::BitVec(BitVec::zero(*width))),
        SortKind::Float(exponent, significand) => {
            let format = Format::new(*exponent, *significand)?;
            Some(Value::Float(Float::zero(format, dashu_int::Sign::Positive)))
        }
        SortKind::Seq(_) => Value::seq(Vec::new()),
        SortKind::Named(name, _) => {
            let datatype = environment.datatype(*name)?;
            // A constructor without fields is enough in practice; others would have to be searched for.
            let constant =
                datatype.constructors.iter().find(|constructor| constructor.selectors.is_empty())?;
            Value::data(constant.name, Vec::new())
        }
        SortKind::Array(..) | SortKind::Param(_) | SortKind::Arrow(_) | SortKind::Unknown => None,
    }
}

/// The distinct values among some.
pub(crate) fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut seen = FxHashSet::default();
    values.into_iter().filter(|value| seen.insert(value.clone())).collect()
}

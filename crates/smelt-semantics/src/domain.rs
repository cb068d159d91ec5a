//! Finite sorts: how many values they have, and which.
//!
//! A sort that a script only declares has the values that a model says it has, if the model lists them.

use std::sync::Arc;

use dashu_int::UBig;
use rustc_hash::FxHashSet;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::Terms;

use crate::bitvec::BitVec;
use crate::environment::Environment;
use crate::float::{Float, Format, RoundingMode};
use crate::model::Universes;
use crate::value::{Array, IndexCount, Multiset, Value};
use crate::{Budget, LimitReached, cost};

/// Where the values of sorts are looked up: what a script declares, and what a model says of sorts that this leaves open.
#[derive(Clone, Copy)]
pub struct Domains<'a> {
    /// The arena of the sorts.
    pub terms: &'a Terms,
    /// The script.
    pub environment: &'a Environment,
    /// The values of uninterpreted sorts.
    pub universes: &'a Universes,
}

/// How many values a sort has by the script alone; see [`Domains::cardinality`].
pub fn cardinality(terms: &Terms, environment: &Environment, sort: Sort) -> Option<u64> {
    Domains { terms, environment, universes: &Universes::default() }.cardinality(sort)
}

/// All values of a sort by the script alone, if there are at most `limit`; see [`Domains::values`].
pub fn values(
    terms: &Terms,
    environment: &Environment,
    sort: Sort,
    limit: u64,
    budget: &mut Budget,
) -> Result<Option<Vec<Value>>, LimitReached> {
    Domains { terms, environment, universes: &Universes::default() }.values(sort, limit, budget)
}

/// One value of a sort by the script alone; see [`Domains::default_value`].
pub fn default_value(
    terms: &Terms,
    environment: &Environment,
    sort: Sort,
    budget: &mut Budget,
) -> Result<Option<Value>, LimitReached> {
    Domains { terms, environment, universes: &Universes::default() }.default_value(sort, budget)
}

/// What one step of counting costs, in units of effort.
const COUNT_COST: u64 = 64;
/// What making a value by enumeration costs, in machine words.
const VALUE_WORDS: u64 = 16;

const MAX_NESTING: usize = 100;
/// All values of a sort with at most so many are samples of it.
const MAX_SAMPLED: u64 = 8;
/// Datatypes in datatypes this deep have a default value only if they have a constant.
const MAX_DEFAULT_DEPTH: u32 = 3;
const MAX_STEPS: u32 = 10_000;

struct Counter<'a> {
    domains: Domains<'a>,
    /// The sorts being counted, to notice recursion.
    around: Vec<Sort>,
    steps: u32,
    /// Whether a sort was met of which we cannot tell how many values it has.
    is_unsure: bool,
}

impl<'a> Counter<'a> {
    fn new(domains: Domains<'a>) -> Self {
        Counter { domains, around: Vec::new(), steps: 0, is_unsure: false }
    }

    /// How many tuples of some sorts there are.
    fn product(&mut self, around: Sort, parts: &[Sort], bindings: &[(Symbol, Sort)]) -> Option<u64> {
        self.around.push(around);
        let counts: Vec<Option<u64>> = parts.iter().map(|part| self.count(*part, bindings)).collect();
        self.around.pop();
        counts.into_iter().try_fold(1u64, |product, count| product.checked_mul(count?))
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
        match self.domains.terms.sorts.kind(sort) {
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
                let Some(datatype) = self.domains.environment.datatype(*name) else {
                    let universe = self.domains.universes.of(sort);
                    self.is_unsure |= universe.is_none();
                    return Some(universe?.len() as u64);
                };
                // One that is infinite may have a single value: the stream of one element.
                if datatype.is_codatatype {
                    self.is_unsure = true;
                    return None;
                }
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
            SortKind::Tuple(parts) => self.product(sort, parts, bindings),
            SortKind::Nullable(element) => {
                self.around.push(sort);
                let count = self.count(*element, bindings);
                self.around.pop();
                count?.checked_add(1)
            }
            SortKind::Set(element) | SortKind::FiniteSet(element) => {
                self.around.push(sort);
                let count = self.count(*element, bindings);
                self.around.pop();
                1u64.checked_shl(u32::try_from(count?).ok()?)
            }
            SortKind::FiniteField(order) => self.domains.terms.text(*order).parse().ok(),
            SortKind::Arrow(parts) => {
                let (result, params) = parts.split_last()?;
                self.around.push(sort);
                let result_count = self.count(*result, bindings);
                self.around.pop();
                let count = self.product(sort, params, bindings);
                match (count, result_count) {
                    (_, Some(1)) => Some(1),
                    (Some(count), Some(result_count)) => result_count.checked_pow(u32::try_from(count).ok()?),
                    _ => None,
                }
            }
            SortKind::Unknown => {
                self.is_unsure = true;
                None
            }
            // A multiplicity is any natural number.
            SortKind::Bag(_) => None,
            SortKind::Int | SortKind::Real | SortKind::String | SortKind::RegLan | SortKind::Seq(_) => None,
        }
    }
}

impl Domains<'_> {
    /// How many values a sort has, where that is a number below 2^64; none if it has more or we cannot tell.
    ///
    /// Recursion is bounded by the nesting of sorts, of which at most `MAX_NESTING` levels are looked at.
    pub fn cardinality(self, sort: Sort) -> Option<u64> {
        Counter::new(self).count(sort, &[])
    }

    /// How many indices arrays over a sort have, charged; complicated sorts take long to count.
    pub(crate) fn index_count(self, sort: Sort, budget: &mut Budget) -> Result<IndexCount, LimitReached> {
        let mut counter = Counter::new(self);
        let count = counter.count(sort, &[]);
        // The work is bounded, so that it may be paid afterwards.
        budget.spend(COUNT_COST * u64::from(counter.steps))?;
        Ok(match count {
            Some(count) => IndexCount::Exactly(count),
            None if counter.is_unsure => IndexCount::Unknown,
            None => IndexCount::Many,
        })
    }

    /// All values of a sort, if there are at most `limit`.
    pub fn values(
        self,
        sort: Sort,
        limit: u64,
        budget: &mut Budget,
    ) -> Result<Option<Vec<Value>>, LimitReached> {
        match self.index_count(sort, budget)? {
            IndexCount::Exactly(size) if size <= limit => {
                let values = self.enumerate(sort, &[]);
                // The number of values is bounded, and so is their size, so that they may be paid afterwards.
                let weight =
                    values.iter().flatten().fold(0u64, |sum, value| sum.saturating_add(value.weight()));
                budget.spend_words(weight.saturating_add(VALUE_WORDS * size))?;
                Ok(values)
            }
            _ => Ok(None),
        }
    }

    /// The caller has checked that the sort is small.
    fn enumerate(self, sort: Sort, bindings: &[(Symbol, Sort)]) -> Option<Vec<Value>> {
        match self.terms.sorts.kind(sort) {
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
                let distinct =
                    floats.filter(|float| !float.is_nan() || !std::mem::replace(&mut seen_nan, true));
                Some(distinct.map(Value::Float).collect())
            }
            SortKind::Tuple(parts) => {
                let rows = self.rows(parts, bindings)?;
                rows.into_iter().map(Value::tuple).collect()
            }
            SortKind::Nullable(element) => {
                let some = self.enumerate(*element, bindings)?.into_iter().map(Some);
                [None].into_iter().chain(some).map(Value::nullable).collect()
            }
            SortKind::Set(element) | SortKind::FiniteSet(element) => {
                let elements = self.enumerate(*element, bindings)?;
                let subset = |bits: u64| {
                    let chosen = elements.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
                    let set = Multiset::set(chosen.map(|(_, element)| element.clone()))?;
                    Some(Value::Set(Arc::new(set)))
                };
                (0..1u64.checked_shl(u32::try_from(elements.len()).ok()?)?).map(subset).collect()
            }
            SortKind::FiniteField(order) => {
                let order: u64 = self.terms.text(*order).parse().ok()?;
                Some((0..order).map(|number| Value::Field(UBig::from(number))).collect())
            }
            // Functions of one argument are listed as arrays.
            SortKind::Array(..) | SortKind::Arrow(_) => {
                let parts = self.terms.sorts.as_function(sort);
                let [index, element] = parts.as_slice() else { return None };
                let indices = self.enumerate_or_one(*index, bindings)?;
                let elements = self.enumerate(*element, bindings)?;
                // Arrays are listed only where their indices can be, or do not matter.
                let index_count = self.cardinality(*index).map_or(IndexCount::Many, IndexCount::Exactly);
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
                let Some(datatype) = self.environment.datatype(*name) else {
                    let elements = self.universes.of(sort)?.iter();
                    return Some(elements.map(|element| Value::Abstract(sort, *element)).collect());
                };
                let inner: Vec<(Symbol, Sort)> =
                    datatype.params.iter().copied().zip(arguments.iter().copied()).collect();
                let mut all = Vec::new();
                for constructor in &datatype.constructors {
                    let fields: Vec<Sort> = constructor.selectors.iter().map(|(_, field)| *field).collect();
                    for fields in self.rows(&fields, &inner)? {
                        all.push(Value::data(constructor.name, fields)?);
                    }
                }
                Some(all)
            }
            SortKind::Param(name) => {
                let (_, bound) = bindings.iter().find(|(param, _)| param == name)?;
                self.enumerate(*bound, &[])
            }
            SortKind::Int
            | SortKind::Real
            | SortKind::String
            | SortKind::RegLan
            | SortKind::Seq(_)
            | SortKind::Bag(_)
            | SortKind::Unknown => None,
        }
    }

    /// All rows of values of some sorts.
    fn rows(self, sorts: &[Sort], bindings: &[(Symbol, Sort)]) -> Option<Vec<Vec<Value>>> {
        let mut rows = vec![Vec::new()];
        for sort in sorts {
            let choices = self.enumerate(*sort, bindings)?;
            rows = rows
                .iter()
                .flat_map(|row: &Vec<Value>| {
                    choices.iter().map(|choice| row.iter().cloned().chain([choice.clone()]).collect())
                })
                .collect();
        }
        Some(rows)
    }

    /// The values of an index sort; `Some(None)` if there are too many to list, which a one-valued element sort allows.
    fn enumerate_or_one(self, sort: Sort, bindings: &[(Symbol, Sort)]) -> Option<Option<Vec<Value>>> {
        match self.cardinality(sort) {
            Some(size) if size <= 64 => Some(self.enumerate(sort, bindings)),
            _ => Some(None),
        }
    }

    /// Some values of a sort to try where there are too many to list: small numbers, short strings.
    pub(crate) fn samples(self, sort: Sort, budget: &mut Budget) -> Result<Vec<Value>, LimitReached> {
        use crate::string::Str;
        use dashu_int::IBig;
        use dashu_ratio::RBig;
        Ok(match self.terms.sorts.kind(sort) {
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
            SortKind::Set(element) => {
                let element = self.default_value(*element, budget)?;
                let sets = [Multiset::set([]), Multiset::set(element)];
                sets.into_iter().flatten().map(|set| Value::Set(Arc::new(set))).collect()
            }
            _ => match self.values(sort, MAX_SAMPLED, budget)? {
                Some(values) => values,
                None => self.default_value(sort, budget)?.into_iter().collect(),
            },
        })
    }

    /// One value of a sort, for completing a model that leaves a symbol open.
    pub fn default_value(self, sort: Sort, budget: &mut Budget) -> Result<Option<Value>, LimitReached> {
        // The sorts of the elements of arrays of arrays, which all have to be counted.
        let mut element = sort;
        let mut index_counts = Vec::new();
        while let SortKind::Array(..) | SortKind::Arrow(_) = self.terms.sorts.kind(element) {
            let mut indices = self.terms.sorts.as_function(element);
            let Some(inner) = indices.pop() else { return Ok(None) };
            for index in indices {
                if index_counts.len() == MAX_NESTING {
                    return Ok(None);
                }
                index_counts.push(self.index_count(index, budget)?);
            }
            element = inner;
        }
        let array = |element: Value, index_count| {
            Some(Value::Array(Arc::new(Array::constant(element, index_count)?)))
        };
        let innermost = self.default_element(element, 0);
        Ok(innermost.and_then(|innermost| index_counts.into_iter().rev().try_fold(innermost, array)))
    }

    /// One value of a sort that is not of arrays.
    fn default_element(self, sort: Sort, depth: u32) -> Option<Value> {
        use crate::string::Str;
        use dashu_int::IBig;
        use dashu_ratio::RBig;
        match self.terms.sorts.kind(sort) {
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
                let Some(datatype) = self.environment.datatype(*name) else {
                    return Some(Value::Abstract(sort, *self.universes.of(sort)?.first()?));
                };
                let has_parameters = !datatype.params.is_empty();
                let mut constructors: Vec<_> = datatype.constructors.iter().collect();
                constructors.sort_by_key(|constructor| constructor.selectors.len());
                constructors.into_iter().find_map(|constructor| {
                    if depth == MAX_DEFAULT_DEPTH || has_parameters && !constructor.selectors.is_empty() {
                        return Value::data(constructor.name, Vec::new())
                            .filter(|_| constructor.selectors.is_empty());
                    }
                    let fields = constructor.selectors.iter();
                    let fields: Option<Vec<Value>> =
                        fields.map(|(_, sort)| self.default_element(*sort, depth + 1)).collect();
                    Value::data(constructor.name, fields?)
                })
            }
            SortKind::Set(_) | SortKind::FiniteSet(_) => Some(Value::Set(Arc::new(Multiset::set([])?))),
            SortKind::Bag(_) => Some(Value::Bag(Arc::new(Multiset::new([])?))),
            SortKind::Nullable(_) => Value::nullable(None),
            SortKind::FiniteField(_) => Some(Value::Field(UBig::ZERO)),
            SortKind::Tuple(parts) if parts.iter().all(|part| self.terms.sorts.tree_size(*part) == 1) => {
                let parts: Option<Vec<Value>> =
                    parts.iter().map(|part| self.default_element(*part, depth)).collect();
                Value::tuple(parts?)
            }
            SortKind::Tuple(_)
            | SortKind::Array(..)
            | SortKind::Param(_)
            | SortKind::Arrow(_)
            | SortKind::Unknown => None,
        }
    }
}

/// The distinct values among some.
pub(crate) fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut seen = FxHashSet::default();
    values.into_iter().filter(|value| seen.insert(value.clone())).collect()
}

/// Small values with zero first, then the positive ones.
pub(crate) fn zeros_first(mut values: Vec<Value>) -> Vec<Value> {
    values.sort_by_key(|value| match value {
        Value::Int(number) => (!number.is_zero(), *number < dashu_int::IBig::ZERO),
        Value::Real(number) => (!number.is_zero(), *number < dashu_ratio::RBig::ZERO),
        _ => (false, false),
    });
    values
}

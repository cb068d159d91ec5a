//! Arrays as values: total maps with finitely many entries over a default.
//!
//! Storing must neither change the array nor copy it, because chains of stores are long and each array on the way is a
//! value of its own. So the entries lie in levels, each at most half as long as the one below, and levels that
//! would break this rule are merged: storing n times one after the other takes n log n, and so does the memory of
//! all arrays on the way. The idea is that of log-structured merge trees (O'Neil and others 1996).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{MAX_DEPTH, Shape, Value, hash_of};

/// A total map.
#[derive(Debug, Clone)]
pub struct Array {
    index_count: IndexCount,
    /// Oldest first. An entry hides those for the same index in older levels.
    levels: Vec<Arc<Level>>,
    /// How many indices map to something else than the default.
    entry_count: usize,
    default: Value,
    /// The weight counts what is visible. The depth and what is opaque also count what is hidden.
    shape: Shape,
}

/// How many indices there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexCount {
    /// This many.
    Exactly(u64),
    /// 2^64 or more, or infinitely many.
    Many,
    /// As many as the model says, such as for an uninterpreted sort.
    Unknown,
}

/// What indices map to; nothing stands for the default.
type Level = FxHashMap<Value, Option<Value>>;

/// What an entry takes in a level, with the room that tables leave free.
const ENTRY_WORDS: u64 = 32;

/// With fewer indices than this, an array may have several forms with different defaults.
const MANY_INDICES: u64 = 1 << 32;

impl Array {
    /// The array that maps everything to `default`, unless that nests too deeply.
    pub fn constant(default: Value, index_count: IndexCount) -> Option<Array> {
        let mut shape = Shape::around(0, [&default])?;
        // Two arrays that differ in their defaults alone are equal if there are no other indices than their entries'.
        shape.is_opaque |= index_count == IndexCount::Unknown;
        shape.hash = match index_count {
            IndexCount::Exactly(count) if count < MANY_INDICES => count.wrapping_mul(hash_of(&default)),
            _ => hash_of(&default),
        };
        Some(Array { index_count, levels: Vec::new(), entry_count: 0, default, shape })
    }

    /// What the array maps an index to.
    pub fn select(&self, index: &Value) -> &Value {
        self.entry(index).unwrap_or(&self.default)
    }

    /// The array that maps `index` to `element` and is otherwise this one, unless that nests too deeply.
    pub fn store(&self, index: Value, element: Value) -> Option<Array> {
        if element == self.default { self.store_default(index) } else { self.store_other(index, element) }
    }

    /// The array that maps `index` to the default and is otherwise this one.
    pub(crate) fn store_default(&self, index: Value) -> Option<Array> {
        self.with_entry(index, None)
    }

    /// The array that maps `index` to `element`, which is not the default, and is otherwise this one, unless that
    /// nests too deeply.
    pub(crate) fn store_other(&self, index: Value, element: Value) -> Option<Array> {
        self.with_entry(index, Some(element))
    }

    fn with_entry(&self, index: Value, element: Option<Value>) -> Option<Array> {
        let mut shape = self.shape;
        if let Some(old) = self.entry(&index) {
            shape.hash = shape.hash.wrapping_sub(self.entry_hash(&index, old));
            shape.weight = lighter(shape.weight, &index, old);
        }
        if let Some(element) = &element {
            shape.add(&index);
            shape.add(element);
            shape.weight = shape.weight.saturating_add(ENTRY_WORDS);
            shape.hash = shape.hash.wrapping_add(self.entry_hash(&index, element));
        }
        let entry_count =
            self.entry_count + usize::from(element.is_some()) - usize::from(self.entry(&index).is_some());
        let mut levels = self.levels[..self.levels.len() - self.merged_levels()].to_vec();
        let merged = &self.levels[levels.len()..];
        let mut top = Level::with_capacity_and_hasher(1 + total_len(merged), Default::default());
        for level in merged {
            top.extend(level.iter().map(|(index, element)| (index.clone(), element.clone())));
        }
        top.insert(index, element);
        if levels.is_empty() {
            // Nothing older is left to be hidden.
            top.retain(|_, element| element.is_some());
        }
        levels.push(Arc::new(top));
        let array = Array {
            index_count: self.index_count,
            levels,
            entry_count,
            default: self.default.clone(),
            shape,
        };
        (shape.depth <= MAX_DEPTH).then_some(array)
    }

    /// How many machine words storing into this array takes.
    pub(crate) fn store_words(&self, index: &Value, element: &Value) -> u64 {
        let words = |part: &Value| part.part_words();
        let merged = &self.levels[self.levels.len() - self.merged_levels()..];
        let copied = merged.iter().flat_map(|level| level.iter());
        let new = ENTRY_WORDS + words(index) + words(element) + words(&self.default);
        copied.fold(new, |sum, (index, element)| {
            sum + ENTRY_WORDS + words(index) + element.as_ref().map_or(0, words)
        })
    }

    /// The entries that differ from the default, in no order.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.levels.iter().enumerate().flat_map(|(position, level)| {
            let newer = &self.levels[position + 1..];
            level
                .iter()
                .filter(|(index, _)| newer.iter().all(|level| !level.contains_key(*index)))
                .filter_map(|(index, element)| Some((index, element.as_ref()?)))
        })
    }

    /// How many entries there are.
    pub fn entry_count(&self) -> usize {
        self.entry_count
    }

    /// What all other indices map to.
    pub fn default(&self) -> &Value {
        &self.default
    }

    /// How many indices there are.
    pub fn index_count(&self) -> IndexCount {
        self.index_count
    }

    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    fn entry(&self, index: &Value) -> Option<&Value> {
        self.levels.iter().rev().find_map(|level| level.get(index))?.as_ref()
    }

    /// How many of the newest levels storing one more entry merges.
    fn merged_levels(&self) -> usize {
        let mut len = 1;
        self.levels
            .iter()
            .rev()
            .take_while(|level| {
                let is_merged = level.len() < 2 * len;
                len += level.len();
                is_merged
            })
            .count()
    }

    /// What an entry adds to the hash. Where an array has several forms, only what does not depend on the form may.
    fn entry_hash(&self, index: &Value, element: &Value) -> u64 {
        match self.index_count {
            IndexCount::Exactly(count) if count < MANY_INDICES => {
                hash_of(element).wrapping_sub(hash_of(&self.default))
            }
            _ => hash_of(&(index, element)),
        }
    }

    /// Whether every index maps to something else than the default in one of two arrays.
    pub(super) fn covers_all_indices_with(&self, other: &Array) -> bool {
        let IndexCount::Exactly(count) = self.index_count else { return false };
        let most = (self.entry_count + other.entry_count) as u64;
        count <= most && {
            let extra = self.entries().filter(|(index, _)| other.entry(index).is_none()).count();
            count == (other.entry_count + extra) as u64
        }
    }

    /// Whether some index may map to the defaults of both arrays, or may not.
    pub(super) fn may_cover_all_indices(&self) -> bool {
        self.index_count == IndexCount::Unknown
    }

    fn agrees_with(&self, other: &Array) -> bool {
        self.entries().all(|(index, element)| other.select(index) == element)
    }
}

fn total_len(levels: &[Arc<Level>]) -> usize {
    levels.iter().map(|level| level.len()).sum()
}

/// The weight without an entry.
fn lighter(weight: u64, index: &Value, element: &Value) -> u64 {
    // What saturated stays so.
    if weight == u64::MAX { weight } else { weight - index.weight() - element.weight() - ENTRY_WORDS }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        if self.shape.hash != other.shape.hash || !self.agrees_with(other) || !other.agrees_with(self) {
            return false;
        }
        if self.default == other.default {
            return true;
        }
        self.covers_all_indices_with(other)
    }
}

impl Eq for Array {}

impl Hash for Array {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.shape.hash);
    }
}

#[cfg(test)]
mod tests {
    use dashu_int::IBig;

    use super::*;

    fn array(default: bool, stores: &[(bool, bool)]) -> Array {
        let constant = Array::constant(Value::Bool(default), IndexCount::Exactly(2)).unwrap();
        stores.iter().fold(constant, |array, (index, element)| {
            array.store(Value::Bool(*index), Value::Bool(*element)).unwrap()
        })
    }

    fn int(number: usize) -> Value {
        Value::Int(IBig::from(number))
    }

    /// The array over integers that maps everything to 0 but for these.
    fn ints(stores: impl IntoIterator<Item = (usize, usize)>) -> Array {
        let constant = Array::constant(int(0), IndexCount::Many).unwrap();
        let store = |array: Array, (index, element)| array.store(int(index), int(element)).unwrap();
        stores.into_iter().fold(constant, store)
    }

    #[test]
    fn arrays_over_few_indices_are_equal_whatever_their_default() {
        assert_eq!(array(true, &[(true, false), (false, false)]), array(false, &[]));
        assert_ne!(array(true, &[(true, false)]), array(false, &[]));
        assert_eq!(array(true, &[(true, false)]), array(false, &[(false, true)]));
        assert_ne!(array(true, &[(true, false)]), array(false, &[(true, true)]));
    }

    #[test]
    fn equal_arrays_have_equal_hashes() {
        let all = array(true, &[(true, false), (false, false)]);
        assert_eq!(hash_of(&all), hash_of(&array(false, &[])));
        assert_eq!(hash_of(&ints([(1, 2), (3, 4), (1, 5)])), hash_of(&ints([(3, 4), (1, 5)])));
        assert_ne!(hash_of(&ints([(1, 2)])), hash_of(&ints([(2, 1)])));
    }

    #[test]
    fn storing_the_default_is_no_entry() {
        assert_eq!(array(true, &[(true, false), (true, true)]).entry_count(), 0);
        assert_eq!(ints([(1, 1), (2, 2), (3, 3), (2, 0)]).entries().count(), 2);
    }

    #[test]
    fn arrays_over_infinitely_many_indices_need_equal_defaults() {
        let constant = |number| Array::constant(int(number), IndexCount::Many).unwrap();
        assert_ne!(constant(0), constant(1));
    }

    #[test]
    fn the_newest_of_many_entries_counts() {
        let stores = (0..1_000).map(|number| (number % 17, number));
        let array = ints(stores);
        assert_eq!(array.entry_count(), 17);
        assert_eq!(array.entries().count(), 17);
        assert_eq!(*array.select(&int(999 % 17)), int(999));
        assert_eq!(array, ints((983..1_000).map(|number| (number % 17, number))));
        assert_eq!(array.shape().weight, 2 + 1 + 16 * 2 + 17 * (2 + ENTRY_WORDS));
    }

    #[test]
    fn storing_one_after_the_other_copies_little() {
        let mut array = ints([]);
        let mut copied = 0;
        for number in 0..1_024 {
            copied += array.store_words(&int(1), &int(1)) / (ENTRY_WORDS + 4);
            array = array.store(int(number), int(number + 1)).unwrap();
        }
        assert!(copied <= 1_024 * 11, "{copied} entries were copied");
        assert!(array.levels.len() <= 11);
    }
}

//! Finite multisets as values; a set is one in which nothing occurs twice.
//!
//! Elements have no order, so whatever looks at one after the other has to give the same in any order.

use std::hash::{Hash, Hasher};

use dashu_int::IBig;
use rustc_hash::FxHashMap;

use super::{MAX_DEPTH, Shape, Value, hash_of};
use crate::cost::int_words;

/// What an element takes, with the room that tables leave free.
pub(crate) const ENTRY_WORDS: u64 = 24;

/// A finite multiset.
#[derive(Debug, Clone)]
pub struct Multiset {
    /// How often each element occurs; always a positive number.
    counts: FxHashMap<Value, IBig>,
    shape: Shape,
}

impl Multiset {
    /// The collection in which each element occurs as often as the entries for it say together, those with negative
    /// numbers aside; none if that nests too deeply, or if an element has no decidable equality.
    pub fn new(entries: impl IntoIterator<Item = (Value, IBig)>) -> Option<Multiset> {
        let mut counts: FxHashMap<Value, IBig> = FxHashMap::default();
        for (element, count) in entries {
            if element.is_opaque_to_equality() {
                return None;
            }
            if count > IBig::ZERO {
                *counts.entry(element).or_default() += count;
            }
        }
        let mut shape = Shape { depth: 1, weight: 1, is_opaque: false, hash: 0 };
        for (element, count) in &counts {
            shape.add(element);
            shape.weight = shape.weight.saturating_add(ENTRY_WORDS + int_words(count));
            shape.hash = shape.hash.wrapping_add(hash_of(&(element, count)));
        }
        (shape.depth <= MAX_DEPTH).then_some(Multiset { counts, shape })
    }

    /// The set of some elements; see [`Multiset::new`].
    pub fn set(elements: impl IntoIterator<Item = Value>) -> Option<Multiset> {
        let mut counts: FxHashMap<Value, IBig> = FxHashMap::default();
        elements.into_iter().for_each(|element| {
            counts.insert(element, IBig::ONE);
        });
        Multiset::new(counts)
    }

    /// How often an element occurs.
    pub fn count(&self, element: &Value) -> IBig {
        self.counts.get(element).cloned().unwrap_or_default()
    }

    /// Whether an element occurs.
    pub fn contains(&self, element: &Value) -> bool {
        self.counts.contains_key(element)
    }

    /// The elements and how often they occur, in no order.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &IBig)> {
        self.counts.iter()
    }

    /// The elements, each once, in no order.
    pub fn elements(&self) -> impl Iterator<Item = &Value> {
        self.counts.keys()
    }

    /// How many different elements there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many machine words a copy with every element takes.
    pub(crate) fn copy_words(&self) -> u64 {
        let words = |(element, count): (&Value, &IBig)| ENTRY_WORDS + element.part_words() + int_words(count);
        self.counts.iter().map(words).sum::<u64>() + 8
    }

    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }
}

impl PartialEq for Multiset {
    fn eq(&self, other: &Self) -> bool {
        self.shape.hash == other.shape.hash && self.counts == other.counts
    }
}

impl Eq for Multiset {}

impl Hash for Multiset {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.shape.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(entries: &[(i32, i32)]) -> Multiset {
        let value = |(element, count): &(i32, i32)| (Value::Int(IBig::from(*element)), IBig::from(*count));
        Multiset::new(entries.iter().map(value)).unwrap()
    }

    #[test]
    fn elements_have_no_order_and_their_numbers_add_up() {
        assert_eq!(bag(&[(1, 2), (3, 1)]), bag(&[(3, 1), (1, 1), (1, 1)]));
        assert_eq!(hash_of(&bag(&[(1, 2), (3, 1)])), hash_of(&bag(&[(3, 1), (1, 2)])));
        assert_ne!(bag(&[(1, 2)]), bag(&[(1, 1)]));
        assert_eq!(bag(&[(1, 0), (2, -3)]), bag(&[]));
    }

    #[test]
    fn an_element_of_a_set_occurs_once() {
        let one = || Value::Int(IBig::ONE);
        assert_eq!(Multiset::set([one(), one()]).unwrap(), bag(&[(1, 1)]));
    }
}

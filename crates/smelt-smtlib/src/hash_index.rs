//! A hash table from hashes to numbers, for tables whose entries live elsewhere in a vector.
//!
//! One probe touches one cache line: hash and number lie side by side, and the place is the upper bits of the
//! hash, so that growing copies from front to back. Interning spends most of its time here, waiting for memory.

/// Numbers by hash; nothing is ever removed.
#[derive(Debug, Clone)]
pub(crate) struct HashIndex {
    /// A power of two of slots.
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
}

const EMPTY: Slot = Slot { hash: 0, number: u32::MAX };

/// Slots at first.
const INITIAL: usize = 64;

impl HashIndex {
    pub(crate) fn new() -> Self {
        HashIndex { slots: vec![EMPTY; INITIAL], used: 0 }
    }

    /// Makes room for so many more numbers.
    pub(crate) fn reserve(&mut self, additional: usize) {
        let wanted = (2 * (self.used + additional)).next_power_of_two();
        if wanted > self.slots.len() {
            self.resize(wanted);
        }
    }

    /// The number with this hash that `is_equal` accepts.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, is_equal: impl Fn(u32) -> bool) -> Option<u32> {
        let hash = upper_bits(hash);
        let mask = self.slots.len() - 1;
        let mut at = self.place(hash);
        loop {
            let slot = self.slots[at & mask];
            if slot.number == EMPTY.number {
                return None;
            }
            if slot.hash == hash && is_equal(slot.number) {
                return Some(slot.number);
            }
            at += 1;
        }
    }

    /// Adds a number that is not there yet.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64, number: u32) {
        if self.used * 2 >= self.slots.len() {
            self.resize(self.slots.len() * 2);
        }
        self.used += 1;
        self.put(Slot { hash: upper_bits(hash), number });
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = self.place(slot.hash);
        while self.slots[at & mask].number != EMPTY.number {
            at += 1;
        }
        self.slots[at & mask] = slot;
    }

    #[inline]
    fn place(&self, hash: u32) -> usize {
        place(hash, self.slots.len())
    }

    #[cold]
    fn resize(&mut self, length: usize) {
        // More than 2^32 slots would need more bits of hash, but the numbers run out before.
        let slots = vec![EMPTY; length];
        for slot in std::mem::replace(&mut self.slots, slots) {
            if slot.number != EMPTY.number {
                self.put(slot);
            }
        }
    }
}

/// Numbers by hash and by another number that they were made from, a few for each.
///
/// Successive numbers are usually made from recent numbers, so this index is probed where it is warm, while a hash
/// leads anywhere. Nothing is ever removed: where there is room, nothing more is to be found.
#[derive(Debug, Clone)]
pub(crate) struct NearIndex {
    /// Line `i` is for what is made from the numbers `2 * i` and `2 * i + 1`.
    lines: Vec<[Slot; 4]>,
}

/// Where to look on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Near {
    /// It is this one.
    Found(u32),
    /// It is nowhere, and there is room for it.
    Vacant,
    /// It may be elsewhere.
    Full,
}

impl NearIndex {
    pub(crate) fn new() -> Self {
        NearIndex { lines: Vec::new() }
    }

    /// The number made from `origin` with this hash that `is_equal` accepts.
    #[inline]
    pub(crate) fn find(&self, origin: u32, hash: u64, is_equal: impl Fn(u32) -> bool) -> Near {
        let hash = upper_bits(hash);
        let Some(line) = self.lines.get(origin as usize / 2) else { return Near::Vacant };
        for slot in line {
            if slot.number == EMPTY.number {
                return Near::Vacant;
            }
            if slot.hash == hash && is_equal(slot.number) {
                return Near::Found(slot.number);
            }
        }
        Near::Full
    }

    /// Adds a number that is not there yet where [`NearIndex::find`] found room.
    #[inline]
    pub(crate) fn insert(&mut self, origin: u32, hash: u64, number: u32) {
        let at = origin as usize / 2;
        if self.lines.len() <= at {
            self.lines.resize(at + 1, [EMPTY; 4]);
        }
        let vacant = self.lines[at].iter_mut().find(|slot| slot.number == EMPTY.number);
        *vacant.expect("there is room") = Slot { hash: upper_bits(hash), number };
    }
}

/// An index that is filled when this crate is compiled, at most half full.
#[derive(Debug)]
pub(crate) struct FixedIndex<const SLOTS: usize> {
    slots: [Slot; SLOTS],
    used: usize,
}

impl<const SLOTS: usize> FixedIndex<SLOTS> {
    pub(crate) const fn new() -> Self {
        FixedIndex { slots: [EMPTY; SLOTS], used: 0 }
    }

    /// Number after number that may have this hash.
    pub(crate) const fn candidate(&self, hash: u64, position: usize) -> Option<u32> {
        let slot = self.slots[(place(upper_bits(hash), SLOTS) + position) % SLOTS];
        if slot.number == EMPTY.number { None } else { Some(slot.number) }
    }

    /// Adds a number that is not there yet.
    pub(crate) const fn insert(&mut self, hash: u64, number: u32) {
        self.used += 1;
        assert!(2 * self.used <= SLOTS, "at most half of the slots are used");
        let mut position = 0;
        while self.candidate(hash, position).is_some() {
            position += 1;
        }
        let hash = upper_bits(hash);
        self.slots[(place(hash, SLOTS) + position) % SLOTS] = Slot { hash, number };
    }
}

/// Where a hash belongs among so many slots, a power of two.
#[inline]
const fn place(hash: u32, slots: usize) -> usize {
    (hash >> (32 - slots.trailing_zeros())) as usize
}

/// 32 bits that depend on all 64; the hasher alone leaves the upper bits weak.
#[inline]
const fn upper_bits(hash: u64) -> u32 {
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_again_after_growing() {
        let mut index = HashIndex::new();
        let hash = |number: u32| u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for number in 0..10_000 {
            assert_eq!(index.find(hash(number), |other| other == number), None);
            index.insert(hash(number), number);
        }
        for number in 0..10_000 {
            assert_eq!(index.find(hash(number), |other| other == number), Some(number));
        }
    }

    #[test]
    fn equal_hashes_are_told_apart() {
        let mut index = HashIndex::new();
        for number in 0..200 {
            index.insert(u64::MAX, number);
        }
        assert_eq!(index.find(u64::MAX, |number| number == 77), Some(77));
        assert_eq!(index.find(u64::MAX, |number| number == 200), None);
    }
}

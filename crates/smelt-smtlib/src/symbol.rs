//! Interned text: names of symbols, texts of literals, spellings of opaque operators.

mod fixed;

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::hash_index::HashIndex;
use crate::sexp::is_simple_symbol;
pub(crate) use fixed::FixedSymbols;

/// A text that stands in a [`Symbols`] table; equal texts are equal symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// Some symbol, where none is looked at.
    pub(crate) const ANY: Symbol = Symbol(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table of all interned texts.
#[derive(Debug, Clone)]
pub struct Symbols {
    /// Texts that were there before the table; they have the first numbers. Arenas are copied often, these are not.
    known: &'static FixedSymbols,
    /// All others, one after the other.
    text: String,
    entries: Vec<Entry>,
    /// The positions of entries by the hashes of their texts.
    index: HashIndex,
    /// For each stem the number of the next fresh symbol.
    fresh_numbers: FxHashMap<Symbol, u32>,
}

/// Where a text stands, and how it starts: names are short, and most are told apart without looking there.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The first eight bytes, filled up with zeros.
    prefix: u64,
    start: u32,
    /// The number of bytes; the highest bit says whether the text can be written as a symbol without bars.
    length: u32,
}

const IS_SIMPLE: u32 = 1 << 31;

impl Entry {
    /// The entry of a text that stands at `start`.
    #[inline]
    const fn new(text: &str, prefix: u64, start: usize) -> Self {
        assert!(start <= u32::MAX as usize, "all texts together have less than 4 GiB");
        assert!(text.len() < IS_SIMPLE as usize, "a text has less than 2 GiB");
        let simple = if is_simple_symbol(text) { IS_SIMPLE } else { 0 };
        Entry { prefix, start: start as u32, length: text.len() as u32 | simple }
    }

    #[inline]
    const fn length(self) -> usize {
        (self.length & !IS_SIMPLE) as usize
    }

    #[inline]
    fn range(self) -> Range<usize> {
        let start = self.start as usize;
        start..start + self.length()
    }
}

/// A part of a source text that is looked up.
#[derive(Clone, Copy)]
struct Wanted<'s> {
    bytes: &'s [u8],
    prefix: u64,
    hash: u64,
}

impl<'s> Wanted<'s> {
    #[inline]
    const fn new(source: &'s [u8], start: usize, end: usize) -> Self {
        let bytes = source.split_at(end).0.split_at(start).1;
        let prefix = match source.split_at(start).1.first_chunk() {
            Some(chunk) => {
                let word = u64::from_le_bytes(*chunk);
                if bytes.len() < 8 { word & ((1 << (8 * bytes.len())) - 1) } else { word }
            }
            // Near the end of the source.
            None => short_word(bytes),
        };
        Wanted { bytes, prefix, hash: hash(bytes, prefix) }
    }
}

/// At most seven bytes as a number.
const fn short_word(bytes: &[u8]) -> u64 {
    let mut word = 0;
    let mut at = bytes.len();
    while at > 0 {
        at -= 1;
        word = word << 8 | bytes[at] as u64;
    }
    word
}

/// The hash of a text that starts with `prefix`.
#[inline]
const fn hash(text: &[u8], prefix: u64) -> u64 {
    const FACTOR: u64 = 0xF135_7AEA_2E62_A9C5;
    let mut hash = (prefix ^ text.len() as u64).wrapping_mul(FACTOR);
    let mut rest = text;
    while let Some((_, after)) = rest.split_first_chunk::<8>()
        && !after.is_empty()
    {
        // The last chunk overlaps with the one before.
        let chunk = match after.first_chunk() {
            Some(chunk) => chunk,
            None => rest.last_chunk().expect("eight bytes come before"),
        };
        hash = (hash.rotate_left(26) ^ u64::from_le_bytes(*chunk)).wrapping_mul(FACTOR);
        rest = after;
    }
    hash
}

impl Symbols {
    /// How many bytes of text are interned, those that were there from the start excepted.
    pub(crate) fn text_len(&self) -> usize {
        self.text.len()
    }

    /// A table in which these texts are interned.
    pub(crate) fn starting_with(known: &'static FixedSymbols) -> Self {
        Symbols {
            known,
            text: String::new(),
            entries: Vec::new(),
            index: HashIndex::new(),
            fresh_numbers: FxHashMap::default(),
        }
    }

    /// The symbol of a text.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.intern_within(text, 0, text.len())
    }

    /// The symbol of the part of a source text from `start` up to `end`.
    #[inline]
    pub(crate) fn intern_within(&mut self, source: &str, start: usize, end: usize) -> Symbol {
        let wanted = Wanted::new(source.as_bytes(), start, end);
        match self.find(wanted) {
            Some(symbol) => symbol,
            None => self.add(wanted, &source[start..end]),
        }
    }

    fn add(&mut self, wanted: Wanted<'_>, text: &str) -> Symbol {
        let id = u32::try_from(self.len()).expect("fewer than 2^32 distinct texts fit in memory");
        self.index.insert(wanted.hash, self.entries.len() as u32);
        self.entries.push(Entry::new(text, wanted.prefix, self.text.len()));
        self.text.push_str(text);
        Symbol(id)
    }

    /// The symbol of a text, if it was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(Wanted::new(text.as_bytes(), 0, text.len()))
    }

    #[inline]
    fn find(&self, wanted: Wanted<'_>) -> Option<Symbol> {
        if let Some(symbol) = self.known.find(wanted) {
            return Some(symbol);
        }
        let is_equal = |position: u32| {
            let entry = self.entries[position as usize];
            entry.prefix == wanted.prefix
                && entry.length() == wanted.bytes.len()
                && (wanted.bytes.len() <= 8 || &self.text.as_bytes()[entry.range()] == wanted.bytes)
        };
        self.index.find(wanted.hash, is_equal).map(|position| Symbol(self.known.len() as u32 + position))
    }

    /// The text of a symbol.
    #[inline]
    pub fn text(&self, symbol: Symbol) -> &str {
        match symbol.index().checked_sub(self.known.len()) {
            Some(position) => &self.text[self.entries[position].range()],
            None => self.known.text(symbol),
        }
    }

    /// Whether a symbol can be written without bars.
    #[inline]
    pub(crate) fn is_simple(&self, symbol: Symbol) -> bool {
        let entry = match symbol.index().checked_sub(self.known.len()) {
            Some(position) => self.entries[position],
            None => self.known.entry(symbol),
        };
        entry.length & IS_SIMPLE != 0
    }

    /// A symbol whose text starts with `stem` and that was never interned before.
    pub fn fresh(&mut self, stem: &str) -> Symbol {
        let stem_symbol = self.intern(stem);
        let mut number = self.fresh_numbers.get(&stem_symbol).copied().unwrap_or(0);
        loop {
            let candidate = format!("{stem}_{number}");
            number += 1;
            if self.get(&candidate).is_none() {
                self.fresh_numbers.insert(stem_symbol, number);
                return self.intern(&candidate);
            }
        }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.known.len() + self.entries.len()
    }

    /// Whether there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NONE: FixedSymbols = FixedSymbols::new();

    #[test]
    fn equal_texts_are_equal_symbols() {
        let mut symbols = Symbols::starting_with(&NONE);
        let x = symbols.intern("x");
        let y = symbols.intern("y");
        assert_ne!(x, y);
        assert_eq!(symbols.intern("x"), x);
        assert_eq!(symbols.text(y), "y");
    }

    #[test]
    fn texts_are_told_apart_wherever_they_stand() {
        let mut symbols = Symbols::starting_with(&NONE);
        let source = "\0\0abcdefgh\0abcdefghi\0";
        let mut known: Vec<(&str, Symbol)> = Vec::new();
        for start in 0..=source.len() {
            for end in start..=source.len() {
                let text = &source[start..end];
                let symbol = symbols.intern_within(source, start, end);
                assert_eq!(symbols.text(symbol), text);
                assert_eq!(symbols.get(text), Some(symbol));
                assert!(known.iter().all(|(other, id)| (other == &text) == (*id == symbol)));
                known.push((text, symbol));
            }
        }
    }

    #[test]
    fn fresh_symbols_avoid_all_known_texts() {
        let mut symbols = Symbols::starting_with(&NONE);
        symbols.intern("x_0");
        let fresh = symbols.fresh("x");
        assert_eq!(symbols.text(fresh), "x_1");
    }
}

//! Interned text: names of symbols, texts of literals, spellings of opaque operators.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use crate::hash_index::HashIndex;
use crate::sexp::is_simple_symbol;

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
    /// All texts, one after the other.
    text: String,
    entries: Vec<Entry>,
    index: HashIndex,
    /// For each stem the number of the next fresh symbol.
    fresh_numbers: FxHashMap<Symbol, u32>,
}

/// Where a text stands.
#[derive(Debug, Clone, Copy)]
struct Entry {
    start: usize,
    length: u32,
    /// Whether the text can be written as a symbol without bars.
    is_simple: bool,
}

impl Symbols {
    pub(crate) fn new() -> Self {
        Symbols {
            text: String::new(),
            entries: Vec::new(),
            index: HashIndex::new(),
            fresh_numbers: FxHashMap::default(),
        }
    }

    /// The symbol of a text.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let hash = hash_text(text.as_bytes());
        if let Some(symbol) = self.find(hash, text) {
            return symbol;
        }
        let id = u32::try_from(self.entries.len()).expect("fewer than 2^32 distinct texts fit in memory");
        let length = u32::try_from(text.len()).expect("a text has less than 4 GiB");
        let is_simple = is_simple_symbol(text);
        self.entries.push(Entry { start: self.text.len(), length, is_simple });
        self.text.push_str(text);
        self.index.insert(hash, id);
        Symbol(id)
    }

    /// The symbol of a text, if it was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(hash_text(text.as_bytes()), text)
    }

    #[inline]
    fn find(&self, hash: u64, text: &str) -> Option<Symbol> {
        let is_equal = |id: u32| {
            let entry = self.entries[id as usize];
            let end = entry.start + entry.length as usize;
            &self.text.as_bytes()[entry.start..end] == text.as_bytes()
        };
        self.index.find(hash, is_equal).map(Symbol)
    }

    /// The text of a symbol.
    #[inline]
    pub fn text(&self, symbol: Symbol) -> &str {
        let entry = self.entries[symbol.index()];
        &self.text[entry.start..entry.start + entry.length as usize]
    }

    /// Whether a symbol can be written without bars.
    #[inline]
    pub(crate) fn is_simple(&self, symbol: Symbol) -> bool {
        self.entries[symbol.index()].is_simple
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
        self.entries.len()
    }

    /// Whether there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

fn hash_text(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_equal_symbols() {
        let mut symbols = Symbols::new();
        let x = symbols.intern("x");
        let y = symbols.intern("y");
        assert_ne!(x, y);
        assert_eq!(symbols.intern("x"), x);
        assert_eq!(symbols.text(y), "y");
    }

    #[test]
    fn fresh_symbols_avoid_all_known_texts() {
        let mut symbols = Symbols::new();
        symbols.intern("x_0");
        let fresh = symbols.fresh("x");
        assert_eq!(symbols.text(fresh), "x_1");
    }
}

//! Texts that are interned when this crate is compiled, so that programs start with them.

use super::{Entry, Symbol, Wanted};
use crate::hash_index::FixedIndex;

/// A table of texts that does not grow.
#[derive(Debug)]
pub(crate) struct FixedSymbols {
    /// All texts, one after the other.
    text: [u8; Self::TEXT_ROOM],
    text_length: usize,
    entries: [Entry; Self::ROOM],
    count: usize,
    index: FixedIndex<{ 2 * Self::ROOM }>,
}

impl FixedSymbols {
    /// So many texts fit.
    pub(crate) const ROOM: usize = 512;
    /// So many bytes fit.
    const TEXT_ROOM: usize = 16 * Self::ROOM;

    /// No text.
    pub(crate) const fn new() -> Self {
        FixedSymbols {
            text: [0; Self::TEXT_ROOM],
            text_length: 0,
            entries: [Entry { prefix: 0, start: 0, length: 0 }; Self::ROOM],
            count: 0,
            index: FixedIndex::new(),
        }
    }

    /// How many texts there are.
    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    /// The number of a text.
    pub(crate) const fn intern(&mut self, text: &str) -> usize {
        let wanted = Wanted::new(text.as_bytes(), 0, text.len());
        if let Some(symbol) = self.find(wanted) {
            return symbol.0 as usize;
        }
        let number = self.count;
        self.entries[number] = Entry::new(text, wanted.prefix, self.text_length);
        self.index.insert(wanted.hash, number as u32);
        self.count += 1;
        let (_, room) = self.text.split_at_mut(self.text_length);
        room.split_at_mut(text.len()).0.copy_from_slice(text.as_bytes());
        self.text_length += text.len();
        number
    }

    #[inline]
    pub(super) const fn find(&self, wanted: Wanted<'_>) -> Option<Symbol> {
        let mut position = 0;
        while let Some(number) = self.index.candidate(wanted.hash, position) {
            if self.is_at(self.entries[number as usize], wanted) {
                return Some(Symbol(number));
            }
            position += 1;
        }
        None
    }

    const fn is_at(&self, entry: Entry, wanted: Wanted<'_>) -> bool {
        if entry.prefix != wanted.prefix || entry.length() != wanted.bytes.len() {
            return false;
        }
        let mut at = 8;
        while at < wanted.bytes.len() {
            if self.text[entry.start as usize + at] != wanted.bytes[at] {
                return false;
            }
            at += 1;
        }
        true
    }

    /// The symbol of a text.
    pub(crate) fn get(&self, text: &str) -> Option<Symbol> {
        self.find(Wanted::new(text.as_bytes(), 0, text.len()))
    }

    /// The text of a symbol.
    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        std::str::from_utf8(&self.text[self.entry(symbol).range()]).expect("it is made of whole texts")
    }

    /// Where the text of a symbol stands.
    #[inline]
    pub(super) fn entry(&self, symbol: Symbol) -> Entry {
        self.entries[symbol.index()]
    }
}

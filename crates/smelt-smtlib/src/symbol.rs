//! Interned text: names of symbols, texts of literals, spellings of opaque operators.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// A text that stands in a [`Symbols`] table; equal texts are equal symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table of all interned texts.
#[derive(Debug, Clone)]
pub struct Symbols {
    /// All texts, one after the other; text `i` ends at `ends[i]`.
    text: String,
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl Symbols {
    /// A table that holds the spellings of the operator table under fixed ids and nothing else.
    pub(crate) fn new() -> Self {
        Symbols { text: String::new(), ends: Vec::new(), table: HashTable::new() }
    }

    /// The symbol of a text.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let hash = hash_text(text.as_bytes());
        let Symbols { text: all, ends, table } = self;
        if let Some(&id) = table.find(hash, |&id| text_at(all, ends, id) == text) {
            return Symbol(id);
        }
        let id = u32::try_from(ends.len()).expect("fewer than 2^32 distinct texts fit in memory");
        all.push_str(text);
        ends.push(all.len());
        table.insert_unique(hash, id, |&id| hash_text(text_at(all, ends, id).as_bytes()));
        Symbol(id)
    }

    /// The symbol of a text, if it was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        let hash = hash_text(text.as_bytes());
        self.table.find(hash, |&id| text_at(&self.text, &self.ends, id) == text).map(|&id| Symbol(id))
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        text_at(&self.text, &self.ends, symbol.0)
    }

    /// A symbol whose text starts with `stem` and that was never interned before.
    pub fn fresh(&mut self, stem: &str) -> Symbol {
        let is_free = |number: u64| self.get(&format!("{stem}_{number}")).is_none();
        // Numbers are given out in order, so the first free one is found by doubling and halving.
        let mut free = 0;
        while !is_free(free) {
            free = 2 * free + 1;
        }
        let mut taken = free / 2;
        while free > taken + 1 {
            let middle = taken + (free - taken) / 2;
            if is_free(middle) {
                free = middle;
            } else {
                taken = middle;
            }
        }
        self.intern(&format!("{stem}_{free}"))
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn text_at<'a>(all: &'a str, ends: &[usize], id: u32) -> &'a str {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &all[start..ends[id]]
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
        for number in 2..1_000 {
            let fresh = symbols.fresh("x");
            assert_eq!(symbols.text(fresh), format!("x_{number}"));
        }
    }
}

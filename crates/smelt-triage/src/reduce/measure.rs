//! How small a script is.
//!
//! Words count first: a script with fewer of them is easier to read, however long they are. A value is simpler than a
//! declared constant, because its declaration may go. Only then come letters, of which `a` is the simplest: formulas that
//! differ in a letter that does not matter become the same.

use rustc_hash::FxHashSet;
use smelt_smtlib::script::Command;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk;

/// More than this is as good as infinite. Products of two such sizes can be computed with.
const MAX_TREE: u64 = 1 << 30;

/// How many nodes a term has when written as a tree, which may be very many in a graph.
pub(super) fn tree_size(terms: &Terms, term: Term) -> u64 {
    walk::tree_size(terms, term).min(MAX_TREE)
}

/// The size of a script; less is better.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Measure {
    words: usize,
    /// Words that are names of declared constants and functions.
    names: usize,
    bytes: usize,
    /// Letters in strings that are no `a`.
    other_letters: usize,
}

impl Measure {
    /// How small a script with this text is.
    pub(super) fn of(terms: &Terms, commands: &[Command], text: &str) -> Self {
        let declared: FxHashSet<&str> = commands
            .iter()
            .filter_map(|command| match command {
                Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => Some(terms.text(*name)),
                _ => None,
            })
            .collect();
        let words = text.split(|letter: char| letter.is_whitespace() || "()".contains(letter));
        let mut measure =
            Measure { words: 0, names: 0, bytes: text.len(), other_letters: other_letters(text) };
        for word in words.filter(|word| !word.is_empty()) {
            measure.words += 1;
            measure.names += usize::from(declared.contains(word.trim_matches('|')));
        }
        measure
    }

    /// What it has without its letters: words, and names among them.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.words, self.names)
    }

    /// How many words it has.
    pub(super) fn words(&self) -> usize {
        self.words
    }
}

/// How many letters between quotes are no `a`.
fn other_letters(text: &str) -> usize {
    let strings = text.split('"').skip(1).step_by(2);
    strings.map(|letters| letters.chars().filter(|letter| *letter != 'a').count()).sum()
}

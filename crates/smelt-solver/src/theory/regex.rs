//! Regular languages for the solver: interned expressions, explored lazily by derivatives.
//!
//! A [`Regexes`] owns expressions and hands out ids of type [`Re`]. The constructors (`build`, `repeat`, `preimage`)
//! keep a normal form, so that equal ids catch most equal languages and lazy exploration closes. Transitions
//! (`derive`) are lists of disjoint intervals of letters, computed once per node; nothing walks over single letters.
//! On top of them: membership, emptiness and words (`search`), lengths (`lengths`), mirror images (`reverse`), the
//! letters that a problem tells apart (`alphabet`), and the way from terms to expressions (`convert`).
//!
//! Constructors do bounded work and cannot fail. Whatever explores takes a [`Budget`](smelt_semantics::Budget) and
//! may end in [`LimitReached`](smelt_semantics::LimitReached), which means "unknown" and nothing else. Nothing
//! recurses over the depth of an expression, and counters of loops are never unrolled.
//!
//! Follows Brzozowski, «Derivatives of regular expressions», 1964, and Stanford, Veanes and Bjørner, «Symbolic Boolean
//! derivatives for efficiently solving extended regular expression constraints», 2021.

pub mod alphabet;
mod build;
pub mod convert;
mod derive;
pub mod lengths;
mod path;
mod preimage;
pub mod progression;
mod repeat;
mod replaced;
mod reverse;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use derive::Transition;
pub use path::Cut;
pub use preimage::LetterMap;
use progression::Progression;
pub use replaced::{Occurrences, Replacement};
pub use search::{Emptiness, Wanted};
use smelt_semantics::letters::LetterSet;

/// A regular expression of one [`Regexes`]. Meaningless in any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Re(u32);

impl Re {
    /// The empty language.
    pub const NONE: Re = Re(0);
    /// The language of the empty word alone.
    pub const EMPTY_WORD: Re = Re(1);
    /// All words of length one.
    pub const ALLCHAR: Re = Re(2);
    /// All words.
    pub const ALL: Re = Re(3);
}

/// An expression in normal form; what the forms exclude is said at each variant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// One letter of a set. The empty set is [`Re::NONE`].
    Letters(LetterSet),
    /// The empty word.
    EmptyWord,
    /// The letters of a text from `start` on, at least two.
    Word { word: u32, start: u32 },
    /// Neither side is the empty word or the empty language, and `head` is no concatenation.
    Concat { head: Re, tail: Re },
    /// At least two operands, sorted, none of them a union.
    Union(Box<[Re]>),
    /// At least two operands, sorted, none of them an intersection.
    Inter(Box<[Re]>),
    /// The operand is no complement.
    Complement(Re),
    /// The body is neither empty nor the empty word; the counts are none of 0..0, 0..1, 1..1.
    Loop { body: Re, min: u64, max: Option<u64> },
    /// The words that a map of letters to words takes into the language of `body`.
    Preimage { map: u32, body: Re },
    /// The words by which `from` becomes its derivative `to`.
    Path { from: Re, to: Re },
    /// The words that a replacement takes into a language, after some of them have been read.
    Replaced { replacement: u32, state: u32, body: Re, flushed: Re },
}

/// What is known about the emptiness of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Life {
    Unknown,
    /// There is a word.
    Live,
    /// There is none.
    Dead,
}

#[derive(Debug)]
struct Entry {
    node: Arc<Node>,
    is_nullable: bool,
    life: Life,
    lengths: Progression,
    transitions: Option<Arc<[Transition]>>,
}

/// An arena of regular expressions.
#[derive(Debug)]
pub struct Regexes {
    /// Indexed by [`Re`]. Operands have smaller ids than the nodes that use them.
    entries: Vec<Entry>,
    ids: FxHashMap<Arc<Node>, Re>,
    /// The texts of [`Node::Word`], without repetition.
    words: Vec<Arc<[u32]>>,
    word_ids: FxHashMap<Arc<[u32]>, u32>,
    /// The maps of [`Node::Preimage`], without repetition.
    maps: Vec<Arc<LetterMap>>,
    map_ids: FxHashMap<Arc<LetterMap>, u32>,
    /// The replacements of [`Node::Replaced`], without repetition.
    replacements: Vec<Arc<Replacement>>,
    replacement_ids: FxHashMap<Arc<Replacement>, u32>,
    /// Mirror images found so far.
    mirrored: FxHashMap<Re, Re>,
    /// Steps that constructors have taken; exploration charges them to its budget.
    work: u64,
}

impl Default for Regexes {
    fn default() -> Self {
        Regexes::new()
    }
}

impl Regexes {
    /// An arena with the constants only.
    pub fn new() -> Self {
        let mut regexes = Regexes {
            entries: Vec::new(),
            ids: FxHashMap::default(),
            words: Vec::new(),
            word_ids: FxHashMap::default(),
            maps: Vec::new(),
            map_ids: FxHashMap::default(),
            replacements: Vec::new(),
            replacement_ids: FxHashMap::default(),
            mirrored: FxHashMap::default(),
            work: 0,
        };
        regexes.intern(Node::Letters(LetterSet::empty()));
        regexes.intern(Node::EmptyWord);
        regexes.intern(Node::Letters(LetterSet::full()));
        regexes.intern(Node::Loop { body: Re::ALLCHAR, min: 0, max: None });
        regexes
    }

    /// How many expressions there are: a measure of the memory in use.
    pub fn node_count(&self) -> usize {
        self.entries.len()
    }

    /// Whether the language contains the empty word.
    pub fn is_nullable(&self, re: Re) -> bool {
        self.entry(re).is_nullable
    }

    /// A cheap account of the lengths of words: contains all that occur.
    pub fn progression(&self, re: Re) -> Progression {
        self.entry(re).lengths
    }

    /// Whether the language is a set of letters.
    pub fn as_letters(&self, re: Re) -> Option<&LetterSet> {
        match self.node(re) {
            Node::Letters(letters) => Some(letters),
            _ => None,
        }
    }

    /// The only word of the language, where that is seen without a search.
    pub fn as_word(&self, re: Re) -> Option<Vec<u32>> {
        let mut letters = Vec::new();
        let mut rest = re;
        loop {
            let (head, tail) = match *self.node(rest) {
                Node::Concat { head, tail } => (head, Some(tail)),
                _ => (rest, None),
            };
            match self.node(head) {
                Node::EmptyWord => {}
                Node::Word { word, start } => letters.extend_from_slice(self.word_letters(*word, *start)),
                Node::Letters(set) if set.len() == 1 => letters.extend(set.pick_one()),
                _ => return None,
            }
            match tail {
                Some(tail) => rest = tail,
                None => return Some(letters),
            }
        }
    }

    fn entry(&self, re: Re) -> &Entry {
        &self.entries[re.0 as usize]
    }

    pub(crate) fn node(&self, re: Re) -> &Node {
        &self.entry(re).node
    }

    /// The node in a form that outlives changes of the arena.
    fn shared_node(&self, re: Re) -> Arc<Node> {
        self.entry(re).node.clone()
    }

    /// The letters of a [`Node::Word`].
    pub(crate) fn word_letters(&self, word: u32, start: u32) -> &[u32] {
        &self.words[word as usize][start as usize..]
    }

    pub(crate) fn map(&self, map: u32) -> &Arc<LetterMap> {
        &self.maps[map as usize]
    }

    /// The id of a node in normal form, old or new.
    fn intern(&mut self, node: Node) -> Re {
        self.work += 1;
        if let Some(&re) = self.ids.get(&node) {
            return re;
        }
        let re = Re(u32::try_from(self.entries.len()).expect("fewer than 2^32 expressions fit in memory"));
        let is_nullable = self.is_node_nullable(&node);
        let life = if is_nullable { Life::Live } else { self.node_life(&node) };
        let lengths = self.node_lengths(&node);
        let node = Arc::new(node);
        self.entries.push(Entry { node: node.clone(), is_nullable, life, lengths, transitions: None });
        self.ids.insert(node, re);
        re
    }

    fn is_node_nullable(&self, node: &Node) -> bool {
        match node {
            Node::Letters(_) | Node::Word { .. } => false,
            Node::EmptyWord => true,
            Node::Concat { head, tail } => self.is_nullable(*head) && self.is_nullable(*tail),
            Node::Union(operands) => operands.iter().any(|&operand| self.is_nullable(operand)),
            Node::Inter(operands) => operands.iter().all(|&operand| self.is_nullable(operand)),
            Node::Complement(operand) => !self.is_nullable(*operand),
            Node::Loop { body, min, .. } => *min == 0 || self.is_nullable(*body),
            Node::Preimage { body, .. } => self.is_nullable(*body),
            Node::Path { from, to } => from == to,
            Node::Replaced { flushed, .. } => self.is_nullable(*flushed),
        }
    }

    /// What the parts say about the emptiness of the whole.
    fn node_life(&self, node: &Node) -> Life {
        let life = |re: &Re| self.entry(*re).life;
        match node {
            Node::Letters(letters) if letters.is_empty() => Life::Dead,
            Node::Letters(_) | Node::EmptyWord | Node::Word { .. } => Life::Live,
            Node::Concat { head, tail } => match (life(head), life(tail)) {
                (Life::Live, Life::Live) => Life::Live,
                (Life::Dead, _) | (_, Life::Dead) => Life::Dead,
                _ => Life::Unknown,
            },
            Node::Union(operands) if operands.iter().any(|re| life(re) == Life::Live) => Life::Live,
            Node::Union(operands) if operands.iter().all(|re| life(re) == Life::Dead) => Life::Dead,
            Node::Inter(operands) if operands.iter().any(|re| life(re) == Life::Dead) => Life::Dead,
            // A loop that need not run contains the empty word and never gets here.
            Node::Loop { body, .. } => life(body),
            // A language whose words have a largest length is not all.
            Node::Complement(operand) if self.progression(*operand).max.is_some() => Life::Live,
            Node::Preimage { body, .. } if life(body) == Life::Dead => Life::Dead,
            Node::Union(_)
            | Node::Inter(_)
            | Node::Complement(_)
            | Node::Preimage { .. }
            | Node::Path { .. }
            | Node::Replaced { .. } => Life::Unknown,
        }
    }

    fn node_lengths(&self, node: &Node) -> Progression {
        match node {
            Node::Letters(letters) if letters.is_empty() => {
                Progression { is_exact: false, ..Progression::single(0) }
            }
            Node::Letters(_) => Progression::single(1),
            Node::EmptyWord => Progression::single(0),
            Node::Word { word, start } => Progression::single(self.word_letters(*word, *start).len() as u64),
            Node::Concat { head, tail } => self.progression(*head).plus(&self.progression(*tail)),
            Node::Union(operands) => {
                let mut lengths = operands.iter().map(|&re| self.progression(re));
                let first = lengths.next().expect("a union has two operands");
                lengths.fold(first, |all, next| all.or(&next))
            }
            Node::Inter(operands) => {
                let mut lengths = operands.iter().map(|&re| self.progression(re));
                let common = lengths.try_fold(Progression::any(), |common, next| common.and(&next));
                // Another order of the operands may have kept a coarser grid and let the node through.
                common.unwrap_or_else(Progression::any)
            }
            Node::Complement(operand) => Progression::between(u64::from(self.is_nullable(*operand)), None),
            Node::Loop { body, min, max } => self.progression(*body).times(*min, *max),
            Node::Preimage { map, body } => self.map(*map).source_lengths(&self.progression(*body)),
            Node::Path { from, to } => Progression::between(u64::from(from != to), None),
            Node::Replaced { replacement, state, body, .. } => {
                self.replacements[*replacement as usize].source_lengths(*state, &self.progression(*body))
            }
        }
    }
}

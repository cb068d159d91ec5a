//! Regular languages: hash-consed regular expressions with intersection, complement and symbolic counters.
//!
//! A [`Regexes`] owns expressions and hands out ids of type [`Re`]. Two expressions with the same id are the
//! same language; two ids may still denote the same language, which [`Regexes::equal_languages`] decides.
//! Constructors (`build`, `boolean`, `repeat`) apply laws that preserve the language, so that the derivatives
//! (`derive`) of an expression are few. Membership and replacement (`matching`) and emptiness, equality and
//! examples (`search`) walk over derivatives.
//!
//! Expressions come from hostile input: nothing recurses over their depth, counters are never unrolled, and
//! every node and derivative is charged to a [`Budget`]. Nothing is freed before the whole arena is.
//!
//! Follows Brzozowski, «Derivatives of regular expressions», 1964, with the character classes of Owens, Reppy
//! and Turon, «Regular-expression derivatives re-examined», 2009. The laws of counted loops are ours.

mod boolean;
mod build;
mod derive;
mod matching;
mod repeat;
mod search;
#[cfg(test)]
mod tests;

use std::hash::BuildHasher;

use dashu_int::UBig;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::letters::LetterSet;
use crate::string::Str;
use crate::{Budget, LimitReached};

/// Cost of looking a node up; its operands come on top.
const LOOKUP_COST: u64 = 8;
/// Cost of a node that was not there before. High, because nodes are memory that stays.
const NODE_COST: u64 = 128;

/// A regular expression of one [`Regexes`]. Meaningless in any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Re(u32);

impl Re {
    /// `re.none`: the empty language.
    pub const NONE: Re = Re(0);
    /// The language of the empty string alone.
    pub const EPSILON: Re = Re(1);
    /// `re.allchar`: the strings of length one.
    pub const ALLCHAR: Re = Re(2);
    /// `re.all`: all strings.
    pub const ALL: Re = Re(3);
}

/// An arena of regular expressions.
pub struct Regexes {
    /// Indexed by [`Re`]. Operands have smaller ids than the nodes that use them.
    entries: Vec<Entry>,
    /// The ids of all entries, findable by node.
    ids: HashTable<Re>,
    /// The texts of [`Node::Word`], without repetition.
    words: Vec<Str>,
    word_ids: FxHashMap<Str, u32>,
    /// Derivatives found so far.
    derivatives: FxHashMap<(Re, u32), Re>,
}

struct Entry {
    node: Node,
    hash: u64,
    is_nullable: bool,
    has_member: bool,
}

/// An expression in normal form; what the forms exclude is said at each variant.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Node {
    /// One character of a set. The empty set is `re.none`.
    Class(LetterSet),
    Epsilon,
    /// The characters of a text from `start` on, at least two.
    Word {
        word: u32,
        start: u32,
    },
    /// `tail` is not empty, and `head` is no concatenation except for a long one: see `build`.
    Concat {
        head: Re,
        tail: Re,
        factor_count: u32,
    },
    /// At least two operands, sorted, none of them a union except for a long one.
    Union(Box<[Re]>),
    /// At least two operands, sorted, none of them an intersection except for a long one.
    Inter(Box<[Re]>),
    Complement(Re),
    /// The body is neither `re.none` nor the empty string; the counts are none of 0..0, 0..1, 1..1.
    Loop {
        body: Re,
        counts: Box<Counts>,
    },
}

/// How often a loop repeats: from `min` to `max` times, without end if there is no `max`.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Counts {
    min: UBig,
    max: Option<UBig>,
}

impl Regexes {
    /// An arena with the constants only.
    pub fn new() -> Self {
        let mut regexes = Regexes {
            entries: Vec::new(),
            ids: HashTable::new(),
            words: Vec::new(),
            word_ids: FxHashMap::default(),
            derivatives: FxHashMap::default(),
        };
        let any_count = Box::new(Counts { min: UBig::ZERO, max: None });
        regexes.insert(Node::Class(LetterSet::empty()));
        regexes.insert(Node::Epsilon);
        regexes.insert(Node::Class(LetterSet::full()));
        regexes.insert(Node::Loop { body: Re::ALLCHAR, counts: any_count });
        regexes
    }

    /// How many expressions there are: a measure of the memory in use.
    pub fn node_count(&self) -> usize {
        self.entries.len()
    }

    /// Whether the language contains the empty string.
    pub fn is_nullable(&self, re: Re) -> bool {
        self.entry(re).is_nullable
    }

    /// Whether the language is seen to be non-empty without a search.
    fn has_member(&self, re: Re) -> bool {
        self.entry(re).has_member
    }

    fn entry(&self, re: Re) -> &Entry {
        &self.entries[re.0 as usize]
    }

    fn node(&self, re: Re) -> &Node {
        &self.entry(re).node
    }

    /// The characters of a [`Node::Word`].
    fn word_chars(&self, word: u32, start: u32) -> &[u32] {
        &self.words[word as usize].chars()[start as usize..]
    }

    /// The id of a node in normal form, old or new.
    fn intern(&mut self, node: Node, budget: &mut Budget) -> Result<Re, LimitReached> {
        budget.spend(LOOKUP_COST + node.size())?;
        let hash = FxBuildHasher.hash_one(&node);
        let is_same = |&re: &Re| self.entry(re).hash == hash && *self.node(re) == node;
        if let Some(&re) = self.ids.find(hash, is_same) {
            return Ok(re);
        }
        budget.spend(NODE_COST + node.size())?;
        if self.entries.len() >= u32::MAX as usize {
            return Err(LimitReached);
        }
        Ok(self.insert(node))
    }

    fn insert(&mut self, node: Node) -> Re {
        let hash = FxBuildHasher.hash_one(&node);
        let (is_nullable, has_member) = self.facts(&node);
        let re = Re(self.entries.len() as u32);
        self.entries.push(Entry { node, hash, is_nullable, has_member });
        let entries = &self.entries;
        self.ids.insert_unique(hash, re, |re| entries[re.0 as usize].hash);
        re
    }

    /// Whether the language contains the empty string, and whether it certainly contains anything.
    fn facts(&self, node: &Node) -> (bool, bool) {
        let is_nullable = match node {
            Node::Class(_) | Node::Word { .. } => false,
            Node::Epsilon => true,
            Node::Concat { head, tail, .. } => self.is_nullable(*head) && self.is_nullable(*tail),
            Node::Union(operands) => operands.iter().any(|&operand| self.is_nullable(operand)),
            Node::Inter(operands) => operands.iter().all(|&operand| self.is_nullable(operand)),
            Node::Complement(operand) => !self.is_nullable(*operand),
            Node::Loop { body, counts } => counts.min == UBig::ZERO || self.is_nullable(*body),
        };
        let has_member = is_nullable
            || match node {
                Node::Class(class) => !class.is_empty(),
                Node::Epsilon | Node::Word { .. } => true,
                Node::Concat { head, tail, .. } => self.has_member(*head) && self.has_member(*tail),
                Node::Union(operands) => operands.iter().any(|&operand| self.has_member(operand)),
                Node::Loop { body, .. } => self.has_member(*body),
                Node::Inter(_) | Node::Complement(_) => false,
            };
        (is_nullable, has_member)
    }
}

impl Default for Regexes {
    fn default() -> Self {
        Regexes::new()
    }
}

impl Node {
    /// The number of words that the node holds outside of itself.
    fn size(&self) -> u64 {
        match self {
            Node::Class(class) => class.intervals().len() as u64,
            Node::Union(operands) | Node::Inter(operands) => operands.len() as u64,
            Node::Loop { counts, .. } => counts.size(),
            Node::Epsilon | Node::Word { .. } | Node::Concat { .. } | Node::Complement(_) => 0,
        }
    }
}

impl Counts {
    fn size(&self) -> u64 {
        let max_words = self.max.as_ref().map_or(0, |max| max.as_words().len());
        4 + (self.min.as_words().len() + max_words) as u64
    }
}

//! Cells of variables and letters, united by equations, with a proof of every union.
//!
//! A node is a cell of a variable or a letter. Classes are kept by union-find; beside it a forest of *reasons* joins two
//! nodes exactly by the unions that were asked for, so that the path between two nodes of a class explains why they are equal.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::{Budget, LimitReached};

use super::{Piece, Problem, Text, Var};
use crate::theory::regex::Regexes;
use smelt_semantics::letters::{LetterSet, MAX_LETTER};

/// Cost of one cell.
const CELL_COST: u64 = 20;

/// A cell of a variable, or a letter.
pub(super) type NodeId = u32;

/// Why two nodes are equal: a position at which a constraint compares them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Reason {
    pub constraint: u32,
    pub position: u32,
}

/// Two letters that would have to be the same, and why.
#[derive(Debug)]
pub(super) struct Clash {
    pub reasons: Vec<Reason>,
}

#[derive(Debug)]
pub(super) struct Cells {
    /// The first cell of each variable.
    first: Vec<u32>,
    lengths: Vec<u32>,
    parent: Vec<u32>,
    size: Vec<u32>,
    /// At a root: the letter of the class, if it is known.
    letter: Vec<Option<u32>>,
    /// The neighbour towards the root of the tree of reasons.
    reason: Vec<Option<(NodeId, Reason)>>,
    letter_nodes: FxHashMap<u32, NodeId>,
}

impl Cells {
    pub(super) fn new(problem: &Problem, budget: &mut Budget) -> Result<Self, LimitReached> {
        let mut first = Vec::new();
        let mut lengths = Vec::new();
        let mut count: u64 = 0;
        for &len in &problem.lengths {
            budget.spend(len.saturating_mul(CELL_COST))?;
            first.push(count as u32);
            lengths.push(u32::try_from(len).map_err(|_| LimitReached)?);
            count += len;
            u32::try_from(count).map_err(|_| LimitReached)?;
        }
        let count = count as u32;
        Ok(Cells {
            first,
            lengths,
            parent: (0..count).collect(),
            size: vec![1; count as usize],
            letter: vec![None; count as usize],
            reason: vec![None; count as usize],
            letter_nodes: FxHashMap::default(),
        })
    }

    /// The nodes of a text, one per letter.
    pub(super) fn nodes(&mut self, text: &Text, budget: &mut Budget) -> Result<Vec<NodeId>, LimitReached> {
        let mut nodes = Vec::new();
        for piece in text {
            match piece {
                Piece::Var(var) => {
                    let range = self.range(*var);
                    budget.spend(range.len() as u64)?;
                    nodes.extend(range);
                }
                Piece::Word(letters) => {
                    budget.spend(CELL_COST + letters.len() as u64)?;
                    nodes.extend(letters.iter().map(|&letter| self.letter_node(letter)));
                }
            }
        }
        Ok(nodes)
    }

    pub(super) fn letter_node(&mut self, letter: u32) -> NodeId {
        if let Some(&node) = self.letter_nodes.get(&letter) {
            return node;
        }
        let node = self.parent.len() as u32;
        self.parent.push(node);
        self.size.push(1);
        self.letter.push(Some(letter));
        self.reason.push(None);
        self.letter_nodes.insert(letter, node);
        node
    }

    fn range(&self, var: Var) -> std::ops::Range<u32> {
        let first = self.first[var as usize];
        first..first + self.lengths[var as usize]
    }

    /// The representative of the class of a node.
    pub(super) fn find(&mut self, node: NodeId) -> NodeId {
        let mut root = node;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut current = node;
        while current != root {
            current = std::mem::replace(&mut self.parent[current as usize], root);
        }
        root
    }

    /// The letter of the class, if it is known.
    pub(super) fn letter_of(&mut self, node: NodeId) -> Option<u32> {
        let root = self.find(node);
        self.letter[root as usize]
    }

    /// Makes two nodes equal.
    pub(super) fn unite(&mut self, left: NodeId, right: NodeId, reason: Reason) -> Result<(), Clash> {
        let (mut small, mut large) = (self.find(left), self.find(right));
        if small == large {
            return Ok(());
        }
        let (mut inner, mut outer) = (left, right);
        if self.size[small as usize] > self.size[large as usize] {
            (small, large) = (large, small);
            (inner, outer) = (outer, inner);
        }
        let (small_letter, large_letter) = (self.letter[small as usize], self.letter[large as usize]);
        self.make_tree_root(inner);
        self.reason[inner as usize] = Some((outer, reason));
        self.parent[small as usize] = large;
        self.size[large as usize] += self.size[small as usize];
        self.letter[large as usize] = large_letter.or(small_letter);
        match (small_letter, large_letter) {
            (Some(one), Some(two)) => {
                let (one, two) = (self.letter_nodes[&one], self.letter_nodes[&two]);
                Err(Clash { reasons: self.explain(one, two) })
            }
            _ => Ok(()),
        }
    }

    /// Turns the edges between a node and the root of its tree around.
    fn make_tree_root(&mut self, node: NodeId) {
        let mut edge = self.reason[node as usize].take();
        let mut previous = node;
        while let Some((next, reason)) = edge {
            edge = self.reason[next as usize].replace((previous, reason));
            previous = next;
        }
    }

    /// The reasons on the path between two nodes of the same class.
    pub(super) fn explain(&self, left: NodeId, right: NodeId) -> Vec<Reason> {
        let mut above = FxHashSet::from_iter([left]);
        let mut current = left;
        while let Some((next, _)) = self.reason[current as usize] {
            above.insert(next);
            current = next;
        }
        let mut reasons = Vec::new();
        let mut meeting = right;
        while !above.contains(&meeting) {
            let (next, reason) = self.reason[meeting as usize].expect("the nodes are in one tree");
            reasons.push(reason);
            meeting = next;
        }
        let mut current = left;
        while current != meeting {
            let (next, reason) = self.reason[current as usize].expect("the nodes are in one tree");
            reasons.push(reason);
            current = next;
        }
        reasons
    }

    /// All constraints that had a part in the classes of these nodes.
    pub(super) fn constraints_behind(&mut self, nodes: impl Iterator<Item = NodeId>) -> FxHashSet<u32> {
        let roots: FxHashSet<NodeId> = nodes.map(|node| self.find(node)).collect();
        let mut constraints = FxHashSet::default();
        for node in 0..self.parent.len() as u32 {
            if let Some((_, reason)) = self.reason[node as usize]
                && roots.contains(&self.find(node))
            {
                constraints.insert(reason.constraint);
            }
        }
        constraints
    }

    /// Words for all variables; `letter_of_class` gives the letters of classes without a known one.
    pub(super) fn words(&mut self, mut letter_of_class: impl FnMut(NodeId) -> Option<u32>) -> Vec<Vec<u32>> {
        const DEFAULT: u32 = 'a' as u32;
        (0..self.first.len() as u32)
            .map(|var| {
                let cells = self.range(var);
                cells
                    .map(|cell| {
                        let root = self.find(cell);
                        self.letter[root as usize].or_else(|| letter_of_class(root)).unwrap_or(DEFAULT)
                    })
                    .collect()
            })
            .collect()
    }

    /// Words in which every class without a known letter has one that occurs nowhere else, as far as there are enough.
    pub(super) fn words_of_distinct_letters(
        &mut self,
        problem: &Problem,
        regexes: &Regexes,
    ) -> Vec<Vec<u32>> {
        let mut taken: FxHashSet<u32> = self.letter_nodes.keys().copied().collect();
        for constraint in &problem.constraints {
            if let super::Constraint::Member(_, re) = constraint {
                let sets = regexes.letter_sets(*re);
                taken.extend(sets.iter().filter(|set| set.len() == 1).filter_map(LetterSet::pick_one));
            }
        }
        let readable =
            ('a' as u32..='z' as u32).chain('A' as u32..='Z' as u32).chain('!' as u32..='~' as u32);
        let mut fresh =
            readable.chain(0xa1..=MAX_LETTER).chain(0..0xa1).filter(|letter| taken.insert(*letter));
        let mut chosen: FxHashMap<NodeId, u32> = FxHashMap::default();
        self.words(|class| {
            if let Some(&letter) = chosen.get(&class) {
                return Some(letter);
            }
            let letter = fresh.next()?;
            chosen.insert(class, letter);
            Some(letter)
        })
    }
}

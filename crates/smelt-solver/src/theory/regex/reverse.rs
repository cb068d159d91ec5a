//! Mirror images of languages.
//!
//! What needs exponentially many states when read forwards often needs few when read backwards.

use smelt_semantics::{Budget, LimitReached};

use super::{Node, Re, Regexes};

/// Cost of one node.
const NODE_COST: u64 = 200;

impl Regexes {
    /// The language of all words of `re` read backwards. Ways between derivatives and replacements cannot
    /// be mirrored.
    pub fn reverse(&mut self, re: Re, budget: &mut Budget) -> Result<Re, LimitReached> {
        let mut pending = vec![re];
        while let Some(&top) = pending.last() {
            if self.mirrored.contains_key(&top) {
                pending.pop();
                continue;
            }
            budget.spend(NODE_COST)?;
            let node = self.shared_node(top);
            if let Node::Path { .. } | Node::Replaced { .. } = *node {
                // The ways back are no derivatives, and a search from the right finds other occurrences.
                return Err(LimitReached);
            }
            let parts = self.parts_to_mirror(top, &node);
            let open = pending.len();
            pending.extend(parts.iter().filter(|part| !self.mirrored.contains_key(part)));
            if pending.len() > open {
                continue;
            }
            let work_before = self.work;
            let mut mirrored_parts: Vec<Re> = parts.iter().map(|part| self.mirrored[part]).collect();
            let mirrored = match &*node {
                Node::Letters(_) | Node::EmptyWord | Node::Path { .. } | Node::Replaced { .. } => top,
                Node::Word { word, start } => {
                    let letters: Vec<u32> = self.word_letters(*word, *start).iter().rev().copied().collect();
                    self.word(&letters)
                }
                Node::Concat { .. } => {
                    mirrored_parts.reverse();
                    self.concat(&mirrored_parts)
                }
                Node::Union(_) => self.union(&mirrored_parts),
                Node::Inter(_) => self.inter(&mirrored_parts),
                Node::Complement(_) => self.complement(mirrored_parts[0]),
                Node::Loop { min, max, .. } => self.repeat(mirrored_parts[0], *min, *max),
                Node::Preimage { map, .. } => {
                    let map = self.map(*map).mirrored();
                    self.preimage(&map, mirrored_parts[0])
                }
            };
            self.mirrored.insert(top, mirrored);
            budget.spend((self.work - work_before).saturating_mul(NODE_COST / 4))?;
            pending.pop();
        }
        Ok(self.mirrored[&re])
    }

    /// The parts whose mirror images make that of the node; all factors of a concatenation at once.
    fn parts_to_mirror(&self, re: Re, node: &Node) -> Vec<Re> {
        match node {
            Node::Letters(_)
            | Node::EmptyWord
            | Node::Word { .. }
            | Node::Path { .. }
            | Node::Replaced { .. } => Vec::new(),
            Node::Concat { .. } => self.factors(re),
            Node::Union(operands) | Node::Inter(operands) => operands.to_vec(),
            Node::Complement(part) | Node::Loop { body: part, .. } | Node::Preimage { body: part, .. } => {
                vec![*part]
            }
        }
    }
}

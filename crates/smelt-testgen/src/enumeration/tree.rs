//! Derivation trees, and the step from one to the next in the order of the enumeration.
//!
//! A tree is a list of nodes in preorder. Every node is one decision: the size of the tree below it, then its
//! production; the enumeration orders trees by their decisions from left to right. So the next tree has the last
//! decision that can be taken differently taken so, and all decisions after it anew, as an odometer turns. The text is
//! kept along with the nodes, and only what stands behind the changed decision is written again; no big number is
//! looked at but for whether it is zero.

use super::rules::{NonterminalId, Production, Rules};
use super::table::Table;

/// The parent of the root.
pub(super) const NO_NODE: u32 = u32::MAX;

/// A node of a derivation tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub nonterminal: NonterminalId,
    pub production: u32,
    /// The size of the tree below, with this node.
    pub size: u32,
    /// The size that this node and its later siblings share.
    pub rest: u32,
    pub parent: u32,
    /// Which child of its parent it is.
    pub slot: u32,
    /// Where its text begins.
    pub text_start: u32,
}

/// A derivation tree with its text.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    /// In preorder.
    pub nodes: Vec<Node>,
    pub text: String,
}

impl Tree {
    /// The first tree of a size; none if there is none.
    pub fn first(rules: &Rules, table: &Table, size: u32) -> Option<Tree> {
        let production = first_production(rules, table, rules.start, size, 0)?;
        let mut tree = Tree::default();
        tree.push(rules.start, production, size, size, NO_NODE, 0);
        tree.fill(rules, table, 0);
        Some(tree)
    }

    pub fn push(
        &mut self,
        nonterminal: NonterminalId,
        production: u32,
        size: u32,
        rest: u32,
        parent: u32,
        slot: u32,
    ) -> u32 {
        let text_start = self.text.len() as u32;
        self.nodes.push(Node { nonterminal, production, size, rest, parent, slot, text_start });
        (self.nodes.len() - 1) as u32
    }

    /// Goes on to the next tree of the same size; false if this is the last.
    pub fn advance(&mut self, rules: &Rules, table: &Table) -> bool {
        while let Some(node) = self.nodes.last() {
            if let Some((size, production)) = self.next_decision(rules, table, node) {
                let last = self.nodes.len() - 1;
                self.text.truncate(node.text_start as usize);
                let node = &mut self.nodes[last];
                node.size = size;
                node.production = production;
                self.fill(rules, table, last as u32);
                return true;
            }
            self.nodes.pop();
        }
        false
    }

    /// The next size and production for a node if everything before it stays as it is.
    fn next_decision(&self, rules: &Rules, table: &Table, node: &Node) -> Option<(u32, u32)> {
        if let Some(production) =
            first_production(rules, table, node.nonterminal, node.size, node.production + 1)
        {
            return Some((node.size, production));
        }
        if node.parent == NO_NODE {
            return None;
        }
        let parent = &self.nodes[node.parent as usize];
        let size = next_size(rules, table, parent, node.slot, node.rest, node.size + 1)?;
        Some((size, first_production(rules, table, node.nonterminal, size, 0)?))
    }

    /// Completes the tree below and behind a node with first decisions.
    fn fill(&mut self, rules: &Rules, table: &Table, from: u32) {
        let mut current = from;
        let mut slot = 0;
        let mut rest = {
            let node = &self.nodes[from as usize];
            node.size - production_of(rules, node).cost
        };
        loop {
            let node = self.nodes[current as usize];
            let production = production_of(rules, &node);
            let text_end = self.text.len();
            self.text.push_str(&production.texts[slot as usize]);
            if let Some(child) = production.children.get(slot as usize) {
                if production.is_unordered
                    && slot == 1
                    && production.children[0] == *child
                    && self.nodes[current as usize + 1].size == rest
                {
                    self.copy_sibling(current, text_end);
                    slot = 2;
                    continue;
                }
                let size = next_size(rules, table, &node, slot, rest, 0)
                    .expect("a production that derives trees has sizes for its children");
                let first = first_production(rules, table, *child, size, 0)
                    .expect("a nonterminal that derives trees of a size has a production for it");
                current = self.push(*child, first, size, rest, current, slot);
                slot = 0;
                rest = size - production_of(rules, &self.nodes[current as usize]).cost;
            } else {
                if node.parent == NO_NODE {
                    return;
                }
                rest = node.rest - node.size;
                slot = node.slot + 1;
                current = node.parent;
            }
        }
    }

    /// Makes the second child of a node the same as the first, which ends at `text_end`.
    fn copy_sibling(&mut self, parent: u32, text_end: usize) {
        let first = parent as usize + 1;
        let shift = (self.nodes.len() - first) as u32;
        let text_start = self.nodes[first].text_start as usize;
        let text_shift = (self.text.len() - text_start) as u32;
        for position in first..self.nodes.len() {
            let mut node = self.nodes[position];
            if node.parent == parent {
                node.slot = 1;
                node.rest = node.size;
            } else {
                node.parent += shift;
            }
            node.text_start += text_shift;
            self.nodes.push(node);
        }
        self.text.extend_from_within(text_start..text_end);
    }
}

pub(super) fn production_of<'r>(rules: &'r Rules, node: &Node) -> &'r Production {
    &rules.nonterminals[node.nonterminal as usize].productions[node.production as usize]
}

/// The first production from this one on that derives trees of a size.
fn first_production(
    rules: &Rules,
    table: &Table,
    nonterminal: NonterminalId,
    size: u32,
    from: u32,
) -> Option<u32> {
    let count = rules.nonterminals[nonterminal as usize].productions.len() as u32;
    (from..count).find(|production| !table.production(rules, nonterminal, *production, size).is_zero())
}

/// The smallest size from this one on for a child, if the child and its later siblings have `rest` together.
fn next_size(rules: &Rules, table: &Table, parent: &Node, slot: u32, rest: u32, from: u32) -> Option<u32> {
    let production = production_of(rules, parent);
    let child = production.children[slot as usize];
    let Some(tail) = table.tails_of(parent.nonterminal, parent.production).get(slot as usize + 1) else {
        return (from <= rest && !table.count(child, rest).is_zero()).then_some(rest);
    };
    let most = if production.is_unordered { rest / 2 } else { rest };
    (from..=most)
        .find(|size| !table.count(child, *size).is_zero() && !table.tail(*tail, rest - size).is_zero())
}

//! From the text of a formula to its derivation tree.
//!
//! Earley's algorithm over tokens, without recursion. No rule derives the empty text, so what is completed at a place
//! was begun before it. Spaces, line breaks and comments of the text do not count.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lexer::lexemes;
use super::rules::{NonterminalId, Rules, Symbol};
use super::tree::{NO_NODE, Node, Tree, production_of};

/// A right side of which some symbols were found.
#[derive(Debug, Clone, Copy)]
struct Item {
    nonterminal: NonterminalId,
    production: u32,
    found: u32,
    /// Where its first symbol began.
    origin: u32,
    /// The same with one symbol less.
    previous: u32,
    /// The completed item of the last symbol, if that is a child.
    child: u32,
}

const NONE: u32 = u32::MAX;

/// A derivation of this text from the start; none if there is none.
pub(super) fn recognise(rules: &Rules, text: &str) -> Option<Tree> {
    let items = Chart::new(rules).read(text)?;
    let mut tree = tree_of(rules, &items);
    set_sizes(rules, &mut tree);
    Some(tree)
}

struct Chart<'r> {
    rules: &'r Rules,
    token_ids: FxHashMap<&'r str, u32>,
    /// By nonterminal and production.
    right_sides: Vec<Vec<Vec<Wanted>>>,
    items: Vec<Item>,
}

/// A symbol of a right side with tokens as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Token(u32),
    Child(NonterminalId),
}

impl<'r> Chart<'r> {
    fn new(rules: &'r Rules) -> Self {
        let mut token_ids = FxHashMap::default();
        let right_sides = rules
            .nonterminals
            .iter()
            .map(|nonterminal| {
                let right_side = |production: &'r super::rules::Production| {
                    let number = |symbol| match symbol {
                        Symbol::Child(child) => Wanted::Child(child),
                        Symbol::Token(token) => {
                            let next = token_ids.len() as u32;
                            Wanted::Token(*token_ids.entry(token).or_insert(next))
                        }
                    };
                    production.symbols().into_iter().map(number).collect()
                };
                nonterminal.productions.iter().map(right_side).collect()
            })
            .collect();
        Chart { rules, token_ids, right_sides, items: Vec::new() }
    }

    fn wanted(&self, item: &Item) -> Option<Wanted> {
        self.right_sides[item.nonterminal as usize][item.production as usize]
            .get(item.found as usize)
            .copied()
    }

    /// All items, the last of which is a completed production of the start over the whole text.
    fn read(mut self, text: &str) -> Option<Vec<Item>> {
        let tokens: Vec<u32> = lexemes(text)
            .into_iter()
            .map(|lexeme| self.token_ids.get(lexeme.text).copied())
            .collect::<Option<_>>()?;
        // For each place the items that wait there for a child.
        let mut waiting: Vec<FxHashMap<NonterminalId, Vec<u32>>> = Vec::new();
        // Items that were moved over the token before the place.
        let mut moved: Vec<Item> = Vec::new();
        for place in 0..=tokens.len() {
            let next_token = tokens.get(place).copied();
            let mut waiting_here: FxHashMap<NonterminalId, Vec<u32>> = FxHashMap::default();
            let mut known: FxHashSet<(NonterminalId, u32, u32, u32)> = FxHashSet::default();
            let mut next = self.items.len();
            for item in moved.drain(..) {
                known.insert((item.nonterminal, item.production, item.found, item.origin));
                self.items.push(item);
            }
            if place == 0 {
                self.predict(self.rules.start, 0, next_token);
                waiting_here.entry(self.rules.start).or_default();
            } else if next == self.items.len() {
                return None;
            }
            while next < self.items.len() {
                let item = self.items[next];
                match self.wanted(&item) {
                    Some(Wanted::Token(token)) => {
                        if Some(token) == next_token {
                            moved.push(Item {
                                found: item.found + 1,
                                previous: next as u32,
                                child: NONE,
                                ..item
                            });
                        }
                    }
                    Some(Wanted::Child(child)) => {
                        let is_new = !waiting_here.contains_key(&child);
                        waiting_here.entry(child).or_default().push(next as u32);
                        if is_new {
                            self.predict(child, place as u32, next_token);
                        }
                    }
                    None => {
                        // What was completed began at an earlier place, because nothing derives the empty text.
                        let waiters = waiting[item.origin as usize].get(&item.nonterminal);
                        for waiter in waiters.into_iter().flatten() {
                            let waiter_item = self.items[*waiter as usize];
                            let moved = Item {
                                found: waiter_item.found + 1,
                                previous: *waiter,
                                child: next as u32,
                                ..waiter_item
                            };
                            if known.insert((moved.nonterminal, moved.production, moved.found, moved.origin))
                            {
                                self.items.push(moved);
                            }
                        }
                        let is_all = item.nonterminal == self.rules.start && item.origin == 0;
                        if is_all && place == tokens.len() {
                            self.items.truncate(next + 1);
                            return Some(self.items);
                        }
                    }
                }
                next += 1;
            }
            waiting.push(waiting_here);
        }
        None
    }

    /// Begins the productions of a nonterminal that can go on with the next token.
    fn predict(&mut self, nonterminal: NonterminalId, origin: u32, next_token: Option<u32>) {
        for (production, right_side) in self.right_sides[nonterminal as usize].iter().enumerate() {
            let is_possible = match right_side.first() {
                Some(Wanted::Token(token)) => Some(*token) == next_token,
                _ => true,
            };
            if is_possible {
                self.items.push(Item {
                    nonterminal,
                    production: production as u32,
                    found: 0,
                    origin,
                    previous: NONE,
                    child: NONE,
                });
            }
        }
    }
}

/// The nodes of the tree whose root is the last item, in preorder.
fn tree_of(rules: &Rules, items: &[Item]) -> Tree {
    let mut tree = Tree::default();
    let mut open = vec![(items.len() as u32 - 1, NO_NODE, 0)];
    while let Some((position, parent, slot)) = open.pop() {
        let item = items[position as usize];
        let node = tree.push(item.nonterminal, item.production, 0, 0, parent, slot);
        // The last child is found first and must be taken last.
        let mut slot =
            rules.nonterminal(item.nonterminal).productions[item.production as usize].children.len();
        let mut at = position;
        while at != NONE {
            let Item { previous, child, .. } = items[at as usize];
            if child != NONE {
                slot -= 1;
                open.push((child, node, slot as u32));
            }
            at = previous;
        }
    }
    tree
}

/// Sets the sizes of all nodes, which were zero.
fn set_sizes(rules: &Rules, tree: &mut Tree) {
    for position in (0..tree.nodes.len()).rev() {
        let cost = production_of(rules, &tree.nodes[position]).cost;
        tree.nodes[position].size += cost;
        let Node { size, parent, .. } = tree.nodes[position];
        if parent != NO_NODE {
            tree.nodes[parent as usize].size += size;
        }
    }
}

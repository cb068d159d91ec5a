//! From an index to a tree and back.
//!
//! The trees of one size are numbered by their decisions from left to right (see `tree.rs`), so an index is taken apart
//! by subtracting whole blocks of trees and dividing by the number of ways to complete what was decided.

use dashu_int::UBig;
use dashu_int::ops::{DivRem, SquareRoot};

use super::rules::Rules;
use super::table::{Table, TailId, triangle};
use super::tree::{NO_NODE, Tree, production_of};

/// The tree with this index among those of a size. The index must be smaller than their number.
pub(super) fn unrank(rules: &Rules, table: &Table, size: u32, index: UBig) -> Tree {
    let mut tree = Tree::default();
    // For each node what is left of its index for the children that are not made yet.
    let mut left: Vec<UBig> = Vec::new();
    let (production, index) = choose_production(rules, table, rules.start, size, index);
    let mut current = tree.push(rules.start, production, size, size, NO_NODE, 0);
    left.push(index);
    let mut slot = 0_u32;
    let mut rest = size - production_of(rules, &tree.nodes[0]).cost;
    loop {
        let node = tree.nodes[current as usize];
        let production = production_of(rules, &node);
        tree.text.push_str(&production.texts[slot as usize]);
        let Some(child) = production.children.get(slot as usize).copied() else {
            if node.parent == NO_NODE {
                return tree;
            }
            rest = node.rest - node.size;
            slot = node.slot + 1;
            current = node.parent;
            continue;
        };
        let index = std::mem::take(&mut left[current as usize]);
        let tails = table.tails_of(node.nonterminal, node.production);
        let (size, child_index, remaining) = match tails.get(slot as usize + 1) {
            None => (rest, index, UBig::ZERO),
            Some(_) if production.is_unordered => {
                take_unordered(table, child, production.children[1], rest, index)
            }
            Some(tail) => {
                let (size, index) = choose_size(table, child, tails[slot as usize], *tail, rest, index);
                let (child_index, remaining) = index.div_rem(table.tail(*tail, rest - size));
                (size, child_index, remaining)
            }
        };
        left[current as usize] = remaining;
        let (production, child_index) = choose_production(rules, table, child, size, child_index);
        current = tree.push(child, production, size, rest, current, slot);
        left.push(child_index);
        slot = 0;
        rest = size - production_of(rules, &tree.nodes[current as usize]).cost;
    }
}

fn choose_production(
    rules: &Rules,
    table: &Table,
    nonterminal: u32,
    size: u32,
    mut index: UBig,
) -> (u32, UBig) {
    let count = rules.nonterminal(nonterminal).productions.len() as u32;
    for production in 0..count {
        let block = table.production(rules, nonterminal, production, size);
        if index < *block {
            return (production, index);
        }
        index -= block;
    }
    unreachable!("an index is smaller than the number of trees")
}

/// The size of the first child of a tail, and the index among the trees with it.
///
/// Looked for from both ends: one child is mostly small.
fn choose_size(
    table: &Table,
    child: u32,
    whole: TailId,
    after: TailId,
    rest: u32,
    index: UBig,
) -> (u32, UBig) {
    let block = |size: u32| {
        let (own, others) = (table.count(child, size), table.tail(after, rest - size));
        if own.is_zero() || others.is_zero() { UBig::ZERO } else { own * others }
    };
    let mut before_low = UBig::ZERO;
    let mut end_high = table.tail(whole, rest).clone();
    let (mut low, mut high) = (0, rest);
    loop {
        let size = block(low);
        let end_low = &before_low + &size;
        if index < end_low {
            return (low, index - before_low);
        }
        before_low = end_low;
        low += 1;
        let before_high = end_high - block(high);
        if index >= before_high {
            return (high, index - before_high);
        }
        end_high = before_high;
        high -= 1;
    }
}

/// The size of the first of two children in order, its index, and what is left for the second: its index.
fn take_unordered(table: &Table, left: u32, right: u32, rest: u32, mut index: UBig) -> (u32, UBig, UBig) {
    for size in 0..=rest / 2 {
        let (first, second) = (table.count(left, size), table.count(right, rest - size));
        if 2 * size < rest || left != right {
            let block = first * second;
            if index < block {
                let (first_index, second_index) = index.div_rem(second);
                return (size, first_index, second_index);
            }
            index -= block;
            continue;
        }
        // Row i of the triangle has the pairs (i, i), (i, i + 1), .. Counted from the end, the rows have 1, 2, 3 ..
        // pairs, so the root finds the row.
        let from_end = triangle(first) - UBig::ONE - index;
        let row_from_end = (((&from_end << 3) + UBig::ONE).sqrt() - UBig::ONE) >> 1;
        let last_in_row = from_end - triangle(&row_from_end);
        let row = first - UBig::ONE - row_from_end;
        return (size, row, first - UBig::ONE - last_in_row);
    }
    unreachable!("an index is smaller than the number of trees")
}

/// The index of a tree among those of its size; none if children that must stand in order do not.
pub(super) fn rank(rules: &Rules, table: &Table, tree: &Tree) -> Option<UBig> {
    let mut ranks = vec![UBig::ZERO; tree.nodes.len()];
    // For each node its children, filled from the last on.
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); tree.nodes.len()];
    for position in (0..tree.nodes.len()).rev() {
        let node = tree.nodes[position];
        let mut own = std::mem::take(&mut children[position]);
        own.reverse();
        let production = production_of(rules, &node);
        let mut rank = UBig::ZERO;
        for before in 0..node.production {
            rank += table.production(rules, node.nonterminal, before, node.size);
        }
        let tails = table.tails_of(node.nonterminal, node.production);
        if production.is_unordered {
            let [first, second] = own[..] else { unreachable!("unordered are two children") };
            let (first_size, second_size) =
                (tree.nodes[first as usize].size, tree.nodes[second as usize].size);
            let (first, second) = (&ranks[first as usize], &ranks[second as usize]);
            let [left, right] = production.children[..] else { unreachable!("unordered are two children") };
            let is_twin = left == right && first_size == second_size;
            if first_size > second_size || (is_twin && first > second) {
                return None;
            }
            for size in 0..first_size {
                rank += table.count(left, size) * table.count(right, first_size + second_size - size);
            }
            let count = table.count(right, second_size);
            rank += if !is_twin {
                first * count + second
            } else {
                triangle(count) - triangle(&(count - first)) + (second - first)
            };
        } else {
            let mut rest = node.size - production.cost;
            for (slot, child) in own.iter().enumerate() {
                let child_size = tree.nodes[*child as usize].size;
                let child_rank = std::mem::take(&mut ranks[*child as usize]);
                let Some(tail) = tails.get(slot + 1) else {
                    rank += child_rank;
                    break;
                };
                for size in 0..child_size {
                    let own = table.count(production.children[slot], size);
                    if !own.is_zero() {
                        rank += own * table.tail(*tail, rest - size);
                    }
                }
                rest -= child_size;
                rank += child_rank * table.tail(*tail, rest);
            }
        }
        ranks[position] = rank;
        if node.parent != NO_NODE {
            children[node.parent as usize].push(position as u32);
        }
    }
    ranks.into_iter().next()
}

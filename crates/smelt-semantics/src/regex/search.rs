//! Questions about whole languages: emptiness, equality, and the shortest member.
//!
//! The states of the search are derivatives. From one state only one character per class is tried, where two
//! characters are in the same class if no set of characters that can match first tells them apart.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Node, Re, Regexes};
use crate::string::{MAX_CHAR, Str};
use crate::{Budget, LimitReached};

/// Cost of one state or pair of states.
const STATE_COST: u64 = 128;

/// Cost of looking at one expression for the sets of characters that can match first.
const SET_COST: u64 = 32;

impl Regexes {
    /// Whether the language is empty.
    pub fn is_empty(&mut self, re: Re, budget: &mut Budget) -> Result<bool, LimitReached> {
        Ok(self.path_to(re, Regexes::has_member, budget)?.is_none())
    }

    /// A shortest member of the language, or `None` if it is empty.
    pub fn example(&mut self, re: Re, budget: &mut Budget) -> Result<Option<Str>, LimitReached> {
        let path = self.path_to(re, Regexes::is_nullable, budget)?;
        Ok(path.and_then(Str::from_code_points))
    }

    /// Whether two languages are equal.
    ///
    /// This looks for a bisimulation with union-find, after Hopcroft and Karp.
    pub fn equal_languages(
        &mut self,
        left: Re,
        right: Re,
        budget: &mut Budget,
    ) -> Result<bool, LimitReached> {
        let mut merged = Merged::default();
        let mut pending = vec![(left, right)];
        while let Some((left, right)) = pending.pop() {
            budget.spend(STATE_COST)?;
            let (left, right) = (merged.representative(left), merged.representative(right));
            if left == right {
                continue;
            }
            let none_and_some = |none, some| none == Re::NONE && self.has_member(some);
            if self.is_nullable(left) != self.is_nullable(right)
                || none_and_some(left, right)
                || none_and_some(right, left)
            {
                return Ok(false);
            }
            merged.parents.insert(left, right);
            for character in self.first_characters(&[left, right], budget)? {
                let left_rest = self.derivative(left, character, budget)?;
                let right_rest = self.derivative(right, character, budget)?;
                pending.push((left_rest, right_rest));
            }
        }
        Ok(true)
    }

    /// The characters on a shortest way to a derivative that is a goal.
    fn path_to(
        &mut self,
        start: Re,
        is_goal: fn(&Regexes, Re) -> bool,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, LimitReached> {
        if is_goal(self, start) {
            return Ok(Some(Vec::new()));
        }
        // For every state found, the state it was found from and the character between them.
        let mut origins: FxHashMap<Re, (Re, u32)> = FxHashMap::default();
        let mut pending = VecDeque::from([start]);
        while let Some(state) = pending.pop_front() {
            for character in self.first_characters(&[state], budget)? {
                let next = self.derivative(state, character, budget)?;
                budget.spend(1)?;
                if next == Re::NONE || next == start || origins.contains_key(&next) {
                    continue;
                }
                budget.spend(STATE_COST)?;
                origins.insert(next, (state, character));
                if is_goal(self, next) {
                    return Ok(Some(path_from(&origins, next)));
                }
                pending.push_back(next);
            }
        }
        Ok(None)
    }

    /// One character of every class such that characters of a class have the same derivative of all these
    /// states.
    fn first_characters(&self, states: &[Re], budget: &mut Budget) -> Result<Vec<u32>, LimitReached> {
        let sets = self.first_sets(states, budget)?;
        let all_ranges = || sets.iter().flatten();
        let mut starts = vec![0];
        starts.extend(all_ranges().flat_map(|&(low, high)| [low, high + 1]).filter(|&edge| edge <= MAX_CHAR));
        starts.sort_unstable();
        starts.dedup();
        budget.spend(4 * starts.len() as u64)?;
        // Splits the classes of the pieces between two edges by one set after the other.
        let mut classes = vec![0u32; starts.len()];
        let mut class_count = 1;
        for set in &sets {
            let mut split: FxHashMap<u32, u32> = FxHashMap::default();
            for &(low, high) in set {
                let pieces =
                    starts.partition_point(|&edge| edge < low)..starts.partition_point(|&edge| edge <= high);
                budget.spend(2 * pieces.len() as u64 + 8)?;
                for class in &mut classes[pieces] {
                    *class = *split.entry(*class).or_insert_with(|| {
                        class_count += 1;
                        class_count - 1
                    });
                }
            }
        }
        let mut chosen: FxHashMap<u32, u32> = FxHashMap::default();
        for (index, &low) in starts.iter().enumerate() {
            let high = starts.get(index + 1).map_or(MAX_CHAR, |next| next - 1);
            let character = readable_character(low, high);
            let best = chosen.entry(classes[index]).or_insert(character);
            if !is_readable(*best) && is_readable(character) {
                *best = character;
            }
        }
        let mut characters: Vec<u32> = chosen.into_values().collect();
        characters.sort_unstable();
        Ok(characters)
    }

    /// The sets of characters that decide about the first character of a string in these states.
    fn first_sets(&self, states: &[Re], budget: &mut Budget) -> Result<Vec<Vec<(u32, u32)>>, LimitReached> {
        let mut sets = Vec::new();
        let mut seen = FxHashSet::default();
        let mut pending = states.to_vec();
        while let Some(re) = pending.pop() {
            budget.spend(SET_COST)?;
            if !seen.insert(re) {
                continue;
            }
            match self.node(re) {
                Node::Epsilon => {}
                Node::Class(class) => {
                    budget.spend(class.intervals().len() as u64)?;
                    sets.push(class.intervals().to_vec());
                }
                Node::Word { word, start } => {
                    let first = self.word_chars(*word, *start)[0];
                    sets.push(vec![(first, first)]);
                }
                Node::Concat { head, tail, .. } => {
                    pending.push(*head);
                    pending.extend(self.is_nullable(*head).then_some(tail));
                }
                Node::Union(operands) | Node::Inter(operands) => {
                    budget.spend(operands.len() as u64)?;
                    pending.extend_from_slice(operands);
                }
                Node::Complement(operand) | Node::Loop { body: operand, .. } => pending.push(*operand),
            }
        }
        Ok(sets)
    }
}

/// Classes of states that are taken to be equal.
#[derive(Default)]
struct Merged {
    parents: FxHashMap<Re, Re>,
}

impl Merged {
    fn representative(&mut self, state: Re) -> Re {
        let mut root = state;
        while let Some(&parent) = self.parents.get(&root) {
            root = parent;
        }
        let mut current = state;
        while current != root {
            current = self.parents.insert(current, root).unwrap_or(root);
        }
        root
    }
}

/// The characters on the way to `goal`.
fn path_from(origins: &FxHashMap<Re, (Re, u32)>, goal: Re) -> Vec<u32> {
    let steps = std::iter::successors(origins.get(&goal), |(state, _)| origins.get(state));
    let mut path: Vec<u32> = steps.map(|&(_, character)| character).collect();
    path.reverse();
    path
}

/// A character of the range, if possible one that is easy to read.
fn readable_character(low: u32, high: u32) -> u32 {
    let in_range = |character: &u32| (low..=high).contains(character);
    let preferred = ['a', 'A', '0', '!'].map(u32::from);
    let readable =
        preferred.into_iter().find(in_range).or((low <= 0x7e && high > 0x20).then(|| low.max(0x21)));
    readable.unwrap_or(low)
}

fn is_readable(character: u32) -> bool {
    (0x21..=0x7e).contains(&character)
}

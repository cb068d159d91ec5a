//! Languages seen through the replacement of a constant.
//!
//! The words that become a word of R when a constant part is replaced by another constant, everywhere or only at its first
//! occurrence, are a node of the arena. It reads its words letter by letter, as a search for the part does: `state`
//! letters of the part have been read and are held back, `body` is what R has become by all that was written before
//! them, and `flushed` what it would be with them written too. A letter that completes the part writes the
//! replacement; one that does not go on with the part writes what can no longer belong to an occurrence.
//!
//! The search is that of Knuth, Morris and Pratt. All occurrences have one length, so the first that ends is the first that begins.

use std::sync::Arc;

use super::derive::target_of;
use super::progression::Progression;
use super::{Life, Node, Re, Regexes, Transition};
use smelt_semantics::letters::LetterSet;

/// What is replaced by what.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Replacement {
    part: Arc<[u32]>,
    new: Arc<[u32]>,
    occurrences: Occurrences,
    /// For every number of letters of the part the longest proper beginning of the part that they end with.
    borders: Vec<u32>,
}

/// Which occurrences are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Occurrences {
    /// Only the first.
    First,
    /// All, from left to right, without overlaps.
    All,
}

/// What one letter does.
struct Effect {
    /// Letters of the part that are written because they belong to no occurrence; `None` if the part is complete.
    written: Option<usize>,
    /// How many letters of the part are held back afterwards.
    state: u32,
}

impl Replacement {
    /// Replaces `part`, which has at least one letter.
    pub fn new(part: &[u32], new: &[u32], occurrences: Occurrences) -> Option<Self> {
        if part.is_empty() {
            return None;
        }
        let mut borders = vec![0u32; part.len() + 1];
        let mut border = 0usize;
        for end in 1..part.len() {
            while border > 0 && part[border] != part[end] {
                border = borders[border] as usize;
            }
            if part[border] == part[end] {
                border += 1;
            }
            borders[end + 1] = border as u32;
        }
        Some(Replacement { part: part.into(), new: new.into(), occurrences, borders })
    }

    /// The letters of the part and of what replaces it.
    pub(super) fn letters(&self) -> impl Iterator<Item = u32> + '_ {
        self.part.iter().chain(&*self.new).copied()
    }

    /// What a letter of the part does after `state` letters of the part.
    fn effect(&self, state: u32, letter: u32) -> Effect {
        let mut held = state as usize;
        while self.part[held] != letter {
            if held == 0 {
                return Effect { written: Some(state as usize + 1), state: 0 };
            }
            held = self.borders[held] as usize;
        }
        held += 1;
        if held == self.part.len() {
            return Effect { written: None, state: 0 };
        }
        Effect { written: Some(state as usize + 1 - held), state: held as u32 }
    }

    /// What is written when `count` letters of the held back ones and of the new letter are.
    fn written(&self, state: u32, letter: u32, count: usize) -> Vec<u32> {
        let held = self.part[..state as usize].iter().copied();
        held.chain([letter]).take(count).collect()
    }

    /// Lengths of words of which `state` letters have been read, whose results have one of the given lengths.
    pub(super) fn source_lengths(&self, state: u32, results: &Progression) -> Progression {
        let (part, new) = (self.part.len() as u64, self.new.len() as u64);
        let most_gained = new.saturating_sub(part);
        let (min, max) = match self.occurrences {
            Occurrences::First => {
                let lost = part.saturating_sub(new);
                // A maximum that cannot be counted is none.
                (results.min.saturating_sub(most_gained), results.max.and_then(|max| max.checked_add(lost)))
            }
            // A result is at most new / part times as long as its source.
            Occurrences::All if new > part => (results.min / new.div_ceil(part), results.max),
            Occurrences::All => (results.min, results.max.filter(|_| new == part)),
        };
        Progression::between(min.saturating_sub(u64::from(state)), max)
    }
}

impl Regexes {
    /// The words that the replacement takes into the language.
    pub fn replaced(&mut self, replacement: &Replacement, re: Re) -> Re {
        let id = match self.replacement_ids.get(replacement) {
            Some(&id) => id,
            None => {
                let id = u32::try_from(self.replacements.len())
                    .expect("fewer than 2^32 replacements fit in memory");
                let replacement = Arc::new(replacement.clone());
                self.replacements.push(replacement.clone());
                self.replacement_ids.insert(replacement, id);
                id
            }
        };
        self.replaced_from(id, 0, re, re)
    }

    fn replaced_from(&mut self, replacement: u32, state: u32, body: Re, flushed: Re) -> Re {
        self.work += 1;
        if self.entry(body).life == Life::Dead {
            return Re::NONE;
        }
        if body == Re::ALL {
            return Re::ALL;
        }
        self.intern(Node::Replaced { replacement, state, body, flushed })
    }

    /// The expression whose transitions are missing for those of a [`Node::Replaced`], if there is one.
    pub(super) fn missing_for_replaced(&self, id: u32, state: u32, body: Re, flushed: Re) -> Option<Re> {
        let replacement = &self.replacements[id as usize];
        if self.entry(flushed).transitions.is_none() {
            return Some(flushed);
        }
        for &letter in &*replacement.part {
            let effect = replacement.effect(state, letter);
            let missing = match effect.written {
                None => self.follow(body, &replacement.new).err(),
                Some(count) => self.follow(body, &replacement.written(state, letter, count)).err(),
            };
            if missing.is_some() {
                return missing;
            }
        }
        None
    }

    pub(super) fn replaced_transitions(
        &mut self,
        id: u32,
        state: u32,
        body: Re,
        flushed: Re,
    ) -> Vec<Transition> {
        const COMPUTED: &str = "the transitions along what is written are computed before";
        let replacement = self.replacements[id as usize].clone();
        let flushed_steps = self.cached(flushed);
        let mut letters: Vec<u32> = replacement.part.to_vec();
        letters.sort_unstable();
        letters.dedup();
        let mut transitions = Vec::new();
        for &letter in &letters {
            let effect = replacement.effect(state, letter);
            let target = match effect.written {
                None => {
                    let body = self.follow(body, &replacement.new).expect(COMPUTED);
                    match replacement.occurrences {
                        Occurrences::First => body,
                        Occurrences::All => self.replaced_from(id, 0, body, body),
                    }
                }
                Some(count) => {
                    let body = self.follow(body, &replacement.written(state, letter, count)).expect(COMPUTED);
                    let flushed = target_of(&flushed_steps, letter);
                    self.replaced_from(id, effect.state, body, flushed)
                }
            };
            transitions.push(Transition { low: letter, high: letter, target });
        }
        let others =
            LetterSet::from_intervals(letters.iter().map(|&letter| (letter, letter)).collect()).complement();
        for step in &*flushed_steps {
            let target = self.replaced_from(id, 0, step.target, step.target);
            let through = others.intersect(&LetterSet::range(step.low, step.high));
            transitions.extend(through.intervals().iter().map(|&(low, high)| Transition {
                low,
                high,
                target,
            }));
        }
        transitions
    }
}

//! Derivatives as transition lists.
//!
//! The transitions of an expression say, for disjoint intervals of first letters, what may follow. They are built from those
//! of the parts by merging interval lists and kept for good. A letter without a transition leads nowhere.

use std::sync::Arc;

use smelt_semantics::{Budget, LimitReached};

use super::{Node, Re, Regexes};
use smelt_semantics::letters::{LetterSet, MAX_LETTER};

/// Cost of one step of a constructor, in units of the budget.
const WORK_COST: u64 = 60;
/// Cost of one transition list.
const LIST_COST: u64 = 300;

/// Letters from `low` to `high` lead to `target`, which is never [`Re::NONE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// The first letter.
    pub low: u32,
    /// The last letter.
    pub high: u32,
    /// What may follow.
    pub target: Re,
}

impl Regexes {
    /// The transitions, sorted by letters, disjoint, neighbours with the same target merged.
    pub fn transitions(&mut self, re: Re, budget: &mut Budget) -> Result<Arc<[Transition]>, LimitReached> {
        if let Some(transitions) = &self.entry(re).transitions {
            return Ok(transitions.clone());
        }
        let mut pending = vec![re];
        while let Some(&top) = pending.last() {
            if self.entry(top).transitions.is_some() {
                pending.pop();
                continue;
            }
            budget.spend(LIST_COST)?;
            let open = pending.len();
            self.push_missing_parts(top, &mut pending);
            if pending.len() > open {
                continue;
            }
            let work_before = self.work;
            let transitions = self.compute_transitions(top);
            let work = self.work - work_before + transitions.len() as u64;
            self.entries[top.0 as usize].transitions = Some(transitions.into());
            budget.spend(work.saturating_mul(WORK_COST))?;
            pending.pop();
        }
        Ok(self.cached(re))
    }

    /// The derivative by one letter.
    pub fn derivative(&mut self, re: Re, letter: u32, budget: &mut Budget) -> Result<Re, LimitReached> {
        let transitions = self.transitions(re, budget)?;
        Ok(target_of(&transitions, letter))
    }

    /// The derivative by a word.
    pub fn derivative_by_word(
        &mut self,
        re: Re,
        word: &[u32],
        budget: &mut Budget,
    ) -> Result<Re, LimitReached> {
        let mut state = re;
        for (index, &letter) in word.iter().enumerate() {
            match *self.node(state) {
                _ if state == Re::NONE || state == Re::ALL => return Ok(state),
                Node::Word { word: text, start } => {
                    let rest = &word[index..];
                    budget.spend(rest.len() as u64)?;
                    return Ok(match self.word_letters(text, start).strip_prefix(rest) {
                        Some([]) => Re::EMPTY_WORD,
                        Some([letter]) => self.letters(LetterSet::single(*letter)),
                        Some(_) => self.intern(Node::Word { word: text, start: start + rest.len() as u32 }),
                        None => Re::NONE,
                    });
                }
                _ => {}
            }
            budget.spend(16)?;
            state = self.derivative(state, letter, budget)?;
        }
        Ok(state)
    }

    pub(super) fn cached(&self, re: Re) -> Arc<[Transition]> {
        self.entry(re).transitions.clone().expect("the transitions of parts are computed before")
    }

    /// Pushes the expressions whose transitions are needed for those of `re` and are not there yet.
    fn push_missing_parts(&self, re: Re, pending: &mut Vec<Re>) {
        let mut need = |part: Re| {
            if self.entry(part).transitions.is_none() {
                pending.push(part);
            }
        };
        match self.node(re) {
            Node::Letters(_) | Node::EmptyWord | Node::Word { .. } => {}
            Node::Concat { head, tail } => {
                need(*head);
                if self.is_nullable(*head) {
                    need(*tail);
                }
            }
            Node::Union(operands) | Node::Inter(operands) => operands.iter().for_each(|&part| need(part)),
            Node::Complement(part) | Node::Loop { body: part, .. } | Node::Path { from: part, .. } => {
                need(*part);
            }
            Node::Replaced { replacement, state, body, flushed } => {
                let missing = self.missing_for_replaced(*replacement, *state, *body, *flushed);
                missing.into_iter().for_each(need);
            }
            Node::Preimage { map, body } => {
                need(*body);
                if self.entry(*body).transitions.is_some() {
                    for (_, image) in self.map(*map).parts() {
                        if let Err(missing) = self.follow(*body, image) {
                            need(missing);
                            return;
                        }
                    }
                }
            }
        }
    }

    /// The derivative by a word along transitions that are there; otherwise the expression whose transitions are missing.
    pub(super) fn follow(&self, re: Re, word: &[u32]) -> Result<Re, Re> {
        let mut state = re;
        for &letter in word {
            let transitions = self.entry(state).transitions.as_ref().ok_or(state)?;
            state = target_of(transitions, letter);
        }
        Ok(state)
    }

    fn compute_transitions(&mut self, re: Re) -> Vec<Transition> {
        match &*self.shared_node(re) {
            Node::EmptyWord => Vec::new(),
            Node::Letters(letters) => to_target(letters.intervals(), Re::EMPTY_WORD),
            Node::Word { word, start } => {
                let letters = self.word_letters(*word, *start);
                let first = letters[0];
                let target = match letters[1..] {
                    [last] => self.letters(LetterSet::single(last)),
                    _ => self.intern(Node::Word { word: *word, start: start + 1 }),
                };
                vec![Transition { low: first, high: first, target }]
            }
            Node::Concat { head, tail } => {
                let tail = *tail;
                let through_head = self.cached(*head);
                let through_head =
                    self.map_targets(&through_head, |regexes, target| regexes.concat_two(target, tail));
                if !self.is_nullable(*head) {
                    return through_head;
                }
                let past_head = self.cached(tail);
                self.overlay(&[&through_head, &past_head], |regexes, targets, _| regexes.union(targets))
            }
            Node::Union(operands) => {
                let lists: Vec<_> = operands.iter().map(|&part| self.cached(part)).collect();
                let lists: Vec<&[Transition]> = lists.iter().map(|list| &**list).collect();
                self.overlay(&lists, |regexes, targets, _| regexes.union(targets))
            }
            Node::Inter(operands) => {
                let count = operands.len();
                let lists: Vec<_> = operands.iter().map(|&part| self.cached(part)).collect();
                let lists: Vec<&[Transition]> = lists.iter().map(|list| &**list).collect();
                self.overlay(
                    &lists,
                    |regexes, targets, present| {
                        if present == count { regexes.inter(targets) } else { Re::NONE }
                    },
                )
            }
            Node::Complement(part) => {
                let steps = self.cached(*part);
                let covered =
                    LetterSet::from_intervals(steps.iter().map(|step| (step.low, step.high)).collect());
                let mut complemented = self.map_targets(&steps, |regexes, target| regexes.complement(target));
                complemented.extend(to_target(covered.complement().intervals(), Re::ALL));
                merged(complemented)
            }
            Node::Loop { body, min, max } => {
                let rest = self.repeat(*body, min.saturating_sub(1), max.map(|max| max - 1));
                let steps = self.cached(*body);
                self.map_targets(&steps, |regexes, target| regexes.concat_two(target, rest))
            }
            Node::Preimage { map, body } => self.preimage_transitions(*map, *body),
            Node::Replaced { replacement, state, body, flushed } => {
                merged(self.replaced_transitions(*replacement, *state, *body, *flushed))
            }
            Node::Path { from, to } => {
                let to = *to;
                let steps = self.cached(*from);
                self.map_targets(&steps, |regexes, target| regexes.path(target, to))
            }
        }
    }

    fn preimage_transitions(&mut self, map_id: u32, body: Re) -> Vec<Transition> {
        let map = self.map(map_id).clone();
        let mut transitions = Vec::new();
        let mut staying = LetterSet::full();
        for (letters, image) in map.parts() {
            staying = staying.intersect(&letters.complement());
            let target = self.follow(body, image).expect("the transitions along images are computed before");
            let target = self.preimage_by_id(map_id, target);
            transitions.extend(to_target(letters.intervals(), target));
        }
        for step in &*self.cached(body) {
            let letters = LetterSet::range(step.low, step.high).intersect(&staying);
            let target = self.preimage_by_id(map_id, step.target);
            transitions.extend(to_target(letters.intervals(), target));
        }
        merged(transitions)
    }

    fn map_targets(
        &mut self,
        steps: &[Transition],
        mut change: impl FnMut(&mut Regexes, Re) -> Re,
    ) -> Vec<Transition> {
        let mut last: Option<(Re, Re)> = None;
        let changed = steps.iter().map(|step| {
            let target = match last {
                Some((before, after)) if before == step.target => after,
                _ => change(self, step.target),
            };
            last = Some((step.target, target));
            Transition { target, ..*step }
        });
        merged(changed.collect())
    }

    /// Lays transition lists over each other: `combine` gets the targets of one interval, and how many lists have one.
    fn overlay(
        &mut self,
        lists: &[&[Transition]],
        mut combine: impl FnMut(&mut Regexes, &[Re], usize) -> Re,
    ) -> Vec<Transition> {
        let mut edges: Vec<u32> = lists.iter().flat_map(|list| list.iter()).map(|step| step.low).collect();
        edges.extend(lists.iter().flat_map(|list| list.iter()).map(|step| step.high + 1));
        edges.sort_unstable();
        edges.dedup();
        let mut targets: Vec<Vec<Re>> = vec![Vec::new(); edges.len()];
        for step in lists.iter().flat_map(|list| list.iter()) {
            let from = edges.partition_point(|&edge| edge < step.low);
            for (piece, &edge) in edges.iter().enumerate().skip(from) {
                if edge > step.high {
                    break;
                }
                self.work += 1;
                targets[piece].push(step.target);
            }
        }
        let mut known: Vec<(Vec<Re>, Re)> = Vec::new();
        let mut combined = Vec::new();
        for (piece, mut targets) in targets.into_iter().enumerate() {
            if targets.is_empty() {
                continue;
            }
            let (low, high) = (edges[piece], edges.get(piece + 1).map_or(MAX_LETTER, |next| next - 1));
            let present = targets.len();
            targets.sort_unstable();
            let recent = known.iter().rev().take(8).find(|(before, _)| *before == targets);
            let target = match recent {
                Some((_, target)) => *target,
                None => {
                    let target = combine(self, &targets, present);
                    known.push((targets, target));
                    target
                }
            };
            combined.push(Transition { low, high, target });
        }
        merged(combined)
    }
}

/// Where a letter leads.
pub(crate) fn target_of(transitions: &[Transition], letter: u32) -> Re {
    let after = transitions.partition_point(|step| step.low <= letter);
    match after.checked_sub(1).map(|index| transitions[index]) {
        Some(step) if letter <= step.high => step.target,
        _ => Re::NONE,
    }
}

fn to_target(intervals: &[(u32, u32)], target: Re) -> Vec<Transition> {
    intervals.iter().map(|&(low, high)| Transition { low, high, target }).collect()
}

/// Sorts disjoint transitions, drops those that lead nowhere and joins neighbours.
fn merged(mut transitions: Vec<Transition>) -> Vec<Transition> {
    transitions.retain(|step| step.target != Re::NONE);
    transitions.sort_unstable_by_key(|step| step.low);
    let mut joined: Vec<Transition> = Vec::with_capacity(transitions.len());
    for step in transitions {
        match joined.last_mut() {
            Some(last) if last.target == step.target && last.high + 1 == step.low => last.high = step.high,
            _ => joined.push(step),
        }
    }
    joined
}

//! Questions about whole languages: membership, emptiness, inclusion, and words.
//!
//! The states of every search are derivatives. What a search finds out about the emptiness of a state is kept with
//! the state for good, so that later searches stop there.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::{Budget, LimitReached};

use super::{Life, Re, Regexes, Transition};
use smelt_semantics::letters::readable_letter;

/// Cost of one state of a search.
const STATE_COST: u64 = 100;

/// Whether a language has words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emptiness {
    /// There is no word. The search was complete.
    Empty,
    /// There is a word.
    NonEmpty,
}

/// Which words are asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Only words of this length; without it, the shortest.
    pub len: Option<u64>,
    /// None of these.
    pub avoid: &'a [Vec<u32>],
}

/// A state on the current path of a depth-first search, with what is still to be tried.
struct Frame {
    state: Re,
    targets: Vec<Transition>,
    /// How many letters are still to come; 0 where lengths do not matter.
    remaining: u64,
}

impl Regexes {
    /// Whether the word is in the language.
    pub fn matches(&mut self, re: Re, word: &[u32], budget: &mut Budget) -> Result<bool, LimitReached> {
        let rest = self.derivative_by_word(re, word, budget)?;
        Ok(self.is_nullable(rest))
    }

    /// Whether the language has words: forwards with half of the budget, then backwards with the rest.
    pub fn emptiness(&mut self, re: Re, budget: &mut Budget) -> Result<Emptiness, LimitReached> {
        let half = budget.remaining() / 2;
        let mut forward = Budget::new(half);
        let found = self.emptiness_forward(re, &mut forward);
        budget.spend(half - forward.remaining())?;
        found.or_else(|LimitReached| {
            let mirrored = self.reverse(re, budget)?;
            let found = self.emptiness_forward(mirrored, budget)?;
            self.set_life(re, if found == Emptiness::Empty { Life::Dead } else { Life::Live });
            Ok(found)
        })
    }

    /// Whether every word of `part` is a word of `whole`.
    pub fn is_included(&mut self, part: Re, whole: Re, budget: &mut Budget) -> Result<bool, LimitReached> {
        let outside = self.difference(part, whole);
        Ok(self.emptiness(outside, budget)? == Emptiness::Empty)
    }

    /// A wanted word of the language; `None` if there is none. Prefers letters that are easy to read.
    pub fn find_word(
        &mut self,
        re: Re,
        wanted: Wanted<'_>,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, LimitReached> {
        let mut re = re;
        for word in wanted.avoid {
            let unwanted = self.word(word);
            re = self.difference(re, unwanted);
        }
        match wanted.len {
            Some(len) => self.word_of_length(re, len, budget),
            None => self.shortest_word(re, budget),
        }
    }

    /// Whether it is known that the language is empty.
    pub fn is_known_empty(&self, re: Re) -> bool {
        self.entry(re).life == Life::Dead
    }

    fn set_life(&mut self, re: Re, life: Life) {
        self.entries[re.0 as usize].life = life;
    }

    fn emptiness_forward(&mut self, re: Re, budget: &mut Budget) -> Result<Emptiness, LimitReached> {
        match self.entry(re).life {
            Life::Live => return Ok(Emptiness::NonEmpty),
            Life::Dead => return Ok(Emptiness::Empty),
            Life::Unknown => {}
        }
        let mut visited = FxHashSet::from_iter([re]);
        let mut path = vec![self.frame(re, 0, budget)?];
        while let Some(top) = path.last_mut() {
            let Some(step) = top.targets.pop() else {
                path.pop();
                continue;
            };
            match self.entry(step.target).life {
                Life::Live => {
                    for frame in &path {
                        self.entries[frame.state.0 as usize].life = Life::Live;
                    }
                    return Ok(Emptiness::NonEmpty);
                }
                Life::Dead => {}
                Life::Unknown => {
                    if visited.insert(step.target) {
                        let frame = self.frame(step.target, 0, budget)?;
                        path.push(frame);
                    }
                }
            }
        }
        // Everything that can be reached was visited, and nothing accepts.
        for state in visited {
            self.set_life(state, Life::Dead);
        }
        Ok(Emptiness::Empty)
    }

    /// A state with its transitions, the most promising last.
    fn frame(&mut self, state: Re, remaining: u64, budget: &mut Budget) -> Result<Frame, LimitReached> {
        budget.spend(STATE_COST)?;
        let mut targets = self.transitions(state, budget)?.to_vec();
        budget.spend(8 * targets.len() as u64)?;
        let is_readable = |step: &Transition| step.low <= 0x7e && step.high > 0x20;
        targets.sort_by_key(|step| {
            std::cmp::Reverse((self.progression(step.target).min, !is_readable(step), step.low))
        });
        Ok(Frame { state, targets, remaining })
    }

    fn shortest_word(&mut self, re: Re, budget: &mut Budget) -> Result<Option<Vec<u32>>, LimitReached> {
        // For every state found, the state it was found from and the letter between them.
        let mut origins: FxHashMap<Re, (Re, u32)> = FxHashMap::default();
        let mut pending = VecDeque::from([re]);
        while let Some(state) = pending.pop_front() {
            if self.is_nullable(state) {
                let word = path_from(&origins, re, state);
                return Ok(Some(word));
            }
            budget.spend(STATE_COST)?;
            for step in preferred(&self.transitions(state, budget)?) {
                budget.spend(8)?;
                let is_new = step.target != re && !origins.contains_key(&step.target);
                if is_new && self.entry(step.target).life != Life::Dead {
                    origins.insert(step.target, (state, readable_letter(step.low, step.high)));
                    pending.push_back(step.target);
                }
            }
        }
        self.set_life(re, Life::Dead);
        Ok(None)
    }

    /// A word of exactly this length, found depth first; what fails at a distance from the end is remembered.
    fn word_of_length(
        &mut self,
        re: Re,
        len: u64,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, LimitReached> {
        if !self.progression(re).contains(len) || self.is_known_empty(re) {
            return Ok(None);
        }
        if len == 0 {
            return Ok(self.is_nullable(re).then(Vec::new));
        }
        let mut failed: FxHashSet<(Re, u64)> = FxHashSet::default();
        let mut word = Vec::new();
        let mut path = vec![self.frame(re, len, budget)?];
        while let Some(top) = path.last_mut() {
            let Some(step) = top.targets.pop() else {
                failed.insert((top.state, top.remaining));
                path.pop();
                word.pop();
                continue;
            };
            let remaining = top.remaining - 1;
            if remaining == 0 {
                if self.is_nullable(step.target) {
                    word.push(readable_letter(step.low, step.high));
                    return Ok(Some(word));
                }
                continue;
            }
            let may_work = self.progression(step.target).contains(remaining)
                && !self.is_known_empty(step.target)
                && !failed.contains(&(step.target, remaining));
            if may_work {
                let frame = self.frame(step.target, remaining, budget)?;
                path.push(frame);
                word.push(readable_letter(step.low, step.high));
            }
        }
        Ok(None)
    }
}

/// Transitions with readable letters first.
fn preferred(transitions: &Arc<[Transition]>) -> impl Iterator<Item = &Transition> {
    let is_readable = |step: &&Transition| step.low <= 0x7e && step.high > 0x20;
    transitions.iter().filter(is_readable).chain(transitions.iter().filter(move |step| !is_readable(step)))
}

/// The letters on the way from `start` to `goal`.
fn path_from(origins: &FxHashMap<Re, (Re, u32)>, start: Re, goal: Re) -> Vec<u32> {
    let mut path = Vec::new();
    let mut state = goal;
    while state != start {
        let (before, letter) = origins[&state];
        path.push(letter);
        state = before;
    }
    path.reverse();
    path
}

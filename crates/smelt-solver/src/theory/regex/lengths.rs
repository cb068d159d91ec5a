//! The lengths of the words of a language.
//!
//! The lengths of a regular language are eventually periodic. [`Regexes::lengths`] finds them exactly where it can: from the
//! arithmetic of the expression, or by forgetting the letters of its automaton and following the sets of states reached
//! after 0, 1, 2, .. letters until one repeats. Where neither works, it gives a progression that contains all lengths.

use rustc_hash::FxHashMap;
use smelt_semantics::{Budget, LimitReached};

use super::progression::Progression;
use super::{Life, Re, Regexes};

/// Automata with more states are not unrolled.
const MAX_STATES: usize = 2000;
/// Sets of states are followed for at most this many letters.
const MAX_STEPS: usize = 5000;

/// A set of lengths: some single ones, and from `start` on those whose distance to it is a residue modulo `period`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LengthSet {
    /// Single lengths below `start`, ascending.
    pub single: Vec<u64>,
    /// Where the periodic part begins.
    pub start: u64,
    /// The period; at least 1.
    pub period: u64,
    /// Numbers below `period`, ascending; empty for a finite set.
    pub residues: Vec<u64>,
    /// The largest length, if the periodic part ends.
    pub max: Option<u64>,
    /// Whether each of these lengths is that of a word. All lengths of words are here in any case.
    pub is_exact: bool,
}

impl LengthSet {
    /// Whether there can be a word of this length.
    pub fn contains(&self, len: u64) -> bool {
        if len < self.start {
            return self.single.binary_search(&len).is_ok();
        }
        self.residues.binary_search(&((len - self.start) % self.period)).is_ok()
            && self.max.is_none_or(|max| len <= max)
    }

    /// Whether there can be no word at all.
    pub fn is_empty(&self) -> bool {
        self.single.is_empty() && self.residues.is_empty()
    }

    /// The smallest length, if there is any.
    pub fn min(&self) -> Option<u64> {
        self.single.first().copied().or_else(|| self.residues.first().map(|residue| self.start + residue))
    }

    /// The set without any length.
    pub fn none() -> Self {
        LengthSet { single: Vec::new(), start: 0, period: 1, residues: Vec::new(), max: None, is_exact: true }
    }

    fn from_progression(progression: &Progression) -> Self {
        LengthSet {
            single: Vec::new(),
            start: progression.min,
            period: progression.step.max(1),
            residues: vec![0],
            max: progression.max,
            is_exact: progression.is_exact,
        }
    }

    /// From the lengths below the end of a lasso: those from `start` on repeat.
    fn from_lasso(accepting: &[bool], start: usize) -> Self {
        let lengths =
            |range: std::ops::Range<usize>| range.filter(|&len| accepting[len]).map(|len| len as u64);
        let residues = lengths(start..accepting.len()).map(|len| len - start as u64).collect();
        LengthSet {
            single: lengths(0..start).collect(),
            start: start as u64,
            period: (accepting.len() - start) as u64,
            residues,
            max: None,
            is_exact: true,
        }
    }
}

impl Regexes {
    /// The lengths of the words of the language. Never fails: without enough budget it is less precise.
    pub fn lengths(&mut self, re: Re, budget: &mut Budget) -> LengthSet {
        let progression = self.progression(re);
        if self.is_known_empty(re) {
            return LengthSet::none();
        }
        if progression.is_exact && self.entry(re).life == Life::Live {
            return LengthSet::from_progression(&progression);
        }
        self.unrolled_lengths(re, budget)
            .ok()
            .flatten()
            .unwrap_or_else(|| LengthSet { is_exact: false, ..LengthSet::from_progression(&progression) })
    }

    /// The lengths by exploring the automaton; `None` if it is too large.
    fn unrolled_lengths(&mut self, re: Re, budget: &mut Budget) -> Result<Option<LengthSet>, LimitReached> {
        let Some((states, successors)) = self.unary_graph(re, budget)? else { return Ok(None) };
        let is_live = live_states(&successors, |index| self.is_nullable(states[index]));
        if !is_live[0] {
            return Ok(Some(LengthSet::none()));
        }
        let mut seen: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut current: Vec<u32> = vec![0];
        let mut accepting = Vec::new();
        for len in 0..MAX_STEPS {
            budget.spend(100 + 20 * current.len() as u64)?;
            if let Some(&start) = seen.get(&current) {
                return Ok(Some(LengthSet::from_lasso(&accepting, start)));
            }
            accepting.push(current.iter().any(|&state| self.is_nullable(states[state as usize])));
            let mut next: Vec<u32> = Vec::new();
            for &state in &current {
                next.extend(successors[state as usize].iter().filter(|&&state| is_live[state as usize]));
            }
            budget.spend(4 * next.len() as u64)?;
            next.sort_unstable();
            next.dedup();
            seen.insert(current, len);
            current = next;
        }
        Ok(None)
    }

    /// The automaton without letters: its states, the first one initial, and the successors of each.
    #[allow(clippy::type_complexity, reason = "a pair of parallel lists")]
    fn unary_graph(
        &mut self,
        re: Re,
        budget: &mut Budget,
    ) -> Result<Option<(Vec<Re>, Vec<Vec<u32>>)>, LimitReached> {
        let mut numbers = FxHashMap::from_iter([(re, 0u32)]);
        let mut states = vec![re];
        let mut successors: Vec<Vec<u32>> = Vec::new();
        while successors.len() < states.len() {
            let state = states[successors.len()];
            let mut targets = Vec::new();
            for step in &*self.transitions(state, budget)? {
                budget.spend(20)?;
                if self.is_known_empty(step.target) {
                    continue;
                }
                let next_number = states.len() as u32;
                let number = *numbers.entry(step.target).or_insert(next_number);
                if number == next_number {
                    states.push(step.target);
                }
                targets.push(number);
            }
            if states.len() > MAX_STATES {
                return Ok(None);
            }
            targets.sort_unstable();
            targets.dedup();
            successors.push(targets);
        }
        Ok(Some((states, successors)))
    }
}

/// The states from which an accepting one can be reached.
pub(crate) fn live_states(successors: &[Vec<u32>], is_accepting: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); successors.len()];
    for (state, targets) in successors.iter().enumerate() {
        for &target in targets {
            predecessors[target as usize].push(state as u32);
        }
    }
    let mut is_live: Vec<bool> = (0..successors.len()).map(is_accepting).collect();
    let mut pending: Vec<u32> =
        (0..successors.len() as u32).filter(|&state| is_live[state as usize]).collect();
    while let Some(state) = pending.pop() {
        for &before in &predecessors[state as usize] {
            if !is_live[before as usize] {
                is_live[before as usize] = true;
                pending.push(before);
            }
        }
    }
    is_live
}

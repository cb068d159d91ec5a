//! Ways between derivatives: how the words of a language begin if their rest is to be in another one.
//!
//! For a derivative q of R the node path(R, q) holds the words by which R becomes q. If a word of R is cut in two, the first part is
//! in path(R, q) and the second in q, for exactly one q; so a variable with a language can be split into two variables with
//! languages, and nothing is lost or added. The derivative of path(R, q) by a letter is path(D, q) for the derivative D of R,
//! and it contains the empty word exactly if R is q.

use rustc_hash::FxHashSet;
use smelt_semantics::{Budget, LimitReached};

use super::{Emptiness, Life, Node, Re, Regexes, Transition};

/// Cost of one pair of states.
const PAIR_COST: u64 = 200;
/// More ways to cut a language are not listed.
const MAX_CUTS: usize = 400;

/// One way to cut the words of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The language of the first part.
    pub first: Re,
    /// The language of the rest.
    pub rest: Re,
}

impl Regexes {
    /// The words by which `from` becomes `to`, which is a derivative of it.
    pub(super) fn path(&mut self, from: Re, to: Re) -> Re {
        self.work += 1;
        match (from, to) {
            (Re::ALL, Re::ALL) => Re::ALL,
            // Nothing that lives is reached from what is dead.
            _ if self.entry(from).life == Life::Dead && from != to => Re::NONE,
            _ => self.intern(Node::Path { from, to }),
        }
    }

    /// All ways to cut a word of `whole` such that the first part is in `part`. No word is cut at the same place in two ways.
    pub fn cuts(&mut self, whole: Re, part: Re, budget: &mut Budget) -> Result<Vec<Cut>, LimitReached> {
        if self.emptiness(part, budget)? == Emptiness::Empty {
            return Ok(Vec::new());
        }
        if whole == Re::ALL {
            return Ok(vec![Cut { first: part, rest: Re::ALL }]);
        }
        let mut seen = FxHashSet::from_iter([(part, whole)]);
        let mut pending = vec![(part, whole)];
        let mut rests = Vec::new();
        while let Some((part_state, whole_state)) = pending.pop() {
            budget.spend(PAIR_COST)?;
            if self.is_nullable(part_state) && !rests.contains(&whole_state) {
                if self.emptiness(whole_state, budget)? == Emptiness::NonEmpty {
                    rests.push(whole_state);
                }
                if rests.len() > MAX_CUTS {
                    return Err(LimitReached);
                }
            }
            let part_steps = self.transitions(part_state, budget)?;
            let whole_steps = self.transitions(whole_state, budget)?;
            budget.spend(16 * (part_steps.len() + whole_steps.len()) as u64)?;
            for (part_target, whole_target) in common_targets(&part_steps, &whole_steps) {
                if !self.is_known_empty(whole_target) && seen.insert((part_target, whole_target)) {
                    pending.push((part_target, whole_target));
                }
            }
        }
        rests.sort_unstable();
        let mut cuts = Vec::new();
        for rest in rests {
            let path = self.path(whole, rest);
            cuts.push(Cut { first: self.inter(&[part, path]), rest });
        }
        Ok(cuts)
    }
}

/// Pairs of targets that some letter leads to.
fn common_targets(one: &[Transition], two: &[Transition]) -> Vec<(Re, Re)> {
    let mut pairs = Vec::new();
    let (mut left, mut right) = (one.iter().peekable(), two.iter().peekable());
    while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
        if first.low.max(second.low) <= first.high.min(second.high) {
            pairs.push((first.target, second.target));
        }
        if first.high < second.high {
            left.next();
        } else {
            right.next();
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

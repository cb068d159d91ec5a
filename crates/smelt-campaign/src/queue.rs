//! Which chain is worked on next, and how many cases of it belong to the campaign.
//!
//! The cases of a campaign with a budget of N cases are the first N in the order of chains: all of chain 0, all of chain
//! 1, and so on, up to a part of the last. How many cases a chain has is known when it ends: it may end early, and what
//! is sent to no solver does not count. So a chain is given no more than what is left if all chains before it have as
//! many cases as they can have, and is continued when some of them turn out to have fewer. Nothing is done that does not
//! belong to the campaign, and the result depends neither on the number of workers nor on how it is cut into hunts.

use std::collections::BTreeMap;

/// The chains of a campaign that are not done.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// How many cases the campaign has; none if it has no such limit.
    budget: Option<u64>,
    /// All chains before this one have ended,
    base: u64,
    /// and have this many cases.
    base_cases: u64,
    /// The chains from there on of which something is known.
    chains: BTreeMap<u64, Entry>,
    /// The first chain that was never given to anybody.
    next: u64,
}

/// How far a chain has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Done {
    /// Its steps, whether they were sent to a solver or not.
    pub steps: u32,
    /// The cases among them.
    pub cases: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    state: State,
    done: Done,
    /// How many cases it has at most; unknown before it was given to anybody.
    length: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// No worker has taken it.
    Waiting,
    Taken,
    Ended,
}

impl Entry {
    /// The most cases that it can have.
    fn bound(&self) -> u64 {
        match (self.state, self.length) {
            (State::Ended, _) => self.done.cases,
            (_, Some(length)) => self.done.cases.max(u64::from(length)),
            (_, None) => u64::MAX,
        }
    }
}

/// A chain that may be worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    pub number: u64,
    pub done: Done,
    /// Maximum number of cases, including finished ones; `None` means no limit.
    pub most: Option<u64>,
    /// The most cases that it can have.
    pub length: u32,
}

/// What there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Turn(Turn),
    /// That depends on chains that others work on.
    Undecided,
    /// Nothing any more.
    Nothing,
}

impl Queue {
    /// The queue of a campaign with this budget, of which nothing is done.
    pub(crate) fn new(budget: Option<u64>) -> Self {
        Queue { budget, ..Queue::default() }
    }

    /// Adds a chain of an earlier hunt. Chains before it of which nothing is known wait to be done.
    pub(crate) fn add_known(&mut self, number: u64, done: Done, has_ended: bool) {
        for skipped in self.next..number {
            self.chains.insert(skipped, Entry { state: State::Waiting, done: Done::default(), length: None });
        }
        let state = if has_ended { State::Ended } else { State::Waiting };
        self.chains.insert(number, Entry { state, done, length: None });
        self.next = self.next.max(number + 1);
        self.settle();
    }

    /// Takes the first chain that has cases left to do. `length` tells how many cases a chain has at most, or nothing if
    /// that is not decided yet.
    pub(crate) fn take(&mut self, mut length: impl FnMut(u64) -> Option<u32>) -> Next {
        let mut left = self.budget.map(|budget| budget.saturating_sub(self.base_cases));
        for (number, entry) in &mut self.chains {
            if left == Some(0) {
                break;
            }
            if entry.length.is_none() && entry.state != State::Ended {
                entry.length = length(*number);
            }
            let is_open = left.is_none_or(|left| entry.done.cases < left);
            if let (State::Waiting, true) = (entry.state, is_open) {
                let Some(length) = entry.length else { return Next::Undecided };
                entry.state = State::Taken;
                return Next::Turn(Turn { number: *number, done: entry.done, most: left, length });
            }
            left = left.map(|left| left.saturating_sub(entry.bound()));
        }
        if left == Some(0) {
            // A worker may finish a chain early, which leaves part of the budget to the other workers.
            let is_taken = self.chains.values().any(|entry| entry.state == State::Taken);
            return if is_taken { Next::Undecided } else { Next::Nothing };
        }
        let number = self.next;
        let Some(length) = length(number) else { return Next::Undecided };
        let done = Done::default();
        self.chains.insert(number, Entry { state: State::Taken, done, length: Some(length) });
        self.next += 1;
        Next::Turn(Turn { number, done, most: left, length })
    }

    /// Gives back a chain that has not ended, of which this is done.
    pub(crate) fn give_back(&mut self, number: u64, done: Done) {
        if let Some(entry) = self.chains.get_mut(&number) {
            (entry.state, entry.done) = (State::Waiting, done);
        }
    }

    /// Ends a chain that has this many cases.
    pub(crate) fn end(&mut self, number: u64, cases: u64) {
        if let Some(entry) = self.chains.get_mut(&number) {
            (entry.state, entry.done.cases) = (State::Ended, cases);
        }
        self.settle();
    }

    /// Forgets the first chains that have all ended.
    fn settle(&mut self) {
        while let Some(entry) = self.chains.get(&self.base).filter(|entry| entry.state == State::Ended) {
            self.base_cases += entry.done.cases;
            self.chains.remove(&self.base);
            self.base += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(next: Next) -> Turn {
        match next {
            Next::Turn(turn) => turn,
            other => panic!("{other:?}"),
        }
    }

    /// The cases of all chains of a campaign in which chain i can have `lengths[i]` cases but has only `real[i]`, done by
    /// this many workers that take turns.
    fn cases(budget: u64, workers: usize, lengths: &[u32], real: &[u64]) -> Vec<u64> {
        let mut queue = Queue::new(Some(budget));
        let mut done = vec![0; lengths.len()];
        loop {
            let mut turns = Vec::new();
            while turns.len() < workers
                && let Next::Turn(turn) = queue.take(|number| lengths.get(number as usize).copied())
            {
                turns.push(turn);
            }
            if turns.is_empty() {
                return done;
            }
            for turn in turns.into_iter().rev() {
                let number = turn.number as usize;
                let most = turn.most.unwrap();
                assert_eq!(turn.done.cases, done[number]);
                done[number] = real[number].min(most);
                match real[number] <= most {
                    true => queue.end(turn.number, real[number]),
                    false => queue.give_back(turn.number, Done { steps: 1, cases: most }),
                }
            }
        }
    }

    #[test]
    fn a_campaign_has_as_many_cases_as_its_budget_says_whoever_does_them() {
        let lengths = [10, 10, 300, 10, 60, 10, 10, 10, 10];
        let real = [10, 3, 120, 0, 60, 10, 1, 10, 10];
        for budget in [0, 1, 9, 10, 13, 14, 100, 133, 134, 193, 200, 214] {
            let expected = cases(budget, 1, &lengths, &real);
            assert_eq!(expected.iter().sum::<u64>(), budget);
            let full = expected.iter().zip(&real).take_while(|(done, real)| done == real).count();
            assert!(expected.iter().skip(full + 1).all(|done| *done == 0), "{budget}: {expected:?}");
            for workers in 2..6 {
                assert_eq!(cases(budget, workers, &lengths, &real), expected, "{budget}, {workers}");
            }
        }
    }

    #[test]
    fn what_was_left_over_comes_first() {
        let mut queue = Queue::new(None);
        queue.add_known(0, Done { steps: 10, cases: 9 }, true);
        queue.add_known(2, Done { steps: 4, cases: 3 }, false);
        queue.add_known(4, Done { steps: 10, cases: 10 }, true);
        let taken: Vec<(u64, u32)> = (0..4)
            .map(|_| turn(queue.take(|_| Some(10))))
            .map(|turn| (turn.number, turn.done.steps))
            .collect();
        assert_eq!(taken, [(1, 0), (2, 4), (3, 0), (5, 0)]);
    }

    #[test]
    fn a_chain_waits_for_those_before_it_if_they_may_use_up_the_budget() {
        let mut queue = Queue::new(Some(15));
        assert_eq!(turn(queue.take(|_| Some(10))).most, Some(15));
        assert_eq!(turn(queue.take(|_| Some(10))).most, Some(5));
        assert_eq!(queue.take(|_| Some(10)), Next::Undecided);
        queue.give_back(1, Done { steps: 5, cases: 5 });
        queue.end(0, 8);
        let again = turn(queue.take(|_| Some(10)));
        assert_eq!((again.number, again.done.cases, again.most), (1, 5, Some(7)));
        queue.give_back(1, Done { steps: 7, cases: 7 });
        assert_eq!(queue.take(|_| Some(10)), Next::Nothing);
    }
}

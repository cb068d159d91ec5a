//! The search for formulas on which the newest release of a solver is slower than older ones.
//!
//! A queue of formulas is mutated, one operator at a time; the operators are the actions of a bandit, and one that made
//! the newest release fall behind is tried more often, the more so the less the times look like any seen before. The best
//! formula of a round stays, the others make room for fresh ones, whose complexity follows what is found.
//!
//! Follows SPRFinder (Zhang et al., Algorithm 1 and sections 4.1.1 to 4.1.3), with its ablations. What the paper leaves open is
//! listed in `docs/design/slowness.md`. Time is the processor time that the search is told of, so a search
//! depends on its random seed and on what it is told, and on nothing else.

use crate::random::Random;
use crate::search::complexity::{Adaptation, Clock, Complexity, Window};
use crate::search::dtw;
use crate::search::thompson::{Belief, Thompson};

/// Makes formulas for a search, fresh ones and changed ones.
pub trait Maker<F> {
    /// How many ways there are to change a formula.
    fn actions(&self) -> usize;

    /// A new formula.
    fn fresh(&mut self, complexity: &Complexity, random: &mut Random) -> F;

    /// A formula changed in one of the ways; none if that cannot be done to it.
    fn mutate(
        &mut self,
        formula: &F,
        action: usize,
        complexity: &Complexity,
        random: &mut Random,
    ) -> Option<F>;
}

/// Which search it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// SPRFinder.
    Full,
    /// SPRFinder with the same reward for every success.
    NoDtw,
    /// BanditFuzz for regressions: it starts over after each find, and the complexity of every formula is drawn.
    BanditFuzz,
    /// Nothing but fresh formulas with drawn complexity.
    Random,
}

impl Variant {
    /// All variants.
    pub const ALL: [Variant; 4] = [Variant::Full, Variant::NoDtw, Variant::BanditFuzz, Variant::Random];

    /// The name that users give it.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Full => "bandit",
            Variant::NoDtw => "no-dtw",
            Variant::BanditFuzz => "banditfuzz",
            Variant::Random => "random",
        }
    }

    /// What it does, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Variant::Full => "search for slowness guided by a bandit over operators; `--goal slowdown` only",
            Variant::NoDtw => "the same, with one reward for all successes, for comparison",
            Variant::BanditFuzz => "the same, starting over after each find, for comparison",
            Variant::Random => "random formulas of drawn complexity, for comparison",
        }
    }

    /// The variant with this name.
    pub fn named(name: &str) -> Option<Variant> {
        Variant::ALL.into_iter().find(|variant| variant.name() == name)
    }
}

/// The numbers of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Which search it is.
    pub variant: Variant,
    /// How many formulas are in the queue (beta), two at least.
    pub queue: usize,
    /// How many of them stay after a round.
    pub kept: usize,
    /// What a distance of one second is worth to an action (gamma).
    pub gamma: f64,
    /// How the complexity of fresh formulas is changed.
    pub adaptation: Adaptation,
    /// The complexity of the first formulas.
    pub start: Complexity,
    /// The time limit of a run, in seconds.
    pub limit_secs: f64,
}

/// The time limit of the paper. Distances are scaled to it, so that gamma means the same with every limit.
const PAPER_LIMIT_SECS: f64 = 20.0;

impl Settings {
    /// The numbers of the paper, and ours where it has none.
    pub fn new(variant: Variant, limit_secs: f64) -> Self {
        Settings {
            variant,
            queue: 5,
            kept: 1,
            gamma: 0.05,
            adaptation: Adaptation::default(),
            start: Complexity { literal_length: 10, variables: 5, assertions: 4, depth: 3 },
            limit_secs,
        }
    }
}

/// How long the solvers took for one formula.
#[derive(Debug, Clone, PartialEq)]
pub struct FormulaTimes {
    /// What the solvers took, in seconds, oldest release first; the limit where one did not end.
    pub times: Vec<f64>,
    /// By how many seconds the newest is behind the fastest of the others; none if they cannot be compared.
    pub score: Option<f64>,
    /// Whether that is enough.
    pub is_slow: bool,
}

/// A formula in the queue.
#[derive(Debug, Clone)]
struct Member<F> {
    formula: F,
    /// None before it was measured.
    score: Option<f64>,
}

/// What the search waits to be told.
#[derive(Debug, Clone)]
enum Pending<F> {
    Nothing,
    /// Of a formula in the queue.
    Member,
    /// Of a formula that is in no queue.
    Single(F),
    /// Of a formula made by an action from the one whose turn it is.
    Mutant {
        formula: F,
        action: usize,
    },
}

/// A search.
#[derive(Debug, Clone)]
pub struct Search<F> {
    settings: Settings,
    complexity: Complexity,
    actions: Thompson,
    queue: Vec<Member<F>>,
    /// How many formulas the queue had when the round began.
    round: usize,
    /// The position in the queue whose turn it is.
    turn: usize,
    pending: Pending<F>,
    window: Window,
    /// Times of all formulas so far, scaled.
    seen: Vec<Vec<f64>>,
    /// Processor time that was told so far, in seconds, and of how many runs.
    told: (f64, u64),
}

impl<F: Clone> Search<F> {
    /// A search that has seen nothing, with this many actions.
    pub fn new(settings: Settings, actions: usize) -> Self {
        assert!(settings.queue >= 2 && settings.kept < settings.queue, "a round must bring something new");
        Search {
            settings,
            complexity: settings.start,
            actions: Thompson::new(actions),
            queue: Vec::new(),
            round: 0,
            turn: 0,
            pending: Pending::Nothing,
            window: Window::starting(0.0),
            seen: Vec::new(),
            told: (0.0, 0),
        }
    }

    /// The formula to run next. Asked again before it is told, the search gives the same one.
    pub fn ask(&mut self, maker: &mut dyn Maker<F>, random: &mut Random) -> F {
        loop {
            match &self.pending {
                Pending::Single(formula) | Pending::Mutant { formula, .. } => return formula.clone(),
                Pending::Member => return self.queue[self.turn].formula.clone(),
                Pending::Nothing => {}
            }
            if self.settings.variant == Variant::Random {
                let complexity = self.settings.adaptation.draw(random);
                self.pending = Pending::Single(maker.fresh(&complexity, random));
            } else if self.turn >= self.round {
                self.next_round(maker, random);
            } else if self.queue[self.turn].score.is_none() {
                self.pending = Pending::Member;
            } else {
                let action = self.actions.choose(random);
                let formula = &self.queue[self.turn].formula;
                match maker.mutate(formula, action, &self.complexity, random) {
                    Some(formula) => self.pending = Pending::Mutant { formula, action },
                    // Nothing is learned from what could not be done.
                    None => self.turn += 1,
                }
            }
        }
    }

    /// What came of the formula that was asked for. It is given back if it is slow, and no longer in the queue.
    pub fn tell(&mut self, outcome: &FormulaTimes) -> Option<F> {
        let score = outcome.score.unwrap_or(f64::NEG_INFINITY);
        self.told.0 += outcome.times.iter().sum::<f64>();
        self.told.1 += outcome.times.len() as u64;
        let scale = PAPER_LIMIT_SECS / self.settings.limit_secs;
        let times: Vec<f64> = outcome.times.iter().map(|time| time * scale).collect();
        let slow = match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => unreachable!("a search is told only of what it was asked for"),
            Pending::Single(formula) => outcome.is_slow.then_some(formula),
            Pending::Member if outcome.is_slow => {
                let member = &mut self.queue[self.turn];
                // The worst score of all: it leaves the queue at the end of the round, and its turn is over.
                member.score = Some(f64::NAN);
                let formula = member.formula.clone();
                self.turn += 1;
                Some(formula)
            }
            Pending::Member => {
                self.queue[self.turn].score = Some(score);
                None
            }
            Pending::Mutant { formula, action } => {
                let before = self.queue[self.turn].score.unwrap_or(f64::NEG_INFINITY);
                self.reward(action, score > before, &times);
                self.turn += 1;
                if !outcome.is_slow {
                    self.queue.push(Member { formula, score: Some(score) });
                    None
                } else {
                    Some(formula)
                }
            }
        };
        self.seen.push(times);
        slow
    }

    /// Says that a formula that was given back is a find: measured again, it is slow again.
    pub fn found(&mut self) {
        self.window = Window::starting(self.told.0);
        if self.settings.variant == Variant::BanditFuzz {
            self.actions = Thompson::new(self.actions.beliefs().len());
            self.queue.clear();
            self.round = 0;
            self.turn = 0;
        }
    }

    /// The complexity of fresh formulas.
    pub fn complexity(&self) -> Complexity {
        self.complexity
    }

    /// What is believed of the actions.
    pub fn beliefs(&self) -> &[Belief] {
        self.actions.beliefs()
    }

    /// Learns whether an action made a formula better.
    fn reward(&mut self, action: usize, is_better: bool, times: &[f64]) {
        let gamma = self.settings.gamma;
        match (self.settings.variant, is_better) {
            (Variant::Full, true) => self.actions.gain(action, gamma * self.distance(times)),
            (Variant::Full, false) => self.actions.lose(action, gamma),
            (_, true) => self.actions.gain(action, 1.0),
            (_, false) => self.actions.lose(action, 1.0),
        }
    }

    /// How unlike all times before these are. Before there are any, a formula that takes no time is compared with.
    fn distance(&self, times: &[f64]) -> f64 {
        let least = self.seen.iter().map(|seen| dtw::distance(times, seen)).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { dtw::distance(times, &vec![0.0; times.len()]) }
    }

    /// Keeps the best, adapts, and fills the queue up.
    fn next_round(&mut self, maker: &mut dyn Maker<F>, random: &mut Random) {
        self.queue.retain(|member| member.score.is_some_and(|score| !score.is_nan()));
        let score = |member: &Member<F>| member.score.unwrap_or(f64::NEG_INFINITY);
        // Stable, so of equally good ones the oldest stays.
        self.queue.sort_by(|left, right| score(right).total_cmp(&score(left)));
        self.queue.truncate(self.settings.kept);
        let is_adaptive = self.settings.variant != Variant::BanditFuzz;
        if is_adaptive {
            let mean = self.told.0 / self.told.1.max(1) as f64;
            let clock = Clock { now: self.told.0, limit: self.settings.limit_secs, mean };
            self.window.update(&mut self.complexity, &self.settings.adaptation, clock, random);
        }
        while self.queue.len() < self.settings.queue {
            if !is_adaptive {
                self.complexity = self.settings.adaptation.draw(random);
            }
            let formula = maker.fresh(&self.complexity, random);
            self.queue.push(Member { formula, score: None });
        }
        self.round = self.queue.len();
        self.turn = 0;
    }
}

#[cfg(test)]
mod tests;

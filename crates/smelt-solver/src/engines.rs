//! Engines: procedures that decide a conjunction of assertions, and the registry that lists them.
//!
//! An engine gets rewritten assertions over Boolean, integer and string constants. It may answer at any time that it
//! does not know. A model is evaluated by the caller before it is reported; a refutation is not checked here, so
//! it can be made only by naming the complete reasoning that it comes from.

pub(crate) mod abstraction;
pub mod arrangement;
pub mod cases;
pub mod ground;
pub mod guess;
pub mod length_abstraction;
pub mod sequence;
#[cfg(test)]
mod tests;

use smelt_smtlib::term::{Term, Terms};

use crate::Reason;
use crate::ablation::Parts;
use crate::effort::{Effort, Stopped};
use crate::log::Log;
use crate::model::Assignment;
use crate::model_cache::Earlier;
use crate::proof::record::Recorder;
use crate::rewrite::Rewriter;
use crate::statistics::Statistics;

/// A conjunction of assertions.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// Rewritten terms of sort Bool without binders and defined functions.
    pub assertions: Vec<Term>,
}

/// What engines work with.
pub struct Context<'s> {
    /// The arena of all terms.
    pub terms: &'s mut Terms,
    /// Brings terms that an engine builds into normal form.
    pub rewriter: &'s mut Rewriter,
    /// Effort for this engine, and the interrupt flag.
    pub effort: &'s mut Effort,
    /// Counters for `--stats`.
    pub statistics: &'s mut Statistics,
    /// What may be used.
    pub parts: Parts,
    /// Lines for `--verbose`.
    pub log: &'s mut Log,
    /// Takes down what is done, for a refutation log.
    pub recorder: &'s mut Recorder,
    /// Clauses over the constants of the problem that it implies, for the engines that come next.
    pub shared: &'s mut Vec<Term>,
    /// What earlier checks have found.
    pub earlier: &'s mut Earlier,
}

impl Context<'_> {
    /// Spends effort for the terms that were made since the arena had this number of machine words; an error also if there is
    /// no room for more.
    pub(crate) fn charge_terms_since(&mut self, words: u64) -> Result<(), Stopped> {
        self.effort.spend((self.terms.words() - words) / WORDS_PER_UNIT)?;
        if self.rewriter.is_full(self.terms) { Err(Stopped::Spent) } else { Ok(()) }
    }

    /// Does some work with at most this many of the units of effort that are left.
    pub(crate) fn slice<T>(&mut self, units: u64, work: impl FnOnce(&mut Context<'_>) -> T) -> T {
        let Context { terms, rewriter, effort, statistics, parts, log, recorder, shared, earlier } = self;
        effort.slice(units, |effort| {
            let parts = *parts;
            work(&mut Context { terms, rewriter, effort, statistics, parts, log, recorder, shared, earlier })
        })
    }
}

/// Machine words of terms that are made for a unit of effort.
const WORDS_PER_UNIT: u64 = 256;

/// What an engine says.
#[derive(Debug, Clone)]
pub enum EngineOutcome {
    /// Values of the constants of the problem; constants without one may have any.
    Sat(Assignment),
    /// There is no model.
    Unsat(Refutation),
    /// Neither was found.
    Unknown(Reason),
}

/// The right to say `unsat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refutation {
    /// The complete procedure that proved it.
    pub step: &'static str,
}

impl Refutation {
    /// A refutation by reasoning that loses no model: only equivalences, consequences and exhaustive cases.
    pub fn by_complete(step: &'static str) -> Self {
        Refutation { step }
    }
}

/// A decision procedure.
pub trait Engine: Sync {
    /// The name that users know.
    fn name(&self) -> &'static str;

    /// Whether clauses that others have learned help it.
    fn takes_clauses(&self) -> bool {
        true
    }

    /// Decides the problem, or says why it does not.
    fn solve(&self, ctx: &mut Context<'_>, problem: &Problem) -> EngineOutcome;
}

/// All engines.
pub static ENGINES: &[&dyn Engine] = &[
    &ground::Ground,
    &guess::Guess,
    &length_abstraction::LengthAbstraction,
    &cases::Cases,
    &arrangement::Arrangement,
    &sequence::Sequence,
];

/// The engine with this name.
pub fn named(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.name() == name)
}

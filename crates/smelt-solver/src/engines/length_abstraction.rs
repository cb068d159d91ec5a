//! Length abstraction: guess lengths by arithmetic, find words of these lengths, learn from failure.
//!
//! The search sees Boolean structure, integers and lengths; string constraints are guarded by literals that mean
//! nothing to it. For every assignment that it finds, the constraints that matter are checked, cheapest first: their
//! regular languages, then words of exactly the lengths of the assignment. A failure becomes a clause that the
//! constraints imply, as general as the check can justify, and the search goes on. When the search finds nothing any
//! more, there is no model; when words are found, evaluation has the last word.
//!
//! Follows Mora, Berzish, Kulczynski, Nowotka and Ganesh, «Z3str4: a multi-armed string solver», 2021, Algorithm 1, with
//! the abstraction inside of a search for the whole formula and with lessons that are right for empty words, too.

#[cfg(test)]
mod tests;

use super::abstraction::equations::Equations;
use super::abstraction::languages::{Languages, Taught};
use super::abstraction::rounds::{self, Checked, Round, Rounds};
use super::{Context, Engine, EngineOutcome, Problem};
use crate::ablation::Part;

/// The engine `length-abstraction`.
pub struct LengthAbstraction;

impl Engine for LengthAbstraction {
    fn name(&self) -> &'static str {
        "length-abstraction"
    }

    fn solve(&self, ctx: &mut Context<'_>, problem: &Problem) -> EngineOutcome {
        let mut checks = Checks::default();
        rounds::decide(self.name(), ctx, problem, |rounds, ctx, round| checks.check(rounds, ctx, round))
    }
}

/// What the checks of an assignment remember.
#[derive(Default)]
struct Checks {
    languages: Languages,
    equations: Equations,
}

impl Checks {
    fn check(&mut self, rounds: &mut Rounds<'_>, ctx: &mut Context<'_>, round: &Round) -> Checked {
        let Round { assignment, facts } = round;
        if ctx.parts.has(Part::Languages)
            && let Taught::Lesson = self.languages.check(&mut rounds.abstraction, assignment, facts)
        {
            rounds.count(ctx, "language-lessons");
            rounds.say(ctx, || format!("{} facts, refuted by their languages", facts.len()));
            return Checked::Lesson;
        }
        let checked = rounds.find_words(ctx, round);
        if let Checked::Lesson = checked
            && ctx.parts.has(Part::WordEquations)
            && let Taught::Lesson =
                self.equations.check(ctx.effort, &mut rounds.abstraction, assignment, facts)
        {
            rounds.say(ctx, || "the equations alone teach more".to_owned());
            rounds.count(ctx, "equation-lessons");
        }
        checked
    }
}

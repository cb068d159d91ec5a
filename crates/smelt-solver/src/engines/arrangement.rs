//! Arrangement: split word equations by the order of lengths, until variables are solved for or overlap themselves.
//!
//! The search gives an assignment with lengths; the word equations that matter under it are arranged as these lengths
//! say (`split`). A contradiction between words, or with another fact (`consequences`), becomes a clause over the facts
//! and the order of lengths it rests on (`premises`), which covers all lengths in that order. Without a contradiction,
//! the fixed-length backend looks for words of the very lengths of the assignment. Equations that come back to
//! themselves are tried by Nielsen's transformation first.
//!
//! Fresh variables live for one round only (`segments`): their lengths are terms over the lengths of the problem, so
//! that every clause learned speaks of the problem alone, and no cache of fresh variables has to be right.
//!
//! Follows Mora, Berzish, Kulczynski, Nowotka and Ganesh, «Z3str4: a multi-armed string solver», 2021, section 3.2, with the
//! cases of a split on demand, by clauses, instead of all in advance.

mod consequences;
mod equation;
mod premises;
mod segments;
mod split;
#[cfg(test)]
mod tests;
mod words;

use rustc_hash::FxHashSet;

use super::abstraction::candidate;
use super::abstraction::equations::Equations;
use super::abstraction::facts::Shape;
use super::abstraction::languages::{Languages, Taught};
use super::abstraction::rounds::{self, Checked, Round, Rounds};
use super::{Context, Engine, EngineOutcome, Problem};
use crate::Reason;
use crate::ablation::Part;
use crate::effort::{Effort, Stopped};
use crate::engines::abstraction::Abstraction;
use crate::theory::fixed_length::{Constraint, Var};
use crate::theory::search::Assignment;
use crate::theory::word::{self, System, vars_of};

use consequences::{EmptinessTests, KnownLanguages};
use equation::{End, Equation, shape};
use premises::{Premise, Premises};
use segments::Segments;
use split::Arranged;
use words::Words;

/// Effort for one search by Nielsen's transformation.
const NIELSEN_UNITS: u64 = 20_000;
/// A contradiction between more lengths than this is a narrow one.
const MAX_BROAD: usize = 20;
/// The same for contradictions that come from unrolling.
const MAX_BROAD_OVERLAPPING: usize = 6;
/// Rounds in a row that taught nothing but single lengths before short words come first.
const NARROW_ROUNDS_FREE: usize = 8;
/// Rounds in a row that taught nothing but single lengths before giving up.
const MAX_NARROW_ROUNDS: usize = 800;
/// Fresh variables in one arrangement before giving up.
const MAX_FRESH: usize = 1_500;

/// The engine `arrangement`.
pub struct Arrangement;

impl Engine for Arrangement {
    fn name(&self) -> &'static str {
        "arrangement"
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
    memory: Memory,
    /// Rounds in a row in which only the backend taught something.
    narrow_rounds: usize,
}

/// What arrangements remember of each other.
#[derive(Default)]
struct Memory {
    languages: KnownLanguages,
    /// Shapes of equations that Nielsen's transformation did not refute.
    tried: FxHashSet<Vec<u32>>,
}

/// Premises that contradict each other.
struct Contradiction {
    premises: Vec<Premise>,
    /// It was found by unrolling what overlaps itself: every number of times may need a contradiction of its own.
    has_overlaps: bool,
}

impl Contradiction {
    fn new(segments: &Segments<'_>, premises: &Premises) -> Self {
        Contradiction { premises: segments.table.list(premises), has_overlaps: segments.has_overlaps }
    }
}

/// What an arrangement found.
enum Found {
    /// Premises that contradict each other.
    Contradiction(Contradiction),
    /// Nothing against the assignment.
    Open {
        /// Some equations came back to themselves.
        has_loops: bool,
        /// Fresh variables.
        fresh: usize,
        /// Words by the definitions, where they say everything.
        words: Option<Words>,
    },
}

impl Checks {
    fn check(&mut self, rounds: &mut Rounds<'_>, ctx: &mut Context<'_>, round: &Round) -> Checked {
        if ctx.parts.has(Part::Languages)
            && let Taught::Lesson =
                self.languages.check(&mut rounds.abstraction, &round.assignment, &round.facts)
        {
            rounds.count(ctx, "language-lessons");
            rounds.say(ctx, || format!("{} facts, refuted by their languages", round.facts.len()));
            self.narrow_rounds = 0;
            return Checked::Lesson;
        }
        match self.arrange(rounds, ctx, round) {
            Err(stopped) => Checked::GiveUp(stopped.into()),
            Ok(Found::Contradiction(contradiction)) => {
                let premises = &contradiction.premises;
                rounds.count(ctx, "contradictions");
                rounds.say(ctx, || format!("{} premises contradict each other", premises.len()));
                premises::refute(&mut rounds.abstraction, premises);
                self.learn_more(rounds, ctx, round, &contradiction)
            }
            Ok(Found::Open { has_loops, fresh, words }) => {
                if has_loops {
                    rounds.count(ctx, "overlaps");
                }
                rounds.say(ctx, || format!("arranged with {fresh} fresh variables"));
                if ctx.parts.has(Part::Difficulty) && fresh > MAX_FRESH {
                    return Checked::GiveUp(Reason::Incomplete("too many fresh variables".to_owned()));
                }
                self.look_for_words(rounds, ctx, round, words)
            }
        }
    }

    /// Asks the backend about a contradiction that holds for few lengths only.
    fn learn_more(
        &mut self,
        rounds: &mut Rounds<'_>,
        ctx: &mut Context<'_>,
        round: &Round,
        contradiction: &Contradiction,
    ) -> Checked {
        let facts = premises::facts_of(&contradiction.premises);
        let most = if contradiction.has_overlaps { MAX_BROAD_OVERLAPPING } else { MAX_BROAD };
        if contradiction.premises.len() - facts.len() <= most || !ctx.parts.has(Part::ArrangementWords) {
            self.narrow_rounds = 0;
            return Checked::Lesson;
        }
        self.count_narrow_round(rounds);
        let needed = Round { assignment: round.assignment.clone(), facts };
        let checked = rounds.find_words(ctx, &needed);
        self.give_up_if_hopeless(ctx, checked)
    }

    fn give_up_if_hopeless(&self, ctx: &Context<'_>, checked: Checked) -> Checked {
        if let Checked::Lesson = checked
            && ctx.parts.has(Part::Difficulty)
            && self.narrow_rounds > MAX_NARROW_ROUNDS
        {
            return Checked::GiveUp(Reason::Incomplete("arrangements lead nowhere".to_owned()));
        }
        checked
    }

    /// A round taught nothing but single lengths.
    fn count_narrow_round(&mut self, rounds: &mut Rounds<'_>) {
        self.narrow_rounds += 1;
        if self.narrow_rounds == NARROW_ROUNDS_FREE {
            rounds.prefer_short_words();
        }
    }

    /// Looks for words of the lengths of a round that was arranged.
    fn look_for_words(
        &mut self,
        rounds: &mut Rounds<'_>,
        ctx: &mut Context<'_>,
        round: &Round,
        words: Option<Words>,
    ) -> Checked {
        if let Some(words) = words
            && let Some(values) = candidate::values(&rounds.abstraction, &round.assignment, &words)
            && rounds.is_model(ctx, &values)
        {
            return Checked::Model(values);
        }
        if !ctx.parts.has(Part::ArrangementWords) {
            rounds.leave_aside(round);
            return Checked::Undecided;
        }
        let checked = rounds.find_words(ctx, round);
        if let Checked::Lesson = checked {
            self.count_narrow_round(rounds);
            if ctx.parts.has(Part::WordEquations)
                && let Taught::Lesson =
                    self.equations.check(ctx.effort, &mut rounds.abstraction, &round.assignment, &round.facts)
            {
                rounds.count(ctx, "equation-lessons");
                self.narrow_rounds = 0;
            }
        }
        self.give_up_if_hopeless(ctx, checked)
    }

    /// Arranges the equations of a round, and asks the other facts what they say to it.
    fn arrange(
        &mut self,
        rounds: &mut Rounds<'_>,
        ctx: &mut Context<'_>,
        round: &Round,
    ) -> Result<Found, Stopped> {
        let mut job = Job {
            abstraction: &mut rounds.abstraction,
            assignment: &round.assignment,
            memory: &mut self.memory,
            uses_languages: ctx.parts.has(Part::Languages),
            builds_words: !ctx.parts.has(Part::ArrangementWords),
        };
        let found = job.arrange(ctx.effort, &round.facts, End::Front)?;
        let Found::Contradiction(mut best) = found else { return Ok(found) };
        // The facts that were needed, alone and from both ends, often contradict each other with fewer premises.
        for end in [End::Back, End::Front] {
            let facts = premises::facts_of(&best.premises);
            if let Found::Contradiction(other) = job.arrange(ctx.effort, &facts, end)?
                && other.premises.len() < best.premises.len()
            {
                best = other;
            }
        }
        Ok(Found::Contradiction(best))
    }
}

/// The arrangement of one assignment.
struct Job<'a> {
    abstraction: &'a mut Abstraction,
    assignment: &'a Assignment,
    memory: &'a mut Memory,
    uses_languages: bool,
    /// Whether words are wanted from the definitions alone.
    builds_words: bool,
}

impl Job<'_> {
    fn arrange(&mut self, effort: &mut Effort, facts: &[usize], preferred: End) -> Result<Found, Stopped> {
        let Abstraction { regexes, facts: all, lengths, .. } = &mut *self.abstraction;
        let mut segments = Segments::new(lengths, self.assignment);
        let mut equations = Vec::new();
        for &position in facts {
            if let Shape::Plain(Constraint::Equal(left, right)) = &all[position].shape {
                let mut premises = Premises::default();
                segments.table.add(&mut premises, Premise::Fact(position));
                equations.push(Equation::new(left, right, premises));
            }
        }
        let open = match split::arrange(&mut segments, effort, equations, preferred)? {
            Arranged::Refuted(premises) => {
                return Ok(Found::Contradiction(Contradiction::new(&segments, &premises)));
            }
            Arranged::Open(open) => open,
        };
        let mut found = consequences::contradiction(&mut segments, effort, all, facts)?;
        if found.is_none() && self.uses_languages {
            let tests = EmptinessTests { regexes, known: &mut self.memory.languages };
            found = consequences::language_contradiction(&mut segments, tests, effort, all, facts)?;
        }
        let mut given = self.builds_words.then(Words::default);
        if found.is_none() {
            match decide_words(&segments, effort, self.memory, &open)? {
                Nielsen::Refuted(premises) => found = Some(premises),
                Nielsen::Solved(words) => given = Some(words),
                Nielsen::Open => {}
            }
        }
        if let Some(premises) = found {
            return Ok(Found::Contradiction(Contradiction::new(&segments, &premises)));
        }
        Ok(Found::Open {
            has_loops: open.iter().any(|equation| equation.is_loop),
            fresh: segments.fresh_count(),
            words: match given {
                Some(given) => words::words(&segments, effort, &given)?,
                None => None,
            },
        })
    }
}

/// What Nielsen's transformation says to equations.
enum Nielsen {
    /// They contradict each other under these premises.
    Refuted(Premises),
    /// These words solve them.
    Solved(Words),
    /// Nothing.
    Open,
}

/// Tries to decide the equations that are left, whatever the lengths.
fn decide_words(
    segments: &Segments<'_>,
    effort: &mut Effort,
    memory: &mut Memory,
    open: &[Equation],
) -> Result<Nielsen, Stopped> {
    let mut equations: Vec<Equation> = Vec::new();
    for equation in open {
        let mut premises = equation.premises.clone();
        let (Some(left), Some(right)) = (
            segments.expand(effort, &equation.left.text())?,
            segments.expand(effort, &equation.right.text())?,
        ) else {
            continue;
        };
        premises.extend(&left.1);
        premises.extend(&right.1);
        equations.push(Equation::new(&left.0, &right.0, premises));
    }
    let sides: Vec<_> = equations.iter().map(|equation| (&equation.left, &equation.right)).collect();
    if equations.is_empty() || !memory.tried.insert(shape(&sides)) {
        return Ok(Nielsen::Open);
    }
    let var_count = u32::try_from(segments.count()).expect("fewer than 2^32 string variables");
    let texts = equations.iter().map(|equation| (equation.left.text(), equation.right.text()));
    let system = System { var_count, equations: texts.collect() };
    Ok(match effort.budgeted(NIELSEN_UNITS, |budget| word::solve(&system, budget)) {
        word::Answer::Unsat(refuted) => {
            let mut premises = Premises::default();
            for index in refuted.equations() {
                premises.extend(&equations[*index].premises);
            }
            Nielsen::Refuted(premises)
        }
        word::Answer::Sat(words) => {
            let sides = system.equations.iter().flat_map(|(left, right)| [left, right]);
            let vars: FxHashSet<Var> = sides.flat_map(vars_of).collect();
            let word_of = |var: Var| (var, words[var as usize].clone());
            Nielsen::Solved(vars.into_iter().map(word_of).collect())
        }
        word::Answer::Unknown => Nielsen::Open,
    })
}

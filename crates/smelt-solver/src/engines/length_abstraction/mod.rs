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

mod abstraction;
mod axioms;
mod candidate;
mod definitions;
mod equations;
mod facts;
mod languages;
mod relevant;

#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::term::Terms;

use super::{Context, Engine, Outcome, Problem, Refutation};
use crate::Reason;
use crate::arith::Linear;
use crate::core::{self, Limits, Literal, WhyUnknown};
use crate::effort::Stopped;
use crate::fixed_length::{self, LengthCondition, Relation, Var};
use crate::model::Assignment;
use crate::number::Integer;
use crate::parts::Part;

use abstraction::Abstraction;
use equations::Equations;
use languages::{Languages, Taught};
use relevant::relevant_facts;

/// Steps of the search in one unit of effort.
const STEPS_PER_UNIT: u64 = 10;
/// Units of effort of a round besides the search and the backend.
const ROUND_UNITS: u64 = 50;
/// Facts looked at in one unit of effort.
const FACTS_PER_UNIT: u64 = 10;
/// Budget of the backend for one assignment, in units of effort.
const BACKEND_UNITS: u64 = 400_000;
/// Effort for evaluating one candidate.
const EVALUATION_UNITS: u64 = 1_000_000;
/// Words of more letters altogether are not looked for.
const MAX_LETTERS: u64 = 1 << 21;
/// Assignments that could not be decided before giving up.
const MAX_UNDECIDED: usize = 8;

/// The engine `length-abstraction`.
pub struct LengthAbstraction;

impl Engine for LengthAbstraction {
    fn name(&self) -> &'static str {
        "length-abstraction"
    }

    fn solve(&self, ctx: &mut Context<'_>, problem: &Problem) -> Outcome {
        match Run::new(ctx, problem) {
            Ok(mut run) => run.solve(ctx),
            Err(stopped) => Outcome::Unknown(stopped.into()),
        }
    }
}

/// What the check of one assignment brought.
enum Checked {
    /// A model.
    Model(Assignment),
    /// A clause that excludes the assignment and that the problem implies.
    Lesson,
    /// Nothing: the assignment is left aside without reason.
    Undecided,
}

struct Run<'p> {
    problem: &'p Problem,
    abstraction: Abstraction,
    languages: Languages,
    equations: Equations,
    /// Assignments left aside: without them the end of the search proves nothing.
    undecided: usize,
}

impl<'p> Run<'p> {
    fn new(ctx: &mut Context<'_>, problem: &'p Problem) -> Result<Run<'p>, Stopped> {
        let abstraction = Abstraction::of(ctx.terms, &problem.assertions, ctx.effort)?;
        let (languages, equations) = (Languages::default(), Equations::default());
        Ok(Run { problem, abstraction, languages, equations, undecided: 0 })
    }

    fn solve(&mut self, ctx: &mut Context<'_>) -> Outcome {
        loop {
            ctx.statistics.add("length-abstraction.rounds", 1);
            let assignment = match self.next_assignment(ctx) {
                Ok(core::Outcome::Sat(assignment)) => assignment,
                Ok(core::Outcome::Unsat(_)) if self.undecided == 0 => {
                    return Outcome::Unsat(Refutation::by_complete("length abstraction"));
                }
                Ok(core::Outcome::Unsat(_)) => {
                    return Outcome::Unknown(Reason::Incomplete("some lengths were not decided".to_owned()));
                }
                Ok(core::Outcome::Unknown(WhyUnknown::IntegerSearch)) => {
                    return Outcome::Unknown(Reason::Incomplete("the integer search gave up".to_owned()));
                }
                Ok(core::Outcome::Unknown(WhyUnknown::OutOfEffort)) => {
                    let stopped =
                        if ctx.effort.is_interrupted() { Stopped::Interrupted } else { Stopped::Spent };
                    return Outcome::Unknown(stopped.into());
                }
                Err(stopped) => return Outcome::Unknown(stopped.into()),
            };
            match self.check(ctx, &assignment) {
                Checked::Model(values) => return Outcome::Sat(values),
                Checked::Lesson => ctx.statistics.add("length-abstraction.lessons", 1),
                Checked::Undecided => {
                    self.undecided += 1;
                    ctx.log.say(|| "length-abstraction: some lengths are left aside".to_owned());
                    ctx.statistics.add("length-abstraction.undecided", 1);
                    if self.undecided == MAX_UNDECIDED {
                        return Outcome::Unknown(Reason::Incomplete("the lengths are too hard".to_owned()));
                    }
                }
            }
        }
    }

    fn next_assignment(&mut self, ctx: &mut Context<'_>) -> Result<core::Outcome, Stopped> {
        let effort = ctx.effort.remaining().saturating_mul(STEPS_PER_UNIT);
        let limits = Limits { effort, interrupt: ctx.effort.interrupt_flag() };
        let before = self.abstraction.search.spent();
        let outcome = self.abstraction.search.check(&[], &limits);
        let overhead = ROUND_UNITS + self.abstraction.facts.len() as u64 / FACTS_PER_UNIT;
        ctx.effort.spend((self.abstraction.search.spent() - before) / STEPS_PER_UNIT + overhead)?;
        Ok(outcome)
    }

    fn check(&mut self, ctx: &mut Context<'_>, assignment: &core::Assignment) -> Checked {
        let facts = relevant_facts(ctx.terms, &self.abstraction, assignment, &self.problem.assertions);
        if ctx.parts.has(Part::Languages)
            && let Taught::Lesson = self.languages.check(&mut self.abstraction, assignment, &facts)
        {
            ctx.statistics.add("length-abstraction.language-lessons", 1);
            ctx.log.say(|| format!("length-abstraction: {} facts, refuted by their languages", facts.len()));
            return Checked::Lesson;
        }
        let Some(backend) = Backend::new(&self.abstraction, assignment, &facts) else {
            self.leave_aside(assignment, &facts);
            return Checked::Undecided;
        };
        ctx.statistics.add("length-abstraction.backend", 1);
        ctx.log.say(|| format!("length-abstraction: {}", backend.summary(ctx.terms, &self.abstraction)));
        // When all is spent, the run ends at its next step.
        let answer = ctx.effort.budgeted(BACKEND_UNITS, |budget| {
            fixed_length::solve(&mut self.abstraction.regexes, &backend.problem, budget)
        });
        match answer {
            fixed_length::Answer::Sat(words) => {
                let words: FxHashMap<Var, Vec<u32>> =
                    (0..).zip(words).filter(|(var, _)| backend.vars.contains(var)).collect();
                let values = candidate::values(&self.abstraction, assignment, &words);
                match values {
                    Some(values) if self.is_model(ctx, &values) => Checked::Model(values),
                    _ => {
                        ctx.statistics.add("length-abstraction.rejected", 1);
                        self.leave_aside(assignment, &facts);
                        Checked::Undecided
                    }
                }
            }
            fixed_length::Answer::Unsat(refutation) => {
                self.learn(assignment, &backend, &refutation);
                ctx.log.say(|| {
                    let (constraints, conditions) = (refutation.constraints(), refutation.conditions());
                    format!(
                        "length-abstraction: no words of these lengths, because of {} of {} facts and {} lengths",
                        constraints.len(),
                        facts.len(),
                        conditions.len()
                    )
                });
                if ctx.parts.has(Part::WordEquations)
                    && let Taught::Lesson =
                        self.equations.check(ctx.effort, &mut self.abstraction, assignment, &facts)
                {
                    ctx.log.say(|| "length-abstraction: the equations alone teach more".to_owned());
                    ctx.statistics.add("length-abstraction.equation-lessons", 1);
                }
                Checked::Lesson
            }
            fixed_length::Answer::Unknown => {
                self.leave_aside(assignment, &facts);
                Checked::Undecided
            }
        }
    }

    fn is_model(&self, ctx: &mut Context<'_>, values: &Assignment) -> bool {
        let assertions = &self.problem.assertions;
        ctx.effort
            .budgeted(EVALUATION_UNITS, |budget| candidate::is_model(ctx.terms, assertions, values, budget))
    }

    /// Adds the clause that a refutation at fixed lengths justifies.
    fn learn(
        &mut self,
        assignment: &core::Assignment,
        backend: &Backend,
        refutation: &fixed_length::Refutation,
    ) {
        let mut clause: Vec<Literal> = Vec::new();
        for index in refutation.constraints() {
            let fact = self.abstraction.facts[backend.facts[*index]].clone();
            clause.push(!fact.guard);
            for integer in fact.shape.integers() {
                let value = assignment.value(integer);
                clause.push(!self.abstraction.search.equals(integer, &Linear::constant(value)));
            }
        }
        for condition in refutation.conditions() {
            let literal = self.condition_literal(condition);
            clause.push(!literal);
        }
        self.abstraction.search.add_clause(&clause);
    }

    fn condition_literal(&mut self, condition: &LengthCondition) -> Literal {
        let products = condition
            .terms
            .iter()
            .map(|(var, factor)| (self.abstraction.lengths[*var as usize], Integer::from(*factor)));
        let sum = Linear::from_terms(products.collect(), Integer::from(condition.constant));
        match condition.relation {
            Relation::Zero => self.abstraction.search.is_zero(&sum),
            Relation::AtLeastZero => self.abstraction.search.at_least(&sum, &Linear::constant(0)),
        }
    }

    /// Excludes the lengths and integers of an assignment that was not decided, for the constraints that matter.
    fn leave_aside(&mut self, assignment: &core::Assignment, facts: &[usize]) {
        let mut clause: Vec<Literal> = Vec::new();
        let mut integers: Vec<Linear> = Vec::new();
        for position in facts {
            let fact = &self.abstraction.facts[*position];
            clause.push(!fact.guard);
            integers.extend(fact.shape.integers().into_iter().cloned());
            integers.extend(
                fact.shape.vars().map(|var| Linear::variable(self.abstraction.lengths[var as usize])),
            );
        }
        for (_, variable) in &self.abstraction.int_constants {
            integers.push(Linear::variable(*variable));
        }
        for (_, literal) in &self.abstraction.bool_constants {
            clause.push(if assignment.holds(*literal) { !*literal } else { *literal });
        }
        for integer in integers {
            let value = assignment.value(&integer);
            clause.push(!self.abstraction.search.equals(&integer, &Linear::constant(value)));
        }
        clause.sort_unstable();
        clause.dedup();
        self.abstraction.search.add_clause(&clause);
    }
}

impl Abstraction {
    /// Adds the clause that some facts cannot hold together.
    fn refute(&mut self, facts: &[usize]) {
        let clause: Vec<Literal> = facts.iter().map(|position| !self.facts[*position].guard).collect();
        self.search.add_clause(&clause);
    }
}

/// A problem for the backend. Its variables are the string variables of the abstraction; those that no constraint
/// speaks of have length 0 here.
struct Backend {
    problem: fixed_length::Problem,
    /// The variables that constraints speak of.
    vars: FxHashSet<Var>,
    /// The position of the fact of each constraint.
    facts: Vec<usize>,
}

impl Backend {
    /// The constants and their lengths, as far as some constraint speaks of them.
    fn summary(&self, terms: &Terms, abstraction: &Abstraction) -> String {
        const MAX_SHOWN: usize = 12;
        let name = |var: Var| {
            let named = abstraction.string_constants.iter().find(|(_, known)| *known == var);
            named.map_or_else(|| format!("part {var}"), |(name, _)| terms.text(*name).to_owned())
        };
        let mut vars: Vec<Var> = self.vars.iter().copied().collect();
        vars.sort_unstable();
        let lengths: Vec<String> = vars
            .iter()
            .take(MAX_SHOWN)
            .map(|var| format!("{} of length {}", name(*var), self.problem.lengths[*var as usize]))
            .collect();
        let more = if vars.len() > MAX_SHOWN { ", .." } else { "" };
        format!("{} facts, try {}{more}", self.facts.len(), lengths.join(", "))
    }

    /// The facts at the lengths and integers of an assignment; none if these are too large.
    fn new(abstraction: &Abstraction, assignment: &core::Assignment, facts: &[usize]) -> Option<Backend> {
        let mut vars: FxHashSet<Var> = FxHashSet::default();
        let mut lengths = vec![0; abstraction.lengths.len()];
        let mut constraints = Vec::with_capacity(facts.len());
        let mut letters = 0u64;
        for &position in facts {
            let shape = &abstraction.facts[position].shape;
            for var in shape.vars() {
                if vars.insert(var) {
                    let length = assignment.integer(abstraction.lengths[var as usize]).to_usize()? as u64;
                    letters = letters.checked_add(length).filter(|letters| *letters <= MAX_LETTERS)?;
                    lengths[var as usize] = length;
                }
            }
            constraints.push(shape.instantiate(assignment)?);
        }
        let problem = fixed_length::Problem { lengths, constraints };
        Some(Backend { problem, vars, facts: facts.to_vec() })
    }
}

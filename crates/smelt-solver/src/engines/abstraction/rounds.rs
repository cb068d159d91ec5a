//! Rounds of assignments: what all engines that work on an abstraction have in common.
//!
//! The search finds an assignment, the engine looks at the string constraints that matter under it, and either a model
//! comes out or a clause that the constraints imply, and the search goes on. When it finds nothing any more, there is no
//! model. [`Rounds::find_words`] asks the fixed-length backend about the very lengths of an assignment.
//!
//! What an engine does in a round is the engine's business.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::term::Terms;

use super::relevant::relevant_facts;
use super::share::{Meanings, Said};
use super::{Abstraction, candidate};
use crate::Reason;
use crate::ablation::Part;
use crate::effort::Stopped;
use crate::engines::{Context, EngineOutcome, Problem, Refutation};
use crate::model::Assignment;
use crate::theory::arith::Linear;
use crate::theory::fixed_length::{self, LengthCondition, Relation, Var};
use crate::theory::number::Integer;
use crate::theory::search::{self, Limits, Literal, Trace, WhyUnknown};

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
/// Clauses for the engines that come next.
const MAX_SHARED: usize = 100;

/// The first limit for the letters of all constants together, where short words come first.
const FIRST_MOST_LETTERS: i64 = 16;
/// The last such limit.
const LAST_MOST_LETTERS: i64 = 1 << 12;

/// What the check of one assignment brought.
pub(crate) enum Checked {
    /// A model.
    Model(Assignment),
    /// A clause that excludes the assignment and that the problem implies.
    Lesson,
    /// Nothing: the assignment is left aside without reason.
    Undecided,
    /// Nothing, and there is no point in going on.
    GiveUp(Reason),
}

/// An assignment with the positions of the facts that matter under it.
pub(crate) struct Round {
    pub(crate) assignment: search::Assignment,
    pub(crate) facts: Vec<usize>,
}

/// The abstraction of a problem, and how far an engine got with it.
pub(crate) struct Rounds<'p> {
    /// The engine that this is for.
    engine: &'static str,
    problem: &'p Problem,
    pub(crate) abstraction: Abstraction,
    /// What lessons can be told in, once there is one.
    meanings: Option<Meanings>,
    /// Assignments left aside: without them the end of the search proves nothing.
    undecided: usize,
    /// Limit on the letters of all constants together, for as long as there are assignments within it.
    most_letters: Option<i64>,
    /// Whether there was such a limit at some time.
    was_limited: bool,
}

/// Has an engine check one assignment of a problem after the other until there is an answer.
pub(crate) fn decide(
    engine: &'static str,
    ctx: &mut Context<'_>,
    problem: &Problem,
    check: impl FnMut(&mut Rounds<'_>, &mut Context<'_>, &Round) -> Checked,
) -> EngineOutcome {
    match Rounds::new(ctx, problem, engine) {
        Ok(mut rounds) => rounds.solve(ctx, check),
        Err(stopped) => EngineOutcome::Unknown(stopped.into()),
    }
}

impl<'p> Rounds<'p> {
    /// The abstraction of a problem for an engine.
    fn new(ctx: &mut Context<'_>, problem: &'p Problem, engine: &'static str) -> Result<Self, Stopped> {
        let trace = if ctx.recorder.is_on() { Trace::recording() } else { Trace::silent() };
        let abstraction = Abstraction::of(ctx.terms, &problem.assertions, trace, ctx.effort)?;
        Ok(Rounds {
            engine,
            problem,
            abstraction,
            meanings: None,
            undecided: 0,
            most_letters: None,
            was_limited: false,
        })
    }

    fn solve(
        &mut self,
        ctx: &mut Context<'_>,
        mut check: impl FnMut(&mut Self, &mut Context<'_>, &Round) -> Checked,
    ) -> EngineOutcome {
        loop {
            self.count(ctx, "rounds");
            let round = match self.next_round(ctx) {
                Ok(round) => round,
                Err(outcome) => return outcome,
            };
            self.abstraction.search.because(self.engine);
            let checked = check(self, ctx, &round);
            self.share_refuted(ctx);
            match checked {
                Checked::Model(values) => return EngineOutcome::Sat(values),
                Checked::Lesson => self.count(ctx, "lessons"),
                Checked::GiveUp(reason) => return EngineOutcome::Unknown(reason),
                Checked::Undecided => {
                    self.undecided += 1;
                    self.say(ctx, || "some lengths are left aside".to_owned());
                    self.count(ctx, "undecided");
                    if self.undecided == MAX_UNDECIDED {
                        return EngineOutcome::Unknown(Reason::Incomplete(
                            "the lengths are too hard".to_owned(),
                        ));
                    }
                }
            }
        }
    }

    /// Counts something that the engine did.
    pub(crate) fn count(&self, ctx: &mut Context<'_>, what: &str) {
        ctx.statistics.add(&format!("{}.{what}", self.engine), 1);
    }

    /// Says something for `--verbose`.
    pub(crate) fn say(&self, ctx: &mut Context<'_>, line: impl FnOnce() -> String) {
        let engine = self.engine;
        ctx.log.say(|| format!("{engine}: {}", line()));
    }

    /// The next assignment, or why there is none.
    fn next_round(&mut self, ctx: &mut Context<'_>) -> Result<Round, EngineOutcome> {
        let assignment =
            match self.next_assignment(ctx).map_err(|stopped| EngineOutcome::Unknown(stopped.into()))? {
                search::SearchResult::Sat(assignment) => assignment,
                search::SearchResult::Unsat(_) if self.undecided == 0 => {
                    if ctx.recorder.is_on() {
                        let search = self.abstraction.record(ctx.terms, &self.problem.assertions);
                        ctx.recorder.end_with_search(search);
                    }
                    return Err(EngineOutcome::Unsat(Refutation::by_complete(self.engine)));
                }
                search::SearchResult::Unsat(_) => {
                    return Err(EngineOutcome::Unknown(Reason::Incomplete(
                        "some lengths were not decided".to_owned(),
                    )));
                }
                search::SearchResult::Unknown(WhyUnknown::IntegerSearch) => {
                    return Err(EngineOutcome::Unknown(Reason::Incomplete(
                        "the integer search gave up".to_owned(),
                    )));
                }
                search::SearchResult::Unknown(WhyUnknown::OutOfEffort) => {
                    let stopped =
                        if ctx.effort.is_interrupted() { Stopped::Interrupted } else { Stopped::Spent };
                    return Err(EngineOutcome::Unknown(stopped.into()));
                }
            };
        let facts = relevant_facts(ctx.terms, &self.abstraction, &assignment, &self.problem.assertions);
        Ok(Round { assignment, facts })
    }

    /// Goes through short words before longer ones from now on, if it did not already.
    ///
    /// Lessons that exclude single lengths may otherwise lead to longer and longer words in one direction only.
    pub(crate) fn prefer_short_words(&mut self) {
        if !self.was_limited {
            self.was_limited = true;
            self.most_letters = Some(FIRST_MOST_LETTERS);
        }
    }

    fn next_assignment(&mut self, ctx: &mut Context<'_>) -> Result<search::SearchResult, Stopped> {
        loop {
            let outcome = match self.most_letters {
                Some(most) => {
                    let is_short = self.has_at_most_letters(most);
                    self.assignment_under(ctx, &[is_short])?
                }
                None => self.assignment_under(ctx, &[])?,
            };
            match (&outcome, self.most_letters) {
                (search::SearchResult::Unsat(needed), Some(most)) if !needed.is_empty() => {
                    self.most_letters = most.checked_mul(2).filter(|most| *most <= LAST_MOST_LETTERS);
                }
                (search::SearchResult::Unknown(WhyUnknown::IntegerSearch), Some(_)) => {
                    self.most_letters = None;
                }
                // With few letters there are few integers to search.
                (search::SearchResult::Unknown(WhyUnknown::IntegerSearch), None) if !self.was_limited => {
                    self.prefer_short_words();
                }
                _ => return Ok(outcome),
            }
        }
    }

    /// The literal that limits the letters of all constants together.
    fn has_at_most_letters(&mut self, most: i64) -> Literal {
        let constants = self.abstraction.string_constants.iter();
        let lengths = constants.map(|(_, var)| (self.abstraction.lengths[*var as usize], Integer::ONE));
        let total = Linear::from_terms(lengths.collect(), Integer::ZERO);
        self.abstraction.search.at_most(&total, &Linear::constant(Integer::from(most)))
    }

    fn assignment_under(
        &mut self,
        ctx: &mut Context<'_>,
        assumptions: &[Literal],
    ) -> Result<search::SearchResult, Stopped> {
        let effort = ctx.effort.remaining().saturating_mul(STEPS_PER_UNIT);
        let limits = Limits { effort, interrupt: ctx.effort.interrupt_flag() };
        let before = self.abstraction.search.spent();
        let outcome = self.abstraction.search.check(assumptions, &limits);
        let overhead = ROUND_UNITS + self.abstraction.facts.len() as u64 / FACTS_PER_UNIT;
        ctx.effort.spend((self.abstraction.search.spent() - before) / STEPS_PER_UNIT + overhead)?;
        Ok(outcome)
    }

    /// Looks for words of exactly the lengths of an assignment, and learns why there are none.
    pub(crate) fn find_words(&mut self, ctx: &mut Context<'_>, round: &Round) -> Checked {
        let Round { assignment, facts } = round;
        let Some(backend) = Backend::new(&self.abstraction, assignment, facts) else {
            self.leave_aside(round);
            return Checked::Undecided;
        };
        self.count(ctx, "backend");
        let engine = self.engine;
        ctx.log.say(|| format!("{engine}: {}", backend.summary(ctx.terms, &self.abstraction)));
        // When all is spent, the run ends at its next step.
        let answer = ctx.effort.budgeted(BACKEND_UNITS, |budget| {
            fixed_length::solve(&mut self.abstraction.regexes, &backend.problem, budget)
        });
        match answer {
            fixed_length::Answer::Sat(words) => {
                let words: FxHashMap<Var, Vec<u32>> =
                    (0..).zip(words).filter(|(var, _)| backend.vars.contains(var)).collect();
                match candidate::values(&self.abstraction, assignment, &words) {
                    Some(values) if self.is_model(ctx, &values) => Checked::Model(values),
                    _ => {
                        self.count(ctx, "rejected");
                        self.leave_aside(round);
                        Checked::Undecided
                    }
                }
            }
            fixed_length::Answer::Unsat(refutation) => {
                self.learn(ctx, assignment, &backend, &refutation);
                self.say(ctx, || {
                    let (constraints, conditions) = (refutation.constraints(), refutation.conditions());
                    format!(
                        "no words of these lengths, because of {} of {} facts and {} lengths",
                        constraints.len(),
                        facts.len(),
                        conditions.len()
                    )
                });
                Checked::Lesson
            }
            fixed_length::Answer::Unknown => {
                self.leave_aside(round);
                Checked::Undecided
            }
        }
    }

    /// Whether values make all assertions true.
    pub(crate) fn is_model(&self, ctx: &mut Context<'_>, values: &Assignment) -> bool {
        let assertions = &self.problem.assertions;
        ctx.effort
            .budgeted(EVALUATION_UNITS, |budget| candidate::is_model(ctx.terms, assertions, values, budget))
    }

    /// Adds the clause that a refutation at fixed lengths justifies.
    fn learn(
        &mut self,
        ctx: &mut Context<'_>,
        assignment: &search::Assignment,
        backend: &Backend,
        refutation: &fixed_length::Refutation,
    ) {
        let mut said: Vec<Said> = Vec::new();
        for index in refutation.constraints() {
            let fact = &self.abstraction.facts[backend.facts[*index]];
            said.push(Said::Not(fact.guard));
            for integer in fact.shape.integers() {
                said.push(Said::NotZero(integer - &Linear::constant(assignment.value(integer))));
            }
        }
        said.extend(refutation.conditions().iter().map(|condition| self.negated(condition)));
        let search = &mut self.abstraction.search;
        let literal = |said: &Said| match said {
            Said::Not(guard) => !*guard,
            Said::NotZero(sum) => !search.is_zero(sum),
            Said::Negative(sum) => !search.at_least(sum, &Linear::constant(0)),
        };
        let clause: Vec<Literal> = said.iter().map(literal).collect();
        let before = search.because("fixed-length");
        search.add_clause(&clause);
        search.because(before);
        self.share(ctx, said);
    }

    fn negated(&self, condition: &LengthCondition) -> Said {
        let products = condition
            .terms
            .iter()
            .map(|(var, factor)| (self.abstraction.lengths[*var as usize], Integer::from(*factor)));
        let sum = Linear::from_terms(products.collect(), Integer::from(condition.constant));
        match condition.relation {
            Relation::Zero => Said::NotZero(sum),
            Relation::AtLeastZero => Said::Negative(sum),
        }
    }

    /// Tells the engines that come next which facts do not hold together.
    fn share_refuted(&mut self, ctx: &mut Context<'_>) {
        for facts in std::mem::take(&mut self.abstraction.refuted) {
            let said = facts.iter().map(|position| Said::Not(self.abstraction.facts[*position].guard));
            self.share(ctx, said.collect());
        }
    }

    /// Tells the engines that come next a clause, if it can be told.
    fn share(&mut self, ctx: &mut Context<'_>, mut said: Vec<Said>) {
        if !ctx.parts.has(Part::Sharing) || ctx.shared.len() >= MAX_SHARED {
            return;
        }
        let always = self.abstraction.search.always();
        said.retain(|said| !matches!(said, Said::Not(guard) if *guard == always));
        let meanings = self.meanings.get_or_insert_with(|| Meanings::of(&self.abstraction, ctx.terms));
        let Some(clause) = meanings.clause(ctx.terms, &said) else { return };
        let clause = ctx.rewriter.rewrite(ctx.terms, clause);
        if !ctx.shared.contains(&clause) {
            ctx.shared.push(clause);
        }
    }

    /// Excludes the lengths and integers of an assignment that was not decided, for the constraints that matter.
    pub(crate) fn leave_aside(&mut self, round: &Round) {
        let Round { assignment, facts } = round;
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
    fn new(abstraction: &Abstraction, assignment: &search::Assignment, facts: &[usize]) -> Option<Backend> {
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

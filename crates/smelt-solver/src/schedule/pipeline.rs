//! From lowered assertions to an outcome: rewriting, preprocessing, engines, and back.

use smelt_smtlib::op::Op;
use smelt_smtlib::term::Term;

use crate::Reason;
use crate::ablation::Part;
use crate::effort::Stopped;
use crate::engines::{self, Context, Engine, EngineOutcome, Problem, Refutation};
use crate::log::Event;
use crate::model::{self, Assignment, Converter};
use crate::preprocess::simplify::simplify;
use crate::preprocess::{components, functions, unconstrained};
use crate::schedule::probe::Probe;
use crate::schedule::select::{Choice, Class, Policy, select};
use crate::schedule::{self, BudgetedEngine, OPENING};

/// What a check works with.
pub(crate) struct Pipeline<'s> {
    pub ctx: Context<'s>,
    /// The only engine to be tried besides rewriting, if the user chose one.
    pub only_engine: Option<&'static str>,
    /// How the arm is chosen.
    pub policy: Policy,
    /// Whether the arm is to be another than that of the policy.
    pub is_rival: bool,
}

/// Rounds of elimination: each looks at all assertions.
const MAX_ELIMINATIONS: usize = 20;

/// Assertions without functions, and how to get back.
struct Prepared {
    assertions: Vec<Term>,
    converters: Vec<Converter>,
}

impl Pipeline<'_> {
    /// Decides a conjunction of lowered terms. A model speaks of their constants and functions.
    pub(crate) fn solve(&mut self, assertions: &[Term]) -> EngineOutcome {
        let units_before = self.ctx.effort.remaining();
        let prepared = self.prepare(assertions);
        self.ctx.statistics.add("preprocess.effort", units_before - self.ctx.effort.remaining());
        let Prepared { assertions, converters } = match prepared {
            Ok(prepared) => prepared,
            Err(reason) => return EngineOutcome::Unknown(reason),
        };
        let parts = if self.ctx.parts.has(Part::Components) {
            components::split(self.ctx.terms, &assertions)
        } else {
            vec![assertions]
        };
        self.ctx.statistics.add("preprocess.components", parts.len() as u64);
        let count = parts.len();
        let mut assignment = Assignment::new();
        let mut unknown = None;
        for (position, part) in parts.into_iter().enumerate() {
            self.ctx.log.say(|| format!("part {} of {count}: {} assertions", position + 1, part.len()));
            // What was learned speaks of one part only.
            self.ctx.shared.clear();
            if let Some(model) = self.ctx.earlier.model(&part) {
                self.ctx.log.say(|| "earlier: sat, the part is an old one".to_owned());
                self.ctx.statistics.add("preprocess.old-parts", 1);
                assignment.extend(model.clone());
                continue;
            }
            match self.solve_part(&part) {
                EngineOutcome::Sat(values) => {
                    self.ctx.earlier.remember_model(part, values.clone());
                    assignment.extend(values);
                }
                EngineOutcome::Unsat(refutation) => return EngineOutcome::Unsat(refutation),
                // Another part may still be refuted.
                EngineOutcome::Unknown(reason) => unknown = unknown.or(Some(reason)),
            }
        }
        if let Some(reason) = unknown {
            return EngineOutcome::Unknown(reason);
        }
        match model::extend(self.ctx.terms, assignment, &converters) {
            Some(assignment) => {
                self.ctx.earlier.remember_values(&assignment);
                EngineOutcome::Sat(assignment)
            }
            None => EngineOutcome::Unknown(Reason::Incomplete(
                "the value of an eliminated symbol is open".to_owned(),
            )),
        }
    }

    fn prepare(&mut self, assertions: &[Term]) -> Result<Prepared, Reason> {
        self.ctx.log.say(|| format!("check: {} assertions", assertions.len()));
        let mut prepared = Prepared { assertions: assertions.to_vec(), converters: Vec::new() };
        self.simplify(&mut prepared)?;
        let Some((reduced, tables)) = functions::reduce(self.ctx.terms, &prepared.assertions) else {
            return Err(Reason::Incomplete("too many applications of a function".to_owned()));
        };
        if !tables.is_empty() {
            self.ctx.log.say(|| format!("functions: {} became constants", tables.len()));
            for assertion in &reduced {
                self.ctx.recorder.derive("functions", &prepared.assertions, *assertion);
            }
            prepared.assertions = reduced;
            prepared.converters.extend(tables);
            self.simplify(&mut prepared)?;
        }
        for _ in 0..MAX_ELIMINATIONS {
            if !self.ctx.parts.has(Part::Unconstrained) {
                break;
            }
            self.ctx.effort.spend(1 + prepared.assertions.len() as u64)?;
            let before = prepared.assertions.clone();
            let eliminated = unconstrained::eliminate(self.ctx.terms, &mut prepared.assertions);
            for assertion in &prepared.assertions {
                self.ctx.recorder.derive("unconstrained", &before, *assertion);
            }
            if eliminated.is_empty() {
                break;
            }
            self.ctx.statistics.add("preprocess.unconstrained", eliminated.len() as u64);
            self.ctx.log.say(|| format!("unconstrained: {} constants eliminated", eliminated.len()));
            prepared.converters.extend(eliminated);
            self.simplify(&mut prepared)?;
        }
        Ok(prepared)
    }

    fn simplify(&mut self, prepared: &mut Prepared) -> Result<(), Stopped> {
        let simplified = simplify(&mut self.ctx, &prepared.assertions)?;
        self.ctx.log.say(|| {
            format!(
                "simplify: {} assertions become {}, {} constants eliminated",
                prepared.assertions.len(),
                simplified.assertions.len(),
                simplified.converters.len()
            )
        });
        prepared.assertions = simplified.assertions;
        prepared.converters.extend(simplified.converters);
        Ok(())
    }

    /// Tries one engine after the other on a part that has nothing to do with the others.
    fn solve_part(&mut self, assertions: &[Term]) -> EngineOutcome {
        if assertions.iter().any(|assertion| self.ctx.terms.op(*assertion) == Some(Op::False)) {
            self.ctx.recorder.end_with_false(self.ctx.terms, assertions);
            return EngineOutcome::Unsat(Refutation::by_complete("rewriting"));
        }
        let problem = Problem { assertions: assertions.to_vec() };
        let mut unknown = None;
        // Engines that would only say the same again.
        let mut finished: Vec<&'static str> = Vec::new();
        for (engine, units) in self.steps(&problem) {
            if finished.contains(&engine.name()) {
                continue;
            }
            let outcome = self.run(engine, &problem, units);
            if schedule::is_final(&outcome) {
                finished.push(engine.name());
            }
            match outcome {
                EngineOutcome::Unknown(reason) => unknown = Some(reason),
                decided => return decided,
            }
            if self.ctx.effort.is_interrupted() {
                break;
            }
        }
        let nothing = || Reason::Incomplete("no engine decides this".to_owned());
        EngineOutcome::Unknown(unknown.unwrap_or_else(nothing))
    }

    /// The engines to be tried on a part, in their order.
    fn steps(&mut self, problem: &Problem) -> Vec<BudgetedEngine> {
        // An engine that the user chose may take all the effort there is.
        if let Some(engine) = self.only_engine.and_then(engines::named) {
            return vec![(engine, u64::MAX)];
        }
        let probe = Probe::of(self.ctx.terms, &problem.assertions);
        let Choice { mut arm, why } = select(self.policy, &probe);
        if self.is_rival {
            arm = schedule::named(arm.rival).expect("rivals are arms");
        }
        self.ctx.log.report(|| {
            let numbers = probe.numbers().map(|(name, number)| format!("{name}={number}")).join(" ");
            Event::Probe(format!("class={} {numbers}", Class::of(&probe).name()))
        });
        self.ctx.log.report(|| Event::Arm { name: arm.name, reason: why });
        let parts = self.ctx.parts;
        let steps = OPENING.iter().chain(arm.steps).copied();
        steps.filter(|(engine, _)| parts.has_engine(engine.name())).collect()
    }

    /// Runs an engine and counts what it did.
    fn run(&mut self, engine: &dyn Engine, problem: &Problem, units: u64) -> EngineOutcome {
        let name = engine.name();
        let units_before = self.ctx.effort.remaining();
        let mut with_clauses = None;
        if engine.takes_clauses() && !self.ctx.shared.is_empty() && self.ctx.parts.has(Part::Sharing) {
            self.ctx.statistics.add("sharing.clauses", self.ctx.shared.len() as u64);
            for clause in self.ctx.shared.iter() {
                self.ctx.recorder.derive("learned", &problem.assertions, *clause);
            }
            let assertions = problem.assertions.iter().chain(self.ctx.shared.iter()).copied().collect();
            with_clauses = Some(Problem { assertions });
        }
        let problem = with_clauses.as_ref().unwrap_or(problem);
        let outcome = self.ctx.slice(units, |ctx| engine.solve(ctx, problem));
        let spent = units_before - self.ctx.effort.remaining();
        self.ctx.statistics.add(&format!("engine.{name}.runs"), 1);
        self.ctx.statistics.add(&format!("engine.{name}.effort"), spent);
        match &outcome {
            EngineOutcome::Sat(_) => self.ctx.statistics.add(&format!("engine.{name}.sat"), 1),
            EngineOutcome::Unsat(_) => {
                self.ctx.recorder.end_with_engine(name, &problem.assertions);
                self.ctx.statistics.add(&format!("engine.{name}.unsat"), 1);
            }
            EngineOutcome::Unknown(_) => {}
        }
        self.ctx.log.say(|| match &outcome {
            EngineOutcome::Sat(_) => format!("{name}: sat, effort {spent}"),
            EngineOutcome::Unsat(refutation) => {
                format!("{name}: unsat by {}, effort {spent}", refutation.step)
            }
            EngineOutcome::Unknown(reason) => format!("{name}: {reason}, effort {spent}"),
        });
        outcome
    }
}

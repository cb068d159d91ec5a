//! From lowered assertions to an outcome: rewriting, preprocessing, engines, and back.

use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

use crate::Reason;
use crate::effort::Effort;
use crate::engines::{Context, Engine, Outcome, Problem, Refutation, SCHEDULE};
use crate::model::{self, Assignment, Converter};
use crate::preprocess::simplify::Simplified;
use crate::preprocess::{components, functions, simplify};
use crate::rewrite::Rewriter;
use crate::statistics::Statistics;

/// What a check works with.
pub(crate) struct Pipeline<'s> {
    pub terms: &'s mut Terms,
    pub rewriter: &'s mut Rewriter,
    pub effort: &'s mut Effort,
    pub statistics: &'s mut Statistics,
    /// The only engine to be tried besides rewriting, if the user chose one.
    pub only_engine: Option<&'static str>,
}

impl Pipeline<'_> {
    /// Decides a conjunction of lowered terms. A model speaks of their constants and functions.
    pub(crate) fn solve(&mut self, assertions: &[Term]) -> Outcome {
        let mut converters: Vec<Converter> = Vec::new();
        let simplified = match self.simplify(assertions) {
            Ok(simplified) => simplified,
            Err(reason) => return Outcome::Unknown(reason),
        };
        converters.extend(simplified.converters);
        let Some((reduced, tables)) = functions::reduce(self.terms, &simplified.assertions) else {
            return Outcome::Unknown(Reason::Incomplete("too many applications of a function".to_owned()));
        };
        let mut assertions = reduced;
        if !tables.is_empty() {
            converters.extend(tables);
            match self.simplify(&assertions) {
                Ok(simplified) => {
                    converters.extend(simplified.converters);
                    assertions = simplified.assertions;
                }
                Err(reason) => return Outcome::Unknown(reason),
            }
        }
        let parts = components::split(self.terms, &assertions);
        self.statistics.add("preprocess.components", parts.len() as u64);
        let mut assignment = Assignment::new();
        let mut unknown = None;
        for part in parts {
            match self.solve_part(part) {
                Outcome::Sat(values) => assignment.extend(values),
                Outcome::Unsat(refutation) => return Outcome::Unsat(refutation),
                // Another part may still be refuted.
                Outcome::Unknown(reason) => unknown = unknown.or(Some(reason)),
            }
        }
        if let Some(reason) = unknown {
            return Outcome::Unknown(reason);
        }
        match model::extend(self.terms, assignment, &converters) {
            Some(assignment) => Outcome::Sat(assignment),
            None => {
                Outcome::Unknown(Reason::Incomplete("the value of an eliminated symbol is open".to_owned()))
            }
        }
    }

    fn simplify(&mut self, assertions: &[Term]) -> Result<Simplified, Reason> {
        let simplified =
            simplify::simplify(self.terms, self.rewriter, assertions, self.effort, self.statistics);
        simplified.map_err(Reason::from)
    }

    /// Tries one engine after the other on a part that has nothing to do with the others.
    fn solve_part(&mut self, assertions: Vec<Term>) -> Outcome {
        if assertions.iter().any(|assertion| self.terms.op(*assertion) == Some(Op::False)) {
            return Outcome::Unsat(Refutation::by_complete("rewriting"));
        }
        let problem = Problem { assertions };
        let mut unknown = None;
        for (engine, units) in SCHEDULE {
            // An engine that the user chose may take all the effort there is.
            let units = match self.only_engine {
                Some(only) if engine.name() != only => continue,
                Some(_) => u64::MAX,
                None => *units,
            };
            match self.run(*engine, &problem, units) {
                Outcome::Unknown(reason) => unknown = Some(reason),
                decided => {
                    self.statistics.add(&format!("engine.{}.decided", engine.name()), 1);
                    return decided;
                }
            }
            if self.effort.is_interrupted() {
                break;
            }
        }
        let nothing = || Reason::Incomplete("no engine decides this".to_owned());
        Outcome::Unknown(unknown.unwrap_or_else(nothing))
    }

    fn run(&mut self, engine: &dyn Engine, problem: &Problem, units: u64) -> Outcome {
        self.statistics.add(&format!("engine.{}.runs", engine.name()), 1);
        let Pipeline { terms, rewriter, effort, statistics, .. } = self;
        effort.slice(units, |effort| {
            let mut ctx = Context { terms, rewriter, effort, statistics };
            engine.solve(&mut ctx, problem)
        })
    }
}

//! Decides what rewriting has already decided: no assertions, or a false one.

use super::{Context, Engine, EngineOutcome, Problem, Refutation};
use crate::Reason;
use crate::model::Assignment;
use smelt_smtlib::build::bool_value;

/// The engine for formulas that need no search.
pub struct Ground;

impl Engine for Ground {
    fn name(&self) -> &'static str {
        "ground"
    }

    fn solve(&self, ctx: &mut Context<'_>, problem: &Problem) -> EngineOutcome {
        let mut is_open = false;
        for assertion in &problem.assertions {
            match bool_value(ctx.terms, *assertion) {
                Some(false) => return EngineOutcome::Unsat(Refutation::by_complete("rewriting")),
                Some(true) => {}
                None => is_open = true,
            }
        }
        if is_open {
            EngineOutcome::Unknown(Reason::Incomplete("the formula needs search".to_owned()))
        } else {
            EngineOutcome::Sat(Assignment::new())
        }
    }
}

//! Asks solvers for proofs of triples and of rules.

use crate::answer::read_run;
use crate::cold;
use crate::limits::Limits;
use crate::solver::Solver;
use smelt_oracle::run::Answer;

/// What a solver says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opinion {
    /// It is true.
    Proved,
    /// It is false.
    Refuted,
    /// There is no answer.
    Silent,
}

impl Opinion {
    /// For people and for JSON.
    pub fn word(self) -> &'static str {
        match self {
            Opinion::Proved => "proved",
            Opinion::Refuted => "refuted",
            Opinion::Silent => "no answer",
        }
    }
}

/// Solvers that are asked.
pub struct Provers {
    solvers: Vec<Solver>,
    limits: Limits,
}

impl Provers {
    /// Solvers, each with these limits for a question.
    pub fn new(solvers: Vec<Solver>, limits: Limits) -> Self {
        Provers { solvers, limits }
    }

    /// What each says of a claim that is false only if one of these scripts is satisfiable.
    pub fn opinions(&self, doubts: &[String]) -> Vec<(&str, Opinion)> {
        self.solvers.iter().map(|solver| (solver.name.as_str(), ask(solver, doubts, &self.limits))).collect()
    }
}

/// Asks a solver for scripts that are satisfiable only if a claim is false.
fn ask(solver: &Solver, doubts: &[String], limits: &Limits) -> Opinion {
    let mut opinion = Opinion::Proved;
    for script in doubts {
        let script = format!("{}{script}", solver.family.logic());
        let answer = match cold::run(&solver.invocation, &script, limits) {
            Ok(raw) => read_run(&solver.name, &raw).answer,
            Err(_) => Answer::Error,
        };
        match answer {
            Answer::Unsat => {}
            Answer::Sat => return Opinion::Refuted,
            _ => opinion = Opinion::Silent,
        }
    }
    opinion
}

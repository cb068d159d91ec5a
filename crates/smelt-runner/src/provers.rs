//! Asks solvers for proofs of triples and of rules.

use serde::Serialize;

use crate::answer::read_run;
use crate::cold;
use crate::limits::Limits;
use crate::solver::Solver;
use smelt_oracle::run::Answer;

/// What a solver says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Opinion {
    /// It is true.
    Proved,
    /// It is false.
    Refuted,
    /// There is no answer.
    #[serde(rename = "no answer")]
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

/// What one solver says of a claim, also as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Testimony {
    /// Its name.
    pub solver: String,
    /// What it says.
    pub opinion: Opinion,
}

/// Whether a solver refutes the claim.
pub fn is_refuted(testimonies: &[Testimony]) -> bool {
    testimonies.iter().any(|testimony| testimony.opinion == Opinion::Refuted)
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
    pub fn opinions(&self, doubts: &[String]) -> Vec<Testimony> {
        let asked = |solver: &Solver| Testimony {
            solver: solver.name.clone(),
            opinion: ask(solver, doubts, &self.limits),
        };
        self.solvers.iter().map(asked).collect()
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

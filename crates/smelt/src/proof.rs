//! Asking solvers for proofs: of triples and of rules.

use smelt_oracle::run::Answer;
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;

/// What a solver says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opinion {
    Proved,
    Refuted,
    Silent,
}

impl Opinion {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Opinion::Proved => "proved",
            Opinion::Refuted => "refuted",
            Opinion::Silent => "no answer",
        }
    }
}

/// Asks a solver for scripts that are satisfiable only if a claim is false.
pub(crate) fn ask(solver: &Solver, doubts: &[String], limits: &Limits) -> Opinion {
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

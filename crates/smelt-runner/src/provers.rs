//! Asking solvers for proofs: of triples and of rules.

use smelt_oracle::run::Answer;
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;

use crate::error::CliError;
use crate::solvers::{find_or_install, installation};
use crate::streams::Streams;

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

/// Solvers that are asked.
pub(crate) struct Provers {
    solvers: Vec<Solver>,
    limits: Limits,
}

impl Provers {
    /// The solvers with these names, given so much time for each question; what users did wrong is said.
    pub(crate) fn find(names: &[String], timeout_secs: f64, streams: &mut Streams) -> Result<Self, CliError> {
        if !timeout_secs.is_finite() || timeout_secs <= 0.0 {
            return Err(CliError::usage("the timeout must be a positive number of seconds"));
        }
        let limits = Limits::for_seconds(timeout_secs);
        // Where nobody is asked, nobody is looked for.
        if names.is_empty() {
            return Ok(Provers { solvers: Vec::new(), limits });
        }
        Ok(Provers { solvers: find_or_install(&installation(), names, streams)?, limits })
    }

    /// What each says of a claim that is false only if one of these scripts is satisfiable.
    pub(crate) fn opinions(&self, doubts: &[String]) -> Vec<(&str, Opinion)> {
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

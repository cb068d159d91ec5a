//! Several solvers on one script after another, in fresh processes or in sessions that workers share.

use std::io;
use std::sync::{Mutex, PoisonError};

use smelt_oracle::run::Run;

use crate::answer::read_run;
use crate::cold;
use crate::isolation::Isolation;
use crate::limits::Limits;
use crate::session::Session;
use crate::solver::Solver;

/// A solver that cannot be run.
#[derive(Debug)]
pub struct CannotRun {
    /// Its name.
    pub solver: String,
    /// What the system says.
    pub error: io::Error,
}

/// Solvers that are run together.
#[derive(Debug)]
pub struct Crews<'s> {
    solvers: &'s [Solver],
    limits: Limits,
    /// Sessions with all solvers that are not in use; none if each run has a process of its own.
    idle: Option<Mutex<Vec<Vec<Session>>>>,
}

impl<'s> Crews<'s> {
    /// Solvers under these limits. With `is_warm` their processes are kept, with a reset between scripts.
    pub fn new(solvers: &'s [Solver], limits: Limits, is_warm: bool) -> Self {
        Crews { solvers, limits, idle: is_warm.then(Mutex::default) }
    }

    /// Runs all solvers on a script; any thread may.
    pub fn run(&self, script: &str) -> Vec<Result<Run, CannotRun>> {
        let failed = |solver: &Solver, error| CannotRun { solver: solver.name.clone(), error };
        let cold = |solver: &Solver| {
            let raw = cold::run(&solver.invocation, script, &self.limits);
            raw.map(|raw| read_run(&solver.name, &raw)).map_err(|error| failed(solver, error))
        };
        let Some(idle) = &self.idle else { return self.solvers.iter().map(cold).collect() };
        let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut crew = taken.unwrap_or_else(|| self.new_crew());
        let warm = crew.iter_mut().zip(self.solvers);
        let warm = warm.map(|(session, solver)| session.run(script).map_err(|error| failed(solver, error)));
        let runs = warm.collect();
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(crew);
        runs
    }

    fn new_crew(&self) -> Vec<Session> {
        let session = |solver: &Solver| Session::new(solver.clone(), Isolation::Reset, self.limits);
        self.solvers.iter().map(session).collect()
    }
}

//! Solvers that can be used, and those of a finding, ready to be run again.

use std::io;

use smelt_runner::family::Family;
use smelt_runner::installation::Installation;
use smelt_runner::solver::Solver;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Finding;

use crate::campaign::solver_of;
use smelt_trial::target::Target;

/// Processor time for each run of a finding that does not name a limit.
pub const DEFAULT_TIMEOUT_SECS: f64 = 10.0;

/// Why the solvers of a finding cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum TargetsError {
    /// It was recorded without them.
    #[error("finding `{0}` does not say how its solvers were started")]
    NotRecorded(String),
    /// One of them cannot be started, or is not the program that was installed.
    #[error("cannot run `{solver}`: {error}")]
    Start {
        /// Its name.
        solver: String,
        /// What the system says.
        error: io::Error,
    },
}

/// Why a solver cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    /// It cannot be probed.
    #[error("{}", probing_text(.0))]
    Probing(io::Error),
    /// It cannot be started.
    #[error(transparent)]
    Start(io::Error),
    /// It was probed, and does not work.
    #[error("{}", .0.as_deref().unwrap_or("smoke test failed"))]
    Broken(Option<String>),
}

fn probing_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::TimedOut => {
            "probing it took too long; `smelt solvers probe` does that without other limits".to_owned()
        }
        _ => error.to_string(),
    }
}

/// A target that works.
pub fn working(target: Target) -> Result<Target, NotReady> {
    match target.probe.works {
        true => Ok(target),
        false => Err(NotReady::Broken(target.probe.failure)),
    }
}

/// The family of a recorded solver, by its name or else by its program.
pub fn family_of(command: &SolverCommand) -> &'static str {
    match Family::of_name(&command.solver) {
        Family::Generic => Family::of_name(&command.program).name(),
        family => family.name(),
    }
}

/// The command of the solver that a finding blames.
pub fn culprit_of(finding: &Finding) -> Option<&SolverCommand> {
    let culprit = finding.verdict.culprit.as_ref()?;
    finding.commands.iter().find(|command| command.solver == *culprit)
}

/// A solver of a campaign or finding, probed. An installed release must be as it was installed.
pub fn recorded_target(installation: &Installation, solver: Solver) -> io::Result<Target> {
    installation.verify(&solver).map_err(io::Error::other)?;
    Target::cached(solver, &installation.cache())
}

/// Those solvers of a finding that are wanted.
pub fn targets_of(
    installation: &Installation,
    finding: &Finding,
    is_wanted: impl Fn(&SolverCommand) -> bool,
) -> Result<Vec<Target>, TargetsError> {
    if finding.commands.is_empty() {
        return Err(TargetsError::NotRecorded(finding.id.to_string()));
    }
    let mut targets = Vec::new();
    for command in finding.commands.iter().filter(|command| is_wanted(command)) {
        let solver = solver_of(command, family_of(command));
        let mut target = recorded_target(installation, solver)
            .map_err(|error| TargetsError::Start { solver: command.solver.clone(), error })?;
        if finding.is_outside_safe_mode() {
            target.leave_safe_mode();
        }
        targets.push(target);
    }
    Ok(targets)
}

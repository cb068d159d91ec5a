//! Solvers made ready to be run: probed unless that was done before, and introduced to the user.

use std::time::{Duration, Instant};

use smelt_campaign::campaign::command_of_target;
use smelt_campaign::solvers::{NotReady, working};
use smelt_runner::cache::Cache;
use smelt_runner::clock;
use smelt_runner::identity::Identity;
use smelt_runner::interruption;
use smelt_runner::probe::{PROBE_TIME, is_cached};
use smelt_runner::solver::Solver;
use smelt_trial::target::Target;

use crate::error::CliError;
use crate::render::streams::Streams;

/// Probing one solver may take at least this long, however short the command is to run.
const MIN_TIME: Duration = Duration::from_secs(10);

/// The moment at which probing ends if the command is to run for this many seconds.
pub(crate) fn probing_ends(time_secs: Option<f64>) -> Instant {
    let asked = |secs| Duration::try_from_secs_f64(secs).unwrap_or(PROBE_TIME);
    clock::now() + time_secs.map_or(PROBE_TIME, |secs| asked(secs).clamp(MIN_TIME, PROBE_TIME))
}

impl From<NotReady> for CliError {
    fn from(problem: NotReady) -> Self {
        CliError::environment(problem.to_string())
    }
}

/// Makes a solver ready and prints which program it is.
pub(crate) fn make_ready(
    solver: Solver,
    cache: &Cache,
    until: Instant,
    streams: &mut Streams,
) -> Result<Target, CliError> {
    if !interruption::is_requested() && !is_cached(&solver, cache) {
        streams.message(&format!("probing {}\n", solver.name))?;
        streams.flush()?;
    }
    let target = Target::cached_until(solver, cache, until).map_err(NotReady::Probing)?;
    let target = working(target)?;
    streams.message(&format!("{}\n", identity(&target).line(&target.solver)))?;
    Ok(target)
}

/// Which program a target is.
fn identity(target: &Target) -> Identity {
    let command = command_of_target(target);
    Identity { program: command.program, version: command.version, hash: command.hash }
}

//! The fake solver, which does what its scripts tell it to do.

use std::time::Duration;

use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;

use crate::support::fake_solver;

/// The solver.
pub fn fake() -> Solver {
    fake_solver(env!("CARGO_BIN_EXE_fake-solver"), Vec::new())
}

/// Far more time than any action that ends by itself needs on a busy machine.
pub fn limits() -> Limits {
    Limits {
        wall: Duration::from_secs(120),
        cpu: Duration::from_secs(60),
        memory: Some(1 << 28),
        output: 1 << 20,
        ..Limits::default()
    }
}

/// A script that makes the solver perform some actions before its check.
pub fn script(actions: &[&str]) -> String {
    let mut script: String = actions.iter().map(|action| format!("(set-info :do \"{action}\")\n")).collect();
    script.push_str("(check-sat)\n");
    script
}

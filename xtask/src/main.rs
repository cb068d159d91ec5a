//! Chores of the workspace, run as `cargo xtask NAME`.
//!
//! `tidy` checks the rules of CONTRIBUTING.md and ARCHITECTURE.md that a machine can check. The same checks run as
//! tests, so `cargo test --workspace` enforces them. `crosscheck` compares the evaluator with real solvers,
//! `lia-crosscheck` the integer arithmetic of our solver with Z3, `string-crosscheck` the solver with planted models and
//! with real solvers. `attack` interrupts every command and measures how long it takes to end.

mod architecture;
mod attack;
mod crosscheck;
mod lia_crosscheck;
mod sources;
mod string_crosscheck;
mod task;
mod tidy;

use std::process::ExitCode;

use sources::{Source, workspace_root};

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("attack") => attack::main(std::env::args_os().skip(1)),
        Some("lia-crosscheck") => lia_crosscheck::main(std::env::args_os().skip(1)),
        Some("string-crosscheck") => string_crosscheck::main(std::env::args_os().skip(1)),
        Some("crosscheck") => crosscheck::main(std::env::args_os().skip(1)),
        Some("tidy") => {
            let complaints = all_complaints();
            for complaint in &complaints {
                eprintln!("{complaint}");
            }
            if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        _ => {
            eprintln!(
                "Usage: cargo xtask NAME\n\n  tidy               Check the rules of this repository\n  \
                 attack             Interrupt every command while its solver misbehaves\n  \
                 crosscheck         Compare the evaluator with real solvers on random terms\n  \
                 lia-crosscheck     Compare the solver's integer arithmetic with Z3\n  \
                 string-crosscheck  Compare the string solver with planted models or real solvers"
            );
            ExitCode::from(2)
        }
    }
}

/// Everything that is wrong with the workspace, one line each.
fn all_complaints() -> Vec<String> {
    let sources = Source::all(&workspace_root());
    assert!(sources.len() > 20, "the workspace has files to check");
    let mut complaints: Vec<String> = sources.iter().flat_map(tidy::complaints).collect();
    complaints.extend(architecture::dependency_complaints(&sources));
    complaints.extend(sources.iter().flat_map(architecture::source_complaints));
    complaints
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_workspace_follows_its_rules() {
        assert_eq!(super::all_complaints(), Vec::<String>::new());
    }
}

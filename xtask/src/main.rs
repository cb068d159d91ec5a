//! Chores of the workspace, run as `cargo xtask NAME`.
//!
//! `tidy` checks the rules of CONTRIBUTING.md and ARCHITECTURE.md that a machine can check. The same checks run as
//! tests, so `cargo test --workspace` enforces them. `house` measures the shape of the workspace. `dist` builds the
//! program as it is distributed. `crosscheck` compares the evaluator with real solvers, `lia-crosscheck` the integer
//! arithmetic of our solver with Z3, `string-crosscheck` the solver with planted models and with real solvers. `attack`
//! interrupts every command and measures how long it takes to end.

mod architecture;
mod attack;
mod crosscheck;
mod dist;
mod documents;
mod exports;
mod house;
mod lia_crosscheck;
mod packages;
mod ratchet;
mod sources;
mod string_crosscheck;
mod syntax;
mod task;
mod tidy;

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use packages::Package;
use sources::{Source, workspace_root};

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("attack") => attack::main(std::env::args_os().skip(1)),
        Some("lia-crosscheck") => lia_crosscheck::main(std::env::args_os().skip(1)),
        Some("string-crosscheck") => string_crosscheck::main(std::env::args_os().skip(1)),
        Some("crosscheck") => crosscheck::main(std::env::args_os().skip(1)),
        Some("dist") => dist::main(),
        Some("house") => {
            print!("{}", house::report(&Source::all(&workspace_root())));
            ExitCode::SUCCESS
        }
        Some("tidy") => match std::env::args().nth(2).as_deref() {
            None => report(tidy()),
            Some("--lower") => report(lower().map(|()| Vec::new())),
            Some(other) => {
                eprintln!("unknown option `{other}` (expected: --lower)");
                ExitCode::from(2)
            }
        },
        _ => {
            eprintln!(
                "Usage: cargo xtask NAME\n\n  tidy               Check the rules of this repository; --lower updates xtask/ratchet.txt\n  \
                 dist               Build the program for a fast start, as it is distributed\n  \
                 house              Measure the shape of the workspace against its targets\n  \
                 attack             Interrupt every command while its solver misbehaves\n  \
                 crosscheck         Compare the evaluator with real solvers on random terms\n  \
                 lia-crosscheck     Compare the solver's integer arithmetic with Z3\n  \
                 string-crosscheck  Compare the string solver with planted models or real solvers"
            );
            ExitCode::from(2)
        }
    }
}

/// Prints complaints; succeeds if there are none.
fn report(complaints: anyhow::Result<Vec<String>>) -> ExitCode {
    match complaints {
        Ok(complaints) => {
            for complaint in &complaints {
                eprintln!("{complaint}");
            }
            if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Everything that is wrong with the workspace, one line each.
fn tidy() -> anyhow::Result<Vec<String>> {
    let root = workspace_root();
    let sources = Source::all(&root);
    let packages = Package::all(&root)?;
    ensure!(sources.len() > 20 && packages.len() > 5, "the workspace has files to check");
    let mut complaints = source_complaints(&sources);
    complaints.extend(architecture::dependency_complaints(&packages));
    complaints.extend(documents::complaints(&root, &sources));
    complaints.extend(packages::unused_complaints(&packages, &sources));
    let table = fs::read_to_string(root.join(ratchet::TABLE)).context(ratchet::TABLE)?;
    complaints.extend(ratchet::complaints(&ratchet::exceptions(&sources), &table));
    Ok(complaints)
}

/// What the rules about single files find.
fn source_complaints(sources: &[Source]) -> Vec<String> {
    let texts = sources.iter().flat_map(tidy::complaints);
    texts.chain(sources.iter().flat_map(architecture::source_complaints)).collect()
}

/// Writes counts of exceptions that have fallen into their table.
fn lower() -> anyhow::Result<()> {
    let root = workspace_root();
    let path = root.join(ratchet::TABLE);
    let table = fs::read_to_string(&path).context(ratchet::TABLE)?;
    fs::write(&path, ratchet::lowered(&ratchet::exceptions(&Source::all(&root)), &table))
        .context(ratchet::TABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_follows_its_rules() {
        assert_eq!(tidy().expect("the workspace can be read"), Vec::<String>::new());
    }

    /// Every crate, the tools and all lines after a test module in another file are seen.
    #[test]
    fn a_planted_violation_is_found_in_every_crate() {
        const PLANTED: &str = "//! Planted.\n\n#[cfg(test)]\nmod tests;\n\n\
             fn planted((a, b): (u8, u8)) -> Result<Result<u8, u8>, String> { a.unwrap() }\n";
        let root = tempfile::tempdir().expect("a temporary folder");
        let packages = Package::all(&workspace_root()).expect("the workspace can be read");
        assert!(packages.len() > 5, "{packages:?}");
        for package in &packages {
            let path = root.path().join(package.manifest()).with_file_name("src").join("planted.rs");
            fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder can be made");
            fs::write(&path, PLANTED).expect("a file can be written");
        }
        let sources = Source::all(root.path());
        let unwraps = source_complaints(&sources);
        let exceptions = ratchet::complaints(&ratchet::exceptions(&sources), "");
        for package in packages {
            let line = package.manifest().replace("Cargo.toml", "src/planted.rs:6");
            let count =
                |complaints: &[String]| complaints.iter().filter(|one| one.starts_with(&line)).count();
            assert_eq!(count(&unwraps), 1, "{line}: {unwraps:?}");
            assert_eq!(count(&exceptions), 3, "{line}: {exceptions:?}");
        }
    }
}

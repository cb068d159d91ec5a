//! The evolution of slow formulas, from end to end, with shell scripts as the solvers.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::Output;

use support::{smelt, solver_script};

mod support;

/// Two solvers that agree on everything; the slow one never ends on random formulas, which declare `s0`.
fn write_solvers(folder: &Path) {
    fs::write(folder.join("fast.sh"), solver_script("unsat", "")).unwrap();
    let endless = "*'s0 String'*) while :; do :; done ;;";
    fs::write(folder.join("slow.sh"), solver_script("unsat", endless)).unwrap();
}

const FAST: &str = "fast=/bin/sh fast.sh";
const SLOW: &str = "slow=/bin/sh slow.sh";

fn evolve(folder: &Path, solvers: [&str; 2], args: &[&str]) -> Output {
    let goal = ["hunt", "--goal", "slowdown", "--technique", "evolution"];
    let usual = ["--timeout", "1", "--confirm", "1", "--time", "1s"];
    let solvers = ["--solver", solvers[0], "--solver", solvers[1]];
    smelt(folder, &[&goal[..], &usual, &solvers, args].concat())
}

#[test]
fn a_solver_that_does_not_end_is_found_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let output = evolve(folder.path(), [FAST, SLOW], &["--population", "2"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("front/01.smt2: complexity ") && text.contains("fast says unsat"), "{text}");
    let written = folder.path().join("smelt-evolution");
    for file in ["report.md", "front.csv", "generations.csv", "convergence.svg", "front.svg"] {
        assert!(written.join(file).is_file(), "{file}");
    }
    let front = fs::read_to_string(written.join("front.csv")).unwrap();
    assert!(front.lines().nth(1).unwrap().ends_with(",true"), "{front}");
    let formula = fs::read_to_string(written.join("front/01.smt2")).unwrap();
    assert!(formula.contains("(check-sat)"), "{formula}");
    let again = evolve(folder.path(), [FAST, SLOW], &[]);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
}

#[test]
fn a_solver_that_is_fast_is_not_accused() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let args = ["--population", "2", "--variant", "stringfuzz", "--dir", "other"];
    let output = evolve(folder.path(), [SLOW, FAST], &args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(folder.path().join("other/report.md").is_file());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    for (args, part) in [
        (&["--variant", "other"][..], "there are stringfuzz"),
        (&["--coverage", "gcov"], "gcov=FOLDER"),
        (&["--cases", "3"], "bounded by --time"),
    ] {
        let output = evolve(folder.path(), [FAST, SLOW], args);
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && messages.contains(part), "{args:?}: {messages}");
    }
}

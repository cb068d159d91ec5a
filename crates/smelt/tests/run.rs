//! `smelt run` and `smelt solvers`, with shell scripts as solvers.

#![allow(clippy::unwrap_used)]

use std::process::Output;

use serde_json::Value;

mod support;

/// Runs the binary in an empty folder with a cache of its own.
fn smelt(args: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.smt2"), "(assert true)\n(check-sat)\n").unwrap();
    std::fs::write(folder.path().join("b.smt2"), "(assert false)\n(check-sat)\n").unwrap();
    support::smelt(folder.path(), args)
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Says `unsat` if the script asserts false.
const HONEST: &str = "honest=/bin/sh -c 'if grep -q false; then echo unsat; else echo sat; fi'";

#[test]
fn every_file_meets_every_solver_in_order() {
    let output =
        smelt(&["run", "b.smt2", "a.smt2", "--json", "-s", HONEST, "-s", "liar=/bin/sh -c 'echo sat'"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seen: Vec<(&str, &str, &str)> = lines
        .iter()
        .map(|line| {
            (
                line["file"].as_str().unwrap(),
                line["solver"].as_str().unwrap(),
                line["answer"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("b.smt2", "honest", "unsat"),
            ("b.smt2", "liar", "sat"),
            ("a.smt2", "honest", "sat"),
            ("a.smt2", "liar", "sat")
        ]
    );
    for line in &lines {
        assert!(line["cpu_ms"].is_number() && line["wall_ms"].is_number() && line["max_rss_kb"].is_number());
    }
}

#[test]
fn warm_solvers_are_started_once() {
    let folder = tempfile::tempdir().unwrap();
    let counting = format!("echo >> starts\n{}", support::solver_script("sat", "'(exit)') exit ;;"));
    std::fs::write(folder.path().join("counting.sh"), counting).unwrap();
    for name in ["a", "b", "c"] {
        std::fs::write(folder.path().join(format!("{name}.smt2")), "(assert true)\n(check-sat)\n").unwrap();
    }
    let args =
        ["run", "a.smt2", "b.smt2", "c.smt2", "--warm", "--jobs", "1", "-s", "counting=/bin/sh counting.sh"];
    let output = support::smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output).lines().count(), 3);
    assert_eq!(std::fs::read_to_string(folder.path().join("starts")).unwrap().lines().count(), 1);
}

#[test]
fn what_a_solver_does_wrong_is_an_answer() {
    let output = smelt(&["run", "a.smt2", "-s", "crasher=/bin/sh -c 'kill -11 $$'", "-s", "mute=/bin/true"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains("a.smt2 crasher crash"), "{text}");
    assert!(text.contains("a.smt2 mute error"), "{text}");
}

#[test]
fn a_solver_that_is_not_there_is_bad_input() {
    let output = smelt(&["run", "a.smt2", "-s", "no-such-solver"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("neither installed nor on the PATH"), "{}", stderr(&output));
}

#[test]
fn a_formula_that_is_not_there_is_bad_input_and_the_others_run() {
    let output = smelt(&["run", "c.smt2", "a.smt2", "-s", HONEST]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no such file"), "{}", stderr(&output));
    assert!(stdout(&output).contains("a.smt2 honest sat"));
}

#[test]
fn a_release_is_written_with_its_version() {
    let output = smelt(&["solvers", "install", "z3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("NAME@VERSION"), "{}", stderr(&output));
}

#[test]
fn removing_what_is_not_installed_is_bad_input() {
    let output = smelt(&["solvers", "remove", "z3@1.2.3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("not installed"), "{}", stderr(&output));
}

#[test]
fn probing_tells_a_solver_that_works_from_one_that_does_not() {
    let output = smelt(&["solvers", "probe", "--json", "mute=/bin/true"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let line: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((line["solver"].as_str(), line["mode"].as_str()), (Some("mute"), Some("fails")));
}

//! `smelt run` and `smelt solvers`, with shell scripts as solvers.

use std::process::Output;

use serde_json::Value;

use crate::support;

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

/// A solver that ends when it is asked to, and says which version it is.
const COUNTING_ARMS: &str = "'(exit)') exit ;;\n'(get-info :version)') echo '(:version \"1.0\")' ;;";

#[test]
fn warm_solvers_are_started_once() {
    let folder = tempfile::tempdir().unwrap();
    let counting = format!("echo >> starts\n{}", support::solver_script("sat", COUNTING_ARMS));
    std::fs::write(folder.path().join("counting.sh"), counting).unwrap();
    for name in ["a", "b", "c"] {
        std::fs::write(folder.path().join(format!("{name}.smt2")), "(assert true)\n(check-sat)\n").unwrap();
    }
    let args =
        ["run", "a.smt2", "b.smt2", "c.smt2", "--warm", "--jobs", "1", "-s", "counting=/bin/sh counting.sh"];
    let starts = || std::fs::read_to_string(folder.path().join("starts")).unwrap().lines().count();
    // The first time it is also asked for its version.
    support::smelt(folder.path(), &args);
    let before = starts();
    let output = support::smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output).lines().count(), 3);
    assert_eq!(starts(), before + 1);
}

/// A folder with a formula, and a program `build/z3` that says a version and then this.
fn nightly(answer: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.smt2"), "(assert true)\n(check-sat)\n").unwrap();
    let script = format!("#!/bin/sh\ngrep -q :version && echo '(:version \"9.9.9\")' && exit\n{answer}\n");
    support::write_program(&folder.path().join("build/z3"), &script);
    folder
}

#[test]
fn a_solver_given_by_path_is_the_program_that_runs() {
    let folder = nightly("echo unknown");
    let output = support::smelt(folder.path(), &["run", "a.smt2", "--json", "-s", "./build/z3"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let line: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let program = folder.path().join("build/z3");
    assert_eq!(line["answer"], "unknown");
    assert_eq!(line["version"], "9.9.9");
    assert!(line["program"].as_str().unwrap().ends_with("/build/z3"), "{line}");
    let hash = blake3::hash(&std::fs::read(&program).unwrap()).to_hex().to_string();
    assert_eq!(line["hash"], hash.as_str());
    let told = stderr(&output);
    assert!(told.contains("build/z3 -in -smt2 (9.9.9, blake3 "), "{told}");
    let missing = support::smelt(folder.path(), &["run", "a.smt2", "-s", "./no/z3"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("there is no file `./no/z3`"), "{}", stderr(&missing));
}

#[test]
fn a_solver_that_fails_the_smoke_test_is_quoted_with_a_proposal() {
    let folder = nightly("echo 'Error: input file was not specified.' >&2; exit 1");
    let output =
        support::smelt(folder.path(), &["hunt", "a.smt2", "-s", "new=build/z3 -smt2 -x", "--time", "1s"]);
    assert_eq!(output.status.code(), Some(3));
    let told = stderr(&output);
    assert!(told.contains("`Error: input file was not specified.` to standard error"), "{told}");
    assert!(told.contains("exited with status 1") && told.contains("try adding `-in`"), "{told}");
}

#[test]
fn a_run_that_was_cut_says_by_which_limit() {
    let sleeper = "sleeper=/bin/sh -c 'grep -q :version && exit; sleep 1000'";
    let spinner = "spinner=/bin/sh -c 'grep -q :version && exit; while :; do :; done'";
    let output = smelt(&["run", "a.smt2", "-t", "0.1", "--json", "-s", spinner, "-s", sleeper]);
    let lines: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let limits: Vec<_> = lines.iter().map(|line| (line["answer"].as_str(), line["limit"].as_str())).collect();
    assert_eq!(limits, [(Some("timeout"), Some("cpu")), (Some("timeout"), Some("wall"))]);
    assert!(lines[0]["cpu_ms"].as_f64().unwrap() >= 100.0, "{lines:?}");
    let output = smelt(&["run", "a.smt2", "-t", "0.1", "-s", spinner]);
    assert!(stdout(&output).contains("ms, cpu limit"), "{}", stdout(&output));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.smt2"), "(assert true)\n(check-sat)\n").unwrap();
    let output = support::smelt(
        folder.path(),
        &["bench", "a.smt2", "-t", "0.1", "-s", spinner, "-s", sleeper, "--csv", "r.csv"],
    );
    let table = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    let limits: Vec<&str> = table.lines().map(|line| line.split(',').nth(7).unwrap()).collect();
    assert_eq!(limits, ["limit", "cpu", "wall"], "{table}");
    assert!(stderr(&output).contains("1 runs slept"), "{}", stderr(&output));
}

#[test]
fn the_newest_release_is_not_looked_up_again_on_the_same_day() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.smt2"), "(assert true)\n(check-sat)\n").unwrap();
    support::install_z3(folder.path(), "7.0.0", "#!/bin/sh\necho sat\n");
    // The package client counts how often it is asked.
    let client = format!(
        "#!/bin/sh\necho asked >> {}/asked\necho 'Available versions: 7.0.0, 6.0.0'\n",
        folder.path().display()
    );
    support::write_program(&folder.path().join("bin/python3"), &client);
    let run = |names: &[&str]| {
        let mut args = vec!["run", "a.smt2"];
        names.iter().for_each(|name| args.extend(["-s", name]));
        let path = format!("{}:/usr/bin:/bin", folder.path().join("bin").display());
        let output = support::command(folder.path(), &args).env("PATH", path).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stderr(&output).contains("fetching"), "{}", stderr(&output));
        assert!(stdout(&output).starts_with("a.smt2 z3@7.0.0 sat"), "{}", stdout(&output));
    };
    run(&["z3@latest"]);
    run(&["z3@latest"]);
    let asked = std::fs::read_to_string(folder.path().join("asked")).unwrap();
    assert_eq!(asked.lines().count(), 1);
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

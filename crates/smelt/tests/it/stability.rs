//! `smelt stability`, with shell scripts as solvers.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support;

/// Computes for ever if the assertion about 22 comes before that about 11, and solves everything else.
const UNSTABLE: &str = "new=/bin/sh -c 'script=$(cat); case $script in *assert*) echo x >> new.runs ;; esac; \
     case $script in *\" 22)\"*\" 11)\"*) while :; do :; done ;; *) echo unsat ;; esac'";
const STABLE: &str = "old=/bin/sh -c 'case $(cat) in *assert*) echo x >> old.runs ;; esac; echo unsat'";

/// A query with ten assertions, two of which matter to the unstable solver, and one without the second of them.
fn queries() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("queries")).unwrap();
    let write = |name: &str, numbers: &[u32]| {
        let assertions: String = numbers.iter().map(|number| format!("(assert (> x {number}))\n")).collect();
        let text = format!("(declare-const x Int)\n{assertions}(check-sat)\n");
        fs::write(folder.path().join("queries").join(name), text).unwrap();
    };
    write("even.smt2", &[30, 11, 40, 50, 60, 70, 80, 90, 33, 44]);
    write("split.smt2", &[30, 11, 40, 50, 22, 60, 70, 80, 90, 33]);
    folder
}

fn stability(folder: &Path, more: &[&str]) -> Output {
    let mut args = vec!["stability", "queries", "-s", STABLE, "-s", UNSTABLE, "--timeout", "0.05"];
    args.extend(more);
    support::smelt(folder, &args)
}

fn runs(folder: &Path, solver: &str) -> usize {
    fs::read_to_string(folder.join(format!("{solver}.runs"))).unwrap().lines().count()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_solver_that_depends_on_the_order_of_assertions_is_found_and_explained() {
    let folder = queries();
    let output = stability(folder.path(), &["--explain", "--csv", "out.csv"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(
        printed.starts_with("old: of 2 queries 2 stable\nnew: of 2 queries 1 unstable, 1 stable\n"),
        "{printed}"
    );
    assert!(
        printed.contains("changed from old to new (1):\n  queries/split.smt2\n    stable -> unstable\n"),
        "{printed}"
    );
    let (_, explanation) = printed.split_once("\nqueries/split.smt2 on new:\n").unwrap();
    assert!(explanation.contains("still splits with 2 of 10 assertions"), "{printed}");
    assert!(
        explanation.contains("stable without: (assert (> x 11))\n  stable without: (assert (> x 22))\n"),
        "{printed}"
    );
    // Names and random seeds have nothing to do with it.
    let rename = explanation.lines().find(|line| line.starts_with("  rename: ")).unwrap();
    let numbers: Vec<&str> = rename.split(' ').filter(|word| word.parse::<u32>().is_ok()).collect();
    assert_eq!(numbers[0], numbers[1], "{rename}");
    let reduced = fs::read_dir(folder.path().join("smelt-stability")).unwrap();
    let reduced = reduced
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "smt2"));
    let reduced = fs::read_to_string(reduced.unwrap()).unwrap();
    assert_eq!(reduced, "(declare-const x Int)\n(assert (> x 11))\n(assert (> x 22))\n(check-sat)\n");
    assert!(fs::read_to_string(folder.path().join("out.csv")).unwrap().contains("split.smt2,new,unstable,"));
}

#[test]
fn what_was_measured_is_not_measured_again_and_other_mutants_are_refused() {
    let folder = queries();
    let first = stability(folder.path(), &["--json"]);
    let before = (runs(folder.path(), "old"), runs(folder.path(), "new"));
    // A stable query takes less than a third of the runs of the fixed protocol.
    assert_eq!(before.0, 2 * 17);
    let second = stability(folder.path(), &["--json"]);
    assert_eq!((runs(folder.path(), "old"), runs(folder.path(), "new")), before);
    let lines = |output: &Output| -> Vec<Value> {
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let of = |output: &Output| -> Vec<(Value, Value)> {
        lines(output).iter().map(|line| (line["class"].clone(), line["solved"].clone())).collect()
    };
    assert_eq!(of(&first), of(&second));
    let lines = lines(&first);
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["class"], "stable");
    assert_eq!((&lines[0]["runs"], &lines[0]["solved"]), (&Value::from(17), &Value::from(17)));
    let other = stability(folder.path(), &["--seed", "1"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("name another folder with --dir"), "{}", text(&other.stderr));
}

#[test]
fn the_fixed_protocol_makes_all_runs() {
    let folder = queries();
    let args = ["stability", "queries/even.smt2", "-s", STABLE, "--protocol", "mariposa"];
    let output = support::smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(runs(folder.path(), "old"), 61);
    assert!(text(&output.stdout).starts_with("old: of 1 query 1 stable\n61 runs\n"));
}

#[test]
fn answers_to_mutants_that_contradict_each_other_are_reported() {
    let folder = queries();
    let solver = "odd=/bin/sh -c 'script=$(cat); case $script in *\" 22)\"*\" 11)\"*) echo sat ;; *) echo unsat ;; esac'";
    let output = support::smelt(folder.path(), &["stability", "queries/split.smt2", "-s", solver]);
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output.stdout);
    assert!(
        printed.contains(
            "odd contradicts itself on queries/split.smt2: unsat on the query itself, sat on mutant"
        ),
        "{printed}"
    );
}

//! `smelt compare`, with shell scripts as solvers.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support;

/// Says `unsat` if the script asserts false, counts its runs in a file, and does what it is told to some queries.
fn solver(name: &str, arms: &str) -> String {
    format!(
        "{name}=/bin/sh -c 'script=$(cat); echo x >> {name}.runs; case $script in {arms} \
         *false*) echo unsat ;; *) echo sat; echo \"((define-fun x () Int 3))\" ;; esac'"
    )
}

/// A folder with queries. The new solver says `unsat` to one that has a model, and computes for ever on another.
fn queries() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let query = |name: &str, text: &str| {
        let path = folder.path().join("queries").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("(declare-const x Int)\n{text}(check-sat)\n")).unwrap();
    };
    query("changed.smt2", "(assert (> x 2))\n");
    query("lost.smt2", "(assert (= x (+ 1 2)))\n");
    query("same.smt2", "(assert false)\n");
    folder
}

const NEW_ARMS: &str = "*\"(> x 2)\"*) echo unsat ;; *\"(+ 1 2)\"*) while :; do :; done ;;";

fn compare(folder: &Path, more: &[&str]) -> Output {
    let (old, new) = (solver("old", ""), solver("new", NEW_ARMS));
    let mut args =
        vec!["compare", "queries", "--from", &old, "--to", &new, "--timeout", "0.2", "--runs", "2"];
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
fn what_changes_is_said_in_one_sentence_and_then_listed_with_the_evidence() {
    let folder = queries();
    let output = compare(folder.path(), &[]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let first = "from old to new, of 3 queries 1 changes its answer and 1 is lost";
    assert!(printed.starts_with(first), "{printed}");
    assert!(printed.contains("a model that satisfies the query refutes the unsat of new"), "{printed}");
    assert!(printed.contains("\nlost (1):\n  queries/lost.smt2\n"), "{printed}");
}

#[test]
fn a_comparison_fails_on_what_it_is_told_to() {
    let folder = queries();
    let status = |conditions: &str| compare(folder.path(), &["--fail-on", conditions]).status.code();
    assert_eq!(status("slower=2x"), Some(0));
    assert_eq!(status("failing,lost"), Some(1));
    assert_eq!(status("wrong"), Some(1));
    assert_eq!(status("worse"), Some(2));
}

#[test]
fn what_was_measured_is_not_measured_again() {
    let folder = queries();
    compare(folder.path(), &[]);
    let before = runs(folder.path(), "new");
    let output = compare(folder.path(), &["--json"]);
    // Both are started once more to see that they work.
    let again = runs(folder.path(), "new") - before;
    fs::write(folder.path().join("queries/same.smt2"), "(assert false)\n(check-sat)\n").unwrap();
    compare(folder.path(), &[]);
    assert_eq!(runs(folder.path(), "new") - before, 2 * again + 1);
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wrong: Vec<&Value> = lines.iter().map(|line| &line["wrong"]).collect();
    assert_eq!(wrong, [&Value::from("to"), &Value::Null, &Value::Null]);
    assert_eq!(lines[1]["changes"], serde_json::json!(["lost"]));
}

#[test]
fn a_solver_beside_itself_changes_nothing() {
    let folder = queries();
    let (old, same) = (solver("old", ""), solver("same", ""));
    let args =
        ["compare", "queries", "--from", &old, "--to", &same, "--fail-on", "changed,lost,failing,slower"];
    let output = support::smelt(folder.path(), &args);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.starts_with("from old to same, of 3 queries nothing changes"), "{printed}");
}

#[test]
fn what_cannot_be_compared_is_an_error_in_clear_words() {
    let folder = queries();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let (old, new) = (solver("old", ""), solver("new", ""));
    let status = |path: &str, to: &str| {
        let output = support::smelt(folder.path(), &["compare", path, "--from", &old, "--to", to]);
        (output.status.code(), text(&output.stderr))
    };
    let (code, message) = status("empty", &new);
    assert!(code == Some(2) && message.contains("there are no queries to run"), "{message}");
    let (code, message) = status("nowhere", &new);
    assert!(code == Some(2) && message.contains("nowhere"), "{message}");
    let (code, message) = status("queries", "./no/such/solver");
    assert!(code == Some(2) && message.contains("no/such/solver"), "{message}");
    let first = compare(folder.path(), &[]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let (code, message) = status("queries", &new);
    assert!(code == Some(2) && message.contains("has results of other solvers or limits"), "{message}");
}

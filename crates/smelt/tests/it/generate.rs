//! `smelt generate` from end to end.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const LABELLED: &str = "; expect: sat\n; model: (define-fun x () Int 5)\n\
    (declare-const x Int)\n(assert (> x 3))\n(assert (< x 9))\n(check-sat)\n";
const UNLABELLED: &str = "(declare-const s String)\n(declare-const n Int)\n\
    (assert (= (str.len s) n))\n(assert (> n 2))\n(assert (str.prefixof \"a\" s))\n(check-sat)\n";

fn smelt(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smelt")).args(args).current_dir(folder).output().unwrap()
}

fn workplace(seed: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("seed.smt2"), seed).unwrap();
    folder
}

/// The files of a folder with their texts.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

fn messages(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_same_seed_makes_the_same_cases() {
    let folder = workplace(LABELLED);
    for technique in [
        "operator",
        "generative",
        "data-driven",
        "expression-swap",
        "fusion",
        "concat",
        "model-preserving",
        "all",
    ] {
        let make = |out: &str, seed: &str| {
            let output =
                smelt(folder.path(), &["generate", technique, "--count", "30", "--out", out, "--seed", seed]);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            let made = files(&folder.path().join(out));
            assert_eq!(made.len(), 30, "{technique}");
            made
        };
        let first = make(&format!("{technique}-a"), "7");
        assert_eq!(first, make(&format!("{technique}-b"), "7"), "{technique}");
        assert_ne!(first, make(&format!("{technique}-c"), "8"), "{technique}");
    }
}

#[test]
fn every_case_says_what_is_expected_and_where_it_comes_from() {
    let folder = workplace(LABELLED);
    let output = smelt(
        folder.path(),
        &["generate", "fusion", "seed.smt2", "--count", "12", "--out", "cases", "--json"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines: Vec<Value> = String::from_utf8(output.stdout.clone())
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 12);
    for line in &lines {
        let text = std::fs::read_to_string(folder.path().join(line["file"].as_str().unwrap())).unwrap();
        let header: Vec<&str> = text.lines().take(3).collect();
        assert_eq!(header[0], format!("; expect: {}", line["expect"].as_str().unwrap()));
        assert_eq!(header[1], "; technique: fusion");
        assert_eq!(header[2], format!("; lineage: {}", line["lineage"].as_str().unwrap()));
        assert!(header[2].contains("seed seed.smt2") && header[2].contains(" by "), "{}", header[2]);
        assert_eq!(line["technique"], "fusion");
    }
    assert!(messages(&output).contains("fusion: 12 cases"), "{output:?}");
}

#[test]
fn the_built_in_solver_says_what_a_seed_does_not() {
    let folder = workplace(UNLABELLED);
    let args = ["generate", "model-preserving", "seed.smt2", "--count", "20"];
    let output = smelt(folder.path(), &args);
    assert!(messages(&output).contains("20 expected sat"), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("; expect: sat\n").count(), 20, "{text}");
}

#[test]
fn triples_of_users_are_used() {
    let folder = workplace(LABELLED);
    let triples = "#begin turned\n(declare-const x Int)(declare-const y Int)(declare-const z Int)\n\
        (assert (= z (- y x)))\n(assert (= x (- y z)))\n(assert (= y (+ z x)))\n#end\n";
    std::fs::write(folder.path().join("triples.txt"), triples).unwrap();
    let args = ["generate", "fusion", "seed.smt2", "--count", "200", "--triples", "triples.txt"];
    let output = smelt(folder.path(), &args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" by turned of x and x_1"), "{text}");
    std::fs::write(folder.path().join("triples.txt"), "#begin a\n").unwrap();
    let output = smelt(folder.path(), &args);
    assert_eq!(output.status.code(), Some(2));
    assert!(messages(&output).contains("cannot use triple `a` in line 1: `#end` is missing"), "{output:?}");
}

#[test]
fn what_cannot_be_done_is_told() {
    let folder = workplace("(declare-const x Int)\n(assert (= (mystery x) 1))\n(check-sat)\n");
    let check = |args: &[&str], part: &str| {
        let output = smelt(folder.path(), &[&["generate"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(messages(&output).contains(part), "{output:?}");
    };
    check(&["magic"], "unrecognized subcommand 'magic'");
    check(&["fusion", "--json"], "--json needs a folder");
    check(&["fusion", "nowhere.smt2"], "no seeds found");
    check(&["fusion", "seed.smt2", "--max-seed-bytes", "10"], "no seed is small enough");
    check(&["model-preserving", "seed.smt2"], "none of the seeds can be used");
    check(&["operator", "--triples", "seed.smt2"], "--triples is for the technique `fusion`");
}

#[test]
fn triples_are_shown_in_the_form_that_is_read() {
    let folder = workplace(LABELLED);
    let output = smelt(folder.path(), &["triples"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    std::fs::write(folder.path().join("again.txt"), &output.stdout).unwrap();
    assert_eq!(smelt(folder.path(), &["triples", "again.txt"]).stdout, output.stdout);
}

#[test]
fn a_triple_that_does_not_invert_is_told() {
    let folder = workplace(LABELLED);
    let wrong = "#begin wrong\n(declare-const x Int)(declare-const y Int)(declare-const z Int)\n\
        (assert (= z (* x y)))\n(assert (= x (div z y)))\n(assert (= y (div z x)))\n#end\n";
    std::fs::write(folder.path().join("wrong.txt"), wrong).unwrap();
    let output = smelt(folder.path(), &["triples", "wrong.txt"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("# fails: it does not invert for x = 0, y = 0\n#begin wrong\n"), "{text}");
}

#[test]
fn triples_are_found_by_search() {
    let folder = workplace(LABELLED);
    let output = smelt(folder.path(), &["triples", "--find", "Bool", "Bool", "--most", "3"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("#begin found-1\n(declare-const x Bool)\n"), "{text}");
    let refused = smelt(folder.path(), &["triples", "--find", "Nothing", "Bool"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_rule_that_does_not_hold_is_told() {
    let folder = workplace(LABELLED);
    let rules = "#begin right\n(declare-const x Int)(declare-const y Int)\n(assert (=> (> x y) (>= x y)))\n#end\n\
        #begin wrong\n(declare-const x Int)(declare-const y Int)\n(assert (=> (>= x y) (> x y)))\n#end\n";
    std::fs::write(folder.path().join("rules.txt"), rules).unwrap();
    let yes_man = "agreeable=/bin/sh -c 'echo unsat'";
    let output = smelt(folder.path(), &["rules", "rules.txt", "--solver", yes_man]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("right") && text.contains("holds for 121 assignments\n  agreeable: proved"),
        "{text}"
    );
    assert!(text.contains("fails: it is false, or has no value that we know, for x = 0, y = 0"), "{text}");
    std::fs::write(folder.path().join("rules.txt"), "#begin a\n(assert true)\n#end\n").unwrap();
    let output = smelt(folder.path(), &["rules", "rules.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(messages(&output).contains("cannot use rule `a` in line 1: the theorem must be"), "{output:?}");
}

//! `smelt generate random` and `smelt generate stringfuzz` from end to end.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::smelt;

fn generate(folder: &Path, args: &[&str]) -> Output {
    smelt(folder, &[&["generate"], args].concat())
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Panics unless `smelt check` has nothing to say about the cases in a folder.
fn check_all(folder: &Path, cases: &str) {
    let checked = smelt(folder, &["check", cases]);
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
}

#[test]
fn random_formulas_have_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["random", "--variables", "3", "--asserts", "2", "--depth", "4", "--literal-length", "5"];
    let made = text(&generate(folder.path(), &[&args[..], &["--count", "2", "--seed", "7"]].concat()));
    assert_eq!(made.matches("(declare-const ").count(), 6, "{made}");
    assert_eq!(made.matches("(assert ").count(), 4, "{made}");
    let lineage = "; lineage: literal length 5, variables 3, assertions 2, depth 4, random seed 8";
    assert!(made.contains(lineage), "{made}");
    assert!(made.starts_with("; expect: none\n; technique: random\n"), "{made}");
    let again = text(&generate(folder.path(), &[&args[..], &["--count", "1", "--seed", "8"]].concat()));
    assert!(made.ends_with(&again), "{made}");
}

#[test]
fn random_formulas_are_well_sorted_in_both_dialects() {
    let folder = tempfile::tempdir().unwrap();
    for dialect in ["2.5", "2.6"] {
        let output = generate(
            folder.path(),
            &["random", "--count", "60", "--depth", "5", "--dialect", dialect, "--out", dialect],
        );
        text(&output);
        check_all(folder.path(), dialect);
    }
    let all = |dialect: &str| {
        let files = fs::read_dir(folder.path().join(dialect)).unwrap();
        files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect::<String>()
    };
    assert!(all("2.5").contains("(str.in.re ") && !all("2.5").contains("str.replace_re"));
    assert!(all("2.6").contains("(str.in_re ") && all("2.6").contains("(str.replace_re"));
}

#[test]
fn weights_choose_operators() {
    let folder = tempfile::tempdir().unwrap();
    let weights = "str.contains=100,str.in_re=0";
    let made = text(&generate(folder.path(), &["random", "--count", "30", "--weight", weights]));
    assert!(made.matches("str.contains").count() > 50 && !made.contains("str.in_re"), "{made}");
    let refused = generate(folder.path(), &["random", "--weight", "str.nothing=1"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn families_grow_in_turns() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["stringfuzz", "--family", "concats-deep,overlaps", "--count", "4"];
    let made = text(&generate(folder.path(), &args));
    let sizes: Vec<&str> = made.lines().filter_map(|line| line.strip_prefix("; lineage: family ")).collect();
    assert!(sizes[0].starts_with("concats-deep, size 1,"), "{made}");
    assert!(sizes[1].starts_with("overlaps, size 1,"), "{made}");
    assert!(sizes[3].starts_with("overlaps, size 2,"), "{made}");
    let one = text(&generate(
        folder.path(),
        &["stringfuzz", "--family", "concats-deep", "--size", "50", "--count", "1", "--transform", "reverse"],
    ));
    assert_eq!(one.matches("(str.++ ").count(), 50, "{one}");
    assert!(one.contains(", reverse, random seed 0") && one.contains("; keeps: the answer\n"), "{one}");
}

#[test]
fn all_families_are_well_sorted() {
    let folder = tempfile::tempdir().unwrap();
    text(&generate(folder.path(), &["stringfuzz", "--count", "60", "--out", "cases"]));
    check_all(folder.path(), "cases");
}

#[test]
fn a_transformed_seed_keeps_its_claim_with_its_model() {
    let folder = tempfile::tempdir().unwrap();
    let seed = "; expect: sat\n; model: (define-fun x () String \"ab\")\n\
        (declare-const x String)\n(assert (= x (str.++ \"a\" \"b\")))\n(check-sat)\n";
    fs::write(folder.path().join("seed.smt2"), seed).unwrap();
    let args = ["stringfuzz", "seed.smt2", "--transform", "reverse,multiply", "--count", "1"];
    let made = text(&generate(folder.path(), &args));
    assert!(made.starts_with("; expect: sat\n"), "{made}");
    assert!(
        made.contains("; keeps: sat\n") && made.contains("; model: (define-fun x () String \"b"),
        "{made}"
    );
    // What is known of an unsatisfiable seed is not known of its multiple.
    let seed = "; expect: unsat\n(declare-const x String)\n(assert (= (str.len x) (- 1)))\n(check-sat)\n";
    fs::write(folder.path().join("seed.smt2"), seed).unwrap();
    let made = text(&generate(folder.path(), &["stringfuzz", "seed.smt2", "--transform", "multiply"]));
    assert!(made.starts_with("; expect: none\n") && made.contains("; keeps: sat\n"), "{made}");
}

#[test]
fn options_of_other_techniques_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (args, part) in [
        (&["fusion", "--literal-length", "3"][..], "unexpected argument '--literal-length'"),
        (&["random", "--family", "regex"], "unexpected argument '--family'"),
        (&["random", "--size", "3"], "unexpected argument '--size'"),
        (&["random", "seed.smt2"], "unexpected argument 'seed.smt2'"),
        (&["stringfuzz", "seed.smt2", "--family", "regex"], "'--family"),
        (&["construct", "--depth", "3"], "unexpected argument '--depth'"),
        (&["enumerate", "--grammar", "core", "--theory", "ints"], "unexpected argument '--theory'"),
        (&["stringfuzz", "--family", "other"], "invalid value 'other' for '--family"),
    ] {
        let output = generate(folder.path(), args);
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && messages.contains(part), "{args:?}: {messages}");
    }
}

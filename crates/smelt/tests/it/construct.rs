//! `smelt generate construct` from end to end.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn construct(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(["generate", "construct"])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn check_refused(args: &[&str], part: &str) {
    let output = construct(Path::new("."), args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains(part), "{messages}");
}

#[test]
fn a_case_has_its_model_and_says_where_it_comes_from() {
    let output = construct(
        Path::new("."),
        &["--category", "operation", "--paper", "--count", "1", "--theory", "strings"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = "; expect: sat\n; technique: construct\n\
        ; lineage: theory paper, category operation, bound 1, random seed 0, str.++\n\
        ; model: (define-fun x1 () String \"\")\n; model: (define-fun x2 () String \"\")\n\
        ; model: (define-fun result () String \"\")\n\
        (declare-const x1 String)\n(declare-const x2 String)\n(declare-const result String)\n\
        (assert (= (str.++ x1 x2) result))\n(check-sat)\n";
    assert_eq!(text, expected);
}

#[test]
fn cases_go_into_a_folder_and_are_counted_by_category() {
    let folder = tempfile::tempdir().unwrap();
    let output = construct(folder.path(), &["--count", "5", "--out", "cases", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 35);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("35 cases, 15 expected sat, 20 expected unsat"), "{messages}");
    assert!(messages.contains("term-synthesis"), "{messages}");
    for line in lines {
        let text = fs::read_to_string(folder.path().join(line["file"].as_str().unwrap())).unwrap();
        assert!(text.starts_with(&format!("; expect: {}\n", line["expect"].as_str().unwrap())), "{text}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    check_refused(&["--theory", "words"], "invalid value 'words' for '--theory");
    check_refused(&["--theory", "words"], "[possible values: strings, ints, reals, bitvectors, floats]");
    check_refused(&["--category", "noise,words"], "invalid value 'words' for '--category");
    check_refused(&["--theory", "ints", "--paper"], "--paper is for the theory `strings`");
    check_refused(&["--theory", "ints", "--category", "noise"], "there are no such cases");
    check_refused(&["seeds"], "unexpected argument 'seeds'");
    check_refused(&["--grammar", "core"], "unexpected argument '--grammar'");
}

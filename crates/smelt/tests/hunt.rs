//! `smelt hunt` from end to end, with a shell script as the solver under test.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// A solver that says `sat` to everything but one formula of the probe, and crashes where a length is asked for.
const CRASHER: &str = r#"#!/bin/sh
answer=sat
while read -r line; do
    case "$line" in
        '(reset)') answer=sat ;;
        *'(< x 3)'*) answer=unsat ;;
        *str.len*) kill -11 $$ ;;
        '(check-sat)') echo $answer ;;
        '(get-model)') echo '()' ;;
        '(echo "'*) line=${line#'(echo "'}; echo "${line%'")'}" ;;
    esac
done
"#;

fn smelt(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(args)
        .current_dir(folder)
        .env("SMELT_CACHE", folder.join("cache"))
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap()
}

/// A folder with the solver and a seed.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("crasher.sh"), CRASHER).unwrap();
    let seed = "(declare-const s String)\n(assert (= (str.len s) 3))\n(assert (str.prefixof \"a\" s))\n(check-sat)\n";
    std::fs::write(folder.path().join("seed.smt2"), seed).unwrap();
    folder
}

const HUNT: [&str; 8] =
    ["hunt", "seed.smt2", "--cases", "20", "--timeout", "5", "--solver", "crasher=/bin/sh crasher.sh"];

#[test]
fn a_crash_is_found_confirmed_and_reported_once() {
    let folder = workplace();
    let output = smelt(folder.path(), &HUNT);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("crash") && text.contains("crasher"), "{text}");

    let listed = smelt(folder.path(), &["findings", "--json"]);
    let lines: Vec<Value> = String::from_utf8(listed.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!lines.is_empty());
    for line in &lines {
        assert_eq!((line["class"].as_str(), line["culprit"].as_str()), (Some("crash"), Some("crasher")));
        assert_eq!(line["confirmed"], Value::Bool(true));
        let finding = folder.path().join("smelt-campaign/findings").join(line["id"].as_str().unwrap());
        assert!(std::fs::read_to_string(finding.join("case.smt2")).unwrap().contains("str.len"));
        assert!(std::fs::read_to_string(finding.join("report.md")).unwrap().contains("crashes"));
        assert!(finding.join("replay.sh").is_file());
    }

    // The same hunt again makes the same cases, and all of them are known.
    let again = String::from_utf8(smelt(folder.path(), &HUNT).stdout).unwrap();
    let listed_again = smelt(folder.path(), &["findings", "--json"]);
    assert_eq!(
        String::from_utf8(listed_again.stdout).unwrap().lines().count(),
        lines.len(),
        "{text}\n{again}"
    );
}

#[test]
fn a_dry_run_does_nothing() {
    let folder = workplace();
    let output = smelt(folder.path(), &[&HUNT[..], &["--dry-run"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!folder.path().join("smelt-campaign").exists());
}

#[test]
fn without_solvers_it_says_how_to_get_one() {
    let folder = workplace();
    let output = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .arg("hunt")
        .current_dir(folder.path())
        .env("SMELT_CACHE", folder.path().join("cache"))
        .env("PATH", folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("smelt solvers install"));
}

#[test]
fn an_unknown_technique_lists_the_known_ones() {
    let folder = workplace();
    let output = smelt(folder.path(), &[&HUNT[..], &["--technique", "magic"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("operator"));
}

#[test]
fn a_folder_without_a_campaign_is_explained() {
    let folder = workplace();
    let output = smelt(folder.path(), &["findings"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("smelt hunt"));
}

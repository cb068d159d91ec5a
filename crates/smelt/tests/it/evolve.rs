//! `smelt evolve` from end to end, with shell scripts as releases and smelt's own solver as the reference.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use smelt_store::study::{Role, RunRow, StudyStore};

use crate::support::{smelt, solver_script};

/// A folder with a solver that always gives the same answer, but for what stands in `arms`.
fn workplace(answer: &str, arms: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("release.sh"), solver_script(answer, arms)).unwrap();
    folder
}

const RELEASE: [&str; 2] = ["--solver", "old=/bin/sh release.sh"];

fn evolve(folder: &Path, args: &[&str]) -> Output {
    let usual = ["evolve", "--json", "--dir", "study", "--jobs", "1"];
    smelt(folder, &[&usual[..], args].concat())
}

/// The study of the first formulas of Core.
fn core(folder: &Path, args: &[&str]) -> Output {
    let usual = ["--theory", "core", "--formulas", "60", "--timeout", "5", "--reference", "smelt"];
    evolve(folder, &[&RELEASE[..], &usual, args].concat())
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check_error(output: &Output, code: i32, expected: &str) {
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{messages}");
    assert!(messages.contains(expected), "{messages}");
}

fn recorded(folder: &Path) -> Vec<RunRow> {
    let rows = StudyStore::open(&folder.join("study")).unwrap().runs(1).unwrap();
    rows.into_iter().filter(|row| row.role == Role::Release).collect()
}

#[test]
fn wrong_answers_are_counted_and_drawn() {
    let folder = workplace("unsat", "");
    let output = core(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = lines(&output);
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&line["solver"], &line["runs"], &line["unsat"]), (&"old".into(), &60.into(), &60.into()));
    let unsound = line["classes"]["soundness-refutation"].as_u64().unwrap();
    assert!(unsound > 10 && unsound < 60, "{line}");
    // What is wrong is not solved.
    let solved = line["solved"].as_array().unwrap().last().unwrap().as_u64().unwrap();
    assert_eq!(solved, 60 - unsound);
    let study = folder.path().join("study");
    let page = fs::read_to_string(study.join("index.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("old"), "{page}");
    let triggers = fs::read_to_string(study.join("triggers.csv")).unwrap();
    assert!(triggers.contains("soundness-refutation,core,old,"), "{triggers}");
    for name in
        ["bugs.svg", "solved-lowest.svg", "joint-time.svg", "throughput.svg", "bugs.csv", "solved.csv"]
    {
        assert!(study.join(name).is_file(), "{name}");
    }
}

#[test]
fn a_right_solver_has_no_triggers_warm_and_cold() {
    for mode in ["warm", "cold"] {
        let folder = workplace("sat", "");
        let usual =
            ["--theory", "core", "-n", "12", "--timeout", "5", "--reference", "smelt", "--mode", mode];
        let output = evolve(folder.path(), &[&["--solver", "smelt"], &usual[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let line = &lines(&output)[0];
        assert_eq!(line["sat"].as_u64().unwrap() + line["unsat"].as_u64().unwrap(), 12, "{line}");
        assert_eq!(line["jointly_solved"], 12, "{line}");
    }
}

#[test]
fn a_solver_that_reads_all_before_it_answers_is_started_for_each_formula() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        format!("input=$(cat)\nprintf '%s\\n' \"$input\" | '{}' solve -\n", env!("CARGO_BIN_EXE_smelt"));
    fs::write(folder.path().join("release.sh"), script).unwrap();
    let usual = ["--theory", "core", "-n", "4", "--timeout", "5", "--reference", "smelt", "--mode", "warm"];
    let output = evolve(folder.path(), &[&RELEASE[..], &usual].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(lines(&output)[0]["jointly_solved"], 4, "{output:?}");
}

#[test]
fn rejected_formulas_are_no_bugs() {
    let folder =
        workplace("unknown", "*'(assert (and'*) echo '(error \"unknown constant and\")'; answer=sat ;;");
    let output = core(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let line = &lines(&output)[0];
    assert!(line["rejected"].as_u64().unwrap() >= 4, "{line}");
    assert_eq!(line["classes"], serde_json::json!({}), "{line}");
}

#[test]
fn an_older_definition_is_no_bug() {
    let arms = "*'(assert (not '*'str.replace '*) answer=sat ;;\n\
        *'(assert '*'str.replace '*) answer=unsat ;;\n\
        *'(assert (not '*) answer=unsat ;;";
    let folder = workplace("sat", arms);
    let usual =
        ["--theory", "strings", "-n", "200", "--max-size", "9", "--timeout", "5", "--reference", "smelt"];
    let output = evolve(folder.path(), &[&RELEASE[..], &usual].concat());
    let line = &lines(&output)[0];
    assert!(line["classes"]["drift"].as_u64().unwrap() > 0, "{line}");
    let triggers = fs::read_to_string(folder.path().join("study/triggers.csv")).unwrap();
    let is_wrong_replace = |line: &&str| line.starts_with("soundness") && line.contains("str.replace ");
    assert_eq!(triggers.lines().find(is_wrong_replace), None);
}

#[test]
fn a_study_that_was_killed_goes_on() {
    let folder = workplace(
        "unsat",
        "*'(assert (and b false))'*) if [ -e armed ]; then rm armed; kill -9 $PPID; fi ;;",
    );
    fs::write(folder.path().join("armed"), "").unwrap();
    let killed = core(folder.path(), &[]);
    assert_eq!(killed.status.code(), None, "{killed:?}");
    let before = recorded(folder.path());
    assert!(!before.is_empty() && before.len() < 60, "{}", before.len());
    let output = evolve(folder.path(), &["--resume"]);
    assert_eq!(lines(&output)[0]["runs"], 60, "{output:?}");
    let after = recorded(folder.path());
    assert!(before.iter().all(|row| after.contains(row)));
}

#[test]
fn releases_and_theories_can_be_added() {
    let folder = workplace("unsat", "");
    core(folder.path(), &[]);
    let before = recorded(folder.path());
    let output = evolve(folder.path(), &["--solver", "smelt", "--theory", "core,ints"]);
    let lines = lines(&output);
    let of = |theory: &str, solver: &str| {
        lines.iter().find(|line| line["theory"] == theory && line["solver"] == solver).unwrap()["runs"]
            .clone()
    };
    assert_eq!(
        [of("core", "old"), of("core", "smelt"), of("ints", "old"), of("ints", "smelt")],
        [60, 60, 60, 60]
    );
    let after = recorded(folder.path());
    assert!(before.iter().all(|row| after.contains(row)));
}

#[test]
fn another_study_needs_another_folder() {
    let folder = workplace("unsat", "");
    core(folder.path(), &[]);
    check_error(&core(folder.path(), &["--mode", "cold"]), 2, "--mode was warm and is cold");
    fs::write(folder.path().join("release.sh"), solver_script("sat", "")).unwrap();
    check_error(&core(folder.path(), &[]), 2, "solver `old` is not the program");
}

#[test]
fn mistakes_are_explained() {
    let folder = workplace("sat", "");
    let check = |args: &[&str], expected: &str| {
        check_error(&evolve(folder.path(), args), 2, expected);
        assert!(!folder.path().join("study/evolution.db").exists() || args.contains(&"--theory"));
    };
    check(&[], "a study needs releases");
    check(&["--resume"], "there is no study in `study`");
    check(&["--solver", "smelt", "--timeout", "0"], "expected a positive number of seconds");
    check(
        &["--solver", "nothing", "--theory", "core"],
        "solver `nothing` is neither installed nor on the PATH",
    );
    check(&["--solver", "smelt", "--theory", "string"], "did you mean `strings`?");
    check(&["--solver", "z3@4.9..4.8", "--theory", "core"], "`z3@4.9..4.8` is not a range of releases");
    check(&["--solver", "mine@1..2", "--theory", "core"], "`mine@1..2` is not a range of releases");
}

#[test]
fn a_dry_run_runs_nothing() {
    let folder = workplace("sat", "");
    let args = ["--solver", "smelt", "--theory", "core,ints", "-n", "7", "--reference", "smelt", "--dry-run"];
    let output = evolve(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("14 warm runs of at most 1 s, and 14 runs of references"), "{text}");
    assert!(!folder.path().join("study").exists());
}

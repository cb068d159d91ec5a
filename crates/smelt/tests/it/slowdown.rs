//! Searches for slowness, from end to end, with shell scripts as the solvers.

use std::fs;
use std::path::Path;

use crate::support::{field, findings, recorded_cases, smelt, solver_script};

/// Two solvers that agree on everything; the slow one never ends on random formulas, which declare `s0`.
fn write_solvers(folder: &Path) {
    fs::write(folder.join("fast.sh"), solver_script("unsat", "")).unwrap();
    let endless = "*'s0 String'*) while :; do :; done ;;";
    fs::write(folder.join("slow.sh"), solver_script("unsat", endless)).unwrap();
}

const FAST: [&str; 2] = ["--solver", "fast=/bin/sh fast.sh"];
const SLOW: [&str; 2] = ["--solver", "slow=/bin/sh slow.sh"];

fn hunt(folder: &Path, args: &[&[&str]]) -> (Option<i32>, String) {
    let usual = ["hunt", "--goal", "slowdown", "--timeout", "1", "--alpha", "0.5"];
    let output = smelt(folder, &[&usual, args.concat().as_slice()].concat());
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

#[test]
fn a_solver_that_does_not_end_is_found_reported_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let more: [&str; 6] = ["--findings", "1", "--calibrate", "0", "--technique", "bandit"];
    let (code, text) = hunt(folder.path(), &[&FAST, &SLOW, &more]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("slow against fast, slow is 0.5 s more"), "{text}");
    assert_eq!(recorded_cases(folder.path()), 1);
    let found = findings(folder.path());
    assert_eq!(field(&found[0], "class"), "slowdown");
    assert_eq!(field(&found[0], "culprit"), "slow");
    let id = field(&found[0], "id");
    assert!(text.contains(&format!("{id} ")) && text.contains("1000 ms"), "{text}");
    let report = folder.path().join("smelt-campaign/findings").join(&id).join("report.md");
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("| slow | timeout | 1000 | 1000 1000 1000 1000 1000 |"), "{report}");
    assert!(report.contains("not tried with other random seeds"), "{report}");
    let replayed = smelt(folder.path(), &["replay", &id]);
    assert_eq!(replayed.status.code(), Some(1), "{replayed:?}");
    // What was found is known when the campaign is resumed, and what counts as slow.
    let resumed = smelt(folder.path(), &["hunt", "--resume", "--calibrate", "0"]);
    assert_eq!(resumed.status.code(), Some(1), "{resumed:?}");
    let text = String::from_utf8_lossy(&resumed.stderr).into_owned();
    assert!(text.contains("resuming after 1 cases and 1 findings"), "{text}");
    let other = smelt(folder.path(), &["hunt", "--resume", "--calibrate", "0", "--alpha", "0.9"]);
    let text = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(other.status.code() == Some(2) && text.contains("threshold: the campaign has 0.5 s"), "{text}");
}

#[test]
fn the_last_solver_is_under_test() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let more = ["--cases", "2", "--calibrate", "0", "--technique", "random"];
    let (code, text) = hunt(folder.path(), &[&SLOW, &FAST, &more]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("fast against slow") && text.contains("no findings"), "{text}");
    assert_eq!(recorded_cases(folder.path()), 2);
}

#[test]
fn what_solvers_give_up_on_is_left_out_and_times_are_measured_first() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let helpless = solver_script("unsat", "*'(assert'*'str.replace_all'*) answer=unknown ;;");
    fs::write(folder.path().join("helpless.sh"), helpless).unwrap();
    let more = ["--solver", "helpless=/bin/sh helpless.sh", "--cases", "1", "--calibrate", "1"];
    let (code, text) = hunt(folder.path(), &[&FAST, &more]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("left out, because solvers give up: str.replace_all\n"), "{text}");
    assert!(text.contains("times of helpless:") && text.contains("(1 formulas)"), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let check = |args: &[&[&str]], part: &str| {
        let (code, text) = hunt(folder.path(), args);
        assert!(code == Some(2) && text.contains(part), "{text}");
    };
    check(&[&SLOW], "name two solvers");
    check(&[&SLOW, &FAST, &["--technique", "operator"]], "bandit, no-dtw, banditfuzz, random");
    check(&[&SLOW, &FAST, &["seeds/"]], "SEEDS has no effect");
    assert!(!folder.path().join("smelt-campaign").exists());
}

#[test]
fn growth_is_measured_for_growing_literals() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    let formula = "(declare-const s String)\n(assert (= s \"ab\"))\n(check-sat)\n";
    fs::write(folder.path().join("a.smt2"), formula).unwrap();
    let args = ["scale", "a.smt2", "--most", "4", "--repeats", "1", "-o", "a.svg", "--json"];
    let output = smelt(folder.path(), &[&args, FAST.as_slice()].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\"family\":\"strings\"") && text.contains("\"n\":[1,2,3,4]"), "{text}");
    assert!(fs::read_to_string(folder.path().join("a.svg")).unwrap().contains("strings times n"));
}

#[test]
fn growth_is_measured_for_the_formulas_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    write_solvers(folder.path());
    fs::create_dir(folder.path().join("family")).unwrap();
    let scale = || {
        let args = ["scale", "family", "--most", "5", "--repeats", "1", "--json"];
        smelt(folder.path(), &[&args, FAST.as_slice()].concat())
    };
    let output = scale();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("has no files 1.smt2, 2.smt2"));
    for name in ["1.smt2", "3.smt2", "5.smt2", "9.smt2", "other.smt2"] {
        fs::write(folder.path().join("family").join(name), "(check-sat)\n").unwrap();
    }
    let output = scale();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\"family\":\"family\"") && text.contains("\"n\":[1,3,5]"), "{text}");
}

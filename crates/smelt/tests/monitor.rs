//! `smelt monitor` from end to end, with shell scripts as solvers and smelt's own solver as the reference.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::{smelt, solver_script};

mod support;

/// A folder with a solver that always gives the same answer.
fn workplace(answer: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("stubborn.sh"), solver_script(answer, "")).unwrap();
    folder
}

fn monitor(folder: &Path, args: &[&str]) -> Output {
    let usual = ["monitor", "--grammar", "core", "--max-size", "4", "--timeout", "5", "--reference", "smelt"];
    smelt(folder, &[&usual[..], args].concat())
}

const STUBBORN: [&str; 2] = ["--solver", "stubborn=/bin/sh stubborn.sh"];

fn results(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_solver_that_agrees_gets_its_guarantee() {
    let folder = workplace("sat");
    let output = monitor(folder.path(), &["--solver", "smelt"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = results(&output);
    assert!(
        text.starts_with(
            "all 4 formulas of grammar core up to size 4 (2 variables, 1 asserts): smelt agreed with smelt on 4, \
             unknown on 0, timed out on 0, wrong or disputed 0; 3 models checked"
        ),
        "{text}"
    );
}

#[test]
fn a_wrong_unsat_is_found_and_shown_by_a_model() {
    let folder = workplace("unsat");
    let output = monitor(folder.path(), &[&STUBBORN[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let tally: Value = serde_json::from_str(results(&output).trim()).unwrap();
    assert_eq!(
        (&tally["formulas"], &tally["agreed"], &tally["differences"]),
        (&4.into(), &1.into(), &3.into())
    );
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("soundness-refutation: stubborn says unsat, smelt says sat"), "{messages}");
    assert!(messages.contains("smelt generate enumerate --grammar core"), "{messages}");
}

#[test]
fn a_wrong_reference_is_no_fault_of_the_solver() {
    let folder = workplace("unsat");
    let args = ["monitor", "--grammar", "core", "--max-size", "4", "--solver", "smelt", "--timeout", "5"];
    let reference = ["--reference", "stubborn=/bin/sh stubborn.sh"];
    let output = smelt(folder.path(), &[&args[..], &reference].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(results(&output).contains("reference wrong on 3"), "{output:?}");
}

#[test]
fn what_the_baseline_knows_does_not_count() {
    let folder = workplace("unsat");
    let baseline = ["--baseline", "known.txt"];
    let output = monitor(folder.path(), &[&STUBBORN[..], &baseline, &["--update-baseline"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let known = std::fs::read_to_string(folder.path().join("known.txt")).unwrap();
    assert!(known.contains("core 2 1 0 soundness-refutation\n"), "{known}");
    let again = monitor(folder.path(), &[&STUBBORN[..], &baseline].concat());
    assert_eq!(again.status.code(), Some(0), "{again:?}");
}

#[test]
fn results_are_written_for_machines() {
    let folder = workplace("unsat");
    let files = ["--junit", "out.xml", "--sarif", "out.sarif"];
    monitor(folder.path(), &[&STUBBORN[..], &files].concat());
    let junit = std::fs::read_to_string(folder.path().join("out.xml")).unwrap();
    assert!(junit.contains("<testsuite name=\"core\" tests=\"4\" failures=\"3\">"), "{junit}");
    let sarif: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("out.sarif")).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 3);
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "soundness-refutation");
}

//! The judge of optima as users see it, with solvers that report wrong values.

use std::path::Path;

use crate::support::{field, findings, smelt, solver_script};

const SEED: &str = "(declare-const n Int)\n(assert (= n 7))\n(check-sat)\n";

/// Hunts for wrong optima with one solver; classes of what is found, and the first report.
fn hunt(folder: &Path, solver: &str, cases: &str) -> (Vec<String>, String) {
    std::fs::write(folder.join("seed.smt2"), SEED).unwrap();
    let args = [
        "hunt",
        "seed.smt2",
        "--technique",
        "optimize",
        "--judge",
        "optimum",
        "--cases",
        cases,
        "--timeout",
        "20",
        "--jobs",
        "1",
        "--mode",
        "cold",
        "--solver",
        solver,
    ];
    let output = smelt(folder, &args);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let findings = findings(folder);
    let report = findings.first().map(|finding| {
        let place = folder.join("smelt-campaign/findings").join(field(finding, "id"));
        std::fs::read_to_string(place.join("report.md")).unwrap()
    });
    (findings.iter().map(|finding| field(finding, "class")).collect(), report.unwrap_or_default())
}

#[test]
fn a_hunt_finds_values_that_the_model_does_not_have() {
    let arms = |objectives: &str| {
        format!(
            "'(maximize '*|'(minimize '*) values=\"$values (n 100)\" ;;\n'(get-objectives)') {objectives} ;;\n\
             '(get-model)') echo '((define-fun n () Int 7))' ;;"
        )
    };
    let wrong = tempfile::tempdir().unwrap();
    let script = solver_script("sat", &arms("echo \"(objectives $values)\""));
    std::fs::write(wrong.path().join("z3"), script).unwrap();
    let (classes, report) = hunt(wrong.path(), "z3=/bin/sh z3", "100");
    assert_eq!(classes.first().map(String::as_str), Some("invalid-optimum"), "{report}");
    assert!(report.starts_with("# Wrong optimum in QF_LIA"), "{report}");
    assert!(report.contains("| `100` |") && report.contains("(define-fun n () Int 7)"), "{report}");
    let silent = tempfile::tempdir().unwrap();
    std::fs::write(silent.path().join("z3"), solver_script("sat", &arms("echo '(error \"none\")'"))).unwrap();
    assert_eq!(hunt(silent.path(), "z3=/bin/sh z3", "100").0, [""; 0]);
}

/// With a real solver behind a filter: an optimum that is off by one is found, and without the filter nothing is.
#[test]
fn a_hunt_finds_an_optimum_that_is_off_by_one() {
    let Ok(z3) = std::env::var("SMELT_TEST_Z3") else { return };
    let off = tempfile::tempdir().unwrap();
    let awk = r#"{ if ($0 ~ /^ \(.* [0-9]+\)$/) { n = $NF; sub(/\)/, "", n); sub(/[0-9]+\)$/, n + ADDEND ")"); } print }"#;
    let wrapper = |addend: &str| format!("#!/bin/sh\n'{z3}' -in | awk '{}'\n", awk.replace("ADDEND", addend));
    std::fs::write(off.path().join("z3"), wrapper("1")).unwrap();
    let (classes, report) = hunt(off.path(), "z3=/bin/sh z3", "200");
    assert_eq!(classes.first().map(String::as_str), Some("invalid-optimum"), "{report}");
    let right = tempfile::tempdir().unwrap();
    std::fs::write(right.path().join("z3"), wrapper("0")).unwrap();
    assert_eq!(hunt(right.path(), "z3=/bin/sh z3", "200").0, [""; 0]);
}

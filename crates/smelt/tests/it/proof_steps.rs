//! `smelt check-steps` and the judges of proofs and simplifications as users see them, with shell scripts as solvers.

use std::path::Path;

use crate::support::{field, findings, folder, smelt, smelt_in, solver_script};

const SEED: &str = "(declare-const n Int)\n(assert (> n 7))\n(assert (< n 5))\n(check-sat)\n";

const PROOF: &str = "((proof (unit-resolution (mp (asserted (> n 7)) (rewrite (= (> n 7) (not (<= n 7)))) (not (<= n 7))) \
    ((_ th-lemma arith) (or (<= n 7) (not (< n 5)))) (asserted (< n 5)) false)))";

#[test]
fn the_steps_of_a_proof_in_a_file_are_counted_by_rule() {
    let folder = folder(
        "steps-right",
        &[("a.smt2", SEED.as_bytes()), ("a.proof", format!("unsat\n{PROOF}").as_bytes())],
    );
    let checked = smelt_in(&folder, &["check-steps", "a.smt2", "--proof", "a.proof"], b"");
    assert_eq!((checked.stderr.as_str(), checked.status), ("", 0));
    assert!(checked.stdout.contains("all claims, 100.0 % checked"), "{}", checked.stdout);
    assert!(checked.stdout.contains("1 proofs, 0 unreadable"), "{}", checked.stdout);
}

#[test]
fn a_false_step_in_a_file_is_printed_as_a_script_that_has_a_model() {
    let wrong = PROOF.replace("(not (<= n 7)))) (not", "(not (<= n 8)))) (not");
    let folder = folder("steps-wrong", &[("a.smt2", SEED.as_bytes()), ("a.proof", wrong.as_bytes())]);
    let checked = smelt_in(&folder, &["check-steps", "a.smt2", "--proof", "a.proof"], b"");
    assert_eq!(checked.status, 1, "{checked:?}");
    let script =
        "(declare-const n Int)\n(assert (not (= (> n 7) (not (<= n 8)))))\n(assert (= n 8))\n(check-sat)\n";
    assert!(checked.stdout.contains("the step by `rewrite`"), "{}", checked.stdout);
    assert!(checked.stdout.contains(script), "{}", checked.stdout);
}

#[test]
fn check_steps_wants_a_solver_or_a_proof() {
    let folder = folder("steps-nothing", &[("a.smt2", SEED.as_bytes())]);
    let checked = smelt_in(&folder, &["check-steps", "a.smt2"], b"");
    assert_eq!((checked.status, checked.stdout.as_str()), (2, ""));
    assert!(checked.stderr.contains("--solver"), "{}", checked.stderr);
}

/// Hunts with the seed as it is and one judge; classes and titles of what is found, and the first report.
fn hunt(folder: &Path, judge: &str, arms: &str) -> (Vec<String>, String) {
    std::fs::write(folder.join("seed.smt2"), SEED).unwrap();
    std::fs::write(folder.join("z3"), solver_script("unsat", arms)).unwrap();
    let args = [
        "hunt",
        "seed.smt2",
        "--technique",
        "unchanged",
        "--judge",
        judge,
        "--cases",
        "3",
        "--timeout",
        "20",
        "--jobs",
        "1",
        "--solver",
        "z3=/bin/sh z3",
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
fn a_hunt_finds_a_corrupted_step_in_the_proof_of_a_right_answer() {
    let printing = |proof: &str| format!("'(get-proof)') echo '{proof}' ;;");
    let right = tempfile::tempdir().unwrap();
    assert_eq!(hunt(right.path(), "proof", &printing(PROOF)).0, [""; 0]);
    let wrong = tempfile::tempdir().unwrap();
    let corrupted = PROOF.replace("(= (> n 7) (not (<= n 7)))", "(= (> n 7) (not (<= n 8)))");
    let (classes, report) = hunt(wrong.path(), "proof", &printing(&corrupted));
    // The liar says `unsat` of the step too, so nobody is blamed for what it alone is asked about.
    assert_eq!(classes, [""; 0], "{report}");
    let honest = tempfile::tempdir().unwrap();
    let arms = format!("*'(not (= (> n 7)'*) answer=sat ;;\n{}", printing(&corrupted));
    let (classes, report) = hunt(honest.path(), "proof", &arms);
    assert_eq!(classes.first().map(String::as_str), Some("invalid-proof-step"), "{report}");
    assert!(report.contains("False proof step by `rewrite`"), "{report}");
    assert!(report.contains("`n = 8`"), "{report}");
}

#[test]
fn a_hunt_finds_a_corrupted_simplification() {
    let arms = "'(simplify (> n 7)'*) echo '(not (<= n 8))' ;;\n*'(not (= (> n 7)'*) answer=sat ;;";
    let wrong = tempfile::tempdir().unwrap();
    let (classes, report) = hunt(wrong.path(), "simplify", arms);
    assert_eq!(classes.first().map(String::as_str), Some("invalid-simplification"), "{report}");
    let right = tempfile::tempdir().unwrap();
    assert_eq!(hunt(right.path(), "simplify", &arms.replace('8', "7")).0, [""; 0]);
}

#[test]
fn the_report_of_a_wrong_unsat_names_the_guilty_step() {
    let folder = tempfile::tempdir().unwrap();
    let seed = "(declare-const n Int)\n(assert (> n 7))\n(check-sat)\n";
    std::fs::write(folder.path().join("seed.smt2"), seed).unwrap();
    let proof = "((proof (mp (asserted (> n 7)) (rewrite (= (> n 7) false)) false)))";
    let arms = format!("*'(> n 7)'*) answer=unsat ;;\n'(get-proof)') echo '{proof}' ;;");
    std::fs::write(folder.path().join("z3"), solver_script("sat", &arms)).unwrap();
    let args = ["--technique", "unchanged", "--cases", "2", "--timeout", "20", "--jobs", "1"];
    let solvers = ["--solver", "z3=/bin/sh z3", "--solver", "smelt"];
    let output = smelt(folder.path(), &[&["hunt", "seed.smt2"], &args[..], &solvers[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found = findings(folder.path());
    let wrong = found.iter().find(|finding| field(finding, "class") == "soundness-refutation").unwrap();
    let id = field(wrong, "id");
    let reduced = smelt(folder.path(), &["reduce", &id]);
    assert_eq!(reduced.status.code(), Some(0), "{reduced:?}");
    let place = folder.path().join("smelt-campaign/findings").join(&id);
    let report = std::fs::read_to_string(place.join("report.md")).unwrap();
    assert!(report.contains("## The guilty inference"), "{report}");
    assert!(report.contains("that by `rewrite` on line 1"), "{report}");
    assert!(report.contains("(= (> n 7) false)"), "{report}");
}

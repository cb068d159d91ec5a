//! Hunts in incremental sessions, from end to end: wrappers around `smelt solve` that corrupt one thing.

use std::path::Path;

use crate::support::{field, findings, smelt, write_program};

/// A seed with several answers to its parts, and constants of three sorts.
const SEED: &str = "(declare-const x Int)\n(declare-const p Bool)\n(declare-const s String)\n\
    (assert (or p (> x 5)))\n(assert (=> p (< x 3)))\n(assert (= (str.len s) x))\n(assert (not (= s \"ab\")))\n\
    (check-sat)\n";

/// A program that answers as `smelt solve` does, except for what `awk` makes of the script and then of the output. The
/// second program knows how many lines of the script match `push` before each check, as `pushed[check]`.
fn wrapper(of_script: &str, of_output: &str) -> String {
    format!(
        r#"#!/bin/sh
script=$(mktemp)
trap 'rm -f "$script" "$script.changed"' EXIT
cat > "$script"
awk '{of_script}' "$script" > "$script.changed"
"{smelt}" solve --timeout 5 "$script.changed" | awk '
NR == FNR {{
    if ($0 ~ /^\(push/) pushes += $2
    if ($0 ~ /^\(check-sat/) pushed[++checks] = pushes
    next
}}
/^(sat|unsat|unknown)$/ {{ check++ }}
{of_output}
{{ print }}
' "$script" -
"#,
        smelt = env!("CARGO_BIN_EXE_smelt"),
    )
}

/// What changes nothing.
const AS_IT_IS: (&str, &str) = ("{ print }", "");

/// The first check after the seventeenth push is answered the other way round.
const FLIPPED: (&str, &str) = (
    "{ print }",
    "/^(sat|unsat)$/ && pushed[check] >= 17 && pushed[check - 1] < 17 { print ($0 == \"sat\" ? \"unsat\" : \"sat\"); next }",
);

/// The last assertion of a level is asserted again when the level is closed, where its names are still declared.
const KEPT: (&str, &str) = (
    "/global-declarations true/ { keeps = 1 } { print } /^\\(assert/ { last = $0 } /^\\(reset-assertions/ { last = \"\" } /^\\(pop/ && keeps && last != \"\" { print last; last = \"\" }",
    "",
);

/// A value that the model printed before it contradicts.
const OTHER_VALUE: (&str, &str) = ("{ print }", "{ sub(/\\(p true\\)/, \"(p false)\") }");

/// No assumptions are ever needed, it says.
const NO_ASSUMPTIONS: (&str, &str) = (
    "{ print } /^\\(check-sat-assuming/ { print \"(echo \\\"next\\\")\" }",
    "/^next$/ { after = 1; next } after && /^\\(./ { after = 0; print \"()\"; next } { after = 0 }",
);

/// Every second run prints another line.
const RESTLESS: (&str, &str) = (
    "{ print }",
    "END { getline runs < \"counter\"; close(\"counter\"); print runs + 1 > \"counter\"; if (runs % 2) print \"; again\" }",
);

/// Runs a hunt with one technique and one wrapper; classes and culprits of what was found.
fn hunt(folder: &Path, corruption: (&str, &str), more: &[&str]) -> Vec<(String, String)> {
    std::fs::write(folder.join("seed.smt2"), SEED).unwrap();
    write_program(&folder.join("wrapped.sh"), &wrapper(corruption.0, corruption.1));
    let args =
        ["hunt", "seed.smt2", "--technique", "trace", "--timeout", "20", "--jobs", "1", "--mode", "cold"];
    let solver = ["--solver", "wrapped=./wrapped.sh"];
    let output = smelt(folder, &[&args[..], &solver, more].concat());
    // A wrapper that is wrong in sessions is so while it is probed, and then gets few of the cases, which ends with 3.
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{output:?}");
    findings(folder).iter().map(|finding| (field(finding, "class"), field(finding, "culprit"))).collect()
}

/// The file of the first finding with this name.
fn read(folder: &Path, name: &str) -> String {
    let id = field(&findings(folder)[0], "id");
    std::fs::read_to_string(folder.join("smelt-campaign/findings").join(id).join(name)).unwrap()
}

const SESSION_CLASSES: [&str; 3] = ["soundness-refutation", "trace-inconsistency", "invalid-model"];

fn is_about_a_session(found: &[(String, String)]) -> bool {
    found.iter().all(|(class, culprit)| SESSION_CLASSES.contains(&class.as_str()) && culprit == "wrapped")
}

#[test]
fn a_solver_that_is_right_in_sessions_is_not_blamed() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(hunt(folder.path(), AS_IT_IS, &["--cases", "25"]), []);
}

#[test]
fn an_answer_that_flips_after_the_seventeenth_push_is_found_and_reduced() {
    let folder = tempfile::tempdir().unwrap();
    let found = hunt(folder.path(), FLIPPED, &["--cases", "200", "--findings", "1", "--no-triage"]);
    assert!(!found.is_empty() && is_about_a_session(&found), "{found:?}");
    let report = read(folder.path(), "report.md");
    assert!(report.contains("of the session is answered `"), "{report}");
    assert!(report.contains("Answers to it in fresh processes: wrapped `"), "{report}");
}

#[test]
fn an_assertion_that_outlives_its_level_is_found_and_reduced_to_a_few_commands() {
    let folder = tempfile::tempdir().unwrap();
    let found = hunt(folder.path(), KEPT, &["--cases", "200", "--findings", "1", "--no-triage"]);
    assert!(!found.is_empty() && is_about_a_session(&found), "{found:?}");
    let id = field(&findings(folder.path())[0], "id");
    let reduced = smelt(folder.path(), &["reduce", &id]);
    assert_eq!(reduced.status.code(), Some(0), "{reduced:?}");
    let script = read(folder.path(), "reduced.smt2");
    let commands = script.lines().filter(|line| line.starts_with('(')).count();
    assert!(commands <= 10, "{script}");
    assert!(script.contains("(pop 1)"), "{script}");
}

#[test]
fn a_value_that_contradicts_the_model_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--judge", "values", "--cases", "200", "--findings", "1", "--no-triage"];
    let found = hunt(folder.path(), OTHER_VALUE, &more);
    assert_eq!(found[..1], [("invalid-model".to_owned(), "wrapped".to_owned())]);
    let report = read(folder.path(), "report.md");
    assert!(report.contains("`(get-value ..)` prints\n\n```smt2\n(p false)"), "{report}");
}

#[test]
fn needed_assumptions_that_do_not_suffice_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--judge", "values", "--cases", "200", "--findings", "1", "--no-triage"];
    let found = hunt(folder.path(), NO_ASSUMPTIONS, &more);
    assert_eq!(found[..1], [("invalid-core".to_owned(), "wrapped".to_owned())]);
}

#[test]
fn output_that_differs_from_run_to_run_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--judge", "determinism", "--cases", "20", "--findings", "1", "--no-triage"];
    let found = hunt(folder.path(), RESTLESS, &more);
    assert_eq!(found[..1], [("nondeterminism".to_owned(), "wrapped".to_owned())]);
}

#[test]
fn what_a_right_solver_prints_is_not_blamed() {
    let folder = tempfile::tempdir().unwrap();
    let judges = ["--judge", "values,determinism,limits"];
    assert_eq!(hunt(folder.path(), AS_IT_IS, &[&judges[..], &["--cases", "15"]].concat()), []);
}

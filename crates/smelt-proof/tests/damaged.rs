//! Logs of the solver are accepted, and the same logs with a mistake made by hand are rejected.

#![allow(clippy::unwrap_used)]

use smelt_proof::{Rejected, check};

/// The input and the log of each example.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("boolean", include_str!("../testdata/boolean.smt2"), include_str!("../testdata/boolean.log")),
    ("bounds", include_str!("../testdata/bounds.smt2"), include_str!("../testdata/bounds.log")),
    ("equation", include_str!("../testdata/equation.smt2"), include_str!("../testdata/equation.log")),
    ("lengths", include_str!("../testdata/lengths.smt2"), include_str!("../testdata/lengths.log")),
];

fn example(name: &str) -> (&'static str, &'static str) {
    let (_, input, log) = EXAMPLES.iter().find(|(known, ..)| *known == name).unwrap();
    (input, log)
}

/// The problem of a log in which a line is replaced by other lines; the number of lines at its end is made right.
fn damaged(name: &str, line: &str, lines: &str) -> Rejected {
    let (input, log) = example(name);
    assert_eq!(log.lines().filter(|known| *known == line).count(), 1, "{name} has no line `{line}`");
    let changed: Vec<&str> = log
        .lines()
        .filter(|line| !line.starts_with("end "))
        .flat_map(|known| if known == line { lines.lines().collect() } else { vec![known] })
        .collect();
    let log = format!("{}\nend {}\n", changed.join("\n"), changed.len());
    check(input, &log).expect_err(&format!("{name} with `{lines}` in the place of `{line}`"))
}

/// A log is rejected because of a step that can be read and does not hold.
fn rejects(name: &str, line: &str, lines: &str, message: &str) {
    let problem = damaged(name, line, lines);
    assert_eq!(problem.message, message, "{name} with `{lines}`");
    assert!(!problem.is_broken && problem.line.is_some(), "{problem:?}");
}

#[test]
fn undamaged_logs_are_accepted_without_trusted_steps() {
    for (name, input, log) in EXAMPLES {
        let summary = check(input, log).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_eq!(summary.trusted_count(), 0, "{name}: {summary}");
    }
}

#[test]
fn a_dropped_premise_is_found() {
    rejects(
        "equation",
        "formula 5 substitute 4 3 (= \"a\" \"\")",
        "formula 5 substitute 4 (= \"a\" \"\")",
        "this does not follow by `substitute`",
    );
}

#[test]
fn a_changed_literal_is_found() {
    rejects(
        "lengths",
        "clause arithmetic 2 -11 -5",
        "clause arithmetic 2 11 -5",
        "the clause does not hold in arithmetic",
    );
}

#[test]
fn a_wrong_rewrite_is_found() {
    rejects(
        "lengths",
        "rewrite at-most-normal (= (<= (+ (str.len y) 1) 2) (<= (str.len y) 1))",
        "rewrite at-most-normal (= (<= (+ (str.len y) 1) 2) (<= (str.len y) 0))",
        "this is false for y = \"0\"",
    );
}

#[test]
fn a_false_lemma_is_found_whatever_its_reason() {
    rejects("bounds", "clause arithmetic 6 -4", "clause sequence 4", "this is false for i = 0, j = 0");
}

#[test]
fn a_wrong_combination_of_bounds_is_found() {
    rejects(
        "bounds",
        "clause arithmetic -2 -3",
        "clause arithmetic 6 -3\nclause arithmetic 3 -6",
        "the clause does not hold in arithmetic",
    );
}

#[test]
fn a_truncated_log_is_found() {
    let (input, log) = example("bounds");
    for length in (0..log.len()).step_by(40) {
        assert!(check(input, &log[..length]).is_err(), "{length} bytes");
    }
    rejects("bounds", "conflict", "", "the log ends before anything is refuted");
}

#[test]
fn a_gate_of_another_kind_is_found() {
    rejects("boolean", "gate 5 or 2 -3", "gate 5 iff 2 -3", "this is false for p = false, q = false");
}

#[test]
fn a_wrong_meaning_is_found() {
    rejects("bounds", "means -6 (<= (+ j 1) i)", "means 6 (<= (+ j 1) i)", "this is false for i = 0, j = 0");
}

#[test]
fn the_literal_of_another_formula_is_found() {
    rejects("lengths", "assert 3 10", "assert 4 10", "10 does not stand for formula 4");
}

#[test]
fn another_assertion_of_the_input_is_found() {
    rejects(
        "boolean",
        "formula 2 input 2 (or p (not q))",
        "formula 2 input 2 (or q (not q))",
        "this is not that assertion of the input",
    );
}

#[test]
fn a_learnt_clause_that_does_not_follow_is_found() {
    rejects("boolean", "assert 2 5", "assert 2 5\nlearnt -2", "unit propagation does not show this");
}

#[test]
fn a_wrong_conjunct_is_found() {
    rejects(
        "equation",
        "formula 4 conjunct 2 (= x \"\")",
        "formula 4 conjunct 2 (= x \"b\")",
        "this does not follow by `conjunct`",
    );
}

#[test]
fn a_second_meaning_of_a_name_is_found() {
    rejects("boolean", "atom 3 q", "atom 3 q\natom 2 q", "2 stands for something else already");
    // A log that declares a constant of the input cannot make it another one.
    assert!(damaged("lengths", "conflict", "declare x Int\nconflict").line.is_some());
}

#[test]
fn a_last_step_that_refutes_nothing_is_found() {
    rejects("boolean", "conflict", "false 1", "the formula is not `false`");
    rejects("boolean", "learnt 2", "conflict\nlearnt 2", "the log continues after its last step");
}

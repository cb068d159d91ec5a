//! `smelt solve --proof` and `smelt check-proof` as users see them.

use std::fs;

use crate::support::{folder, smelt_in};

const UNSAT: &str = "(declare-const p Bool)\n(assert (or p (= 1 2)))\n(assert (not p))\n(check-sat)\n";

#[test]
fn a_proof_is_written_and_accepted() {
    let folder = folder("proof-accepted", &[("a.smt2", UNSAT.as_bytes())]);
    let solved = smelt_in(&folder, &["solve", "a.smt2", "--proof", "a.log"], b"");
    assert_eq!((solved.stdout.as_str(), solved.stderr.as_str(), solved.status), ("unsat\n", "", 0));
    let checked = smelt_in(&folder, &["check-proof", "a.smt2", "a.log"], b"");
    assert_eq!((checked.stderr.as_str(), checked.status), ("", 0));
    assert!(
        checked.stdout.starts_with("checked: ") && checked.stdout.ends_with("; trusted: 0\n"),
        "{checked:?}"
    );
}

#[test]
fn a_changed_log_is_rejected_with_its_line() {
    let folder = folder("proof-changed", &[("a.smt2", UNSAT.as_bytes())]);
    smelt_in(&folder, &["solve", "a.smt2", "--proof", "a.log"], b"");
    let log = fs::read_to_string(folder.join("a.log")).unwrap();
    fs::write(folder.join("b.log"), log.replace("formula 1 input 1 ", "formula 1 input 2 ")).unwrap();
    let checked = smelt_in(&folder, &["check-proof", "a.smt2", "b.log"], b"");
    assert_eq!(
        checked.stderr,
        "error: cannot accept the log `b.log`, line 3: this is not that assertion of the input\n"
    );
    assert_eq!((checked.stdout.as_str(), checked.status), ("", 1));
    fs::write(folder.join("c.log"), log.replace("check 1\n", "check 1\nnonsense\n").replace("end ", "end 1"))
        .unwrap();
    let checked = smelt_in(&folder, &["check-proof", "a.smt2", "c.log"], b"");
    assert_eq!(checked.status, 1, "{checked:?}");
}

#[test]
fn a_line_that_is_not_a_step_is_reported() {
    let log = "smelt-refutation 1\ncheck 1\nnonsense\nconflict\nend 4\n";
    let folder =
        folder("proof-broken", &[("a.smt2", UNSAT.as_bytes()), ("a.log", log.as_bytes()), ("b.log", b"")]);
    let checked = smelt_in(&folder, &["check-proof", "a.smt2", "a.log"], b"");
    assert_eq!(checked.stderr, "error: cannot read the log `a.log`, line 3: unknown step `nonsense`\n");
    assert_eq!(checked.status, 2);
    let checked = smelt_in(&folder, &["check-proof", "a.smt2", "b.log"], b"");
    assert_eq!(checked.stderr, "error: cannot read the log `b.log`: this is not a proof log\n");
    let checked = smelt_in(&folder, &["check-proof", "a.smt2", "no-such.log"], b"");
    assert!(checked.stderr.starts_with("error: cannot read `no-such.log`: "), "{}", checked.stderr);
    assert_eq!(checked.status, 2);
}

#[test]
fn there_is_no_proof_of_what_has_a_model() {
    let folder = folder("proof-sat", &[("a.smt2", b"(assert true)(check-sat)")]);
    let solved = smelt_in(&folder, &["solve", "a.smt2", "--proof", "a.log"], b"");
    assert_eq!(solved.stderr, "error: no check says unsat, so `a.log` is not written\n");
    assert_eq!((solved.stdout.as_str(), solved.status), ("sat\n", 2));
    assert!(!folder.join("a.log").exists());
}

#[test]
fn the_old_spellings_are_accepted() {
    let folder = folder("proof-old-spellings", &[("a.smt2", UNSAT.as_bytes())]);
    let solved = smelt_in(&folder, &["solve", "a.smt2", "--refutation", "a.log"], b"");
    assert_eq!((solved.stdout.as_str(), solved.status), ("unsat\n", 0));
    let checked = smelt_in(&folder, &["check-refutation", "a.smt2", "a.log"], b"");
    assert_eq!((checked.stderr.as_str(), checked.status), ("", 0));
}

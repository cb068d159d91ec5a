//! `smelt print`: text, dialects, names, files.

use std::fs;

use expect_test::{Expect, expect};

use crate::support::{Outcome, folder, smelt_in};

fn print(args: &[&str], source: &str) -> Outcome {
    let args: Vec<&str> = ["print", "-"].iter().chain(args).copied().collect();
    smelt_in(&std::env::temp_dir(), &args, source.as_bytes())
}

fn check(args: &[&str], source: &str, expect: Expect) {
    let outcome = print(args, source);
    expect.assert_eq(&outcome.stdout);
    assert_eq!((outcome.stderr.as_str(), outcome.status), ("", 0));
}

const OLD: &str = r#"(set-info :smt-lib-version 2.5)
(declare-const x String)
(assert (str.in.re x (re.++ (str.to.re "a\x09\\") re.nostr)))
(assert (= (str.to.int x) 5))
"#;

#[test]
fn commands_stand_one_a_line_without_comments() {
    check(
        &[],
        "(declare-const |x| Int) ; a constant\n(assert\n  (=  x\n    1))(check-sat)",
        expect![[r#"
            (declare-const x Int)
            (assert (= x 1))
            (check-sat)
        "#]],
    );
}

#[test]
fn a_script_keeps_its_dialect() {
    assert_eq!(print(&[], OLD).stdout, OLD.replace("\\\\", "\\x5c"));
}

#[test]
fn old_spellings_become_new_ones() {
    check(
        &["--dialect", "2.6"],
        OLD,
        expect![[r#"
            (set-info :smt-lib-version 2.6)
            (declare-const x String)
            (assert (str.in_re x (re.++ (str.to_re "a\u{9}\u{5c}") re.none)))
            (assert (= (str.to_int x) 5))
        "#]],
    );
}

#[test]
fn old_to_new_to_old_is_the_identity() {
    let old = print(&[], OLD).stdout;
    let new = print(&["--dialect", "2.6"], &old).stdout;
    assert_ne!(old, new);
    assert_eq!(print(&["--dialect", "2.5"], &new).stdout, old);
}

#[test]
fn new_to_old_to_new_is_the_identity() {
    let new =
        "(declare-const x String)\n(assert (str.in_re x (re.++ (str.to_re \"\\u{9}b\"\"\") re.none)))\n";
    let old = print(&["--dialect", "2.5"], new).stdout;
    assert_ne!(old, new);
    assert_eq!(print(&["--dialect", "2.6"], &old).stdout, new);
}

#[test]
fn old_escapes_without_an_operator_that_shows_them_give_a_warning() {
    let outcome = print(&["--dialect", "2.5"], "(assert (= \"\\u{9}\" \"a\"))");
    assert_eq!(outcome.stdout, "(assert (= \"\\x09\" \"a\"))\n");
    assert_eq!(outcome.status, 0);
    assert!(
        outcome.stderr.starts_with("warning: `-`: printed with the escapes of 2.5"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn declared_names_become_short() {
    check(
        &["--rename"],
        "(declare-fun |a long name| () Int)\n(declare-fun g (Int) Int)\n\
         (define-fun h ((y Int)) Int (g (+ y |a long name|)))\n(assert (forall ((x0 Int)) (< x0 (h |a long name|))))",
        expect![[r#"
            (declare-fun x1 () Int)
            (declare-fun f0 (Int) Int)
            (define-fun f1 ((y Int)) Int (f0 (+ y x1)))
            (assert (forall ((x0 Int)) (< x0 (f1 x1))))
        "#]],
    );
}

#[test]
fn renaming_twice_changes_nothing() {
    let source = "(declare-const b Int)(declare-fun x0 (Int) Bool)(assert (x0 b))";
    let once = print(&["--rename"], source).stdout;
    assert_eq!(print(&["--rename"], &once).stdout, once);
}

#[test]
fn huge_repeated_terms_are_shared_unless_flat() {
    let twice = |term: String| format!("(+ {term} {term})");
    let source =
        format!("(declare-const x Int)\n(assert (= 0 {}))\n", (0..17).fold("x".to_owned(), |t, _| twice(t)));
    assert!(print(&[], &source).stdout.len() < 2000);
    assert_eq!(print(&["--flat"], &source).stdout, source);
}

#[test]
fn unknown_names_are_carried_through_with_a_warning() {
    let outcome = print(&[], "(assert (frobnicate 1 (quux 2)))\n(frob  x)\n");
    expect![[r#"
        (assert (frobnicate 1 (quux 2)))
        (frob  x)
    "#]]
    .assert_eq(&outcome.stdout);
    assert_eq!(outcome.status, 0);
    assert!(outcome.stderr.contains("warning: unknown operator `frobnicate`"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("warning: unknown command `frob`"), "{}", outcome.stderr);
}

#[test]
fn ill_sorted_scripts_are_not_printed() {
    let outcome = print(&[], "(assert 1)");
    assert_eq!((outcome.stdout.as_str(), outcome.status), ("", 2));
    assert!(outcome.stderr.contains("found `Int`"), "{}", outcome.stderr);
}

#[test]
fn several_files_are_told_apart_by_comments() {
    let folder = folder("several_files", &[("a.smt2", b"(check-sat)"), ("b.smt2", b"(exit)")]);
    let outcome = smelt_in(&folder, &["print", "b.smt2", "a.smt2"], b"");
    assert_eq!(outcome.stdout, "; b.smt2\n(exit)\n; a.smt2\n(check-sat)\n");
}

#[test]
fn json_lines_have_the_file_and_its_text() {
    check(
        &["--json"],
        "(echo \"a\")",
        expect![[r#"
            {"file":"-","text":"(echo \"a\")\n"}
        "#]],
    );
}

#[test]
fn the_result_can_replace_its_input() {
    let folder = folder("the_result_can_replace", &[("a.smt2", b"(check-sat) ; now")]);
    let outcome = smelt_in(&folder, &["print", "a.smt2", "--output", "a.smt2"], b"");
    assert_eq!(outcome, Outcome { status: 0, stdout: String::new(), stderr: String::new() });
    assert_eq!(fs::read_to_string(folder.join("a.smt2")).unwrap(), "(check-sat)\n");
}

#[test]
fn errors_leave_the_output_file_alone() {
    let folder = folder("errors_leave_the_output", &[("a.smt2", b"(assert 1)"), ("out.smt2", b"; precious")]);
    let outcome = smelt_in(&folder, &["print", "a.smt2", "-o", "out.smt2"], b"");
    assert_eq!(outcome.status, 2);
    assert_eq!(fs::read_to_string(folder.join("out.smt2")).unwrap(), "; precious");
}

#[test]
fn an_output_file_that_cannot_be_written_is_a_failure_of_the_environment() {
    let folder = folder("an_output_file_that_cannot", &[("a.smt2", b"(exit)")]);
    let outcome = smelt_in(&folder, &["print", "a.smt2", "-o", "no/such/folder/out.smt2"], b"");
    assert_eq!(outcome.status, 3);
    assert!(
        outcome.stderr.starts_with("error: cannot write `no/such/folder/out.smt2`"),
        "{}",
        outcome.stderr
    );
}

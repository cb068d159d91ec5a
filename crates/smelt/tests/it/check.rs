//! `smelt check` on good and ill-formed scripts.

use expect_test::{Expect, expect};

use crate::support::{folder, smelt_in};

/// Checks that a script on standard input gives these messages and this status.
fn check(source: &str, status: i32, expect: Expect) {
    let folder = std::env::temp_dir();
    let outcome = smelt_in(&folder, &["check", "-"], source.as_bytes());
    expect.assert_eq(&format!("{}{}", outcome.stderr, outcome.stdout));
    assert_eq!(outcome.status, status);
}

#[test]
fn a_good_script_gives_a_summary_only() {
    check(
        "(declare-const x Int)\n(assert (< x 3))\n(check-sat)\n",
        0,
        expect![[r#"
            1 file: 1 well-sorted
        "#]],
    );
}

#[test]
fn a_script_without_commands_is_fine() {
    check(
        "",
        0,
        expect![[r#"
            1 file: 1 well-sorted
        "#]],
    );
}

#[test]
fn an_unknown_logic_is_shown() {
    check(
        "(set-logic QF_NONSENSE)\n",
        2,
        expect![[r#"
            error: unknown logic `QF_NONSENSE`
             --> <stdin>:1:12
              |
            1 | (set-logic QF_NONSENSE)
              |            ^^^^^^^^^^^
            help: `ALL` stands for everything a solver has

            1 file: 0 well-sorted, 1 with errors
        "#]],
    );
}

#[test]
fn a_wrong_sort_is_shown_at_the_argument() {
    check(
        "(declare-const x String)\n(assert (= (str.len x) \"a\"))\n",
        2,
        expect![[r#"
            error: `=` has signature `A A -> Bool`, but argument 2 is a `String`
             --> <stdin>:2:24
              |
            2 | (assert (= (str.len x) "a"))
              |                        ^^^

            1 file: 0 well-sorted, 1 with errors
        "#]],
    );
}

#[test]
fn a_near_miss_of_an_operator_suggests_the_right_one() {
    check(
        "(declare-const x String)\n(assert (str.prefix x x))\n",
        2,
        expect![[r#"
            error: unknown operator `str.prefix`
             --> <stdin>:2:10
              |
            2 | (assert (str.prefix x x))
              |          ^^^^^^^^^^
            help: did you mean `str.prefixof`?

            1 file: 0 well-sorted, 1 with errors
        "#]],
    );
}

#[test]
fn a_truncated_script_names_the_parenthesis_and_goes_on() {
    check(
        "(assert (= 1 1)\n(declare-const x Foo)\n(assert (and x",
        2,
        expect![[r#"
            error: this parenthesis is never closed
             --> <stdin>:1:1
              |
            1 | (assert (= 1 1)
              | ^
            help: 3 closing parentheses missing before the end of the file

            error: unknown sort `Foo`
             --> <stdin>:2:18
              |
            2 | (declare-const x Foo)
              |                  ^^^
            help: declare it before, as in `(declare-sort Foo 0)`

            error: this parenthesis is never closed
             --> <stdin>:3:1
              |
            3 | (assert (and x
              | ^
            help: 2 closing parentheses missing before the end of the file

            1 file: 0 well-sorted, 1 with errors
        "#]],
    );
}

#[test]
fn an_unterminated_string_is_shown_where_it_opens() {
    check(
        "(echo \"hello)\n(check-sat)\n",
        2,
        expect![[r#"
            error: string literal is never closed
             --> <stdin>:1:7
              |
            1 | (echo "hello)
              |       ^^^^^^^
            help: close it with `"`

            1 file: 0 well-sorted, 1 with errors
        "#]],
    );
}

#[test]
fn a_duplicate_declaration_is_shown_at_the_second() {
    check(
        "(declare-const x Int)\n(declare-const x Int)\n",
        2,
        expect![[r#"
            error: `x` is declared already
             --> <stdin>:2:16
              |
            2 | (declare-const x Int)
              |                ^
            help: remove or rename one of them

            1 file: 0 well-sorted, 1 with errors
        "#]],
    );
}

#[test]
fn only_the_first_problems_are_shown() {
    let folder = folder("only_the_first_problems", &[("a.smt2", "(assert 1)\n".repeat(50).as_bytes())]);
    let outcome = smelt_in(&folder, &["check", "a.smt2"], b"");
    assert_eq!(outcome.stderr.matches("found `Int`").count(), 20);
    assert!(outcome.stderr.ends_with("error: and 30 more errors in `a.smt2`\n\n"), "{}", outcome.stderr);
}

#[test]
fn folders_are_searched_and_results_are_sorted() {
    let files: &[(&str, &[u8])] = &[
        ("b/2.smt2", b"(assert 1)"),
        ("b/1.smt2", b"(check-sat)"),
        ("a.smt2", b"(check-sat"),
        ("notes.txt", b"no SMT-LIB"),
    ];
    let folder = folder("folders_are_searched", files);
    let outcome = smelt_in(&folder, &["check", "--json", "."], b"");
    let files: Vec<String> = outcome
        .stdout
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            format!("{} {}", line["file"].as_str().unwrap(), line["ok"])
        })
        .collect();
    assert_eq!(files, ["./a.smt2 false", "./b/1.smt2 true", "./b/2.smt2 false"]);
    assert_eq!(outcome.status, 2);
    let outcome = smelt_in(&folder, &["check", "."], b"");
    assert_eq!(outcome.stdout, "3 files: 1 well-sorted, 2 with errors\n");
}

#[test]
fn the_output_does_not_depend_on_the_number_of_jobs() {
    let root = crate::support::root();
    let one = smelt_in(&root, &["check", "testdata/parse", "--jobs", "1"], b"");
    let many = smelt_in(&root, &["check", "testdata/parse", "--jobs", "8"], b"");
    assert_eq!(one, many);
}

#[test]
fn json_lines_have_the_documented_shape() {
    let source =
        "(set-logic QF_S)\n(declare-const x String)\n(assert (str.in.re x x))\n(assert (str.prefix x x))";
    let outcome = smelt_in(&std::env::temp_dir(), &["check", "--json", "-"], source.as_bytes());
    expect![[r#"
        {"file":"-","ok":false,"errors":[{"line":3,"column":22,"message":"`str.in_re` has signature `String RegLan -> Bool`, but argument 2 is a `String`","help":null,"kind":"sort"},{"line":4,"column":10,"message":"unknown operator `str.prefix`","help":"did you mean `str.prefixof`?","kind":"unknown-name"}],"logic":"QF_S","dialect":"2.5","terms":3,"opaque":2}
    "#]].assert_eq(&outcome.stdout);
    assert_eq!(outcome.stderr, "");
    assert_eq!(outcome.status, 2);
}

#[test]
fn opaque_terms_are_counted() {
    let source = b"(declare-fun f (Int) Int)(declare-fun f (Bool) Int)(assert (= (f 1) 2))";
    let outcome = smelt_in(&std::env::temp_dir(), &["check", "-"], source);
    assert_eq!(outcome.stdout, "1 file: 1 well-sorted, 1 of 4 terms opaque\n");
    assert_eq!(outcome.status, 0);
}

#[test]
fn good_scripts_are_the_same_after_printing_and_reading() {
    let outcome = smelt_in(&crate::support::root(), &["check", "--round-trip", "testdata/parse/ok"], b"");
    assert_eq!((outcome.stderr.as_str(), outcome.status), ("", 0));
}

#[test]
fn deep_nesting_needs_no_stack() {
    let depth = 200_000;
    let source =
        format!("(declare-const p Bool)\n(assert {}p{})\n", "(not ".repeat(depth), ")".repeat(depth));
    check(
        &source,
        0,
        expect![[r#"
            1 file: 1 well-sorted
        "#]],
    );
    let outcome = smelt_in(&std::env::temp_dir(), &["print", "-"], source.as_bytes());
    assert_eq!(outcome.stdout.len(), source.len());
}

#[test]
fn a_problem_in_a_very_long_line_is_shown_in_a_window() {
    let source =
        format!("(assert (and {} (= 1 \"a\") {}))\n", "true ".repeat(100_000), "true ".repeat(100_000));
    check(
        &source,
        2,
        expect![[r#"
            error: `=` has signature `A A -> Bool`, but argument 2 is a `String`
             --> <stdin>:1:500020
              |
            1 | ...rue true true true true true true  (= 1 "a") true true true true true true true true true true true ...
              |                                            ^^^

            1 file: 0 well-sorted, 1 with errors
        "#]],
    );
}

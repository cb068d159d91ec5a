//! `smelt eval`: formulas under models.

use expect_test::{Expect, expect};

use crate::support::{folder, smelt_in};

/// Checks what `smelt eval` says of a formula under a model.
fn check(test: &str, formula: &str, model: &str, status: i32, expect: Expect) {
    let files: &[(&str, &[u8])] = &[("a.smt2", formula.as_bytes()), ("a.model", model.as_bytes())];
    let folder = folder(test, files);
    let outcome = smelt_in(&folder, &["eval", "a.smt2", "--model", "a.model"], b"");
    expect.assert_eq(&format!("{}{}", outcome.stderr, outcome.stdout));
    assert_eq!(outcome.status, status);
}

const FORMULA: &str = "(declare-const x Int)\n(assert (< x 3))\n(assert (= (mod x 2) 1))\n";

#[test]
fn a_model_that_satisfies_the_formula() {
    check(
        "eval_true",
        FORMULA,
        "sat\n((define-fun x () Int 1))\n",
        0,
        expect![[r#"
            a.smt2: true
        "#]],
    );
}

#[test]
fn a_model_of_today_for_a_formula_in_the_old_dialect() {
    check(
        "eval_dialects",
        "(declare-const x String)\n(assert (str.in.re x (str.to.re \"\\x5ca\")))\n(assert (= (str.len x) 2))\n",
        "((define-fun x () String \"\\u{5c}a\"))",
        0,
        expect![[r#"
            a.smt2: true
        "#]],
    );
}

#[test]
fn a_dialect_that_no_operator_shows_can_be_told() {
    let formula = b"(declare-const x String)\n(assert (= (str.len x) 1))\n";
    let files: &[(&str, &[u8])] =
        &[("a.smt2", formula), ("a.model", b"((define-fun x () String \"\\x41\"))")];
    let folder = folder("eval_dialect_told", files);
    let evaluate = |more: &[&str]| {
        let args = [&["eval", "a.smt2", "--model", "a.model"], more].concat();
        smelt_in(&folder, &args, b"").status
    };
    assert_eq!(evaluate(&["--dialect", "2.5"]), 0);
    assert_eq!(evaluate(&["--dialect", "2.6"]), 1);
    assert_eq!(evaluate(&[]), 1);
}

#[test]
fn a_model_that_does_not_is_explained() {
    check(
        "eval_false",
        FORMULA,
        "((define-fun x () Int 2))",
        1,
        expect![[r#"
            a.smt2: false
              assertion 2 is false: (= (mod x 2) 1)
                (mod x 2) is 0
        "#]],
    );
}

#[test]
fn a_model_that_does_not_say_enough() {
    check(
        "eval_unknown",
        FORMULA,
        "()",
        1,
        expect![[r#"
            a.smt2: unknown
              assertion 1 is unknown: the model has no value for `x`
              assertion 2 is unknown: the model has no value for `x`
              no value in the model: x (--complete uses default values)
        "#]],
    );
}

#[test]
fn a_model_is_completed_only_on_request_and_that_is_said() {
    let formula = "(declare-const x Int)(declare-const |a b| String)(assert (= x 0))(assert (= |a b| \"\"))";
    let folder = folder("eval_complete", &[("a.smt2", formula.as_bytes()), ("a.model", b"()")]);
    let plain = smelt_in(&folder, &["eval", "a.smt2", "--model", "a.model"], b"");
    assert_eq!((plain.status, plain.stdout.lines().next()), (1, Some("a.smt2: unknown")));
    let completed = smelt_in(&folder, &["eval", "a.smt2", "--model", "a.model", "--complete"], b"");
    expect![[r#"
        a.smt2: true
          completed: the model has no value for x, |a b|; defaults were used
    "#]]
    .assert_eq(&completed.stdout);
    assert_eq!(completed.status, 0);
    let json = smelt_in(&folder, &["eval", "a.smt2", "--complete", "--json"], b"");
    assert!(json.stdout.contains(r#""missing":["x","|a b|"],"completed":true"#), "{}", json.stdout);
}

#[test]
fn a_symbol_that_no_assertion_needs_may_have_no_value() {
    check(
        "eval_needless",
        "(declare-const x Int)(declare-const b Bool)(assert (or b (= x 1)))",
        "((define-fun b () Bool true))",
        0,
        expect![[r#"
            a.smt2: true
        "#]],
    );
}

#[test]
fn an_ill_sorted_formula_is_bad_input() {
    check(
        "eval_ill_sorted",
        "(assert 1)",
        "()",
        2,
        expect![[r#"
            error: expected a term of sort `Bool`, found `Int`
             --> a.smt2:1:9
              |
            1 | (assert 1)
              |         ^

        "#]],
    );
}

#[test]
fn a_model_that_is_cut_off_is_bad_input() {
    check(
        "eval_cut_off",
        FORMULA,
        "((define-fun x () Int",
        2,
        expect![[r#"
            error: this parenthesis is never closed
             --> a.model:1:1
              |
            1 | ((define-fun x () Int
              | ^
            help: 2 closing parentheses missing before the end of the file

        "#]],
    );
}

#[test]
fn a_missing_model_is_bad_input() {
    let folder = folder("eval_missing", &[("a.smt2", FORMULA.as_bytes())]);
    let outcome = smelt_in(&folder, &["eval", "a.smt2", "--model", "b.model"], b"");
    expect![[r#"
        error: cannot read `b.model`: no such file or folder
        help: check the spelling of the path

    "#]]
    .assert_eq(&outcome.stderr);
    assert_eq!(outcome.status, 2);
}

#[test]
fn models_can_come_from_a_folder_and_results_as_json() {
    let files: &[(&str, &[u8])] = &[
        ("f/a.smt2", FORMULA.as_bytes()),
        ("f/b.smt2", FORMULA.as_bytes()),
        ("f/c.smt2", b"(assert 1)"),
        ("f/d.smt2", FORMULA.as_bytes()),
        ("m/a.model", b"((define-fun x () Int 1))"),
        ("m/b.model", b"((define-fun x () Int 4))"),
    ];
    let folder = folder("eval_folder", files);
    let outcome = smelt_in(&folder, &["eval", "f", "--model", "m", "--json"], b"");
    expect![[r#"
        {"file":"f/a.smt2","result":"true","assertions":["true","true"],"reasons":[],"missing":[],"completed":false}
        {"file":"f/b.smt2","result":"false","assertions":["false","false"],"reasons":[],"missing":[],"completed":false}
        {"file":"f/c.smt2","result":"unknown","assertions":[],"reasons":["expected a term of sort `Bool`, found `Int`"],"missing":[],"completed":false}
        {"file":"f/d.smt2","result":"unknown","assertions":[],"reasons":["cannot read model `m/d.model`: no such file or folder"],"missing":[],"completed":false}
    "#]].assert_eq(&outcome.stdout);
    assert_eq!(outcome.status, 2);
}

#[test]
fn a_model_can_come_from_standard_input_for_one_formula_only() {
    let folder = folder("eval_stdin", &[("a.smt2", FORMULA.as_bytes()), ("b.smt2", b"")]);
    let outcome = smelt_in(&folder, &["eval", "a.smt2", "--model", "-"], b"((define-fun x () Int 1))");
    assert_eq!((outcome.stdout.as_str(), outcome.status), ("a.smt2: true\n", 0));
    let outcome = smelt_in(&folder, &["eval", "a.smt2", "b.smt2", "--model", "-"], b"");
    assert_eq!(outcome.status, 2);
}

#[test]
fn a_dot_in_the_name_of_a_formula_belongs_to_the_name_of_its_model() {
    let files: &[(&str, &[u8])] =
        &[("f/a.1.smt2", FORMULA.as_bytes()), ("m/a.1.model", b"((define-fun x () Int 1))")];
    let folder = folder("eval_dots", files);
    let outcome = smelt_in(&folder, &["eval", "f", "--model", "m"], b"");
    assert_eq!(format!("{}{}", outcome.stderr, outcome.stdout), "f/a.1.smt2: true\n");
    assert_eq!(outcome.status, 0);
}

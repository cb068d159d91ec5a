//! `smelt solve` as clients see it.

use crate::Outcome;
use crate::{root, smelt_in};

fn smelt_with_input(args: &[&str], input: &str) -> Outcome {
    smelt_in(&root(), args, input.as_bytes())
}

#[test]
fn a_script_from_standard_input_is_answered() {
    let script = "(declare-const x String)(assert (= (str.len x) 2))(check-sat)(exit)(check-sat)";
    let output = smelt_with_input(&["solve", "-"], script);
    assert_eq!(output.stdout, "sat\n");
    assert_eq!(output.status, 0);
}

#[test]
fn an_error_is_answered_and_the_conversation_goes_on() {
    let output = smelt_with_input(&["solve"], "(assert (f))\n(echo \"on\")\n");
    assert!(output.stdout.starts_with("(error \"line 1 column"), "{}", output.stdout);
    assert!(output.stdout.ends_with("on\n"), "{}", output.stdout);
    assert_eq!(output.status, 2);
}

#[test]
fn an_unknown_logic_is_no_reason_to_give_up() {
    let output = smelt_with_input(&["solve"], "(set-logic QF_NONSENSE)\n(assert true)\n(check-sat)\n");
    assert_eq!((output.stdout.as_str(), output.status), ("unsupported\nsat\n", 0));
}

#[test]
fn an_unknown_rule_or_engine_is_named() {
    let output = smelt_with_input(&["solve", "--no-rewrite", "no-such-rule"], "");
    assert!(output.stderr.contains("`no-such-rule`"), "{}", output.stderr);
    let output = smelt_with_input(&["solve", "--engine", "no-such-engine"], "");
    assert!(output.stderr.contains("`no-such-engine`") && output.stderr.contains("guess"));
    assert_eq!(output.status, 2);
}

#[test]
fn statistics_count_rules() {
    let script = "(declare-const x String)(assert (= (str.++ x \"a\") (str.++ \"b\" \"a\")))(check-sat)";
    let output = smelt_with_input(&["solve", "--stats"], script);
    assert_eq!(output.stdout, "sat\n");
    assert!(output.stderr.contains("rewrite.fold-constants 1"), "{}", output.stderr);
}

//! Small formulas, and random ones against enumeration of short words and small numbers.

use super::LengthAbstraction;
use crate::engines::tests as random_formulas;
use crate::rewrite::rules::RULES;
use crate::solver::Options;
use crate::{Answer, Solver};

fn options(effort: u64) -> Options {
    Options {
        effort,
        engine: Some("length-abstraction"),
        // Rewriting would decide many of these before the engine sees them.
        disabled_rules: RULES.iter().map(|rule| rule.id.to_owned()).collect(),
        ..Options::default()
    }
}

fn solver(effort: u64) -> Solver {
    random_formulas::solver(options(effort))
}

fn check(assertions: &[&str], expected: Answer) {
    let mut solver = solver(2_000_000);
    for assertion in assertions {
        solver.assert_text(assertion).unwrap();
    }
    assert_eq!(solver.check(), expected, "{assertions:?}");
}

#[test]
fn lengths_refute_equations() {
    check(&[r#"(= (str.++ x x "a") (str.++ y y))"#], Answer::Unsat);
}

#[test]
fn languages_refute_each_other_at_all_lengths() {
    check(
        &[r#"(str.in_re x (re.* (str.to_re "ab")))"#, r#"(str.in_re x (re.+ (re.range "b" "z")))"#],
        Answer::Unsat,
    );
}

#[test]
fn a_written_number_has_digits_only() {
    check(&[r#"(str.contains (str.from_int i) "a")"#], Answer::Unsat);
    check(&[r#"(str.in_re (str.from_int i) (re.++ (str.to_re "0") (re.+ re.allchar)))"#], Answer::Unsat);
    check(&[r#"(str.in_re (str.from_int i) (re.++ (re.range "1" "3") (str.to_re "07")))"#], Answer::Sat);
}

#[test]
fn languages_travel_through_equations() {
    check(&[r#"(= x (str.++ "a" y))"#, r#"(str.in_re x (re.* (re.range "b" "z")))"#], Answer::Unsat);
}

#[test]
fn conjugates_have_the_lengths_of_their_period() {
    check(&[r#"(= (str.++ "ab" x) (str.++ x "ba"))"#, "(= (str.len x) (* 2 i))"], Answer::Unsat);
    check(
        &[r#"(= (str.++ "ab" x) (str.++ x "ba"))"#, "(= (str.len x) (+ 1 (* 2 i)))", "(> i 3)"],
        Answer::Sat,
    );
}

#[test]
fn a_suffix_is_the_part_of_its_length_at_the_end() {
    check(
        &[
            "(str.suffixof x y)",
            "(not (= x (str.substr y (- (str.len y) (str.len x)) (str.len x))))",
            "(> (str.len x) 0)",
        ],
        Answer::Unsat,
    );
}

#[test]
fn what_is_replaced_was_there() {
    check(&[r#"(not (= (str.replace x "a" "a") x))"#], Answer::Unsat);
    check(&[r#"(= (str.replace x y "ab") "b")"#, "(not (= x y))", "(= (str.len x) 1)"], Answer::Sat);
}

#[test]
fn a_lesson_is_right_for_empty_words() {
    // The lengths of a failed guess must not exclude the model with empty words (SMT-LIB strings, Z3str4 Theorem 1).
    check(&[r#"(= (str.++ x y x) (str.++ "a" x "b"))"#], Answer::Sat);
}

#[test]
fn numbers_and_numerals_agree() {
    check(&[r#"(= (str.to_int x) 12)"#, "(= (str.len x) 4)"], Answer::Sat);
    check(&[r#"(= (str.from_int i) "012")"#], Answer::Unsat);
}

#[test]
fn a_language_may_contain_an_unknown_word() {
    check(
        &[r#"(str.in_re x (re.++ (re.* re.allchar) (str.to_re y) (str.to_re "c")))"#, r#"(= y "ab")"#],
        Answer::Sat,
    );
}

#[test]
fn a_word_that_contains_itself_is_not_refuted() {
    let mut solver = solver(200_000);
    let assertions = [
        "(and (str.contains x y) (not (str.is_digit x)))",
        "(str.contains (ite (= x x) x y) x)",
        "(= (str.replace_all y y x) y)",
    ];
    for assertion in assertions {
        solver.assert_text(assertion).unwrap();
    }
    assert_ne!(solver.check(), Answer::Unsat);
}

#[test]
fn formulas_with_a_small_model_are_never_refuted() {
    let decided = random_formulas::check_random(1, 800, || options(30_000));
    assert!(decided.satisfiable > 150 && decided.unsatisfiable > 40, "{decided:?}");
}

#[test]
fn clauses_told_to_other_engines_hold_in_every_small_model() {
    let clauses = random_formulas::check_shared(2, 200, &LengthAbstraction);
    assert!(clauses > 50, "only {clauses} clauses");
}

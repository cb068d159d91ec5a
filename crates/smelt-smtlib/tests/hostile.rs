//! Texts made to break the reader: it reports what is wrong, in little stack, time and memory.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::{Reading, Scope, read_command, read_script};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::term::Terms;

/// Reads a script in a thread with little stack.
fn read(source: String) -> Reading {
    let reader = std::thread::Builder::new().stack_size(256 << 10);
    reader.spawn(move || read_script(&mut Terms::new(), &source)).unwrap().join().unwrap()
}

/// The first message about a script, or nothing.
fn first_message(source: String) -> String {
    read(source).diagnostics.first().map(|diagnostic| diagnostic.message.clone()).unwrap_or_default()
}

#[test]
fn qualified_names_inside_of_each_other_need_no_stack() {
    let depth = 100_000;
    let nested = format!("(assert ({}x{} y))", "(as ".repeat(depth), " Int)".repeat(depth));
    assert!(first_message(nested).contains("cannot be applied"));
}

#[test]
fn abbreviations_of_abbreviations_do_not_explode() {
    let mut source = String::from("(define-sort S0 () Int)\n");
    for number in 1..100 {
        let part = number - 1;
        source.push_str(&format!("(define-sort S{number} () (Array S{part} S{part}))\n"));
    }
    source.push_str("(declare-const x S99)(assert (= x 1))");
    assert_eq!(first_message(source), "this sort has more than 1000 parts");
}

#[test]
fn pairs_of_pairs_have_a_sort_that_is_not_written_out() {
    let mut source = String::from("(declare-datatype P (par (A B) ((pair (fst A) (snd B)))))\n(assert ");
    let depth = 100;
    source.push_str("(let ((x 1)) ");
    source.push_str(&"(let ((x (pair x x))) ".repeat(depth));
    source.push('x');
    source.push_str(&")".repeat(depth + 2));
    assert_eq!(first_message(source), "expected a term of sort `Bool`, found a very large sort");
}

#[test]
fn parameters_that_stand_for_each_other_end() {
    let source = "(declare-sort-parameter A)(declare-sort-parameter B)(declare-fun f (A B A) Bool)
        (define-fun g ((a A) (b B)) Bool (f b a 1))";
    assert_eq!(first_message(source.to_owned()), "argument 3 of `f` must have sort `B`, found `Int`");
}

#[test]
fn levels_do_not_add_up_without_end() {
    let reading = read("(push 1000000)".repeat(1_000));
    assert_eq!(reading.diagnostics.len(), 999);
    assert_eq!(reading.scope.depth(), 1_000_000);
}

#[test]
fn mistakes_inside_of_mistakes_do_not_keep_their_text() {
    let depth = 20_000;
    let reading = read(format!("(assert {}1{})", "(+ true ".repeat(depth), ")".repeat(depth)));
    assert_eq!(reading.diagnostics.len(), depth);
}

#[test]
fn names_with_line_breaks_are_quoted_in_one_line() {
    let source = "(declare-const |a\nb| Int)(declare-const |a\nb| Int)";
    assert_eq!(first_message(source.to_owned()), "`a b` is declared already");
}

#[test]
fn numerals_have_no_sign() {
    assert_eq!(first_message("(push +1)".to_owned()), "`push` has the form `(push levels)`");
    assert!(first_message("(declare-const x (_ BitVec +8))".to_owned()).contains("not `+8`"));
}

#[test]
fn finite_fields_print_as_they_are_read() {
    let mut terms = Terms::new();
    let source = "(declare-const x (_ FiniteField 5))\n";
    let script = read_script(&mut terms, source).script;
    assert_eq!(script_text(&mut terms, &script), source);
}

#[test]
fn names_are_suggested_for_the_first_mistakes_of_a_session_only() {
    let (mut terms, mut scope) = (Terms::new(), Scope::new());
    let mut suggestions = 0;
    for command in ["(asert true)", "(assert (and tru true))", "(declare-const x Strin)"].repeat(100) {
        let mut tape = Tape::new();
        Scanner::new(command).read(&mut tape).unwrap();
        let problems = read_command(&mut terms, &mut scope, command, &tape, Dialect::V26).unwrap_err();
        suggestions += problems.iter().filter(|problem| problem.help.is_some()).count();
    }
    assert_eq!(suggestions, 50);
}

#![allow(clippy::unwrap_used)]

use super::*;

/// Holds for scripts that contain all of some words; gives up after so many questions.
struct Contains {
    words: &'static [&'static str],
    patience: u64,
    smallest: String,
}

impl Criterion for Contains {
    fn judge(&mut self, script: &str) -> Judgement {
        if self.patience == 0 {
            return Judgement::Stop;
        }
        self.patience -= 1;
        let holds = self.words.iter().all(|word| script.contains(word));
        if holds { Judgement::Holds } else { Judgement::Fails }
    }

    fn progress(&mut self, script: &str, _: &Statistics) {
        self.smallest = script.to_owned();
    }
}

fn criterion(words: &'static [&'static str]) -> Contains {
    Contains { words, patience: u64::MAX, smallest: String::new() }
}

fn check(source: &str, words: &'static [&'static str], expected: &str) {
    let mut criterion = criterion(words);
    let reduced = reduce(source, &mut criterion).unwrap();
    assert_eq!(reduced.script.trim_end().replace('\n', " "), expected);
    assert!(reduced.is_finished);
    if reduced.statistics.accepted > 0 {
        assert_eq!(criterion.smallest, reduced.script);
    }
}

#[test]
fn commands_and_declarations_that_nobody_needs_go() {
    check(
        "(set-logic ALL)(declare-const x Int)(declare-const y Int)(assert (> x 1))(assert (distinct x y))\
         (assert (< y 2))(check-sat)(get-model)",
        &["distinct", "check-sat"],
        "(assert (distinct 0 0)) (check-sat)",
    );
}

#[test]
fn a_subterm_becomes_a_part_of_itself() {
    check(
        "(declare-const s String)(assert (= 1 (+ 2 (str.len (str.++ s (str.replace s \"abc\" \"b\"))))))(check-sat)",
        &["str.replace", "check-sat"],
        "(assert (= 0 (str.len (str.replace \"\" \"\" \"\")))) (check-sat)",
    );
}

#[test]
fn conjunctions_and_lets_are_taken_apart() {
    check(
        "(declare-const x Int)(assert (let ((y (+ x 1))) (and (> y 1) (or (= (mod y 3) 2) (< y 0)))))(check-sat)",
        &["mod", "check-sat"],
        "(assert (= (mod 0 0) 0)) (check-sat)",
    );
}

#[test]
fn quantified_variables_become_values() {
    check(
        "(assert (forall ((x Int) (y Int)) (or (> x y) (exists ((z Int)) (= (div x z) y)))))(check-sat)",
        &["div", "check-sat"],
        "(assert (= (div 0 0) 0)) (check-sat)",
    );
}

#[test]
fn literals_and_indices_become_smaller_and_names_shorter() {
    check(
        "(declare-const some_word String)(assert (str.in_re (str.++ some_word \"x\\u{e9}yz\") \
         ((_ re.loop 3 700) (str.to_re \"abcdef\"))))(check-sat)",
        &["re.loop", "declare-const", "\\u{e9}", "check-sat"],
        "(declare-const a String) (assert (str.in_re \"\\u{e9}\" ((_ re.loop 0 0) re.all))) (check-sat)",
    );
}

#[test]
fn without_time_the_best_so_far_is_the_result() {
    let source = "(declare-const x Int)(assert (> x 1))(assert (< x 2))(check-sat)";
    let mut stopped = Contains { patience: 3, ..criterion(&["check-sat"]) };
    let reduced = reduce(source, &mut stopped).unwrap();
    assert!(!reduced.is_finished);
    let mut never = Contains { patience: 0, ..criterion(&["check-sat"]) };
    assert_eq!(reduce(source, &mut never), Err(CannotReduce::NoTime));
}

#[test]
fn what_is_not_shown_at_first_is_not_reduced() {
    assert_eq!(reduce("(check-sat)", &mut criterion(&["assert"])), Err(CannotReduce::NotShown));
    let ill_formed = reduce("(assert (+ 1 true))", &mut criterion(&[]));
    assert!(matches!(ill_formed, Err(CannotReduce::IllFormed(_))));
}

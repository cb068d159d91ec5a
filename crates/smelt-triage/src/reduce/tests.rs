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
fn a_letter_that_does_not_matter_becomes_an_a() {
    for letter in ["B", "0", "z"] {
        let source = format!("(assert (str.<= \"{letter}\" \"\"))(check-sat)");
        let holds = |script: &str| script.contains("str.<=") && !script.contains("\"\" \"\"");
        let reduced = reduce(&source, &mut Sees { holds }).unwrap();
        assert_eq!(reduced.script, "(assert (str.<= \"a\" \"\"))\n");
    }
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

/// Holds for some scripts the first time only.
struct OnlyOnce {
    is_fickle: fn(&str) -> bool,
    seen: Vec<String>,
}

impl Criterion for OnlyOnce {
    fn judge(&mut self, script: &str) -> Judgement {
        let is_again = self.seen.iter().any(|seen| seen == script);
        self.seen.push(script.to_owned());
        let holds = script.contains("check-sat") && !(is_again && (self.is_fickle)(script));
        if holds { Judgement::Holds } else { Judgement::Fails }
    }

    fn progress(&mut self, _: &str, _: &Statistics) {}
}

#[test]
fn what_is_shown_now_and_then_is_not_reduced() {
    let mut criterion = OnlyOnce { is_fickle: |_| true, seen: Vec::new() };
    assert_eq!(reduce("(check-sat)", &mut criterion), Err(CannotReduce::Flaky));
}

#[test]
fn a_result_that_is_not_shown_again_gives_way_to_a_larger_one() {
    let source = "(declare-const x Int)(assert (> x 1))(check-sat)";
    let mut criterion = OnlyOnce { is_fickle: |script| !script.contains("declare-const"), seen: Vec::new() };
    let reduced = reduce(source, &mut criterion).unwrap();
    assert!(reduced.is_flaky);
    assert!(reduced.script.contains("declare-const"), "{}", reduced.script);
}

/// Judges several scripts at once.
struct Wide(Contains);

impl Criterion for Wide {
    fn judge(&mut self, script: &str) -> Judgement {
        self.0.judge(script)
    }

    fn width(&self) -> usize {
        4
    }

    fn judge_all(&mut self, scripts: &[&str]) -> Vec<Judgement> {
        assert!(scripts.len() <= 4);
        scripts.iter().map(|script| self.0.judge(script)).collect()
    }

    fn progress(&mut self, script: &str, statistics: &Statistics) {
        self.0.progress(script, statistics);
    }
}

#[test]
fn asking_several_questions_at_once_changes_nothing() {
    let source = "(declare-const x Int)(declare-const y Int)(assert (and (> x 1) (or (= (mod y 3) 2) (< (+ x y) 0))))\
         (assert (= (* x y) 12))(check-sat)(get-model)";
    let alone = reduce(source, &mut criterion(&["mod", "*", "check-sat"])).unwrap();
    let wide = reduce(source, &mut Wide(criterion(&["mod", "*", "check-sat"]))).unwrap();
    assert_eq!(alone.script, wide.script);
    assert!(wide.statistics.judged >= alone.statistics.judged);
}

#[test]
fn definitions_are_put_in_place() {
    check(
        "(define-fun f ((x Int)) Int (mod x 7))(define-const c Int (f 3))(assert (> (f c) 1))(check-sat)",
        &["mod", "assert", "check-sat"],
        "(assert (= (mod 0 0) 0)) (check-sat)",
    );
}

#[test]
fn a_constant_that_an_equation_defines_is_put_in_place() {
    check_rule(
        "(declare-const x Int)(declare-const y Int)(assert (= x (mod y 3)))(assert (< x y))(check-sat)",
        |script| {
            let is_together = script.contains("(< (mod");
            is_together || script.contains("(= x (mod") && script.contains("(< x")
        },
        "(assert (< (mod 0 0) 0))",
    );
}

/// Holds for scripts by any rule.
struct Sees {
    holds: fn(&str) -> bool,
}

impl Criterion for Sees {
    fn judge(&mut self, script: &str) -> Judgement {
        if (self.holds)(script) { Judgement::Holds } else { Judgement::Fails }
    }

    fn progress(&mut self, _: &str, _: &Statistics) {}
}

fn check_rule(source: &str, holds: fn(&str) -> bool, expected: &str) {
    let reduced = reduce(source, &mut Sees { holds }).unwrap();
    assert_eq!(reduced.script.trim_end().replace('\n', " "), expected);
}

#[test]
fn bit_vectors_become_narrow() {
    check_rule(
        "(declare-const x (_ BitVec 32))(assert (= (bvmul x #x0000000f) (bvadd x (_ bv3 32))))(check-sat)",
        |script| script.contains("(bvmul x") || script.contains("(bvmul a"),
        "(declare-const x (_ BitVec 1)) (assert (= (bvmul x #b0) #b0))",
    );
}

#[test]
fn floats_and_declared_sorts_become_simple() {
    check_rule(
        "(declare-sort Thing 0)(declare-const t Thing)(declare-const x (_ FloatingPoint 11 53))\
         (assert (fp.isNaN x))(assert (= t t))(check-sat)",
        |script| script.contains("(fp.isNaN x)") && script.contains("(= t t)"),
        "(declare-const t Bool) (declare-const x (_ FloatingPoint 5 11)) (assert (fp.isNaN x)) (assert (= t t))",
    );
}

#[test]
fn datatypes_lose_what_nobody_needs() {
    check_rule(
        "(declare-datatype List ((nil) (cons (head Int) (tail List)) (other)))(declare-const l List)\
         (assert ((_ is cons) l))(check-sat)",
        |script| script.contains("(_ is cons)"),
        "(declare-datatypes ((a 0)) (((cons)))) (declare-const l a) (assert ((_ is cons) l))",
    );
}

#[test]
fn a_push_goes_with_its_pop() {
    check(
        "(push 1)(assert false)(check-sat)(pop 1)(check-sat)",
        &["(assert false)", "check-sat"],
        "(assert false) (check-sat)",
    );
}

#[test]
fn a_large_term_that_no_value_can_stand_for_becomes_a_constant() {
    let source = "(declare-fun f (Int) String)(assert (= (str.len (str.++ (f 1) (f 2) (f 4))) 7))(check-sat)";
    // Neither a value nor a part will do, nor fewer arguments.
    check_rule(
        source,
        |script| {
            let uses = script.matches("(f ").count();
            script.contains("str.len") && !script.contains('"') && (uses == 3 || uses == 0)
        },
        "(declare-const a String) (assert (= (str.len a) 0))",
    );
}

/// The result and the number of questions.
fn count(source: &str, holds: fn(&str) -> bool) -> (String, u64) {
    let reduced = reduce(source, &mut Sees { holds }).unwrap();
    (reduced.script.trim_end().replace('\n', " "), reduced.statistics.judged)
}

#[test]
fn an_atom_that_does_it_alone_is_found_in_few_questions() {
    let parts: String = (0..40).map(|number| format!(" (or p{number} (= x{number} \"a\"))")).collect();
    let declared: String = (0..40)
        .map(|number| format!("(declare-const p{number} Bool)(declare-const x{number} String)"))
        .collect();
    let source = format!("{declared}(assert (ite p1 (or{parts}) (xor p2 (str.<= x1 x2))))(check-sat)");
    let (script, questions) =
        count(&source, |script| script.contains("str.<=") && script.contains("check-sat"));
    assert_eq!(script, "(assert (str.<= \"\" \"\")) (check-sat)");
    assert!(questions <= 25, "{questions}");
}

#[test]
fn other_names_are_no_reason_to_ask_everything_again() {
    let source = "(declare-fun long_name () Int)(assert (= (mod long_name 3) (div long_name 2)))(check-sat)";
    let needed = |script: &str| {
        let is_used = script.matches("long_name").count() == 3 || script.matches(" a").count() == 3;
        is_used && script.contains("mod") && script.contains("div") && script.contains("check-sat")
    };
    let (script, questions) = count(source, needed);
    assert_eq!(script, "(declare-const a Int) (assert (= (mod a 0) (div a 0))) (check-sat)");
    assert!(questions <= 30, "{questions}");
}

#[test]
fn connectives_lose_what_says_nothing_at_once() {
    let source = "(declare-const x Int)(assert (or (and true (< x 1) (not false) true) false (ite true (> x 2) (= x 3))))\
         (check-sat)";
    let needed = |script: &str| {
        script.contains("(< x 1)") && script.contains("(> x 2)") && script.contains("check-sat")
    };
    let (script, questions) = count(source, needed);
    assert_eq!(script, "(declare-const x Int) (assert (< x 1)) (assert (> x 2)) (check-sat)");
    assert!(questions <= 24, "{questions}");
}

/// Holds for scripts with some words, and counts the bytes that it is asked about.
struct Counting {
    words: &'static [&'static str],
    bytes: usize,
}

impl Criterion for Counting {
    fn judge(&mut self, script: &str) -> Judgement {
        self.bytes += script.len();
        let holds = self.words.iter().all(|word| script.contains(word));
        if holds { Judgement::Holds } else { Judgement::Fails }
    }

    fn progress(&mut self, _: &str, _: &Statistics) {}
}

/// Reduces a script that is nested deep, and checks that the questions are not much longer than the script together.
fn check_deep(source: &str, words: &'static [&'static str], expected: &str) {
    let mut counting = Counting { words, bytes: 0 };
    let reduced = reduce(source, &mut counting).unwrap();
    assert_eq!(reduced.script.trim_end().replace('\n', " "), expected);
    assert!(counting.bytes < 20 * source.len(), "{} bytes for {}", counting.bytes, source.len());
}

/// Deep, but not so deep that tests take long.
const DEPTH: usize = 3_000;

#[test]
fn a_deep_term_is_reduced_in_a_few_questions() {
    let (open, close) = ("(not ".repeat(DEPTH), ")".repeat(DEPTH));
    let source = format!("(declare-const p Bool)(assert {open}(or p (not p)){close})(check-sat)");
    check_deep(&source, &["(or", "check-sat"], "(assert (or true true)) (check-sat)");
}

#[test]
fn lets_inside_of_each_other_are_reduced_in_a_few_questions() {
    let mut source = String::from("(declare-const x0 Bool)(assert ");
    for number in 1..=DEPTH {
        source.push_str(&format!("(let ((x{number} (and x{0} x{0}))) ", number - 1));
    }
    source.push_str(&format!("x{DEPTH}{})(check-sat)", ")".repeat(DEPTH)));
    // The binding that is left is not put in the place of its body.
    let small = "(assert (let ((a (and true true))) true)) (check-sat)";
    check_deep(&source, &["(and", "check-sat"], small);
}

#[test]
fn sides_of_a_deep_term_are_found_without_their_ways_written_out() {
    let (open, close) = ("(or p (and q ".repeat(DEPTH / 2), "))".repeat(DEPTH / 2));
    let source =
        format!("(declare-const p Bool)(declare-const q Bool)(assert {open}(xor p q){close})(check-sat)");
    check_deep(&source, &["(xor", "check-sat"], "(assert (xor true true)) (check-sat)");
}

#[test]
fn a_criterion_that_has_no_time_left_ends_the_making_of_candidates() {
    /// Shows it as it is and never again, and makes so many candidates.
    struct Short(u32);
    impl Criterion for Short {
        fn judge(&mut self, _: &str) -> Judgement {
            Judgement::Holds
        }
        fn judge_all(&mut self, scripts: &[&str]) -> Vec<Judgement> {
            vec![Judgement::Fails; scripts.len()]
        }
        fn is_over(&mut self) -> bool {
            self.0 -= 1;
            self.0 == 0
        }
        fn progress(&mut self, _: &str, _: &Statistics) {}
    }
    let source = "(declare-const x Int)(assert (> x 1))(assert (< x 2))(assert (= x 3))(check-sat)";
    let reduced = reduce(source, &mut Short(4)).unwrap();
    assert!(!reduced.is_finished);
    assert_eq!(reduced.statistics.candidates, 3);
}

/// Holds if a check comes after a level with the assertion `p` was closed: a solver that keeps what it shall forget.
struct Outlives;

impl Criterion for Outlives {
    fn judge(&mut self, script: &str) -> Judgement {
        let mut levels: Vec<bool> = vec![false];
        let mut is_kept = false;
        for line in script.lines() {
            let count =
                |line: &str| line.trim_end_matches(')').rsplit(' ').next().unwrap().parse::<usize>().unwrap();
            match line {
                "(assert p)" => *levels.last_mut().unwrap() = true,
                "(check-sat)" if is_kept && !levels.contains(&true) => return Judgement::Holds,
                _ if line.starts_with("(push") => levels.resize(levels.len() + count(line), false),
                _ if line.starts_with("(pop") => {
                    let closed = levels.split_off(levels.len() - count(line));
                    is_kept |= closed.contains(&true);
                }
                _ => {}
            }
        }
        Judgement::Fails
    }

    fn progress(&mut self, _: &str, _: &Statistics) {}
}

#[test]
fn a_session_of_two_hundred_commands_with_one_fault_is_reduced_to_a_few() {
    let mut source = "(declare-const p Bool)\n(declare-const q Bool)\n".to_owned();
    let mut open = 0;
    for number in 0..200 {
        let command = match number % 7 {
            0 | 3 => "(push 1)",
            1 => "(assert q)",
            2 if number == 93 => "(assert p)",
            2 => "(assert (or p q))",
            4 => "(check-sat)",
            5 => "(check-sat-assuming (q (not p)))",
            _ if open > 2 => "(pop 2)",
            _ => "(assert (not q))",
        };
        open = match command {
            "(push 1)" => open + 1,
            "(pop 2)" => open - 2,
            _ => open,
        };
        source.push_str(command);
        source.push('\n');
    }
    source.push_str(&format!("(pop {open})\n(check-sat)\n"));
    let reduced = reduce(&source, &mut Outlives).unwrap();
    assert!(
        reduced.script.contains("(assert p)") && reduced.script.ends_with("(check-sat)\n"),
        "{}",
        reduced.script
    );
    assert!(reduced.script.lines().count() <= 6, "{}", reduced.script);
}

//! Small formulas for each check, bugs that other solvers had, and random formulas against enumeration of short words and
//! small numbers.

use crate::ablation::{Part, Parts};
use crate::engines::tests as random_formulas;
use crate::rewrite::rules::RULES;
use crate::solver::Options;
use crate::{Answer, Reason};

/// The engine alone, with as little preprocessing as possible.
fn options(effort: u64) -> Options {
    let parts = [Part::SolveEquations, Part::PropagateLiterals, Part::CutMemberships, Part::Unconstrained]
        .into_iter()
        .fold(Parts::all(), Parts::without);
    Options { effort, engine: Some("sequence"), parts, ..Options::default() }
}

/// Checks the answer, and that a check of the strategy ended some round.
fn check(assertions: &[&str], expected: Answer, used: Option<&str>) {
    check_with(options(3_000_000), assertions, expected, used);
}

fn check_with(options: Options, assertions: &[&str], expected: Answer, used: Option<&str>) {
    let mut solver = random_formulas::solver(options);
    for assertion in assertions {
        solver.assert_text(assertion).unwrap();
    }
    assert_eq!(solver.check(), expected, "{assertions:?}");
    if let Some(used) = used {
        let count = solver.statistics().get(&format!("sequence.{used}"));
        let counts: Vec<_> =
            solver.statistics().iter().map(|(name, count)| format!("{name} {count}")).collect();
        assert!(count > 0, "{used} had nothing to say about {assertions:?}: {counts:#?}");
    }
}

#[test]
fn classes_of_equal_variables_have_one_word() {
    check(
        &[r#"(or (= x "ab") (= x "ba"))"#, "(= x y)", r#"(or (= y "aa") (= y "bb"))"#],
        Answer::Unsat,
        Some("classes"),
    );
}

#[test]
fn evaluation_decides_functions_of_known_words() {
    check(
        &[
            r#"(or (= x "ab") (= x "ba"))"#,
            r#"(= (str.replace_all x "a" y) "cb")"#,
            r#"(or (= y "") (= y "d"))"#,
        ],
        Answer::Unsat,
        Some("evaluation"),
    );
}

#[test]
fn flat_forms_are_equal_piece_by_piece() {
    check(
        &[r#"(= (str.++ x "a" y) (str.++ y "b" x))"#, "(= (str.len x) (str.len y))", "b"],
        Answer::Unsat,
        None,
    );
}

#[test]
fn a_word_inside_of_itself_leaves_nothing_around_it() {
    check(&[r#"(= x (str.++ y x "a"))"#], Answer::Unsat, None);
    check(&["(= x (str.++ y x))", "(not (= y \"\"))"], Answer::Unsat, None);
}

#[test]
fn order_has_no_cycles() {
    check(
        &["(str.< x y)", r#"(str.<= y (str.++ x ""))"#, r#"(or b (= (str.len x) i))"#],
        Answer::Unsat,
        None,
    );
}

#[test]
fn letters_with_one_code_are_equal() {
    check(
        &["(= (str.to_code x) (str.to_code y))", "(> (str.to_code x) i)", "(>= i 0)", "(not (= x y))"],
        Answer::Unsat,
        Some("order"),
    );
}

#[test]
fn languages_of_one_variable_meet() {
    check(
        &[r#"(str.in_re x (re.* (str.to_re "ab")))"#, r#"(str.in_re x (re.+ (re.range "b" "z")))"#],
        Answer::Unsat,
        Some("languages"),
    );
}

#[test]
fn normal_forms_of_a_class_agree() {
    check(
        &[r#"(= x (str.++ "a" y "c"))"#, r#"(or (= x (str.++ y "b")) (= x (str.++ y "bb")))"#],
        Answer::Unsat,
        None,
    );
}

#[test]
fn simplification_uses_what_arguments_are_made_of() {
    check(
        &[r#"(= x (str.++ "a" y))"#, r#"(not (= (str.replace x "a" "b") (str.++ "b" y)))"#],
        Answer::Unsat,
        None,
    );
}

#[test]
fn congruence_gives_functions_of_equal_words_one_value() {
    check(&["(= x (str.++ y y))", "(not (= (str.to_int x) (str.to_int (str.++ y y))))"], Answer::Unsat, None);
}

#[test]
fn memberships_of_concatenations_are_cut() {
    check_with(
        Options { parts: Parts::all(), ..options(3_000_000) },
        &[r#"(not (= (str.contains (str.replace x y "") "A") (str.contains (str.replace x y "B") "A")))"#],
        Answer::Unsat,
        Some("memberships"),
    );
}

#[test]
fn reductions_say_that_the_first_occurrence_is_the_first() {
    check(
        &[r#"(= (str.replace x "ab" "") y)"#, r#"(str.contains x "ab")"#, r#"(not (str.contains x "b"))"#],
        Answer::Unsat,
        None,
    );
}

#[test]
fn words_are_found_by_lengths() {
    check(&[r#"(= (str.++ x y x) (str.++ "a" x "b"))"#], Answer::Sat, Some("words"));
}

#[test]
fn what_other_solvers_got_wrong_is_right() {
    let cases: &[(&[&str], bool)] = &[
        (&[r#"(= "" (str.replace "" x "B"))"#, r#"(not (= x ""))"#], true),
        (&[r#"(= x (str.replace "A" x ""))"#], false),
        (&[r#"(= (str.indexof x "" (* 2 (str.len x))) i)"#, "(> i 0)"], false),
        (&[r#"(= (str.indexof (str.substr x 5 2) "" i) i)"#, "(= (str.len x) 2)", "(= i 0)"], true),
        (&[r#"(= (str.from_int i) "00")"#], false),
        (&["(= (str.to_int x) 1)", r#"(= x "2")"#], false),
        (&[r#"(str.in_re x (re.+ (re.range "0" "9")))"#, "(< (str.to_int x) 0)"], false),
        (
            &[r#"(str.in_re x (re.+ (re.range "0" "9")))"#, "(> (str.len x) 20)", "(< (str.to_int x) 0)"],
            false,
        ),
        (&[r#"(= (str.++ x "aa" x "ab" x) (str.++ "a" x x "aabaa"))"#], true),
        (&[r#"(= x (str.substr x (str.indexof x " " 1) 2))"#], true),
        (&[r#"(= (str.len (str.replace_all x "ab" "c")) i)"#, "(> i (str.len x))"], false),
        (&[r#"(= y (str.replace_all x "" "d"))"#, "(not (= x y))"], false),
        (&["(not (= (str.from_code (str.to_code x)) x))", "(= (str.len x) 1)"], false),
        (&["(= (str.from_code (str.to_code x)) x)", "(= (str.len x) 2)"], false),
        (&[r#"(= (str.to_code x) 196607)"#], true),
        (&[r#"(= (str.replace x "aba" "b") "ab")"#, r#"(= (str.len x) 4)"#], true),
    ];
    for (assertions, has_model) in cases {
        let expected = if *has_model { Answer::Sat } else { Answer::Unsat };
        check(assertions, expected, None);
    }
}

#[test]
fn the_engine_gives_up_only_with_the_part_that_says_so() {
    // An odd last digit and an even number: refuted anew for every length.
    let assertions =
        [r#"(str.in_re x (re.++ (re.* (re.range "0" "9")) (str.to_re "1")))"#, "(= (str.to_int x) (* 2 i))"];
    let answer = |parts: Parts, effort: u64| {
        let mut solver = random_formulas::solver(Options { parts, ..options(effort) });
        for assertion in assertions {
            solver.assert_text(assertion).unwrap();
        }
        solver.check()
    };
    let parts = options(0).parts;
    assert!(matches!(answer(parts, 20_000_000), Answer::Unknown(Reason::Incomplete(_))));
    assert_eq!(answer(parts.without(Part::Difficulty), 300_000), Answer::Unknown(Reason::Effort));
}

#[test]
fn formulas_with_a_small_model_are_never_refuted() {
    let decided = random_formulas::check_random(2, 600, || options(30_000));
    assert!(decided.satisfiable > 100 && decided.unsatisfiable > 40, "{decided:?}");
}

#[test]
fn formulas_with_a_small_model_are_never_refuted_without_rewriting() {
    let disabled_rules: Vec<String> = RULES.iter().map(|rule| rule.id.to_owned()).collect();
    let decided = random_formulas::check_random(3, 600, || Options {
        disabled_rules: disabled_rules.clone(),
        ..options(30_000)
    });
    assert!(decided.satisfiable > 100 && decided.unsatisfiable > 30, "{decided:?}");
}

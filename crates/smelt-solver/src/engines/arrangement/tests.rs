//! Small formulas, and random ones against enumeration of short words and small numbers.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;

use crate::ablation::{Part, Parts};
use crate::rewrite::rules::RULES;
use crate::solver::Options;
use crate::{Answer, Reason, Solver};

const VARS: &[&str] = &["x", "y", "z"];
const WORDS: &[&str] = &["", "a", "b", "aa", "ab", "ba", "bb", "aab", "aba", "bab", "abb"];

fn solver(effort: u64, parts: Parts) -> Solver {
    let mut solver = Solver::with_options(Options {
        effort,
        engine: Some("arrangement"),
        // Rewriting and solving would decide many of these before the engine sees them.
        disabled_rules: RULES.iter().map(|rule| rule.id.to_owned()).collect(),
        parts,
        ..Options::default()
    });
    for name in VARS {
        solver.declare(name, "String").unwrap();
    }
    solver
}

/// The engine with arrangements and the backend only.
fn plain_parts() -> Parts {
    [Part::SolveEquations, Part::PropagateLiterals, Part::Unconstrained, Part::WordEquations]
        .into_iter()
        .fold(Parts::all(), Parts::without)
}

fn check_with(parts: Parts, assertions: &[&str], expected: Answer) {
    let mut solver = solver(2_000_000, parts);
    for assertion in assertions {
        solver.assert_text(assertion).unwrap();
    }
    assert_eq!(solver.check(), expected, "{assertions:?}");
}

fn check(assertions: &[&str], expected: Answer) {
    check_with(plain_parts(), assertions, expected);
}

#[test]
fn words_clash_in_every_order_of_lengths() {
    check(
        &[r#"(= (str.++ x "a" y) (str.++ z "b"))"#, r#"(= (str.++ z "b") (str.++ x "c" y))"#],
        Answer::Unsat,
    );
}

#[test]
fn a_variable_may_end_within_a_word() {
    check(&[r#"(= (str.++ x "b" y) (str.++ "aab" z))"#, "(= (str.len x) 1)"], Answer::Unsat);
    check(&[r#"(= (str.++ x "b" y) (str.++ "aab" z))"#, "(= (str.len x) 2)"], Answer::Sat);
}

#[test]
fn equations_are_split_from_the_back_too() {
    check(
        &[r#"(= (str.++ x y "ab") (str.++ y x z))"#, r#"(= (str.len z) 2)"#, r#"(not (= z "ab"))"#],
        Answer::Unsat,
    );
}

#[test]
fn the_same_arrangement_makes_different_words_equal() {
    check(&["(= (str.++ x y) (str.++ z x))", "(= (str.len x) (str.len z))", "(not (= x z))"], Answer::Unsat);
    check(&["(= (str.++ x y) (str.++ z x))", "(not (= x z))"], Answer::Sat);
}

#[test]
fn a_part_that_an_arrangement_puts_there_is_contained() {
    check(&["(= x (str.++ y z))", "(not (str.contains x z))"], Answer::Unsat);
    check(&["(= x (str.++ y z))", "(not (str.prefixof y x))"], Answer::Unsat);
    check(&["(= x (str.++ y z))", "(not (str.suffixof z x))"], Answer::Unsat);
    check(&["(= x (str.++ y z))", "(not (str.suffixof y x))"], Answer::Sat);
}

#[test]
fn languages_hold_for_the_parts_of_an_arrangement() {
    check(
        &[
            r#"(= (str.++ x y) (str.++ "ab" z))"#,
            r#"(str.in_re z (re.* (re.range "a" "b")))"#,
            r#"(str.in_re y (re.+ (re.range "c" "d")))"#,
            "(> (str.len x) 2)",
        ],
        Answer::Unsat,
    );
}

#[test]
fn a_part_of_a_text_may_have_a_language_of_its_own() {
    check(
        &[
            r#"(str.in_re (str.++ x y z) (re.* (re.range "a" "u")))"#,
            r#"(not (str.in_re (str.++ x y) (re.* (re.range "a" "u"))))"#,
        ],
        Answer::Unsat,
    );
}

#[test]
fn nielsen_words_are_taken_where_only_equations_matter() {
    check(&[r#"(= (str.++ x "abbc" y) (str.++ y "cbba" x))"#], Answer::Sat);
}

#[test]
fn an_equation_that_comes_back_to_itself_is_no_contradiction() {
    check(&[r#"(= (str.++ x "ab") (str.++ "ab" x))"#, "(> (str.len x) 6)"], Answer::Sat);
    check(&["(= (str.++ x y z) (str.++ z y x))", "(> (str.len x) (str.len y) (str.len z) 1)"], Answer::Sat);
    check(&[r#"(= (str.++ x "a") (str.++ "b" x))"#], Answer::Unsat);
}

#[test]
fn an_equation_that_overlaps_itself_through_a_definition_is_not_unrolled() {
    check(
        &[r#"(= (str.++ x "dcb" y "a" z) (str.++ y "bcd" x z "a"))"#, "(> (str.len x) 16000)"],
        Answer::Sat,
    );
}

#[test]
fn empty_variables_are_not_forgotten() {
    // The lengths of a failed guess must not exclude the model with empty words (Z3str4, Theorem 1).
    check(&[r#"(= (str.++ x y x) (str.++ "a" x "b"))"#], Answer::Sat);
    // Z3 issue 3100: x is aa.
    check(&[r#"(= (str.++ x "aa" x "ab" x) (str.++ "a" x x "aabaa"))"#], Answer::Sat);
    check(&["(= (str.++ x x) (str.++ x y z))", "(= (str.++ y z y) z)"], Answer::Sat);
}

#[test]
fn a_solved_form_gives_words_without_the_backend() {
    let parts = plain_parts().without(Part::ArrangementWords);
    check_with(parts, &[r#"(= (str.++ x "b" y) (str.++ "aab" z))"#, "(> (str.len y) 3)"], Answer::Sat);
    check_with(parts, &[r#"(= (str.++ x "a" y) (str.++ z "b"))"#, r#"(= z (str.++ x "b"))"#], Answer::Unsat);
}

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.0.random_range(0..items.len())]
    }

    fn text(&mut self) -> String {
        let mut pieces = Vec::new();
        for _ in 0..self.0.random_range(1..=5) {
            pieces.push(match self.0.random_range(0..3) {
                0 => format!("\"{}\"", self.pick(WORDS)),
                _ => self.pick(VARS).to_owned(),
            });
        }
        format!("(str.++ \"\" {})", pieces.join(" "))
    }

    fn atom(&mut self) -> String {
        match self.0.random_range(0..14) {
            0..=7 => format!("(= {} {})", self.text(), self.text()),
            8 => format!("(not (= {} {}))", self.text(), self.text()),
            9 => format!(
                "({} (str.len {}) {})",
                self.pick(&["=", "<", ">="]),
                self.text(),
                self.0.random_range(0..4)
            ),
            10 => format!("(not (str.contains {} {}))", self.text(), self.text()),
            11 => format!("(not (str.prefixof {} {}))", self.text(), self.text()),
            12 => {
                format!("(str.in_re {} (re.* (re.union (str.to_re \"ab\") (str.to_re \"b\"))))", self.text())
            }
            _ => format!("(or {} {})", self.atom(), self.atom()),
        }
    }
}

/// Whether some short words satisfy the assertions.
fn has_small_model(assertions: &[String]) -> bool {
    let mut solver = solver(0, Parts::all());
    let terms: Vec<_> = assertions.iter().map(|assertion| solver.term(assertion).unwrap()).collect();
    let names: Vec<_> = VARS.iter().map(|name| solver.terms.symbols.intern(name)).collect();
    let words: Vec<_> = WORDS.iter().map(|word| solver.term(&format!("\"{word}\"")).unwrap()).collect();
    let environment = Environment::default();
    for x in &words {
        for y in &words {
            for z in &words {
                let mut model = Model::new();
                for (name, value) in names.iter().zip([x, y, z]) {
                    model.set(&solver.terms, *name, *value);
                }
                let mut evaluator = Evaluator::new(&solver.terms, &environment, &model);
                if terms.iter().all(|term| evaluator.eval(*term) == Ok(Value::Bool(true))) {
                    return true;
                }
            }
        }
    }
    false
}

fn check_random(seed: u64, count: usize, parts: Parts) -> (usize, usize) {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(seed));
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    for _ in 0..count {
        let assertions: Vec<String> = (0..random.0.random_range(1..=3)).map(|_| random.atom()).collect();
        let mut solver = solver(30_000, parts);
        for assertion in &assertions {
            solver.assert_text(assertion).unwrap();
        }
        match solver.check() {
            Answer::Sat => satisfiable += 1,
            Answer::Unsat => {
                unsatisfiable += 1;
                assert!(!has_small_model(&assertions), "{assertions:#?}");
            }
            Answer::Unknown(Reason::FailedModelCheck(what)) => panic!("{what}: {assertions:#?}"),
            Answer::Unknown(_) => {}
        }
    }
    (satisfiable, unsatisfiable)
}

#[test]
fn formulas_with_a_small_model_are_never_refuted() {
    let (satisfiable, unsatisfiable) = check_random(1, 600, plain_parts());
    assert!(satisfiable > 200 && unsatisfiable > 100, "{satisfiable} sat, {unsatisfiable} unsat");
}

#[test]
fn formulas_with_a_small_model_are_never_refuted_without_the_backend() {
    let (satisfiable, unsatisfiable) = check_random(2, 300, plain_parts().without(Part::ArrangementWords));
    assert!(satisfiable > 0 && unsatisfiable > 0, "{satisfiable} sat, {unsatisfiable} unsat");
}

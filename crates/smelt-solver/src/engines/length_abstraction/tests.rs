//! Small formulas, and random ones against enumeration of short words and small numbers.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::term::Term;

use super::*;
use crate::effort::Effort;
use crate::log::Log;
use crate::parts::Parts;
use crate::rewrite::Rewriter;
use crate::rewrite::rules::RULES;
use crate::solver::Options;
use crate::statistics::Statistics;
use crate::{Answer, Solver};

const DECLARATIONS: &[(&str, &str)] = &[("x", "String"), ("y", "String"), ("i", "Int"), ("b", "Bool")];
const WORDS: &[&str] = &["", "a", "b", "0", "aa", "ab", "ba", "bb", "a0", "12", "aba", "bab", "abb"];
const NUMBERS: &[&str] = &["(- 1)", "0", "1", "2", "3", "12", "97"];

fn solver(effort: u64) -> Solver {
    let mut solver = Solver::with_options(Options {
        effort,
        engine: Some("length-abstraction"),
        // Rewriting would decide many of these before the engine sees them.
        disabled_rules: RULES.iter().map(|rule| rule.id.to_owned()).collect(),
        ..Options::default()
    });
    for (name, sort) in DECLARATIONS {
        solver.declare(name, sort).unwrap();
    }
    solver
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

/// Random formulas over all operators that the abstraction knows.
struct Random(Xoshiro256PlusPlus);

impl Random {
    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.0.random_range(0..items.len())]
    }

    fn string(&mut self, depth: usize) -> String {
        if depth == 0 || self.0.random_bool(0.3) {
            return match self.0.random_range(0..4) {
                0 | 1 => "x".to_owned(),
                2 => "y".to_owned(),
                _ => format!("\"{}\"", self.pick(WORDS)),
            };
        }
        let d = depth - 1;
        match self.0.random_range(0..9) {
            0 | 1 => format!("(str.++ {} {})", self.string(d), self.string(d)),
            2 => format!("(str.substr {} {} {})", self.string(d), self.int(d), self.int(d)),
            3 => format!("(str.at {} {})", self.string(d), self.int(d)),
            4 => format!("(str.replace {} {} {})", self.string(d), self.string(d), self.string(d)),
            5 => format!("(str.replace_all {} {} {})", self.string(d), self.string(d), self.string(d)),
            6 => format!("(str.from_int {})", self.int(d)),
            7 => format!("(str.from_code {})", self.int(d)),
            _ => format!("(ite {} {} {})", self.bool(d), self.string(d), self.string(d)),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.0.random_bool(0.3) {
            return if self.0.random_bool(0.5) { "i".to_owned() } else { self.pick(NUMBERS).to_owned() };
        }
        let d = depth - 1;
        match self.0.random_range(0..9) {
            0 | 1 => format!("(str.len {})", self.string(d)),
            2 => format!("(str.indexof {} {} {})", self.string(d), self.string(d), self.int(d)),
            3 => format!("(str.to_int {})", self.string(d)),
            4 => format!("(str.to_code {})", self.string(d)),
            5 => format!("(+ {} {})", self.int(d), self.int(d)),
            6 => format!(
                "({} {} {})",
                self.pick(&["div", "mod"]),
                self.int(d),
                self.pick(&["2", "3", "(- 2)"])
            ),
            7 => format!("(abs {})", self.int(d)),
            _ => format!("(ite {} {} {})", self.bool(d), self.int(d), self.int(d)),
        }
    }

    fn regex(&mut self, depth: usize) -> String {
        if depth == 0 || self.0.random_bool(0.3) {
            return match self.0.random_range(0..5) {
                0 => "re.allchar".to_owned(),
                1 => "(re.range \"a\" \"b\")".to_owned(),
                2 => "re.all".to_owned(),
                _ => format!("(str.to_re \"{}\")", self.pick(WORDS)),
            };
        }
        let d = depth - 1;
        match self.0.random_range(0..6) {
            0 => format!("(re.++ {} {})", self.regex(d), self.regex(d)),
            1 => format!("(re.union {} {})", self.regex(d), self.regex(d)),
            2 => format!("(re.inter {} {})", self.regex(d), self.regex(d)),
            3 => format!("(re.* {})", self.regex(d)),
            4 => format!("(re.comp {})", self.regex(d)),
            _ => format!("((_ re.loop 1 2) {})", self.regex(d)),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.0.random_range(0..15) {
            0 => "b".to_owned(),
            1..=3 => format!("(= {} {})", self.string(d), self.string(d)),
            4 => format!("(= {} {})", self.int(d), self.int(d)),
            5 => format!("(<= {} {})", self.int(d), self.int(d)),
            6 => format!("(str.prefixof {} {})", self.string(d), self.string(d)),
            7 => format!("(str.suffixof {} {})", self.string(d), self.string(d)),
            8 => format!("(str.contains {} {})", self.string(d), self.string(d)),
            9 | 10 => format!("(str.in_re {} {})", self.string(d), self.regex(2)),
            11 => format!("(str.< {} {})", self.string(d), self.string(d)),
            12 if depth > 0 => format!("(or {} {})", self.bool(d), self.bool(d)),
            13 if depth > 0 => format!("(and {} {})", self.bool(d), self.bool(d)),
            _ if depth > 0 => format!("(not {})", self.bool(d)),
            _ => format!("(str.is_digit {})", self.string(d)),
        }
    }
}

/// Calls `visit` with the values of terms for all short words and small numbers, until it returns false.
fn all_small_models(solver: &mut Solver, terms: &[Term], mut visit: impl FnMut(&[bool]) -> bool) {
    let names: Vec<_> = DECLARATIONS.iter().map(|(name, _)| solver.terms.symbols.intern(name)).collect();
    let strings: Vec<_> = WORDS.iter().map(|word| solver.term(&format!("\"{word}\"")).unwrap()).collect();
    let numbers: Vec<_> = NUMBERS.iter().map(|number| solver.term(number).unwrap()).collect();
    let truths = [solver.term("true").unwrap(), solver.term("false").unwrap()];
    let environment = Environment::default();
    for x in &strings {
        for y in &strings {
            for i in &numbers {
                for b in &truths {
                    let mut model = Model::new();
                    for (name, value) in names.iter().zip([x, y, i, b]) {
                        model.set(&solver.terms, *name, *value);
                    }
                    let mut evaluator = Evaluator::new(&solver.terms, &environment, &model);
                    let holds = |term: &Term| evaluator.eval(*term) == Ok(Value::Bool(true));
                    if !visit(&terms.iter().map(holds).collect::<Vec<bool>>()) {
                        return;
                    }
                }
            }
        }
    }
}

/// Whether some short words and small numbers satisfy the assertions.
fn has_small_model(assertions: &[String]) -> bool {
    let mut solver = solver(0);
    let terms: Vec<_> = assertions.iter().map(|assertion| solver.term(assertion).unwrap()).collect();
    let mut is_found = false;
    all_small_models(&mut solver, &terms, |holds| {
        is_found = holds.iter().all(|holds| *holds);
        !is_found
    });
    is_found
}

#[test]
fn clauses_told_to_other_engines_hold_in_every_small_model() {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(2));
    let mut clauses = 0;
    for _ in 0..200 {
        let texts: Vec<String> = (0..random.0.random_range(1..=3)).map(|_| random.bool(2)).collect();
        let mut solver = solver(0);
        let assertions: Vec<Term> = texts.iter().map(|text| solver.term(text).unwrap()).collect();
        let problem = Problem { assertions };
        let mut shared = Vec::new();
        let mut ctx = Context {
            terms: &mut solver.terms,
            rewriter: &mut Rewriter::new(),
            effort: &mut Effort::of(20_000),
            statistics: &mut Statistics::new(),
            parts: Parts::all(),
            log: &mut Log::silent(),
            shared: &mut shared,
        };
        LengthAbstraction.solve(&mut ctx, &problem);
        clauses += shared.len();
        if shared.is_empty() {
            continue;
        }
        let terms: Vec<Term> = problem.assertions.iter().chain(&shared).copied().collect();
        all_small_models(&mut solver, &terms, |holds| {
            let (assertions, clauses) = holds.split_at(problem.assertions.len());
            let follows = clauses.iter().all(|holds| *holds) || assertions.contains(&false);
            assert!(follows, "{texts:#?} do not imply all of {shared:?}: {clauses:?}");
            true
        });
    }
    assert!(clauses > 50, "only {clauses} clauses");
}

#[test]
fn formulas_with_a_small_model_are_never_refuted() {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    for _ in 0..800 {
        let assertions: Vec<String> = (0..random.0.random_range(1..=3)).map(|_| random.bool(2)).collect();
        let mut solver = solver(30_000);
        for assertion in &assertions {
            solver.assert_text(assertion).unwrap();
        }
        match solver.check() {
            Answer::Sat => satisfiable += 1,
            Answer::Unsat => {
                unsatisfiable += 1;
                assert!(!has_small_model(&assertions), "{assertions:#?}");
            }
            Answer::Unknown(crate::Reason::FailedModelCheck(what)) => panic!("{what}: {assertions:#?}"),
            Answer::Unknown(_) => {}
        }
    }
    assert!(satisfiable > 150 && unsatisfiable > 40, "{satisfiable} sat, {unsatisfiable} unsat");
}

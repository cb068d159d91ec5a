//! For tests: random formulas over all operators that engines know, and enumeration of short words and small numbers.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::term::Term;

use super::{Context, Engine, Problem};
use crate::ablation::Parts;
use crate::effort::Effort;
use crate::log::Log;
use crate::model_cache::Earlier;
use crate::proof::record::Recorder;
use crate::rewrite::Rewriter;
use crate::solver::Options;
use crate::statistics::Statistics;
use crate::{Answer, Reason, Solver};

/// The constants of the formulas.
pub(crate) const DECLARATIONS: &[(&str, &str)] =
    &[("x", "String"), ("y", "String"), ("i", "Int"), ("b", "Bool")];
const WORDS: &[&str] = &["", "a", "b", "0", "aa", "ab", "ba", "bb", "a0", "12", "aba", "bab", "abb"];
const NUMBERS: &[&str] = &["(- 1)", "0", "1", "2", "3", "12", "97"];

/// How many formulas were found to have a model, and how many to have none.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) satisfiable: usize,
    pub(crate) unsatisfiable: usize,
}

/// Solves random formulas and makes sure that none with a small model is refuted.
pub(crate) fn check_random(seed: u64, count: usize, options: impl Fn() -> Options) -> Decided {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(seed));
    let mut decided = Decided { satisfiable: 0, unsatisfiable: 0 };
    for _ in 0..count {
        let assertions: Vec<String> = (0..random.0.random_range(1..=3)).map(|_| random.bool(2)).collect();
        let mut solver = solver(options());
        for assertion in &assertions {
            solver.assert_text(assertion).unwrap();
        }
        match solver.check() {
            Answer::Sat => decided.satisfiable += 1,
            Answer::Unsat => {
                decided.unsatisfiable += 1;
                assert!(!has_small_model(&assertions), "{assertions:#?}");
            }
            Answer::Unknown(Reason::FailedModelCheck(what)) => panic!("{what}: {assertions:#?}"),
            Answer::Unknown(_) => {}
        }
    }
    decided
}

/// A solver that knows the constants of the formulas.
pub(crate) fn solver(options: Options) -> Solver {
    let mut solver = Solver::with_options(options);
    for (name, sort) in DECLARATIONS {
        solver.declare(name, sort).unwrap();
    }
    solver
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

/// Has an engine work on random formulas for a while, and makes sure that all clauses that it tells others hold in every
/// small model of the formula. Gives the number of clauses.
pub(crate) fn check_shared(seed: u64, count: usize, engine: &dyn Engine) -> usize {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(seed));
    let mut clauses = 0;
    for _ in 0..count {
        let texts: Vec<String> = (0..random.0.random_range(1..=3)).map(|_| random.bool(2)).collect();
        let mut solver = solver(Options::default());
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
            recorder: &mut Recorder::off(),
            shared: &mut shared,
            earlier: &mut Earlier::default(),
        };
        engine.solve(&mut ctx, &problem);
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
    clauses
}

/// Whether some short words and small numbers satisfy the assertions.
fn has_small_model(assertions: &[String]) -> bool {
    let mut solver = solver(Options::default());
    let terms: Vec<Term> = assertions.iter().map(|assertion| solver.term(assertion).unwrap()).collect();
    let mut is_found = false;
    all_small_models(&mut solver, &terms, |holds| {
        is_found = holds.iter().all(|holds| *holds);
        !is_found
    });
    is_found
}

/// Calls `visit` with whether terms hold, for all short words and small numbers, until it returns false.
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

#[test]
fn terms_that_there_was_no_room_to_flatten_are_solved_rightly() {
    let rules = ["concat-flatten", "concat-merge-literals", "and-flatten", "or-flatten", "fold-constants"];
    let disabled: Vec<String> = rules.map(str::to_owned).to_vec();
    for engine in super::ENGINES {
        let options = || Options {
            effort: 20_000,
            engine: Some(engine.name()),
            disabled_rules: disabled.clone(),
            ..Options::default()
        };
        check_random(21, 60, options);
    }
    let options = || Options { effort: 50_000, disabled_rules: disabled.clone(), ..Options::default() };
    let decided = check_random(22, 200, options);
    assert!(decided.satisfiable > 20 && decided.unsatisfiable > 20, "{decided:?}");
}

//! Random clauses over Boolean variables and linear atoms against enumeration.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::theory::arith::{IntVar, Linear};
use crate::theory::number::Integer;

const BOOLEANS: usize = 3;
const INTEGERS: usize = 3;
const RANGE: i64 = 2;

/// A literal of the random problem, as the test sees it.
#[derive(Clone, Debug)]
enum Meaning {
    Boolean(usize, bool),
    AtMost(Vec<i64>, i64, bool),
    Equal(Vec<i64>, i64, bool),
}

#[derive(Clone)]
struct Point {
    booleans: Vec<bool>,
    integers: Vec<i64>,
}

impl Meaning {
    fn random(rng: &mut Xoshiro256PlusPlus) -> Meaning {
        let positive = rng.random_bool(0.5);
        if rng.random_bool(0.3) {
            return Meaning::Boolean(rng.random_range(0..BOOLEANS), positive);
        }
        let coefficients =
            (0..INTEGERS).map(|_| if rng.random_bool(0.3) { 0 } else { rng.random_range(-4..=4) }).collect();
        let constant = rng.random_range(-6..=6);
        if rng.random_bool(0.6) {
            Meaning::AtMost(coefficients, constant, positive)
        } else {
            Meaning::Equal(coefficients, constant, positive)
        }
    }

    fn holds(&self, point: &Point) -> bool {
        let value =
            |coefficients: &[i64]| coefficients.iter().zip(&point.integers).map(|(c, v)| c * v).sum::<i64>();
        match self {
            Meaning::Boolean(number, positive) => point.booleans[*number] == *positive,
            Meaning::AtMost(coefficients, constant, positive) => {
                (value(coefficients) <= *constant) == *positive
            }
            Meaning::Equal(coefficients, constant, positive) => {
                (value(coefficients) == *constant) == *positive
            }
        }
    }
}

struct Problem {
    search: Search,
    booleans: Vec<Literal>,
    integers: Vec<IntVar>,
    /// Numbers are multiplied by this, so that they leave the machine word without changing the truth.
    scale: Integer,
    clauses: Vec<Vec<Meaning>>,
}

impl Problem {
    fn new(scale: Integer) -> Problem {
        let mut search = Search::new();
        let booleans = (0..BOOLEANS).map(|_| search.new_bool()).collect();
        let integers: Vec<IntVar> = (0..INTEGERS).map(|_| search.new_int()).collect();
        for variable in &integers {
            let term = Linear::variable(*variable);
            let upper = search.at_most(&term, &Linear::constant(RANGE));
            let lower = search.at_least(&term, &Linear::constant(-RANGE));
            search.add_clause(&[upper]);
            search.add_clause(&[lower]);
        }
        Problem { search, booleans, integers, scale, clauses: Vec::new() }
    }

    fn literal(&mut self, meaning: &Meaning) -> Literal {
        let (coefficients, constant, positive) = match meaning {
            Meaning::Boolean(number, positive) => {
                let literal = self.booleans[*number];
                return if *positive { literal } else { !literal };
            }
            Meaning::AtMost(coefficients, constant, positive)
            | Meaning::Equal(coefficients, constant, positive) => (coefficients, constant, *positive),
        };
        let products =
            self.integers.iter().copied().zip(coefficients.iter().map(|c| &Integer::from(*c) * &self.scale));
        let term = Linear::from_terms(products.collect(), -(&Integer::from(*constant) * &self.scale));
        let literal = match meaning {
            Meaning::AtMost(..) => self.search.at_most_zero(&term),
            _ => self.search.is_zero(&term),
        };
        if positive { literal } else { !literal }
    }

    fn add_clause(&mut self, clause: Vec<Meaning>) {
        let literals: Vec<Literal> = clause.iter().map(|meaning| self.literal(meaning)).collect();
        self.search.add_clause(&literals);
        self.clauses.push(clause);
    }

    fn has_solution(&self, assumptions: &[&Meaning]) -> bool {
        let width = usize::try_from(2 * RANGE + 1).unwrap();
        let integer_points = width.pow(u32::try_from(INTEGERS).unwrap());
        (0..integer_points << BOOLEANS).any(|code| {
            let booleans = (0..BOOLEANS).map(|number| (code >> number) & 1 == 1).collect();
            let mut rest = code >> BOOLEANS;
            let integers = (0..INTEGERS)
                .map(|_| {
                    let value = i64::try_from(rest % width).unwrap() - RANGE;
                    rest /= width;
                    value
                })
                .collect();
            let point = Point { booleans, integers };
            self.clauses.iter().all(|clause| clause.iter().any(|meaning| meaning.holds(&point)))
                && assumptions.iter().all(|meaning| meaning.holds(&point))
        })
    }

    /// Checks, and judges the answer by enumeration. Whether it was satisfiable.
    fn check(&mut self, assumptions: &[Meaning]) -> bool {
        let literals: Vec<Literal> = assumptions.iter().map(|meaning| self.literal(meaning)).collect();
        let all: Vec<&Meaning> = assumptions.iter().collect();
        match self.search.check(&literals, &Limits::effort(u64::MAX)) {
            SearchResult::Sat(assignment) => {
                let point = Point {
                    booleans: self.booleans.iter().map(|literal| assignment.holds(*literal)).collect(),
                    integers: self
                        .integers
                        .iter()
                        .map(|variable| assignment.integer(*variable).to_i64().unwrap())
                        .collect(),
                };
                assert!(point.integers.iter().all(|value| value.abs() <= RANGE));
                for clause in &self.clauses {
                    assert!(clause.iter().any(|meaning| meaning.holds(&point)), "{clause:?}");
                }
                for (meaning, literal) in assumptions.iter().zip(&literals) {
                    assert!(meaning.holds(&point) && assignment.holds(*literal), "{meaning:?}");
                }
                true
            }
            SearchResult::Unsat(core) => {
                assert!(!self.has_solution(&all), "{:?}", self.clauses);
                assert!(core.iter().all(|literal| literals.contains(literal)));
                let in_core: Vec<&Meaning> = assumptions
                    .iter()
                    .zip(&literals)
                    .filter(|(_, literal)| core.contains(literal))
                    .map(|(meaning, _)| meaning)
                    .collect();
                assert!(!self.has_solution(&in_core), "core {core:?} of {:?}", self.clauses);
                false
            }
            SearchResult::Unknown(why) => panic!("{why:?} for {:?}", self.clauses),
        }
    }
}

fn compare_with_enumeration(seed: u64, rounds: usize, scale: &Integer) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut counts = [0, 0];
    for _ in 0..rounds {
        let mut problem = Problem::new(scale.clone());
        for _ in 0..4 {
            for _ in 0..rng.random_range(1..=4) {
                let clause = (0..rng.random_range(1..=3)).map(|_| Meaning::random(&mut rng)).collect();
                problem.add_clause(clause);
            }
            let assumptions: Vec<Meaning> =
                (0..rng.random_range(0..=3)).map(|_| Meaning::random(&mut rng)).collect();
            counts[usize::from(problem.check(&assumptions))] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > rounds / 4), "{counts:?}");
}

#[test]
fn random_clauses_agree_with_enumeration() {
    compare_with_enumeration(1, 800, &Integer::ONE);
}

#[test]
fn random_clauses_agree_with_enumeration_beyond_machine_words() {
    compare_with_enumeration(2, 200, &(Integer::from(i64::MAX) * Integer::from(5)));
}

#[test]
fn a_contradiction_at_the_root_is_final() {
    let mut search = Search::new();
    let [x, y, z] = [search.new_int(), search.new_int(), search.new_int()].map(Linear::variable);
    // y = 2 x and y = 2 z + 1: a number is even and odd, which only the integer search sees.
    let two = Integer::from(2);
    let even = search.equals(&y, &x.scaled(&two));
    let odd = search.equals(&y, &(&z.scaled(&two) + &Linear::constant(1)));
    search.add_clause(&[even]);
    search.add_clause(&[odd]);
    for _ in 0..2 {
        assert_eq!(search.check(&[], &Limits::effort(1_000_000)), SearchResult::Unsat(vec![]));
    }
}

#[test]
fn equal_atoms_have_equal_literals() {
    let mut search = Search::new();
    let [x, y] = [search.new_int(), search.new_int()].map(Linear::variable);
    let sum = &x + &y;
    let atom = search.at_most(&sum, &Linear::constant(3));
    assert_eq!(search.at_most(&sum.scaled(&Integer::from(2)), &Linear::constant(7)), atom);
    assert_eq!(search.at_least(&sum, &Linear::constant(4)), !atom);
    assert_eq!(search.at_least(&-&sum, &Linear::constant(-3)), atom);
    assert_eq!(search.equals(&sum.scaled(&Integer::from(2)), &Linear::constant(3)), !search.always());
}

#[test]
fn a_search_without_effort_answers_nothing() {
    let mut search = Search::new();
    let x = search.new_bool();
    search.add_clause(&[x]);
    assert_eq!(search.check(&[], &Limits::effort(0)), SearchResult::Unknown(WhyUnknown::OutOfEffort));
    assert!(matches!(search.check(&[], &Limits::effort(1000)), SearchResult::Sat(_)));
}

#[test]
fn a_search_that_is_interrupted_answers_nothing() {
    let mut search = Search::new();
    let x = search.new_bool();
    search.add_clause(&[x]);
    let mut limits = Limits::effort(1000);
    limits.interrupt = Arc::new(AtomicBool::new(true)).into();
    assert_eq!(search.check(&[], &limits), SearchResult::Unknown(WhyUnknown::OutOfEffort));
}

//! Compares our integer arithmetic with Z3 on random formulas.
//!
//! Formulas are Boolean combinations of linear atoms, some with bounds on all variables and some without. We decide
//! each with the solver's core and check every model by evaluation; Z3 reads all of them in one process. An answer
//! that differs is printed with its formula. `unknown` on either side is counted and is no difference.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_solver::internals::{Assignment, IntVar, Integer, Limits, Linear, Literal, Search, SearchResult};

use crate::task;

/// Compare the solver's integer arithmetic with Z3 on random formulas
#[derive(Debug, Parser)]
#[command(name = "cargo xtask lia-crosscheck")]
struct Options {
    /// The z3 binary
    #[arg(long)]
    z3: PathBuf,
    /// Formulas to compare
    #[arg(long, default_value_t = 20_000)]
    formulas: usize,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Milliseconds that z3 may spend on one formula
    #[arg(long, default_value_t = 1000)]
    z3_timeout_ms: u64,
}

/// Runs the task with its arguments, the first of which is its name.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    task::main(args, run)
}

const EFFORT: u64 = 20_000_000;

#[derive(Clone, Debug)]
enum Formula {
    Boolean(usize),
    /// Coefficients of the variables, and the constant that the sum is compared with.
    AtMost(Vec<Integer>, Integer),
    Equal(Vec<Integer>, Integer),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Iff(Box<Formula>, Box<Formula>),
}

struct Shape {
    booleans: usize,
    integers: usize,
    bounded: bool,
    assertions: usize,
    depth: usize,
    coefficient: i64,
    constant: i64,
    /// Coefficients and constants are multiplied by this.
    scale: Integer,
}

fn run(options: &Options) -> Result<usize> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let mut script = format!("(set-option :timeout {})\n", options.z3_timeout_ms);
    let mut ours = Vec::new();
    let mut texts = Vec::new();
    let mut wrong_models = 0;
    for _ in 0..options.formulas {
        let shape = Shape::random(&mut rng);
        let formulas: Vec<Formula> = shape.assertions(&mut rng);
        let text = shape.script(&formulas);
        writeln!(script, "(push)\n{text}(check-sat)\n(pop)")?;
        let outcome = solve(&shape, &formulas);
        if let Err(problem) = &outcome {
            eprintln!("{problem}:\n{text}");
            wrong_models += 1;
        }
        ours.push(outcome.unwrap_or("unknown"));
        texts.push(text);
    }
    let theirs = ask_z3(options, &script)?;
    ensure!(theirs.len() == ours.len(), "z3 gave {} answers to {} formulas", theirs.len(), ours.len());
    let mut disagreements = 0;
    for ((ours, theirs), text) in ours.iter().zip(&theirs).zip(&texts) {
        if ours != theirs && *ours != "unknown" && theirs != "unknown" {
            disagreements += 1;
            println!("we say {ours}, z3 says {theirs}:\n{text}");
        }
    }
    let count = |answer: &str| ours.iter().filter(|other| **other == answer).count();
    let z3_unknown = theirs.iter().filter(|answer| *answer == "unknown").count();
    println!(
        "{} formulas: {} sat, {} unsat, {} unknown; z3 unknown {}; {} disagreements, {} wrong models",
        ours.len(),
        count("sat"),
        count("unsat"),
        count("unknown"),
        z3_unknown,
        disagreements,
        wrong_models
    );
    Ok(disagreements + wrong_models)
}

fn ask_z3(options: &Options, script: &str) -> Result<Vec<String>> {
    let mut child = Command::new(&options.z3)
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{}`", options.z3.display()))?;
    let mut input = child.stdin.take().context("z3 has no input")?;
    let text = script.to_owned();
    // The answers are read while the script is written, or both pipes fill up.
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().context("cannot read the answers of z3")?;
    writer.join().expect("the writer does not panic").context("cannot write to z3")?;
    let text = String::from_utf8(output.stdout).context("z3 answers in text")?;
    ensure!(
        !text.contains("error"),
        "z3 complains: {}",
        text.lines().find(|l| l.contains("error")).unwrap_or_default()
    );
    Ok(text
        .lines()
        .map(|line| if line == "timeout" { "unknown".to_owned() } else { line.to_owned() })
        .collect())
}

impl Shape {
    fn random(rng: &mut Xoshiro256PlusPlus) -> Shape {
        let scale =
            if rng.random_bool(0.05) { Integer::from(i64::MAX) * Integer::from(7) } else { Integer::ONE };
        Shape {
            booleans: rng.random_range(0..=3),
            integers: rng.random_range(1..=6),
            bounded: rng.random_bool(0.7),
            assertions: rng.random_range(1..=8),
            depth: rng.random_range(0..=3),
            coefficient: *[1, 2, 5, 12].get(rng.random_range(0..4)).expect("the index is in range"),
            constant: *[1, 8, 40, 500].get(rng.random_range(0..4)).expect("the index is in range"),
            scale,
        }
    }

    fn assertions(&self, rng: &mut Xoshiro256PlusPlus) -> Vec<Formula> {
        let mut assertions: Vec<Formula> =
            (0..self.assertions).map(|_| self.formula(rng, self.depth)).collect();
        if self.bounded {
            for variable in 0..self.integers {
                let unit = |sign: i64| {
                    let mut coefficients = vec![Integer::ZERO; self.integers];
                    coefficients[variable] = Integer::from(sign);
                    coefficients
                };
                let bound = Integer::from(rng.random_range(0..=20));
                assertions.push(Formula::AtMost(unit(1), bound.clone()));
                assertions.push(Formula::AtMost(unit(-1), bound));
            }
        }
        assertions
    }

    fn formula(&self, rng: &mut Xoshiro256PlusPlus, depth: usize) -> Formula {
        if depth == 0 || rng.random_bool(0.2) {
            return self.atom(rng);
        }
        match rng.random_range(0..4) {
            0 => Formula::Not(Box::new(self.formula(rng, depth - 1))),
            1 => Formula::And((0..rng.random_range(1..=3)).map(|_| self.formula(rng, depth - 1)).collect()),
            2 => Formula::Or((0..rng.random_range(1..=3)).map(|_| self.formula(rng, depth - 1)).collect()),
            _ => Formula::Iff(Box::new(self.formula(rng, depth - 1)), Box::new(self.formula(rng, depth - 1))),
        }
    }

    fn atom(&self, rng: &mut Xoshiro256PlusPlus) -> Formula {
        if self.booleans > 0 && rng.random_bool(0.15) {
            return Formula::Boolean(rng.random_range(0..self.booleans));
        }
        let coefficients = (0..self.integers)
            .map(|_| {
                let small = rng.random_range(-self.coefficient..=self.coefficient);
                if rng.random_bool(0.4) { Integer::ZERO } else { &Integer::from(small) * &self.scale }
            })
            .collect();
        let constant = Integer::from(rng.random_range(-self.constant..=self.constant));
        // Sometimes off by one, so that scaled formulas are not multiples of small ones.
        let offset = Integer::from(i64::from(rng.random_bool(0.1)));
        let constant = &(&constant * &self.scale) + &offset;
        if rng.random_bool(0.6) {
            Formula::AtMost(coefficients, constant)
        } else {
            Formula::Equal(coefficients, constant)
        }
    }

    fn script(&self, formulas: &[Formula]) -> String {
        let mut text = String::new();
        for number in 0..self.booleans {
            text.push_str(&format!("(declare-const b{number} Bool)\n"));
        }
        for number in 0..self.integers {
            text.push_str(&format!("(declare-const x{number} Int)\n"));
        }
        for formula in formulas {
            text.push_str(&format!("(assert {})\n", formula.text()));
        }
        text
    }
}

fn number_text(number: &Integer) -> String {
    if number.is_negative() { format!("(- {})", number.abs()) } else { number.to_string() }
}

impl Formula {
    fn text(&self) -> String {
        let sum = |coefficients: &[Integer]| {
            let terms: Vec<String> = coefficients
                .iter()
                .enumerate()
                .map(|(number, coefficient)| format!("(* {} x{number})", number_text(coefficient)))
                .collect();
            format!("(+ 0 {})", terms.join(" "))
        };
        let join = |parts: &[Formula]| parts.iter().map(Formula::text).collect::<Vec<_>>().join(" ");
        match self {
            Formula::Boolean(number) => format!("b{number}"),
            Formula::AtMost(coefficients, constant) => {
                format!("(<= {} {})", sum(coefficients), number_text(constant))
            }
            Formula::Equal(coefficients, constant) => {
                format!("(= {} {})", sum(coefficients), number_text(constant))
            }
            Formula::Not(inner) => format!("(not {})", inner.text()),
            Formula::And(parts) => format!("(and {})", join(parts)),
            Formula::Or(parts) => format!("(or {})", join(parts)),
            Formula::Iff(left, right) => format!("(= {} {})", left.text(), right.text()),
        }
    }

    fn holds(&self, booleans: &[bool], integers: &[Integer]) -> bool {
        let sum = |coefficients: &[Integer]| {
            coefficients.iter().zip(integers).fold(Integer::ZERO, |sum, (c, value)| &sum + &(c * value))
        };
        match self {
            Formula::Boolean(number) => booleans[*number],
            Formula::AtMost(coefficients, constant) => sum(coefficients) <= *constant,
            Formula::Equal(coefficients, constant) => sum(coefficients) == *constant,
            Formula::Not(inner) => !inner.holds(booleans, integers),
            Formula::And(parts) => parts.iter().all(|part| part.holds(booleans, integers)),
            Formula::Or(parts) => parts.iter().any(|part| part.holds(booleans, integers)),
            Formula::Iff(left, right) => left.holds(booleans, integers) == right.holds(booleans, integers),
        }
    }
}

/// The formula in the search, with a literal per connective.
struct Encoding {
    search: Search,
    booleans: Vec<Literal>,
    integers: Vec<IntVar>,
}

impl Encoding {
    fn literal(&mut self, formula: &Formula) -> Literal {
        match formula {
            Formula::Boolean(number) => self.booleans[*number],
            Formula::AtMost(coefficients, constant) => {
                let term = self.term(coefficients, constant);
                self.search.at_most_zero(&term)
            }
            Formula::Equal(coefficients, constant) => {
                let term = self.term(coefficients, constant);
                self.search.is_zero(&term)
            }
            Formula::Not(inner) => !self.literal(inner),
            Formula::And(parts) => {
                let negated: Vec<Literal> = parts.iter().map(|part| !self.literal(part)).collect();
                !self.disjunction(negated)
            }
            Formula::Or(parts) => {
                let literals: Vec<Literal> = parts.iter().map(|part| self.literal(part)).collect();
                self.disjunction(literals)
            }
            Formula::Iff(left, right) => {
                let (left, right) = (self.literal(left), self.literal(right));
                let name = self.search.new_bool();
                self.search.add_clause(&[!name, !left, right]);
                self.search.add_clause(&[!name, left, !right]);
                self.search.add_clause(&[name, left, right]);
                self.search.add_clause(&[name, !left, !right]);
                name
            }
        }
    }

    fn disjunction(&mut self, mut literals: Vec<Literal>) -> Literal {
        let name = self.search.new_bool();
        for literal in &literals {
            self.search.add_clause(&[name, !*literal]);
        }
        literals.push(!name);
        self.search.add_clause(&literals);
        name
    }

    fn term(&self, coefficients: &[Integer], constant: &Integer) -> Linear {
        let products = self.integers.iter().copied().zip(coefficients.iter().cloned());
        Linear::from_terms(products.collect(), -constant)
    }

    fn values(&self, assignment: &Assignment) -> (Vec<bool>, Vec<Integer>) {
        (
            self.booleans.iter().map(|literal| assignment.holds(*literal)).collect(),
            self.integers.iter().map(|variable| assignment.integer(*variable).clone()).collect(),
        )
    }
}

/// Our answer; an error if the model is wrong.
fn solve(shape: &Shape, formulas: &[Formula]) -> Result<&'static str> {
    let mut search = Search::new();
    let booleans = (0..shape.booleans).map(|_| search.new_bool()).collect();
    let integers = (0..shape.integers).map(|_| search.new_int()).collect();
    let mut encoding = Encoding { search, booleans, integers };
    for formula in formulas {
        let literal = encoding.literal(formula);
        encoding.search.add_clause(&[literal]);
    }
    match encoding.search.check(&[], &Limits::effort(EFFORT)) {
        SearchResult::Sat(assignment) => {
            let (booleans, integers) = encoding.values(&assignment);
            if formulas.iter().all(|formula| formula.holds(&booleans, &integers)) {
                Ok("sat")
            } else {
                Err(anyhow!("the model {booleans:?} {integers:?} is wrong"))
            }
        }
        SearchResult::Unsat(_) => Ok("unsat"),
        SearchResult::Unknown(_) => Ok("unknown"),
    }
}

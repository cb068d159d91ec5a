//! The categories `operation` and `constant-assignment`: one operation, some of its arguments and its result fixed.
//!
//! The operation is run on every combination of constants. Every choice of arguments and result that are fixed to their
//! values gives a test; the others are variables, and their values are its model. Tests that another combination has
//! given already are left out. Where the standard leaves the result open there is no test.

use rustc_hash::FxHashSet;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use super::satisfiable::{run, test, value_term};
use super::theory::{Operation, Purpose, Vocabulary};
use super::turns::{Shuffle, digits, in_turns, product};
use super::{Category, Settings, Test};
use crate::random::Random;

/// An operation run on constants.
struct Execution<'o> {
    operation: &'o Operation,
    args: Vec<Term>,
    result: Term,
}

/// Every operation with free arguments and a free result, for every constant language that it takes.
pub(super) fn operations(settings: &Settings, take: &mut dyn FnMut(Test) -> bool) {
    let mut terms = Terms::new();
    let vocabulary = Vocabulary::new(&mut terms, settings, Purpose::Assignment);
    for operation in &vocabulary.operations {
        let space = Space::new(&terms, &vocabulary, operation);
        let mut seen = FxHashSet::default();
        for index in 0..space.size() {
            let Some(execution) = space.execute(&mut terms, index) else { continue };
            if !seen.insert(execution.fixed(0)) {
                continue;
            }
            let made = execution.test(&mut terms, Category::Operation, 0);
            if made.is_some_and(|made| !take(made)) {
                return;
            }
        }
    }
}

/// Every operation on every combination of constants, with every choice of what is fixed, operations taking turns.
pub(super) fn assignments(settings: &Settings, take: &mut dyn FnMut(Test) -> bool) {
    let mut terms = Terms::new();
    let vocabulary = Vocabulary::new(&mut terms, settings, Purpose::Assignment);
    let mut random = Random::new(settings.random_seed);
    let spaces: Vec<Space<'_>> =
        vocabulary.operations.iter().map(|operation| Space::new(&terms, &vocabulary, operation)).collect();
    let shuffles = spaces.iter().map(|space| Shuffle::new(space.size(), &mut random)).collect();
    let mut seen = vec![FxHashSet::default(); spaces.len()];
    for (number, index) in in_turns(shuffles) {
        let Some(execution) = spaces[number].execute(&mut terms, index) else { continue };
        // With nothing fixed it is the test of the operation.
        for choice in 1..1 << (execution.args.len() + 1) {
            if !execution.is_proper(choice) || !seen[number].insert(execution.fixed(choice)) {
                continue;
            }
            let made = execution.test(&mut terms, Category::ConstantAssignment, choice);
            if made.is_some_and(|made| !take(made)) {
                return;
            }
        }
    }
}

/// All combinations of constants for an operation.
struct Space<'o> {
    operation: &'o Operation,
    constants: Vec<Vec<Term>>,
    sizes: Vec<u128>,
}

impl<'o> Space<'o> {
    fn new(terms: &Terms, vocabulary: &Vocabulary, operation: &'o Operation) -> Self {
        let constants: Vec<Vec<Term>> =
            operation.params.iter().map(|sort| vocabulary.of_sort(terms, *sort)).collect();
        let sizes = constants.iter().map(|constants| constants.len() as u128).collect();
        Space { operation, constants, sizes }
    }

    fn size(&self) -> u128 {
        product(self.sizes.iter().copied()).expect("operations have few arguments and constants")
    }

    /// Runs the operation; none where the standard leaves the result open.
    fn execute(&self, terms: &mut Terms, index: u128) -> Option<Execution<'o>> {
        let chosen = digits(index, &self.sizes);
        let args: Vec<Term> =
            self.constants.iter().zip(chosen).map(|(constants, at)| constants[at as usize]).collect();
        let application = terms.apply(self.operation.op, &self.operation.indices, &args).ok()?;
        let value = run(terms, application)?;
        let result = value_term(terms, &value, self.operation.result)?;
        Some(Execution { operation: self.operation, args, result })
    }
}

impl Execution<'_> {
    /// Whether an argument, or the result as the last one, is fixed by a choice. Languages always are.
    fn is_fixed(&self, choice: u32, position: usize) -> bool {
        choice & (1 << position) != 0 || self.operation.params.get(position) == Some(&Sort::REG_LAN)
    }

    /// Whether a choice leaves out the languages, which are fixed anyway.
    fn is_proper(&self, choice: u32) -> bool {
        let params = self.operation.params.iter().enumerate();
        params.filter(|(_, sort)| **sort == Sort::REG_LAN).all(|(position, _)| choice & (1 << position) == 0)
    }

    /// What is fixed to which values: two executions that agree in this give the same test.
    fn fixed(&self, choice: u32) -> Vec<Option<Term>> {
        let values = self.args.iter().copied().chain([self.result]);
        values.enumerate().map(|(position, value)| self.is_fixed(choice, position).then_some(value)).collect()
    }

    fn test(&self, terms: &mut Terms, category: Category, choice: u32) -> Option<Test> {
        let mut variables: Vec<(Symbol, Term)> = Vec::new();
        let mut parts = Vec::new();
        for (position, value) in self.args.iter().copied().chain([self.result]).enumerate() {
            if self.is_fixed(choice, position) {
                parts.push(value);
                continue;
            }
            let name =
                if position == self.args.len() { "result".to_owned() } else { format!("x{}", position + 1) };
            let name = terms.symbols.intern(&name);
            variables.push((name, value));
            parts.push(terms.constant(name, terms.sort(value)));
        }
        let result = parts.pop()?;
        let application = terms.apply(self.operation.op, &self.operation.indices, &parts).ok()?;
        let formula = terms.apply(Op::Eq, &[], &[application, result]).ok()?;
        test(terms, category, self.operation.op.info().name.to_owned(), formula, &variables)
    }
}

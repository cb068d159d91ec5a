//! The category `term-synthesis`: an operation on terms of a pool equals another term of the same value.
//!
//! The pool of a bound has the constants and all operations on terms of the pool below. It is never held: its terms
//! are numbered, and made when they are asked for. Only the terms of bound 1 are held, by their values: from them
//! comes the other side of the equation. Then equal constants become the same variable, everywhere or at places
//! drawn by chance; what the constants were is the model.
//!
//! The first pass gives every left side one right side, the next ones its further right sides.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smelt_semantics::value::Value;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use super::satisfiable::{run, test};
use super::theory::{Operation, Purpose, Vocabulary};
use super::turns::{Shuffle, digits, in_turns, product};
use super::{Category, Settings, Test};
use crate::random::Random;

/// After so many equations the arena of terms starts afresh.
const ARENA_LIFE: u32 = 2_000;

/// Makes all tests, operations taking turns.
pub(super) fn generate(settings: &Settings, take: &mut dyn FnMut(Test) -> bool) {
    let mut base = Terms::new();
    let vocabulary = Vocabulary::new(&mut base, settings, Purpose::Pool);
    let pool = Pool::new(&base, vocabulary, settings);
    let partners = pool.partners(&mut base);
    let mut random = Random::new(settings.random_seed);
    let mut seen = FxHashSet::default();
    let mut terms = base.clone();
    let mut age = 0;
    for pass in 0.. {
        let mut is_last = true;
        let spaces = pool.operations.iter().map(|operation| pool.applications(operation, settings.bound));
        let shuffles = spaces.map(|size| Shuffle::new(size.unwrap_or(0), &mut random)).collect();
        for (number, index) in in_turns(shuffles) {
            age += 1;
            if age % ARENA_LIFE == 0 {
                terms = base.clone();
            }
            let operation = &pool.operations[number];
            let Some(left) = pool.application(&mut terms, operation, settings.bound, index) else { continue };
            let Some(value) = run(&terms, left) else { continue };
            let Some(same) = partners.get(&(operation.result, value)) else { continue };
            if pass >= same.len() {
                continue;
            }
            is_last = false;
            // Every left side begins somewhere else among the terms of its value.
            let right = same[(pass + index as usize % same.len()) % same.len()];
            let name = operation.op.info().name;
            for form in [Form::AllVariables, Form::Mixed] {
                let Some(test) = pool.equation(&mut terms, name, [left, right], form, &mut random) else {
                    continue;
                };
                if seen.insert(FxBuildHasher.hash_one(&test.script)) && !take(test) {
                    return;
                }
            }
        }
        if is_last {
            return;
        }
    }
}

/// Which occurrences of constants become variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    AllVariables,
    /// Some, drawn by chance.
    Mixed,
}

struct Pool {
    operations: Vec<Operation>,
    constants: FxHashMap<Sort, Vec<Term>>,
    /// The constants that become variables.
    generalised: FxHashSet<Term>,
    /// Whether arguments and results must be applications, as in the paper.
    is_exact: bool,
}

impl Pool {
    fn new(terms: &Terms, vocabulary: Vocabulary, settings: &Settings) -> Pool {
        let mut constants: FxHashMap<Sort, Vec<Term>> = FxHashMap::default();
        for constant in &vocabulary.constants {
            constants.entry(terms.sort(*constant)).or_default().push(*constant);
        }
        let is_value = |constant: &Term| terms.sort(*constant) != Sort::REG_LAN;
        let generalised = vocabulary.constants.iter().copied().filter(is_value).collect();
        Pool { operations: vocabulary.operations, constants, generalised, is_exact: settings.is_paper }
    }

    /// How many constants of a sort stand among the terms of a bound.
    fn constant_count(&self, sort: Sort, bound: u32) -> u128 {
        let makes = |operation: &Operation| operation.result == sort;
        if self.is_exact && bound > 0 && self.operations.iter().any(makes) {
            return 0;
        }
        self.constants.get(&sort).map_or(0, |constants| constants.len() as u128)
    }

    /// How many terms of a sort there are up to a bound; none if there are too many.
    fn count(&self, sort: Sort, bound: u32) -> Option<u128> {
        let mut count = self.constant_count(sort, bound);
        if bound > 0 {
            for operation in self.operations.iter().filter(|operation| operation.result == sort) {
                count = count.checked_add(self.applications(operation, bound - 1)?)?;
            }
        }
        Some(count)
    }

    /// How many applications an operation has to terms up to a bound; none if there are too many.
    fn applications(&self, operation: &Operation, bound: u32) -> Option<u128> {
        let counts: Option<Vec<u128>> =
            operation.params.iter().map(|sort| self.count(*sort, bound)).collect();
        product(counts?)
    }

    /// The term of a sort with this number. The recursion is bounded by the bound.
    fn term(&self, terms: &mut Terms, sort: Sort, bound: u32, mut index: u128) -> Option<Term> {
        let constants = self.constant_count(sort, bound);
        if index < constants {
            return self.constants.get(&sort)?.get(index as usize).copied();
        }
        index -= constants;
        let below = bound.checked_sub(1)?;
        for operation in self.operations.iter().filter(|operation| operation.result == sort) {
            let count = self.applications(operation, below)?;
            if index < count {
                return self.application(terms, operation, below, index);
            }
            index -= count;
        }
        None
    }

    /// The application of an operation to terms up to a bound with this number.
    fn application(&self, terms: &mut Terms, operation: &Operation, bound: u32, index: u128) -> Option<Term> {
        let counts: Option<Vec<u128>> =
            operation.params.iter().map(|sort| self.count(*sort, bound)).collect();
        let mut args = Vec::new();
        for (sort, digit) in operation.params.iter().zip(digits(index, &counts?)) {
            args.push(self.term(terms, *sort, bound, digit)?);
        }
        terms.apply(operation.op, &operation.indices, &args).ok()
    }

    /// The applications of operations to constants, by their sorts and values.
    fn partners(&self, terms: &mut Terms) -> FxHashMap<(Sort, Value), Vec<Term>> {
        let mut partners: FxHashMap<(Sort, Value), Vec<Term>> = FxHashMap::default();
        for operation in &self.operations {
            for index in 0..self.applications(operation, 0).unwrap_or(0) {
                let Some(term) = self.application(terms, operation, 0, index) else { continue };
                if let Some(value) = run(terms, term) {
                    partners.entry((operation.result, value)).or_default().push(term);
                }
            }
        }
        partners
    }

    /// The equation of two terms with variables for their constants; none if that is no other than the other form.
    fn equation(
        &self,
        terms: &mut Terms,
        name: &str,
        sides: [Term; 2],
        form: Form,
        random: &mut Random,
    ) -> Option<Test> {
        let mut names = FreshNames { form, variables: Vec::new(), has_constants: false };
        let left = self.generalise(terms, sides[0], &mut names, random)?;
        let right = self.generalise(terms, sides[1], &mut names, random)?;
        if form == Form::Mixed && (names.variables.is_empty() || !names.has_constants) {
            return None;
        }
        let formula = terms.apply(Op::Eq, &[], &[left, right]).ok()?;
        test(terms, Category::TermSynthesis, name.to_owned(), formula, &names.variables)
    }

    /// A term with variables in place of constants. The recursion is bounded by the bound.
    fn generalise(
        &self,
        terms: &mut Terms,
        term: Term,
        names: &mut FreshNames,
        random: &mut Random,
    ) -> Option<Term> {
        if self.generalised.contains(&term) {
            return Some(names.replace(terms, term, random));
        }
        if terms.sort(term) == Sort::REG_LAN {
            return Some(term);
        }
        let mut args = Vec::new();
        for position in 0..terms.args(term).len() {
            let arg = terms.args(term)[position];
            args.push(self.generalise(terms, arg, names, random)?);
        }
        Some(terms.with_args(term, &args))
    }
}

/// The variables of an equation, with the constants that they stand for.
struct FreshNames {
    form: Form,
    variables: Vec<(Symbol, Term)>,
    /// Whether some constant stayed.
    has_constants: bool,
}

impl FreshNames {
    /// The variable of a constant, or the constant where it stays.
    fn replace(&mut self, terms: &mut Terms, constant: Term, random: &mut Random) -> Term {
        if self.form == Form::Mixed && random.one_in(2) {
            self.has_constants = true;
            return constant;
        }
        let known = self.variables.iter().find(|(_, value)| *value == constant);
        let name = match known {
            Some((name, _)) => *name,
            None => {
                let name = terms.symbols.intern(&format!("x{}", self.variables.len() + 1));
                self.variables.push((name, constant));
                name
            }
        };
        terms.constant(name, terms.sort(constant))
    }
}

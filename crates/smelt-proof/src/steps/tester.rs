//! Tests the steps of a proof by evaluation.
//!
//! Whatever the premises of a step depend on, wherever they are true its conclusion must be, under each assignment by
//! itself. So no bookkeeping of hypotheses is needed: a step under a hypothesis that is false has a false premise
//! somewhere. Excepted are steps that introduce symbols or bind variables; see `treatment.rs`.
//!
//! A step is called false only if all its symbols are known. Where some are not, it is evaluated once more with any
//! values in the place of what is not known: a step that is true under all of them is true whatever they mean, and one
//! that is not may be true because of what they mean.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::print::value_text;
use smelt_semantics::unknown::Unknown;
use smelt_semantics::value::Value;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms, Variable};
use smelt_smtlib::walk::{free_names, subterms};

use super::assignment::{Draw, ValuePools, draw};
use super::connectives::follows;
use super::table::{StepTable, Unchecked};
use super::treatment::{Treatment, treatment};
use super::{Derivation, ProofStep};

/// How much work testing may be.
#[derive(Debug, Clone, Copy)]
pub struct TestLimits {
    /// Assignments under which each step must be true to count as checked.
    pub assignments: usize,
    /// Effort for one step under one assignment, in units of [`Budget`].
    pub step_effort: u64,
    /// Effort for all steps.
    pub effort: u64,
    /// What assignments are drawn with.
    pub seed: u64,
}

impl Default for TestLimits {
    fn default() -> Self {
        TestLimits { assignments: 64, step_effort: 400_000, effort: 5_000_000_000, seed: 1 }
    }
}

/// A step that is false.
#[derive(Debug, Clone)]
pub struct FalseStep {
    /// The name of its rule.
    pub rule: String,
    /// Its line in the proof.
    pub line: u32,
    /// The conclusions of its premises, which are true.
    pub premises: Vec<Term>,
    /// Its conclusion, which is not.
    pub conclusion: Term,
    /// The values of its constants and free variables: the name and the value as SMT-LIB.
    pub values: Vec<StepValue>,
}

/// The value of a constant of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepValue {
    /// The constant or variable.
    pub name: Symbol,
    /// Its sort.
    pub sort: Sort,
    /// Whether it is a variable that no binder binds.
    pub is_local: bool,
    /// The value as SMT-LIB; none if it cannot be written.
    pub text: Option<String>,
}

/// What testing has shown.
#[derive(Debug)]
pub struct StepTest {
    /// All steps, by rule.
    pub table: StepTable,
    /// Those that are false, in the order of the proof.
    pub false_steps: Vec<FalseStep>,
    /// Whether a model that was given refutes a step: the first one of `false_steps` then.
    pub is_under_model: bool,
}

/// More false steps of one proof are counted, but not kept.
const MAX_FALSE: usize = 20;
/// Of two assignments that are made, one is only used where others leave a step without a value.
const SPARE: usize = 2;
/// What one evaluator may spend before what it remembers is dropped, to bound memory.
const EVALUATOR_EFFORT: u64 = 8_000_000;
/// Claims with more distinct parts have no assignments of their own.
const MAX_FOCUSED_SIZE: usize = 60;
/// Names of the elements of uninterpreted sorts.
const ELEMENTS: [&str; 3] = ["smelt!val!0", "smelt!val!1", "smelt!val!2"];

/// Tests the steps of a proof over the symbols of an environment. If a model of the assertions is known, steps are also
/// evaluated under it.
pub fn test_steps(
    terms: &mut Terms,
    environment: &Environment,
    derivation: &Derivation,
    model: Option<&Model>,
    limits: TestLimits,
) -> StepTest {
    let mut test = StepTest { table: StepTable::default(), false_steps: Vec::new(), is_under_model: false };
    let ingredients = Ingredients::of(terms, environment, derivation, limits);
    let mut false_steps: Vec<(usize, Option<Box<Assignment>>)> = Vec::new();
    let mut known = model.map(|model| {
        let mut evaluator = Evaluator::new(terms, environment, model);
        evaluator.budget = Budget::default();
        evaluator
    });
    let mut tester = Tester::new(terms, environment, &ingredients, limits);
    for (number, step) in derivation.steps.iter().enumerate() {
        let rule = derivation.rule(step);
        let premises = derivation.premises(step);
        let outcome = match treatment(terms, derivation, step) {
            Treatment::Skipped(reason) => Outcome::Unchecked(reason),
            Treatment::Tested => {
                let claim = Claim::of(derivation, step);
                let refuted = known.as_mut().is_some_and(|known| claim.value(known) == Ok(false));
                if refuted && !test.is_under_model && tester.is_closed(&claim) {
                    test.is_under_model = true;
                    false_steps.insert(0, (number, None));
                }
                tester.outcome(&claim)
            }
        };
        let tally = test.table.tally(rule, !premises.is_empty());
        tally.seen += 1;
        match outcome {
            Outcome::Checked => tally.checked += 1,
            Outcome::Unchecked(reason) => *tally.unchecked.entry(reason).or_default() += 1,
            Outcome::False(assignment) => {
                tally.false_steps += 1;
                if false_steps.len() < MAX_FALSE {
                    false_steps.push((number, Some(assignment)));
                }
            }
        }
    }
    drop((known, tester));
    for (number, assignment) in false_steps {
        let step = &derivation.steps[number];
        let claim = Claim::of(derivation, step);
        test.false_steps.push(FalseStep {
            rule: derivation.rule(step).to_owned(),
            line: step.line,
            values: ingredients.values_of(terms, environment, &claim, assignment.as_deref()),
            conclusion: claim.conclusion,
            premises: claim.premises,
        });
    }
    test
}

/// What a step says.
struct Claim {
    /// The conclusions of its premises.
    premises: Vec<Term>,
    /// Whether a premise has a conclusion that was not read.
    has_unread_premise: bool,
    conclusion: Term,
}

impl Claim {
    /// The claim of a step that has a conclusion.
    fn of(derivation: &Derivation, step: &ProofStep) -> Claim {
        let conclusions: Vec<Option<Term>> = derivation
            .premises(step)
            .iter()
            .map(|premise| derivation.steps[*premise as usize].conclusion)
            .collect();
        Claim {
            has_unread_premise: conclusions.iter().any(Option::is_none),
            premises: conclusions.into_iter().flatten().collect(),
            conclusion: step.conclusion.expect("only steps with conclusions are tested"),
        }
    }

    /// Whether the claim holds under the assignment of an evaluator.
    fn value(&self, evaluator: &mut Evaluator<'_>) -> Result<bool, Unknown> {
        let mut unknown = self.has_unread_premise.then_some(Unknown::IllSorted);
        match truth(evaluator, self.conclusion) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(reason) => unknown = unknown.or(Some(reason)),
        }
        for premise in &self.premises {
            match truth(evaluator, *premise) {
                Ok(true) => {}
                Ok(false) => return Ok(true),
                Err(reason) => unknown = unknown.or(Some(reason)),
            }
        }
        unknown.map_or(Ok(false), Err)
    }
}

fn truth(evaluator: &mut Evaluator<'_>, formula: Term) -> Result<bool, Unknown> {
    match evaluator.eval(formula) {
        Ok(Value::Bool(value)) => Ok(value),
        Ok(_) => Err(Unknown::IllSorted),
        Err(unknown) => Err(unknown),
    }
}

/// What became of a step.
enum Outcome {
    Checked,
    Unchecked(Unchecked),
    /// False under this assignment.
    False(Box<Assignment>),
}

/// What is known of a term and all its parts.
const HAS_CONSTANTS: u8 = 1;
const HAS_OPAQUE: u8 = 2;
const HAS_QUANTIFIER: u8 = 4;

/// The symbols of a proof and their values under each assignment.
struct Ingredients {
    /// For each term of the proof what is in it; nothing for others.
    contents: Vec<u8>,
    /// Declared constants, and those that stand for values of functions.
    constants: Vec<Term>,
    locals: Vec<Variable>,
    /// Terms that are not understood, for which any values may stand.
    unknown: Vec<Term>,
    /// What declared functions are, in terms of constants.
    functions: Model,
    /// For each assignment the values of all these.
    assignments: Vec<Assignment>,
    /// Names of variables of more than one sort.
    ambiguous: FxHashSet<Symbol>,
    /// Elements of uninterpreted sorts.
    elements: [Symbol; 3],
}

/// The values of all symbols of a proof, in the order of [`Ingredients`].
#[derive(Clone, Default)]
struct Assignment {
    constants: Vec<Option<Value>>,
    locals: Vec<Option<Value>>,
    unknown: Vec<Option<Value>>,
}

impl Ingredients {
    fn of(
        terms: &mut Terms,
        environment: &Environment,
        derivation: &Derivation,
        limits: TestLimits,
    ) -> Ingredients {
        let parts = parts_of(terms, derivation);
        let mut made = Ingredients {
            contents: vec![0; terms.len()],
            constants: Vec::new(),
            locals: Vec::new(),
            unknown: Vec::new(),
            functions: Model::new(),
            assignments: Vec::new(),
            ambiguous: FxHashSet::default(),
            elements: ELEMENTS.map(|name| terms.symbols.intern(name)),
        };
        let declared: FxHashMap<Symbol, (&[Sort], Sort)> = environment
            .declared
            .iter()
            .map(|(name, params, result)| (*name, (params.as_slice(), *result)))
            .collect();
        let mut pools = ValuePools::of(terms, &parts, made.elements);
        let mut functions: FxHashSet<Symbol> = FxHashSet::default();
        for part in &parts {
            let mut content =
                terms.args(*part).iter().fold(0, |content, arg| content | made.contents[arg.index()]);
            match terms.head(*part) {
                Head::Global(name) | Head::Qualified(name) => match declared.get(&name) {
                    Some(_) if environment.definition(name).is_some() => content |= HAS_CONSTANTS,
                    Some((params, _)) if params.len() == terms.args(*part).len() => {
                        content |= HAS_CONSTANTS;
                        if params.is_empty() {
                            made.constants.push(*part);
                        } else {
                            functions.insert(name);
                        }
                    }
                    Some(_) => content |= HAS_OPAQUE,
                    None => {
                        let is_known = environment.definition(name).is_some()
                            || environment.is_constructor(name)
                            || environment.selector(name).is_some();
                        content |= if is_known { HAS_CONSTANTS } else { HAS_OPAQUE };
                        if !is_known {
                            made.unknown.push(*part);
                        }
                    }
                },
                Head::Local(name) => {
                    content |= HAS_CONSTANTS;
                    made.add_local(Variable { name, sort: terms.sort(*part) });
                }
                Head::Opaque(_) => {
                    content |= HAS_OPAQUE;
                    made.unknown.push(*part);
                }
                Head::Forall(_) | Head::Exists(_) => {
                    content |= HAS_QUANTIFIER;
                    made.unknown.push(*part);
                }
                _ => {}
            }
            made.contents[part.index()] = content;
        }
        made.unknown.retain(|term| !terms.has_locals(*term));
        let mut names: Vec<Symbol> = functions.into_iter().collect();
        names.sort_unstable();
        for name in names {
            let (params, result) = declared[&name];
            let definition = made.function(terms, name, params, result);
            made.functions.define(definition);
        }
        made.assign(terms, environment, &mut pools, limits);
        made
    }

    fn add_local(&mut self, variable: Variable) {
        match self.locals.iter().find(|local| local.name == variable.name) {
            Some(local) if local.sort != variable.sort => {
                self.ambiguous.insert(variable.name);
            }
            Some(_) => {}
            None => self.locals.push(variable),
        }
    }

    /// A function with three values: for two points, and for all else.
    fn function(&mut self, terms: &mut Terms, name: Symbol, sorts: &[Sort], result: Sort) -> Definition {
        let params: Vec<Variable> = sorts
            .iter()
            .enumerate()
            .map(|(position, sort)| Variable {
                name: terms.symbols.intern(&format!("smelt-param-{position}")),
                sort: *sort,
            })
            .collect();
        let stem = terms.text(name).to_owned();
        let mut body = self.constant(terms, &format!("smelt-{stem}-else"), result);
        for point in 0..2 {
            let mut tests = Vec::new();
            for param in &params {
                let place = format!("smelt-{stem}-{point}-{}", terms.text(param.name));
                let place = self.constant(terms, &place, param.sort);
                let local = terms.local(param.name, param.sort);
                tests.extend(terms.apply(Op::Eq, &[], &[local, place]).ok());
            }
            let value = self.constant(terms, &format!("smelt-{stem}-{point}"), result);
            let test = build::and(terms, &tests);
            body = terms.apply(Op::Ite, &[], &[test, value, body]).unwrap_or(body);
        }
        Definition { name, params, sort: result, body }
    }

    fn constant(&mut self, terms: &mut Terms, name: &str, sort: Sort) -> Term {
        let name = terms.symbols.intern(name);
        let constant = terms.constant(name, sort);
        self.constants.push(constant);
        constant
    }

    fn assign(
        &mut self,
        terms: &Terms,
        environment: &Environment,
        pools: &mut ValuePools,
        limits: TestLimits,
    ) {
        let mut random = Draw::new(limits.seed);
        let mut pooled = |sort: Sort| pools.values(terms, environment, sort);
        let constants: Vec<_> = self.constants.iter().map(|constant| pooled(terms.sort(*constant))).collect();
        let locals: Vec<_> = self.locals.iter().map(|local| pooled(local.sort)).collect();
        let unknown: Vec<_> = self.unknown.iter().map(|term| pooled(terms.sort(*term))).collect();
        for number in 0..limits.assignments * SPARE {
            let mut drawn = |pools: &[std::rc::Rc<[Value]>]| {
                let one = |values: &std::rc::Rc<[Value]>| {
                    (!values.is_empty()).then(|| draw(values, number, &mut random))
                };
                pools.iter().map(one).collect::<Vec<_>>()
            };
            let (constants, locals, unknown) = (drawn(&constants), drawn(&locals), drawn(&unknown));
            self.assignments.push(Assignment { constants, locals, unknown });
        }
    }

    /// The values of the constants and free variables of a claim.
    fn values_of(
        &self,
        terms: &mut Terms,
        environment: &Environment,
        claim: &Claim,
        assignment: Option<&Assignment>,
    ) -> Vec<StepValue> {
        let Some(assignment) = assignment else { return Vec::new() };
        let mut globals = FxHashSet::default();
        let mut free = FxHashSet::default();
        for formula in claim.premises.iter().chain([&claim.conclusion]) {
            let names = free_names(terms, *formula);
            globals.extend(names.globals);
            free.extend(names.locals);
        }
        let mut values = Vec::new();
        for (constant, value) in self.constants.iter().zip(&assignment.constants) {
            if let (Head::Global(name), Some(value)) = (terms.head(*constant), value)
                && globals.contains(&name)
            {
                let sort = terms.sort(*constant);
                let text = value_text(terms, environment, value, sort);
                values.push(StepValue { name, sort, is_local: false, text });
            }
        }
        for (local, value) in self.locals.iter().zip(&assignment.locals) {
            if let Some(value) = value
                && free.contains(&local.name)
            {
                let text = value_text(terms, environment, value, local.sort);
                values.push(StepValue { name: local.name, sort: local.sort, is_local: true, text });
            }
        }
        values
    }
}

/// The distinct parts of all conclusions, each after its arguments.
fn parts_of(terms: &Terms, derivation: &Derivation) -> Vec<Term> {
    let mut is_seen = vec![false; terms.len()];
    let mut found = Vec::new();
    let mut pending: Vec<Term> = derivation.steps.iter().filter_map(|step| step.conclusion).collect();
    while let Some(term) = pending.pop() {
        if !std::mem::replace(&mut is_seen[term.index()], true) {
            found.push(term);
            pending.extend(terms.args(term).iter().filter(|arg| !is_seen[arg.index()]));
        }
    }
    // Arguments are interned before the terms that use them.
    found.sort_unstable();
    found
}

/// Evaluates claims under all assignments.
struct Tester<'a> {
    terms: &'a Terms,
    environment: &'a Environment,
    ingredients: &'a Ingredients,
    limits: TestLimits,
    /// For each assignment an evaluator, and one that gives values to what is not understood.
    concrete: Vec<Option<Evaluator<'a>>>,
    with_any: Vec<Option<Evaluator<'a>>>,
    /// Effort that is left.
    effort: u64,
    /// What was spent since evaluators were made.
    spent: u64,
    /// Claims that were tested before.
    outcomes: FxHashMap<(Vec<Term>, Term), Result<(), Unchecked>>,
}

impl<'a> Tester<'a> {
    fn new(
        terms: &'a Terms,
        environment: &'a Environment,
        ingredients: &'a Ingredients,
        limits: TestLimits,
    ) -> Self {
        let count = ingredients.assignments.len();
        Tester {
            terms,
            environment,
            ingredients,
            limits,
            concrete: (0..count).map(|_| None).collect(),
            with_any: (0..count).map(|_| None).collect(),
            effort: limits.effort,
            spent: 0,
            outcomes: FxHashMap::default(),
        }
    }

    fn contents(&self, claim: &Claim) -> u8 {
        let all = claim.premises.iter().chain([&claim.conclusion]);
        all.fold(0, |contents, term| contents | self.ingredients.contents[term.index()])
    }

    /// Whether no variable is free in a claim.
    fn is_closed(&self, claim: &Claim) -> bool {
        let mut formulas = claim.premises.iter().chain([&claim.conclusion]);
        formulas.all(|formula| {
            !self.terms.has_locals(*formula) || free_names(self.terms, *formula).locals.is_empty()
        })
    }

    fn outcome(&mut self, claim: &Claim) -> Outcome {
        let key = (claim.premises.clone(), claim.conclusion);
        match self.outcomes.get(&key) {
            Some(Ok(())) => return Outcome::Checked,
            Some(Err(reason)) => return Outcome::Unchecked(*reason),
            None => {}
        }
        let outcome = self.tested(claim);
        match outcome {
            Outcome::Checked => self.outcomes.insert(key, Ok(())),
            Outcome::Unchecked(reason) => self.outcomes.insert(key, Err(reason)),
            Outcome::False(_) => None,
        };
        outcome
    }

    fn tested(&mut self, claim: &Claim) -> Outcome {
        if follows(self.terms, &claim.premises, claim.conclusion) {
            return Outcome::Checked;
        }
        if let Some(reason) = self.obstacle(claim) {
            return Outcome::Unchecked(reason);
        }
        let contents = self.contents(claim);
        // Without constants there is one assignment.
        let wanted = if contents == 0 { 1 } else { self.limits.assignments };
        let available = self.ingredients.assignments.len();
        let mut passed = 0;
        let mut failures: FxHashMap<Unchecked, usize> = FxHashMap::default();
        for number in 0..available {
            if passed >= wanted || number - passed > available - wanted {
                break;
            }
            if self.effort == 0 {
                return Outcome::Unchecked(Unchecked::Effort);
            }
            match self.evaluate(claim, number, false) {
                Ok(true) => passed += 1,
                Ok(false) => return self.refuted(claim, self.ingredients.assignments[number].clone()),
                Err(Unknown::Limit) => {
                    // What takes too long once does so again.
                    *failures.entry(Unchecked::Effort).or_default() += 16;
                    if failures[&Unchecked::Effort] > 64 {
                        break;
                    }
                }
                Err(unknown) => {
                    let is_opaque = contents & (HAS_OPAQUE | HAS_QUANTIFIER) != 0;
                    if is_opaque && self.evaluate(claim, number, true) == Ok(true) {
                        passed += 1;
                    } else {
                        *failures.entry(reason_of(unknown, contents)).or_default() += 1;
                    }
                }
            }
        }
        if passed >= wanted {
            let is_own = contents == HAS_CONSTANTS && claim.premises.is_empty();
            return if is_own { self.focused(claim) } else { Outcome::Checked };
        }
        let most = failures.into_iter().max_by_key(|(reason, count)| (*count, std::cmp::Reverse(*reason)));
        Outcome::Unchecked(most.map_or(Unchecked::Opaque, |(reason, _)| reason))
    }

    /// What makes a claim one that cannot be tested assignment by assignment.
    fn obstacle(&self, claim: &Claim) -> Option<Unchecked> {
        if claim.has_unread_premise {
            return Some(Unchecked::NotRead);
        }
        let all = claim.premises.iter().chain([&claim.conclusion]);
        if !all.clone().any(|formula| self.terms.has_locals(*formula)) {
            return None;
        }
        let concluded = free_names(self.terms, claim.conclusion).locals;
        if concluded.iter().any(|name| self.ingredients.ambiguous.contains(name)) {
            return Some(Unchecked::Sort);
        }
        // A premise about any value of a variable says more than that it is true for one.
        let is_general = |premise: &Term| {
            let free = free_names(self.terms, *premise).locals;
            free.iter().any(|name| !concluded.contains(name))
        };
        // A quantifier in the conclusion may bind what is free in a premise.
        claim.premises.iter().any(is_general).then_some(Unchecked::Binder)
    }

    fn evaluate(&mut self, claim: &Claim, number: usize, with_any: bool) -> Result<bool, Unknown> {
        if self.spent > EVALUATOR_EFFORT * self.concrete.len() as u64 {
            self.concrete.iter_mut().chain(&mut self.with_any).for_each(|evaluator| *evaluator = None);
            self.spent = 0;
        }
        let slot = if with_any { &mut self.with_any[number] } else { &mut self.concrete[number] };
        let mut evaluator = match slot.take() {
            Some(evaluator) => evaluator,
            None => {
                let assignment = &self.ingredients.assignments[number];
                evaluator(self.terms, self.environment, self.ingredients, assignment, with_any)
            }
        };
        let allowed = self.limits.step_effort.min(self.effort);
        evaluator.budget = Budget::new(allowed);
        let value = claim.value(&mut evaluator);
        let spent = allowed - evaluator.budget.remaining();
        self.spent += spent;
        self.effort -= spent.min(self.effort);
        // An evaluation that was given up has forgotten the variables.
        if value != Err(Unknown::Limit) {
            let slot = if with_any { &mut self.with_any[number] } else { &mut self.concrete[number] };
            *slot = Some(evaluator);
        }
        value
    }

    /// Evaluates a claim under assignments of its own, with values near the literals that occur in it: those of a large
    /// proof are too many for all steps.
    fn focused(&mut self, claim: &Claim) -> Outcome {
        let parts = subterms(self.terms, &[claim.conclusion]);
        if parts.len() > MAX_FOCUSED_SIZE {
            return Outcome::Checked;
        }
        let mut pools = ValuePools::of(self.terms, &parts, self.ingredients.elements);
        let mut pooled = |sort: Sort| pools.values(self.terms, self.environment, sort);
        let mut constants = Vec::new();
        let mut locals = Vec::new();
        for part in &parts {
            match self.terms.head(*part) {
                Head::Global(_) if self.terms.args(*part).is_empty() => {
                    let position = self.ingredients.constants.iter().position(|constant| constant == part);
                    constants.extend(position.map(|position| (position, pooled(self.terms.sort(*part)))));
                }
                Head::Local(name) => {
                    let position = self.ingredients.locals.iter().position(|local| local.name == name);
                    locals.extend(position.map(|position| (position, pooled(self.terms.sort(*part)))));
                }
                _ => {}
            }
        }
        let mut random = Draw::new(self.limits.seed.wrapping_add(parts.len() as u64));
        let is_single = constants.len() + locals.len() == 1;
        for number in 0..self.limits.assignments {
            let mut assignment =
                self.ingredients.assignments[number % self.ingredients.assignments.len()].clone();
            let mut choose = |values: &[Value]| match (values.is_empty(), is_single) {
                (true, _) => None,
                // One constant gets each of its values.
                (false, true) => Some(values[number % values.len()].clone()),
                (false, false) => Some(draw(values, number, &mut random)),
            };
            for (position, values) in &constants {
                assignment.constants[*position] = choose(values);
            }
            for (position, values) in &locals {
                assignment.locals[*position] = choose(values);
            }
            let mut evaluator = evaluator(self.terms, self.environment, self.ingredients, &assignment, false);
            let allowed = self.limits.step_effort.min(self.effort);
            evaluator.budget = Budget::new(allowed);
            let value = claim.value(&mut evaluator);
            self.effort -= (allowed - evaluator.budget.remaining()).min(self.effort);
            if value == Ok(false) {
                return self.refuted(claim, assignment);
            }
        }
        Outcome::Checked
    }

    /// What becomes of a claim that was false under an assignment: it is evaluated once more, by itself.
    fn refuted(&self, claim: &Claim, assignment: Assignment) -> Outcome {
        let mut evaluator = evaluator(self.terms, self.environment, self.ingredients, &assignment, false);
        let is_false = claim.value(&mut evaluator) == Ok(false) && evaluator.missing().is_empty();
        match is_false {
            true => Outcome::False(Box::new(assignment)),
            false => Outcome::Unchecked(Unchecked::Effort),
        }
    }
}

/// An evaluator with the values of an assignment; `with_any` also gives values to what is not understood.
fn evaluator<'a>(
    terms: &'a Terms,
    environment: &'a Environment,
    ingredients: &'a Ingredients,
    assignment: &Assignment,
    with_any: bool,
) -> Evaluator<'a> {
    let mut evaluator = Evaluator::new(terms, environment, &ingredients.functions);
    let mut valued = |terms: &[Term], values: &[Option<Value>]| {
        for (term, value) in terms.iter().zip(values) {
            if let Some(value) = value {
                evaluator.assume(*term, value.clone());
            }
        }
    };
    valued(&ingredients.constants, &assignment.constants);
    if with_any {
        valued(&ingredients.unknown, &assignment.unknown);
    }
    for (local, value) in ingredients.locals.iter().zip(&assignment.locals) {
        if let Some(value) = value {
            evaluator.assume_local(local.name, value.clone());
        }
    }
    evaluator
}

fn reason_of(unknown: Unknown, contents: u8) -> Unchecked {
    match unknown {
        Unknown::Limit => Unchecked::Effort,
        Unknown::Open(_) | Unknown::OpenSelector(_) | Unknown::Irrational => Unchecked::Open,
        Unknown::Quantifier => Unchecked::Quantifier,
        Unknown::NoValue(_) | Unknown::FunctionEquality if contents & HAS_OPAQUE == 0 => Unchecked::Sort,
        _ => Unchecked::Opaque,
    }
}

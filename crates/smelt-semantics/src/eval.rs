//! Evaluation of terms under a model.
//!
//! One loop with an explicit stack, so depth costs memory and not stack. Boolean connectives are evaluated in Kleene's
//! three-valued logic: an argument that decides makes up for others that are unknown. What is shared is evaluated once:
//! terms without local variables once for all, others once per scope. `ite` evaluates only the branch it takes, so
//! recursive definitions end where they should; those that do not end in the budget.

mod open;
mod quantifier;

use std::collections::BTreeSet;
use std::rc::Rc;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Literal, Term, Terms, Variable};
use smelt_smtlib::walk::{free_names, graph_size};

use crate::apply::context::{Context, copied};
use crate::apply::{Application, apply};
use crate::bitvec::BitVec;
use crate::environment::Environment;
use crate::model::Model;
use crate::regex::Regexes;
use crate::string::Str;
use crate::unknown::Unknown;
use crate::value::{Closure, Value};
use crate::{Budget, LimitReached, cost, domain};
use open::{Absent, Application as OpenApplication, OpenValues, Part};
use quantifier::Instances;

/// A value, or why there is none.
pub type Outcome = Result<Value, Unknown>;

/// Calls may nest this deep.
const MAX_CALLS: usize = 200_000;
/// What one step costs, in units of the budget.
const STEP_COST: u64 = 32;
/// What remembering an outcome costs: mostly memory.
const MEMORY_COST: u64 = 96;

/// Evaluates terms of one arena under one model.
pub struct Evaluator<'a> {
    terms: &'a Terms,
    environment: &'a Environment,
    model: &'a Model,
    /// Effort that is left.
    pub budget: Budget,
    regexes: Regexes,
    /// Values of terms without local variables.
    closed: FxHashMap<Term, Part>,
    /// Values of terms in which local variables occur, for each scope around the current place; never empty.
    scopes: Vec<FxHashMap<Term, Part>>,
    /// What local variables stand for, innermost last.
    locals: FxHashMap<Symbol, Vec<Part>>,
    calls: usize,
    /// The variables around a function that it uses.
    captures: FxHashMap<Term, Rc<[Symbol]>>,
    /// What the model chose for operators whose value the standard leaves open.
    chosen: FxHashMap<OpenApplication, Value>,
    open_values: OpenValues,
    /// Symbols that were looked at and that the model gives no value.
    missing: BTreeSet<Symbol>,
}

/// A term whose evaluation has begun.
struct Frame {
    term: Term,
    /// The next argument, or another count of steps.
    next: usize,
    /// Where the values of its arguments start on the stack.
    base: usize,
    kind: FrameKind,
}

enum FrameKind {
    /// All arguments, then the operator.
    Strict,
    /// `and`, `or`, `=>`: stop at the argument that decides.
    Connective,
    Ite,
    Let,
    Quantifier(Box<Instances>),
    Match,
    Annotated,
    /// The body of a function that is being applied; these variables are bound for it.
    Body(Vec<Symbol>),
    /// The value that the model gives an operator on arguments where the standard leaves it open.
    Chosen(Unknown, Option<OpenApplication>),
}

enum Step {
    /// Evaluate this term next.
    Term(Term),
    /// The frame is complete with this outcome.
    Done(Part),
}

impl<'a> Evaluator<'a> {
    /// An evaluator with the default budget.
    pub fn new(terms: &'a Terms, environment: &'a Environment, model: &'a Model) -> Self {
        Evaluator {
            terms,
            environment,
            model,
            budget: Budget::default(),
            regexes: Regexes::new(),
            closed: FxHashMap::default(),
            scopes: vec![FxHashMap::default()],
            locals: FxHashMap::default(),
            calls: 0,
            captures: FxHashMap::default(),
            chosen: FxHashMap::default(),
            open_values: OpenValues::default(),
            missing: BTreeSet::new(),
        }
    }

    /// The symbols that were looked at so far and that the model gives no value, whether or not it was completed.
    pub fn missing(&self) -> &BTreeSet<Symbol> {
        &self.missing
    }

    /// The arena of the regular languages among the values.
    pub fn regexes(&mut self) -> &mut Regexes {
        &mut self.regexes
    }

    /// The value of a term that stands outside of all binders.
    pub fn eval(&mut self, term: Term) -> Outcome {
        let mut frames: Vec<Frame> = Vec::new();
        let mut values: Vec<Part> = Vec::new();
        let mut at = term;
        loop {
            match self.begin(at, values.len()) {
                Ok(frame) => frames.push(frame),
                Err(outcome) => values.push(outcome),
            }
            loop {
                let Some(frame) = frames.last_mut() else {
                    return pop(&mut values).map_err(|absent| absent.reason);
                };
                if self.budget.spend(STEP_COST).is_err() {
                    self.abandon();
                    return Err(Unknown::Limit);
                }
                match self.advance(frame, &mut values) {
                    Step::Term(term) => {
                        at = term;
                        break;
                    }
                    Step::Done(outcome) => {
                        let frame = frames.pop().expect("the innermost frame was just looked at");
                        values.truncate(frame.base);
                        self.remember(frame.term, &outcome);
                        values.push(outcome);
                    }
                }
            }
        }
    }

    /// Forgets the scopes of an evaluation that was given up.
    fn abandon(&mut self) {
        self.scopes.truncate(1);
        self.locals.clear();
        self.calls = 0;
    }

    fn remember(&mut self, term: Term, outcome: &Part) {
        let words = outcome.as_ref().map_or(0, Value::own_words);
        if self.budget.spend(MEMORY_COST).is_err() || self.budget.spend_words(words).is_err() {
            return;
        }
        if !self.terms.has_locals(term) {
            self.closed.insert(term, outcome.clone());
        } else if let Some(scope) = self.scopes.last_mut() {
            scope.insert(term, outcome.clone());
        }
    }

    fn recall(&mut self, term: Term) -> Option<Part> {
        let memory = if self.terms.has_locals(term) { self.scopes.last()? } else { &self.closed };
        memory.get(&term).map(|outcome| copied_part(outcome, &mut self.budget))
    }

    /// Starts a term: a frame, or at once its outcome.
    fn begin(&mut self, term: Term, base: usize) -> Result<Frame, Part> {
        if let Some(outcome) = self.recall(term) {
            return Err(outcome);
        }
        let args = self.terms.args(term);
        let kind = match self.terms.head(term) {
            Head::Literal(literal, text) => {
                return Err(self.literal(literal, text, self.terms.sort(term)).map_err(Absent::from));
            }
            Head::Opaque(text) => return Err(self.opaque(text, term).map_err(Absent::from)),
            Head::Local(name) if args.is_empty() => return Err(self.local(name)),
            Head::Lambda(binders) => {
                return Err(self.closure(self.terms.binders(binders), term).map_err(Absent::from));
            }
            Head::Op(Op::And | Op::Or | Op::Implies | Op::ImpliesWord, _) => FrameKind::Connective,
            Head::Op(Op::Ite, _) => FrameKind::Ite,
            // Whatever the value is, it equals itself: this also holds for values that the standard leaves open.
            Head::Op(Op::Eq | Op::Iff, _) if args.iter().all(|arg| *arg == args[0]) => {
                return Err(Ok(Value::Bool(true)));
            }
            Head::Op(..)
            | Head::Global(_)
            | Head::Qualified(_)
            | Head::Local(_)
            | Head::Tester(_)
            | Head::Updater(_) => FrameKind::Strict,
            Head::Let(_) => FrameKind::Let,
            Head::Forall(binders) => self.quantifier(true, self.terms.binders(binders), term)?,
            Head::Exists(binders) => self.quantifier(false, self.terms.binders(binders), term)?,
            Head::Match(_) => FrameKind::Match,
            Head::Annotated(_) => FrameKind::Annotated,
        };
        Ok(Frame { term, next: 0, base, kind })
    }

    /// Goes on with a frame, the outcomes of whose parts so far lie on `values` from its base on.
    fn advance(&mut self, frame: &mut Frame, values: &mut Vec<Part>) -> Step {
        let args = self.terms.args(frame.term);
        let term = frame.term;
        match &mut frame.kind {
            FrameKind::Strict => match args.get(frame.next) {
                Some(arg) => {
                    frame.next += 1;
                    Step::Term(*arg)
                }
                None => self.apply(frame, values),
            },
            FrameKind::Connective => {
                if let Some(Ok(Value::Bool(value))) = values[frame.base..].last()
                    && let Some(outcome) = decides(self.terms.op(term), *value, frame.next == args.len())
                {
                    return Step::Done(Ok(Value::Bool(outcome)));
                }
                match args.get(frame.next) {
                    Some(arg) => {
                        frame.next += 1;
                        Step::Term(*arg)
                    }
                    None => Step::Done(self.undecided(term, values.drain(frame.base..))),
                }
            }
            FrameKind::Ite => {
                frame.next += 1;
                let condition = match values.get(frame.base) {
                    Some(Ok(Value::Bool(condition))) => Ok(*condition),
                    Some(Err(absent)) => Err(absent.reason),
                    _ => Err(Unknown::IllSorted),
                };
                match (frame.next, condition) {
                    (1, _) => Step::Term(args[0]),
                    (2, Ok(condition)) => Step::Term(args[if condition { 1 } else { 2 }]),
                    (2, Err(Unknown::IllSorted)) => Step::Done(Err(Unknown::IllSorted.into())),
                    (2, Err(_)) => Step::Term(args[1]),
                    (3, Ok(_)) => Step::Done(self.coerced(pop(values), term)),
                    (3, Err(_)) => Step::Term(args[2]),
                    _ => Step::Done(self.either(term, values.drain(frame.base..).collect())),
                }
            }
            FrameKind::Annotated => {
                frame.next += 1;
                if frame.next == 1 { Step::Term(args[0]) } else { Step::Done(pop(values)) }
            }
            FrameKind::Let => {
                let position = frame.next;
                frame.next += 1;
                let Head::Let(binders) = self.terms.head(term) else {
                    unreachable!("only a let has a frame of this kind")
                };
                let variables = self.terms.binders(binders);
                if position < variables.len() {
                    return Step::Term(args[position]);
                }
                if position == variables.len() {
                    let bound =
                        variables.iter().map(|variable| variable.name).zip(values.drain(frame.base..));
                    bind(&mut self.locals, bound);
                    self.scopes.push(FxHashMap::default());
                    return Step::Term(args[position]);
                }
                self.leave(variables.iter().map(|variable| variable.name));
                Step::Done(pop(values))
            }
            FrameKind::Quantifier(instances) => {
                if frame.next > 0 {
                    self.scopes.pop();
                    unbind(&mut self.locals, instances.variables.iter().map(|variable| variable.name));
                    match pop(values) {
                        Ok(Value::Bool(value)) if value != instances.is_forall => {
                            return Step::Done(Ok(Value::Bool(value)));
                        }
                        Ok(Value::Bool(_)) => {}
                        Ok(_) => instances.unknown = Some(Unknown::IllSorted),
                        Err(absent) => instances.unknown = Some(absent.reason),
                    }
                    if !instances.step() {
                        return Step::Done(match instances.unknown {
                            Some(unknown) => Err(unknown.into()),
                            None if instances.is_complete => Ok(Value::Bool(instances.is_forall)),
                            None => Err(Unknown::Quantifier.into()),
                        });
                    }
                }
                frame.next += 1;
                if self.budget.spend_words(instances.words()).is_err() {
                    return Step::Done(Err(Unknown::Limit.into()));
                }
                let values_of_instance = instances.current();
                let names = instances.variables.iter().map(|variable| variable.name);
                bind(&mut self.locals, names.zip(values_of_instance.into_iter().map(Ok)));
                self.scopes.push(FxHashMap::default());
                Step::Term(args[0])
            }
            FrameKind::Match => match frame.next {
                0 => {
                    frame.next = 1;
                    Step::Term(args[0])
                }
                1 => {
                    frame.next = 2;
                    self.choose_case(frame, values)
                }
                _ => {
                    let Head::Match(cases) = self.terms.head(term) else {
                        unreachable!("only a match has a frame of this kind")
                    };
                    let case = &self.terms.cases(cases)[frame.next - 3];
                    self.leave(case.variables.iter().map(|variable| variable.name));
                    Step::Done(self.coerced(pop(values), term))
                }
            },
            FrameKind::Chosen(reason, application) => {
                let (reason, application) = (*reason, application.take());
                let outcome = self.coerced(pop(values), term);
                Step::Done(outcome.and_then(|value| self.choose(application, value, reason)))
            }
            FrameKind::Body(names) => {
                let names = std::mem::take(names);
                self.leave(names.into_iter());
                self.calls -= 1;
                Step::Done(self.coerced(pop(values), term))
            }
        }
    }

    fn leave(&mut self, names: impl Iterator<Item = Symbol>) {
        self.scopes.pop();
        unbind(&mut self.locals, names);
    }

    /// The first case whose pattern the matched value fits. Leaves in `frame.next` the case plus 3.
    fn choose_case(&mut self, frame: &mut Frame, values: &mut Vec<Part>) -> Step {
        let data = match pop(values) {
            Ok(value @ Value::Data(_)) => value,
            Ok(_) => return Step::Done(Err(Unknown::IllSorted.into())),
            // The result is not the value that is matched, so that no open value passes on.
            Err(absent) => return Step::Done(Err(absent.reason.into())),
        };
        let (Head::Match(cases), Value::Data(content)) = (self.terms.head(frame.term), &data) else {
            unreachable!("only a match of data comes here")
        };
        for (number, case) in self.terms.cases(cases).iter().enumerate() {
            let bound: &[Value] = match case.constructor {
                None => std::slice::from_ref(&data),
                Some(constructor) if constructor == content.constructor => &content.fields,
                Some(_) => continue,
            };
            if bound.len() != case.variables.len() {
                return Step::Done(Err(Unknown::IllSorted.into()));
            }
            let copy = |value: &Value| copied(value, &mut self.budget).map_err(Absent::from);
            let bound: Vec<Part> = bound.iter().map(copy).collect();
            bind(&mut self.locals, case.variables.iter().map(|variable| variable.name).zip(bound));
            self.scopes.push(FxHashMap::default());
            frame.next = number + 3;
            return Step::Term(self.terms.args(frame.term)[number + 1]);
        }
        Step::Done(Err(Unknown::IllSorted.into()))
    }

    /// Applies the head of a frame whose arguments are all there.
    fn apply(&mut self, frame: &mut Frame, values: &mut Vec<Part>) -> Step {
        let term = frame.term;
        let mut args = Vec::with_capacity(values.len() - frame.base);
        let mut parts = values.drain(frame.base..);
        for part in parts.by_ref() {
            match part {
                Ok(value) => args.push(value),
                Err(absent) => {
                    let known = args.into_iter().map(Ok).chain([Err(absent)]);
                    let parts = known.chain(parts).collect();
                    return Step::Done(self.apply_partly(term, parts));
                }
            }
        }
        drop(parts);
        match self.terms.head(term) {
            Head::Op(op, indices) => {
                if let (Op::Select, Some(Value::Function(closure))) = (op, args.first()) {
                    let closure = closure.clone();
                    return self.call_closure(frame, &closure, args.split_off(1));
                }
                let args = self.coerce_args(term, op, args);
                let application = Application {
                    op,
                    indices: self.terms.indices(indices),
                    sort: self.terms.sort(term),
                    args: &args,
                };
                match apply(&mut self.context(), &application) {
                    Ok(value) => Step::Done(self.coerced(Ok(value), term)),
                    Err(Unknown::Open(op)) => self.open(frame, op, args),
                    Err(unknown) => Step::Done(Err(unknown.into())),
                }
            }
            Head::Global(name) | Head::Qualified(name) => self.call(frame, name, args),
            Head::Local(name) => match self.local(name) {
                Ok(Value::Function(closure)) => self.call_closure(frame, &closure, args),
                Ok(_) => Step::Done(Err(Unknown::IllSorted.into())),
                Err(absent) => Step::Done(Err(absent.reason.into())),
            },
            Head::Tester(constructor) => Step::Done(match args.first() {
                Some(Value::Data(data)) => Ok(Value::Bool(data.constructor == constructor)),
                _ => Err(Unknown::IllSorted.into()),
            }),
            Head::Updater(selector) => Step::Done(self.update(selector, &args).map_err(Absent::from)),
            head => unreachable!("{head:?} has no strict frame"),
        }
    }

    /// An Int where a Real is wanted is a Real: in arrays, sequences and data it must look like one.
    fn coerce_args(&self, term: Term, op: Op, args: Vec<Value>) -> Vec<Value> {
        if !matches!(op, Op::Select | Op::Store | Op::ConstArray | Op::SeqUnit) {
            return args;
        }
        let arg_terms = self.terms.args(term);
        let container = if op == Op::ConstArray || op == Op::SeqUnit {
            self.terms.sort(term)
        } else {
            self.terms.sort(arg_terms[0])
        };
        let parts = self.terms.sorts.components(container);
        let wanted = |position: usize| match (op, position) {
            (Op::Select | Op::Store, 0) => None,
            (Op::Select | Op::Store, position) => parts.get(position - 1).copied(),
            (Op::ConstArray, _) => parts.get(1).copied(),
            _ => parts.first().copied(),
        };
        let coerced = args.into_iter().enumerate().map(|(position, arg)| match wanted(position) {
            Some(sort) => coerce(arg, sort),
            None => arg,
        });
        coerced.collect()
    }

    fn coerced(&self, outcome: Part, term: Term) -> Part {
        outcome.map(|value| coerce(value, self.terms.sort(term)))
    }

    /// Applies a declared or defined symbol.
    fn call(&mut self, frame: &mut Frame, name: Symbol, args: Vec<Value>) -> Step {
        if self.environment.is_constructor(name) {
            let words = args.iter().map(Value::part_words).sum();
            let args = self.coerce_fields(name, args);
            let data = match self.budget.spend_words(words) {
                Ok(()) => Value::data(name, args),
                Err(LimitReached) => None,
            };
            return Step::Done(data.ok_or(Unknown::Limit.into()));
        }
        if let Some(owners) = self.environment.selector(name) {
            let Some(Value::Data(data)) = args.first() else {
                return Step::Done(Err(Unknown::IllSorted.into()));
            };
            let owner = owners.iter().find(|(constructor, _)| *constructor == data.constructor);
            let field = owner.and_then(|(_, position)| data.fields.get(*position));
            return Step::Done(match field {
                Some(field) => copied(field, &mut self.budget).map_err(Absent::from),
                None => Err(self.open_value(frame.term, args, Unknown::OpenSelector(name))),
            });
        }
        let definition = self.environment.definition(name).or_else(|| self.model.definition(name));
        let Some(definition) = definition else {
            return Step::Done(self.without_definition(name, frame.term, args.len()).map_err(Absent::from));
        };
        if args.is_empty() && !definition.params.is_empty() {
            // A function as a value.
            let function = Value::function(definition.params.clone(), definition.body, Vec::new());
            return Step::Done(function.ok_or(Unknown::Limit.into()));
        }
        self.enter_definition(frame, definition, args)
    }

    fn without_definition(&mut self, name: Symbol, term: Term, arg_count: usize) -> Outcome {
        let sort = self.terms.sort(term);
        if arg_count == 0 && self.model.is_element(self.terms, name) {
            return Ok(Value::Abstract(sort, name));
        }
        self.missing.insert(name);
        if self.model.completes()
            && let Some(value) = domain::default_value(self.terms, self.environment, sort, &mut self.budget)?
        {
            return Ok(value);
        }
        Err(Unknown::NoValue(name))
    }

    fn enter_definition(&mut self, frame: &mut Frame, definition: &Definition, args: Vec<Value>) -> Step {
        if definition.params.len() != args.len() {
            // A constant whose value is a function.
            return Step::Done(Err(Unknown::IllSorted.into()));
        }
        let coerced = args.into_iter().zip(&definition.params).map(|(arg, param)| coerce(arg, param.sort));
        let bound: Vec<(Symbol, Value)> =
            definition.params.iter().map(|param| param.name).zip(coerced).collect();
        self.enter(frame, bound, definition.body)
    }

    fn call_closure(&mut self, frame: &mut Frame, closure: &Closure, args: Vec<Value>) -> Step {
        if closure.params.len() != args.len() {
            return Step::Done(Err(Unknown::IllSorted.into()));
        }
        let mut bound = Vec::with_capacity(closure.captured.len() + args.len());
        for (name, value) in &closure.captured {
            match copied(value, &mut self.budget) {
                Ok(copy) => bound.push((*name, copy)),
                Err(unknown) => return Step::Done(Err(unknown.into())),
            }
        }
        let params = closure.params.iter().zip(args);
        bound.extend(params.map(|(param, arg)| (param.name, coerce(arg, param.sort))));
        self.enter(frame, bound, closure.body)
    }

    /// Evaluates a body in place of the frame's term, under some variables.
    fn enter(&mut self, frame: &mut Frame, bound: Vec<(Symbol, Value)>, body: Term) -> Step {
        if self.calls >= MAX_CALLS || self.budget.spend(STEP_COST * bound.len() as u64).is_err() {
            return Step::Done(Err(Unknown::Limit.into()));
        }
        self.calls += 1;
        let names = bound.iter().map(|(name, _)| *name).collect();
        bind(&mut self.locals, bound.into_iter().map(|(name, value)| (name, Ok(value))));
        self.scopes.push(FxHashMap::default());
        frame.kind = FrameKind::Body(names);
        Step::Term(body)
    }

    /// The model's own word on an operator whose value the standard leaves open.
    fn open(&mut self, frame: &mut Frame, op: Op, args: Vec<Value>) -> Step {
        let (term, reason) = (frame.term, Unknown::Open(op));
        if let Some(value) = self.model.value_of(term) {
            // The solver was asked for the value of just this term. Equal arguments must give equal values.
            frame.kind = FrameKind::Chosen(reason, self.application_of(term, args));
            return Step::Term(value);
        }
        match self.model.choice(self.terms, op, term) {
            // Of a chain such as `(/ a b c)` we do not see here which division is the open one.
            Some(definition) if args.len() == 2 => {
                let mut args = args;
                args.truncate(definition.params.len());
                self.enter_definition(frame, definition, args)
            }
            _ => Step::Done(Err(self.open_value(term, args, reason))),
        }
    }

    /// The value that the model gives an application, unless it gave another one before.
    fn choose(&mut self, application: Option<OpenApplication>, value: Value, reason: Unknown) -> Part {
        let copy = copied(&value, &mut self.budget)?;
        let chosen = self.chosen.entry(application.ok_or(reason)?).or_insert(copy).clone();
        if self.context().equal(&chosen, &value)? { Ok(value) } else { Err(reason.into()) }
    }

    /// A connective none of whose arguments decides.
    fn undecided(&mut self, term: Term, parts: impl Iterator<Item = Part>) -> Part {
        let parts: Vec<Part> = parts.collect();
        if parts.iter().any(|part| part.as_ref().is_ok_and(|value| !matches!(value, Value::Bool(_)))) {
            return Err(Unknown::IllSorted.into());
        }
        if parts.iter().all(Result::is_ok) {
            return Ok(Value::Bool(self.terms.op(term) == Some(Op::And)));
        }
        Err(self.open_application(term, parts))
    }

    /// An `ite` whose condition is unknown: its branches may agree.
    fn either(&mut self, term: Term, parts: Vec<Part>) -> Part {
        match parts.as_slice() {
            [_, Ok(then), Ok(otherwise)] if self.context().equal(then, otherwise) == Ok(true) => {
                let then = copied(then, &mut self.budget).map_err(Absent::from);
                self.coerced(then, term)
            }
            [_, Err(then), Err(otherwise)] if then.open.is_some() && then.open == otherwise.open => {
                Err(*then)
            }
            _ => Err(self.open_application(term, parts)),
        }
    }

    /// The fields of a constructor, with an Int where a Real is declared as that Real.
    fn coerce_fields(&self, constructor: Symbol, mut args: Vec<Value>) -> Vec<Value> {
        if args.iter().any(|arg| matches!(arg, Value::Int(_)))
            && let Some(fields) = self.environment.fields(constructor)
        {
            for (arg, (_, sort)) in args.iter_mut().zip(fields).filter(|(_, (_, sort))| *sort == Sort::REAL) {
                *arg = coerce(arg.clone(), *sort);
            }
        }
        args
    }

    fn update(&mut self, selector: Symbol, args: &[Value]) -> Outcome {
        let ([Value::Data(data), field], Some(owners)) = (args, self.environment.selector(selector)) else {
            return Err(Unknown::IllSorted);
        };
        let words: u64 = data.fields.iter().map(|field| 10 + field.part_words()).sum();
        self.budget.spend_words(words + field.part_words())?;
        let mut fields = data.fields.clone();
        let owner = owners.iter().find(|(constructor, _)| *constructor == data.constructor);
        if let Some(slot) = owner.and_then(|(_, position)| fields.get_mut(*position)) {
            *slot = match slot {
                Value::Real(_) => coerce(field.clone(), Sort::REAL),
                _ => field.clone(),
            };
        }
        Value::data(data.constructor, fields).ok_or(Unknown::Limit)
    }

    fn local(&mut self, name: Symbol) -> Part {
        match self.locals.get(&name).and_then(|stack| stack.last()) {
            Some(outcome) => copied_part(outcome, &mut self.budget),
            None => Err(Unknown::NoValue(name).into()),
        }
    }

    /// The function that a lambda is. What it takes from around it must be known, because it may be applied where the
    /// same names stand for something else.
    fn closure(&mut self, params: &[Variable], lambda: Term) -> Outcome {
        let names = match self.captures.get(&lambda) {
            Some(names) => names.clone(),
            None => {
                self.budget.spend(STEP_COST * graph_size(self.terms, lambda) as u64)?;
                let mut names: Vec<Symbol> = free_names(self.terms, lambda).locals.into_iter().collect();
                names.sort_unstable();
                self.captures.entry(lambda).or_insert(names.into()).clone()
            }
        };
        self.budget.spend(STEP_COST * (names.len() + params.len()) as u64)?;
        let captured: Result<Vec<(Symbol, Value)>, Unknown> = names
            .iter()
            .map(|name| Ok((*name, self.local(*name).map_err(|absent| absent.reason)?)))
            .collect();
        let body = self.terms.args(lambda)[0];
        Value::function(params.to_vec(), body, captured?).ok_or(Unknown::Limit)
    }

    fn literal(&mut self, literal: Literal, text: Symbol, sort: Sort) -> Outcome {
        let text = self.terms.text(text);
        let len = text.len() as u64;
        self.budget.spend(match literal {
            // A fraction is reduced, too.
            Literal::Decimal => cost::radix_conversion(len) + cost::fraction(len / 16, len / 16),
            Literal::Numeral | Literal::BvDecimal => cost::radix_conversion(len),
            Literal::Hex | Literal::Binary | Literal::Str => cost::linear(len),
        })?;
        match literal {
            Literal::Numeral => Ok(Value::Int(text.parse().map_err(|_| Unknown::IllSorted)?)),
            Literal::Decimal => {
                let (whole, fraction) = text.split_once('.').ok_or(Unknown::IllSorted)?;
                let digits: IBig = format!("{whole}{fraction}").parse().map_err(|_| Unknown::IllSorted)?;
                let denominator = UBig::from(10u8).pow(fraction.len());
                Ok(Value::Real(RBig::from_parts(digits, denominator)))
            }
            Literal::Hex => BitVec::parse_hex(text).map(Value::BitVec).ok_or(Unknown::IllSorted),
            Literal::Binary => BitVec::parse_binary(text).map(Value::BitVec).ok_or(Unknown::IllSorted),
            Literal::BvDecimal => match self.terms.sorts.kind(sort) {
                SortKind::BitVec(width) => {
                    self.budget.spend_words(cost::words(u64::from(*width)))?;
                    let number: UBig = text.parse().map_err(|_| Unknown::IllSorted)?;
                    Ok(Value::BitVec(BitVec::from_ubig(*width, number)))
                }
                _ => Err(Unknown::IllSorted),
            },
            Literal::Str => match Str::from_literal(text) {
                Ok(string) => Ok(Value::Str(string)),
                Err(_) => Err(Unknown::IllSorted),
            },
        }
    }

    fn opaque(&mut self, text: Symbol, term: Term) -> Outcome {
        self.model.opaque_value(self.terms, text, self.terms.sort(term))
    }

    fn context(&mut self) -> Context<'_> {
        Context {
            terms: self.terms,
            environment: self.environment,
            budget: &mut self.budget,
            regexes: &mut self.regexes,
        }
    }
}

fn pop(values: &mut Vec<Part>) -> Part {
    values.pop().expect("the part was evaluated")
}

/// A copy of the outcome of a part, charged.
fn copied_part(part: &Part, budget: &mut Budget) -> Part {
    match part {
        Ok(value) => copied(value, budget).map_err(Absent::from),
        Err(absent) => Err(*absent),
    }
}

/// What the last argument's value says about the whole, if it decides.
fn decides(op: Option<Op>, value: bool, is_last: bool) -> Option<bool> {
    match op {
        Some(Op::And) => (!value).then_some(false),
        Some(Op::Or) => value.then_some(true),
        // An implication holds if its last argument does, or if any other does not.
        _ if is_last => value.then_some(true),
        _ => (!value).then_some(true),
    }
}

fn bind(locals: &mut FxHashMap<Symbol, Vec<Part>>, bound: impl Iterator<Item = (Symbol, Part)>) {
    for (name, value) in bound {
        locals.entry(name).or_default().push(value);
    }
}

fn unbind(locals: &mut FxHashMap<Symbol, Vec<Part>>, names: impl Iterator<Item = Symbol>) {
    for name in names {
        if let Some(stack) = locals.get_mut(&name) {
            stack.pop();
        }
    }
}

/// The value as one of `sort`: an Int where a Real is wanted becomes one.
fn coerce(value: Value, sort: Sort) -> Value {
    match value {
        Value::Int(number) if sort == Sort::REAL => Value::Real(RBig::from(number)),
        other => other,
    }
}

#[cfg(test)]
mod tests;

//! Evaluation of terms under a model.
//!
//! One loop with an explicit stack, so depth costs memory and not stack. Boolean connectives are evaluated in Kleene's
//! three-valued logic: an argument that decides makes up for others that are unknown. What is shared is evaluated once:
//! terms without local variables once for all, others once per scope. `ite` evaluates only the branch it takes, so
//! recursive definitions end where they should; those that do not end in the budget.

mod call;
mod choice;
mod formula;
mod irrational;
mod iterate;
mod open;
mod quantifier;
mod separation;
mod symbolic;

use std::collections::BTreeSet;
use std::rc::Rc;

use dashu_int::ops::RemEuclid;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Attributes, Head, Index, Literal, Term, Terms};

use crate::apply::context::{Context, copied};
use crate::apply::{Application, apply};
use crate::bitvec::BitVec;
use crate::domain::Domains;
use crate::environment::Environment;
use crate::irrational::Irrationals;
use crate::model::Model;
use crate::regex::Regexes;
use crate::string::Str;
use crate::unknown::Unknown;
use crate::value::Value;
use crate::{Budget, cost};
pub(crate) use choice::Choices;
use iterate::Iteration;
use open::{Absent, Application as OpenApplication, OpenValues, Part};
use quantifier::Instances;

/// A value, or why there is none.
pub type EvalResult = Result<Value, Unknown>;

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
    /// Values for what the standard leaves open, if some are to be chosen.
    choices: Option<Choices>,
    /// Symbols that were looked at and that the model gives no value.
    missing: BTreeSet<Symbol>,
    /// The heap of separation logic, once it was asked for.
    heap: Option<separation::Heap>,
    /// How many terms about the heap stand inside of each other where it is: those of a heap may lead back to it.
    heap_depth: u32,
    /// Numbers that are not rational.
    irrationals: Irrationals,
}

/// A term whose evaluation has begun.
struct Frame {
    term: Term,
    /// The next argument, or another count of steps.
    next: usize,
    /// Where the values of its arguments start on the stack.
    base: usize,
    kind: FrameKind,
    /// Whether it is a call of a function for another frame, and so no outcome of the term.
    is_call: bool,
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
    /// The body of a function that is being applied: the variables that are bound for it, and arguments for what it gives.
    Body {
        names: Vec<Symbol>,
        rest: Vec<Value>,
        result: Sort,
    },
    /// An operator that calls functions.
    Iterate(Box<Iteration>),
    /// The value that the model gives an operator on arguments where the standard leaves it open.
    Chosen(Unknown, Option<OpenApplication>),
}

/// The attributes of labels, which verifiers such as Boogie put into formulas for Z3.
const LABELS: [&str; 2] = [":lblpos", ":lblneg"];

enum Next {
    /// Evaluate this term next.
    Term(Term),
    /// The frame is complete with this outcome.
    Done(Part),
    /// Call this function for the frame next.
    Call(Value, Vec<Value>),
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
            choices: None,
            missing: BTreeSet::new(),
            heap: None,
            heap_depth: 0,
            irrationals: Irrationals::default(),
        }
    }

    /// The same evaluator, which chooses values where the standard leaves them open.
    pub(crate) fn choosing(self, choices: Choices) -> Self {
        Evaluator { choices: Some(choices), ..self }
    }

    /// The choices made so far; the first ones if none were made yet.
    pub(crate) fn into_choices(self) -> Choices {
        self.choices.unwrap_or_else(|| Choices::new(self.open_values))
    }

    /// Gives a term without local variables a value, whatever the model says of it. Only before anything is evaluated in
    /// which it occurs.
    pub fn assume(&mut self, term: Term, value: Value) {
        self.closed.insert(term, Ok(value));
    }

    /// Gives a variable that no binder binds a value, in all that is evaluated later.
    pub fn assume_local(&mut self, name: Symbol, value: Value) {
        bind(&mut self.locals, [(name, Ok(value))].into_iter());
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
    pub fn eval(&mut self, term: Term) -> EvalResult {
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
                    Next::Term(term) => {
                        at = term;
                        break;
                    }
                    Next::Done(outcome) => {
                        let frame = frames.pop().expect("the innermost frame was just looked at");
                        values.truncate(frame.base);
                        if !frame.is_call {
                            self.remember(frame.term, &outcome);
                        }
                        values.push(outcome);
                    }
                    Next::Call(function, args) => {
                        let (term, base) = (frame.term, values.len());
                        let mut call = Frame { term, next: 0, base, kind: FrameKind::Strict, is_call: true };
                        match self.call_value(&mut call, function, args) {
                            Next::Term(body) => {
                                frames.push(call);
                                at = body;
                                break;
                            }
                            Next::Done(outcome) => values.push(outcome),
                            Next::Call(..) => unreachable!("calling a function is no iteration"),
                        }
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
            Head::Opaque(text) => {
                return Err(match self.opaque(text, term) {
                    Err(Unknown::Irrational) => self.printed_root(text, term),
                    outcome => outcome.map_err(Absent::from),
                });
            }
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
            Head::Op(..) if self.is_of_separation(term) => return Err(self.spatial(term)),
            Head::Op(..)
            | Head::Global(_)
            | Head::Qualified(_)
            | Head::Local(_)
            | Head::Tester(_)
            | Head::Updater(_) => FrameKind::Strict,
            Head::Let(_) => FrameKind::Let,
            Head::Forall(binders) => self.quantifier(true, self.terms.binders(binders), term)?,
            Head::Exists(binders) => self.quantifier(false, self.terms.binders(binders), term)?,
            Head::Closure(..) => return Err(Err(Unknown::Quantifier.into())),
            Head::Match(_) => FrameKind::Match,
            Head::Annotated(attributes) => match self.label(attributes) {
                Some(label) => return Err(Err(Unknown::Opaque(label).into())),
                None => FrameKind::Annotated,
            },
        };
        Ok(Frame { term, next: 0, base, kind, is_call: false })
    }

    /// The attribute that makes an annotated term a label of Z3. Z3 does not take a label as true or false as what it
    /// annotates, so its models may falsify the annotated term, and its developers mean that.
    fn label(&self, attributes: Attributes) -> Option<Symbol> {
        let keywords = self.terms.attributes(attributes).iter().map(|attribute| attribute.keyword);
        keywords.into_iter().find(|keyword| LABELS.contains(&self.terms.text(*keyword)))
    }

    /// Goes on with a frame, the outcomes of whose parts so far lie on `values` from its base on.
    fn advance(&mut self, frame: &mut Frame, values: &mut Vec<Part>) -> Next {
        let args = self.terms.args(frame.term);
        let term = frame.term;
        match &mut frame.kind {
            FrameKind::Strict => match args.get(frame.next) {
                Some(arg) => {
                    frame.next += 1;
                    Next::Term(*arg)
                }
                None => self.apply(frame, values),
            },
            FrameKind::Connective => {
                if let Some(Ok(Value::Bool(value))) = values[frame.base..].last()
                    && let Some(outcome) = decides(self.terms.op(term), *value, frame.next == args.len())
                {
                    return Next::Done(Ok(Value::Bool(outcome)));
                }
                match args.get(frame.next) {
                    Some(arg) => {
                        frame.next += 1;
                        Next::Term(*arg)
                    }
                    None => Next::Done(self.undecided(term, values.drain(frame.base..))),
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
                    (1, _) => Next::Term(args[0]),
                    (2, Ok(condition)) => Next::Term(args[if condition { 1 } else { 2 }]),
                    (2, Err(Unknown::IllSorted)) => Next::Done(Err(Unknown::IllSorted.into())),
                    (2, Err(_)) => Next::Term(args[1]),
                    (3, Ok(_)) => Next::Done(self.coerced(pop(values), term)),
                    (3, Err(_)) => Next::Term(args[2]),
                    _ => Next::Done(self.either(term, values.drain(frame.base..).collect())),
                }
            }
            FrameKind::Annotated => {
                frame.next += 1;
                if frame.next == 1 { Next::Term(args[0]) } else { Next::Done(pop(values)) }
            }
            FrameKind::Let => {
                let position = frame.next;
                frame.next += 1;
                let Head::Let(binders) = self.terms.head(term) else {
                    unreachable!("only a let has a frame of this kind")
                };
                let variables = self.terms.binders(binders);
                if position < variables.len() {
                    return Next::Term(args[position]);
                }
                if position == variables.len() {
                    let bound =
                        variables.iter().map(|variable| variable.name).zip(values.drain(frame.base..));
                    bind(&mut self.locals, bound);
                    self.scopes.push(FxHashMap::default());
                    return Next::Term(args[position]);
                }
                self.leave(variables.iter().map(|variable| variable.name));
                Next::Done(pop(values))
            }
            FrameKind::Quantifier(instances) => {
                if frame.next > 0 {
                    self.scopes.pop();
                    unbind(&mut self.locals, instances.variables.iter().map(|variable| variable.name));
                    match pop(values) {
                        Ok(Value::Bool(value)) if value != instances.is_forall => {
                            return Next::Done(Ok(Value::Bool(value)));
                        }
                        Ok(Value::Bool(_)) => {}
                        Ok(_) => instances.unknown = Some(Unknown::IllSorted),
                        Err(absent) => instances.unknown = Some(absent.reason),
                    }
                    if !instances.step() {
                        return Next::Done(match instances.unknown {
                            Some(unknown) => Err(unknown.into()),
                            None if instances.is_complete => Ok(Value::Bool(instances.is_forall)),
                            None => Err(Unknown::Quantifier.into()),
                        });
                    }
                }
                frame.next += 1;
                if self.budget.spend_words(instances.words()).is_err() {
                    return Next::Done(Err(Unknown::Limit.into()));
                }
                let values_of_instance = instances.current();
                let names = instances.variables.iter().map(|variable| variable.name);
                bind(&mut self.locals, names.zip(values_of_instance.into_iter().map(Ok)));
                self.scopes.push(FxHashMap::default());
                Next::Term(args[0])
            }
            FrameKind::Match => match frame.next {
                0 => {
                    frame.next = 1;
                    Next::Term(args[0])
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
                    Next::Done(self.coerced(pop(values), term))
                }
            },
            FrameKind::Chosen(reason, application) => {
                let (reason, application) = (*reason, application.take());
                let outcome = self.coerced(pop(values), term);
                Next::Done(outcome.and_then(|value| self.choose(application, value, reason)))
            }
            FrameKind::Body { names, rest, result } => {
                let (names, rest, result) = (std::mem::take(names), std::mem::take(rest), *result);
                self.leave(names.into_iter());
                self.calls -= 1;
                let outcome = pop(values).map(|value| coerce(value, result));
                if rest.is_empty() {
                    return Next::Done(self.coerced(outcome, term));
                }
                match outcome {
                    Ok(function) => self.call_value(frame, function, rest),
                    Err(absent) => Next::Done(Err(absent.reason.into())),
                }
            }
            FrameKind::Iterate(iteration) => {
                if frame.next > 0
                    && let Err(unknown) = iteration.take(pop(values))
                {
                    return Next::Done(Err(unknown.into()));
                }
                frame.next += 1;
                match iteration.next_call() {
                    Err(unknown) => Next::Done(Err(unknown.into())),
                    Ok(Some((function, args))) => Next::Call(function, args),
                    Ok(None) => {
                        let FrameKind::Iterate(iteration) =
                            std::mem::replace(&mut frame.kind, FrameKind::Strict)
                        else {
                            unreachable!("the frame is one of an iteration")
                        };
                        let outcome = self.finish_iteration(*iteration, self.terms.sort(term));
                        Next::Done(self.coerced(outcome.map_err(Absent::from), term))
                    }
                }
            }
        }
    }

    fn leave(&mut self, names: impl Iterator<Item = Symbol>) {
        self.scopes.pop();
        unbind(&mut self.locals, names);
    }

    /// The first case whose pattern the matched value fits. Leaves in `frame.next` the case plus 3.
    fn choose_case(&mut self, frame: &mut Frame, values: &mut Vec<Part>) -> Next {
        let data = match pop(values) {
            Ok(value @ Value::Data(_)) => value,
            Ok(_) => return Next::Done(Err(Unknown::IllSorted.into())),
            // The result is not the value that is matched, so that no open value passes on.
            Err(absent) => return Next::Done(Err(absent.reason.into())),
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
                return Next::Done(Err(Unknown::IllSorted.into()));
            }
            let copy = |value: &Value| copied(value, &mut self.budget).map_err(Absent::from);
            let bound: Vec<Part> = bound.iter().map(copy).collect();
            bind(&mut self.locals, case.variables.iter().map(|variable| variable.name).zip(bound));
            self.scopes.push(FxHashMap::default());
            frame.next = number + 3;
            return Next::Term(self.terms.args(frame.term)[number + 1]);
        }
        Next::Done(Err(Unknown::IllSorted.into()))
    }

    /// Applies the head of a frame whose arguments are all there.
    fn apply(&mut self, frame: &mut Frame, values: &mut Vec<Part>) -> Next {
        let term = frame.term;
        let mut args = Vec::with_capacity(values.len() - frame.base);
        let mut parts = values.drain(frame.base..);
        for part in parts.by_ref() {
            match part {
                Ok(value) => args.push(value),
                Err(absent) => {
                    let known = args.into_iter().map(Ok).chain([Err(absent)]);
                    let parts = known.chain(parts).collect();
                    return Next::Done(self.apply_partly(term, parts));
                }
            }
        }
        drop(parts);
        match self.terms.head(term) {
            Head::Op(op, indices) => {
                let args = self.coerce_args(term, op, args);
                if iterate::calls_functions(op) || op == Op::Select && matches!(args[0], Value::Function(_)) {
                    return self.apply_calling(frame, op, args);
                }
                let application = Application {
                    op,
                    indices: self.terms.indices(indices),
                    sort: self.terms.sort(term),
                    args: &args,
                };
                match apply(&mut self.context(), &application) {
                    Ok(value) => Next::Done(self.coerced(Ok(value), term)),
                    Err(Unknown::Open(op)) => self.open(frame, op, args),
                    Err(Unknown::Irrational) => self.apply_irrationally(frame, op, args),
                    Err(Unknown::FunctionEquality) if matches!(op, Op::Eq | Op::Distinct) => {
                        let sort = self.terms.sort(self.terms.args(term)[0]);
                        if let [left, right] = args.as_slice()
                            && let Some(same) = self.same_functions(left, right, sort)
                        {
                            return Next::Done(Ok(Value::Bool(same == (op == Op::Eq))));
                        }
                        match self.comparison(op, &args, sort) {
                            Ok(iteration) => self.iterate(frame, iteration),
                            Err(unknown) => Next::Done(Err(unknown.into())),
                        }
                    }
                    Err(unknown) => Next::Done(Err(unknown.into())),
                }
            }
            Head::Global(name) | Head::Qualified(name) => self.call(frame, name, args),
            Head::Local(name) => match self.local(name) {
                Ok(function) => self.call_value(frame, function, args),
                Err(absent) => Next::Done(Err(absent.reason.into())),
            },
            Head::Tester(constructor) => Next::Done(match args.first() {
                Some(Value::Data(data)) => Ok(Value::Bool(data.constructor == constructor)),
                _ => Err(Unknown::IllSorted.into()),
            }),
            Head::Updater(selector) => Next::Done(self.update(selector, &args).map_err(Absent::from)),
            head => unreachable!("{head:?} has no strict frame"),
        }
    }

    /// An Int where a Real is wanted is a Real: in arrays, sequences and other containers it must look like one.
    fn coerce_args(&self, term: Term, op: Op, args: Vec<Value>) -> Vec<Value> {
        let sorts = &self.terms.sorts;
        let arg_sorts = || self.terms.args(term).iter().map(|arg| self.terms.sort(*arg));
        let part_of = |container: Sort, place: usize| sorts.components(container).get(place).copied();
        let element_of = |place: usize| arg_sorts().nth(place).and_then(|container| part_of(container, 0));
        let wanted: Vec<Option<Sort>> = match op {
            _ if !args.iter().any(|arg| matches!(arg, Value::Int(_))) => return args,
            Op::Select | Op::Store => {
                let container = arg_sorts().next().unwrap_or(Sort::UNKNOWN);
                (0..args.len())
                    .map(|place| place.checked_sub(1).and_then(|at| part_of(container, at)))
                    .collect()
            }
            Op::ConstArray => vec![match sorts.kind(self.terms.sort(term)) {
                SortKind::Array(_, element) => Some(*element),
                _ => sorts.as_function(self.terms.sort(term)).last().copied(),
            }],
            Op::SeqUnit | Op::SetSingleton | Op::FiniteSetSingleton | Op::NullableSome | Op::BagMake => {
                vec![part_of(self.terms.sort(term), 0)]
            }
            Op::SetMember | Op::FiniteSetIn | Op::BagCount | Op::BagMember => vec![element_of(1)],
            Op::SetInsert => vec![element_of(args.len() - 1); args.len() - 1],
            Op::TupleUpdate => {
                let place = match self.terms.head(term) {
                    Head::Op(_, indices) => match self.terms.indices(indices).first() {
                        Some(Index::Number(place)) => usize::try_from(*place).ok(),
                        _ => None,
                    },
                    _ => None,
                };
                vec![None, place.and_then(|place| part_of(self.terms.sort(term), place))]
            }
            Op::Tuple => sorts.components(self.terms.sort(term)).into_iter().map(Some).collect(),
            _ => return args,
        };
        let wanted = wanted.into_iter().chain(std::iter::repeat(None));
        let coerced = args.into_iter().zip(wanted).map(|(arg, wanted)| match wanted {
            Some(sort) => coerce(arg, sort),
            None => arg,
        });
        coerced.collect()
    }

    fn coerced(&self, outcome: Part, term: Term) -> Part {
        outcome.map(|value| coerce(value, self.terms.sort(term)))
    }

    /// The model's own word on an operator whose value the standard leaves open.
    fn open(&mut self, frame: &mut Frame, op: Op, args: Vec<Value>) -> Next {
        let (term, reason) = (frame.term, Unknown::Open(op));
        if let Some(value) = self.model.value_of(term) {
            // The solver was asked for the value of just this term. Equal arguments must give equal values.
            frame.kind = FrameKind::Chosen(reason, self.application_of(term, args));
            return Next::Term(value);
        }
        match self.model.choice(self.terms, op, term) {
            // Of a chain such as `(/ a b c)` we do not see here which division is the open one.
            Some(definition) if args.len() == 2 => {
                let mut args = args;
                args.truncate(definition.params.len());
                self.enter_definition(frame, definition, args)
            }
            _ => Next::Done(self.choose_open(term, args, reason)),
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

    fn local(&mut self, name: Symbol) -> Part {
        match self.locals.get(&name).and_then(|stack| stack.last()) {
            Some(outcome) => copied_part(outcome, &mut self.budget),
            None => Err(Unknown::NoValue(name).into()),
        }
    }

    fn literal(&mut self, literal: Literal, symbol: Symbol, sort: Sort) -> EvalResult {
        let text = self.terms.text(symbol);
        let len = text.len() as u64;
        self.budget.spend(match literal {
            // A fraction is reduced, too.
            Literal::Decimal => cost::radix_conversion(len) + cost::fraction(len / 16, len / 16),
            Literal::Numeral | Literal::BvDecimal | Literal::Field => cost::radix_conversion(len),
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
            Literal::Field => {
                let order = IBig::from(self.context().field_order(sort)?);
                let number: IBig = text.parse().map_err(|_| Unknown::IllSorted)?;
                let words = (cost::int_words(&number), cost::int_words(&order));
                self.budget.spend(cost::quotient(words.0, words.1))?;
                Ok(Value::Field(number.rem_euclid(order)))
            }
            Literal::Str => match Str::from_literal(text) {
                Ok(string) => Ok(Value::Str(string)),
                Err(_) => Err(Unknown::IllSorted),
            },
        }
    }

    fn opaque(&mut self, text: Symbol, term: Term) -> EvalResult {
        self.model.opaque_value(self.terms, text, self.terms.sort(term))
    }

    fn domains(&self) -> Domains<'a> {
        Domains { terms: self.terms, environment: self.environment, universes: self.model.universes() }
    }

    fn context(&mut self) -> Context<'_> {
        Context {
            terms: self.terms,
            environment: self.environment,
            universes: self.model.universes(),
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

//! Calls: of constructors and selectors, of what scripts and models define, of functions that are values.
//!
//! A function may be given fewer arguments than it has parameters, and is then a function of the others; or more, which
//! are for the function that it gives. The body takes the place of the frame's term, so calls need no stack of ours.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Variable};
use smelt_smtlib::walk::{free_names, graph_size};

use super::iterate::Iteration;
use super::open::Absent;
use super::{EvalResult, Evaluator, Frame, FrameKind, MAX_CALLS, Next, STEP_COST, bind, coerce};
use crate::LimitReached;
use crate::apply::context::copied;
use crate::apply::{Application, apply};
use crate::unknown::Unknown;
use crate::value::{Closure, Value};

/// A function whose body is to be evaluated.
struct Called {
    /// Its variables, with values.
    bound: Vec<(Symbol, Value)>,
    /// The arguments for the function that it gives.
    rest: Vec<Value>,
    body: Term,
    /// The sort of what the body gives.
    result: Sort,
}

impl Called {
    fn without_arguments(body: Term) -> Self {
        Called { bound: Vec::new(), rest: Vec::new(), body, result: Sort::UNKNOWN }
    }
}

impl Evaluator<'_> {
    /// Applies a declared or defined symbol.
    pub(super) fn call(&mut self, frame: &mut Frame, name: Symbol, args: Vec<Value>) -> Next {
        if self.environment.is_constructor(name) {
            let words = args.iter().map(Value::part_words).sum();
            let args = self.coerce_fields(name, args);
            let data = match self.budget.spend_words(words) {
                Ok(()) => Value::data(name, args),
                Err(LimitReached) => None,
            };
            return Next::Done(data.ok_or(Unknown::Limit.into()));
        }
        if let Some(owners) = self.environment.selector(name) {
            let Some(Value::Data(data)) = args.first() else {
                return Next::Done(Err(Unknown::IllSorted.into()));
            };
            let owner = owners.iter().find(|(constructor, _)| *constructor == data.constructor);
            let field = owner.and_then(|(_, position)| data.fields.get(*position));
            return Next::Done(match field {
                Some(field) => copied(field, &mut self.budget).map_err(Absent::from),
                None => self.choose_open(frame.term, args, Unknown::OpenSelector(name)),
            });
        }
        let definition = self.environment.definition(name).or_else(|| self.model.definition(name));
        let Some(definition) = definition else {
            return Next::Done(self.without_definition(name, frame.term, args.len()).map_err(Absent::from));
        };
        if args.len() < definition.params.len() {
            // A function as a value, perhaps of some of its arguments.
            if let (true, Some(array)) = (args.is_empty(), self.model.as_array(name)) {
                return self.enter(frame, Called::without_arguments(array));
            }
            let given = definition.params.iter().zip(args);
            let given: Vec<_> = given.map(|(param, arg)| (param.name, coerce(arg, param.sort))).collect();
            let params = definition.params[given.len()..].to_vec();
            let function = Value::function(params, definition.body, definition.sort, given);
            return Next::Done(function.ok_or(Unknown::Limit.into()));
        }
        self.enter_definition(frame, definition, args)
    }

    pub(super) fn without_definition(&mut self, name: Symbol, term: Term, arg_count: usize) -> EvalResult {
        let sort = self.terms.sort(term);
        if arg_count == 0
            && self.model.is_element(self.terms, name)
            && self.is_uninterpreted(sort)
            && !self.environment.declares(name)
        {
            return Ok(Value::Abstract(sort, name));
        }
        self.missing.insert(name);
        if self.model.completes()
            && let Some(value) = self.domains().default_value(sort, &mut self.budget)?
        {
            return Ok(value);
        }
        Err(Unknown::NoValue(name))
    }

    fn is_uninterpreted(&self, sort: Sort) -> bool {
        match self.terms.sorts.kind(sort) {
            SortKind::Named(name, _) => self.environment.datatype(*name).is_none(),
            _ => false,
        }
    }

    pub(super) fn enter_definition(
        &mut self,
        frame: &mut Frame,
        definition: &Definition,
        args: Vec<Value>,
    ) -> Next {
        let mut args = args;
        // More arguments are for the function that it gives.
        let rest = args.split_off(definition.params.len().min(args.len()));
        if definition.params.len() != args.len() {
            return Next::Done(Err(Unknown::IllSorted.into()));
        }
        let coerced = args.into_iter().zip(&definition.params).map(|(arg, param)| coerce(arg, param.sort));
        let bound: Vec<(Symbol, Value)> =
            definition.params.iter().map(|param| param.name).zip(coerced).collect();
        self.enter(frame, Called { bound, rest, body: definition.body, result: definition.sort })
    }

    /// Applies a function to values.
    pub(super) fn call_value(&mut self, frame: &mut Frame, function: Value, mut args: Vec<Value>) -> Next {
        match function {
            Value::Function(closure) => self.call_closure(frame, &closure, args),
            Value::Array(array) => {
                let rest = args.split_off(1.min(args.len()));
                if let Some(index @ Value::Int(_)) = args.first_mut()
                    && matches!(array.entries().next(), Some((Value::Real(_), _)))
                {
                    *index = coerce(index.clone(), Sort::REAL);
                }
                args.insert(0, Value::Array(array));
                let application =
                    Application { op: Op::Select, indices: &[], sort: Sort::UNKNOWN, args: &args };
                match apply(&mut self.context(), &application) {
                    Ok(value) if rest.is_empty() => Next::Done(Ok(value)),
                    // Each step takes an argument, and arrays nest only so deeply.
                    Ok(value) => self.call_value(frame, value, rest),
                    Err(unknown) => Next::Done(Err(unknown.into())),
                }
            }
            _ => Next::Done(Err(Unknown::IllSorted.into())),
        }
    }

    /// Applies an operator that calls functions.
    pub(super) fn apply_calling(&mut self, frame: &mut Frame, op: Op, mut args: Vec<Value>) -> Next {
        match op {
            Op::Apply | Op::ApplyTerm | Op::Select | Op::SelectFunction => {
                let rest = args.split_off(1);
                self.call_value(frame, args.swap_remove(0), rest)
            }
            Op::AsArray => Next::Done(Ok(args.swap_remove(0))),
            _ => {
                let Head::Op(_, indices) = self.terms.head(frame.term) else {
                    unreachable!("the frame is that of an operator")
                };
                let (indices, sort) = (self.terms.indices(indices), self.terms.sort(frame.term));
                match self.iteration(op, indices, sort, args) {
                    Ok(iteration) => self.iterate(frame, iteration),
                    Err(outcome) => Next::Done(outcome.map_err(Absent::from)),
                }
            }
        }
    }

    pub(super) fn iterate(&mut self, frame: &mut Frame, iteration: Iteration) -> Next {
        frame.kind = FrameKind::Iterate(Box::new(iteration));
        frame.next = 0;
        self.advance(frame, &mut Vec::new())
    }

    pub(super) fn call_closure(
        &mut self,
        frame: &mut Frame,
        closure: &Closure,
        mut args: Vec<Value>,
    ) -> Next {
        let mut bound = Vec::with_capacity(closure.captured.len() + args.len());
        for (name, value) in &closure.captured {
            match copied(value, &mut self.budget) {
                Ok(copy) => bound.push((*name, copy)),
                Err(unknown) => return Next::Done(Err(unknown.into())),
            }
        }
        let rest = args.split_off(closure.params.len().min(args.len()));
        let given = args.len();
        let params = closure.params.iter().zip(args);
        bound.extend(params.map(|(param, arg)| (param.name, coerce(arg, param.sort))));
        if given < closure.params.len() {
            let params = closure.params[given..].to_vec();
            let function = Value::function(params, closure.body, closure.result, bound);
            return Next::Done(function.ok_or(Unknown::Limit.into()));
        }
        self.enter(frame, Called { bound, rest, body: closure.body, result: closure.result })
    }

    /// Evaluates a body in place of the frame's term, under some variables, and applies what it gives to the rest.
    fn enter(&mut self, frame: &mut Frame, called: Called) -> Next {
        let Called { bound, rest, body, result } = called;
        if self.calls >= MAX_CALLS || self.budget.spend(STEP_COST * bound.len() as u64).is_err() {
            return Next::Done(Err(Unknown::Limit.into()));
        }
        self.calls += 1;
        let names = bound.iter().map(|(name, _)| *name).collect();
        bind(&mut self.locals, bound.into_iter().map(|(name, value)| (name, Ok(value))));
        self.scopes.push(FxHashMap::default());
        frame.kind = FrameKind::Body { names, rest, result };
        Next::Term(body)
    }

    /// The fields of a constructor, with an Int where a Real is declared as that Real.
    pub(super) fn coerce_fields(&self, constructor: Symbol, mut args: Vec<Value>) -> Vec<Value> {
        if args.iter().any(|arg| matches!(arg, Value::Int(_)))
            && let Some(fields) = self.environment.fields(constructor)
        {
            for (arg, (_, sort)) in args.iter_mut().zip(fields).filter(|(_, (_, sort))| *sort == Sort::REAL) {
                *arg = coerce(arg.clone(), *sort);
            }
        }
        args
    }

    pub(super) fn update(&mut self, selector: Symbol, args: &[Value]) -> EvalResult {
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

    /// The function that a lambda is. What it takes from around it must be known, because it may be applied where the
    /// same names stand for something else.
    pub(super) fn closure(&mut self, params: &[Variable], lambda: Term) -> EvalResult {
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
        Value::function(params.to_vec(), body, self.terms.sort(body), captured?).ok_or(Unknown::Limit)
    }
}

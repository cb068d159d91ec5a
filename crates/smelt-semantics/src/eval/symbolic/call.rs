//! Calls with variables among the arguments: of constructors and selectors, of definitions, of functions and arrays that
//! are values. With them two functions over infinite sorts are compared.

use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;

use super::super::Evaluator;
use super::super::formula::Formula;
use super::{Cases, MAX_ENTRIES, Symbolic, Symbols, just, unknown};
use crate::value::{Closure, Value};

/// Whether an operator calls the function that is its first argument.
pub(super) fn is_call(op: Op, row: &[Symbolic]) -> bool {
    let is_function = matches!(row.first(), Some(Symbolic::Value(Value::Function(_) | Value::Array(_))));
    is_function
        && match op {
            Op::Apply | Op::ApplyTerm | Op::SelectFunction => true,
            Op::Select => matches!(row.first(), Some(Symbolic::Value(Value::Function(_)))),
            _ => false,
        }
}

impl Evaluator<'_> {
    /// Whether two functions of a sort give the same for all arguments, if that can be found out.
    pub(in super::super) fn same_functions(
        &mut self,
        left: &Value,
        right: &Value,
        sort: Sort,
    ) -> Option<bool> {
        let mut params = self.terms.sorts.as_function(sort);
        params.pop();
        let is_function = |value: &Value| matches!(value, Value::Function(_) | Value::Array(_));
        if params.is_empty() || !is_function(left) || !is_function(right) {
            return None;
        }
        let functions = [left, right].map(|function| Symbolic::Value(function.clone()));
        let differ = self.with_symbols(|symbols| symbols.differ(&functions, &params, &mut Vec::new()))?;
        Some(!differ)
    }
}

impl Symbols<'_, '_> {
    /// Whether some arguments of these sorts, after those that are given, tell two functions apart.
    fn differ(&mut self, functions: &[Symbolic; 2], params: &[Sort], given: &mut Vec<Symbolic>) -> Formula {
        let Some((sort, rest)) = params.split_first() else {
            let [left, right] = functions.each_ref().map(|function| self.call_of_value(function, given));
            let mut same = Vec::new();
            for (one_condition, one) in &left {
                for (other_condition, other) in &right {
                    let equal = self.equal(one, other);
                    same.push(self.formulas.and(vec![one_condition.clone(), other_condition.clone(), equal]));
                }
            }
            let same = self.formulas.or(same);
            return self.formulas.not(&same);
        };
        let mut parts = Vec::new();
        for (value, made) in self.alternatives(*sort, 0) {
            given.push(value);
            let mut part = self.differ(functions, rest, given);
            given.pop();
            for var in made.into_iter().rev() {
                part = self.formulas.exists(var, &part);
            }
            parts.push(part);
        }
        self.formulas.or(parts)
    }

    /// Whether something is an element of a set.
    pub(super) fn member(&mut self, row: &[Symbolic]) -> Cases {
        let [element, Symbolic::Value(Value::Set(set))] = row else { return unknown() };
        if set.elements().count() > MAX_ENTRIES {
            return unknown();
        }
        let mut parts = Vec::new();
        for other in set.elements() {
            parts.push(self.equal(element, &Symbolic::Value(other.clone())));
        }
        let inside = self.formulas.or(parts);
        let outside = self.formulas.not(&inside);
        let truth = |value| Symbolic::Value(Value::Bool(value));
        vec![(inside, truth(true)), (outside, truth(false))]
    }

    /// What a variable that stands for a function gives.
    pub(super) fn call_of_local(&mut self, name: Symbol, row: &[Symbolic]) -> Cases {
        match self.locals.get(&name).and_then(|stack| stack.last()).map(Vec::as_slice) {
            Some([(Formula::True, function)]) => {
                let function = function.clone();
                self.call_of_value(&function, row)
            }
            _ => unknown(),
        }
    }

    /// What a function or an array gives for arguments; each takes one, or all that a function has parameters for.
    pub(super) fn call_of_value(&mut self, function: &Symbolic, row: &[Symbolic]) -> Cases {
        let Symbolic::Value(value) = function else { return unknown() };
        match (value, row) {
            (_, []) => just(function.clone()),
            (Value::Array(_), [index]) => self.selected(&[function.clone(), index.clone()]),
            (Value::Function(closure), _) if closure.params.len() == row.len() => {
                self.call_of_closure(closure, row)
            }
            _ => unknown(),
        }
    }

    fn call_of_closure(&mut self, closure: &Closure, row: &[Symbolic]) -> Cases {
        let around = std::mem::take(&mut self.locals);
        for (name, value) in &closure.captured {
            self.locals.entry(*name).or_default().push(just(Symbolic::Value(value.clone())));
        }
        for (param, value) in closure.params.iter().zip(row) {
            self.locals.entry(param.name).or_default().push(just(value.clone()));
        }
        let cases = self.cases(closure.body);
        self.locals = around;
        cases
    }

    /// The element at an index, for each entry of the array.
    pub(super) fn selected(&mut self, row: &[Symbolic]) -> Cases {
        let [Symbolic::Value(Value::Array(array)), index] = row else { return unknown() };
        if array.entry_count() > MAX_ENTRIES {
            return unknown();
        }
        let mut cases = Cases::new();
        let mut others = vec![];
        for (entry, element) in array.entries() {
            let here = self.equal(index, &Symbolic::Value(entry.clone()));
            others.push(self.formulas.not(&here));
            cases.push((here, Symbolic::Value(element.clone())));
        }
        let elsewhere = self.formulas.and(others);
        cases.push((elsewhere, Symbolic::Value(array.default().clone())));
        cases.retain(|(condition, _)| *condition != Formula::False);
        self.merged(cases)
    }

    pub(super) fn called(&mut self, name: Symbol, row: &[Symbolic], values: Option<Vec<Value>>) -> Cases {
        let environment = self.evaluator.environment;
        if environment.is_constructor(name) {
            return match values {
                Some(values) => {
                    let fields = self.evaluator.coerce_fields(name, values);
                    Value::data(name, fields).map_or_else(unknown, |value| just(Symbolic::Value(value)))
                }
                None => just(Symbolic::Data(name, row.to_vec())),
            };
        }
        if let Some(owners) = environment.selector(name) {
            let place = |constructor: Symbol| {
                owners.iter().find(|(owner, _)| *owner == constructor).map(|(_, place)| *place)
            };
            let field = match row {
                [Symbolic::Data(constructor, fields)] => {
                    place(*constructor).and_then(|place| fields.get(place)).cloned()
                }
                [Symbolic::Value(Value::Data(data))] => place(data.constructor)
                    .and_then(|place| data.fields.get(place))
                    .map(|field| Symbolic::Value(field.clone())),
                _ => None,
            };
            return field.map_or_else(unknown, just);
        }
        let definition = environment.definition(name).or_else(|| self.evaluator.model.definition(name));
        if let Some(definition) =
            definition.filter(|definition| definition.params.is_empty() && !row.is_empty())
        {
            return match self.evaluator.eval(definition.body) {
                Ok(function) => self.call_of_value(&Symbolic::Value(function), row),
                Err(_) => unknown(),
            };
        }
        let Some(definition) = definition.filter(|definition| definition.params.len() == row.len()) else {
            return unknown();
        };
        // Only the parameters are known in the body.
        let around = std::mem::take(&mut self.locals);
        for (param, value) in definition.params.iter().zip(row) {
            self.locals.entry(param.name).or_default().push(just(value.clone()));
        }
        let cases = self.cases(definition.body);
        self.locals = around;
        cases
    }
}

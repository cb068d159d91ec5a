//! Whether recursive definitions have a solution, whatever else is asserted.
//!
//! `(define-fun-rec f (x) t)` asserts that `(f x)` equals `t` for all x. That may contradict itself, as `f(x) = f(x) + 1`
//! does, and then no model satisfies the script; evaluation, which unfolds calls, does not notice. A definition has a
//! solution if all its calls of itself are in tail position, or if every call makes one argument smaller in an order that
//! ends: a field of a datatype value, a part of a string or sequence, or an integer that comes closer to a bound. Others
//! may have none.

use std::rc::Rc;

use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::op::Op;
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::SortKind;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::environment::Environment;
use crate::literal;

/// Bodies with more ways to their parts are not looked through.
const MAX_VISITS: usize = 20_000;

/// More recursive definitions are not looked through.
const MAX_DEFINITIONS: usize = 500;

/// Whether some recursive definition of an environment may have no solution.
pub(crate) fn may_be_unsolvable(terms: &Terms, environment: &Environment) -> bool {
    let names: FxHashSet<Symbol> = environment.recursive().map(|definition| definition.name).collect();
    if names.len() > MAX_DEFINITIONS {
        return true;
    }
    let calls = |definition: &Definition| -> Vec<Symbol> {
        let parts = subterms(terms, &[definition.body]);
        parts.iter().filter_map(|part| callee(terms, *part)).filter(|name| names.contains(name)).collect()
    };
    let called: FxHashMap<Symbol, Vec<Symbol>> =
        environment.recursive().map(|definition| (definition.name, calls(definition))).collect();
    let reached: FxHashMap<Symbol, FxHashSet<Symbol>> =
        names.iter().map(|name| (*name, reachable(&called, *name))).collect();
    environment.recursive().any(|definition| {
        // Functions that do not call this one have a solution before it.
        let own = &reached[&definition.name];
        let circle: FxHashSet<Symbol> =
            own.iter().copied().filter(|name| reached[name].contains(&definition.name)).collect();
        if circle.is_empty() {
            return false;
        }
        let Some(calls) = Walk::new(terms, environment, definition).calls(&circle) else { return true };
        let is_tail = calls.iter().all(|call| call.is_tail);
        // A function among several is only known to have a solution if all of them have no other calls than at the end.
        let decreases = |measure: &Measure| calls.iter().all(|call| call.smaller.contains(measure));
        let is_alone = circle.len() == 1;
        let measures = calls.first().map_or(&[][..], |call| &call.smaller);
        !(is_tail || is_alone && measures.iter().any(decreases))
    })
}

/// The functions that a call of a function may lead to.
fn reachable(called: &FxHashMap<Symbol, Vec<Symbol>>, from: Symbol) -> FxHashSet<Symbol> {
    let mut reached = FxHashSet::default();
    let mut pending = vec![from];
    while let Some(name) = pending.pop() {
        pending.extend(called.get(&name).into_iter().flatten().filter(|name| reached.insert(**name)));
    }
    reached
}

fn callee(terms: &Terms, term: Term) -> Option<Symbol> {
    match terms.head(term) {
        Head::Global(name) | Head::Qualified(name) => Some(name),
        _ => None,
    }
}

/// What is known on the way to a part of a body.
#[derive(Debug)]
enum Fact {
    /// A condition holds, or does not.
    Condition(Term, bool),
    /// The first variable is a field of what the second one is.
    Field(Symbol, Symbol),
}

/// The facts on the way, the last one first.
#[derive(Debug, Clone)]
struct Path(Option<Rc<(Fact, Path)>>);

impl Path {
    fn with(&self, fact: Fact) -> Path {
        Path(Some(Rc::new((fact, self.clone()))))
    }

    fn facts(&self) -> impl Iterator<Item = &Fact> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let node = rest.0.as_ref()?;
            rest = &node.1;
            Some(&node.0)
        })
    }
}

/// A call in a body.
struct Call {
    is_tail: bool,
    /// What is smaller for its arguments than for the parameters.
    smaller: Vec<Measure>,
}

/// What becomes smaller with every call, and cannot do so for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// The argument at a place: a part of what the parameter is, or an integer above some number.
    Size(usize),
    /// How far the integer at a place is below some number.
    Gap(usize),
    /// How far the integer at a place is above a term that no call changes.
    Above(usize, Term),
    /// How far it is below such a term.
    Below(usize, Term),
}

/// That one term is less than another, or not more.
struct Less {
    low: Term,
    high: Term,
    is_strict: bool,
}

struct Walk<'a> {
    terms: &'a Terms,
    environment: &'a Environment,
    definition: &'a Definition,
}

impl<'a> Walk<'a> {
    fn new(terms: &'a Terms, environment: &'a Environment, definition: &'a Definition) -> Self {
        Walk { terms, environment, definition }
    }

    /// The calls of some functions in the body; none if it is too large or binds the name of a variable again.
    fn calls(&self, names: &FxHashSet<Symbol>) -> Option<Vec<Call>> {
        let params: Vec<Symbol> = self.definition.params.iter().map(|param| param.name).collect();
        let mut bound: FxHashSet<Symbol> = params.into_iter().collect();
        for part in subterms(self.terms, &[self.definition.body]) {
            for position in 0..self.terms.args(part).len() {
                if self.terms.bound_at(part, position).iter().any(|variable| !bound.insert(variable.name)) {
                    return None;
                }
            }
        }
        let mut calls = Vec::new();
        let mut pending = vec![(self.definition.body, true, Path(None))];
        let mut visits = 0;
        while let Some((term, is_tail, path)) = pending.pop() {
            visits += 1;
            if visits > MAX_VISITS {
                return None;
            }
            let args = self.terms.args(term);
            if callee(self.terms, term).is_some_and(|name| names.contains(&name)) {
                // A function as a value may be called anywhere.
                if args.len() != self.definition.params.len()
                    && callee(self.terms, term) == Some(self.definition.name)
                {
                    return None;
                }
                let smaller = (0..args.len()).flat_map(|place| self.smaller(place, args, &path));
                calls.push(Call { is_tail, smaller: smaller.collect() });
            }
            for (position, arg) in args.iter().enumerate() {
                let (is_tail, path) = self.around(term, position, is_tail, &path);
                pending.push((*arg, is_tail, path));
            }
        }
        Some(calls)
    }

    /// Whether an argument is the result of the whole, and what is known there.
    fn around(&self, term: Term, position: usize, is_tail: bool, path: &Path) -> (bool, Path) {
        let args = self.terms.args(term);
        match self.terms.head(term) {
            Head::Op(Op::Ite, _) if position > 0 => {
                (is_tail, path.with(Fact::Condition(args[0], position == 1)))
            }
            // The value is the same whatever a later argument is, unless the earlier ones leave it open.
            Head::Op(op @ (Op::And | Op::Or | Op::Implies), _) => {
                let holds = op != Op::Or;
                let known = args[..position].iter();
                (false, known.fold(path.clone(), |path, arg| path.with(Fact::Condition(*arg, holds))))
            }
            Head::Let(_) => (is_tail && position + 1 == args.len(), path.clone()),
            Head::Match(cases) if position > 0 => {
                let case = &self.terms.cases(cases)[position - 1];
                let fields = match (case.constructor, self.terms.head(args[0])) {
                    (Some(_), Head::Local(of)) if self.terms.args(args[0]).is_empty() => {
                        case.variables.iter().map(|field| Fact::Field(field.name, of)).collect()
                    }
                    _ => Vec::new(),
                };
                (is_tail, fields.into_iter().fold(path.clone(), |path, fact| path.with(fact)))
            }
            Head::Annotated(_) => (is_tail && position == 0, path.clone()),
            _ => (false, path.clone()),
        }
    }

    /// What is smaller for the argument at a place than for the parameter.
    fn smaller(&self, place: usize, args: &[Term], path: &Path) -> Vec<Measure> {
        let Some(param) = self.definition.params.get(place) else { return Vec::new() };
        let is_part = match self.terms.sorts.kind(param.sort) {
            SortKind::Int => return self.smaller_integer(place, args, path),
            SortKind::Named(..) => self.is_field(param.name, args[place], path),
            SortKind::String | SortKind::Seq(_) => self.is_rest(param.name, args[place], path),
            _ => false,
        };
        if is_part { vec![Measure::Size(place)] } else { Vec::new() }
    }

    fn is_variable(&self, term: Term, name: Symbol) -> bool {
        self.terms.head(term) == Head::Local(name) && self.terms.args(term).is_empty()
    }

    fn smaller_integer(&self, place: usize, args: &[Term], path: &Path) -> Vec<Measure> {
        let param = self.definition.params[place].name;
        let arg = args[place];
        let is_param = |term: Term| self.is_variable(term, param);
        let facts = self.less_facts(path);
        let above = facts.iter().filter(|fact| is_param(fact.high));
        if let (Some(Op::IntDiv), [dividend, divisor]) = (self.terms.op(arg), self.terms.args(arg))
            && is_param(*dividend)
            && self.number(*divisor).is_some_and(|divisor| divisor > IBig::ONE)
        {
            // Only of a positive number is the quotient smaller and not negative.
            let mut lows = above.filter_map(|fact| Some((self.number(fact.low)?, fact.is_strict)));
            let is_positive = lows.any(|(low, is_strict)| low >= IBig::from(u8::from(!is_strict)));
            return if is_positive { vec![Measure::Size(place)] } else { Vec::new() };
        }
        let measure = |bound: Term, by_number: Measure, by_term: Measure| match self.number(bound) {
            Some(_) => Some(by_number),
            None => self.is_unchanged(bound, args).then_some(by_term),
        };
        match self.change(param, arg) {
            Some(change) if change < IBig::ZERO => {
                let by = |low: Term| measure(low, Measure::Size(place), Measure::Above(place, low));
                above.filter_map(|fact| by(fact.low)).collect()
            }
            Some(change) if change > IBig::ZERO => {
                let below = facts.iter().filter(|fact| is_param(fact.low));
                let by = |high: Term| measure(high, Measure::Gap(place), Measure::Below(place, high));
                below.filter_map(|fact| by(fact.high)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn number(&self, term: Term) -> Option<IBig> {
        literal::int_value(self.terms, term)
    }

    /// The number by which a term is more than a variable.
    fn change(&self, param: Symbol, term: Term) -> Option<IBig> {
        match (self.terms.op(term)?, self.terms.args(term)) {
            (Op::Sub, [variable, amount]) if self.is_variable(*variable, param) => {
                self.number(*amount).map(|amount| -amount)
            }
            (Op::Add, [variable, amount]) if self.is_variable(*variable, param) => self.number(*amount),
            (Op::Add, [amount, variable]) if self.is_variable(*variable, param) => self.number(*amount),
            _ => None,
        }
    }

    /// Whether a term has the same value for a call: it depends only on parameters that are handed on, and on no
    /// function that is being defined.
    fn is_unchanged(&self, term: Term, args: &[Term]) -> bool {
        subterms(self.terms, &[term]).into_iter().all(|part| match self.terms.head(part) {
            Head::Local(name) => {
                let place = self.definition.params.iter().position(|param| param.name == name);
                place.is_some_and(|place| args.get(place).is_some_and(|arg| self.is_variable(*arg, name)))
            }
            Head::Global(name) | Head::Qualified(name) => self.environment.definition(name).is_none(),
            _ => true,
        })
    }

    /// The conditions that hold on a path, and those that do not.
    fn conditions(&self, path: &Path) -> Vec<(Term, bool)> {
        let conditions = path.facts().filter_map(|fact| match fact {
            Fact::Condition(condition, holds) => Some((*condition, *holds)),
            Fact::Field(..) => None,
        });
        let mut pending: Vec<(Term, bool)> = conditions.collect();
        let mut atoms = Vec::new();
        while let Some((condition, holds)) = pending.pop() {
            let args = self.terms.args(condition);
            match self.terms.op(condition) {
                Some(Op::Not) => pending.push((args[0], !holds)),
                Some(Op::And) if holds => pending.extend(args.iter().map(|arg| (*arg, true))),
                Some(Op::Or) if !holds => pending.extend(args.iter().map(|arg| (*arg, false))),
                _ => atoms.push((condition, holds)),
            }
        }
        atoms
    }

    fn less_facts(&self, path: &Path) -> Vec<Less> {
        let less = |(condition, holds): (Term, bool)| {
            let (op, [left, right]) = (self.terms.op(condition)?, self.terms.args(condition)) else {
                return None;
            };
            let (left, right) = (*left, *right);
            let (low, high, is_strict) = match (op, holds) {
                (Op::Lt, true) | (Op::Ge, false) => (left, right, true),
                (Op::Le, true) | (Op::Gt, false) => (left, right, false),
                (Op::Gt, true) | (Op::Le, false) => (right, left, true),
                (Op::Ge, true) | (Op::Lt, false) => (right, left, false),
                _ => return None,
            };
            Some(Less { low, high, is_strict })
        };
        self.conditions(path).into_iter().filter_map(less).collect()
    }

    /// Whether a term is a string or sequence that a variable stands for, without some of its first or last elements.
    fn is_rest(&self, param: Symbol, arg: Term, path: &Path) -> bool {
        let (Some(Op::StrSubstr | Op::SeqExtract | Op::SeqStrSubstr), [of, start, count]) =
            (self.terms.op(arg), self.terms.args(arg))
        else {
            return false;
        };
        if !self.is_variable(*of, param) || !self.is_nonempty(param, path) {
            return false;
        }
        let is_shorter = || match (self.terms.op(*count), self.terms.args(*count)) {
            (Some(Op::Sub), [length, less]) => {
                self.is_length(*length, param) && self.number(*less).is_some_and(|less| less > IBig::ZERO)
            }
            _ => self.number(*count).is_some_and(|count| count <= IBig::ZERO),
        };
        self.number(*start).is_some_and(|start| start > IBig::ZERO) || is_shorter()
    }

    fn is_length(&self, term: Term, param: Symbol) -> bool {
        matches!(self.terms.op(term), Some(Op::StrLen | Op::SeqLen | Op::SeqStrLen))
            && self.is_variable(self.terms.args(term)[0], param)
    }

    /// Whether it is known on a path that a string or sequence has an element.
    fn is_nonempty(&self, param: Symbol, path: &Path) -> bool {
        let differs_from_empty = |(condition, holds): (Term, bool)| {
            let (Some(op @ (Op::Eq | Op::Distinct)), [left, right]) =
                (self.terms.op(condition), self.terms.args(condition))
            else {
                return false;
            };
            let is_empty = |term: Term| {
                self.terms.op(term) == Some(Op::SeqEmpty)
                    || literal::string_value(self.terms, term).is_some_and(|text| text.is_empty())
            };
            let is_zero = |term: Term| self.number(term).is_some_and(|number| number.is_zero());
            let is_about = |value: Term, other: Term| {
                self.is_variable(value, param) && is_empty(other)
                    || self.is_length(value, param) && is_zero(other)
            };
            holds == (op == Op::Distinct) && (is_about(*left, *right) || is_about(*right, *left))
        };
        let is_positive = |fact: Less| {
            self.is_length(fact.high, param)
                && self.number(fact.low).is_some_and(|low| low >= IBig::from(u8::from(!fact.is_strict)))
        };
        self.conditions(path).into_iter().any(differs_from_empty)
            || self.less_facts(path).into_iter().any(is_positive)
    }

    /// Whether a term is a part of the value that a variable stands for.
    fn is_field(&self, param: Symbol, arg: Term, path: &Path) -> bool {
        match (self.terms.head(arg), self.terms.args(arg)) {
            (Head::Local(mut name), []) => {
                // A field of a field is a part as well. The facts of a path are finitely many, and names are bound once.
                while let Some(of) = path.facts().find_map(|fact| match fact {
                    Fact::Field(field, of) if *field == name => Some(*of),
                    _ => None,
                }) {
                    if of == param {
                        return true;
                    }
                    name = of;
                }
                false
            }
            (Head::Global(selector) | Head::Qualified(selector), [of]) if self.is_variable(*of, param) => {
                self.has_field(param, selector, path)
            }
            _ => false,
        }
    }

    /// Whether the value of a variable was made by a constructor that has a selector.
    fn has_field(&self, param: Symbol, selector: Symbol, path: &Path) -> bool {
        let Some(owners) = self.environment.selector(selector) else { return false };
        let owns = |constructor: Symbol| owners.iter().any(|(owner, _)| *owner == constructor);
        let Some(datatype) = self.definition.params.iter().find(|known| known.name == param) else {
            return false;
        };
        let SortKind::Named(datatype, _) = self.terms.sorts.kind(datatype.sort) else { return false };
        let Some(datatype) = self.environment.datatype(*datatype) else { return false };
        let mut possible: Vec<Symbol> = datatype.constructors.iter().map(|one| one.name).collect();
        for fact in path.facts() {
            let Fact::Condition(condition, holds) = fact else { continue };
            let Some((constructor, holds)) = self.test(param, *condition, *holds) else { continue };
            possible.retain(|one| (*one == constructor) == holds);
        }
        possible.into_iter().all(owns)
    }

    /// The constructor that a condition says made the value of a variable, or did not.
    fn test(&self, param: Symbol, condition: Term, holds: bool) -> Option<(Symbol, bool)> {
        let (mut condition, mut holds) = (condition, holds);
        loop {
            match (self.terms.head(condition), self.terms.args(condition)) {
                (Head::Op(Op::Not, _), [inner]) => (condition, holds) = (*inner, !holds),
                (Head::Tester(constructor), [of]) if self.is_variable(*of, param) => {
                    return Some((constructor, holds));
                }
                (Head::Op(Op::Eq, _), [left, right]) => {
                    let other = match (self.is_variable(*left, param), self.is_variable(*right, param)) {
                        (true, false) => *right,
                        (false, true) => *left,
                        _ => return None,
                    };
                    let constructor = callee(self.terms, other)?;
                    let is_value =
                        self.terms.args(other).is_empty() && self.environment.is_constructor(constructor);
                    return is_value.then_some((constructor, holds));
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::read::read_script;

    use super::*;

    const LIST: &str = "(declare-datatype L ((nil) (cons (hd Int) (tl L))))";

    fn is_solvable(text: &str) -> bool {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, &format!("{LIST}{text}(check-sat)"));
        assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
        let environment = Environment::at_last_check(&terms, &reading.script);
        !may_be_unsolvable(&terms, &environment)
    }

    #[test]
    fn functions_that_count_down_to_a_bound_have_a_solution() {
        assert!(is_solvable("(define-fun-rec f ((n Int)) Int (ite (<= n 0) 1 (* n (f (- n 1)))))"));
        assert!(is_solvable("(define-fun-rec f ((n Int)) Bool (and (> n 2) (not (f (- n 2)))))"));
        assert!(!is_solvable("(define-fun-rec f ((n Int)) Int (ite (= n 0) 1 (+ 1 (f (- n 1)))))"));
        assert!(!is_solvable("(define-fun-rec f ((n Int)) Int (ite (<= n 0) 1 (* n (f (+ n 1)))))"));
        assert!(!is_solvable("(define-fun-rec f ((n Int)) Int (+ 1 (f n)))"));
    }

    #[test]
    fn functions_that_come_closer_to_a_bound_have_a_solution() {
        let up = |condition: &str, next: &str| {
            is_solvable(&format!(
                "(define-fun-rec f ((s String) (n Int)) Int (ite {condition} 0 (+ 1 (f {next}))))"
            ))
        };
        assert!(up("(>= n (str.len s))", "s (+ n 1)"));
        assert!(up("(> n 10)", "s (+ 2 n)"));
        assert!(!up("(>= n (str.len s))", "(str.++ s s) (+ n 1)"));
        assert!(!up("(>= n (str.len s))", "s (- n 1)"));
        assert!(!up("(= n (str.len s))", "s (+ n 1)"));
        assert!(up("(<= n 0)", "s (div n 2)"));
        assert!(!up("(< n 0)", "s (div n 2)"));
        assert!(!up("(<= n 0)", "s (div n 1)"));
        // One call goes up and the other down.
        assert!(!is_solvable(
            "(define-fun-rec f ((t Int) (n Int)) Int\
             (ite (< n t) (+ 1 (f t (+ n 2))) (ite (> n t) (+ 1 (f t (- n 2))) 0)))"
        ));
        assert!(!is_solvable(
            "(define-fun-rec f ((n Int)) Int (ite (< n 0) 0 (ite (> n 9) 0 (+ (f (+ n 1)) (f (- n 1))))))"
        ));
    }

    #[test]
    fn functions_that_take_strings_apart_have_a_solution() {
        let rest = |condition: &str, next: &str| {
            is_solvable(&format!("(define-fun-rec f ((s String)) Int (ite {condition} 0 (+ 1 (f {next}))))"))
        };
        let tail = "(str.substr s 1 (- (str.len s) 1))";
        assert!(rest("(= s \"\")", tail));
        assert!(rest("(= 0 (str.len s))", tail));
        assert!(rest("(< (str.len s) 1)", tail));
        assert!(rest("(= s \"\")", "(str.substr s 0 (- (str.len s) 1))"));
        assert!(!rest("(= s \"a\")", tail));
        assert!(!rest("(= s \"\")", "(str.substr s 0 (str.len s))"));
        assert!(!rest("(< (str.len s) 0)", tail));
        assert!(!rest("(distinct s \"\")", tail));
    }

    #[test]
    fn functions_that_take_data_apart_have_a_solution() {
        assert!(is_solvable("(define-fun-rec f ((l L)) Int (ite ((_ is nil) l) 0 (+ 1 (f (tl l)))))"));
        assert!(is_solvable("(define-fun-rec f ((l L)) Int (ite (= l nil) 0 (+ 1 (f (tl l)))))"));
        assert!(is_solvable("(define-fun-rec f ((l L)) Int (match l ((nil 0) ((cons h t) (+ h (f t))))))"));
        assert!(!is_solvable("(define-fun-rec f ((l L)) Int (+ 1 (f (tl l))))"));
        assert!(!is_solvable("(define-fun-rec f ((l L)) Int (ite ((_ is nil) l) (+ 1 (f (tl l))) 0))"));
    }

    #[test]
    fn calls_at_the_end_have_a_solution_even_if_they_do_not_end() {
        assert!(is_solvable("(define-fun-rec f ((n Int)) Int (ite (= n 0) 1 (f (+ n 1))))"));
        assert!(is_solvable(
            "(define-funs-rec ((f ((n Int)) Bool) (g ((n Int)) Bool)) ((ite (= n 0) true (g (- n 1))) (ite (= n 0) false (f (- n 1)))))"
        ));
        assert!(!is_solvable("(define-funs-rec ((f ((n Int)) Int) (g ((n Int)) Int)) ((+ 1 (g n)) (f n)))"));
    }

    #[test]
    fn a_definition_without_calls_of_itself_has_a_solution() {
        assert!(is_solvable(
            "(define-fun-rec f ((n Int)) Int (+ n 1))(define-fun-rec g ((n Int)) Int (f (f n)))"
        ));
    }
}

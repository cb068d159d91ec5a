//! Whether recursive definitions have a solution, whatever else is asserted.
//!
//! `(define-fun-rec f (x) t)` asserts that `(f x)` equals `t` for all x. That may contradict itself, as `f(x) = f(x) + 1`
//! does, and then no model satisfies the script; evaluation, which unfolds calls, does not notice. A definition has a
//! solution if all its calls of itself are in tail position, or if every call makes one argument smaller in an order that
//! ends: a field of a datatype value, or an integer that has a lower bound. Others may have none.

use std::rc::Rc;

use dashu_int::IBig;
use rustc_hash::FxHashSet;
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

/// Whether some recursive definition of an environment may have no solution.
pub(crate) fn may_be_unsolvable(terms: &Terms, environment: &Environment) -> bool {
    let names: FxHashSet<Symbol> = environment.recursive().map(|definition| definition.name).collect();
    if names.is_empty() {
        return false;
    }
    let calls = |definition: &Definition| -> Vec<Symbol> {
        let parts = subterms(terms, &[definition.body]);
        parts.iter().filter_map(|part| callee(terms, *part)).filter(|name| names.contains(name)).collect()
    };
    environment.recursive().any(|definition| {
        let called = calls(definition);
        let is_alone = called.iter().all(|name| *name == definition.name);
        if called.is_empty() {
            return false;
        }
        let Some(calls) = Walk::new(terms, environment, definition).calls(&names) else { return true };
        let is_tail = calls.iter().all(|call| call.is_tail);
        // A function among several is only known to have a solution if all of them have no other calls than at the end.
        let decreases = |place: usize| calls.iter().all(|call| call.smaller.contains(&place));
        !(is_tail || is_alone && (0..definition.params.len()).any(decreases))
    })
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
    /// The positions of the arguments that are smaller than the parameters.
    smaller: Vec<usize>,
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
                let smaller = (0..args.len()).filter(|place| self.is_smaller(*place, args[*place], &path));
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

    /// Whether an argument is smaller than the parameter at its place.
    fn is_smaller(&self, place: usize, arg: Term, path: &Path) -> bool {
        let Some(param) = self.definition.params.get(place) else { return false };
        match self.terms.sorts.kind(param.sort) {
            SortKind::Int => self.is_smaller_integer(param.name, arg, path),
            SortKind::Named(..) => self.is_field(param.name, arg, path),
            _ => false,
        }
    }

    fn is_variable(&self, term: Term, name: Symbol) -> bool {
        self.terms.head(term) == Head::Local(name) && self.terms.args(term).is_empty()
    }

    fn is_smaller_integer(&self, param: Symbol, arg: Term, path: &Path) -> bool {
        let number = |term: Term| literal::int_value(self.terms, term);
        let less = match (self.terms.op(arg), self.terms.args(arg)) {
            (Some(Op::Sub), [variable, amount]) if self.is_variable(*variable, param) => number(*amount),
            (Some(Op::Add), [variable, amount]) if self.is_variable(*variable, param) => {
                number(*amount).map(|amount| -amount)
            }
            (Some(Op::Add), [amount, variable]) if self.is_variable(*variable, param) => {
                number(*amount).map(|amount| -amount)
            }
            _ => None,
        };
        less.is_some_and(|less| less > IBig::ZERO)
            && path.facts().any(|fact| match fact {
                Fact::Condition(condition, holds) => self.bounds(param, *condition, *holds),
                Fact::Field(..) => false,
            })
    }

    /// Whether a condition gives an integer a lower bound.
    fn bounds(&self, param: Symbol, condition: Term, holds: bool) -> bool {
        let mut pending = vec![(condition, holds)];
        while let Some((condition, holds)) = pending.pop() {
            let args = self.terms.args(condition);
            let is_number = |term: Term| literal::int_value(self.terms, term).is_some();
            match (self.terms.op(condition), args) {
                (Some(Op::Not), [inner]) => pending.push((*inner, !holds)),
                (Some(Op::And), _) if holds => pending.extend(args.iter().map(|arg| (*arg, true))),
                (Some(Op::Or), _) if !holds => pending.extend(args.iter().map(|arg| (*arg, false))),
                (Some(op), [left, right]) => {
                    let is_above = matches!(op, Op::Gt | Op::Ge);
                    let is_below = matches!(op, Op::Lt | Op::Le);
                    let param_first = self.is_variable(*left, param) && is_number(*right);
                    let param_last = self.is_variable(*right, param) && is_number(*left);
                    let is_bound = match holds {
                        true => is_above && param_first || is_below && param_last,
                        false => is_below && param_first || is_above && param_last,
                    };
                    if is_bound {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
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

//! Quantifiers over infinite sorts: the body is evaluated with variables for values, and these are eliminated.
//!
//! A term then has several values, each under a condition: a sum over the variables, a constructor applied to values, a
//! variable of which only equality is known, or a value as ever. Functions and arrays of a model are lists of cases and
//! become conditions. Whatever else is done to a variable is unknown, and what depends on it is unknown, too.

use dashu_int::IBig;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Index, Term, Variable};

mod call;

use super::formula::{Domain, Eliminator, Formula, Key, Linear, Relation};
use super::{Evaluator, LABELS};
use crate::Budget;
use crate::apply::{Application, apply};
use crate::value::{IndexCount, Value};
use call::is_call;

/// Terms nested deeper are not looked into.
const MAX_DEPTH: u32 = 40;
/// A term has at most so many values.
const MAX_CASES: usize = 64;
/// Variables of sorts with at most so many values stand for each of them in turn.
const MAX_LISTED: u64 = 64;
/// Remainders are told apart for divisors up to here.
const MAX_DIVISOR: u32 = 64;
/// What a step costs.
const STEP_COST: u64 = 128;
/// Arrays with more entries are not turned into conditions.
const MAX_ENTRIES: usize = 256;

/// A value with variables.
#[derive(Debug, Clone)]
enum Symbolic {
    Value(Value),
    Linear(Linear),
    /// A variable of a sort other than numbers.
    Var(u32),
    /// A constructor applied to values.
    Data(Symbol, Vec<Symbolic>),
    Unknown,
}

/// The values of a term, each under a condition; exactly one condition holds.
type Cases = Vec<(Formula, Symbolic)>;

/// Evaluates with variables.
struct Symbols<'e, 'a> {
    evaluator: &'e mut Evaluator<'a>,
    formulas: Eliminator,
    /// What local variables stand for, innermost last.
    locals: FxHashMap<Symbol, Vec<Cases>>,
    depth: u32,
}

impl Evaluator<'_> {
    /// Whether a quantified formula holds, if its variables can be eliminated with some of the budget.
    pub(super) fn eliminate(&mut self, quantifier: Term) -> Option<bool> {
        self.with_symbols(|symbols| symbols.formula_of_binder(quantifier))
    }

    /// Whether a formula with variables holds, if that can be found out with some of the budget.
    fn with_symbols(&mut self, make: impl FnOnce(&mut Symbols<'_, '_>) -> Formula) -> Option<bool> {
        // A value that was given for one term must be that of equal terms, which is only known where it is used.
        if self.model.has_values() {
            return None;
        }
        let units = self.budget.remaining() / 8;
        let mut evaluator = Evaluator::new(self.terms, self.environment, self.model);
        evaluator.budget = Budget::new(units);
        evaluator.choices = self.choices.take();
        let formulas = Eliminator { domains: Vec::new(), budget: Budget::new(units) };
        let locals = self.locals.iter().filter_map(|(name, stack)| {
            let value = match stack.last()? {
                Ok(value) => Symbolic::Value(value.clone()),
                Err(_) => Symbolic::Unknown,
            };
            Some((*name, vec![just(value)]))
        });
        let locals = locals.collect();
        let mut symbols = Symbols { evaluator: &mut evaluator, formulas, locals, depth: 0 };
        let formula = make(&mut symbols);
        let rest = symbols.formulas.budget.remaining() + evaluator.budget.remaining();
        self.missing.extend(evaluator.missing.iter().copied());
        self.choices = evaluator.choices.take();
        self.budget.spend((2 * units).saturating_sub(rest)).ok()?;
        match formula {
            Formula::True => Some(true),
            Formula::False => Some(false),
            _ => None,
        }
    }
}

impl Symbols<'_, '_> {
    /// The condition under which a term of sort Bool holds.
    fn formula(&mut self, term: Term) -> Formula {
        if self.depth >= MAX_DEPTH || self.formulas.budget.spend(STEP_COST).is_err() {
            return Formula::Unknown;
        }
        self.depth += 1;
        let formula = self.formula_of(term);
        self.depth -= 1;
        formula
    }

    fn formula_of(&mut self, term: Term) -> Formula {
        let terms = self.evaluator.terms;
        if !terms.has_locals(term) {
            return match self.evaluator.eval(term) {
                Ok(Value::Bool(true)) => Formula::True,
                Ok(Value::Bool(false)) => Formula::False,
                _ => Formula::Unknown,
            };
        }
        let args = terms.args(term);
        match terms.head(term) {
            Head::Op(Op::And, _) => self.all(args),
            Head::Op(Op::Or, _) => {
                let parts = args.iter().map(|arg| self.formula(*arg)).collect();
                self.formulas.or(parts)
            }
            Head::Op(Op::Not, _) => {
                let inner = self.formula(args[0]);
                self.formulas.not(&inner)
            }
            Head::Op(Op::Implies | Op::ImpliesWord, _) => {
                let mut parts: Vec<Formula> = args.iter().map(|arg| self.formula(*arg)).collect();
                let last = parts.len() - 1;
                for part in &mut parts[..last] {
                    *part = self.formulas.not(part);
                }
                self.formulas.or(parts)
            }
            Head::Op(Op::Ite, _) => {
                let (condition, then, otherwise) =
                    (self.formula(args[0]), self.formula(args[1]), self.formula(args[2]));
                self.choice(&condition, then, otherwise)
            }
            Head::Op(Op::Xor, _) => {
                let mut parts = args.iter().map(|arg| self.formula(*arg)).collect::<Vec<_>>().into_iter();
                let first = parts.next().unwrap_or(Formula::Unknown);
                parts.fold(first, |all, part| {
                    let same = self.same_truth(&all, &part);
                    self.formulas.not(&same)
                })
            }
            Head::Op(Op::Eq | Op::Iff, _) => {
                self.pairs(args, false, |this, left, right| this.equal(left, right))
            }
            Head::Op(Op::Distinct, _) => self.pairs(args, true, |this, left, right| {
                let same = this.equal(left, right);
                this.formulas.not(&same)
            }),
            Head::Op(op @ (Op::Le | Op::Lt | Op::Ge | Op::Gt), _) => {
                self.pairs(args, false, |this, left, right| this.compared(op, left, right))
            }
            Head::Op(Op::Divisible, indices) => match terms.indices(indices).first() {
                Some(Index::Number(divisor)) => {
                    let cases = self.cases(args[0]);
                    self.under_cases(cases, |this, value| match linear(&value) {
                        Some(sum) => this.formulas.divides(true, &IBig::from(*divisor), sum),
                        None => Formula::Unknown,
                    })
                }
                _ => Formula::Unknown,
            },
            Head::Tester(constructor) => {
                let cases = self.cases(args[0]);
                self.under_cases(cases, |_, value| match value {
                    Symbolic::Value(Value::Data(data)) => truth(data.constructor == constructor),
                    Symbolic::Data(other, _) => truth(other == constructor),
                    _ => Formula::Unknown,
                })
            }
            Head::Annotated(attributes) => {
                let keywords =
                    terms.attributes(attributes).iter().map(|attribute| terms.text(attribute.keyword));
                if keywords.into_iter().any(|keyword| LABELS.contains(&keyword)) {
                    return Formula::Unknown;
                }
                self.formula(args[0])
            }
            Head::Let(_) | Head::Forall(_) | Head::Exists(_) => self.formula_of_binder(term),
            _ => {
                let cases = self.cases(term);
                self.under_cases(cases, |_, value| match value {
                    Symbolic::Value(Value::Bool(value)) => truth(value),
                    _ => Formula::Unknown,
                })
            }
        }
    }

    fn formula_of_binder(&mut self, term: Term) -> Formula {
        let terms = self.evaluator.terms;
        match terms.head(term) {
            Head::Let(binders) => {
                let names = self.bind_let(terms.binders(binders), terms.args(term));
                let body = *terms.args(term).last().expect("a let has a body");
                let formula = self.formula(body);
                self.unbind(&names);
                formula
            }
            Head::Forall(binders) => self.quantified(true, terms.binders(binders), terms.args(term)[0]),
            Head::Exists(binders) => self.quantified(false, terms.binders(binders), terms.args(term)[0]),
            _ => Formula::Unknown,
        }
    }

    fn all(&mut self, args: &[Term]) -> Formula {
        let mut parts = Vec::with_capacity(args.len());
        for arg in args {
            let part = self.formula(*arg);
            if part == Formula::False {
                return part;
            }
            parts.push(part);
        }
        self.formulas.and(parts)
    }

    fn choice(&mut self, condition: &Formula, then: Formula, otherwise: Formula) -> Formula {
        if then == otherwise {
            return then;
        }
        let other = self.formulas.not(condition);
        let then = self.formulas.and(vec![condition.clone(), then]);
        let otherwise = self.formulas.and(vec![other, otherwise]);
        self.formulas.or(vec![then, otherwise])
    }

    fn same_truth(&mut self, left: &Formula, right: &Formula) -> Formula {
        let other = self.formulas.not(right);
        self.choice(left, right.clone(), other)
    }

    /// A relation of neighbours, or of all pairs.
    fn pairs(
        &mut self,
        args: &[Term],
        is_pairwise: bool,
        mut relation: impl FnMut(&mut Self, &Symbolic, &Symbolic) -> Formula,
    ) -> Formula {
        if self.evaluator.terms.sort(args[0]) == Sort::BOOL {
            let parts: Vec<Formula> = args.iter().map(|arg| self.formula(*arg)).collect();
            let mut all = Vec::new();
            for (place, left) in parts.iter().enumerate() {
                for right in parts[place + 1..].iter().take(if is_pairwise { usize::MAX } else { 1 }) {
                    let same = self.same_truth(left, right);
                    all.push(if is_pairwise { self.formulas.not(&same) } else { same });
                }
            }
            return self.formulas.and(all);
        }
        let parts: Vec<Cases> = args.iter().map(|arg| self.cases(*arg)).collect();
        let mut all = Vec::new();
        for (place, left) in parts.iter().enumerate() {
            for right in parts[place + 1..].iter().take(if is_pairwise { usize::MAX } else { 1 }) {
                let mut under = Vec::new();
                for (one_condition, one) in left {
                    for (other_condition, other) in right {
                        let holds = relation(self, one, other);
                        under.push(self.formulas.and(vec![
                            one_condition.clone(),
                            other_condition.clone(),
                            holds,
                        ]));
                    }
                }
                all.push(self.formulas.or(under));
            }
        }
        self.formulas.and(all)
    }

    fn under_cases(
        &mut self,
        cases: Cases,
        mut holds: impl FnMut(&mut Self, Symbolic) -> Formula,
    ) -> Formula {
        let mut parts = Vec::new();
        for (condition, value) in cases {
            let holds = holds(self, value);
            parts.push(self.formulas.and(vec![condition, holds]));
        }
        self.formulas.or(parts)
    }

    fn equal(&mut self, left: &Symbolic, right: &Symbolic) -> Formula {
        match (left, right) {
            (Symbolic::Value(left), Symbolic::Value(right)) => {
                match self.evaluator.context().equal(left, right) {
                    Ok(value) => truth(value),
                    Err(_) => Formula::Unknown,
                }
            }
            (Symbolic::Var(var), Symbolic::Var(other)) => self.formulas.same(true, *var, Key::Var(*other)),
            (Symbolic::Var(var), Symbolic::Value(value)) | (Symbolic::Value(value), Symbolic::Var(var)) => {
                if value.is_opaque_to_equality() {
                    return Formula::Unknown;
                }
                self.formulas.same(true, *var, Key::Value(value.clone()))
            }
            (Symbolic::Data(constructor, fields), Symbolic::Data(other, others)) => {
                if constructor != other || fields.len() != others.len() {
                    return Formula::False;
                }
                let parts = fields.iter().zip(others).map(|(one, other)| self.equal(one, other)).collect();
                self.formulas.and(parts)
            }
            (Symbolic::Data(constructor, fields), Symbolic::Value(Value::Data(data)))
            | (Symbolic::Value(Value::Data(data)), Symbolic::Data(constructor, fields)) => {
                if *constructor != data.constructor || fields.len() != data.fields.len() {
                    return Formula::False;
                }
                let pairs = fields.iter().zip(&data.fields);
                let parts =
                    pairs.map(|(one, other)| self.equal(one, &Symbolic::Value(other.clone()))).collect();
                self.formulas.and(parts)
            }
            _ => match (linear(left), linear(right)) {
                (Some(left), Some(right)) => self.formulas.compare(Relation::Equal, left.minus(&right)),
                _ => Formula::Unknown,
            },
        }
    }

    fn compared(&mut self, op: Op, left: &Symbolic, right: &Symbolic) -> Formula {
        let (Some(left), Some(right)) = (linear(left), linear(right)) else { return Formula::Unknown };
        let (relation, difference) = match op {
            Op::Le => (Relation::AtMost, left.minus(&right)),
            Op::Lt => (Relation::Negative, left.minus(&right)),
            Op::Ge => (Relation::AtMost, right.minus(&left)),
            _ => (Relation::Negative, right.minus(&left)),
        };
        self.formulas.compare(relation, difference)
    }

    /// The values of a term.
    fn cases(&mut self, term: Term) -> Cases {
        if self.depth >= MAX_DEPTH || self.formulas.budget.spend(STEP_COST).is_err() {
            return unknown();
        }
        self.depth += 1;
        let cases = self.cases_of(term);
        self.depth -= 1;
        if cases.len() > MAX_CASES { unknown() } else { cases }
    }

    fn cases_of(&mut self, term: Term) -> Cases {
        let terms = self.evaluator.terms;
        if !terms.has_locals(term) {
            return match self.evaluator.eval(term) {
                Ok(value) => just(Symbolic::Value(value)),
                Err(_) => unknown(),
            };
        }
        let args = terms.args(term);
        match terms.head(term) {
            Head::Local(name) if args.is_empty() => {
                self.locals.get(&name).and_then(|stack| stack.last()).cloned().unwrap_or_else(unknown)
            }
            Head::Op(Op::Ite, _) => {
                let condition = self.formula(args[0]);
                let other = self.formulas.not(&condition);
                let mut cases = Cases::new();
                for (condition, branch) in [(condition, args[1]), (other, args[2])] {
                    if condition != Formula::False {
                        let branch = self.cases(branch);
                        cases.extend(self.under(&condition, branch));
                    }
                }
                cases
            }
            Head::Annotated(attributes) => match self.evaluator.label(attributes) {
                Some(_) => unknown(),
                None => self.cases(args[0]),
            },
            Head::Let(binders) => {
                let names = self.bind_let(terms.binders(binders), args);
                let cases = self.cases(*args.last().expect("a let has a body"));
                self.unbind(&names);
                cases
            }
            _ if terms.sort(term) == Sort::BOOL && self.is_connective(term) => {
                let holds = self.formula(term);
                let other = self.formulas.not(&holds);
                let value = |value| Symbolic::Value(Value::Bool(value));
                vec![(holds, value(true)), (other, value(false))]
            }
            Head::Op(..) | Head::Global(_) | Head::Qualified(_) | Head::Local(_) => {
                let parts: Vec<Cases> = args.iter().map(|arg| self.cases(*arg)).collect();
                self.applied(term, &parts)
            }
            _ => unknown(),
        }
    }

    /// Whether a Boolean term is one that conditions are made of.
    fn is_connective(&self, term: Term) -> bool {
        let terms = self.evaluator.terms;
        match terms.head(term) {
            Head::Op(op, _) => matches!(
                op,
                Op::And
                    | Op::Or
                    | Op::Not
                    | Op::Implies
                    | Op::ImpliesWord
                    | Op::Xor
                    | Op::Eq
                    | Op::Iff
                    | Op::Distinct
                    | Op::Le
                    | Op::Lt
                    | Op::Ge
                    | Op::Gt
                    | Op::Divisible
            ),
            Head::Forall(_) | Head::Exists(_) | Head::Tester(_) => true,
            _ => false,
        }
    }

    /// An application for each combination of values of its arguments.
    fn applied(&mut self, term: Term, parts: &[Cases]) -> Cases {
        let mut rows: Vec<(Formula, Vec<Symbolic>)> = vec![(Formula::True, Vec::new())];
        for part in parts {
            let mut longer = Vec::new();
            for (condition, row) in &rows {
                for (other, value) in part {
                    let both = self.formulas.and(vec![condition.clone(), other.clone()]);
                    if both != Formula::False {
                        longer.push((both, row.iter().cloned().chain([value.clone()]).collect()));
                    }
                }
            }
            rows = longer;
            if rows.len() > MAX_CASES {
                return unknown();
            }
        }
        let mut cases = Cases::new();
        for (condition, row) in rows {
            let values = self.apply_symbolic(term, &row);
            cases.extend(self.under(&condition, values));
            if cases.len() > MAX_CASES {
                return unknown();
            }
        }
        self.merged(cases)
    }

    /// Equal values under one condition.
    fn merged(&mut self, cases: Cases) -> Cases {
        let mut merged = Cases::new();
        for (condition, value) in cases {
            let known = merged.iter_mut().find(|(_, other)| match (other, &value) {
                (Symbolic::Value(one), Symbolic::Value(other)) => {
                    !one.is_opaque_to_equality() && one == other
                }
                _ => false,
            });
            match known {
                Some((either, _)) => *either = self.formulas.or(vec![either.clone(), condition]),
                None => merged.push((condition, value)),
            }
        }
        merged
    }

    fn apply_symbolic(&mut self, term: Term, row: &[Symbolic]) -> Cases {
        let terms = self.evaluator.terms;
        let values: Option<Vec<Value>> = row
            .iter()
            .map(|value| match value {
                Symbolic::Value(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        match (terms.head(term), values) {
            (Head::Op(op, _), _) if is_call(op, row) => self.call_of_value(&row[0], &row[1..]),
            (Head::Local(name), _) => self.call_of_local(name, row),
            (Head::Op(op, indices), Some(args)) => {
                let args = self.evaluator.coerce_args(term, op, args);
                let application =
                    Application { op, indices: terms.indices(indices), sort: terms.sort(term), args: &args };
                match apply(&mut self.evaluator.context(), &application) {
                    Ok(value) => just(Symbolic::Value(value)),
                    Err(_) => unknown(),
                }
            }
            (Head::Op(op, _), None) => self.arithmetic(op, row),
            (Head::Global(name) | Head::Qualified(name), values) => self.called(name, row, values),
            _ => unknown(),
        }
    }

    fn arithmetic(&mut self, op: Op, row: &[Symbolic]) -> Cases {
        match op {
            Op::Select => return self.selected(row),
            Op::SetMember => return self.member(row),
            _ => {}
        }
        let Some(sums) = row.iter().map(linear).collect::<Option<Vec<Linear>>>() else { return unknown() };
        let (Some(first), rest) = (sums.first(), &sums[1..]) else { return unknown() };
        let sum = match op {
            Op::Add => rest.iter().fold(first.clone(), |all, next| all.plus(next)),
            Op::Neg => first.scaled(&-RBig::ONE),
            Op::Sub if rest.is_empty() => first.scaled(&-RBig::ONE),
            Op::Sub => rest.iter().fold(first.clone(), |all, next| all.minus(next)),
            Op::ToReal => first.clone(),
            Op::Mul => {
                let mut product = first.clone();
                for next in rest {
                    product = match (product.as_constant(), next.as_constant()) {
                        (_, Some(factor)) => product.scaled(factor),
                        (Some(factor), None) => next.scaled(factor),
                        (None, None) => return unknown(),
                    };
                }
                product
            }
            Op::RealDiv => match rest {
                [divisor] => match divisor.as_constant() {
                    Some(divisor) if !divisor.is_zero() => first.scaled(&(RBig::ONE / divisor)),
                    _ => return unknown(),
                },
                _ => return unknown(),
            },
            Op::IntDiv | Op::Mod => match rest {
                [divisor] => return self.divided(op, first, divisor),
                _ => return unknown(),
            },
            _ => return unknown(),
        };
        just(Symbolic::Linear(sum))
    }

    /// Quotient or remainder by a small number, for each remainder.
    fn divided(&mut self, op: Op, dividend: &Linear, divisor: &Linear) -> Cases {
        let Some(divisor) = divisor.as_constant().filter(|divisor| divisor.is_int()) else {
            return unknown();
        };
        let divisor = divisor.numerator().clone();
        let size = if divisor < IBig::ZERO { -&divisor } else { divisor.clone() };
        if size.is_zero() || size > IBig::from(MAX_DIVISOR) {
            return unknown();
        }
        let count = u32::try_from(&size).unwrap_or(0);
        let mut cases = Cases::new();
        for remainder in 0..count {
            let remainder = RBig::from(IBig::from(remainder));
            let rest = dividend.minus(&Linear::constant(remainder.clone()));
            let condition = self.formulas.divides(true, &size, rest.clone());
            if condition == Formula::False {
                continue;
            }
            let value = match op {
                Op::Mod => Symbolic::Value(Value::Int(remainder.numerator().clone())),
                _ => Symbolic::Linear(rest.scaled(&(RBig::ONE / RBig::from(divisor.clone())))),
            };
            cases.push((condition, value));
        }
        cases
    }

    fn under(&mut self, condition: &Formula, cases: Cases) -> Cases {
        let mut under = Cases::new();
        for (inner, value) in cases {
            let both = self.formulas.and(vec![condition.clone(), inner]);
            if both != Formula::False {
                under.push((both, value));
            }
        }
        under
    }

    fn bind_let(&mut self, variables: &[Variable], args: &[Term]) -> Vec<Symbol> {
        let values: Vec<Cases> = args[..variables.len()].iter().map(|arg| self.cases(*arg)).collect();
        let names: Vec<Symbol> = variables.iter().map(|variable| variable.name).collect();
        for (name, value) in names.iter().zip(values) {
            self.locals.entry(*name).or_default().push(value);
        }
        names
    }

    fn unbind(&mut self, names: &[Symbol]) {
        for name in names {
            if let Some(stack) = self.locals.get_mut(name) {
                stack.pop();
            }
        }
    }

    fn quantified(&mut self, is_forall: bool, variables: &[Variable], body: Term) -> Formula {
        let Some((variable, rest)) = variables.split_first() else {
            let formula = self.formula(body);
            return if is_forall { self.formulas.not(&formula) } else { formula };
        };
        // Each variable is a level, whether it has a quantifier of its own or not.
        if self.depth >= MAX_DEPTH || self.formulas.budget.spend(STEP_COST).is_err() {
            return Formula::Unknown;
        }
        self.depth += 1;
        let formula = self.quantified_one(is_forall, variable, rest, body);
        self.depth -= 1;
        formula
    }

    /// The condition for the first variable; the others are bound inside.
    fn quantified_one(
        &mut self,
        is_forall: bool,
        variable: &Variable,
        rest: &[Variable],
        body: Term,
    ) -> Formula {
        let mut parts = Vec::new();
        for (value, made) in self.alternatives(variable.sort, 0) {
            self.locals.entry(variable.name).or_default().push(just(value));
            // Inside, an existential quantifier over the negation stands for a universal one.
            let mut part = if rest.is_empty() {
                self.quantified(is_forall, rest, body)
            } else {
                let inner = self.quantified(is_forall, rest, body);
                if is_forall { self.formulas.not(&inner) } else { inner }
            };
            self.unbind(&[variable.name]);
            for var in made.into_iter().rev() {
                part = self.formulas.exists(var, &part);
            }
            if part == Formula::True {
                return truth(!is_forall);
            }
            parts.push(part);
        }
        let any = self.formulas.or(parts);
        if is_forall { self.formulas.not(&any) } else { any }
    }

    /// What a variable of a sort may be, each with the variables in it.
    fn alternatives(&mut self, sort: Sort, depth: u32) -> Vec<(Symbolic, Vec<u32>)> {
        let domains = self.evaluator.domains();
        let budget = &mut self.evaluator.budget;
        if let Ok(Some(values)) = domains.values(sort, MAX_LISTED, budget) {
            return values.into_iter().map(|value| (Symbolic::Value(value), Vec::new())).collect();
        }
        let domain = match self.evaluator.terms.sorts.kind(sort) {
            SortKind::Int => Domain::Int,
            SortKind::Real => Domain::Real,
            SortKind::Named(name, _) if depth < 2 => {
                if let Some(split) = self.constructors(*name, sort, depth) {
                    return split;
                }
                self.other_domain(sort)
            }
            _ => self.other_domain(sort),
        };
        let var = self.formulas.domains.len() as u32;
        self.formulas.domains.push(domain);
        let value = match domain {
            Domain::Other(_) => Symbolic::Var(var),
            _ => Symbolic::Linear(Linear::var(var)),
        };
        vec![(value, vec![var])]
    }

    fn other_domain(&mut self, sort: Sort) -> Domain {
        let domains = self.evaluator.domains();
        match domains.index_count(sort, &mut self.evaluator.budget) {
            Ok(IndexCount::Many) => Domain::Other(None),
            Ok(IndexCount::Exactly(count)) => Domain::Other(Some(count)),
            // No sort is empty.
            _ => Domain::Other(Some(1)),
        }
    }

    /// The constructors of a datatype, applied to variables; none if it contains itself.
    fn constructors(&mut self, name: Symbol, sort: Sort, depth: u32) -> Option<Vec<(Symbolic, Vec<u32>)>> {
        let environment = self.evaluator.environment;
        let datatype = environment.datatype(name)?;
        let SortKind::Named(_, arguments) = self.evaluator.terms.sorts.kind(sort) else { return None };
        let is_simple = |field: &Sort| match self.evaluator.terms.sorts.kind(*field) {
            SortKind::Named(other, _) => *other != name && environment.datatype(*other).is_none(),
            SortKind::Array(..) | SortKind::Seq(_) | SortKind::Arrow(_) => false,
            _ => true,
        };
        let mut split = Vec::new();
        for constructor in &datatype.constructors {
            let mut rows: Vec<(Vec<Symbolic>, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
            for (_, field) in &constructor.selectors {
                let field = match self.evaluator.terms.sorts.kind(*field) {
                    SortKind::Param(param) => {
                        let place = datatype.params.iter().position(|known| known == param)?;
                        *arguments.get(place)?
                    }
                    _ => *field,
                };
                if !is_simple(&field) {
                    return None;
                }
                let choices = self.alternatives(field, depth + 1);
                if rows.len() * choices.len() > MAX_CASES {
                    return None;
                }
                rows = rows
                    .iter()
                    .flat_map(|(row, made)| {
                        choices.iter().map(|(value, new)| {
                            let row = row.iter().cloned().chain([value.clone()]).collect();
                            (row, made.iter().chain(new).copied().collect())
                        })
                    })
                    .collect();
            }
            for (fields, made) in rows {
                split.push((Symbolic::Data(constructor.name, fields), made));
            }
        }
        Some(split)
    }
}

fn truth(value: bool) -> Formula {
    if value { Formula::True } else { Formula::False }
}

fn just(value: Symbolic) -> Cases {
    vec![(Formula::True, value)]
}

fn unknown() -> Cases {
    just(Symbolic::Unknown)
}

/// A number as a sum.
fn linear(value: &Symbolic) -> Option<Linear> {
    match value {
        Symbolic::Linear(sum) => Some(sum.clone()),
        Symbolic::Value(Value::Int(number)) => Some(Linear::constant(RBig::from(number.clone()))),
        Symbolic::Value(Value::Real(number)) => Some(Linear::constant(number.clone())),
        _ => None,
    }
}

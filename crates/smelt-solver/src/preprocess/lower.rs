//! From terms as they are written to terms without binders, definitions and annotations.
//!
//! `let`, defined functions and quantifiers that can be done without are replaced by what they stand for, as a graph. A
//! part that no engine understands (another quantifier, another theory, a recursive function) becomes a fresh constant:
//! that forgets something, so a refutation stays one, while a model counts only if the original assertions evaluate to
//! true.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_smtlib::build;
use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Attribute, AttributeValue, Head, Index, Literal, Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::effort::{Effort, Stopped};

use super::language_ite;
use super::quantifiers::{self, Meaning};

/// A defined function or named term, and whether its body may use it.
#[derive(Debug, Clone)]
pub struct Defined {
    /// Parameters and body.
    pub definition: Definition,
    /// Whether the body may call the function again.
    pub is_recursive: bool,
}

/// Lowers terms and remembers what it did.
#[derive(Debug, Clone, Default)]
pub struct Lowering {
    /// Definitions in force.
    definitions: FxHashMap<Symbol, Defined>,
    /// Names that annotations gave since this was last emptied, with what they meant before.
    pub named: Vec<(Symbol, Option<Defined>)>,
    closed: FxHashMap<Term, Term>,
    calls: FxHashMap<(Symbol, Vec<Term>), Term>,
    /// All names whose meaning may be in `closed` and `calls`.
    used: FxHashSet<Symbol>,
    /// The constants that stand for what we do not know.
    abstractions: FxHashMap<Term, Term>,
    /// The constants among the values of `abstractions`, with the reason.
    reasons: FxHashMap<Symbol, &'static str>,
    /// Constants that stand for the variables of quantifiers while these are lowered.
    bound: FxHashSet<Term>,
    /// Constants that stand for something unknown that may depend on a bound variable.
    dependent: FxHashSet<Term>,
    /// Lowered terms of sorts that we do not solve, or with such parts.
    foreign: FxHashSet<Term>,
}

enum Task {
    Visit(Term),
    /// All arguments are there.
    Build(Term),
    /// All arguments of a call are there.
    Call(Term, Symbol),
    /// The body of a call is there.
    Return(Term, Symbol, Vec<Term>),
    /// The values of what a term binds are there.
    Bind(Term),
    /// The body of a term that binds is there.
    Unbind(Term),
    /// These are values.
    Values(Vec<Term>),
    /// The body of a quantifier is there, with these constants for its variables.
    Quantify(Term, Vec<Term>),
    /// What the result is also the result of.
    Alias(Term),
}

struct State {
    tasks: Vec<Task>,
    results: Vec<Term>,
    locals: FxHashMap<Symbol, Vec<Term>>,
    scopes: Vec<FxHashMap<Term, Term>>,
}

impl Lowering {
    /// Gives a name the meaning of a definition, or that of a declaration if there is none; what it meant before.
    pub fn set_meaning(&mut self, name: Symbol, defined: Option<Defined>) -> Option<Defined> {
        // What was lowered with the old meaning is not to be used again.
        if self.used.contains(&name) {
            self.closed.clear();
            self.calls.clear();
        }
        match defined {
            Some(defined) => self.definitions.insert(name, defined),
            None => self.definitions.remove(&name),
        }
    }

    /// Why some constant of a lowered term stands for something unknown, if one does.
    pub fn reason(&self, name: Symbol) -> Option<&'static str> {
        self.reasons.get(&name).copied()
    }

    /// The lowered form of a term outside of all binders.
    pub fn lower(&mut self, terms: &mut Terms, root: Term, effort: &mut Effort) -> Result<Term, Stopped> {
        self.lower_under(terms, root, FxHashMap::default(), effort)
    }

    /// The lowered body of a definition for some arguments.
    pub fn lower_body(
        &mut self,
        terms: &mut Terms,
        definition: &Definition,
        args: &[Term],
        effort: &mut Effort,
    ) -> Result<Term, Stopped> {
        let bound = definition.params.iter().zip(args).map(|(param, arg)| (param.name, vec![*arg]));
        self.lower_under(terms, definition.body, bound.collect(), effort)
    }

    fn lower_under(
        &mut self,
        terms: &mut Terms,
        root: Term,
        locals: FxHashMap<Symbol, Vec<Term>>,
        effort: &mut Effort,
    ) -> Result<Term, Stopped> {
        let mut state = State {
            tasks: vec![Task::Visit(root)],
            results: Vec::new(),
            locals,
            scopes: vec![FxHashMap::default()],
        };
        // Lowering may have been given up inside of a quantifier.
        self.bound.clear();
        let mut steps = 0u32;
        while let Some(task) = state.tasks.pop() {
            steps += 1;
            if steps.is_multiple_of(16) {
                effort.spend(1)?;
            }
            self.step(terms, &mut state, task);
        }
        let lowered = state.results.pop().expect("one term was lowered");
        // A term of a sort that we do not solve stands alone only under `get-value`.
        Ok(lowered)
    }

    fn step(&mut self, terms: &mut Terms, state: &mut State, task: Task) {
        match task {
            Task::Visit(term) => self.visit(terms, state, term),
            Task::Build(term) => {
                let first = state.results.len() - terms.args(term).len();
                let args: Vec<Term> = state.results.drain(first..).collect();
                let built = self.build(terms, term, &args);
                self.finish(terms, state, term, built);
            }
            Task::Call(term, name) => {
                let first = state.results.len() - terms.args(term).len();
                let args: Vec<Term> = state.results.drain(first..).collect();
                let key = (name, args);
                if let Some(result) = self.calls.get(&key).copied() {
                    self.finish(terms, state, term, result);
                    return;
                }
                let definition = &self.definitions[&name].definition;
                let (params, body) = (definition.params.clone(), definition.body);
                for (param, arg) in params.iter().zip(&key.1) {
                    state.locals.entry(param.name).or_default().push(*arg);
                }
                state.scopes.push(FxHashMap::default());
                state.tasks.push(Task::Return(term, name, key.1));
                state.tasks.push(Task::Visit(body));
            }
            Task::Return(term, name, args) => {
                for param in &self.definitions[&name].definition.params {
                    state.locals.get_mut(&param.name).map(Vec::pop);
                }
                state.scopes.pop();
                let result = state.results.pop().expect("the body was lowered");
                self.calls.insert((name, args), result);
                self.finish(terms, state, term, result);
            }
            Task::Bind(term) => {
                let variables = terms.bound_at(term, terms.args(term).len() - 1);
                let first = state.results.len() - variables.len();
                for (variable, value) in variables.iter().zip(state.results.drain(first..)) {
                    state.locals.entry(variable.name).or_default().push(value);
                }
                state.scopes.push(FxHashMap::default());
                let body = *terms.args(term).last().expect("what binds has a body");
                state.tasks.push(Task::Unbind(term));
                state.tasks.push(Task::Visit(body));
            }
            Task::Unbind(term) => {
                for variable in terms.bound_at(term, terms.args(term).len() - 1) {
                    state.locals.get_mut(&variable.name).map(Vec::pop);
                }
                state.scopes.pop();
            }
            Task::Values(values) => state.results.extend(values),
            Task::Quantify(term, variables) => {
                let body = state.results.pop().expect("the body was lowered");
                let result = self.quantified(terms, term, &variables, body);
                self.finish(terms, state, term, result);
            }
            Task::Alias(term) => {
                let result = state.results.pop().expect("the annotated term was lowered");
                self.finish(terms, state, term, result);
            }
        }
    }

    fn finish(&mut self, terms: &Terms, state: &mut State, term: Term, result: Term) {
        if !terms.has_locals(term) {
            self.closed.insert(term, result);
        } else if let Some(scope) = state.scopes.last_mut() {
            scope.insert(term, result);
        }
        state.results.push(result);
    }

    fn visit(&mut self, terms: &mut Terms, state: &mut State, term: Term) {
        let known = if terms.has_locals(term) {
            state.scopes.last().and_then(|scope| scope.get(&term))
        } else {
            self.closed.get(&term)
        };
        if let Some(result) = known {
            state.results.push(*result);
            return;
        }
        if let Head::Global(name) | Head::Qualified(name) = terms.head(term) {
            self.used.insert(name);
        }
        match terms.head(term) {
            Head::Local(name) if terms.args(term).is_empty() => {
                let bound = state.locals.get(&name).and_then(|stack| stack.last()).copied();
                let result = bound.unwrap_or_else(|| self.abstracted(terms, term, "free variable"));
                state.results.push(result);
            }
            Head::Let(_) => {
                state.tasks.push(Task::Alias(term));
                state.tasks.push(Task::Bind(term));
                let bound = terms.args(term).len() - 1;
                state.tasks.extend(terms.args(term)[..bound].iter().rev().map(|arg| Task::Visit(*arg)));
            }
            Head::Annotated(attributes) => {
                let body = terms.args(term)[0];
                let attributes: Vec<Attribute> = terms.attributes(attributes).to_vec();
                for attribute in attributes {
                    if let AttributeValue::Name(name) = attribute.value {
                        self.name_term(terms, name, body);
                    }
                }
                state.tasks.push(Task::Alias(term));
                state.tasks.push(Task::Visit(body));
            }
            Head::Global(name) | Head::Qualified(name)
                if self.definitions.get(&name).is_some_and(|defined| {
                    !defined.is_recursive && defined.definition.params.len() == terms.args(term).len()
                }) =>
            {
                state.tasks.push(Task::Call(term, name));
                state.tasks.extend(terms.args(term).iter().rev().map(|arg| Task::Visit(*arg)));
            }
            Head::Op(..) | Head::Global(_) | Head::Literal(..) => {
                state.tasks.push(Task::Build(term));
                state.tasks.extend(terms.args(term).iter().rev().map(|arg| Task::Visit(*arg)));
            }
            Head::Forall(_) | Head::Exists(_) => self.visit_quantifier(terms, state, term),
            _ => {
                let result = self.fresh(terms, term, "a construct outside of strings, integers and Booleans");
                self.finish(terms, state, term, result);
            }
        }
    }

    fn visit_quantifier(&mut self, terms: &mut Terms, state: &mut State, term: Term) {
        let variables = terms.bound_at(term, 0).to_vec();
        let parts = subterms(terms, terms.args(term));
        // Sorts are not empty, so a variable that does not occur changes nothing.
        let occurs =
            |name| parts.iter().any(|part| matches!(terms.head(*part), Head::Local(local) if local == name));
        if variables.iter().any(|variable| !is_solved(variable.sort) && occurs(variable.name)) {
            let result = self.fresh(terms, term, "quantifiers");
            self.finish(terms, state, term, result);
            return;
        }
        let constants: Vec<Term> =
            variables.iter().map(|variable| build::fresh(terms, "bound", variable.sort)).collect();
        self.bound.extend(&constants);
        state.tasks.push(Task::Quantify(term, constants.clone()));
        state.tasks.push(Task::Bind(term));
        state.tasks.push(Task::Values(constants));
    }

    /// What a quantifier says whose lowered body has these constants for its variables.
    fn quantified(&mut self, terms: &mut Terms, term: Term, variables: &[Term], body: Term) -> Term {
        for variable in variables {
            self.bound.remove(variable);
        }
        if subterms(terms, &[body]).iter().any(|part| self.dependent.contains(part)) {
            return self.fresh(terms, term, "quantifiers");
        }
        let Meaning { term, unknown } = match terms.head(term) {
            Head::Forall(_) => quantifiers::all(terms, variables, body),
            _ => quantifiers::some(terms, variables, body),
        };
        for constant in unknown {
            self.reasons.extend(build::constant_name(terms, constant).map(|name| (name, "quantifiers")));
            // Quantifiers around this one may bind what it depends on.
            if !self.bound.is_empty() {
                self.dependent.insert(constant);
            }
        }
        term
    }

    fn name_term(&mut self, terms: &Terms, name: Symbol, body: Term) {
        let definition = Definition { name, params: Vec::new(), sort: terms.sort(body), body };
        let before = self.set_meaning(name, Some(Defined { definition, is_recursive: false }));
        self.named.push((name, before));
    }

    /// A new constant in place of a term that we do not look into.
    fn fresh(&mut self, terms: &mut Terms, term: Term, reason: &'static str) -> Term {
        let sort = terms.sort(term);
        let constant = build::fresh(terms, "abstracted", sort);
        if let Some(name) = build::constant_name(terms, constant) {
            self.reasons.insert(name, reason);
        }
        let depends = |part: &Term| self.bound.contains(part) || self.dependent.contains(part);
        // Only what is not lowered yet has local variables.
        let may_depend =
            terms.has_locals(term) || !self.bound.is_empty() && subterms(terms, &[term]).iter().any(depends);
        if may_depend {
            self.dependent.insert(constant);
        }
        if !is_solved(sort) {
            self.foreign.insert(constant);
        }
        constant
    }

    /// The constant that stands for a lowered term.
    fn abstracted(&mut self, terms: &mut Terms, term: Term, reason: &'static str) -> Term {
        if let Some(constant) = self.abstractions.get(&term) {
            return *constant;
        }
        let constant = self.fresh(terms, term, reason);
        self.abstractions.insert(term, constant);
        constant
    }

    fn build(&mut self, terms: &mut Terms, term: Term, args: &[Term]) -> Term {
        // We took this name for something else before it was declared.
        if let Head::Global(name) = terms.head(term)
            && self.reasons.contains_key(&name)
        {
            let application = terms.with_args(term, args);
            return self.abstracted(terms, application, "a name that is in use");
        }
        // Integers are equal if they are as reals.
        if let (Some(Op::Eq), Some([left, right])) = (terms.op(term), as_integers(terms, args)) {
            return build::eq(terms, left, right);
        }
        if let (Some(Op::StrInRe), &[word, language]) = (terms.op(term), args)
            && self.only_chooses(terms, language)
            && let Some(membership) = language_ite::membership(terms, word, language)
        {
            return membership;
        }
        let built = match terms.head(term) {
            Head::Literal(Literal::Str, text) => match Str::from_literal(terms.text(text)) {
                Ok(value) => literal::string(terms, &value),
                Err(_) => term,
            },
            // Spelled another way.
            Head::Op(Op::StrIndexofFromStart, _) => {
                let zero = literal::int(terms, &0.into());
                build::apply(terms, Op::StrIndexof, &[args[0], args[1], zero])
            }
            Head::Op(Op::Divisible, indices) => match terms.indices(indices) {
                &[Index::Number(divisor)] => {
                    let divisor = literal::int(terms, &divisor.into());
                    let zero = literal::int(terms, &0.into());
                    let remainder = build::apply(terms, Op::Mod, &[args[0], divisor]);
                    build::eq(terms, remainder, zero)
                }
                _ => terms.with_args(term, args),
            },
            _ => terms.with_args(term, args),
        };
        let sort = terms.sort(built);
        let reason = match self.strangeness(terms, term, args) {
            None => return built,
            Some(reason) => reason,
        };
        if is_solved(sort) && !matches!(terms.head(term), Head::Global(_) if args.is_empty()) {
            self.abstracted(terms, built, reason)
        } else {
            self.foreign.insert(built);
            built
        }
    }

    /// Whether nothing about a lowered language is foreign but that it chooses between others.
    fn only_chooses(&self, terms: &Terms, language: Term) -> bool {
        let is_foreign = |part: &Term| self.foreign.contains(part);
        let is_cause =
            |part: &Term| !language_ite::is_choice(terms, *part) && !terms.args(*part).iter().any(is_foreign);
        is_foreign(&language)
            && !subterms(terms, &[language]).iter().any(|part| is_foreign(part) && is_cause(part))
    }

    /// Why a term with lowered arguments is not for the engines, if it is not.
    fn strangeness(&self, terms: &Terms, term: Term, args: &[Term]) -> Option<&'static str> {
        if args.iter().any(|arg| self.foreign.contains(arg)) {
            return Some("a theory other than strings, integers and Booleans");
        }
        let sort = terms.sort(term);
        let is_known_sort = is_solved(sort) || sort == Sort::REG_LAN;
        if !is_known_sort || args.iter().any(|arg| terms.sort(*arg) == Sort::REAL) {
            return Some("a theory other than strings, integers and Booleans");
        }
        match terms.head(term) {
            Head::Literal(Literal::Numeral | Literal::Str, _) => None,
            Head::Global(name) if self.definitions.contains_key(&name) => Some("recursive functions"),
            Head::Global(_) if sort == Sort::REG_LAN && !args.is_empty() => {
                Some("functions to regular expressions")
            }
            Head::Global(_) => None,
            Head::Op(Op::Ite, _) if sort == Sort::REG_LAN => Some("choices between regular expressions"),
            Head::Op(op, _) => match op {
                Op::Power
                | Op::IntAnd
                | Op::ParametricIntAnd
                | Op::IntPow2
                | Op::IntLog2
                | Op::IntDivTotal
                | Op::ModTotal
                | Op::Rem => Some("non-linear arithmetic"),
                Op::StrFromUbv | Op::StrFromSbv => Some("bit-vectors"),
                _ => match op.info().theory {
                    Theory::Core | Theory::Ints | Theory::Strings | Theory::Regexes => None,
                    _ => Some("a theory other than strings, integers and Booleans"),
                },
            },
            _ => Some("a construct outside of strings, integers and Booleans"),
        }
    }
}

/// The two integers of which these are the reals.
fn as_integers(terms: &Terms, reals: &[Term]) -> Option<[Term; 2]> {
    let integer = |real: Term| match (terms.op(real), terms.args(real)) {
        (Some(Op::ToReal), &[integer]) if terms.sort(integer) == Sort::INT => Some(integer),
        _ => None,
    };
    match reals {
        &[left, right] => Some([integer(left)?, integer(right)?]),
        _ => None,
    }
}

/// Whether engines know the sort.
fn is_solved(sort: Sort) -> bool {
    matches!(sort, Sort::BOOL | Sort::INT | Sort::STRING)
}

#[cfg(test)]
mod tests;

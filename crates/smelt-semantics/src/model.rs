//! Models as solvers print them, and checking scripts against them.
//!
//! Understood are the answers to `get-model` and `get-value` of Z3 (old and new), cvc4, cvc5, Bitwuzla and Yices:
//! definitions with and without arguments, `(as const ..)`, stores, lambdas, `(_ as-array f)`, elements of uninterpreted
//! sorts, pairs of terms and values. What cannot be understood has no value, and evaluation says so; nothing is guessed.

mod universe;
mod yices;

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::diagnostic::{Diagnostic, Diagnostics, Problem};
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::{Scope, read_definitions, read_term_tolerantly};
use smelt_smtlib::script::Definition;
use smelt_smtlib::sexp::{Kind, Scanner, Tape};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::source::Span;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms, Variable};
use smelt_smtlib::walk::subterms;

use crate::Budget;
use crate::environment::Environment;
use crate::eval::{EvalResult, Evaluator};
use crate::recursion::may_be_unsolvable;
use crate::unknown::Unknown;
use crate::value::Value;
pub use universe::Universes;
use yices::YicesFunctions;

/// What symbols mean.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    definitions: FxHashMap<Symbol, Definition>,
    /// Values of terms, as `get-value` gives them.
    values: FxHashMap<Term, Term>,
    /// What operators are where the standard leaves them open; sequences of two sorts have one name for it.
    choices: Vec<(Op, Definition)>,
    /// Elements of uninterpreted sorts that the model declares.
    elements: FxHashSet<Symbol>,
    /// Functions of one argument as arrays, where they are lists of cases.
    arrays: FxHashMap<Symbol, Term>,
    universes: Universes,
    /// What is on the heap of separation logic.
    heap: Option<Heap>,
    completes: bool,
}

/// The heap of separation logic, as cvc5 prints it after a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Heap {
    /// Places and what lies there.
    pub(crate) cells: Vec<HeapCell>,
    /// What `sep.nil` is.
    pub(crate) nil: Option<Term>,
}

/// A place on the heap and what lies there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HeapCell {
    pub(crate) place: Term,
    pub(crate) content: Term,
}

/// The names under which Z3 says what it chose where the standard leaves a value open.
const CHOICES: &[(Op, &str)] =
    &[(Op::IntDiv, "div0"), (Op::Mod, "mod0"), (Op::RealDiv, "/0"), (Op::SeqNth, "seq.nth_u")];

impl Model {
    /// A model that says nothing.
    pub fn new() -> Self {
        Model::default()
    }

    /// The dialect that a model is written in if nobody knows who wrote it: a solver of today writes `\u{..}` whatever
    /// the script is written in, and no older one writes that.
    pub fn dialect_of(text: &str, script: Dialect) -> Dialect {
        if text.contains("\\u{") { Dialect::V26 } else { script }
    }

    /// Reads what a solver printed after `sat`, over the symbols of a script.
    ///
    /// Text before and after is skipped if it consists of atoms (`sat`, `success`). Problems are reported only if the
    /// text is not a sequence of balanced expressions; anything else that is not understood is left out.
    pub fn parse(
        terms: &mut Terms,
        scope: &Scope,
        text: &str,
        dialect: Dialect,
    ) -> Result<Model, Diagnostics> {
        let mut model = Model::default();
        let mut problems = Vec::new();
        let declared = scope;
        let mut scope = scope.clone();
        let mut scanner = Scanner::new(text);
        let mut tape = Tape::new();
        let mut functions = YicesFunctions::default();
        loop {
            match scanner.read(&mut tape) {
                Ok(false) => break,
                Ok(true) if functions.read(&tape, text) => {}
                Ok(true) => model.read_answer(terms, &mut scope, text, &tape, dialect),
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            return Err(Diagnostics(problems));
        }
        if model.definitions.is_empty() && model.values.is_empty() && !text.contains('(') {
            let span = Span::new(0, text.len() as u32);
            return Err(Diagnostic::new(Problem::Form, span, "no model found in this text")
                .with_help("expected what a solver prints for `(get-model)` or `(get-value (..))`")
                .into());
        }
        for definition in functions.definitions(terms, &scope) {
            model.read_entry(terms, &mut scope, &definition, dialect);
        }
        model.forget_choices_for(declared);
        model.universes.read_comments(terms, &mut scope, text, dialect);
        let bodies: Vec<Term> = model.definitions.values().map(|definition| definition.body).collect();
        model.universes.forget_incomplete(terms, &bodies);
        model.take_functions_as_arrays(terms, declared);
        model.resolve_arrays(terms);
        Ok(model)
    }

    fn read_answer(
        &mut self,
        terms: &mut Terms,
        scope: &mut Scope,
        text: &str,
        tape: &Tape,
        dialect: Dialect,
    ) {
        let head = tape.node(0);
        if head.kind != Kind::List {
            return;
        }
        if tape.children(0).next().is_some_and(|word| tape.node(word).span.text(text) == "heap") {
            self.heap = read_heap(terms, scope, text, tape, dialect);
            return;
        }
        // A definition alone, or a list of them with or without the word `model`.
        let text_of = |place: u32| tape.node(place).span.text(text);
        let word = tape.children(0).next().map(text_of);
        let is_one =
            matches!(word, Some("define-fun" | "define-fun-rec" | "declare-fun" | "define-const" | "="));
        let places: Vec<u32> = match is_one {
            true => vec![0],
            false => tape.children(0).filter(|place| text_of(*place) != "model").collect(),
        };
        // Elements first: definitions use them.
        for place in places.iter().filter(|_| !is_one) {
            self.read_element(terms, scope, text_of(*place));
        }
        for place in &places {
            declare_defined(terms, scope, text, tape, *place);
        }
        for place in places.iter().filter(|place| text_of(**place).starts_with("(forall")) {
            if let Some(constraint) = read_term_tolerantly(terms, scope, text_of(*place), dialect) {
                self.universes.read_constraint(terms, constraint);
            }
        }
        self.read_entries(terms, scope, text, tape, &places, dialect);
    }

    /// Z3 declares the elements of an uninterpreted sort: `(declare-fun S!val!0 () S)`.
    fn read_element(&mut self, terms: &mut Terms, scope: &mut Scope, entry: &str) {
        if !entry.starts_with("(declare-fun") {
            return;
        }
        let mut tape = Tape::new();
        if !matches!(Scanner::new(entry).read(&mut tape), Ok(true)) {
            return;
        }
        let command = smelt_smtlib::read::read_command(terms, scope, entry, &tape, Dialect::V26);
        if let Ok(smelt_smtlib::script::Command::DeclareFun(name, params, _)) = command
            && params.is_empty()
        {
            self.elements.insert(name);
        }
    }

    fn read_entry(&mut self, terms: &mut Terms, scope: &mut Scope, entry: &str, dialect: Dialect) {
        let mut tape = Tape::new();
        if matches!(Scanner::new(entry).read(&mut tape), Ok(true)) {
            self.read_entries(terms, scope, entry, &tape, &[0], dialect);
        }
    }

    fn read_entries(
        &mut self,
        terms: &mut Terms,
        scope: &mut Scope,
        text: &str,
        tape: &Tape,
        places: &[u32],
        dialect: Dialect,
    ) {
        let definitions = read_definitions(terms, scope, text, tape, places, dialect);
        for (place, definition) in places.iter().zip(definitions) {
            match definition {
                Some(definition) => {
                    let name = terms.text(definition.name);
                    if let Some((op, _)) = CHOICES.iter().find(|(_, choice)| *choice == name) {
                        self.choices.push((*op, definition.clone()));
                    }
                    self.definitions.insert(definition.name, definition);
                }
                None => self.read_value(terms, scope, text, tape, *place, dialect),
            }
        }
    }

    /// Reads `(term value)` of get-value, or `(= term value)` of Yices.
    fn read_value(
        &mut self,
        terms: &mut Terms,
        scope: &mut Scope,
        text: &str,
        tape: &Tape,
        place: u32,
        dialect: Dialect,
    ) {
        let text_of = |place: u32| tape.node(place).span.text(text);
        let parts: Vec<u32> = tape.children(place).collect();
        let (key, value) = match parts.as_slice() {
            [key, value] => (*key, *value),
            [word, key, value] if text_of(*word) == "=" => (*key, *value),
            _ => return,
        };
        let key = read_term_tolerantly(terms, scope, text_of(key), dialect);
        let value = read_term_tolerantly(terms, scope, text_of(value), dialect);
        let (Some(key), Some(value)) = (key, value) else { return };
        match terms.head(key) {
            Head::Global(name) if terms.args(key).is_empty() => {
                let sort = terms.sort(key);
                self.definitions.insert(name, Definition { name, params: Vec::new(), sort, body: value });
            }
            _ => {
                self.values.insert(key, value);
            }
        }
    }

    /// Says what a constant means.
    pub fn set(&mut self, terms: &Terms, name: Symbol, value: Term) {
        let sort = terms.sort(value);
        self.definitions.insert(name, Definition { name, params: Vec::new(), sort, body: value });
    }

    /// Says what a function means.
    pub fn define(&mut self, definition: Definition) {
        self.definitions.insert(definition.name, definition);
    }

    /// The same model, in which symbols without a meaning have some fixed one.
    pub fn completed(&self) -> Model {
        Model { completes: true, ..self.clone() }
    }

    /// Whether symbols without a meaning get one.
    pub(crate) fn completes(&self) -> bool {
        self.completes
    }

    /// What a symbol means.
    pub fn definition(&self, name: Symbol) -> Option<&Definition> {
        self.definitions.get(&name)
    }

    /// The symbols that the model gives a meaning.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.definitions.keys().copied()
    }

    /// Whether `get-value` gave values of terms.
    pub(crate) fn has_values(&self) -> bool {
        !self.values.is_empty()
    }

    /// The value that `get-value` gave for a term.
    pub(crate) fn value_of(&self, term: Term) -> Option<Term> {
        self.values.get(&term).copied()
    }

    /// What is on the heap of separation logic, if the model says it.
    pub(crate) fn heap(&self) -> Option<&Heap> {
        self.heap.as_ref()
    }

    /// What uninterpreted sorts consist of.
    pub fn universes(&self) -> &Universes {
        &self.universes
    }

    /// Whether a symbol stands for an element of an uninterpreted sort.
    pub(crate) fn is_element(&self, terms: &Terms, name: Symbol) -> bool {
        self.elements.contains(&name) || is_element_name(terms.text(name))
    }

    /// What the model says of an application where the standard says nothing: by the sorts of its arguments.
    pub(crate) fn choice(&self, terms: &Terms, op: Op, term: Term) -> Option<&Definition> {
        let args = terms.args(term);
        let fits = |(param, arg): (&Variable, &Term)| terms.sorts.fits(param.sort, terms.sort(*arg));
        let is_for = |definition: &Definition| {
            definition.sort == terms.sort(term)
                && definition.params.len() <= args.len()
                && definition.params.iter().zip(args).all(fits)
        };
        self.choices.iter().find(|(open, choice)| *open == op && is_for(choice)).map(|(_, choice)| choice)
    }

    /// A symbol that the script declares under the name of a choice is not that choice.
    fn forget_choices_for(&mut self, declared: &Scope) {
        self.choices.retain(|(_, choice)| declared.declaration(choice.name).is_none());
    }

    /// The value of a text that is no SMT-LIB term: an element of an uninterpreted sort, or nothing we know.
    pub(crate) fn opaque_value(&self, terms: &Terms, text: Symbol, sort: Sort) -> EvalResult {
        let spelling = terms.text(text);
        if is_element_name(spelling) || spelling.starts_with("(as @") {
            return Ok(Value::Abstract(sort, text));
        }
        if spelling.contains("root-obj") || spelling.contains("real_algebraic_number") {
            return Err(Unknown::Irrational);
        }
        Err(Unknown::Opaque(text))
    }

    /// A function of one argument as an array that can be compared.
    pub(crate) fn as_array(&self, function: Symbol) -> Option<Term> {
        self.arrays.get(&function).copied()
    }

    /// Boolector defines an array as a function of its indices: `(define-fun a ((i (_ BitVec 2))) Bool ..)`.
    fn take_functions_as_arrays(&mut self, terms: &mut Terms, declared: &Scope) {
        for definition in self.definitions.values_mut() {
            let (Some(declaration), [param]) =
                (declared.declaration(definition.name), &definition.params[..])
            else {
                continue;
            };
            let array = terms.sorts.array(param.sort, definition.sort);
            if declaration.params.is_empty() && declaration.result == array {
                let param = definition.params.remove(0);
                let binders = terms.intern_binders(&[param]);
                definition.body = terms.intern(Head::Lambda(binders), &[definition.body], array);
                definition.sort = array;
            }
        }
    }

    /// Turns arrays that are given by functions into stores over a constant, where the function is a list of cases.
    fn resolve_arrays(&mut self, terms: &mut Terms) {
        let is_plain = |body| terms.args(body).is_empty() && !matches!(terms.head(body), Head::Opaque(_));
        let definitions = self.definitions.values().filter(|definition| !is_plain(definition.body));
        let names: Vec<Symbol> = definitions.map(|definition| definition.name).collect();
        for name in names {
            let definition = self.definitions[&name].clone();
            let body = self.resolve_in(terms, definition.body, definition.sort);
            self.definitions.insert(name, Definition { body, ..definition });
        }
        let functions: Vec<Definition> =
            self.definitions.values().filter(|definition| definition.params.len() == 1).cloned().collect();
        for Definition { name, params, body, .. } in functions {
            let sort = terms.sorts.array(params[0].sort, terms.sort(body));
            if let Some(array) = array_of_cases(terms, params[0], body, sort) {
                self.arrays.insert(name, array);
            }
        }
    }

    fn resolve_in(&self, terms: &mut Terms, root: Term, root_sort: Sort) -> Term {
        let mut new: FxHashMap<Term, Term> = FxHashMap::default();
        for term in subterms(terms, &[root]) {
            let args: Vec<Term> = terms.args(term).iter().map(|arg| new[arg]).collect();
            let rebuilt = terms.with_args(term, &args);
            let wanted = if term == root { root_sort } else { terms.sort(term) };
            let resolved = self.array_of(terms, rebuilt, wanted).unwrap_or(rebuilt);
            new.insert(term, resolved);
        }
        new[&root]
    }

    /// The array that a lambda or an `as-array` is, as a term without functions.
    fn array_of(&self, terms: &mut Terms, term: Term, wanted: Sort) -> Option<Term> {
        let (params, body) = match terms.head(term) {
            Head::Lambda(binders) => (terms.binders(binders).to_vec(), terms.args(term)[0]),
            Head::Opaque(text) => {
                let name =
                    terms.text(text).strip_prefix("(_ as-array ")?.strip_suffix(')')?.trim_matches('|');
                let definition = self.definition(terms.symbols.get(name)?)?;
                (definition.params.clone(), definition.body)
            }
            Head::Op(Op::AsArray, _) => {
                let Head::Global(name) = terms.head(terms.args(term)[0]) else { return None };
                let definition = self.definition(name)?;
                (definition.params.clone(), definition.body)
            }
            _ => return None,
        };
        let [param] = params.as_slice() else { return None };
        let sort = match terms.sorts.kind(wanted) {
            SortKind::Array(..) => wanted,
            _ => terms.sorts.array(param.sort, terms.sort(body)),
        };
        array_of_cases(terms, *param, body, sort)
    }
}

/// A function of one variable as an array, if it is a list of cases.
fn array_of_cases(terms: &mut Terms, param: Variable, body: Term, sort: Sort) -> Option<Term> {
    if let Some((indices, is_member)) = set_of(terms, body, param) {
        let (member, other) = (terms.bool(is_member), terms.bool(!is_member));
        let empty = terms.apply_ascribed(Op::ConstArray, &[], &[other], Some(sort)).ok()?;
        return indices
            .into_iter()
            .try_fold(empty, |array, index| terms.apply(Op::Store, &[], &[array, index, member]).ok());
    }
    let mut entries = Vec::new();
    let mut rest = body;
    while let (Some(Op::Ite), [condition, then, otherwise]) = (terms.op(rest), terms.args(rest)) {
        let (condition, then, otherwise) = (*condition, *then, *otherwise);
        entries.push((case_index(terms, condition, param)?, then));
        rest = otherwise;
    }
    if terms.has_locals(rest) || entries.iter().any(|(_, element)| terms.has_locals(*element)) {
        return None;
    }
    let mut array = terms.apply_ascribed(Op::ConstArray, &[], &[rest], Some(sort)).ok()?;
    for (index, element) in entries.into_iter().rev() {
        array = terms.apply(Op::Store, &[], &[array, index, element]).ok()?;
    }
    Some(array)
}

/// Declares what a definition defines, if the script does not: definitions of a model may use those that come later.
fn declare_defined(terms: &mut Terms, scope: &mut Scope, text: &str, tape: &Tape, place: u32) {
    let text_of = |place: u32| tape.node(place).span.text(text);
    let parts: Vec<u32> = tape.children(place).collect();
    let [word, name, params, sort, _] = parts.as_slice() else { return };
    let known = terms.symbols.get(text_of(*name).trim_matches('|'));
    if !matches!(text_of(*word), "define-fun" | "define-fun-rec")
        || known.is_some_and(|name| scope.declaration(name).is_some())
    {
        return;
    }
    let params: Vec<&str> =
        tape.children(*params).filter_map(|param| tape.children(param).nth(1)).map(text_of).collect();
    let command = format!("(declare-fun {} ({}) {})", text_of(*name), params.join(" "), text_of(*sort));
    let mut tape = Tape::new();
    if matches!(Scanner::new(&command).read(&mut tape), Ok(true)) {
        // What cannot be declared stays opaque where it is used.
        let _ = smelt_smtlib::read::read_command(terms, scope, &command, &tape, Dialect::V26);
    }
}

/// Reads `(heap (sep (pto place content)..) (= (as sep.nil sort) value))`; nothing if it has another form.
fn read_heap(
    terms: &mut Terms,
    scope: &mut Scope,
    text: &str,
    tape: &Tape,
    dialect: Dialect,
) -> Option<Heap> {
    let mut heap = Heap::default();
    for place in tape.children(0).skip(1) {
        let term = read_term_tolerantly(terms, scope, tape.node(place).span.text(text), dialect)?;
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            match (terms.op(term), terms.args(term)) {
                (Some(Op::SepEmp), _) => {}
                (Some(Op::SepStar), parts) => pending.extend(parts),
                (Some(Op::SepPto), &[place, content]) => heap.cells.push(HeapCell { place, content }),
                (Some(Op::Eq), &[nil, value]) if terms.op(nil) == Some(Op::SepNil) => heap.nil = Some(value),
                _ => return None,
            }
        }
    }
    Some(heap)
}

/// The indices for which a Boolean function of x, built from `(= x index)`, `or` and `not`, is true, or false.
fn set_of(terms: &Terms, body: Term, param: Variable) -> Option<(Vec<Term>, bool)> {
    let mut is_member = true;
    let mut body = body;
    while let (Some(Op::Not), [negated]) = (terms.op(body), terms.args(body)) {
        is_member = !is_member;
        body = *negated;
    }
    let cases: &[Term] = if terms.op(body) == Some(Op::Or) { terms.args(body) } else { &[body] };
    let indices = cases.iter().map(|case| case_index(terms, *case, param)).collect::<Option<_>>()?;
    Some((indices, is_member))
}

/// The index for which a case `(= x index)` of a function of x holds.
fn case_index(terms: &Terms, condition: Term, param: Variable) -> Option<Term> {
    let condition = match (terms.op(condition), terms.args(condition)) {
        (Some(Op::And), [only]) => *only,
        _ => condition,
    };
    let (Some(Op::Eq), &[left, right]) = (terms.op(condition), terms.args(condition)) else { return None };
    let is_param = |term: Term| terms.head(term) == Head::Local(param.name);
    match (is_param(left), is_param(right)) {
        (true, false) if !terms.has_locals(right) => Some(right),
        (false, true) if !terms.has_locals(left) => Some(left),
        _ => None,
    }
}

/// How Z3 (`S!val!0`), cvc4 and cvc5 (`@a_0`) name elements of uninterpreted sorts.
fn is_element_name(text: &str) -> bool {
    text.contains("!val!") || text.starts_with('@')
}

/// What a model makes of one assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluation {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// We cannot tell.
    Unknown(Unknown),
}

/// What a model makes of all assertions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checked {
    /// For each assertion what it makes of it.
    pub evaluations: Vec<Evaluation>,
    /// The symbols that evaluation came across and that the model gives no value.
    pub missing: Vec<Symbol>,
}

/// Evaluates every assertion of an environment under a model. Symbols that the model says nothing about have no value.
pub fn check_as_given(terms: &Terms, environment: &Environment, model: &Model, budget: Budget) -> Checked {
    let mut evaluator = Evaluator::new(terms, environment, model);
    evaluator.budget = budget;
    let evaluations = evaluate_all(&mut evaluator, &environment.assertions);
    Checked { evaluations, missing: evaluator.missing().iter().copied().collect() }
}

fn evaluate_all(evaluator: &mut Evaluator<'_>, assertions: &[Term]) -> Vec<Evaluation> {
    let evaluation = |assertion: &Term| match evaluator.eval(*assertion) {
        Ok(Value::Bool(true)) => Evaluation::True,
        Ok(Value::Bool(false)) => Evaluation::False,
        Ok(_) => Evaluation::Unknown(Unknown::IllSorted),
        Err(unknown) => Evaluation::Unknown(unknown),
    };
    assertions.iter().map(evaluation).collect()
}

/// Evaluates every assertion of an environment under a model, completed where that is needed; see [`check_completed`].
pub fn check(terms: &Terms, environment: &Environment, model: &Model, budget: Budget) -> Vec<Evaluation> {
    check_completed(terms, environment, model, budget).evaluations
}

/// Evaluates every assertion of an environment under a completion of a model.
///
/// Symbols that the model says nothing about are first left open, and so is what the standard leaves open; only if an
/// assertion needs them, some fixed values are tried. Assertions that hold then hold in a completion of the model; one
/// that does not is unknown, because the solver may have meant another completion. Where a recursive definition may have
/// no solution, no assertion is known to hold.
pub fn check_completed(terms: &Terms, environment: &Environment, model: &Model, budget: Budget) -> Checked {
    let mut checked = check_unfolded(terms, environment, model, budget);
    let holds = |evaluation: &Evaluation| *evaluation == Evaluation::True;
    if checked.evaluations.iter().any(holds) && may_be_unsolvable(terms, environment) {
        let unknown = |evaluation: Evaluation| match evaluation {
            Evaluation::True => Evaluation::Unknown(Unknown::Recursion),
            other => other,
        };
        checked.evaluations = checked.evaluations.into_iter().map(unknown).collect();
    }
    checked
}

/// Evaluates every assertion under a completion; recursive definitions are unfolded.
fn check_unfolded(terms: &Terms, environment: &Environment, model: &Model, budget: Budget) -> Checked {
    let mut given = Evaluator::new(terms, environment, model);
    given.budget = budget.clone();
    let mut evaluations = evaluate_all(&mut given, &environment.assertions);
    let mut missing = given.missing().clone();
    let is_incomplete = |evaluation: &Evaluation| {
        use Unknown::{NoValue, Open, OpenSelector};
        matches!(evaluation, Evaluation::Unknown(NoValue(_) | Open(_) | OpenSelector(_)))
    };
    if !evaluations.iter().any(is_incomplete) {
        return Checked { evaluations, missing: missing.into_iter().collect() };
    }
    let completed = model.completed();
    // All assertions are evaluated again: what a model chooses for open values has to fit them all.
    let assertions = &environment.assertions;
    let mut completing = Evaluator::new(terms, environment, &completed);
    completing.budget = budget.clone();
    let results = evaluate_all(&mut completing, assertions);
    missing.extend(completing.missing());
    for (evaluation, result) in evaluations.iter_mut().zip(&results) {
        if matches!(evaluation, Evaluation::Unknown(_)) && *result == Evaluation::True {
            *evaluation = Evaluation::True;
        }
    }
    // The evaluation so far showed what open values are compared with.
    let mut choices = completing.into_choices();
    let mut remaining = budget;
    let mut tries = 0..MAX_CHOICES;
    while evaluations.iter().any(|evaluation| matches!(evaluation, Evaluation::Unknown(_)))
        && !evaluations.contains(&Evaluation::False)
        && tries.next().is_some()
    {
        let mut choosing = Evaluator::new(terms, environment, &completed).choosing(choices);
        choosing.budget = remaining;
        if assertions.iter().all(|assertion| choosing.eval(*assertion) == Ok(Value::Bool(true))) {
            evaluations.fill(Evaluation::True);
        }
        missing.extend(choosing.missing());
        remaining = choosing.budget.clone();
        choices = choosing.into_choices();
        if !choices.step() {
            break;
        }
    }
    Checked { evaluations, missing: missing.into_iter().collect() }
}

/// At most so many choices of open values are tried for a completion.
const MAX_CHOICES: usize = 256;

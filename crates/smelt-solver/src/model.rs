//! Models: values for symbols, how eliminated symbols get theirs, and the check that every `sat` has to pass.

use rustc_hash::FxHashMap;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::{self, Evaluation, Model};
use smelt_semantics::value::Value;
use smelt_semantics::{Budget, domain};
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms, Variable};

/// Values for constants and tables for functions.
#[derive(Debug, Clone, Default)]
pub struct Assignment {
    values: FxHashMap<Symbol, Value>,
    tables: FxHashMap<Symbol, Table>,
    /// Ground terms for constants that stand for regular languages.
    languages: FxHashMap<Symbol, Term>,
}

/// A function by its values on some arguments; elsewhere it is whatever its sort offers first.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Arguments and value; no arguments occur twice.
    pub entries: Vec<(Vec<Value>, Value)>,
}

impl Assignment {
    /// Nothing has a value.
    pub fn new() -> Self {
        Assignment::default()
    }

    /// Gives a constant its value.
    pub fn set(&mut self, name: Symbol, value: Value) {
        self.values.insert(name, value);
    }

    /// The value of a constant.
    pub fn get(&self, name: Symbol) -> Option<&Value> {
        self.values.get(&name)
    }

    /// The constants that have a value.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.values.keys().copied()
    }

    /// Gives a function its table.
    pub fn set_table(&mut self, name: Symbol, table: Table) {
        self.tables.insert(name, table);
    }

    /// Takes over what another assignment says.
    pub fn extend(&mut self, other: Assignment) {
        self.values.extend(other.values);
        self.tables.extend(other.tables);
        self.languages.extend(other.languages);
    }
}

/// How symbols that were eliminated get their values, once all others have theirs.
#[derive(Debug, Clone)]
pub enum Converter {
    /// The constant has the value of the term.
    Define(Symbol, Term),
    /// The function maps the arguments of each application to the value of the constant beside it.
    Function(Symbol, Vec<(Vec<Term>, Symbol)>),
}

/// Evaluates terms under an assignment that grows.
///
/// Symbols without a value have the default one of their sort.
struct Completion<'t> {
    terms: &'t mut Terms,
    environment: Environment,
    model: Model,
}

impl Completion<'_> {
    fn evaluate(&self, term: Term) -> Option<Value> {
        Evaluator::new(self.terms, &self.environment, &self.model).eval(term).ok()
    }

    fn set(&mut self, name: Symbol, value: &Value) {
        if let Some(literal) = literal::of_value(self.terms, value) {
            self.model.set(self.terms, name, literal);
        }
    }
}

/// Extends a model of what was left to what was eliminated; the last converter was made last and runs first.
///
/// None if some definition has no value, as a division by zero has.
pub fn extend(terms: &mut Terms, mut assignment: Assignment, converters: &[Converter]) -> Option<Assignment> {
    if converters.is_empty() {
        return Some(assignment);
    }
    let mut completion =
        Completion { terms, environment: Environment::default(), model: Model::new().completed() };
    let mut known: Vec<(Symbol, Value)> =
        assignment.values.iter().map(|(name, value)| (*name, value.clone())).collect();
    known.sort_unstable_by_key(|(name, _)| *name);
    for (name, value) in &known {
        completion.set(*name, value);
    }
    for converter in converters.iter().rev() {
        match converter {
            Converter::Define(name, term) if completion.terms.sort(*term) == Sort::REG_LAN => {
                // A language has no literal; its term will do, unless something in it has no value yet.
                let is_ground = smelt_smtlib::walk::free_names(completion.terms, *term).globals.is_empty();
                if !is_ground {
                    return None;
                }
                completion.model.set(completion.terms, *name, *term);
                assignment.languages.insert(*name, *term);
            }
            Converter::Define(name, term) => {
                let value = completion.evaluate(*term)?;
                completion.set(*name, &value);
                assignment.set(*name, value);
            }
            Converter::Function(name, applications) => {
                let mut table = Table::default();
                for (args, result) in applications {
                    let args: Vec<Value> =
                        args.iter().map(|arg| completion.evaluate(*arg)).collect::<Option<_>>()?;
                    let value = match assignment.get(*result) {
                        Some(value) => value.clone(),
                        None => continue,
                    };
                    if !table.entries.iter().any(|(known, _)| *known == args) {
                        table.entries.push((args, value));
                    }
                }
                if let Some(definition) = table_definition(completion.terms, *name, &table) {
                    completion.model.define(definition);
                }
                assignment.set_table(*name, table);
            }
        }
    }
    Some(assignment)
}

/// A function as a definition by cases; none if it has no entries.
fn table_definition(terms: &mut Terms, name: Symbol, table: &Table) -> Option<Definition> {
    let (first_args, first_value) = table.entries.first()?;
    let sorts: Vec<Sort> = first_args.iter().map(sort_of).collect::<Option<_>>()?;
    let sort = sort_of(first_value)?;
    full_definition(terms, name, &sorts, sort, table)
}

fn sort_of(value: &Value) -> Option<Sort> {
    match value {
        Value::Bool(_) => Some(Sort::BOOL),
        Value::Int(_) => Some(Sort::INT),
        Value::Str(_) => Some(Sort::STRING),
        _ => None,
    }
}

fn full_definition(
    terms: &mut Terms,
    name: Symbol,
    param_sorts: &[Sort],
    sort: Sort,
    table: &Table,
) -> Option<Definition> {
    let params: Vec<Variable> = param_sorts
        .iter()
        .enumerate()
        .map(|(position, sort)| Variable {
            name: terms.symbols.intern(&format!("x!{position}")),
            sort: *sort,
        })
        .collect();
    let default =
        domain::default_value(terms, &Environment::default(), sort, &mut Budget::default()).ok().flatten()?;
    let mut body = literal::of_value(terms, &default)?;
    for (args, value) in table.entries.iter().rev() {
        let mut conditions = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            let local = terms.local(param.name, param.sort);
            let literal = literal::of_value(terms, arg)?;
            conditions.push(build::apply(terms, Op::Eq, &[local, literal]));
        }
        let condition = build::and(terms, &conditions);
        let value = literal::of_value(terms, value)?;
        body = build::ite(terms, condition, value, body);
    }
    Some(Definition { name, params, sort, body })
}

/// A model of all declared symbols: those without a value get the default one of their sort.
///
/// Symbols of sorts that we cannot write a value of are left out.
pub fn complete(terms: &mut Terms, environment: &Environment, assignment: &Assignment) -> Model {
    let mut model = Model::new();
    for (name, params, sort) in &environment.declared {
        if let Some(language) = assignment.languages.get(name) {
            model.set(terms, *name, *language);
        } else if params.is_empty() {
            let default =
                || domain::default_value(terms, environment, *sort, &mut Budget::default()).ok().flatten();
            let value = assignment.get(*name).cloned().or_else(default);
            if let Some(literal) = value.and_then(|value| literal_of(terms, environment, &value, *sort)) {
                model.set(terms, *name, literal);
            }
        } else {
            let empty = Table::default();
            let table = assignment.tables.get(name).unwrap_or(&empty);
            if let Some(definition) = full_definition(terms, *name, params, *sort, table) {
                model.define(definition);
            }
        }
    }
    for (name, table) in &assignment.tables {
        if model.definition(*name).is_none()
            && let Some(definition) = table_definition(terms, *name, table)
        {
            model.define(definition);
        }
    }
    model
}

/// The term of a value of any sort that can be written.
fn literal_of(terms: &mut Terms, environment: &Environment, value: &Value, sort: Sort) -> Option<Term> {
    if let Some(literal) = literal::of_value(terms, value) {
        return Some(literal);
    }
    let text = smelt_semantics::print::value_text(terms, environment, value, sort)?;
    let mut scope = smelt_smtlib::read::Scope::new();
    smelt_smtlib::read::read_term(terms, &mut scope, &text, smelt_smtlib::op::Dialect::V26).ok()
}

/// What the check of a model against the original assertions says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// All assertions hold.
    Holds,
    /// The assertion at this position does not.
    Fails(usize),
    /// Unknown, for this reason.
    Open(String),
}

/// Evaluates the assertions of an environment under a model.
pub fn check(terms: &Terms, environment: &Environment, model: &Model) -> Checked {
    let evaluations = model::check(terms, environment, model, Budget::new(1 << 32));
    if let Some(position) = evaluations.iter().position(|verdict| *verdict == Evaluation::False) {
        return Checked::Fails(position);
    }
    let open = evaluations.iter().find_map(|verdict| match verdict {
        Evaluation::Unknown(unknown) => Some(unknown.describe(terms)),
        _ => None,
    });
    open.map_or(Checked::Holds, Checked::Open)
}

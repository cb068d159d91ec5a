//! Parameters: what the variables of a rule stand for that only one of its sides has.
//!
//! They are terms of the formula that mean at the place what they mean where they stand, or small values. What a side
//! condition speaks of is drawn until the condition holds.

use rustc_hash::FxHashSet;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::op::Attribute;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::{free_names, variables_at};

use super::build::Builder;
use super::matching::{Assignment, Function, HOLE, Meaning};
use super::pattern::{Declared, Pattern};
use super::rule::Rule;
use super::{Spoken, Surroundings, annotated_names, is_movable};
use crate::operators::{OperatorSet, draw_value, is_portable};
use crate::random::Random;
use crate::term_index::{TermIndex, TermSite};

/// A parameter has at most so many nodes.
const MAX_NODES: u64 = 12;
/// A parameter is a value once in so many draws.
const VALUE_ONE_IN: u64 = 5;
/// How often values are drawn until the side conditions hold.
const CONDITION_TRIES: usize = 40;
/// An index that is drawn is below this.
const INDEX_BOUND: u64 = 4;

/// What there is to draw from at one place.
pub(super) struct Parameters {
    surroundings: Surroundings,
    /// FreshNames that annotations give.
    annotated: FxHashSet<Symbol>,
    /// The names of the variables that are bound at the place.
    bound: Vec<Symbol>,
    /// Terms of the formula that are small enough.
    pool: Vec<Term>,
    /// The declared functions of one argument: name, sort of the argument, sort of the result.
    functions: Vec<(Symbol, Sort, Sort)>,
}

impl Parameters {
    /// Looks around a place.
    pub(super) fn new(terms: &Terms, script: &Script, survey: &TermIndex, place: &TermSite) -> Self {
        let is_usable = |term: &Term| {
            let facts = survey.facts(*term);
            facts.nodes <= MAX_NODES && is_movable(terms, *term, facts)
        };
        let functions = script.commands.iter().filter_map(|command| match command {
            Command::DeclareFun(name, params, sort) if params.len() == 1 => Some((*name, params[0], *sort)),
            _ => None,
        });
        let bound = variables_at(terms, place.root, &place.path);
        Parameters {
            surroundings: Surroundings::of(terms, place),
            annotated: annotated_names(terms, &survey.terms),
            bound: bound.iter().map(|variable| variable.name).collect(),
            pool: survey.terms.iter().copied().filter(is_usable).collect(),
            functions: functions.collect(),
        }
    }

    /// An assignment in which everything that a side of a rule and its conditions need is known; none if something
    /// cannot be had.
    pub(super) fn complete(
        &self,
        terms: &mut Terms,
        rule: &Rule,
        side: &Pattern,
        mut assignment: Assignment,
        spoken: &Spoken,
        random: &mut Random,
    ) -> Option<Assignment> {
        for (position, declared) in rule.declared.iter().enumerate() {
            if assignment.meanings[position].is_some()
                || rule.is_conditional(position)
                || !side.mentions(position)
            {
                continue;
            }
            let meaning = match &declared.param {
                None => Meaning::Term(self.draw_term(terms, declared, &mut assignment, random)?),
                Some(_) => {
                    Meaning::Function(self.draw_function(terms, declared, &mut assignment, spoken, random)?)
                }
            };
            assignment.meanings[position] = Some(meaning);
        }
        let open: Vec<usize> = (0..rule.declared.len())
            .filter(|position| assignment.meanings[*position].is_none() && rule.is_conditional(*position))
            .collect();
        let mut letters = Vec::new();
        side.numbers(&mut letters);
        rule.conditions.iter().for_each(|condition| condition.numbers(&mut letters));
        letters.retain(|letter| !assignment.letters.widths.contains_key(letter));
        if open.is_empty() && letters.is_empty() {
            return Some(assignment);
        }
        (0..CONDITION_TRIES).find_map(|_| {
            let mut drawn = assignment.clone();
            for letter in &letters {
                drawn.letters.widths.insert(letter.clone(), random.below(INDEX_BOUND) as u32);
            }
            for position in &open {
                let shape = &rule.declared[*position].shape;
                let sort = shape.sort(&mut terms.sorts, &drawn.letters)?;
                drawn.meanings[*position] = Some(Meaning::Term(self.draw_literal(terms, sort, random)?));
            }
            holds(terms, rule, &drawn).then_some(drawn)
        })
    }

    /// A term of the formula, or a value.
    fn draw_term(
        &self,
        terms: &mut Terms,
        declared: &Declared,
        assignment: &mut Assignment,
        random: &mut Random,
    ) -> Option<Term> {
        if !random.one_in(VALUE_ONE_IN) {
            let mut fitting: Vec<Term> = Vec::new();
            for term in &self.pool {
                let mut letters = assignment.letters.clone();
                if declared.shape.bind(&terms.sorts, terms.sort(*term), &mut letters) {
                    fitting.push(*term);
                }
            }
            while let Some(term) = random.take(&mut fitting) {
                if self.means_the_same(terms, term) {
                    declared.shape.bind(&terms.sorts, terms.sort(term), &mut assignment.letters);
                    return Some(term);
                }
            }
        }
        let sort = declared.shape.sort(&mut terms.sorts, &assignment.letters)?;
        draw_value(terms, sort, random)
    }

    fn means_the_same(&self, terms: &Terms, term: Term) -> bool {
        self.surroundings.admits(terms, term)
            && (self.annotated.is_empty() || free_names(terms, term).globals.is_disjoint(&self.annotated))
    }

    /// A declared function or an operator of one argument.
    fn draw_function(
        &self,
        terms: &mut Terms,
        declared: &Declared,
        assignment: &mut Assignment,
        spoken: &Spoken,
        random: &mut Random,
    ) -> Option<Function> {
        let param = declared.param.as_ref()?.sort(&mut terms.sorts, &assignment.letters)?;
        let hole = terms.symbols.intern(HOLE);
        let local = terms.local(hole, param);
        let mut candidates: Vec<Term> = Vec::new();
        for (name, sort, result) in &self.functions {
            if *sort == param && !self.bound.contains(name) {
                candidates.push(terms.intern(Head::Global(*name), &[local], *result));
            }
        }
        // Declared functions are what the rule is made for; operators stand in for them.
        if candidates.is_empty() {
            for op in OperatorSet::standard().iter() {
                let info = op.info();
                let is_plain = info.attribute == Attribute::Fixed && info.indices.is_empty();
                if info.is_ascribed || !is_plain || spoken.contains(op) {
                    continue;
                }
                if is_portable(&terms.sorts, op, &[param]) {
                    candidates.extend(terms.apply(op, &[], &[local]));
                }
            }
        }
        while let Some(body) = random.take(&mut candidates) {
            let sort = terms.sort(body);
            if declared.shape.bind(&terms.sorts, sort, &mut assignment.letters) {
                return Some(Function::of_application(hole, body));
            }
        }
        None
    }

    /// A literal, more often than not one of the formula or a single letter.
    fn draw_literal(&self, terms: &mut Terms, sort: Sort, random: &mut Random) -> Option<Term> {
        const LETTERS: &[&str] = &["0", "9", "A", "a", "b", "z", " ", "~", "\\u{0}", "\\u{2ffff}"];
        match random.below(3) {
            0 => {
                let is_literal = |term: &&Term| {
                    terms.sort(**term) == sort && matches!(terms.head(**term), Head::Literal(..))
                };
                let literals: Vec<Term> = self.pool.iter().filter(is_literal).copied().collect();
                random.choose(&literals).copied().or_else(|| draw_value(terms, sort, random))
            }
            1 if sort == Sort::STRING => Some(terms.literal(Literal::Str, random.choose(LETTERS)?, sort)),
            _ => draw_value(terms, sort, random),
        }
    }
}

/// Whether the side conditions of a rule hold: they are evaluated, so everything in them must be known and fixed.
pub(super) fn holds(terms: &mut Terms, rule: &Rule, assignment: &Assignment) -> bool {
    let bound_name = terms.symbols.intern(HOLE);
    let mut conditions = Vec::with_capacity(rule.conditions.len());
    for condition in &rule.conditions {
        let Some(term) = (Builder { terms, assignment, bound_name }).build(condition) else { return false };
        if terms.has_locals(term) {
            return false;
        }
        conditions.push(term);
    }
    let (environment, model) = (Environment::default(), Model::new());
    let mut evaluator = Evaluator::new(terms, &environment, &model);
    conditions.iter().all(|condition| evaluator.eval(*condition) == Ok(Value::Bool(true)))
}

//! `generative`: puts a freshly built application in the place of an expression of the same sort.
//!
//! The operator is any that can give the sort; its arguments are expressions of the formula that mean at the place
//! what they mean where they stand, or small values. Sizes are bounded, so that a chain grows slowly.
//!
//! Follows Park, Winterer, Zhang and Su, "Generative Type-Aware Mutation for Testing SMT Solvers" (OOPSLA 2021); local
//! compatibility compares binders instead of names.

use rustc_hash::FxHashSet;
use smelt_smtlib::op::{Attribute, Op, Signature, SortPattern};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortKind, Sorts};
use smelt_smtlib::substitute::replace_in_scope;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::typing::sort_of_application;
use smelt_smtlib::walk::{free_names, variables_at};

use super::data_driven::Withdrawal;
use super::scope::{Spoken, Surroundings, annotated_names};
use crate::operators::{OperatorSet, draw_indices, draw_value, is_portable, may_be, param, wants_literals};
use crate::random::Random;
use crate::subject::Subject;
use crate::survey::{Facts, Place, Survey};
use crate::technique::Technique;

/// Generative mutation.
#[derive(Debug, Clone, Default)]
pub struct GenerativeMutation {
    /// The operators that it may introduce.
    pub operators: OperatorSet,
}

/// How many places are tried.
const PLACE_TRIES: usize = 16;
/// How many ways to choose sorts for the arguments of an operator are tried.
const SORT_TRIES: usize = 4;
/// How many expressions are tried for an argument.
const ARGUMENT_TRIES: usize = 8;
/// An argument has at most so many nodes.
const MAX_ARGUMENT_NODES: u64 = 12;
/// An argument is a value once in so many draws.
const VALUE_ONE_IN: u64 = 5;
/// An associative operator gets three arguments once in so many draws.
const THREE_ARGUMENTS_ONE_IN: u64 = 6;

impl Technique for GenerativeMutation {
    fn name(&self) -> &'static str {
        "generative"
    }

    fn summary(&self) -> &'static str {
        "put a fresh application over parts of the formula in the place of an expression"
    }

    fn chain_length(&self) -> u32 {
        60
    }

    fn step(&self, terms: &mut Terms, subject: &mut Subject<'_>, random: &mut Random) -> bool {
        subject.truth.doubt();
        self.change(terms, &mut subject.script, random)
    }
}

impl GenerativeMutation {
    /// Replaces one expression of a script; false if there is none to replace.
    pub(crate) fn change(&self, terms: &mut Terms, script: &mut Script, random: &mut Random) -> bool {
        let survey = Survey::new(terms, script, |term, facts| is_replaceable(terms, term, facts));
        for _ in 0..PLACE_TRIES {
            let Some(place) = survey.draw(terms, random) else { return false };
            if place.wants_literal(terms) {
                continue;
            }
            let mut draw = Draw::new(terms, script, &survey, &place);
            let Some(new) = draw.application(&self.operators, &place, random) else { continue };
            put(terms, script, &place, new);
            return true;
        }
        false
    }
}

/// Puts a term in the place of another.
pub(super) fn put(terms: &mut Terms, script: &mut Script, place: &Place, new: Term) {
    let root = replace_in_scope(terms, place.root, &place.path, new)
        .expect("a place leads to a term of its assertion");
    script.replace(place.command, Command::Assert(root));
}

/// A fresh application that can stand at a place, over expressions that mean the same there; its sort is that of the
/// term of the place.
pub(super) fn fresh_application(
    terms: &mut Terms,
    script: &Script,
    survey: &Survey,
    place: &Place,
    operators: &OperatorSet,
    random: &mut Random,
) -> Option<Term> {
    Draw::new(terms, script, survey, place).application(operators, place, random)
}

/// Whether an expression may be dropped for another.
pub(super) fn is_replaceable(terms: &Terms, term: Term, facts: &Facts) -> bool {
    !facts.has_names && !facts.has_opaque && !matches!(terms.head(term), Head::Annotated(_))
}

/// What there is to build an application for one place.
pub(super) struct Draw<'d> {
    terms: &'d mut Terms,
    surroundings: Surroundings,
    spoken: Spoken,
    annotated: FxHashSet<Symbol>,
    /// The expressions of the formula that are small enough, with their sorts.
    pool: Vec<(Sort, Term)>,
    /// Their sorts.
    sorts: Vec<Sort>,
    /// Where other arguments come from, if some do.
    pub(super) withdrawal: Option<Withdrawal<'d>>,
}

impl<'d> Draw<'d> {
    pub(super) fn new(terms: &'d mut Terms, script: &Script, survey: &Survey, place: &Place) -> Self {
        let mut spoken = Spoken::by_script(terms, script);
        spoken.by_variables(terms, &variables_at(terms, place.root, &place.path));
        let surroundings = Surroundings::of(terms, place);
        let annotated = annotated_names(terms, &survey.terms);
        let mut pool = Vec::with_capacity(survey.terms.len());
        let mut sorts = Vec::new();
        for term in &survey.terms {
            let facts = survey.facts(*term);
            let sort = terms.sort(*term);
            if facts.nodes > MAX_ARGUMENT_NODES || !is_replaceable(terms, *term, facts) {
                continue;
            }
            pool.push((sort, *term));
            if !sorts.contains(&sort) {
                sorts.push(sort);
            }
        }
        Draw { terms, surroundings, spoken, annotated, pool, sorts, withdrawal: None }
    }

    /// A new term that can stand at the place.
    pub(super) fn application(
        &mut self,
        operators: &OperatorSet,
        place: &Place,
        random: &mut Random,
    ) -> Option<Term> {
        let result = self.terms.sort(place.term);
        let mut candidates: Vec<(Op, &'static Signature)> = Vec::with_capacity(64);
        for op in operators.iter().filter(|op| !op.info().is_ascribed) {
            let signatures = op.info().signatures.iter();
            candidates.extend(
                signatures
                    .filter(|signature| may_be(&self.terms.sorts, &signature.result, result))
                    .map(|signature| (op, signature)),
            );
        }
        while let Some((op, signature)) = random.take(&mut candidates) {
            if self.spoken.contains(op) {
                continue;
            }
            if let Some(term) = self.apply(op, signature, result, random)
                && term != place.term
            {
                return Some(term);
            }
        }
        None
    }

    /// Applies one overload of an operator to arguments of our choice.
    fn apply(
        &mut self,
        op: Op,
        signature: &'static Signature,
        result: Sort,
        random: &mut Random,
    ) -> Option<Term> {
        let info = op.info();
        let arity = match info.attribute {
            Attribute::Fixed => signature.params.len(),
            _ => 2 + usize::from(random.one_in(THREE_ARGUMENTS_ONE_IN)),
        };
        for _ in 0..SORT_TRIES {
            let mut bindings = Bindings::default();
            if !bindings.agree(&self.terms.sorts, &signature.result, result) {
                return None;
            }
            let sorts: Vec<Sort> = (0..arity)
                .map(|position| {
                    bindings.draw(&self.terms.sorts, param(info, signature, position), &self.sorts, random)
                })
                .collect::<Option<_>>()?;
            if !is_portable(&self.terms.sorts, op, &sorts) {
                continue;
            }
            let Some(indices) = draw_indices(self.terms, op, &sorts, result, random) else { continue };
            if sort_of_application(&mut self.terms.sorts, op, &indices, &sorts).ok() != Some(result) {
                continue;
            }
            let args = match wants_literals(op) {
                true => {
                    sorts.iter().map(|sort| draw_value(self.terms, *sort, random)).collect::<Option<_>>()?
                }
                false => self.arguments(&sorts, random)?,
            };
            return self.terms.apply(op, &indices, &args).ok();
        }
        None
    }

    /// Expressions of the formula and small values; one of them at least is an expression.
    fn arguments(&mut self, sorts: &[Sort], random: &mut Random) -> Option<Vec<Term>> {
        let mut args = vec![None; sorts.len()];
        let mut positions: Vec<usize> = (0..sorts.len()).collect();
        while let Some(position) = random.take(&mut positions)
            && args.iter().all(Option::is_none)
        {
            args[position] = self.expression(sorts[position], random);
        }
        if !args.is_empty() && args.iter().all(Option::is_none) {
            return None;
        }
        let filled = args.into_iter().zip(sorts).map(|(arg, sort)| match arg {
            Some(arg) => Some(arg),
            None if random.one_in(VALUE_ONE_IN) => draw_value(self.terms, *sort, random),
            None => self.expression(*sort, random).or_else(|| draw_value(self.terms, *sort, random)),
        });
        filled.collect()
    }

    /// An expression from elsewhere, if some come from there, or else one of the formula.
    fn expression(&mut self, sort: Sort, random: &mut Random) -> Option<Term> {
        if let Some(withdrawal) = &mut self.withdrawal
            && let Some(term) = withdrawal.draw(self.terms, sort, &self.spoken, &self.surroundings, random)
        {
            return Some(term);
        }
        self.own_expression(sort, random)
    }

    /// An expression of the formula that means at the place what it means where it stands.
    fn own_expression(&self, sort: Sort, random: &mut Random) -> Option<Term> {
        let count = self.pool.iter().filter(|(other, _)| *other == sort).count();
        for _ in 0..ARGUMENT_TRIES.min(2 * count) {
            let chosen = random.position(count);
            let mut of_sort = self.pool.iter().filter(|(other, _)| *other == sort);
            let &(_, term) = of_sort.nth(chosen).expect("the position is below the count");
            if self.means_the_same(term) {
                return Some(term);
            }
        }
        None
    }

    fn means_the_same(&self, term: Term) -> bool {
        self.surroundings.admits(self.terms, term)
            && (self.annotated.is_empty()
                || free_names(self.terms, term).globals.is_disjoint(&self.annotated))
    }
}

/// What patterns of a signature stand for.
#[derive(Debug, Default)]
struct Bindings {
    known: Vec<(&'static SortPattern, Sort)>,
}

impl Bindings {
    /// Makes a pattern stand for a sort; false if it cannot, as far as this can be seen without computing widths.
    fn agree(&mut self, sorts: &Sorts, pattern: &'static SortPattern, sort: Sort) -> bool {
        if let Some((_, known)) = self.known.iter().find(|(other, _)| *other == pattern) {
            return *known == sort;
        }
        if !may_be(sorts, pattern, sort) {
            return false;
        }
        self.known.push((pattern, sort));
        match (pattern, sorts.kind(sort)) {
            (SortPattern::Array(index, element), SortKind::Array(actual_index, actual_element)) => {
                self.agree(sorts, index, *actual_index) && self.agree(sorts, element, *actual_element)
            }
            (SortPattern::Seq(element), SortKind::Seq(actual)) => self.agree(sorts, element, *actual),
            _ => true,
        }
    }

    /// The sort that a pattern stands for; if it is open, one of `available`.
    fn draw(
        &mut self,
        sorts: &Sorts,
        pattern: &'static SortPattern,
        available: &[Sort],
        random: &mut Random,
    ) -> Option<Sort> {
        if let SortPattern::Fixed(sort) = pattern {
            return Some(*sort);
        }
        if let Some((_, known)) = self.known.iter().find(|(other, _)| *other == pattern) {
            return Some(*known);
        }
        let mut candidates = available.to_vec();
        while let Some(sort) = random.take(&mut candidates) {
            let count = self.known.len();
            if self.agree(sorts, pattern, sort) {
                return Some(sort);
            }
            self.known.truncate(count);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{mutants, reachable};

    #[test]
    fn generative() {
        let source = "(declare-const x String) (assert (str.is_digit x))";
        let found = reachable(&GenerativeMutation::default(), source);
        for expected in [
            "(assert (str.prefixof x x))",
            "(assert (str.is_digit (str.++ x x)))",
            "(assert (not (str.is_digit x)))",
        ] {
            assert!(found.iter().any(|text| text == expected), "{expected} is not among {found:#?}");
        }
    }

    #[test]
    fn the_ends_of_a_range_are_literals() {
        let source = "(declare-const x String) (assert (str.in_re x (re.range \"a\" \"c\")))";
        let found = mutants(&GenerativeMutation::default(), source, 12);
        for text in found.iter().filter(|text| text.contains("(re.range ")) {
            let ranges = text.split("(re.range ").skip(1);
            assert!(ranges.clone().all(|ends| ends.starts_with('"')), "{text}");
            assert!(ranges.clone().all(|ends| ends[1..].split('"').nth(1) == Some(" ")), "{text}");
        }
    }

    #[test]
    fn named_terms_stay_and_are_not_copied() {
        let source = "(declare-const p Bool) (assert (! (not p) :named a)) (assert (or p a))";
        for text in mutants(&GenerativeMutation::default(), source, 12) {
            assert_eq!(text.matches(":named a").count(), 1, "{text}");
            let (before, _) = text.split_once(":named a").expect("the name is there");
            assert!(!before.contains(" a ") && !before.contains(" a)"), "{text}");
        }
    }
}

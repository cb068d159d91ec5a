//! `generative`: puts a freshly built application in the place of an expression of the same sort.
//!
//! The operator is any that can give the sort, or a function, constructor, selector or tester that the script declares.
//! Its arguments are expressions of the formula that mean at the place what they mean where they stand, values, or
//! applications that lead from such expressions to a sort that the formula does not have. Sizes are bounded, so that a
//! chain grows slowly.
//!
//! Follows Park, Winterer, Zhang and Su, "Generative Type-Aware Mutation for Testing SMT Solvers" (OOPSLA 2021); local
//! compatibility compares binders instead of names.

mod declared;

use rustc_hash::FxHashSet;
use smelt_smtlib::op::{Attribute, Dialect, Op, Signature, SortPattern};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortKind, Sorts};
use smelt_smtlib::substitute::replace_in_scope;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Index, Term, Terms};
use smelt_smtlib::walk::{free_names, variables_at};

use super::data_driven::Withdrawal;
use super::scope::{Spoken, Surroundings, annotated_names};
use crate::mutant::Mutant;
use crate::operators::{OperatorSet, draw_indices, draw_sort, is_portable, may_be, param, wants_literals};
use crate::random::Random;
use crate::readers::Readers;
use crate::technique::Technique;
use crate::term_index::{Facts, TermIndex, TermSite};
use declared::{Declared, declared_functions};

/// Generative mutation.
#[derive(Debug, Clone, Default)]
pub struct GenerativeMutation;

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
/// Something that the script declares is preferred to operators once in so many draws.
const DECLARED_ONE_IN: u64 = 6;
/// An argument is of a sort that the formula does not have once in so many draws, where any sort will do.
const FOREIGN_ONE_IN: u64 = 6;
/// How many applications lead from a sort of the formula to one that it does not have.
const MAX_BRIDGE: u32 = 2;
/// How many operators are tried for each of them.
const BRIDGE_TRIES: usize = 6;
/// No argument need be an expression of the formula once in so many draws.
const CLOSED_ONE_IN: u64 = 8;

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

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        mutant.truth.doubt();
        let operators = mutant.operators(terms, random);
        self.change(terms, &mut mutant.script, operators, random)
    }
}

impl GenerativeMutation {
    /// Replaces one expression of a script; false if there is none to replace.
    pub(crate) fn change(
        &self,
        terms: &mut Terms,
        script: &mut Script,
        operators: &OperatorSet,
        random: &mut Random,
    ) -> bool {
        let survey = TermIndex::new(terms, script, |term, facts| is_replaceable(terms, term, facts));
        for _ in 0..PLACE_TRIES {
            let Some(place) = survey.draw(terms, random) else { return false };
            if place.wants_literal(terms) {
                continue;
            }
            let mut draw = Draw::new(terms, script, &survey, &place, operators);
            let Some(new) = draw.application(&place, random) else { continue };
            put(terms, script, &place, new);
            return true;
        }
        false
    }
}

/// Puts a term in the place of another.
pub(super) fn put(terms: &mut Terms, script: &mut Script, place: &TermSite, new: Term) {
    let root = replace_in_scope(terms, place.root, &place.path, new)
        .expect("a place leads to a term of its assertion");
    script.replace(place.command, Command::Assert(root));
}

/// A fresh application that can stand at a place, over expressions that mean the same there; its sort is that of the
/// term of the place.
pub(super) fn fresh_application(
    terms: &mut Terms,
    script: &Script,
    survey: &TermIndex,
    place: &TermSite,
    operators: &OperatorSet,
    random: &mut Random,
) -> Option<Term> {
    Draw::new(terms, script, survey, place, operators).application(place, random)
}

/// Whether an expression may be dropped for another.
pub(super) fn is_replaceable(terms: &Terms, term: Term, facts: &Facts) -> bool {
    !facts.has_names && !facts.has_opaque && !matches!(terms.head(term), Head::Annotated(_))
}

/// What there is to build an application for one place.
pub(super) struct Draw<'d> {
    terms: &'d mut Terms,
    operators: &'d OperatorSet,
    surroundings: Surroundings,
    spoken: Spoken,
    annotated: FxHashSet<Symbol>,
    /// The expressions of the formula that are small enough, with their sorts.
    pool: Vec<(Sort, Term)>,
    /// Their sorts.
    sorts: Vec<Sort>,
    /// What the script declares that can be applied.
    declared: Vec<Declared>,
    /// Where other arguments come from, if some do.
    pub(super) withdrawal: Option<Withdrawal<'d>>,
}

impl<'d> Draw<'d> {
    pub(super) fn new(
        terms: &'d mut Terms,
        script: &Script,
        survey: &TermIndex,
        place: &TermSite,
        operators: &'d OperatorSet,
    ) -> Self {
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
        let mut declared = declared_functions(terms, script);
        // Updaters are an extension.
        declared.retain(|one| !matches!(one.head, Head::Updater(_)) || operators.readers == Readers::CVC5);
        Draw { terms, operators, surroundings, spoken, annotated, pool, sorts, declared, withdrawal: None }
    }

    /// A new term that can stand at the place.
    pub(super) fn application(&mut self, place: &TermSite, random: &mut Random) -> Option<Term> {
        let result = self.terms.sort(place.term);
        if random.one_in(DECLARED_ONE_IN)
            && let Some(term) = self.declared_application(result, random)
            && term != place.term
        {
            return Some(term);
        }
        let mut candidates = self.candidates(result);
        while let Some((op, signature)) = random.take(&mut candidates) {
            if let Some(term) = self.apply(op, signature, result, MAX_BRIDGE, random)
                && term != place.term
            {
                return Some(term);
            }
        }
        self.declared_application(result, random).filter(|term| *term != place.term)
    }

    /// The operators, each with an overload, that may give a sort.
    fn candidates(&self, result: Sort) -> Vec<(Op, &'static Signature)> {
        let mut candidates: Vec<(Op, &'static Signature)> = Vec::with_capacity(64);
        for op in self.operators.iter().filter(|op| !self.spoken.contains(*op)) {
            let signatures = op.info().signatures.iter();
            candidates.extend(
                signatures
                    .filter(|signature| may_be(&self.terms.sorts, &signature.result, result))
                    .map(|signature| (op, signature)),
            );
        }
        candidates
    }

    /// Applies something that the script declares.
    fn declared_application(&mut self, result: Sort, random: &mut Random) -> Option<Term> {
        let fitting = self.declared.iter().filter(|declared| declared.result == result);
        let mut candidates: Vec<Declared> = fitting.cloned().collect();
        while let Some(Declared { head, params, result }) = random.take(&mut candidates) {
            let Some(args) = self.arguments(&params, MAX_BRIDGE, random) else { continue };
            let term = self.terms.intern(head, &args, result);
            if self.surroundings.admits(self.terms, term) {
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
        bridge: u32,
        random: &mut Random,
    ) -> Option<Term> {
        let info = op.info();
        let arity = match info.attribute {
            Attribute::Fixed => signature.params.len(),
            _ => 2 + usize::from(random.one_in(THREE_ARGUMENTS_ONE_IN)),
        };
        let ascribed = info.is_ascribed.then_some(result);
        for _ in 0..SORT_TRIES {
            let mut bindings = Bindings::default();
            if !bindings.agree(&self.terms.sorts, &signature.result, result) {
                return None;
            }
            let sorts: Vec<Sort> = (0..arity)
                .map(|position| {
                    bindings.draw(
                        &mut self.terms.sorts,
                        param(info, signature, position),
                        &self.sorts,
                        random,
                    )
                })
                .collect::<Option<_>>()?;
            if !is_portable(&self.terms.sorts, op, &sorts)
                || sorts.iter().any(|sort| is_of_functions(&self.terms.sorts, *sort))
            {
                continue;
            }
            let Some(indices) = draw_indices(self.terms, op, &sorts, result, random) else { continue };
            // Whether the sorts fit is seen on constants, before arguments are built.
            let name = self.terms.symbols.intern("an argument");
            let samples: Vec<Term> = sorts.iter().map(|sort| self.terms.constant(name, *sort)).collect();
            let sample = self.terms.apply_ascribed(op, &indices, &samples, ascribed).ok();
            if sample.is_none_or(|sample| self.terms.sort(sample) != result) {
                continue;
            }
            if !means_itself(self.terms, op, &indices, &samples, ascribed) {
                continue;
            }
            let args = match wants_literals(op) {
                true => sorts.iter().map(|sort| self.value(*sort, random)).collect::<Option<_>>()?,
                false => self.arguments(&sorts, bridge, random)?,
            };
            if op == Op::BagMake && self.terms.op(args[1]) == Some(Op::Neg) {
                continue;
            }
            return self.terms.apply_ascribed(op, &indices, &args, ascribed).ok();
        }
        None
    }

    /// Expressions of the formula, values, and applications that lead to a sort; one of them at least is an expression or
    /// has one in it, but for a few draws.
    fn arguments(&mut self, sorts: &[Sort], bridge: u32, random: &mut Random) -> Option<Vec<Term>> {
        let mut args = vec![None; sorts.len()];
        let mut positions: Vec<usize> = (0..sorts.len()).collect();
        while let Some(position) = random.take(&mut positions)
            && args.iter().all(Option::is_none)
        {
            args[position] = self.expression(sorts[position], random);
        }
        if args.iter().all(Option::is_none)
            && let Some(position) = (!args.is_empty()).then(|| random.position(args.len()))
        {
            args[position] = self.bridge(sorts[position], bridge, random);
            if args[position].is_none() && !random.one_in(CLOSED_ONE_IN) {
                return None;
            }
        }
        let filled = args.into_iter().zip(sorts).map(|(arg, sort)| match arg {
            Some(arg) => Some(arg),
            None if random.one_in(VALUE_ONE_IN) => self.value(*sort, random),
            None => self.expression(*sort, random).or_else(|| self.value(*sort, random)),
        });
        filled.collect()
    }

    fn value(&mut self, sort: Sort, random: &mut Random) -> Option<Term> {
        self.operators.draw_value(self.terms, sort, random)
    }

    /// An application of a sort that the formula does not have, over expressions that it has.
    fn bridge(&mut self, sort: Sort, length: u32, random: &mut Random) -> Option<Term> {
        if length == 0 {
            return None;
        }
        let mut candidates = self.candidates(sort);
        candidates.retain(|(_, signature)| !signature.params.is_empty());
        for _ in 0..BRIDGE_TRIES {
            let (op, signature) = random.take(&mut candidates)?;
            if let Some(term) = self.apply(op, signature, sort, length - 1, random) {
                return Some(term);
            }
        }
        None
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

/// Whether the text of an application is read as one of this operator: of those with one name, it is the first that fits.
fn means_itself(terms: &mut Terms, op: Op, indices: &[Index], args: &[Term], ascribed: Option<Sort>) -> bool {
    let namesakes = Op::named(op.spelling(Dialect::V26));
    let earlier = namesakes.iter().take_while(|namesake| **namesake != op);
    !earlier.into_iter().any(|namesake| terms.apply_ascribed(*namesake, indices, args, ascribed).is_ok())
}

/// Whether functions are parts of the values of a sort, or what its functions take: such functions may be read otherwise,
/// because those that give functions are written like those that take more arguments.
fn is_of_functions(sorts: &Sorts, sort: Sort) -> bool {
    let parts = match sorts.kind(sort) {
        SortKind::Arrow(_) => sorts.flat_arrow(sort),
        _ => sorts.components(sort),
    };
    parts.into_iter().any(|part| sorts.any_part(part, |kind| matches!(kind, SortKind::Arrow(_))))
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
        match pattern {
            SortPattern::Applied(_, parts) => {
                parts.iter().zip(sorts.components(sort)).all(|(part, actual)| self.agree(sorts, part, actual))
            }
            _ => true,
        }
    }

    /// A sort for a pattern, whether the formula has it or not; what is known of its parts is kept.
    fn draw_foreign(
        &self,
        sorts: &mut Sorts,
        pattern: &'static SortPattern,
        random: &mut Random,
    ) -> Option<Sort> {
        if let Some((_, known)) = self.known.iter().find(|(other, _)| *other == pattern) {
            return Some(*known);
        }
        let SortPattern::Applied(constructor, parts) = pattern else {
            return draw_sort(sorts, pattern, random);
        };
        let mut drawn: Vec<Sort> = Vec::with_capacity(parts.len());
        for (place, part) in parts.iter().enumerate() {
            // One variable is one sort.
            let same = parts[..place].iter().position(|other| other == part);
            drawn.push(match same {
                Some(same) => drawn[same],
                None => self.draw_foreign(sorts, part, random)?,
            });
        }
        Some(sorts.intern(constructor.apply(&drawn)?))
    }

    /// The sort that a pattern stands for; if it is open, one of `available`.
    fn draw(
        &mut self,
        sorts: &mut Sorts,
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
        if random.one_in(FOREIGN_ONE_IN) {
            let count = self.known.len();
            let sort = self.draw_foreign(sorts, pattern, random);
            if sort.is_some_and(|sort| self.agree(sorts, pattern, sort)) {
                return sort;
            }
            self.known.truncate(count);
        }
        let mut candidates = available.to_vec();
        while let Some(sort) = random.take(&mut candidates) {
            let count = self.known.len();
            if self.agree(sorts, pattern, sort) {
                return Some(sort);
            }
            self.known.truncate(count);
        }
        let count = self.known.len();
        let sort = self.draw_foreign(sorts, pattern, random).filter(|sort| self.agree(sorts, pattern, *sort));
        if sort.is_none() {
            self.known.truncate(count);
        }
        sort
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{mutants, reachable};

    #[test]
    fn generative() {
        let source = "(declare-const x String) (assert (str.is_digit x))";
        let found = reachable(&GenerativeMutation, source);
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
        let found = mutants(&GenerativeMutation, source, 12);
        for text in found.iter().filter(|text| text.contains("(re.range ")) {
            let ranges = text.split("(re.range ").skip(1);
            assert!(ranges.clone().all(|ends| ends.starts_with('"')), "{text}");
            assert!(ranges.clone().all(|ends| ends[1..].split('"').nth(1) == Some(" ")), "{text}");
        }
    }

    #[test]
    fn named_terms_stay_and_are_not_copied() {
        let source = "(declare-const p Bool) (assert (! (not p) :named a)) (assert (or p a))";
        for text in mutants(&GenerativeMutation, source, 12) {
            assert_eq!(text.matches(":named a").count(), 1, "{text}");
            let (before, _) = text.split_once(":named a").expect("the name is there");
            assert!(!before.contains(" a ") && !before.contains(" a)"), "{text}");
        }
    }
}

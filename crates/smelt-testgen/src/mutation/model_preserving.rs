//! `model-preserving`: changes a formula without changing what its model makes of it.
//!
//! Under the model of a satisfiable seed every closed subterm has a value, and any term with the same value may take its
//! place: another part of the formula, a freshly built application, or a choice between the old term and anything at
//! all, whose condition the model decides. Evaluation of the whole case certifies the claim.
//!
//! An unsatisfiable seed stays so whatever is conjoined, and however what lies outside of its core is changed.
//!
//! Covers what STORM (Mansur et al., FSE 2020) and Diver (Kim et al., ICSE 2023) do.

use rustc_hash::FxHashSet;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::print::value_text;
use smelt_semantics::value::Value;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::{Scope, read_term};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::substitute::replace_in_scope;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{AttributeValue, Head, Term, Terms};
use smelt_smtlib::walk::{free_names, subterms};

use super::generative::{GenerativeMutation, fresh_application, is_replaceable};
use super::operator::OperatorMutation;
use super::scope::{Spoken, Surroundings, annotated_names};
use crate::ground_truth::Truth;
use crate::mutant::Mutant;
use crate::operators::{OperatorSet, is_portable};
use crate::random::Random;
use crate::technique::Technique;
use crate::term_index::{TermIndex, TermSite};

/// Model-preserving mutation.
#[derive(Debug, Clone, Default)]
pub struct ModelPreservingMutation {
    operators: OperatorMutation,
    generative: GenerativeMutation,
}

/// How many places are tried.
const PLACE_TRIES: usize = 16;
/// How many fresh applications are tried for one of the right value.
const FRESH_TRIES: usize = 6;
/// An assertion as a whole is replaced once in so many draws: little of it would be left.
const ROOT_ONE_IN: u64 = 8;
/// What evaluating parts of a formula may cost in one step.
const EFFORT: u64 = 1 << 20;

impl Technique for ModelPreservingMutation {
    fn name(&self) -> &'static str {
        "model-preserving"
    }

    fn summary(&self) -> &'static str {
        "replace an expression by another of the same value under the model, or add to what has none"
    }

    fn chain_length(&self) -> u32 {
        60
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        let operators = mutant.operators(terms, random);
        let Mutant { script, truth, detail, .. } = mutant;
        let mut changing = Changing { technique: self, operators, terms, script, detail };
        match truth {
            Truth::Sat(model) => changing.replace(model, random),
            Truth::Unsat(core) => (0..PLACE_TRIES).any(|_| changing.add(core, random)),
            Truth::Unknown => false,
        }
    }
}

/// What there is to change a script.
struct Changing<'c> {
    technique: &'c ModelPreservingMutation,
    operators: &'c OperatorSet,
    terms: &'c mut Terms,
    script: &'c mut Script,
    /// What was done, for people.
    detail: &'c mut String,
}

impl Changing<'_> {
    /// Replaces an expression by another of the same value; false if none is found.
    fn replace(&mut self, model: &Model, random: &mut Random) -> bool {
        let Changing { operators, terms, script, detail, .. } = self;
        let survey = TermIndex::new(terms, script, |term, facts| {
            is_replaceable(terms, term, facts) && !terms.has_locals(term)
        });
        let environment = Environment::at_last_check(terms, script);
        let spoken = Spoken::by_script(terms, script);
        let labels = annotated_names(terms, &survey.terms);
        for _ in 0..PLACE_TRIES {
            let Some(place) = survey.draw(terms, random) else { return false };
            if place.path.is_empty() && !random.one_in(ROOT_ONE_IN) || place.wants_literal(terms) {
                continue;
            }
            let Some(value) = value_of(terms, &environment, model, place.term) else { continue };
            let mut replacing = Replacing {
                terms,
                script,
                survey: &survey,
                environment: &environment,
                model,
                place: &place,
                spoken: &spoken,
                labels: &labels,
                operators,
            };
            let way = random.below(4);
            let new = match way {
                0 => replacing.another(&value, random),
                1 => replacing.fresh(&value, random),
                _ => replacing.choice(random),
            };
            let Some(new) = new.filter(|new| *new != place.term) else { continue };
            detail.push_str(["equal part", "fresh term", "choice", "choice"][way as usize]);
            let root = replace_in_scope(terms, place.root, &place.path, new)
                .expect("a place leads to a term of its assertion");
            script.replace(place.command, Command::Assert(root));
            return true;
        }
        false
    }

    /// Adds an assertion or changes one outside of the core; false if nothing is found to add.
    fn add(&mut self, core: &[usize], random: &mut Random) -> bool {
        let Changing { technique, operators, terms, script, detail } = self;
        let is_assertion = |position: &usize| matches!(script.commands[*position], Command::Assert(_));
        let all: Vec<usize> = (0..script.commands.len()).filter(is_assertion).collect();
        let outside: Vec<usize> = all.iter().copied().filter(|position| !core.contains(position)).collect();
        let is_change = !outside.is_empty() && random.one_in(2);
        let Some(source) = random.choose(if is_change { &outside } else { &all }).copied() else {
            return false;
        };
        let Command::Assert(assertion) = script.commands[source] else { return false };
        if !is_change && gives_names(terms, assertion) {
            return false;
        }
        // The declarations with this assertion alone: only it is changed.
        let mut alone = Script { dialect: script.dialect, ..Script::default() };
        let kept = script.commands.iter().enumerate().filter(|(position, command)| {
            *position == source || !matches!(command, Command::Assert(_) | Command::CheckSat)
        });
        kept.for_each(|(_, command)| alone.push(command.clone()));
        let steps = 1 + random.below(3);
        let mut is_changed = false;
        for _ in 0..steps {
            is_changed |= if random.one_in(2) {
                technique.operators.change(terms, &mut alone, operators, random)
            } else {
                technique.generative.change(terms, &mut alone, operators, random)
            };
        }
        let Some(new) = alone.assertions().next().filter(|_| is_changed) else { return false };
        if is_change {
            if new == assertion {
                return false;
            }
            detail.push_str("changed outside of the core");
            script.replace(source, Command::Assert(new));
        } else {
            detail.push_str("conjoined");
            // Before the check, so that the positions of the core stay what they are.
            let check = script.commands.len() - 1;
            let last = script.commands[check].clone();
            script.replace(check, Command::Assert(new));
            script.push(last);
        }
        true
    }
}

/// What there is to replace one expression.
struct Replacing<'r> {
    terms: &'r mut Terms,
    script: &'r Script,
    survey: &'r TermIndex,
    environment: &'r Environment,
    model: &'r Model,
    place: &'r TermSite,
    spoken: &'r Spoken,
    /// The names that annotations give.
    labels: &'r FxHashSet<Symbol>,
    operators: &'r OperatorSet,
}

impl Replacing<'_> {
    /// Another part of the formula with this value, or the value itself.
    fn another(&mut self, value: &Value, random: &mut Random) -> Option<Term> {
        let sort = self.terms.sort(self.place.term);
        let mut evaluator = evaluator(self.terms, self.environment, self.model);
        let mut equal: Vec<Term> = Vec::new();
        for term in &self.survey.terms {
            let is_usable = self.terms.sort(*term) == sort
                && !self.terms.has_locals(*term)
                && is_replaceable(self.terms, *term, self.survey.facts(*term));
            if is_usable && *term != self.place.term && evaluator.eval(*term).as_ref() == Ok(value) {
                equal.push(*term);
            }
        }
        equal.extend(literal(self.terms, self.environment, value, sort));
        // A literal by itself ends the story of this place; it comes last in the list and is one among the others.
        random.take(&mut equal).filter(|term| self.is_visible(*term))
    }

    /// A freshly built application with this value, mended where that is easy.
    fn fresh(&mut self, value: &Value, random: &mut Random) -> Option<Term> {
        for _ in 0..FRESH_TRIES {
            let Some(term) = self.application(self.place, random) else { continue };
            match value_of(self.terms, self.environment, self.model, term) {
                Some(found) if found == *value => return Some(term),
                Some(found) => {
                    if let Some(mended) = self.mended(term, &found, value) {
                        return Some(mended);
                    }
                }
                None => {}
            }
        }
        None
    }

    /// A term of this value, made from one of another value by an operation with a constant.
    fn mended(&mut self, term: Term, found: &Value, wanted: &Value) -> Option<Term> {
        let sort = self.terms.sort(term);
        let (op, constant) = match (found, wanted) {
            (Value::Bool(_), Value::Bool(_)) => return self.apply(Op::Not, &[term]),
            (Value::Int(found), Value::Int(wanted)) => (Op::Add, Value::Int(wanted - found)),
            (Value::Real(found), Value::Real(wanted)) => (Op::Add, Value::Real(wanted - found)),
            _ => return None,
        };
        let constant = literal(self.terms, self.environment, &constant, sort)?;
        self.apply(op, &[term, constant])
    }

    /// A choice between the expression and anything else, by a condition that the model decides.
    fn choice(&mut self, random: &mut Random) -> Option<Term> {
        let sort = self.terms.sort(self.place.term);
        if !is_portable(&self.terms.sorts, Op::Ite, &[Sort::BOOL, sort, sort]) {
            return None;
        }
        let (condition, is_true) = self.condition(random)?;
        let other = self.application(self.place, random)?;
        let branches = if is_true { [self.place.term, other] } else { [other, self.place.term] };
        self.apply(Op::Ite, &[condition, branches[0], branches[1]])
    }

    /// A condition with its value: a part of the formula, or that some fresh term has the value it has.
    fn condition(&mut self, random: &mut Random) -> Option<(Term, bool)> {
        let mut closed: Vec<Term> = self.survey.terms.clone();
        closed.retain(|term| {
            !self.terms.has_locals(*term) && is_replaceable(self.terms, *term, self.survey.facts(*term))
        });
        let term = *random.choose(&closed)?;
        let term = if random.one_in(2) {
            let place = TermSite { term, ..self.place.clone() };
            self.application(&place, random).unwrap_or(term)
        } else {
            term
        };
        let sort = self.terms.sort(term);
        let value = value_of(self.terms, self.environment, self.model, term)?;
        if let Value::Bool(value) = value {
            return self.is_visible(term).then_some((term, value));
        }
        if !is_portable(&self.terms.sorts, Op::Eq, &[sort, sort]) {
            return None;
        }
        let literal = literal(self.terms, self.environment, &value, sort)?;
        self.apply(Op::Eq, &[term, literal]).map(|equation| (equation, true))
    }

    /// A fresh application over closed parts of the formula that can stand at a place.
    fn application(&mut self, place: &TermSite, random: &mut Random) -> Option<Term> {
        let term = fresh_application(self.terms, self.script, self.survey, place, self.operators, random)?;
        (!self.terms.has_locals(term)).then_some(term)
    }

    fn apply(&mut self, op: Op, args: &[Term]) -> Option<Term> {
        if self.spoken.contains(op) {
            return None;
        }
        self.terms.apply(op, &[], args).ok().filter(|term| self.is_visible(*term))
    }

    /// Whether a closed term means at the place what it means outside: no binder there has one of its names, and none of
    /// them is a label, which is not known before the term that it names.
    fn is_visible(&self, term: Term) -> bool {
        let uses_label =
            !self.labels.is_empty() && !free_names(self.terms, term).globals.is_disjoint(self.labels);
        !uses_label && Surroundings::of(self.terms, self.place).admits(self.terms, term)
    }
}

fn evaluator<'e>(terms: &'e Terms, environment: &'e Environment, model: &'e Model) -> Evaluator<'e> {
    let mut evaluator = Evaluator::new(terms, environment, model);
    evaluator.budget = Budget::new(EFFORT);
    evaluator
}

/// The value of a closed term; none if it has none that we know or one that cannot be compared.
fn value_of(terms: &Terms, environment: &Environment, model: &Model, term: Term) -> Option<Value> {
    let value = evaluator(terms, environment, model).eval(term).ok()?;
    (!value.is_opaque_to_equality()).then_some(value)
}

/// A value of a sort of the standard as a term.
fn literal(terms: &mut Terms, environment: &Environment, value: &Value, sort: Sort) -> Option<Term> {
    const LONGEST: usize = 200;
    let is_foreign = terms.sorts.any_part(sort, |kind| {
        matches!(kind, SortKind::Named(..) | SortKind::Array(..) | SortKind::Param(_) | SortKind::Unknown)
    });
    if is_foreign {
        return None;
    }
    let text = value_text(terms, environment, value, sort).filter(|text| text.len() <= LONGEST)?;
    read_term(terms, &mut Scope::new(), &text, Dialect::V26).ok().filter(|term| terms.sort(*term) == sort)
}

/// Whether an annotation in a term gives a name, so that it cannot be said again; patterns can.
fn gives_names(terms: &Terms, root: Term) -> bool {
    let is_name = |value: &AttributeValue| matches!(value, AttributeValue::Name(_));
    subterms(terms, &[root]).into_iter().any(|term| match terms.head(term) {
        Head::Annotated(attributes) => {
            terms.attributes(attributes).iter().any(|attribute| is_name(&attribute.value))
        }
        Head::Opaque(_) => true,
        _ => false,
    })
}

/// Whether there are annotations in a term, or parts that we do not know, so that it had better not be taken apart.
pub(crate) fn has_labels(terms: &Terms, root: Term) -> bool {
    subterms(terms, &[root])
        .into_iter()
        .any(|term| matches!(terms.head(term), Head::Annotated(_) | Head::Opaque(_)))
}

#[cfg(test)]
mod tests {
    use smelt_oracle::case::Expectation;
    use smelt_smtlib::print::script_text;

    use super::*;
    use crate::chain::Chain;
    use crate::library::Library;
    use crate::seed::Seed;

    fn cases(source: &str) -> Vec<(Expectation, String)> {
        let library = Library::default();
        let technique = ModelPreservingMutation::default();
        let mut found = Vec::new();
        for random_seed in 0..40 {
            let mut terms = Terms::new();
            let seed = Seed::read(&mut terms, "a", source).unwrap();
            let mut chain = Chain::start(&mut terms, &seed, &technique, &library, random_seed);
            while let Some(case) = chain.next(&mut terms) {
                found.push((case.expectation, case.script));
            }
        }
        found
    }

    #[test]
    fn model_preserving() {
        let found = cases(
            "; expect: sat\n; model: (define-fun x () Int 5)\n; model: (define-fun s () String \"abcde\")\n\
             (declare-const x Int)(declare-const s String)(assert (< 3 x))(assert (= (str.len s) x))(check-sat)",
        );
        assert!(found.len() > 100, "{}", found.len());
        assert!(found.iter().all(|(expectation, _)| *expectation == Expectation::Sat));
        let has = |part: &str| found.iter().any(|(_, text)| text.contains(part));
        assert!(has("(< 3 (str.len s))") && has("(ite "), "{:#?}", &found[..10]);
    }

    #[test]
    fn what_has_no_model_keeps_its_core() {
        let source = "; expect: unsat\n; core: 1 2\n(declare-const x Int)\
            (assert (< x 3))(assert (> x 5))(assert (= x 4))(check-sat)";
        let found = cases(source);
        assert!(found.len() > 100, "{}", found.len());
        for (expectation, text) in &found {
            assert_eq!(*expectation, Expectation::Unsat);
            assert!(text.contains("(assert (< x 3))") && text.contains("(assert (> x 5))"), "{text}");
        }
        assert!(found.iter().any(|(_, text)| !text.contains("(assert (= x 4))")));
    }

    #[test]
    fn assertions_with_patterns_are_said_again() {
        let source = "; expect: unsat\n(declare-fun f (Int) Int)\
            (assert (forall ((x Int)) (! (< (f x) x) :pattern ((f x)))))(assert (= (f 1) 2))(check-sat)";
        let found = cases(source);
        assert!(found.iter().any(|(_, text)| text.matches(":pattern").count() > 1), "{}", found.len());
    }

    #[test]
    fn labels_are_not_copied_to_before_what_they_name() {
        let source = "; expect: sat\n; model: (define-fun p () Bool true)\n(declare-const p Bool)\
            (assert (! (and p (or p false)) :named n1))(assert (! (or n1 p) :named n2))(assert (and n1 n2))(check-sat)";
        let library = Library::default();
        let technique = ModelPreservingMutation::default();
        let mut count = 0;
        for random_seed in 0..60 {
            let mut terms = Terms::new();
            let seed = Seed::read(&mut terms, "a", source).unwrap();
            let mut chain = Chain::start(&mut terms, &seed, &technique, &library, random_seed);
            count += std::iter::from_fn(|| chain.next(&mut terms)).count();
            assert_eq!(chain.dropped().cases, 0, "{random_seed}");
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn nothing_is_done_where_nothing_is_known() {
        assert_eq!(cases("(declare-const x Int)(assert (< x 3))(check-sat)"), []);
    }

    #[test]
    fn values_are_written_with_their_sort() {
        let mut terms = Terms::new();
        let environment = Environment::default();
        let value = Value::Int((-3).into());
        let real = literal(&mut terms, &environment, &value, Sort::REAL).unwrap();
        let mut script = Script::default();
        script.push(Command::GetValue(vec![real]));
        assert_eq!(script_text(&mut terms, &script).trim(), "(get-value ((- 3.0)))");
    }
}

//! Formulas: what follows from the assertions of the input before an engine sees it.

use rustc_hash::FxHashMap;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::substitute::expand_lets;
use smelt_smtlib::term::Term;

use super::{Checker, Held, StepError};
use crate::arithmetic::{self, Verdict};
use crate::boolean;
use crate::expand::{MAX_CALLS, expand};
use crate::log::INPUT;
use crate::replay::{replace, replay, without_annotations};

/// Rules that are not verified: they introduce constants, or depend on what an engine found.
const TRUSTED: &[&str] =
    &["lower", "rewrite-unlisted", "cut-membership", "functions", "unconstrained", "learned"];

impl Checker {
    /// A formula is an assertion of the input, or follows from other formulas.
    pub(super) fn formula(&mut self, number: usize, rule: &str, premises: &[usize], term: Term) -> Held {
        if rule == INPUT {
            let position = premises.first().and_then(|number| number.checked_sub(1));
            let assertion = position.and_then(|position| self.environment.assertions.get(position)).copied();
            let assertion = assertion.map(|assertion| expand_lets(&mut self.terms, assertion));
            // Names cannot be given twice, so the log has none.
            let bare = assertion.and_then(|assertion| without_annotations(&mut self.terms, assertion));
            if bare != Some(term) {
                return Err(StepError::OtherAssertion);
            }
            self.summary.formulas += 1;
        } else {
            let premises: Result<Vec<Term>, StepError> =
                premises.iter().map(|number| self.known_formula(*number)).collect();
            self.derive(rule, &premises?, term)?;
        }
        if self.formulas.insert(number, term).is_some() {
            return Err(StepError::KnownFormula(number));
        }
        Ok(())
    }

    /// A formula follows from others.
    fn derive(&mut self, rule: &str, premises: &[Term], term: Term) -> Held {
        let is_shown = match (rule, premises) {
            ("lower", &[before]) => {
                expand(&mut self.terms, &self.environment, before, &mut { MAX_CALLS }) == Some(term)
            }
            ("rewrite", &[before]) => {
                let rewrites = &self.rewrites;
                replay(&mut self.terms, before, |part| rewrites.get(&part).copied()) == Some(term)
            }
            ("conjunct", &[whole]) => self.is_conjunct(whole, term),
            ("contradiction", &[one, other]) => {
                build::not(&mut self.terms, one) == other && self.terms.op(term) == Some(Op::False)
            }
            ("solve", &[equation]) => self.is_solution(equation, term),
            ("substitute", [before, equations @ ..]) => {
                let map = self.equations(equations)?;
                replace(&mut self.terms, *before, &map) == Some(term)
            }
            ("propagate", [before, facts @ ..]) => {
                let map = self.truths(facts);
                replace(&mut self.terms, *before, &map) == Some(term)
            }
            _ => false,
        };
        if is_shown {
            self.summary.formulas += 1;
            return Ok(());
        }
        if !TRUSTED.contains(&rule) {
            return Err(StepError::DoesNotFollow(rule.to_owned()));
        }
        let mut clause: Vec<Term> = premises.iter().map(|term| build::not(&mut self.terms, *term)).collect();
        clause.push(term);
        let clause = build::or(&mut self.terms, &clause);
        self.trust(rule, clause)
    }

    /// Whether a term is part of a conjunction, which may be a negated disjunction.
    fn is_conjunct(&mut self, whole: Term, term: Term) -> bool {
        match self.terms.op(whole) {
            Some(Op::And) => self.terms.args(whole).contains(&term),
            Some(Op::Not) => {
                let inner = self.terms.args(whole)[0];
                let negated = build::not(&mut self.terms, term);
                self.terms.op(inner) == Some(Op::Or) && self.terms.args(inner).contains(&negated)
            }
            _ => false,
        }
    }

    /// Whether an equation between a constant and a value follows from a formula.
    fn is_solution(&mut self, formula: Term, solution: Term) -> bool {
        if formula == solution || boolean::are_same_equation(&self.terms, formula, solution) {
            return true;
        }
        let &[constant, value] = self.terms.args(solution) else { return false };
        if boolean::is_connective(&self.terms, solution) {
            let negated = build::not(&mut self.terms, value);
            // `x` is `true` if it holds, and `x` is not `y` if `x` is `(not y)`.
            let [equal, swapped] = [[constant, negated], [negated, constant]]
                .map(|sides| build::apply(&mut self.terms, Op::Eq, &sides));
            let not_formula = build::not(&mut self.terms, formula);
            return match self.terms.op(value) {
                Some(Op::True) => formula == constant,
                Some(Op::False) => not_formula == constant,
                _ => not_formula == equal || not_formula == swapped,
            };
        }
        let unequal = build::not(&mut self.terms, solution);
        arithmetic::refute(&mut self.terms, &[formula, unequal]) == Verdict::Refuted
    }

    /// What constants are by equations.
    fn equations(&self, equations: &[Term]) -> Result<FxHashMap<Term, Term>, StepError> {
        let mut map = FxHashMap::default();
        for equation in equations {
            match (self.terms.op(*equation), self.terms.args(*equation)) {
                (Some(Op::Eq), &[constant, value])
                    if build::constant_name(&self.terms, constant).is_some() =>
                {
                    map.insert(constant, value);
                }
                _ => return Err(StepError::NotADefinition),
            }
        }
        Ok(map)
    }

    /// What is true and what is false by facts.
    fn truths(&mut self, facts: &[Term]) -> FxHashMap<Term, Term> {
        let (yes, no) = (self.terms.bool(true), self.terms.bool(false));
        let facts = facts.iter().map(|fact| match self.terms.op(*fact) {
            Some(Op::Not) => (self.terms.args(*fact)[0], no),
            _ => (*fact, yes),
        });
        facts.collect()
    }

    /// Two terms are equal: by an identity, or trusted.
    pub(super) fn rewrite(&mut self, rule: &str, before: Term, after: Term) -> Held {
        if self.identities.are_equal(&mut self.terms, before, after) {
            self.summary.rewrites += 1;
        } else {
            let equation = build::apply(&mut self.terms, Op::Eq, &[before, after]);
            self.trust(rule, equation)?;
        }
        self.rewrites.insert(before, after);
        Ok(())
    }
}

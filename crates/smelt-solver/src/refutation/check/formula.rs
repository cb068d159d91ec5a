//! Formulas: what follows from the assertions of the input before an engine sees it.

use rustc_hash::FxHashMap;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::substitute::expand_lets;
use smelt_smtlib::term::Term;

use super::arithmetic::{self, Verdict};
use super::plain::{MAX_CALLS, plain};
use super::{Checker, Rejected, boolean};
use crate::refutation::read::Line;
use crate::refutation::replay::{replace, replay, unordered, without_annotations};
use crate::rewrite::entail::Facts;
use crate::rewrite::rules::RULES;
use crate::rewrite::{Ctx, Room};

/// Rules that are not shown here: they make up constants, or rest on what an engine found.
const TRUSTED: &[&str] =
    &["lower", "rewrite-unlisted", "cut-membership", "functions", "unconstrained", "learned"];

impl Checker {
    /// `formula NUMBER RULE PREMISES.. TERM`.
    pub(super) fn formula(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let (number, rest) = line.number("the number of the formula")?;
        let (rule, rest) = rest.split("the rule")?;
        let (numbers, rest) = rest.numbers();
        let term = self.bool_term(&rest)?;
        if rule == "input" {
            let position = numbers.first().and_then(|number| number.checked_sub(1));
            let assertion = position.and_then(|position| self.environment.assertions.get(position)).copied();
            let assertion = assertion.map(|assertion| expand_lets(&mut self.terms, assertion));
            // Names cannot be given twice, so the log has none.
            let bare = assertion.and_then(|assertion| without_annotations(&mut self.terms, assertion));
            if bare != Some(term) {
                return Err(line.reject("this is not that assertion of the input"));
            }
            self.summary.formulas += 1;
        } else {
            let premises: Result<Vec<Term>, Rejected> =
                numbers.iter().map(|number| self.known_formula(line, *number)).collect();
            self.derive(line, rule, &premises?, term)?;
        }
        if self.formulas.insert(number, term).is_some() {
            return Err(line.reject(format!("there is another formula {number}")));
        }
        Ok(())
    }

    /// Shows that a formula follows from others.
    fn derive(&mut self, line: &Line<'_>, rule: &str, premises: &[Term], term: Term) -> Result<(), Rejected> {
        let is_shown = match (rule, premises) {
            ("lower", &[before]) => {
                plain(&mut self.terms, &self.environment, before, &mut { MAX_CALLS }) == Some(term)
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
                let map = self.equations(line, equations)?;
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
            return Err(line.reject(format!("this does not follow by `{rule}`")));
        }
        let holds: Vec<Term> = premises.iter().map(|term| build::not(&mut self.terms, *term)).collect();
        let said: Vec<Term> = holds.into_iter().chain([term]).collect();
        let said = build::or(&mut self.terms, &said);
        self.trust(line, rule, said)
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
    fn equations(&self, line: &Line<'_>, equations: &[Term]) -> Result<FxHashMap<Term, Term>, Rejected> {
        let mut map = FxHashMap::default();
        for equation in equations {
            match (self.terms.op(*equation), self.terms.args(*equation)) {
                (Some(Op::Eq), &[constant, value])
                    if build::constant_name(&self.terms, constant).is_some() =>
                {
                    map.insert(constant, value);
                }
                _ => return Err(line.reject("a premise does not say what a constant is")),
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

    /// `rewrite RULE (= BEFORE AFTER)`: the rule gives this, and both have the same value on small inputs.
    pub(super) fn rewrite(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let (id, rest) = line.split("the rule")?;
        let Some(rule) = RULES.iter().find(|rule| rule.id == id) else {
            return Err(line.broken(format!("there is no rewrite rule `{id}`")));
        };
        let equation = self.bool_term(&rest)?;
        let (Some(Op::Eq), &[before, after]) = (self.terms.op(equation), self.terms.args(equation)) else {
            return Err(line.broken("this is no equation"));
        };
        let looks_at = self.terms.op(before).is_some_and(|op| rule.ops.contains(&op));
        let mut ctx = Ctx { terms: &mut self.terms, facts: &mut Facts::default(), room: Room::default() };
        let Some(applied) = (rule.apply)(&mut ctx, before).filter(|_| looks_at) else {
            return Err(line.reject(format!("`{id}` does not rewrite this")));
        };
        // The order of sums and equations follows from when terms were made.
        let is_same = unordered(&mut self.terms, applied) == unordered(&mut self.terms, after)
            || arithmetic::are_equal(&mut self.terms, before, after);
        if !is_same {
            return Err(line.reject(format!("`{id}` does not rewrite this so")));
        }
        if let Some(values) = self.counterexample(equation) {
            return Err(line.reject(format!("this is false for {values}")));
        }
        self.rewrites.insert(before, after);
        self.summary.rewrites += 1;
        Ok(())
    }
}

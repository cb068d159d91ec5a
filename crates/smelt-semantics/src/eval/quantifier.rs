//! Quantifiers: all instances where there are few, samples where there are many and variables cannot be eliminated.

use std::sync::Arc;

use smelt_smtlib::op::Op;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Variable};
use smelt_smtlib::walk::subterms;

use super::open::{Absent, Part};
use super::{Evaluator, FrameKind, STEP_COST};
use crate::unknown::Unknown;
use crate::value::Value;
use crate::{LimitReached, domain};

/// Quantifiers over at most this many values in all are evaluated by trying every one.
const MAX_INSTANCES: u64 = 1 << 16;
/// Quantifiers over more are tried on at most this many.
const MAX_SAMPLES: u64 = 256;

/// The instances of a quantifier still to be tried.
pub(super) struct Instances {
    pub(super) is_forall: bool,
    pub(super) variables: Vec<Variable>,
    pub(super) choices: Vec<Vec<Value>>,
    /// The choice of each variable; none left when the first wraps around.
    pub(super) at: Vec<usize>,
    /// Whether the choices are all values there are.
    pub(super) is_complete: bool,
    /// Why some instance has no value.
    pub(super) unknown: Option<Unknown>,
}

impl Evaluator<'_> {
    pub(super) fn quantifier(
        &mut self,
        is_forall: bool,
        variables: &[Variable],
        term: Term,
    ) -> Result<FrameKind, Part> {
        let mut choices = Vec::with_capacity(variables.len());
        let mut is_complete = true;
        let mut count = 1u64;
        for variable in variables {
            let limit = MAX_INSTANCES / count.max(1);
            let all = self.domains().values(variable.sort, limit, &mut self.budget);
            let all = all.map_err(|limit| Err(Absent::from(limit)))?;
            let values = match all {
                Some(values) => values,
                None => {
                    let mut samples =
                        self.samples(*variable, term).map_err(|limit| Err(Absent::from(limit)))?;
                    if self.occurs(variable.name, term) {
                        is_complete = false;
                    } else {
                        // Every value gives the same, and no sort is empty.
                        samples.truncate(1);
                    }
                    samples
                }
            };
            count = count.saturating_mul(values.len() as u64);
            choices.push(values);
        }
        if !is_complete && let Some(value) = self.eliminate(term) {
            return Err(Ok(Value::Bool(value)));
        }
        for most in [4, 2, 1] {
            let product =
                choices.iter().fold(1u64, |product, values| product.saturating_mul(values.len() as u64));
            if !is_complete && product > MAX_SAMPLES {
                choices.iter_mut().for_each(|values| values.truncate(most));
            }
        }
        if choices.iter().any(Vec::is_empty) {
            return Err(Err(Unknown::Quantifier.into()));
        }
        let at = vec![0; variables.len()];
        let instances =
            Instances { is_forall, variables: variables.to_vec(), choices, at, is_complete, unknown: None };
        Ok(FrameKind::Quantifier(Box::new(instances)))
    }

    /// Whether a variable of a quantifier is used in its body, or another one of that name.
    fn occurs(&self, name: Symbol, quantifier: Term) -> bool {
        let parts = subterms(self.terms, self.terms.args(quantifier));
        parts.iter().any(|part| matches!(self.terms.head(*part), Head::Local(local) if local == name))
    }

    /// Values to try for a variable: literals of its sort that occur in the formula, and a few others.
    fn samples(&mut self, variable: Variable, term: Term) -> Result<Vec<Value>, LimitReached> {
        let sort = variable.sort;
        let mut values = Vec::new();
        let subterms = subterms(self.terms, &[term]);
        self.budget.spend(STEP_COST * subterms.len() as u64)?;
        let mut points = Vec::new();
        for subterm in subterms {
            if let Head::Literal(literal, text) = self.terms.head(subterm)
                && self.terms.sort(subterm) == sort
                && let Ok(value) = self.literal(literal, text, sort)
            {
                values.push(value);
            }
            points.extend(self.point(variable.name, subterm));
            if values.len() == 16 {
                break;
            }
        }
        let others = self.domains().samples(sort, &mut self.budget)?;
        values.extend(others.iter().filter_map(|other| through(other, &points)));
        values.extend(others);
        Ok(domain::distinct(values))
    }

    /// What a function that is a variable gives for a literal, if a term such as `(= (f 1) 2)` says it.
    fn point(&mut self, function: Symbol, equation: Term) -> Option<[Value; 2]> {
        let terms = self.terms;
        let (Some(Op::Eq), &[left, right]) = (terms.op(equation), terms.args(equation)) else {
            return None;
        };
        let mut value = |term: Term| match terms.head(term) {
            Head::Literal(literal, text) => self.literal(literal, text, terms.sort(term)).ok(),
            _ => None,
        };
        [(left, right), (right, left)].into_iter().find_map(|(applied, element)| {
            let (Head::Local(name), [index]) = (terms.head(applied), terms.args(applied)) else {
                return None;
            };
            (name == function).then_some(())?;
            Some([value(*index)?, value(element)?])
        })
    }
}

/// A function that is one without entries but for some points.
fn through(function: &Value, points: &[[Value; 2]]) -> Option<Value> {
    let Value::Array(array) = function else { return None };
    if points.is_empty() {
        return None;
    }
    let mut array = (**array).clone();
    for [index, element] in points {
        array = array.store(index.clone(), element.clone())?;
    }
    Some(Value::Array(Arc::new(array)))
}

impl Instances {
    /// How many machine words the next instance takes.
    pub(super) fn words(&self) -> u64 {
        let values = self.choices.iter().zip(&self.at).map(|(values, at)| &values[*at]);
        values.map(|value| 10 + value.own_words()).sum()
    }

    pub(super) fn current(&self) -> Vec<Value> {
        self.choices.iter().zip(&self.at).map(|(values, at)| values[*at].clone()).collect()
    }

    /// Goes to the next instance; false if there is none.
    pub(super) fn step(&mut self) -> bool {
        for (at, values) in self.at.iter_mut().zip(&self.choices).rev() {
            *at += 1;
            if *at < values.len() {
                return true;
            }
            *at = 0;
        }
        false
    }
}

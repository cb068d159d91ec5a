//! Choosing values that the standard leaves open.
//!
//! `(div x 0)` is a function of `x` that the standard does not fix, and a model that says nothing of it may be completed by
//! any function. A search looks for one under which the assertions hold: each application that is met gets candidates
//! (what it is compared with, and a few small values), and the choices are tried in turn, the last one first. What is
//! found is a completion; that none is found says nothing.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::Term;

use super::Evaluator;
use super::open::{Absent, Application, OpenValues, Part};
use crate::apply::context::copied;
use crate::domain;
use crate::unknown::Unknown;
use crate::value::Value;
use dashu_int::IBig;
use dashu_ratio::RBig;

/// At most so many values that other open values are compared with are candidates.
const MAX_OTHERS: usize = 8;

/// Choices for the open applications that evaluation meets.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// What open applications were compared with in an evaluation that chose nothing.
    compared: FxHashMap<Application, Vec<Value>>,
    /// The applications in the order in which they were met, each with its candidates and the one that is chosen.
    met: Vec<Choice>,
    positions: FxHashMap<Application, usize>,
}

#[derive(Debug)]
struct Choice {
    application: Application,
    candidates: Vec<Value>,
    chosen: usize,
}

impl Choices {
    pub(super) fn new(open_values: OpenValues) -> Self {
        Choices { compared: open_values.into_compared(), ..Choices::default() }
    }

    /// Goes to the next choices; false if all were tried.
    pub(crate) fn step(&mut self) -> bool {
        while let Some(last) = self.met.last_mut() {
            last.chosen += 1;
            if last.chosen < last.candidates.len() {
                return true;
            }
            self.positions.remove(&last.application);
            self.met.pop();
        }
        false
    }
}

impl Evaluator<'_> {
    /// The value that is chosen for an application that the standard leaves open, or the open value.
    pub(super) fn choose_open(&mut self, term: Term, args: Vec<Value>, reason: Unknown) -> Part {
        if self.choices.is_none() || !may_choose(reason, args.len()) {
            return Err(self.open_value(term, args, reason));
        }
        let sort = self.terms.sort(term);
        let fixed = self.fixed_candidates(reason, &args, sort)?;
        let application = self.application_of(term, args).ok_or(Absent::from(reason))?;
        let (has_fixed, samples) = match fixed {
            Some(candidates) => (true, candidates),
            None => (false, self.domains().samples(sort, &mut self.budget)?),
        };
        let choices = self.choices.as_mut().expect("looked at above");
        let position = match choices.positions.get(&application) {
            Some(position) => *position,
            None => {
                let mut candidates = Vec::new();
                if !has_fixed {
                    let compared = choices.compared.get(&application).into_iter().flatten();
                    compared.for_each(|value| candidates.extend(around(value)));
                    // What one open value is compared with may suit another, too.
                    let kind = samples.first().map(std::mem::discriminant);
                    let others = choices.compared.values().flatten();
                    let others = others.filter(|value| Some(std::mem::discriminant(*value)) == kind);
                    candidates.extend(others.take(MAX_OTHERS).cloned());
                    candidates.extend(domain::zeros_first(samples));
                } else {
                    candidates.extend(samples);
                }
                let candidates = domain::distinct(candidates);
                if candidates.is_empty() {
                    return Err(reason.into());
                }
                choices.positions.insert(application.clone(), choices.met.len());
                choices.met.push(Choice { application, candidates, chosen: 0 });
                choices.met.len() - 1
            }
        };
        let choice = &choices.met[position];
        copied(&choice.candidates[choice.chosen], &mut self.budget).map_err(Absent::from)
    }
}

impl Evaluator<'_> {
    /// The only values that may be chosen, where not all may: one of the arguments, an element of a set, or all there is.
    fn fixed_candidates(
        &mut self,
        reason: Unknown,
        args: &[Value],
        sort: Sort,
    ) -> Result<Option<Vec<Value>>, Absent> {
        Ok(match (reason, args) {
            (Unknown::Open(Op::FpMin | Op::FpMax), _) => Some(args.to_vec()),
            (Unknown::Open(Op::SetChoose | Op::BagChoose), [Value::Set(set) | Value::Bag(set)])
                if !set.is_empty() =>
            {
                Some(set.elements().take(MAX_COMPARED).cloned().collect())
            }
            // cvc5 takes any set for the universe of which all sets are subsets: all values are one.
            (Unknown::Open(Op::SetUniverse | Op::SetComplement), _) => {
                let SortKind::Set(element) = *self.terms.sorts.kind(sort) else {
                    return Ok(Some(Vec::new()));
                };
                let values =
                    self.domains().values(element, MAX_UNIVERSE, &mut self.budget)?.unwrap_or_default();
                if values.is_empty() {
                    return Ok(Some(Vec::new()));
                }
                let is_outside = |value: &Value| !matches!(args, [Value::Set(set)] if set.contains(value));
                Some(vec![self.context().set(values.into_iter().filter(is_outside))?])
            }
            _ => None,
        })
    }
}

/// The universe of a sort with more values is not listed.
const MAX_UNIVERSE: u64 = 1 << 10;
/// At most so many elements are tried as the one that is chosen.
const MAX_COMPARED: usize = 64;

/// Whether any value may be chosen for an application to so many arguments: of chains such as `(/ a b c)` it is not known
/// which of the divisions is open.
fn may_choose(reason: Unknown, arg_count: usize) -> bool {
    match reason {
        Unknown::OpenSelector(_) => true,
        Unknown::Open(Op::IntDiv | Op::Mod | Op::RealDiv) => arg_count == 2,
        Unknown::Open(Op::SetChoose | Op::BagChoose | Op::SetUniverse | Op::SetComplement) => true,
        Unknown::Open(Op::Sqrt | Op::Arcsin | Op::Arccos | Op::Asin | Op::Acos) => true,
        Unknown::Open(
            Op::NullableVal | Op::SeqNth | Op::FpMin | Op::FpMax | Op::FpToUbv | Op::FpToSbv | Op::FpToReal,
        ) => true,
        _ => false,
    }
}

/// A value and, for numbers, its neighbours.
fn around(value: &Value) -> Vec<Value> {
    match value {
        Value::Int(number) => [0, 1, -1].map(|step| Value::Int(number + IBig::from(step))).to_vec(),
        Value::Real(number) => [0, 1, -1].map(|step| Value::Real(number + RBig::from(step))).to_vec(),
        other => vec![other.clone()],
    }
}

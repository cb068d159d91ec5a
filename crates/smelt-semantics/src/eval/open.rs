//! Values that the standard leaves open: which of them are certainly the same.
//!
//! `(div 1 0)` may be any integer, but it is one integer: in every model the operator is a function, so that two
//! applications to equal arguments have equal values. Each such application, and each application of a function to
//! one, therefore gets a number, the same for the same head and arguments. Equal numbers mean equal values; different
//! numbers mean nothing. All operators but those here take an open value for an unknown one.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Term};

use super::{Evaluator, MEMORY_COST, coerce};
use crate::LimitReached;
use crate::apply::pairwise_distinct;
use crate::irrational::NumberId;
use crate::unknown::Unknown;
use crate::value::Value;

/// Applications with larger arguments are not numbered: looking them up compares the arguments.
const MAX_WEIGHT: u64 = 4_096;

/// Not more values are remembered that one open value was compared with.
const MAX_COMPARED: usize = 16;

/// The number of an open value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct OpenValue(u32);

/// Why a term has no value that we could name.
///
/// The open value belongs to the term itself: where a term is unknown because a part is, only the reason passes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Absent {
    pub(super) reason: Unknown,
    pub(super) open: Option<OpenValue>,
    /// The number that it is, if it is no rational one.
    pub(super) number: Option<NumberId>,
}

impl From<Unknown> for Absent {
    fn from(reason: Unknown) -> Self {
        Absent { reason, open: None, number: None }
    }
}

impl From<LimitReached> for Absent {
    fn from(limit: LimitReached) -> Self {
        Unknown::from(limit).into()
    }
}

/// The outcome of a part of a term.
pub(super) type Part = Result<Value, Absent>;

/// An application of a function to arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Application {
    head: Head,
    sort: Sort,
    args: Box<[Argument]>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Argument {
    Value(Value),
    Open(OpenValue),
}

/// The open values met so far, by how they are made.
#[derive(Debug, Default)]
pub(super) struct OpenValues {
    numbers: FxHashMap<Application, OpenValue>,
    /// Values that open values were compared with.
    compared: FxHashMap<OpenValue, Vec<Value>>,
}

impl OpenValues {
    /// For each open application the values that it was compared with.
    pub(super) fn into_compared(mut self) -> FxHashMap<Application, Vec<Value>> {
        let numbers = std::mem::take(&mut self.numbers).into_iter();
        numbers
            .filter_map(|(application, number)| Some((application, self.compared.remove(&number)?)))
            .collect()
    }
}

impl Evaluator<'_> {
    /// What an application is to arguments of which some are not known.
    #[cold]
    pub(super) fn apply_partly(&mut self, term: Term, parts: Vec<Part>) -> Part {
        let op = self.terms.op(term);
        let is_number = |part: &Part| part.as_ref().is_err_and(|absent| absent.number.is_some());
        if let Some(op) = op
            && parts.iter().any(is_number)
            && let Some(part) = self.apply_to_numbers(term, op, &parts)
        {
            return part;
        }
        if matches!(op, Some(Op::Eq | Op::Distinct | Op::Le | Op::Ge | Op::Lt | Op::Gt)) {
            self.remember_comparison(&parts);
        }
        let decided = match op {
            Some(Op::Eq | Op::Iff) => self.are_equal(&parts),
            Some(Op::Distinct) => self.are_distinct(&parts),
            Some(Op::Le | Op::Ge) => are_one_open_value(&parts).then_some(true),
            Some(Op::Lt | Op::Gt) => (parts.len() > 1 && are_one_open_value(&parts)).then_some(false),
            _ => None,
        };
        match decided {
            Some(value) => Ok(Value::Bool(value)),
            None => Err(self.open_application(term, parts)),
        }
    }

    /// Notes what open values are compared with: if they may be chosen, these are good choices.
    fn remember_comparison(&mut self, parts: &[Part]) {
        let values: Vec<&Value> = parts.iter().filter_map(|part| part.as_ref().ok()).collect();
        if values.is_empty() || values.iter().any(|value| value.weight() > MAX_WEIGHT) {
            return;
        }
        for open in parts.iter().filter_map(|part| part.as_ref().err()?.open) {
            let compared = self.open_values.compared.entry(open).or_default();
            if compared.len() < MAX_COMPARED {
                compared.extend(values.iter().copied().cloned());
            }
        }
    }

    /// Two values that differ decide, and so does one open value everywhere.
    fn are_equal(&mut self, parts: &[Part]) -> Option<bool> {
        let mut values = parts.iter().filter_map(|part| part.as_ref().ok());
        if let Some(first) = values.next() {
            for value in values {
                if self.context().equal(first, value) == Ok(false) {
                    return Some(false);
                }
            }
        }
        are_one_open_value(parts).then_some(true)
    }

    /// Two that are the same decide.
    fn are_distinct(&mut self, parts: &[Part]) -> Option<bool> {
        let mut seen = FxHashSet::default();
        let mut open = parts.iter().filter_map(|part| part.as_ref().err()?.open);
        if open.any(|number| !seen.insert(number)) {
            return Some(false);
        }
        let values: Vec<Value> = parts.iter().filter_map(|part| part.as_ref().ok().cloned()).collect();
        matches!(pairwise_distinct(&mut self.context(), &values), Ok(Value::Bool(false))).then_some(false)
    }

    /// An application that is unknown because some arguments are: if these are open, it is itself an open value.
    pub(super) fn open_application(&mut self, term: Term, parts: Vec<Part>) -> Absent {
        let reason = parts.iter().find_map(|part| part.as_ref().err()).map(|absent| absent.reason);
        let reason = reason.unwrap_or(Unknown::IllSorted);
        let argument = |part: Part| match part {
            Ok(value) => Some(Argument::Value(value)),
            Err(absent) => absent.open.map(Argument::Open),
        };
        match parts.into_iter().map(argument).collect::<Option<Vec<Argument>>>() {
            Some(args) => self.number(term, args, reason),
            None => reason.into(),
        }
    }

    /// An application to values that the standard leaves open.
    pub(super) fn open_value(&mut self, term: Term, args: Vec<Value>, reason: Unknown) -> Absent {
        self.number(term, args.into_iter().map(Argument::Value).collect(), reason)
    }

    fn number(&mut self, term: Term, args: Vec<Argument>, reason: Unknown) -> Absent {
        let Some(application) = self.application(term, args) else { return reason.into() };
        let next = self.open_values.numbers.len();
        let open = match u32::try_from(next) {
            Ok(next) => *self.open_values.numbers.entry(application).or_insert(OpenValue(next)),
            Err(_) => return Unknown::Limit.into(),
        };
        Absent { reason, open: Some(open), number: None }
    }

    /// What the model chose for an application that the standard leaves open, or chooses now.
    pub(super) fn application_of(&mut self, term: Term, args: Vec<Value>) -> Option<Application> {
        self.application(term, args.into_iter().map(Argument::Value).collect())
    }

    /// The application that a term is; none if its head is not a function of its own, or its arguments are too large.
    fn application(&mut self, term: Term, mut args: Vec<Argument>) -> Option<Application> {
        let head = self.terms.head(term);
        if !matches!(
            head,
            Head::Op(..) | Head::Global(_) | Head::Qualified(_) | Head::Tester(_) | Head::Updater(_)
        ) {
            return None;
        }
        if matches!(head, Head::Op(Op::RealDiv, _)) {
            args = args.into_iter().map(in_reals).collect();
        }
        let weight = args.iter().fold(1u64, |sum, arg| match arg {
            Argument::Value(value) => sum.saturating_add(value.weight()),
            Argument::Open(_) => sum.saturating_add(1),
        });
        if weight > MAX_WEIGHT || self.budget.spend(MEMORY_COST).is_err() {
            return None;
        }
        self.budget.spend_words(weight).ok()?;
        Some(Application { head, sort: self.terms.sort(term), args: args.into() })
    }
}

/// Whether all parts are open values, and the same.
fn are_one_open_value(parts: &[Part]) -> bool {
    let number = |part: &Part| part.as_ref().err().and_then(|absent| absent.open);
    match parts.first().and_then(number) {
        Some(first) => parts.iter().all(|part| number(part) == Some(first)),
        None => false,
    }
}

/// An Int as the Real that division takes it for.
fn in_reals(arg: Argument) -> Argument {
    match arg {
        Argument::Value(value) => Argument::Value(coerce(value, Sort::REAL)),
        open => open,
    }
}

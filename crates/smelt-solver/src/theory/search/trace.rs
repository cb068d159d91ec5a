//! What a search was told and what it concluded, in order, for a refutation log.
//!
//! A step is made only if it is recorded, so that tracing costs nothing otherwise.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Gate, Literal};

/// One step of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceStep {
    /// The literal became the name of a gate.
    Gate(Literal, Gate),
    /// A clause was added, for this reason.
    Clause(Vec<Literal>, &'static str),
    /// A clause holds in arithmetic.
    Lemma(Vec<Literal>),
    /// Unit propagation with all clauses before shows a clause.
    Learnt(Vec<Literal>),
}

/// The steps of one search, if they are recorded. Clones add to the same steps.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    steps: Option<Rc<RefCell<Vec<TraceStep>>>>,
}

impl Trace {
    /// Records nothing.
    pub fn silent() -> Trace {
        Trace::default()
    }

    /// All steps are kept.
    pub fn recording() -> Trace {
        Trace { steps: Some(Rc::default()) }
    }

    /// Whether steps are kept.
    pub fn is_recording(&self) -> bool {
        self.steps.is_some()
    }

    /// Adds a step.
    pub(super) fn add(&self, step: impl FnOnce() -> TraceStep) {
        if let Some(steps) = &self.steps {
            steps.borrow_mut().push(step());
        }
    }

    /// The steps so far.
    pub fn steps(&self) -> Vec<TraceStep> {
        self.steps.as_ref().map_or_else(Vec::new, |steps| steps.borrow().clone())
    }
}

//! What a check did, recorded for a proof log.
//!
//! Formulas are known to hold if the input does: assertions of the input, the results of rewriting and preprocessing,
//! and what an engine was given. Nothing is recorded unless a log is asked for.

use rustc_hash::FxHashMap;
use smelt_proof::log::INPUT;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

use crate::theory::search::{Literal, TraceStep};

/// Records what a check does, if a log is asked for.
#[derive(Debug, Default)]
pub struct Recorder {
    record: Option<Record>,
    is_paused: bool,
}

/// What a check did.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// In the order in which they were shown.
    pub(crate) formulas: Vec<Formula>,
    /// The position of each formula.
    positions: FxHashMap<Term, usize>,
    /// How the check came to its end.
    pub(crate) end: Option<End>,
}

/// A formula that holds if the input does.
#[derive(Debug)]
pub(crate) struct Formula {
    pub(crate) term: Term,
    /// How it was shown.
    pub(crate) rule: &'static str,
    /// The formulas that it was shown from, by their positions; for an assertion of the input its own position there.
    pub(crate) premises: Vec<usize>,
}

/// Why there is no model.
#[derive(Debug)]
pub(crate) enum End {
    /// A formula is false.
    False(usize),
    /// An engine refuted some formulas in its own way.
    Engine(&'static str, Vec<usize>),
    /// A Boolean search with arithmetic found nothing.
    Search(SearchRecord),
}

/// The reason of clauses that are assertions of the problem.
pub(crate) const ASSERTION: &str = "assertion";

/// A Boolean search that found nothing.
#[derive(Debug)]
pub(crate) struct SearchRecord {
    /// What each Boolean variable stands for; nothing if it is a gate.
    pub(crate) atoms: Vec<Option<Term>>,
    /// The literals of Boolean terms; arguments come before what uses them.
    pub(crate) literals: Vec<(Term, Literal)>,
    /// What was asserted, in the order of the clauses for the reason [`ASSERTION`].
    pub(crate) assertions: Vec<Term>,
    /// All that happened.
    pub(crate) steps: Vec<TraceStep>,
}

impl Recorder {
    /// Keeps nothing.
    pub fn off() -> Self {
        Recorder::default()
    }

    /// Keeps everything.
    pub fn on() -> Self {
        Recorder { record: Some(Record::default()), is_paused: false }
    }

    /// Whether what happens now is kept.
    pub fn is_on(&self) -> bool {
        self.record.is_some() && !self.is_paused
    }

    /// Keeps nothing until it is told to go on. Whether it was told before.
    pub(crate) fn pause(&mut self) -> bool {
        std::mem::replace(&mut self.is_paused, true)
    }

    /// Goes on, unless it had paused before, too.
    pub(crate) fn resume(&mut self, was_paused: bool) {
        self.is_paused = was_paused;
    }

    fn active(&mut self) -> Option<&mut Record> {
        self.record.as_mut().filter(|_| !self.is_paused)
    }

    /// An assertion of the input, by its position there.
    pub(crate) fn input(&mut self, position: usize, term: Term) {
        if let Some(record) = self.active() {
            record.add(Formula { term, rule: INPUT, premises: vec![position] });
        }
    }

    /// A formula that follows from others. Those that are no formulas themselves do not count.
    pub(crate) fn derive(&mut self, rule: &'static str, premises: &[Term], term: Term) {
        if let Some(record) = self.active() {
            let premises =
                premises.iter().filter_map(|premise| record.positions.get(premise)).copied().collect();
            record.add(Formula { term, rule, premises });
        }
    }

    /// A formula is false.
    pub(crate) fn end_with_false(&mut self, terms: &Terms, assertions: &[Term]) {
        let Some(record) = self.active() else { return };
        let is_false = |assertion: &&Term| terms.op(**assertion) == Some(Op::False);
        let position = assertions.iter().find(is_false).and_then(|term| record.positions.get(term));
        record.end = position.copied().map(End::False);
    }

    /// An engine refuted formulas; what a search says about it is better.
    pub(crate) fn end_with_engine(&mut self, engine: &'static str, assertions: &[Term]) {
        if let Some(record) = self.active()
            && record.end.is_none()
        {
            let positions = assertions.iter().filter_map(|term| record.positions.get(term)).copied();
            record.end = Some(End::Engine(engine, positions.collect()));
        }
    }

    /// A search found nothing.
    pub(crate) fn end_with_search(&mut self, search: SearchRecord) {
        if let Some(record) = self.active() {
            record.end = Some(End::Search(search));
        }
    }

    /// What was kept.
    pub(crate) fn into_record(self) -> Option<Record> {
        self.record
    }
}

impl Record {
    fn add(&mut self, formula: Formula) {
        let position = self.formulas.len();
        if let std::collections::hash_map::Entry::Vacant(entry) = self.positions.entry(formula.term) {
            entry.insert(position);
            self.formulas.push(formula);
        }
    }

    /// The position of a formula.
    pub(crate) fn position(&self, term: Term) -> Option<usize> {
        self.positions.get(&term).copied()
    }
}

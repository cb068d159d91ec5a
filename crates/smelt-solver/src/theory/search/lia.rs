//! Linear integer arithmetic as a theory of the SAT solver.
//!
//! A literal that stands for an atom asserts a bound when it becomes true or false. After every change the bounds are
//! propagated and the simplex checked; the search for integers waits until the assignment is complete.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::theory::arith::facts::FactId;
use crate::theory::arith::{Cause, Feasibility, IntVar, Integrality, SearchLimits, Side, Simplex};
use crate::theory::number::Integer;

use super::sat::{Meter, Port, Theory};
use super::{Literal, Trace, TraceStep};

/// Rows looked at for bound propagation after one change of the assignment.
const PROPAGATED_ROWS: usize = 40;
/// Atoms looked at in one step of effort.
const ATOMS_PER_STEP: u64 = 4;
/// The effort after which a simplex check asks whether to go on.
const EFFORT_SLICE: u64 = 1_000_000;
/// Limits of one integer search.
const MAX_BRANCHES: usize = 1500;
const MAX_CUT_ROUNDS: usize = 4;
const MAX_SEARCH_EFFORT: u64 = 20_000_000;

/// What a Boolean variable says about an integer variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum AtomKind {
    /// It is at most the constant.
    AtMost,
    /// It is the constant.
    Equal,
}

#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) variable: IntVar,
    pub(super) constant: Integer,
    pub(super) kind: AtomKind,
}

/// The arithmetic side of a search.
pub(super) struct Lia {
    pub(super) simplex: Simplex,
    /// The atom of a Boolean variable, if it has one.
    atoms: FxHashMap<usize, Atom>,
    /// The Boolean variables with atoms about an integer variable.
    atoms_of: Vec<Vec<usize>>,
    /// How many literals of the trail have been looked at, now and at the beginning of each level.
    seen: usize,
    seen_marks: Vec<usize>,
    /// Whether the variable got its value at the root.
    at_root: Vec<bool>,
    /// Why a literal was propagated. Entries of literals no longer on the trail are stale and overwritten.
    propagations: FxHashMap<Literal, SmallVec<[FactId; 2]>>,
    meter: Arc<Meter>,
    trace: Trace,
    /// The clauses contradict arithmetic without any assumption.
    pub(super) refuted: bool,
    /// The last complete assignment could not be decided.
    pub(super) gave_up: bool,
    /// Values of all integer variables under the last complete assignment.
    pub(super) model: Vec<Integer>,
    /// Integer searches done.
    pub(super) searches: u64,
}

impl Lia {
    pub(super) fn new(meter: Arc<Meter>, trace: Trace) -> Lia {
        Lia {
            simplex: Simplex::new(),
            atoms: FxHashMap::default(),
            atoms_of: Vec::new(),
            seen: 0,
            seen_marks: Vec::new(),
            at_root: Vec::new(),
            propagations: FxHashMap::default(),
            meter,
            trace,
            refuted: false,
            gave_up: false,
            model: Vec::new(),
            searches: 0,
        }
    }

    /// Ties a Boolean variable to an atom. The variable has no value yet.
    pub(super) fn add_atom(&mut self, variable: usize, atom: Atom) {
        if self.atoms_of.len() <= atom.variable.index() {
            self.atoms_of.resize(atom.variable.index() + 1, Vec::new());
        }
        self.atoms_of[atom.variable.index()].push(variable);
        // Bounds from before may decide the atom: have it looked at.
        self.simplex.mark_changed(atom.variable);
        self.atoms.insert(variable, atom);
    }

    /// Asserts what the new literals of the trail say.
    fn assert_new_literals(&mut self, port: &dyn Port) -> Result<(), Vec<Cause>> {
        while let Some(literal) = port.trail_literal(self.seen) {
            self.seen += 1;
            let Some(atom) = self.atoms.get(&literal.variable()) else { continue };
            if self.seen_marks.is_empty() {
                if self.at_root.len() <= literal.variable() {
                    self.at_root.resize(literal.variable() + 1, false);
                }
                self.at_root[literal.variable()] = true;
            }
            let cause = Cause::Literal(literal.code());
            let (variable, constant) = (atom.variable, atom.constant.clone());
            match (atom.kind, literal.is_positive()) {
                (AtomKind::AtMost, true) => {
                    self.simplex.assert_bound(variable, Side::Upper, constant, cause)?;
                }
                (AtomKind::AtMost, false) => {
                    self.simplex.assert_bound(variable, Side::Lower, constant + Integer::ONE, cause)?;
                }
                (AtomKind::Equal, true) => {
                    self.simplex.assert_bound(variable, Side::Upper, constant.clone(), cause)?;
                    self.simplex.assert_bound(variable, Side::Lower, constant, cause)?;
                }
                (AtomKind::Equal, false) => self.simplex.assert_distinct(variable, constant, cause)?,
            }
        }
        Ok(())
    }

    fn check_bounds(&mut self) -> Result<(), Vec<Cause>> {
        self.simplex.propagate(PROPAGATED_ROWS)?;
        loop {
            let before = self.simplex.effort();
            let result = self.simplex.check(before + EFFORT_SLICE);
            self.meter.spend(self.simplex.effort() - before);
            match result {
                Feasibility::Feasible => return Ok(()),
                Feasibility::Infeasible(causes) => return Err(causes),
                Feasibility::OutOfEffort if self.meter.left() == 0 => {
                    // Without a decision nothing may be concluded; the SAT solver stops by the same meter.
                    self.gave_up = true;
                    return Ok(());
                }
                Feasibility::OutOfEffort => {}
            }
        }
    }

    /// Tells the SAT solver which atoms the new bounds decide.
    fn propagate_atoms(&mut self, port: &mut dyn Port) {
        let mut changed = self.simplex.take_changed();
        changed.sort_unstable();
        changed.dedup();
        let mut at_root = Vec::new();
        for variable in changed {
            let Some(booleans) = self.atoms_of.get(variable.index()) else { continue };
            self.meter.spend(1 + booleans.len() as u64 / ATOMS_PER_STEP);
            for &boolean in booleans {
                let literal = Literal::new(boolean, true);
                if port.value(literal).is_some() {
                    continue;
                }
                let Some((value, facts)) = self.decided(&self.atoms[&boolean]) else { continue };
                let literal = if value { literal } else { !literal };
                self.propagations.insert(literal, facts);
                port.propagate(literal);
                if self.trace.is_recording() && self.seen_marks.is_empty() {
                    at_root.push(literal);
                }
            }
        }
        // The SAT solver does not ask why these are true, but the trace says it.
        for literal in at_root {
            self.explain(literal);
        }
    }

    /// The truth of an atom under the current bounds, with the facts that decide it.
    fn decided(&self, atom: &Atom) -> Option<(bool, SmallVec<[FactId; 2]>)> {
        let known = |side| {
            let fact = self.simplex.bound_fact(atom.variable, side)?;
            Some((self.simplex.bound(atom.variable, side)?, fact))
        };
        let (lower, upper) = (known(Side::Lower), known(Side::Upper));
        if let Some((lower, fact)) = lower
            && *lower > atom.constant
        {
            return Some((false, SmallVec::from_slice(&[fact])));
        }
        match (atom.kind, lower, upper) {
            (AtomKind::AtMost, _, Some((upper, fact))) if *upper <= atom.constant => {
                Some((true, SmallVec::from_slice(&[fact])))
            }
            (AtomKind::Equal, _, Some((upper, fact))) if *upper < atom.constant => {
                Some((false, SmallVec::from_slice(&[fact])))
            }
            (AtomKind::Equal, Some((lower, lower_fact)), Some((upper, upper_fact))) if lower == upper => {
                Some((true, SmallVec::from_slice(&[lower_fact, upper_fact])))
            }
            _ => None,
        }
    }

    fn find_integers(&mut self) -> Result<(), Vec<Cause>> {
        self.searches += 1;
        let before = self.simplex.effort();
        let allowed = self.meter.left().min(MAX_SEARCH_EFFORT);
        let limits = SearchLimits {
            max_branches: MAX_BRANCHES,
            max_cut_rounds: MAX_CUT_ROUNDS,
            effort_limit: before + allowed,
        };
        let result = self.simplex.search_integers(limits);
        self.meter.spend(self.simplex.effort() - before);
        match result {
            Integrality::Model(values) => self.model = values,
            Integrality::Infeasible(causes) => return Err(causes),
            Integrality::GaveUp => self.gave_up = true,
        }
        Ok(())
    }

    /// Rejects the assignment, or the whole problem if only the root is to blame.
    fn reject(&mut self, port: &mut dyn Port, causes: &[Cause]) {
        let mut clause: Vec<Literal> = causes
            .iter()
            .map(|cause| match cause {
                Cause::Literal(code) => !Literal::from_code(*code),
                Cause::Branch(_) => unreachable!("branches end with their search"),
            })
            .collect();
        self.trace.add(|| TraceStep::Lemma(clause.clone()));
        clause.retain(|literal| !self.at_root.get(literal.variable()).copied().unwrap_or(false));
        if clause.is_empty() {
            self.refuted = true;
            self.meter.stop();
        } else {
            port.conflict(&clause);
        }
    }
}

impl Theory for Lia {
    fn check(&mut self, port: &mut dyn Port, is_complete: bool) {
        if self.refuted
            || (!is_complete && port.trail_literal(self.seen).is_none() && !self.simplex.has_changed())
        {
            return;
        }
        let mut result = self.assert_new_literals(port);
        if result.is_ok() && self.simplex.has_changed() {
            result = self.check_bounds();
        }
        if result.is_ok() && is_complete {
            result = self.find_integers();
        }
        match result {
            Err(causes) => self.reject(port, &causes),
            Ok(()) => self.propagate_atoms(port),
        }
    }

    fn push(&mut self) {
        self.simplex.push();
        self.seen_marks.push(self.seen);
    }

    fn pop(&mut self, levels: usize) {
        self.simplex.pop(levels);
        let level = self.seen_marks.len() - levels;
        self.seen = self.seen_marks[level];
        self.seen_marks.truncate(level);
    }

    fn levels(&self) -> usize {
        self.seen_marks.len()
    }

    fn explain(&mut self, literal: Literal) -> Vec<Literal> {
        let facts = self.propagations.get(&literal).expect("only propagated literals are explained").clone();
        let premises: Vec<Literal> = self
            .simplex
            .explain(facts)
            .into_iter()
            .map(|cause| match cause {
                Cause::Literal(code) => Literal::from_code(code),
                Cause::Branch(_) => unreachable!("branches end with their search"),
            })
            .collect();
        self.trace
            .add(|| TraceStep::Lemma(premises.iter().map(|premise| !*premise).chain([literal]).collect()));
        premises
    }
}

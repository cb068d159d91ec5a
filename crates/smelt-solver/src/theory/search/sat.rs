//! The SAT solver behind a small interface of our own, so that it can be exchanged.
//!
//! [`BatsatCore`] is batsat. Three of its habits shape the interface:
//! it calls the theory after every propagation, so a theory must return at once when nothing changed;
//! it mishandles a conflict of one literal that is false at the root, so [`Theory`] never raises one but declares
//! the whole problem refuted; it has no limit of its own, so the theory and the interrupt flag stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, TheoryArg, Var, lbool};

use super::{Literal, Trace, TraceStep};
use crate::effort::Interrupt;

/// What a theory may do during a check.
pub(super) trait Port {
    /// All true literals, oldest first.
    fn trail_literal(&self, position: usize) -> Option<Literal>;
    /// The value of a literal, if it has one.
    fn value(&self, literal: Literal) -> Option<bool>;
    /// Makes an unassigned literal true; [`Theory::explain`] must be able to justify it.
    fn propagate(&mut self, literal: Literal);
    /// Rejects the assignment: the clause is valid in the theory and all its literals are false, not all of them at
    /// the root.
    fn conflict(&mut self, clause: &[Literal]);
}

/// A theory that watches the assignment.
pub(super) trait Theory {
    /// Looks at the new literals of the trail. `is_complete` says that no variable is unassigned.
    fn check(&mut self, port: &mut dyn Port, is_complete: bool);
    /// A decision follows.
    fn push(&mut self);
    /// The last decisions are undone.
    fn pop(&mut self, levels: usize);
    /// Decisions not undone.
    fn levels(&self) -> usize;
    /// True literals that imply a propagated one.
    fn explain(&mut self, literal: Literal) -> Vec<Literal>;
}

/// The answer of the SAT solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SatAnswer {
    Sat,
    /// The assumptions of the core cannot all be true.
    Unsat(Vec<Literal>),
    Stopped,
}

/// A SAT solver with a theory.
pub(super) trait SatCore {
    fn new_variable(&mut self) -> usize;
    /// Adds a clause; false if the clauses are now unsatisfiable.
    fn add_clause(&mut self, clause: &[Literal]) -> bool;
    fn solve(&mut self, theory: &mut dyn Theory, assumptions: &[Literal]) -> SatAnswer;
    /// The value in the last assignment found.
    fn model_value(&self, literal: Literal) -> bool;
    /// Conflicts and decisions so far.
    fn counts(&self) -> (u64, u64);
}

/// What ends a search from outside of the SAT solver. Shared between the SAT solver and the theory.
#[derive(Debug, Default)]
pub(super) struct Meter {
    spent: AtomicU64,
    limit: AtomicU64,
    stop: AtomicBool,
}

impl Meter {
    pub(super) fn start(&self, limit: u64) {
        self.spent.store(0, Ordering::Relaxed);
        self.limit.store(limit, Ordering::Relaxed);
        self.stop.store(false, Ordering::Relaxed);
    }

    pub(super) fn spend(&self, effort: u64) {
        self.spent.fetch_add(effort, Ordering::Relaxed);
    }

    pub(super) fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    pub(super) fn left(&self) -> u64 {
        self.limit.load(Ordering::Relaxed).saturating_sub(self.spent())
    }

    /// Ends the search at the next opportunity.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Asked by batsat once per decision.
struct Watch {
    meter: Arc<Meter>,
    trace: Trace,
    interrupt: Interrupt,
}

/// The effort of one decision with its propagations, next to that of the theory.
const DECISION_EFFORT: u64 = 4;
/// The effort of a learnt clause.
const CONFLICT_EFFORT: u64 = 40;

impl Callbacks for Watch {
    fn on_new_clause(&mut self, clause: &[Lit], _: batsat::ClauseKind) {
        self.trace.add(|| TraceStep::Learnt(clause.iter().map(|lit| from_lit(*lit)).collect()));
        self.meter.spend(CONFLICT_EFFORT + clause.len() as u64);
    }

    fn stop(&self) -> bool {
        self.meter.spend(DECISION_EFFORT);
        self.meter.stop.load(Ordering::Relaxed) || self.meter.left() == 0 || self.interrupt.is_set()
    }
}

/// The SAT solver batsat.
pub(super) struct BatsatCore {
    solver: Solver<Watch>,
}

impl BatsatCore {
    pub(super) fn new(meter: Arc<Meter>, trace: Trace) -> BatsatCore {
        let watch = Watch { meter, trace, interrupt: Interrupt::default() };
        BatsatCore { solver: Solver::new(SolverOpts::default(), watch) }
    }

    /// The flag that ends searches from outside.
    pub(super) fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.solver.cb_mut().interrupt = interrupt;
    }
}

impl SatCore for BatsatCore {
    fn new_variable(&mut self) -> usize {
        self.solver.new_var_default().idx() as usize
    }

    fn add_clause(&mut self, clause: &[Literal]) -> bool {
        let mut lits: Vec<Lit> = clause.iter().map(|literal| to_lit(*literal)).collect();
        self.solver.add_clause_reuse(&mut lits)
    }

    fn solve(&mut self, theory: &mut dyn Theory, assumptions: &[Literal]) -> SatAnswer {
        let assumptions: Vec<Lit> = assumptions.iter().map(|literal| to_lit(*literal)).collect();
        let mut adapter = Adapter { theory, explanation: Vec::new() };
        let answer = self.solver.solve_limited_th(&mut adapter, &assumptions);
        if answer == lbool::TRUE {
            SatAnswer::Sat
        } else if answer == lbool::FALSE {
            SatAnswer::Unsat(self.solver.unsat_core().iter().map(|lit| !from_lit(*lit)).collect())
        } else {
            SatAnswer::Stopped
        }
    }

    fn model_value(&self, literal: Literal) -> bool {
        self.solver.value_lit(to_lit(literal)) == lbool::TRUE
    }

    fn counts(&self) -> (u64, u64) {
        (self.solver.num_conflicts(), self.solver.num_decisions())
    }
}

fn to_lit(literal: Literal) -> Lit {
    let variable = u32::try_from(literal.variable()).expect("variables are numbered by 32 bits");
    Lit::new(Var::unsafe_from_idx(variable), literal.is_positive())
}

fn from_lit(lit: Lit) -> Literal {
    Literal::new(lit.var().idx() as usize, lit.sign())
}

/// Makes a [`Theory`] one of batsat.
struct Adapter<'a> {
    theory: &'a mut dyn Theory,
    explanation: Vec<Lit>,
}

impl batsat::Theory for Adapter<'_> {
    fn final_check(&mut self, acts: &mut TheoryArg) {
        self.theory.check(&mut BatsatPort { acts }, true);
    }

    fn partial_check(&mut self, acts: &mut TheoryArg) {
        self.theory.check(&mut BatsatPort { acts }, false);
    }

    fn create_level(&mut self) {
        self.theory.push();
    }

    fn pop_levels(&mut self, levels: usize) {
        self.theory.pop(levels);
    }

    fn n_levels(&self) -> usize {
        self.theory.levels()
    }

    fn explain_propagation(&mut self, lit: Lit) -> &[Lit] {
        let literals = self.theory.explain(from_lit(lit));
        self.explanation.clear();
        self.explanation.extend(literals.into_iter().map(to_lit));
        &self.explanation
    }
}

struct BatsatPort<'a, 'b> {
    acts: &'a mut TheoryArg<'b>,
}

impl Port for BatsatPort<'_, '_> {
    fn trail_literal(&self, position: usize) -> Option<Literal> {
        self.acts.model().get(position).map(|lit| from_lit(*lit))
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        let lit = to_lit(literal);
        let value = self.acts.value(lit.var());
        if value == lbool::UNDEF { None } else { Some((value == lbool::TRUE) == lit.sign()) }
    }

    fn propagate(&mut self, literal: Literal) {
        debug_assert_eq!(self.value(literal), None, "only unassigned literals are propagated");
        self.acts.propagate(to_lit(literal));
    }

    fn conflict(&mut self, clause: &[Literal]) {
        debug_assert!(clause.iter().all(|literal| self.value(*literal) == Some(false)));
        let lits: Vec<Lit> = clause.iter().map(|literal| to_lit(*literal)).collect();
        self.acts.raise_conflict(&lits, false);
    }
}

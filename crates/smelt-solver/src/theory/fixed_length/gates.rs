//! Boolean gates over a SAT solver.
//!
//! A thin layer: literals, gates that are shared where the caller caches them, a limit by counted conflicts, and the
//! assumptions behind a refutation.

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use smelt_semantics::Budget;

/// Cost of one conflict.
const CONFLICT_COST: u64 = 20_000;

/// What came of a search.
pub(super) enum Solved {
    Sat,
    /// These assumptions cannot hold together.
    Unsat(Vec<Lit>),
    Unknown,
}

/// Counts learnt clauses and stops the search when there are too many.
#[derive(Default)]
struct ConflictLimit {
    conflicts: u64,
    max_conflicts: u64,
}

impl Callbacks for ConflictLimit {
    fn on_new_clause(&mut self, _clause: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts += 1;
        }
    }

    fn stop(&self) -> bool {
        self.conflicts > self.max_conflicts
    }
}

pub(super) struct Gates {
    solver: Solver<ConflictLimit>,
    truth: Lit,
    clause: Vec<Lit>,
}

impl Gates {
    pub(super) fn new(budget: &Budget) -> Self {
        let limit = ConflictLimit { conflicts: 0, max_conflicts: budget.remaining() / CONFLICT_COST };
        let mut solver = Solver::new(SolverOpts::default(), limit);
        let truth = Lit::new(solver.new_var_default(), true);
        let mut gates = Gates { solver, truth, clause: Vec::new() };
        gates.add_clause(&[truth]);
        gates
    }

    pub(super) fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    pub(super) fn constant(&self, value: bool) -> Lit {
        if value { self.truth } else { !self.truth }
    }

    pub(super) fn is_true(&self, lit: Lit) -> bool {
        lit == self.truth
    }

    pub(super) fn is_false(&self, lit: Lit) -> bool {
        lit == !self.truth
    }

    pub(super) fn add_clause(&mut self, lits: &[Lit]) {
        self.clause.clear();
        self.clause.extend_from_slice(lits);
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// A literal that is true exactly if all of these are.
    pub(super) fn and(&mut self, lits: &[Lit]) -> Lit {
        let mut needed: Vec<Lit> = lits.iter().copied().filter(|&lit| !self.is_true(lit)).collect();
        needed.sort_unstable();
        needed.dedup();
        if needed.iter().any(|&lit| self.is_false(lit)) || needed.windows(2).any(|pair| pair[0] == !pair[1]) {
            return self.constant(false);
        }
        match *needed {
            [] => self.constant(true),
            [only] => only,
            _ => {
                let gate = self.fresh();
                for &lit in &needed {
                    self.add_clause(&[!gate, lit]);
                }
                needed.iter_mut().for_each(|lit| *lit = !*lit);
                needed.push(gate);
                self.add_clause(&needed);
                gate
            }
        }
    }

    /// A literal that is true exactly if one of these is.
    pub(super) fn or(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
        !self.and(&negated)
    }

    /// A literal that is true exactly if both are equal.
    pub(super) fn same(&mut self, left: Lit, right: Lit) -> Lit {
        if left == right {
            return self.constant(true);
        }
        if left == !right {
            return self.constant(false);
        }
        for (constant, other) in [(left, right), (right, left)] {
            if self.is_true(constant) {
                return other;
            }
            if self.is_false(constant) {
                return !other;
            }
        }
        let gate = self.fresh();
        self.add_clause(&[!gate, !left, right]);
        self.add_clause(&[!gate, left, !right]);
        self.add_clause(&[gate, left, right]);
        self.add_clause(&[gate, !left, !right]);
        gate
    }

    /// Looks for an assignment under assumptions; conflicts are charged to the budget.
    pub(super) fn solve(&mut self, assumptions: &[Lit], budget: &mut Budget) -> Solved {
        let result = self.solver.solve_limited(assumptions);
        // What the search has cost stays within the budget, because it was limited by it.
        let cost = self.solver.num_conflicts().saturating_mul(CONFLICT_COST).min(budget.remaining());
        let _ = budget.spend(cost);
        if result == lbool::TRUE {
            Solved::Sat
        } else if result == lbool::FALSE {
            Solved::Unsat(self.solver.unsat_core().to_vec())
        } else {
            Solved::Unknown
        }
    }

    /// The value of a literal after [`Solved::Sat`].
    pub(super) fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }
}

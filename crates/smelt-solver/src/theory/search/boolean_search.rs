//! The interface of the Boolean and arithmetic search.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::effort::Interrupt;
use crate::theory::arith::{IntVar, Linear};
use crate::theory::number::Integer;

use super::lia::{Atom, AtomKind, Lia};
use super::sat::{BatsatCore, Meter, SatAnswer, SatCore};
use super::{Gate, Literal, Trace, TraceStep};

/// How long a check may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Steps of about a tenth of a microsecond each.
    pub effort: u64,
    /// Set from outside to end the check soon.
    pub interrupt: Interrupt,
}

impl Limits {
    /// A limit of effort only.
    pub fn effort(effort: u64) -> Limits {
        Limits { effort, interrupt: Interrupt::default() }
    }
}

/// Values for all variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assignment {
    booleans: Vec<bool>,
    integers: Vec<Integer>,
}

impl Assignment {
    /// Whether the literal is true.
    pub fn holds(&self, literal: Literal) -> bool {
        self.booleans[literal.variable()] == literal.is_positive()
    }

    /// Whether the literal is true; nothing is known about literals that were made later.
    pub fn decides(&self, literal: Literal) -> Option<bool> {
        self.booleans.get(literal.variable()).map(|value| *value == literal.is_positive())
    }

    /// The value of an integer variable.
    pub fn integer(&self, variable: IntVar) -> &Integer {
        &self.integers[variable.index()]
    }

    /// The value of a linear term.
    pub fn value(&self, term: &Linear) -> Integer {
        term.value(|variable| self.integers[variable.index()].clone())
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhyUnknown {
    /// The effort allowed is spent, or the interrupt flag was set.
    OutOfEffort,
    /// The integer search of an assignment did not end within its limits.
    IntegerSearch,
}

/// The answer of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchResult {
    /// All clauses, all assumptions and the arithmetic hold.
    Sat(Assignment),
    /// These assumptions cannot hold together; none are needed if the list is empty.
    Unsat(Vec<Literal>),
    /// Not found out.
    Unknown(WhyUnknown),
}

/// What has been done so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// Conflicts of the Boolean search.
    pub conflicts: u64,
    /// Decisions of the Boolean search.
    pub decisions: u64,
    /// Searches for integer values.
    pub integer_searches: u64,
    /// Steps in the tableau.
    pub arithmetic_effort: u64,
}

/// Clauses over Boolean variables and linear atoms.
pub struct Search {
    sat: BatsatCore,
    lia: Lia,
    meter: Arc<Meter>,
    booleans: usize,
    integers: Vec<IntVar>,
    atoms: FxHashMap<(IntVar, Integer, AtomKind), Literal>,
    always: Literal,
    /// The clauses alone are unsatisfiable.
    refuted: bool,
    spent: u64,
    trace: Trace,
    /// Why clauses are added.
    reason: &'static str,
}

/// What the literal of a linear atom says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearAtom {
    /// A sum without a constant.
    pub sum: Linear,
    /// What it is compared with.
    pub constant: Integer,
    /// Whether the sum is the constant; otherwise it is at most that.
    pub is_equal: bool,
}

impl Default for Search {
    fn default() -> Search {
        Search::new()
    }
}

impl Search {
    /// No variables and no clauses.
    pub fn new() -> Search {
        Search::traced(Trace::silent())
    }

    /// As [`Search::new`], with all that happens added to a trace.
    pub fn traced(trace: Trace) -> Search {
        let meter = Arc::new(Meter::default());
        let mut sat = BatsatCore::new(Arc::clone(&meter), trace.clone());
        let always = Literal::new(sat.new_variable(), true);
        sat.add_clause(&[always]);
        Search {
            sat,
            lia: Lia::new(Arc::clone(&meter), trace.clone()),
            meter,
            booleans: 1,
            integers: Vec::new(),
            atoms: FxHashMap::default(),
            always,
            refuted: false,
            spent: 0,
            trace,
            reason: "definition",
        }
    }

    /// The literal that is true in every assignment.
    pub fn always(&self) -> Literal {
        self.always
    }

    /// A new opaque literal.
    pub fn new_bool(&mut self) -> Literal {
        let variable = self.sat.new_variable();
        self.booleans = variable + 1;
        Literal::new(variable, true)
    }

    /// The name of a Boolean combination.
    pub fn gate(&mut self, gate: Gate) -> Literal {
        let name = self.new_bool();
        for clause in gate.clauses(name) {
            if !self.sat.add_clause(&clause) {
                self.refuted = true;
            }
        }
        self.trace.add(|| TraceStep::Gate(name, gate));
        name
    }

    /// Says why the clauses that follow hold. The reason of those before.
    pub fn because(&mut self, reason: &'static str) -> &'static str {
        std::mem::replace(&mut self.reason, reason)
    }

    /// All that happened so far, if it is recorded.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// How many Boolean variables there are.
    pub fn boolean_count(&self) -> usize {
        self.booleans
    }

    /// What the literals of linear atoms say.
    pub fn linear_atoms(&self) -> impl Iterator<Item = (Literal, LinearAtom)> + '_ {
        let sums: FxHashMap<IntVar, Linear> = self.lia.simplex.definitions().collect();
        self.atoms.iter().map(move |((variable, constant, kind), literal)| {
            let sum = sums.get(variable).cloned().unwrap_or_else(|| Linear::variable(*variable));
            let is_equal = *kind == AtomKind::Equal;
            (*literal, LinearAtom { sum, constant: constant.clone(), is_equal })
        })
    }

    /// A new integer variable without bounds.
    pub fn new_int(&mut self) -> IntVar {
        let variable = self.lia.simplex.new_variable();
        self.integers.push(variable);
        variable
    }

    /// The literal of `term <= 0`. Equivalent atoms have the same literal.
    pub fn at_most_zero(&mut self, term: &Linear) -> Literal {
        let Some((variable, factor)) = self.term_variable(term) else {
            return self.truth(!term.constant_part().is_positive());
        };
        let limit = -term.constant_part();
        if factor.is_positive() {
            self.atom(variable, limit.div_floor(&factor), AtomKind::AtMost)
        } else {
            // variable >= ceil(limit / factor).
            let least = limit.div_ceil(&factor);
            !self.atom(variable, least - Integer::ONE, AtomKind::AtMost)
        }
    }

    /// The literal of `left <= right`.
    pub fn at_most(&mut self, left: &Linear, right: &Linear) -> Literal {
        self.at_most_zero(&(left - right))
    }

    /// The literal of `left >= right`.
    pub fn at_least(&mut self, left: &Linear, right: &Linear) -> Literal {
        self.at_most_zero(&(right - left))
    }

    /// The literal of `term = 0`.
    pub fn is_zero(&mut self, term: &Linear) -> Literal {
        let Some((variable, factor)) = self.term_variable(term) else {
            return self.truth(term.constant_part().is_zero());
        };
        let value = -term.constant_part();
        if !factor.divides(&value) {
            return !self.always;
        }
        self.atom(variable, value.div_floor(&factor), AtomKind::Equal)
    }

    /// The literal of `left = right`.
    pub fn equals(&mut self, left: &Linear, right: &Linear) -> Literal {
        self.is_zero(&(left - right))
    }

    fn truth(&self, value: bool) -> Literal {
        if value { self.always } else { !self.always }
    }

    /// The variable of the non-constant part divided by the factor returned: coefficients without common divisor, the
    /// first one positive.
    fn term_variable(&mut self, term: &Linear) -> Option<(IntVar, Integer)> {
        let (_, first) = term.terms().first()?;
        let mut factor =
            term.terms().iter().fold(Integer::ZERO, |gcd, (_, coefficient)| gcd.gcd(coefficient));
        if first.is_negative() {
            factor = -factor;
        }
        let terms =
            term.terms().iter().map(|(variable, coefficient)| (*variable, coefficient.div_floor(&factor)));
        let scaled = Linear::from_terms(terms.collect(), Integer::ZERO);
        Some((self.lia.simplex.term_variable(&scaled), factor))
    }

    fn atom(&mut self, variable: IntVar, constant: Integer, kind: AtomKind) -> Literal {
        let key = (variable, constant, kind);
        if let Some(literal) = self.atoms.get(&key) {
            return *literal;
        }
        let literal = self.new_bool();
        let (_, constant, _) = &key;
        self.lia.add_atom(literal.variable(), Atom { variable, constant: constant.clone(), kind });
        self.atoms.insert(key, literal);
        literal
    }

    /// Adds a clause: one of the literals is true.
    pub fn add_clause(&mut self, clause: &[Literal]) {
        self.trace.add(|| TraceStep::Clause(clause.to_vec(), self.reason));
        if !self.sat.add_clause(clause) {
            self.refuted = true;
        }
    }

    /// Looks for an assignment under assumptions.
    pub fn check(&mut self, assumptions: &[Literal], limits: &Limits) -> SearchResult {
        if self.refuted || self.lia.refuted {
            return SearchResult::Unsat(Vec::new());
        }
        self.meter.start(limits.effort);
        self.sat.set_interrupt(limits.interrupt.clone());
        self.lia.gave_up = false;
        let answer = self.sat.solve(&mut self.lia, assumptions);
        self.spent += self.meter.spent();
        if self.lia.refuted {
            return SearchResult::Unsat(Vec::new());
        }
        match answer {
            SatAnswer::Unsat(mut core) => {
                if core.is_empty() {
                    self.refuted = true;
                }
                core.sort_unstable();
                core.dedup();
                SearchResult::Unsat(core)
            }
            SatAnswer::Sat if !self.lia.gave_up => SearchResult::Sat(self.assignment()),
            SatAnswer::Sat if self.meter.left() > 0 => SearchResult::Unknown(WhyUnknown::IntegerSearch),
            SatAnswer::Sat | SatAnswer::Stopped => SearchResult::Unknown(WhyUnknown::OutOfEffort),
        }
    }

    fn assignment(&self) -> Assignment {
        let booleans =
            (0..self.booleans).map(|variable| self.sat.model_value(Literal::new(variable, true))).collect();
        Assignment { booleans, integers: self.lia.model.clone() }
    }

    /// The effort of all checks together.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// What has been done so far.
    pub fn statistics(&self) -> Statistics {
        let (conflicts, decisions) = self.sat.counts();
        Statistics {
            conflicts,
            decisions,
            integer_searches: self.lia.searches,
            arithmetic_effort: self.lia.simplex.effort(),
        }
    }
}

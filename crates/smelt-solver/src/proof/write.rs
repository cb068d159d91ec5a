//! Writes a record as a log, without the steps that the refutation does not need.
//!
//! Which clauses it needs is found by unit propagation, as the checker will do it.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_proof::is_connective;
use smelt_proof::log::{GateKind, INPUT, LogStep, LogWriter};
use smelt_proof::propagation::Clauses;
use smelt_proof::replay::{replay, without_annotations};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use super::record::{ASSERTION, End, Formula, Record, SearchRecord};
use crate::rewrite::Rewriter;
use crate::theory::search::{Gate, Literal, TraceStep};

/// What a log is about.
pub(crate) struct Subject {
    /// The number of the check in the input.
    pub(crate) check_number: usize,
    /// The names that the input knows. Other constants are declared in the log.
    pub(crate) declared: FxHashSet<Symbol>,
}

/// The text of a record.
pub(crate) fn text(terms: &mut Terms, rewriter: &Rewriter, record: &Record, subject: Subject) -> String {
    let mut writer = Writer {
        terms,
        rewriter,
        record,
        log: LogWriter::new(subject.check_number, subject.declared),
        rewrites: FxHashSet::default(),
        variables: FxHashSet::default(),
        meanings: FxHashSet::default(),
    };
    match &record.end {
        None => {}
        Some(End::False(position)) => {
            writer.formulas(&[*position]);
            writer.add(&LogStep::False { formula: position + 1 });
        }
        Some(End::Engine(engine, positions)) => {
            writer.formulas(positions);
            writer.add(&LogStep::Refuted { engine, formulas: numbers(positions) });
        }
        Some(End::Search(search)) => writer.search(search),
    }
    writer.log.finish()
}

struct Writer<'a> {
    terms: &'a mut Terms,
    rewriter: &'a Rewriter,
    record: &'a Record,
    log: LogWriter,
    /// Terms whose rewriting is written already.
    rewrites: FxHashSet<Term>,
    /// Boolean variables whose meaning is written already.
    variables: FxHashSet<usize>,
    /// Boolean terms whose literal is written already.
    meanings: FxHashSet<Term>,
}

impl Writer<'_> {
    fn add(&mut self, step: &LogStep<'_>) {
        self.log.add(self.terms, step);
    }

    /// Writes the formulas at these positions with all that they were shown from.
    fn formulas(&mut self, positions: &[usize]) {
        let record = self.record;
        let mut needed = vec![false; record.formulas.len()];
        positions.iter().for_each(|position| needed[*position] = true);
        for position in (0..needed.len()).rev() {
            let formula = &record.formulas[position];
            if needed[position] && formula.rule != INPUT {
                formula.premises.iter().for_each(|premise| needed[*premise] = true);
            }
        }
        for (position, formula) in record.formulas.iter().enumerate() {
            if needed[position] {
                self.formula(position, formula);
            }
        }
    }

    fn formula(&mut self, position: usize, formula: &Formula) {
        let mut rule = formula.rule;
        if rule == "rewrite" && !self.list_rewrites(formula) {
            rule = "rewrite-unlisted";
        }
        let term = match rule {
            INPUT => without_annotations(self.terms, formula.term).unwrap_or(formula.term),
            _ => formula.term,
        };
        let premises = numbers(&formula.premises);
        self.add(&LogStep::Formula { number: position + 1, rule, premises, term });
    }

    /// Writes the single steps of a rewriting; false if they do not lead to the formula.
    fn list_rewrites(&mut self, formula: &Formula) -> bool {
        let Some(premise) = formula.premises.first() else { return false };
        let before = self.record.formulas[*premise].term;
        let mut steps = Vec::new();
        let rewriter = self.rewriter;
        let result = replay(self.terms, before, |term| {
            let applied = rewriter.step(term)?;
            steps.push((term, applied));
            Some(applied.result)
        });
        for (term, applied) in steps {
            if self.rewrites.insert(term) {
                self.add(&LogStep::Rewrite { rule: applied.rule, before: term, after: applied.result });
            }
        }
        result == Some(formula.term)
    }

    fn search(&mut self, search: &SearchRecord) {
        let used = used_steps(&search.steps);
        let mut asserted = search.assertions.iter();
        let mut assertions = Vec::new();
        for (step, is_used) in search.steps.iter().zip(&used) {
            if let TraceStep::Clause(clause, ASSERTION) = step {
                let assertion = asserted.next().expect("every clause of an assertion has one");
                if *is_used {
                    assertions.push((clause[0], *assertion));
                }
            }
        }
        let position = |term: Term| self.record.position(term);
        let positions: Vec<usize> = assertions.iter().filter_map(|(_, term)| position(*term)).collect();
        self.formulas(&positions);
        let gates = search.steps.iter().filter_map(|step| match step {
            TraceStep::Gate(name, gate) => Some((name.variable(), gate)),
            _ => None,
        });
        let gates: FxHashMap<usize, &Gate> = gates.collect();
        let literals: FxHashMap<Term, Literal> = search.literals.iter().copied().collect();
        for (literal, term) in assertions {
            self.meanings(search, &gates, &literals, term);
            let number = self.record.position(term).map_or(0, |position| position + 1);
            self.add(&LogStep::Assert { formula: number, literal: dimacs(literal) });
        }
        for (step, is_used) in search.steps.iter().zip(used) {
            let (clause, step) = match step {
                _ if !is_used => continue,
                TraceStep::Gate(..) | TraceStep::Clause(_, ASSERTION) => continue,
                TraceStep::Clause(clause, reason) => {
                    (clause, LogStep::Clause { reason, literals: dimacs_clause(clause) })
                }
                TraceStep::Lemma(clause) => {
                    (clause, LogStep::Clause { reason: "arithmetic", literals: dimacs_clause(clause) })
                }
                TraceStep::Learnt(clause) => (clause, LogStep::Learnt { literals: dimacs_clause(clause) }),
            };
            self.variables(search, &gates, clause);
            self.add(&step);
        }
        self.add(&LogStep::Conflict);
    }

    /// Writes what Boolean variables stand for, and those that they are made of.
    fn variables(&mut self, search: &SearchRecord, gates: &FxHashMap<usize, &Gate>, literals: &[Literal]) {
        let mut found = Vec::new();
        let mut pending: Vec<usize> = literals.iter().map(|literal| literal.variable()).collect();
        while let Some(variable) = pending.pop() {
            if self.variables.insert(variable) {
                found.push(variable);
                if let Some(gate) = gates.get(&variable) {
                    pending.extend(gate.literals().iter().map(|literal| literal.variable()));
                }
            }
        }
        // A gate is made after what it is made of.
        found.sort_unstable();
        for variable in found {
            let number = dimacs(Literal::new(variable, true));
            if let Some(gate) = gates.get(&variable) {
                let literals = dimacs_clause(&gate.literals());
                self.add(&LogStep::Gate { variable: number, kind: gate_kind(gate), literals });
            } else if let Some(atom) = search.atoms[variable] {
                self.meanings.insert(atom);
                self.add(&LogStep::Atom { variable: number, term: atom });
            }
        }
    }

    /// Writes which literals stand for a Boolean term and for those that it is made of.
    fn meanings(
        &mut self,
        search: &SearchRecord,
        gates: &FxHashMap<usize, &Gate>,
        literals: &FxHashMap<Term, Literal>,
        root: Term,
    ) {
        let mut pending = vec![(root, false)];
        while let Some((term, is_ready)) = pending.pop() {
            let literal = literals[&term];
            self.variables(search, gates, &[literal]);
            if self.meanings.contains(&term) {
                continue;
            }
            if !is_ready && is_connective(self.terms, term) {
                pending.push((term, true));
                pending.extend(self.terms.args(term).iter().map(|arg| (*arg, false)));
                continue;
            }
            self.meanings.insert(term);
            self.add(&LogStep::Means { literal: dimacs(literal), term });
        }
    }
}

/// Which steps unit propagation takes for a conflict; all of them if it finds none.
fn used_steps(steps: &[TraceStep]) -> Vec<bool> {
    let mut clauses = Clauses::new();
    // The step of each clause, and what each learnt one was shown by.
    let mut origins: Vec<usize> = Vec::new();
    let mut shown: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    // The literal that is always true.
    origins.push(usize::MAX);
    clauses.add(&[1]);
    for (position, step) in steps.iter().enumerate() {
        match step {
            TraceStep::Gate(name, gate) => {
                for clause in gate.clauses(*name) {
                    origins.push(position);
                    clauses.add(&dimacs_clause(&clause));
                }
            }
            TraceStep::Clause(clause, _) | TraceStep::Lemma(clause) => {
                origins.push(position);
                clauses.add(&dimacs_clause(clause));
            }
            TraceStep::Learnt(clause) => {
                let clause = dimacs_clause(clause);
                shown.insert(position, clauses.show(&clause).unwrap_or_default());
                origins.push(position);
                clauses.add(&clause);
            }
        }
    }
    let Some(conflict) = clauses.show(&[]) else { return vec![true; steps.len()] };
    let mut used = vec![false; steps.len()];
    let mut pending = conflict;
    while let Some(clause) = pending.pop() {
        let position = origins[clause];
        if position != usize::MAX && !std::mem::replace(&mut used[position], true) {
            pending.extend(shown.get(&position).into_iter().flatten());
        }
    }
    used
}

/// The literal as in DIMACS.
fn dimacs(literal: Literal) -> i32 {
    let number = i32::try_from(literal.variable() + 1).expect("fewer than 2^31 variables");
    if literal.is_positive() { number } else { -number }
}

/// Literals as in DIMACS.
fn dimacs_clause(clause: &[Literal]) -> Vec<i32> {
    clause.iter().map(|literal| dimacs(*literal)).collect()
}

fn gate_kind(gate: &Gate) -> GateKind {
    match gate {
        Gate::Or(_) => GateKind::Or,
        Gate::Iff(..) => GateKind::Iff,
        Gate::Ite(..) => GateKind::Ite,
    }
}

/// The numbers of formulas at positions, which count from zero.
fn numbers(positions: &[usize]) -> Vec<usize> {
    positions.iter().map(|position| position + 1).collect()
}

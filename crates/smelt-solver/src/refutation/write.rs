//! Writes a record as text, leaving out what the refutation does not take.
//!
//! Which clauses it takes is found by unit propagation, as the checker will do it.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::build::apply;
use smelt_smtlib::op::Op;
use smelt_smtlib::print::{term_text, write_symbol};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::check::propagation::Clauses;
use super::record::{ASSERTION, End, Formula, INPUT, Record, SearchRecord};
use super::replay::{replay, without_annotations};
use crate::core::{Gate, Literal, Step};
use crate::rewrite::Rewriter;

/// The first line of every log.
pub(super) const HEADER: &str = "smelt-refutation 1";

/// What a log is about.
pub(crate) struct Subject {
    /// The number of the check in the input.
    pub(crate) check_number: usize,
    /// The names that the input knows. Other constants are declared in the log.
    pub(crate) declared: FxHashSet<Symbol>,
}

/// The text of a record.
pub(crate) fn text(terms: &mut Terms, rewriter: &Rewriter, record: &Record, subject: Subject) -> String {
    let Subject { check_number, declared } = subject;
    let mut writer = Writer {
        terms,
        rewriter,
        record,
        declared,
        out: String::new(),
        lines: 0,
        rewrites: FxHashSet::default(),
        variables: FxHashSet::default(),
        meanings: FxHashSet::default(),
    };
    writer.line(HEADER);
    writer.line(&format!("check {check_number}"));
    match &record.end {
        None => {}
        Some(End::False(position)) => {
            writer.formulas(&[*position]);
            writer.line(&format!("false {}", position + 1));
        }
        Some(End::Engine(engine, positions)) => {
            writer.formulas(positions);
            writer.line(&format!("refuted {engine}{}", numbers(positions)));
        }
        Some(End::Search(search)) => writer.search(search),
    }
    let lines = writer.lines;
    writer.line(&format!("end {lines}"));
    writer.out
}

struct Writer<'a> {
    terms: &'a mut Terms,
    rewriter: &'a Rewriter,
    record: &'a Record,
    declared: FxHashSet<Symbol>,
    out: String,
    lines: usize,
    /// Terms whose rewriting is written already.
    rewrites: FxHashSet<Term>,
    /// Boolean variables whose meaning is written already.
    variables: FxHashSet<usize>,
    /// Boolean terms whose literal is written already.
    meanings: FxHashSet<Term>,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
        self.lines += 1;
    }

    /// The text of a term; constants in it that nobody has declared are declared first.
    fn term(&mut self, term: Term) -> String {
        for part in subterms(self.terms, &[term]) {
            if let Head::Global(name) = self.terms.head(part)
                && self.terms.args(part).is_empty()
                && self.declared.insert(name)
            {
                let mut line = String::from("declare ");
                write_symbol(self.terms.text(name), &mut line);
                line.push(' ');
                let sort = self.terms.sort(part);
                self.terms.sorts.write(&self.terms.symbols, sort, &mut line);
                self.line(&line);
            }
        }
        term_text(self.terms, term)
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
        let term = self.term(term);
        self.line(&format!("formula {} {rule}{} {term}", position + 1, numbers(&formula.premises)));
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
                let equation = apply(self.terms, Op::Eq, &[term, applied.result]);
                let equation = self.term(equation);
                self.line(&format!("rewrite {} {equation}", applied.rule));
            }
        }
        result == Some(formula.term)
    }

    fn search(&mut self, search: &SearchRecord) {
        let used = used_steps(&search.steps);
        let mut asserted = search.assertions.iter();
        let mut assertions = Vec::new();
        for (step, is_used) in search.steps.iter().zip(&used) {
            if let Step::Clause(clause, ASSERTION) = step {
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
            Step::Gate(name, gate) => Some((name.variable(), gate)),
            _ => None,
        });
        let gates: FxHashMap<usize, &Gate> = gates.collect();
        let literals: FxHashMap<Term, Literal> = search.literals.iter().copied().collect();
        for (literal, term) in assertions {
            self.meanings(search, &gates, &literals, term);
            let number = self.record.position(term).map_or(0, |position| position + 1);
            self.line(&format!("assert {number} {}", dimacs(literal)));
        }
        for (step, is_used) in search.steps.iter().zip(used) {
            let (reason, clause) = match step {
                _ if !is_used => continue,
                Step::Gate(..) | Step::Clause(_, ASSERTION) => continue,
                Step::Clause(clause, reason) => (format!("clause {reason}"), clause),
                Step::Lemma(clause) => ("clause arithmetic".to_owned(), clause),
                Step::Learnt(clause) => ("learnt".to_owned(), clause),
            };
            self.variables(search, &gates, clause);
            self.line(&format!("{reason}{}", dimacs_text(clause)));
        }
        self.line("conflict");
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
            let number = variable + 1;
            if let Some(gate) = gates.get(&variable) {
                self.line(&format!("gate {number} {}{}", gate.kind(), dimacs_text(&gate.literals())));
            } else if let Some(atom) = search.atoms[variable] {
                let term = self.term(atom);
                self.meanings.insert(atom);
                self.line(&format!("atom {number} {term}"));
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
            if !is_ready && super::check::boolean::is_connective(self.terms, term) {
                pending.push((term, true));
                pending.extend(self.terms.args(term).iter().map(|arg| (*arg, false)));
                continue;
            }
            self.meanings.insert(term);
            let text = self.term(term);
            self.line(&format!("means {} {text}", dimacs(literal)));
        }
    }
}

/// Which steps unit propagation takes for a conflict; all of them if it finds none.
fn used_steps(steps: &[Step]) -> Vec<bool> {
    let mut clauses = Clauses::new();
    // The step of each clause, and what each learnt one was shown by.
    let mut origins: Vec<usize> = Vec::new();
    let mut shown: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let dimacs_clause = |clause: &[Literal]| -> Vec<i32> { clause.iter().map(|l| dimacs(*l)).collect() };
    // The literal that is always true.
    origins.push(usize::MAX);
    clauses.add(&[1]);
    for (position, step) in steps.iter().enumerate() {
        match step {
            Step::Gate(name, gate) => {
                for clause in gate.clauses(*name) {
                    origins.push(position);
                    clauses.add(&dimacs_clause(&clause));
                }
            }
            Step::Clause(clause, _) | Step::Lemma(clause) => {
                origins.push(position);
                clauses.add(&dimacs_clause(clause));
            }
            Step::Learnt(clause) => {
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

/// Literals as in DIMACS, each after a space.
fn dimacs_text(clause: &[Literal]) -> String {
    clause.iter().map(|literal| format!(" {}", dimacs(*literal))).collect()
}

/// Positions as numbers that count from 1, each after a space.
fn numbers(positions: &[usize]) -> String {
    positions.iter().map(|position| format!(" {}", position + 1)).collect()
}

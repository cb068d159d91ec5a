//! The steps of a log, and how they are written.
//!
//! One step a line, the first word says which. Terms are SMT-LIB 2.6, with `let` for parts that are shared. Literals
//! are numbers as in DIMACS: variable 7 is `7`, its negation `-7`. Numbers of formulas count from 1.

use rustc_hash::FxHashSet;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::print::{term_text, write_symbol};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

/// The first line of every log.
pub const HEADER: &str = "smelt-refutation 1";
/// The rule of formulas that are assertions of the input; their premise is the position of the assertion.
pub const INPUT: &str = "input";

/// One step of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogStep<'a> {
    /// A constant that the input does not declare.
    Declare {
        /// Its name.
        name: Symbol,
    },
    /// A formula that holds if the input does.
    Formula {
        /// Its number in the log.
        number: usize,
        /// How it follows.
        rule: &'a str,
        /// The formulas that it follows from.
        premises: Vec<usize>,
        /// The formula.
        term: Term,
    },
    /// Two terms are equal whatever their constants are.
    Rewrite {
        /// The name of the rule, which only says how to count the step if it is trusted.
        rule: &'a str,
        /// The term before.
        before: Term,
        /// The term after.
        after: Term,
    },
    /// A Boolean variable stands for a term.
    Atom {
        /// The variable.
        variable: i32,
        /// What it stands for.
        term: Term,
    },
    /// A Boolean variable is the name of a combination of literals.
    Gate {
        /// The variable.
        variable: i32,
        /// How the literals are combined.
        kind: GateKind,
        /// What is combined.
        literals: Vec<i32>,
    },
    /// A literal is true if and only if a term is.
    Means {
        /// The literal.
        literal: i32,
        /// The term.
        term: Term,
    },
    /// A literal stands for a formula, so it is true.
    Assert {
        /// The number of the formula.
        formula: usize,
        /// The literal.
        literal: i32,
    },
    /// A clause that holds whatever the constants of the input are.
    Clause {
        /// The part of the solver that added it.
        reason: &'a str,
        /// Its literals.
        literals: Vec<i32>,
    },
    /// A clause that unit propagation derives from those before.
    Learnt {
        /// Its literals.
        literals: Vec<i32>,
    },
    /// The clauses contradict each other.
    Conflict,
    /// A formula is `false`.
    False {
        /// Its number.
        formula: usize,
    },
    /// An engine found that formulas have no model.
    Refuted {
        /// The name of the engine.
        engine: &'a str,
        /// The numbers of the formulas.
        formulas: Vec<usize>,
    },
}

impl LogStep<'_> {
    /// Whether nothing comes after it.
    pub fn is_last(&self) -> bool {
        matches!(self, LogStep::Conflict | LogStep::False { .. } | LogStep::Refuted { .. })
    }
}

/// How a gate combines literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateKind {
    /// One of them is true.
    Or,
    /// Both are true or both are false.
    Iff,
    /// The second if the first is true, otherwise the third.
    Ite,
}

impl GateKind {
    /// All kinds.
    const ALL: [GateKind; 3] = [GateKind::Or, GateKind::Iff, GateKind::Ite];

    /// Its name in logs.
    pub fn name(self) -> &'static str {
        match self {
            GateKind::Or => "or",
            GateKind::Iff => "iff",
            GateKind::Ite => "ite",
        }
    }

    /// The kind of this name, if it can combine this many literals.
    pub(crate) fn named(name: &str, count: usize) -> Option<GateKind> {
        let kind = GateKind::ALL.into_iter().find(|kind| kind.name() == name)?;
        let fits = match kind {
            GateKind::Or => count >= 2,
            GateKind::Iff => count == 2,
            GateKind::Ite => count == 3,
        };
        fits.then_some(kind)
    }

    /// The operator on Boolean terms.
    pub(crate) fn op(self) -> Op {
        match self {
            GateKind::Or => Op::Or,
            GateKind::Iff => Op::Eq,
            GateKind::Ite => Op::Ite,
        }
    }
}

/// Writes a log.
#[derive(Debug)]
pub struct LogWriter {
    text: String,
    lines: usize,
    declared: FxHashSet<Symbol>,
}

impl LogWriter {
    /// A log about the check of this number, counted from 1, of an input that declares these names.
    pub fn new(check_number: usize, declared: FxHashSet<Symbol>) -> Self {
        let mut writer = LogWriter { text: String::new(), lines: 0, declared };
        writer.line(HEADER);
        writer.line(&format!("check {check_number}"));
        writer
    }

    /// Writes a step. Constants in it that are not declared yet are declared first.
    pub fn add(&mut self, terms: &mut Terms, step: &LogStep<'_>) {
        let line = match step {
            LogStep::Declare { name } => {
                self.declared.insert(*name);
                return;
            }
            LogStep::Formula { number, rule, premises, term } => {
                let term = self.term(terms, *term);
                format!("formula {number} {rule}{} {term}", joined(premises))
            }
            LogStep::Rewrite { rule, before, after } => {
                let equation = build::apply(terms, Op::Eq, &[*before, *after]);
                format!("rewrite {rule} {}", self.term(terms, equation))
            }
            LogStep::Atom { variable, term } => format!("atom {variable} {}", self.term(terms, *term)),
            LogStep::Gate { variable, kind, literals } => {
                format!("gate {variable} {}{}", kind.name(), joined(literals))
            }
            LogStep::Means { literal, term } => format!("means {literal} {}", self.term(terms, *term)),
            LogStep::Assert { formula, literal } => format!("assert {formula} {literal}"),
            LogStep::Clause { reason, literals } => format!("clause {reason}{}", joined(literals)),
            LogStep::Learnt { literals } => format!("learnt{}", joined(literals)),
            LogStep::Conflict => "conflict".to_owned(),
            LogStep::False { formula } => format!("false {formula}"),
            LogStep::Refuted { engine, formulas } => format!("refuted {engine}{}", joined(formulas)),
        };
        self.line(&line);
    }

    /// The text of the log.
    pub fn finish(mut self) -> String {
        let lines = self.lines;
        self.line(&format!("end {lines}"));
        self.text
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.lines += 1;
    }

    /// The text of a term, whose constants are declared first.
    fn term(&mut self, terms: &mut Terms, term: Term) -> String {
        for part in subterms(terms, &[term]) {
            if let Head::Global(name) = terms.head(part)
                && terms.args(part).is_empty()
                && self.declared.insert(name)
            {
                let mut line = String::from("declare ");
                write_symbol(terms.text(name), &mut line);
                line.push(' ');
                terms.sorts.write(&terms.symbols, terms.sort(part), &mut line);
                self.line(&line);
            }
        }
        term_text(terms, term)
    }
}

/// Numbers, each after a space.
fn joined<N: std::fmt::Display>(numbers: &[N]) -> String {
    numbers.iter().map(|number| format!(" {number}")).collect()
}

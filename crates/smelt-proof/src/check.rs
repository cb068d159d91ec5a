//! Checks a log against the input that it is about.
//!
//! Each step is verified here or counted as trusted with the name of its rule. Unit propagation verifies clauses
//! ([`crate::propagation`]), definitions of connectives verify Boolean terms ([`crate::boolean`]), elimination verifies
//! linear atoms ([`crate::arithmetic`]), enumeration verifies clauses about strings of known lengths
//! ([`crate::fixed_length`]), and a table of identities verifies rewriting ([`crate::rewrite`]).

mod error;
mod formula;

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::environment::Environment;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::read::{Scope, read_command, read_script};
use smelt_smtlib::script::Command;
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use crate::arithmetic::{self, Verdict};
use crate::log::{GateKind, HEADER, LogStep};
use crate::propagation::Clauses;
use crate::read::{Line, Reader, lines};
use crate::rewrite::Identities;
use crate::summary::Summary;
use crate::{boolean, counterexample, fixed_length};
use error::StepError;

/// Why a log is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The line of the step, counted from 1; none if the problem is the input or the log as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// Whether something cannot be read, so that nothing is known about it.
    pub is_broken: bool,
}

impl Rejected {
    fn whole(message: impl Into<String>) -> Self {
        Rejected { line: None, message: message.into(), is_broken: false }
    }

    fn unreadable(message: impl Into<String>) -> Self {
        Rejected { line: None, message: message.into(), is_broken: true }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(formatter, "line {line}: ")?;
        }
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Rejected {}

/// Whether a step holds; if not, the reason.
type Held = Result<(), StepError>;

/// Checks that a log refutes an input.
pub fn check(input: &str, log: &str) -> Result<Summary, Rejected> {
    let lines = lines(log);
    let [header, check, steps @ .., end] = lines.as_slice() else {
        return Err(Rejected::unreadable("this is not a proof log"));
    };
    if format!("{} {}", header.word, header.rest) != HEADER {
        return Err(header.broken(format!("the first line is not `{HEADER}`")));
    }
    if check.word != "check" {
        return Err(check.broken("the second line does not say which check"));
    }
    let (check_number, _) = check.number("the number of the check")?;
    if end.word != "end" || end.number("the number of lines")?.0 != lines.len() - 1 {
        return Err(end.reject("the log does not end as it should: lines are missing"));
    }
    let mut checker = Checker::new(input, check_number)?;
    let Some((last, steps)) = steps.split_last() else { return Err(end.reject("the log has no steps")) };
    for line in steps {
        let step = checker.read(line)?;
        checker.step(&step).map_err(|error| line.reject(error.to_string()))?;
    }
    let step = checker.read(last)?;
    checker.finish(&step).map_err(|error| last.reject(error.to_string()))?;
    Ok(checker.summary)
}

/// What is known after some steps.
struct Checker {
    terms: Terms,
    scope: Scope,
    environment: Environment,
    /// Constants that are not declared in the input.
    fresh: FxHashSet<Symbol>,
    formulas: FxHashMap<usize, Term>,
    /// Steps of rewriting.
    rewrites: FxHashMap<Term, Term>,
    identities: Identities,
    /// What each Boolean variable stands for.
    atoms: FxHashMap<i32, Term>,
    /// The literals of Boolean terms.
    literals: FxHashMap<Term, i32>,
    clauses: Clauses,
    summary: Summary,
}

impl Checker {
    /// Before the first step about a check of an input.
    fn new(input: &str, check_number: usize) -> Result<Self, Rejected> {
        let (mut terms, mut scope) = (Terms::new(), Scope::new());
        let commands = commands(&mut terms, &mut scope, input, check_number)?;
        let environment = Environment::of(&terms, &commands);
        Ok(Checker {
            terms,
            scope,
            environment,
            fresh: FxHashSet::default(),
            formulas: FxHashMap::default(),
            rewrites: FxHashMap::default(),
            identities: Identities::default(),
            atoms: FxHashMap::default(),
            literals: FxHashMap::default(),
            clauses: Clauses::new(),
            summary: Summary::default(),
        })
    }

    fn read<'a>(&mut self, line: &Line<'a>) -> Result<LogStep<'a>, Rejected> {
        Reader { terms: &mut self.terms, scope: &mut self.scope }.step(line)
    }

    fn step(&mut self, step: &LogStep<'_>) -> Held {
        match step {
            LogStep::Declare { name } => self.declare(*name),
            LogStep::Formula { number, rule, premises, term } => self.formula(*number, rule, premises, *term),
            LogStep::Rewrite { rule, before, after } => self.rewrite(rule, *before, *after),
            LogStep::Atom { variable, term } => self.atom(*variable, *term),
            LogStep::Gate { variable, kind, literals } => self.gate(*variable, *kind, literals),
            LogStep::Means { literal, term } => self.meaning(*literal, *term),
            LogStep::Assert { formula, literal } => self.assertion(*formula, *literal),
            LogStep::Clause { reason, literals } => self.clause(reason, literals),
            LogStep::Learnt { literals } => {
                self.derived(literals)?;
                self.clauses.add(literals);
                Ok(())
            }
            LogStep::Conflict | LogStep::False { .. } | LogStep::Refuted { .. } => {
                Err(StepError::AfterTheEnd)
            }
        }
    }

    /// The last step: nothing satisfies the input.
    fn finish(&mut self, step: &LogStep<'_>) -> Held {
        match step {
            LogStep::Conflict => self.derived(&[]),
            LogStep::False { formula } => {
                let formula = self.known_formula(*formula)?;
                if self.terms.op(formula) == Some(Op::False) { Ok(()) } else { Err(StepError::NotFalse) }
            }
            LogStep::Refuted { engine, formulas } => {
                for formula in formulas {
                    self.known_formula(*formula)?;
                }
                self.summary.trust(engine);
                Ok(())
            }
            _ => Err(StepError::NothingRefuted),
        }
    }

    /// A constant of which nothing is known.
    fn declare(&mut self, name: Symbol) -> Held {
        let is_known = self.environment.declared.iter().any(|(known, _, _)| *known == name);
        if is_known || !self.fresh.insert(name) {
            return Err(StepError::KnownConstant);
        }
        Ok(())
    }

    fn known_formula(&self, number: usize) -> Result<Term, StepError> {
        self.formulas.get(&number).copied().ok_or(StepError::UnknownFormula(number))
    }

    /// The variables of literals stand for something.
    fn are_known(&self, literals: &[i32]) -> Held {
        match literals.iter().find(|literal| !self.atoms.contains_key(&literal.abs())) {
            Some(literal) => Err(StepError::UnknownVariable(literal.abs())),
            None => Ok(()),
        }
    }

    /// Unit propagation derives a clause.
    fn derived(&mut self, clause: &[i32]) -> Held {
        self.are_known(clause)?;
        if self.clauses.show(clause).is_none() {
            return Err(StepError::NotPropagated);
        }
        self.summary.clauses += 1;
        Ok(())
    }

    /// A new Boolean variable and what it stands for.
    fn define(&mut self, variable: i32, term: Term) -> Held {
        if self.atoms.insert(variable, term).is_some() {
            return Err(StepError::KnownVariable(variable));
        }
        Ok(())
    }

    fn atom(&mut self, variable: i32, term: Term) -> Held {
        self.define(variable, term)?;
        self.literals.entry(term).or_insert(variable);
        if self.terms.op(term) == Some(Op::True) {
            self.clauses.add(&[variable]);
        }
        Ok(())
    }

    /// A name for a combination of literals. Its clauses need no proof, because the name is new.
    fn gate(&mut self, variable: i32, kind: GateKind, literals: &[i32]) -> Held {
        self.are_known(literals)?;
        let args: Vec<Term> = literals.iter().map(|literal| self.literal_term(*literal)).collect();
        let term = build::apply(&mut self.terms, kind.op(), &args);
        self.define(variable, term)?;
        let clauses = boolean::definition(kind.op(), variable, literals).expect("gates have definitions");
        for clause in clauses {
            self.clauses.add(&clause);
        }
        Ok(())
    }

    /// The term that a literal stands for.
    fn literal_term(&mut self, literal: i32) -> Term {
        let atom = self.atoms[&literal.abs()];
        if literal > 0 { atom } else { build::not(&mut self.terms, atom) }
    }

    /// The term that a clause stands for.
    fn clause_term(&mut self, clause: &[i32]) -> Term {
        let literals: Vec<Term> = clause.iter().map(|literal| self.literal_term(*literal)).collect();
        build::or(&mut self.terms, &literals)
    }

    /// A literal is true if and only if a term is.
    fn meaning(&mut self, literal: i32, term: Term) -> Held {
        self.are_known(&[literal])?;
        if self.has_meaning(literal, term) {
            self.summary.meanings += 1;
        } else {
            let stands_for = self.literal_term(literal);
            let equal = build::apply(&mut self.terms, Op::Eq, &[stands_for, term]);
            self.trust("meaning", equal)?;
        }
        self.literals.insert(term, literal);
        Ok(())
    }

    fn has_meaning(&mut self, literal: i32, term: Term) -> bool {
        if boolean::is_connective(&self.terms, term) {
            let op = self.terms.op(term).expect("connectives are operators");
            let args: Option<Vec<i32>> =
                self.terms.args(term).iter().map(|arg| self.literals.get(arg).copied()).collect();
            let definition = args.and_then(|args| boolean::definition(op, literal, &args));
            return definition
                .is_some_and(|clauses| clauses.iter().all(|clause| self.clauses.show(clause).is_some()));
        }
        if self.terms.op(term) == Some(Op::False) {
            return self.clauses.show(&[-literal]).is_some();
        }
        let stands_for = self.literal_term(literal);
        self.identities.are_equal(&mut self.terms, stands_for, term)
    }

    /// A formula holds, so the literal that stands for it does.
    fn assertion(&mut self, number: usize, literal: i32) -> Held {
        let formula = self.known_formula(number)?;
        self.are_known(&[literal])?;
        let is_meant = self.literals.get(&formula) == Some(&literal);
        if !is_meant && self.literal_term(literal) != formula {
            return Err(StepError::OtherMeaning { literal, formula: number });
        }
        self.clauses.add(&[literal]);
        self.summary.clauses += 1;
        Ok(())
    }

    /// A clause that holds whatever the constants of the input are.
    fn clause(&mut self, reason: &str, clause: &[i32]) -> Held {
        self.are_known(clause)?;
        let negated: Vec<Term> = clause.iter().map(|literal| self.literal_term(-*literal)).collect();
        match arithmetic::refute(&mut self.terms, &negated) {
            Verdict::Refuted => self.summary.arithmetic += 1,
            Verdict::Model if reason == "arithmetic" => {
                return Err(StepError::WrongArithmetic);
            }
            _ if fixed_length::are_refuted(&mut self.terms, &self.environment, &negated) => {
                self.summary.words += 1;
            }
            Verdict::Model | Verdict::Open => {
                let clause = self.clause_term(clause);
                self.trust(reason, clause)?;
            }
        }
        self.clauses.add(clause);
        Ok(())
    }

    /// Counts a step as trusted, unless some values of the constants make it false.
    fn trust(&mut self, rule: &str, step: Term) -> Held {
        let found = counterexample::find(&mut self.terms, &self.environment, &self.fresh, step);
        if let Some(values) = found {
            return Err(StepError::FalseFor(values));
        }
        self.summary.trust(rule);
        Ok(())
    }
}

/// The commands of an input up to a check.
fn commands(
    terms: &mut Terms,
    scope: &mut Scope,
    input: &str,
    check_number: usize,
) -> Result<Vec<Command>, Rejected> {
    let dialect = read_script(&mut Terms::new(), input).script.dialect;
    let mut commands = Vec::new();
    let mut checks = 0;
    let mut scanner = Scanner::new(input);
    let mut tape = Tape::new();
    let unreadable = |start: u32| {
        let line = 1 + input[..start as usize].matches('\n').count();
        Rejected::unreadable(format!("line {line} of the input cannot be read"))
    };
    while checks < check_number {
        let before = scanner.offset();
        if !scanner.read(&mut tape).map_err(|_| unreadable(before))? {
            break;
        }
        let span = tape.node(0).span;
        match read_command(terms, scope, input, &tape, dialect) {
            Ok(command) => {
                checks += usize::from(matches!(command, Command::CheckSat | Command::CheckSatAssuming(_)));
                commands.push(command);
            }
            // Nothing depends on options and information that cannot be read.
            Err(_) if input[span.start as usize..span.end as usize].starts_with("(set-") => {}
            Err(_) => return Err(unreadable(span.start)),
        }
    }
    if checks < check_number || check_number == 0 {
        return Err(Rejected::whole(format!("the input has no check {check_number}")));
    }
    Ok(commands)
}

//! Checks a refutation log against the input that it is about.
//!
//! Every line is a step that is shown again here, or counted as trusted with the name of its rule. Nothing of the engines
//! or of the SAT solver is used: clauses are shown by unit propagation ([`propagation`]), Boolean terms by their
//! definitions ([`boolean`]), linear atoms by elimination ([`arithmetic`]), strings of known lengths by trying all words ([`words`]), rewriting by
//! applying the rule again. What is
//! rewritten or trusted is also evaluated on some small values ([`evaluate`]), which may show that it is wrong.

mod arithmetic;
pub(super) mod boolean;
mod evaluate;
mod formula;
mod linear;
mod plain;
pub(super) mod propagation;
mod summary;
#[cfg(test)]
mod testing;
mod words;

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::environment::Environment;
use smelt_smtlib::build;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::{Scope, read_command, read_script, read_term};
use smelt_smtlib::script::Command;
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::expand_lets;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use super::read::{Line, lines};
use super::write::HEADER;
use crate::front::Splitter;
use arithmetic::Verdict;
use propagation::Clauses;
pub use summary::Summary;

/// Why a log is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The line of the step, counted from 1; none if the input or the whole is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// Whether something cannot be read, so that nothing can be said about it.
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

/// Checks that a log refutes an input.
pub fn check(input: &str, log: &str) -> Result<Summary, Rejected> {
    let lines = lines(log);
    let [header, check, steps @ .., end] = lines.as_slice() else {
        return Err(Rejected::unreadable("this is no refutation log"));
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
    let Some((last, steps)) = steps.split_last() else { return Err(end.reject("nothing is shown")) };
    for line in steps {
        checker.step(line)?;
    }
    checker.finish(last)?;
    Ok(checker.summary)
}

/// What was shown so far.
struct Checker {
    terms: Terms,
    scope: Scope,
    environment: Environment,
    /// Constants that are not declared in the input.
    fresh: FxHashSet<Symbol>,
    formulas: FxHashMap<usize, Term>,
    /// Steps of rewriting.
    rewrites: FxHashMap<Term, Term>,
    /// What each Boolean variable stands for.
    atoms: FxHashMap<i32, Term>,
    /// The literals of Boolean terms.
    literals: FxHashMap<Term, i32>,
    clauses: Clauses,
    summary: Summary,
}

impl Checker {
    /// Nothing is shown yet about a check of an input.
    fn new(input: &str, check_number: usize) -> Result<Self, Rejected> {
        let (mut terms, mut scope) = (Terms::new(), Scope::new());
        let dialect = read_script(&mut Terms::new(), input).script.dialect;
        let mut commands = Vec::new();
        let mut checks = 0;
        let mut splitter = Splitter::new();
        let mut pieces = splitter.feed(input);
        pieces.extend(splitter.finish());
        for piece in pieces {
            let mut tape = Tape::new();
            let unreadable =
                || Rejected::unreadable(format!("line {} of the input cannot be read", piece.line));
            if !Scanner::new(&piece.text).read(&mut tape).map_err(|_| unreadable())? {
                continue;
            }
            let command = match read_command(&mut terms, &mut scope, &piece.text, &tape, dialect) {
                Ok(command) => command,
                // Nothing depends on these.
                Err(_) if piece.text.contains("(set-") => continue,
                Err(_) => return Err(unreadable()),
            };
            checks += usize::from(matches!(command, Command::CheckSat | Command::CheckSatAssuming(_)));
            commands.push(command);
            if checks == check_number {
                break;
            }
        }
        if checks < check_number || check_number == 0 {
            return Err(Rejected::whole(format!("the input has no check {check_number}")));
        }
        let environment = Environment::of(&terms, &commands);
        Ok(Checker {
            terms,
            scope,
            environment,
            fresh: FxHashSet::default(),
            formulas: FxHashMap::default(),
            rewrites: FxHashMap::default(),
            atoms: FxHashMap::default(),
            literals: FxHashMap::default(),
            clauses: Clauses::new(),
            summary: Summary::default(),
        })
    }

    fn step(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        match line.word {
            "declare" => self.declare(line),
            "formula" => self.formula(line),
            "rewrite" => self.rewrite(line),
            "atom" => self.atom(line),
            "gate" => self.gate(line),
            "means" => self.meaning(line),
            "assert" => self.assertion(line),
            "clause" => self.clause(line),
            "learnt" => {
                let clause = self.known_literals(line)?;
                self.shown(line, &clause)?;
                self.clauses.add(&clause);
                Ok(())
            }
            "false" | "refuted" | "conflict" => Err(line.reject("the log goes on after its end")),
            word => Err(line.broken(format!("there is no step `{word}`"))),
        }
    }

    /// The last step: nothing satisfies the input.
    fn finish(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        match line.word {
            "conflict" => self.shown(line, &[]),
            "false" => {
                let formula = self.known_formula(line, line.number("the number of a formula")?.0)?;
                if self.terms.op(formula) == Some(Op::False) {
                    Ok(())
                } else {
                    Err(line.reject("the formula is not `false`"))
                }
            }
            "refuted" => {
                let (engine, line) = line.split("the name of an engine")?;
                let (numbers, _) = line.numbers();
                for number in numbers {
                    self.known_formula(&line, number)?;
                }
                self.summary.trust(engine);
                Ok(())
            }
            _ => Err(line.reject("the log ends before anything is refuted")),
        }
    }

    /// A constant of which nothing is known.
    fn declare(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let text = format!("(declare-const {})", line.rest);
        let mut tape = Tape::new();
        let broken = || line.broken("this is no declaration");
        if !Scanner::new(&text).read(&mut tape).map_err(|_| broken())? {
            return Err(broken());
        }
        let command = read_command(&mut self.terms, &mut self.scope, &text, &tape, Dialect::V26);
        match command {
            Ok(Command::DeclareConst(name, _)) => {
                let is_known = self.environment.declared.iter().any(|(known, _, _)| *known == name);
                if is_known || !self.fresh.insert(name) {
                    return Err(line.reject("the constant is not new"));
                }
                Ok(())
            }
            _ => Err(broken()),
        }
    }

    /// Reads the rest of a line as a term.
    fn term(&mut self, line: &Line<'_>) -> Result<Term, Rejected> {
        let term =
            read_term(&mut self.terms, &mut self.scope, line.rest, Dialect::V26).map_err(|problems| {
                let message = problems.first().map_or("", |problem| problem.message.as_str());
                line.broken(format!("the term cannot be read: {message}"))
            })?;
        Ok(expand_lets(&mut self.terms, term))
    }

    fn bool_term(&mut self, line: &Line<'_>) -> Result<Term, Rejected> {
        let term = self.term(line)?;
        if self.terms.sort(term) == Sort::BOOL {
            Ok(term)
        } else {
            Err(line.broken("the term is not Boolean"))
        }
    }

    fn known_formula(&self, line: &Line<'_>, number: usize) -> Result<Term, Rejected> {
        let formula = self.formulas.get(&number);
        formula.copied().ok_or_else(|| line.reject(format!("there is no formula {number}")))
    }

    /// Literals that stand for something.
    fn known_literals(&self, line: &Line<'_>) -> Result<Vec<i32>, Rejected> {
        let literals = line.literals()?;
        match literals.iter().find(|literal| !self.atoms.contains_key(&literal.abs())) {
            Some(literal) => Err(line.reject(format!("{} stands for nothing", literal.abs()))),
            None => Ok(literals),
        }
    }

    /// Unit propagation shows a clause.
    fn shown(&mut self, line: &Line<'_>, clause: &[i32]) -> Result<(), Rejected> {
        if self.clauses.show(clause).is_none() {
            return Err(line.reject("unit propagation does not show this"));
        }
        self.summary.clauses += 1;
        Ok(())
    }

    /// A new Boolean variable and what it stands for.
    fn define(&mut self, line: &Line<'_>, variable: usize, term: Term) -> Result<i32, Rejected> {
        let variable = i32::try_from(variable).ok().filter(|variable| *variable > 0);
        let variable = variable.ok_or_else(|| line.broken("this is no variable"))?;
        if self.atoms.insert(variable, term).is_some() {
            return Err(line.reject(format!("{variable} stands for something else already")));
        }
        Ok(variable)
    }

    fn atom(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let (variable, line) = line.number("the variable")?;
        let term = self.bool_term(&line)?;
        let variable = self.define(&line, variable, term)?;
        self.literals.entry(term).or_insert(variable);
        if self.terms.op(term) == Some(Op::True) {
            self.clauses.add(&[variable]);
        }
        Ok(())
    }

    /// A name for a combination of literals. Its clauses need no proof, because the name is new.
    fn gate(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let (variable, line) = line.number("the variable")?;
        let (kind, line) = line.split("the kind of gate")?;
        let literals = self.known_literals(&line)?;
        let args: Vec<Term> = literals.iter().map(|literal| self.literal_term(*literal)).collect();
        let op = match (kind, args.len()) {
            ("or", 2..) => Op::Or,
            ("iff", 2) => Op::Eq,
            ("ite", 3) => Op::Ite,
            _ => return Err(line.broken("this is no gate")),
        };
        let term = build::apply(&mut self.terms, op, &args);
        let name = self.define(&line, variable, term)?;
        let clauses = boolean::definition(op, name, &literals).expect("gates have definitions");
        for clause in clauses {
            self.clauses.add(&clause);
        }
        Ok(())
    }

    /// What a literal says.
    fn literal_term(&mut self, literal: i32) -> Term {
        let atom = self.atoms[&literal.abs()];
        if literal > 0 { atom } else { build::not(&mut self.terms, atom) }
    }

    /// What a clause says.
    fn clause_term(&mut self, clause: &[i32]) -> Term {
        let literals: Vec<Term> = clause.iter().map(|literal| self.literal_term(*literal)).collect();
        build::or(&mut self.terms, &literals)
    }

    /// A literal is true if and only if a term is.
    fn meaning(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let (word, rest) = line.split("the literal")?;
        let literals = self.known_literals(&Line { rest: word, ..*line })?;
        let &[literal] = literals.as_slice() else { return Err(line.broken("this is no literal")) };
        let term = self.bool_term(&rest)?;
        if self.has_meaning(literal, term) {
            self.summary.meanings += 1;
        } else {
            let said = self.literal_term(literal);
            let equal = build::apply(&mut self.terms, Op::Eq, &[said, term]);
            self.trust(line, "meaning", equal)?;
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
        let said = self.literal_term(literal);
        if self.terms.op(term) == Some(Op::False) {
            return self.clauses.show(&[-literal]).is_some();
        }
        if said == term || boolean::are_same_equation(&self.terms, said, term) {
            return true;
        }
        arithmetic::are_equal(&mut self.terms, said, term)
    }

    /// A formula holds, so the literal that stands for it does.
    fn assertion(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let (number, rest) = line.number("the number of a formula")?;
        let formula = self.known_formula(line, number)?;
        let literals = self.known_literals(&rest)?;
        let &[literal] = literals.as_slice() else { return Err(line.broken("this is no literal")) };
        let is_meant = self.literals.get(&formula) == Some(&literal);
        if !is_meant && self.literal_term(literal) != formula {
            return Err(line.reject(format!("{literal} does not stand for formula {number}")));
        }
        self.clauses.add(&literals);
        self.summary.clauses += 1;
        Ok(())
    }

    /// A clause that holds whatever the constants of the input are.
    fn clause(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let (reason, rest) = line.split("the reason")?;
        let clause = self.known_literals(&rest)?;
        let negated: Vec<Term> = clause.iter().map(|literal| self.literal_term(-*literal)).collect();
        match arithmetic::refute(&mut self.terms, &negated) {
            Verdict::Refuted => self.summary.arithmetic += 1,
            Verdict::Model if reason == "arithmetic" => {
                return Err(line.reject("the clause does not hold in arithmetic"));
            }
            _ if words::are_refuted(&mut self.terms, &self.environment, &negated) => self.summary.words += 1,
            Verdict::Model | Verdict::Open => {
                let said = self.clause_term(&clause);
                self.trust(line, reason, said)?;
            }
        }
        self.clauses.add(&clause);
        Ok(())
    }

    /// Counts a step as trusted, unless some values show that it is wrong.
    fn trust(&mut self, line: &Line<'_>, rule: &str, said: Term) -> Result<(), Rejected> {
        if let Some(values) = self.counterexample(said) {
            return Err(line.reject(format!("this is false for {values}")));
        }
        self.summary.trust(rule);
        Ok(())
    }

    /// Values of the constants of the input for which a term is false, if some are easily found.
    fn counterexample(&mut self, term: Term) -> Option<String> {
        evaluate::counterexample(&mut self.terms, &self.environment, &self.fresh, term)
    }
}

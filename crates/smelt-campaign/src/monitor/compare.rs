//! Two solvers on some formulas. Judges decide who is wrong, and fresh processes confirm it, as in hunts.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use smelt_oracle::case::Case;
use smelt_oracle::evaluated::{EvaluatedRun, ModelCheck};
use smelt_oracle::finding::Class;
use smelt_oracle::judge::{Judge, judge};
use smelt_oracle::run::{Answer, Run};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer, script_text};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::{Term, Terms};
use smelt_testgen::enumeration::Parameters;
use smelt_trial::SolverFailure;
use smelt_trial::confirm::{Confirmed, confirm};
use smelt_trial::trial::Trial;
use smelt_trial::worker::{OlderCases, RunFilter, Worker};

use super::baseline::DifferenceKey;

/// What came of a formula.
#[derive(Debug)]
pub(super) struct Compared {
    pub agreement: Agreement,
    /// Whether the solver's model satisfies the formula.
    pub has_model: bool,
    pub difference: Option<Difference>,
}

/// How the solver and the reference answer a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    Agreed,
    Unknown,
    Timeout,
    /// The solver does not take the formula.
    Refused,
    /// The reference does not decide it.
    Unchecked,
    Differs,
    ReferenceWrong,
    /// One of the two follows another definition of an operator, so the answers cannot be compared.
    Drifts,
}

/// Who is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceCulprit {
    /// The solver that is watched.
    Solver,
    /// The solver that it is compared with.
    Reference,
    /// Nothing tells.
    Open,
}

/// Something wrong, confirmed in fresh processes.
#[derive(Debug, Clone)]
pub struct Difference {
    /// What is wrong.
    pub class: Class,
    /// Who is wrong.
    pub culprit: DifferenceCulprit,
    /// What the solvers say, in words.
    pub message: String,
    /// The formula.
    pub formula: String,
    /// The solver that is watched.
    pub solver: String,
    /// The grammar that has the formula.
    pub grammar: String,
    /// The index of the formula in its grammar.
    pub index: u64,
    /// What the formula says on one line, without what it does not use.
    pub essence: String,
}

impl Difference {
    fn new(class: Class, culprit: DifferenceCulprit, message: String, formula: &str) -> Self {
        Difference {
            class,
            culprit,
            message,
            essence: essence(formula),
            formula: formula.to_owned(),
            solver: String::new(),
            grammar: String::new(),
            index: 0,
        }
    }

    /// Says whom and which formula it is about.
    pub(super) fn place(&mut self, solver: &str, grammar: &str, index: u64) {
        self.solver = solver.to_owned();
        self.grammar = grammar.to_owned();
        self.index = index;
    }

    /// Whether it is something that the solver has to answer for, or may have.
    pub fn is_failure(&self) -> bool {
        self.culprit != DifferenceCulprit::Reference && self.class != Class::Drift
    }

    /// The difference in words, with the command that makes its formula with these parameters.
    pub fn describe(&self, parameters: &Parameters, is_known: bool) -> String {
        let known = match (is_known, self.is_failure()) {
            (true, _) => " (known)",
            (false, true) => "",
            (false, false) => " (not a failure of the solver)",
        };
        format!(
            "{}{known}: {}\n  smelt generate enumerate --grammar {} --variables {} --asserts {} --start {} --count 1",
            self.class.word(),
            self.message,
            self.grammar,
            parameters.variables,
            parameters.asserts,
            self.index
        )
    }

    /// By what it is known in a baseline.
    pub fn key(&self) -> DifferenceKey {
        let hash = blake3::hash(self.essence.as_bytes()).to_hex()[..16].to_owned();
        DifferenceKey { hash, class: self.class.word().to_owned(), solver: self.solver.clone() }
    }
}

/// The declarations that a formula uses and its assertions, printed in one way on one line. It does not depend on where
/// the formula comes from, on how many variables are declared, or on how it is asked.
fn essence(formula: &str) -> String {
    let mut terms = Terms::new();
    let script = read_script_as(&mut terms, formula, Dialect::V26).script;
    let mut kept = Script::default();
    let roots: Vec<Term> = script.assertions().collect();
    let mut printer = Printer::new(&mut terms, Dialect::V26, Layout::Shared);
    roots.iter().for_each(|root| printer.term(*root));
    let text = printer.finish();
    let is_separator = |letter: char| letter.is_whitespace() || letter == '(' || letter == ')';
    let words: BTreeSet<&str> = text.split(is_separator).collect();
    for command in &script.commands {
        let is_kept = match command {
            Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => {
                words.contains(terms.text(*name))
            }
            Command::SetLogic(_)
            | Command::SetOption(..)
            | Command::SetInfo(..)
            | Command::CheckSat
            | Command::GetModel => false,
            _ => true,
        };
        if is_kept {
            kept.push(command.clone());
        }
    }
    let text = script_text(&mut terms, &kept);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The positions of the targets of a worker that compares two solvers.
const SOLVER: usize = 0;
const REFERENCE: usize = 1;

/// The reference is asked only about formulas that the solver decides.
struct DecidedFirst;

impl RunFilter for DecidedFirst {
    fn is_wanted(&self, trial: &Trial, target: usize) -> bool {
        target == SOLVER || trial.runs[SOLVER].as_ref().is_some_and(|run| run.answer.is_decided())
    }

    fn note_run(&mut self, _: &Trial, _: usize, _: &Run) {}
}

/// Runs the solver and the reference of a worker on formulas, in their order; the results of the first ones, where
/// `is_over` ends it early.
pub(super) fn compare(
    worker: &mut Worker<'_>,
    formulas: Vec<String>,
    stop: &AtomicBool,
    is_over: &dyn Fn() -> bool,
) -> Result<Vec<Compared>, SolverFailure> {
    let judges: Vec<&'static dyn Judge> =
        ["crash", "model", "differential"].into_iter().filter_map(judge).collect();
    let (mut arenas, mut trials) = (Vec::new(), Vec::new());
    for formula in formulas {
        let mut terms = Terms::new();
        let mut trial = Trial::read(&mut terms, Case::unclaimed("enumerate", formula));
        worker.address(&mut terms, &mut trial, OlderCases::All);
        arenas.push(terms);
        trials.push(trial);
    }
    let mut compared = Vec::new();
    while !trials.is_empty() && !is_over() {
        let Some(done) = worker.run(&mut trials, &mut DecidedFirst, stop)?.continue_value() else { break };
        for (mut trial, mut terms) in trials.drain(..done).zip(arenas.drain(..done)) {
            compared.push(judged(worker, &mut terms, &mut trial, &judges)?);
        }
    }
    Ok(compared)
}

/// What judges say of a formula that was run.
fn judged(
    worker: &Worker<'_>,
    terms: &mut Terms,
    trial: &mut Trial,
    judges: &[&'static dyn Judge],
) -> Result<Compared, SolverFailure> {
    trial.evaluate(terms, worker.targets());
    let verdicts = confirm(worker, terms, trial, judges)?;
    if trial.fresh.is_empty() {
        return Ok(without_difference(worker, &trial.evaluated));
    }
    let reference = worker.targets()[REFERENCE].solver.name.as_str();
    // The reference is not under test: its crashes and models do not concern the solver.
    let is_own = |confirmed: &&Confirmed| {
        let verdict = &confirmed.verdict;
        verdict.class.is_soundness() || verdict.culprit.as_deref() != Some(reference)
    };
    let worst = verdicts.iter().filter(is_own).min_by_key(|confirmed| confirmed.explained().class);
    let Some(confirmed) = worst else { return Ok(without_difference(worker, &trial.fresh)) };
    let (class, solver) = (confirmed.explained().class, &worker.targets()[SOLVER].solver.name);
    let culprit = match &confirmed.verdict.culprit {
        _ if class == Class::Drift => DifferenceCulprit::Open,
        Some(culprit) if culprit == solver => DifferenceCulprit::Solver,
        Some(_) => DifferenceCulprit::Reference,
        None => DifferenceCulprit::Open,
    };
    let agreement = match culprit {
        _ if class == Class::Drift => Agreement::Drifts,
        DifferenceCulprit::Reference => Agreement::ReferenceWrong,
        DifferenceCulprit::Solver | DifferenceCulprit::Open => Agreement::Differs,
    };
    let message = match confirmed.verdict.class {
        own @ (Class::InvalidModel | Class::Crash) => format!("{solver} {}", own.about()),
        _ => answers_text(&trial.fresh),
    };
    let has_model = trial.fresh.first().is_some_and(|run| run.model == ModelCheck::Accepted);
    let difference = Difference::new(class, culprit, message, &trial.case.script);
    Ok(Compared { agreement, has_model, difference: Some(difference) })
}

/// What solvers say, in words.
fn answers_text(runs: &[EvaluatedRun]) -> String {
    let said = runs.iter().map(|run| format!("{} says {}", run.run.solver, run.run.answer.word()));
    said.collect::<Vec<_>>().join(", ")
}

/// What came of a formula on which nothing is wrong. The runs are those that there are, that of the solver first.
fn without_difference(worker: &Worker<'_>, runs: &[EvaluatedRun]) -> Compared {
    let is_solvers = |run: &&EvaluatedRun| run.run.solver == worker.targets()[SOLVER].solver.name;
    let own = runs.first().filter(is_solvers);
    let other = runs.get(REFERENCE).map(|run| run.run.answer).filter(|answer| answer.is_decided());
    let agreement = match own.map(|run| run.run.answer) {
        Some(answer @ (Answer::Sat | Answer::Unsat)) => match other {
            None => Agreement::Unchecked,
            Some(other) if other == answer => Agreement::Agreed,
            // What was seen first was not seen again, and nothing tells which of the answers counts.
            Some(_) => Agreement::Unchecked,
        },
        Some(Answer::Unknown) => Agreement::Unknown,
        Some(Answer::Timeout | Answer::Memout | Answer::Flood) => Agreement::Timeout,
        Some(Answer::Crash | Answer::Error | Answer::Rejected) | None => Agreement::Refused,
    };
    let has_model = own.is_some_and(|run| run.model == ModelCheck::Accepted);
    Compared { agreement, has_model, difference: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_known_again_wherever_it_comes_from() {
        let key = |text: &str| {
            let mut difference =
                Difference::new(Class::Crash, DifferenceCulprit::Solver, String::new(), text);
            difference.place("new", "core", 7);
            difference.key()
        };
        let formula =
            "(declare-const x Bool)\n(declare-const y Bool)\n(assert x)\n(check-sat)\n(get-model)\n";
        let same = "(set-logic ALL)(declare-const x Bool)(assert  x)(check-sat)";
        assert_eq!(key(formula), key(same));
        assert_ne!(key(formula), key("(declare-const y Bool)(assert (not y))(check-sat)"));
        let ints = "(declare-const x Int)(assert (= x x))";
        assert_ne!(key(ints), key("(declare-const x Real)(assert (= x x))"));
    }
}

//! Two solvers on one formula. Judges decide who is wrong, as in hunts.

use std::collections::BTreeSet;
use std::io;

use smelt_oracle::case::{Case, Expectation, Lineage};
use smelt_oracle::evaluated::{EvaluatedRun, ModelCheck};
use smelt_oracle::finding::{Class, Verdict};
use smelt_oracle::judge::{Judge, judge};
use smelt_oracle::run::Answer;
use smelt_runner::limits::Limits;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer, script_text};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::{Term, Terms};
use smelt_trial::judge::verdicts;
use smelt_trial::target::Target;
use smelt_trial::trial::{Trial, evaluated};
use smelt_trial::worker::TargetSession;

use super::known::Key;

/// What came of a formula.
#[derive(Debug)]
pub(super) struct Outcome {
    pub kind: Kind,
    /// Whether the solver's model satisfies the formula.
    pub has_model: bool,
    pub differences: Vec<Difference>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) enum Culprit {
    Solver,
    Reference,
    /// Nobody knows.
    Open,
}

/// Something wrong, confirmed in fresh processes.
#[derive(Debug, Clone)]
pub(super) struct Difference {
    pub class: Class,
    pub culprit: Culprit,
    pub message: String,
    pub formula: String,
    /// The solver that is watched.
    pub solver: String,
    pub grammar: String,
    pub index: u64,
    /// What the formula says on one line, without what it does not use.
    pub essence: String,
}

impl Difference {
    fn new(class: Class, culprit: Culprit, message: String, formula: &str) -> Self {
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
    pub fn place(&mut self, solver: &str, grammar: &str, index: u64) {
        self.solver = solver.to_owned();
        self.grammar = grammar.to_owned();
        self.index = index;
    }

    /// Whether it is something that the solver has to answer for, or may have.
    pub fn is_failure(&self) -> bool {
        self.culprit != Culprit::Reference && self.class != Class::Drift
    }

    /// By what it is known in a baseline.
    pub fn key(&self) -> Key {
        let hash = blake3::hash(self.essence.as_bytes()).to_hex()[..16].to_owned();
        Key { hash, class: self.class.word().to_owned(), solver: self.solver.clone() }
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

/// A formula as it is put to solvers.
struct Question {
    terms: Terms,
    trial: Trial,
}

/// Runs the solver and the reference on a formula.
pub(super) fn compare(
    sessions: &mut [TargetSession<'_>; 2],
    text: &str,
    limits: &Limits,
) -> io::Result<Outcome> {
    let mut question = Question::read(text);
    let [solver, reference] = sessions;
    let outcome = |kind| Outcome { kind, has_model: false, differences: Vec::new() };
    let Some(run) = question.ask(solver)? else { return Ok(outcome(Kind::Refused)) };
    let mut answer = run.run.answer;
    let mut has_model = run.model == ModelCheck::Accepted;
    if let Some(class) = question.wrong(&run, solver.target()) {
        // What a session says may come of what it was asked before.
        let cold = question.ask_cold(solver.target(), limits)?;
        if question.wrong(&cold, solver.target()) == Some(class) {
            let what = match class {
                Class::InvalidModel => "prints a model that does not satisfy the formula",
                _ => "crashes",
            };
            let message = format!("{} {what}", run.run.solver);
            let difference = Difference::new(class, Culprit::Solver, message, text);
            return Ok(Outcome { differences: vec![difference], ..outcome(Kind::Differs) });
        }
        (answer, has_model) = (cold.run.answer, false);
    }
    let kind = match answer {
        Answer::Sat | Answer::Unsat => None,
        Answer::Unknown => Some(Kind::Unknown),
        Answer::Timeout | Answer::Memout | Answer::Flood => Some(Kind::Timeout),
        Answer::Crash | Answer::Error | Answer::Rejected => Some(Kind::Refused),
    };
    if let Some(kind) = kind {
        return Ok(outcome(kind));
    }
    let other = question.ask(reference)?.map(|run| run.run.answer).filter(|answer| answer.is_decided());
    let kind = match other {
        None => Kind::Unchecked,
        Some(other) if other == answer => Kind::Agreed,
        Some(_) => {
            let (kind, differences) = question.settle([solver.target(), reference.target()], text, limits)?;
            return Ok(Outcome { kind, has_model, differences });
        }
    };
    Ok(Outcome { has_model, ..outcome(kind) })
}

/// The judges with these names.
fn named(names: &[&str]) -> Vec<&'static dyn Judge> {
    names.iter().filter_map(|name| judge(name)).collect()
}

impl Question {
    fn read(text: &str) -> Question {
        let lineage =
            Lineage { technique: "enumerate".to_owned(), seed: String::new(), random_seed: 0, step: 1 };
        let script = text.to_owned();
        let case = Case { script, expectation: Expectation::None, is_doubtful: false, lineage };
        let mut terms = Terms::new();
        let trial = Trial::read(&mut terms, case);
        Question { terms, trial }
    }

    /// Asks in a session; none if the solver is known not to take the formula.
    fn ask(&mut self, session: &mut TargetSession<'_>) -> io::Result<Option<EvaluatedRun>> {
        let (target, script) = (session.target(), &self.trial.reading.script);
        if !target.takes_all_of(&self.terms, script, &self.trial.contents) {
            return Ok(None);
        }
        let text = target.text(&mut self.terms, script);
        let run = session.run(&text, self.trial.contents.kinds)?;
        Ok(Some(evaluated(&mut self.terms, &self.trial.formula, target, run)))
    }

    fn ask_cold(&mut self, target: &Target, limits: &Limits) -> io::Result<EvaluatedRun> {
        let text = target.text(&mut self.terms, &self.trial.reading.script);
        let run = target.run_cold(&text, limits)?;
        Ok(evaluated(&mut self.terms, &self.trial.formula, target, run))
    }

    /// What judges say of some runs.
    fn verdicts(&mut self, runs: &[EvaluatedRun], judges: &[&str]) -> Vec<Verdict> {
        verdicts(&mut self.terms, &self.trial, runs, &named(judges))
    }

    /// What is wrong with a run by itself. A model is not wrong if the solver means something else by an operator.
    fn wrong(&mut self, run: &EvaluatedRun, target: &Target) -> Option<Class> {
        let classes: Vec<Class> = self
            .verdicts(std::slice::from_ref(run), &["crash", "model"])
            .into_iter()
            .map(|verdict| verdict.class)
            .collect();
        let is_excused = |class: &Class| *class == Class::InvalidModel && self.drifts(target);
        classes.into_iter().find(|class| !is_excused(class))
    }

    /// Whether the formula has an operator that this solver defines otherwise.
    fn drifts(&self, target: &Target) -> bool {
        target.drifts_on(&self.trial.contents)
    }

    /// Asks two solvers that disagree again in fresh processes, and has a judge decide who is wrong.
    fn settle(
        &mut self,
        targets: [&Target; 2],
        text: &str,
        limits: &Limits,
    ) -> io::Result<(Kind, Vec<Difference>)> {
        let runs = [self.ask_cold(targets[0], limits)?, self.ask_cold(targets[1], limits)?];
        let answers = [runs[0].run.answer, runs[1].run.answer];
        if !answers.iter().all(|answer| answer.is_decided()) {
            return Ok((Kind::Unchecked, Vec::new()));
        }
        if answers[0] == answers[1] {
            return Ok((Kind::Agreed, Vec::new()));
        }
        let message = format!(
            "{} says {}, {} says {}",
            runs[0].run.solver,
            answers[0].word(),
            runs[1].run.solver,
            answers[1].word()
        );
        let verdict = self.verdicts(&runs, &["differential"]).into_iter().next();
        let (class, culprit) = match verdict {
            _ if targets.iter().any(|target| self.drifts(target)) => (Class::Drift, Culprit::Open),
            Some(Verdict { class, culprit: Some(culprit), .. }) => {
                let is_solver = culprit == targets[0].solver.name;
                (class, if is_solver { Culprit::Solver } else { Culprit::Reference })
            }
            _ => (Class::Disputed, Culprit::Open),
        };
        let kind = match (class, culprit) {
            (Class::Drift, _) => Kind::Drifts,
            (_, Culprit::Reference) => Kind::ReferenceWrong,
            _ => Kind::Differs,
        };
        Ok((kind, vec![Difference::new(class, culprit, message, text)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_known_again_wherever_it_comes_from() {
        let key = |text: &str| {
            let mut difference = Difference::new(Class::Crash, Culprit::Solver, String::new(), text);
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

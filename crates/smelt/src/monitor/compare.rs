//! Two solvers on one formula.

use std::io;

use smelt_campaign::target::{Runner, Target};
use smelt_oracle::checked::{Formula, ModelCheck};
use smelt_oracle::finding::Class;
use smelt_oracle::run::{Answer, Run};
use smelt_runner::limits::Limits;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::operators;

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
    pub grammar: String,
    pub index: u64,
    parameters: (u32, u32),
}

impl Difference {
    fn new(class: Class, culprit: Culprit, message: String, formula: &str) -> Self {
        let (grammar, formula) = (String::new(), formula.to_owned());
        Difference { class, culprit, message, formula, grammar, index: 0, parameters: (0, 0) }
    }

    /// Says which formula it is about.
    pub fn place(&mut self, grammar: &str, variables: u32, asserts: u32, index: u64) {
        self.grammar = grammar.to_owned();
        self.parameters = (variables, asserts);
        self.index = index;
    }

    /// A line of the baseline.
    pub fn key(&self) -> String {
        let (variables, asserts) = self.parameters;
        format!("{} {variables} {asserts} {} {}", self.grammar, self.index, self.class.word())
    }
}

/// A formula as it is put to solvers.
struct Question {
    terms: Terms,
    reading: Reading,
    formula: Formula,
}

/// Runs the solver and the reference on a formula.
pub(super) fn compare(runners: &mut [Runner<'_>; 2], text: &str, limits: &Limits) -> io::Result<Outcome> {
    let mut terms = Terms::new();
    let reading = read_script_as(&mut terms, text, Dialect::V26);
    let formula = Formula::new(&terms, &reading);
    let mut question = Question { terms, reading, formula };
    let [solver, reference] = runners;
    let outcome = |kind| Outcome { kind, has_model: false, differences: Vec::new() };
    let Some(run) = question.ask(solver)? else { return Ok(outcome(Kind::Refused)) };
    let mut answer = run.answer;
    let mut is_model_good = false;
    if let Some((class, what)) = question.wrong(&run, solver.target()) {
        // What a session says may come of what it was asked before.
        let cold = question.ask_cold(solver.target(), limits)?;
        let again = question.wrong(&cold, solver.target()).filter(|(again, _)| *again == class);
        if again.is_some() {
            let message = format!("{} {what}", run.solver);
            let difference = Difference::new(class, Culprit::Solver, message, text);
            return Ok(Outcome { differences: vec![difference], ..outcome(Kind::Differs) });
        }
        answer = cold.answer;
    } else if answer == Answer::Sat {
        is_model_good = question.has_good_model(&run, solver.target());
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
    let other = question.ask(reference)?.map(|run| run.answer).filter(|answer| answer.is_decided());
    let kind = match other {
        None => Kind::Unchecked,
        Some(other) if other == answer => Kind::Agreed,
        Some(_) => {
            let (kind, differences) = question.settle([solver.target(), reference.target()], text, limits)?;
            return Ok(Outcome { kind, has_model: is_model_good, differences });
        }
    };
    Ok(Outcome { has_model: is_model_good, ..outcome(kind) })
}

impl Question {
    /// Asks in a session; none if the solver is known not to take the formula.
    fn ask(&mut self, runner: &mut Runner<'_>) -> io::Result<Option<Run>> {
        let target = runner.target();
        let Some(kinds) = target.takes(&self.terms, &self.reading.script) else { return Ok(None) };
        let script = target.text(&mut self.terms, &self.reading.script);
        runner.run(&script, kinds).map(Some)
    }

    fn ask_cold(&mut self, target: &Target, limits: &Limits) -> io::Result<Run> {
        let script = target.text(&mut self.terms, &self.reading.script);
        target.run_cold(&script, limits)
    }

    /// What is wrong with a run by itself.
    fn wrong(&mut self, run: &Run, target: &Target) -> Option<(Class, String)> {
        match run.answer {
            Answer::Crash => Some((Class::Crash, "crashes".to_owned())),
            Answer::Sat => match self.formula.model_of(&mut self.terms, run, target.dialect()) {
                ModelCheck::Refuted(_) if !self.drifts(target) => {
                    Some((Class::InvalidModel, "prints a model that does not satisfy the formula".to_owned()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn has_good_model(&mut self, run: &Run, target: &Target) -> bool {
        self.formula.model_of(&mut self.terms, run, target.dialect()) == ModelCheck::Accepted
    }

    /// Whether the formula has an operator that this solver defines otherwise.
    fn drifts(&self, target: &Target) -> bool {
        let roots: Vec<Term> = self.reading.script.terms().collect();
        operators(&self.terms, &roots).iter().any(|op| target.meanings.older.contains(op))
    }

    /// Asks two solvers that disagree again in fresh processes, and looks who is wrong.
    fn settle(
        &mut self,
        targets: [&Target; 2],
        text: &str,
        limits: &Limits,
    ) -> io::Result<(Kind, Vec<Difference>)> {
        let runs = [self.ask_cold(targets[0], limits)?, self.ask_cold(targets[1], limits)?];
        let answers = [runs[0].answer, runs[1].answer];
        if !answers.iter().all(|answer| answer.is_decided()) {
            return Ok((Kind::Unchecked, Vec::new()));
        }
        if answers[0] == answers[1] {
            return Ok((Kind::Agreed, Vec::new()));
        }
        let message = format!(
            "{} says {}, {} says {}",
            runs[0].solver,
            answers[0].word(),
            runs[1].solver,
            answers[1].word()
        );
        let says_sat = usize::from(answers[1] == Answer::Sat);
        let (class, culprit) = if targets.iter().any(|target| self.drifts(target)) {
            (Class::Drift, Culprit::Open)
        } else if self.has_good_model(&runs[says_sat], targets[says_sat]) {
            let culprit = if says_sat == 0 { Culprit::Reference } else { Culprit::Solver };
            (Class::SoundnessRefutation, culprit)
        } else {
            (Class::Disputed, Culprit::Open)
        };
        let kind = if culprit == Culprit::Reference { Kind::ReferenceWrong } else { Kind::Differs };
        Ok((kind, vec![Difference::new(class, culprit, message, text)]))
    }
}

//! What is known of a script, and how we know it.
//!
//! A model counts only if our evaluator makes every assertion true under it; nothing here believes a label that says
//! `sat`. That a script is unsatisfiable is known by how it was made.

use rustc_hash::FxHashSet;
use smelt_oracle::case::Expectation;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{Model, Verdict, check};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::{Term, Terms};

/// What is known of a script.
#[derive(Debug, Clone, Default)]
pub enum Truth {
    /// Nothing.
    #[default]
    Unknown,
    /// This is thought to be a model; [`holds`] tells.
    Sat(Model),
    /// The assertions at these positions among the commands have no model together.
    Unsat(Vec<usize>),
}

impl Truth {
    /// All assertions of a script together have no model.
    pub(crate) fn all_unsat(script: &Script) -> Truth {
        let is_assertion = |position: &usize| matches!(script.commands[*position], Command::Assert(_));
        Truth::Unsat((0..script.commands.len()).filter(is_assertion).collect())
    }

    /// What may be claimed of a script: a model is evaluated first.
    pub(crate) fn expectation(&self, terms: &Terms, script: &Script, seen: &mut Seen) -> Expectation {
        match self {
            Truth::Sat(model) if seen.holds(terms, script, model) => Expectation::Sat,
            Truth::Unsat(_) => Expectation::Unsat,
            Truth::Sat(_) | Truth::Unknown => Expectation::None,
        }
    }

    /// What stays known when the script has been changed in a way that need not keep its answer: the model may
    /// still be one, which evaluation shows.
    pub(crate) fn doubt(&mut self) {
        if matches!(self, Truth::Unsat(_)) {
            *self = Truth::Unknown;
        }
    }
}

/// What evaluating all assertions of a case may cost; about ten milliseconds.
const EFFORT: u64 = 1 << 22;

/// Whether our evaluator makes every assertion of a script true under a model.
pub fn holds(terms: &Terms, script: &Script, model: &Model) -> bool {
    Seen::default().holds(terms, script, model)
}

/// The assertions that a model was seen to make true. A step of a chain changes few, and only those are evaluated again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    model: Model,
    /// What gives assertions their meaning: all commands but them.
    frame: Vec<Command>,
    holding: FxHashSet<Term>,
}

impl Seen {
    /// As the function [`holds`], for scripts that resemble each other.
    fn holds(&mut self, terms: &Terms, script: &Script, model: &Model) -> bool {
        let frame = || script.commands.iter().filter(|command| !matches!(command, Command::Assert(_)));
        if self.model != *model || !self.frame.iter().eq(frame()) {
            *self = Seen {
                model: model.clone(),
                frame: frame().cloned().collect(),
                holding: FxHashSet::default(),
            };
        }
        let mut environment = Environment::at_last_check(terms, script);
        environment.assertions.retain(|assertion| !self.holding.contains(assertion));
        let verdicts = check(terms, &environment, model, Budget::new(EFFORT));
        let is_true = |verdict: &Verdict| *verdict == Verdict::True;
        let holding = environment.assertions.iter().zip(&verdicts).filter(|(_, verdict)| is_true(verdict));
        self.holding.extend(holding.map(|(assertion, _)| *assertion));
        verdicts.iter().all(is_true)
    }
}

/// What two models over different symbols say together.
pub(crate) fn union(first: &Model, second: &Model) -> Model {
    let mut both = first.clone();
    for name in second.symbols() {
        if let Some(definition) = second.definition(name)
            && first.definition(name).is_none()
        {
            both.define(definition.clone());
        }
    }
    both
}

//! What is known of a script, and how we know it.
//!
//! A model counts only if our evaluator makes every assertion true under it; nothing here believes a label that says
//! `sat`. That a script is unsatisfiable is known by how it was made.

use rustc_hash::FxHashMap;
use smelt_oracle::case::Expectation;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::{Evaluation, Model, check};
use smelt_semantics::value::Value;
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

/// What a model was seen to make of assertions. A step of a chain changes few, and only those are evaluated again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    model: Model,
    /// What gives assertions their meaning: all commands but them.
    frame: Vec<Command>,
    /// Whether an assertion holds, whatever is chosen for what the standard and the model leave open. What could not be
    /// told so is evaluated again, with all other assertions.
    verdicts: FxHashMap<Term, bool>,
}

impl Seen {
    /// As the function [`holds`], for scripts that resemble each other.
    pub(crate) fn holds(&mut self, terms: &Terms, script: &Script, model: &Model) -> bool {
        let frame = || script.commands.iter().filter(|command| !matches!(command, Command::Assert(_)));
        // The name of an annotated term means something else when that term changes.
        if self.model != *model || !self.frame.iter().eq(frame()) || terms.has_annotations() {
            *self = Seen {
                model: model.clone(),
                frame: frame().cloned().collect(),
                verdicts: FxHashMap::default(),
            };
        }
        let environment = Environment::at_last_check(terms, script);
        let seen = |assertion: &Term| self.verdicts.get(assertion).copied();
        if environment.assertions.iter().any(|assertion| seen(assertion) == Some(false)) {
            return false;
        }
        let mut evaluator = Evaluator::new(terms, &environment, model);
        evaluator.budget = Budget::new(EFFORT);
        let mut is_settled = true;
        for assertion in &environment.assertions {
            if self.verdicts.contains_key(assertion) {
                continue;
            }
            match evaluator.eval(*assertion) {
                Ok(Value::Bool(verdict)) => {
                    self.verdicts.insert(*assertion, verdict);
                    if !verdict {
                        return false;
                    }
                }
                _ => is_settled = false,
            }
        }
        // What the standard leaves open is chosen for all assertions together: of one alone it says nothing.
        is_settled
            || check(terms, &environment, model, Budget::new(EFFORT))
                .iter()
                .all(|verdict| *verdict == Evaluation::True)
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

#[cfg(test)]
mod tests {
    use smelt_smtlib::op::Dialect;
    use smelt_smtlib::read::read_script_as;
    use smelt_smtlib::term::Literal;

    use super::*;

    /// Whether x = 1 is a model of scripts, one after the other.
    fn check(scripts: &[&str]) -> Vec<bool> {
        let mut terms = Terms::new();
        let one = terms.literal(Literal::Numeral, "1", smelt_smtlib::sort::Sort::INT);
        let x = terms.symbols.intern("x");
        let mut model = Model::new();
        model.set(&terms, x, one);
        let mut seen = Seen::default();
        let holds = |source: &&str| {
            let source = format!("(declare-const x Int) {source} (check-sat)");
            let reading = read_script_as(&mut terms, &source, Dialect::V26);
            assert_eq!(reading.diagnostics, []);
            seen.holds(&terms, &reading.script, &model)
        };
        scripts.iter().map(holds).collect()
    }

    #[test]
    fn what_was_seen_is_not_forgotten() {
        let scripts = [
            "(assert (> x 0)) (assert (< x 2))",
            "(assert (> x 1)) (assert (< x 2))",
            "(assert (> x 1)) (assert (< x 3))",
            "(assert (> x 0)) (assert (< x 3))",
        ];
        assert_eq!(check(&scripts), [true, false, false, true]);
    }

    #[test]
    fn what_is_left_open_is_chosen_for_all_assertions_together() {
        let scripts = [
            "(assert (= (div x 0) 5))",
            "(assert (= (div x 0) 5)) (assert (= (div x 0) 7))",
            "(assert (= (div x 0) 7))",
            "(assert (= (div x 0) 7)) (assert (> x 0))",
        ];
        assert_eq!(check(&scripts), [true, false, true, true]);
    }

    #[test]
    fn the_name_of_a_term_means_what_the_term_means_now() {
        let scripts = [
            "(assert (or (! (= x 1) :named p) true)) (assert p)",
            "(assert (or (! (= x 2) :named p) true)) (assert p)",
        ];
        assert_eq!(check(&scripts), [true, false]);
    }
}

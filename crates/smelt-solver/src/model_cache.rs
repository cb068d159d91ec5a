//! What earlier checks have found: models of parts, and the last value of every constant.
//!
//! Scripts with many checks change little between them, so most parts of a check were solved before, and most of the
//! last values still fit. Nothing here can make an answer wrong: a model is evaluated on the assertions as they were
//! given, wherever it comes from, and refutations are not remembered.

use rustc_hash::FxHashMap;
use smelt_semantics::value::Value;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::Term;

use crate::model::Assignment;

/// Models that are remembered at a time.
const MAX_MODELS: usize = 10_000;

/// Models of earlier checks.
#[derive(Debug, Clone, Default)]
pub struct Earlier {
    /// Models by the assertions of a part, in their order.
    models: FxHashMap<Vec<Term>, Assignment>,
    values: Assignment,
}

impl Earlier {
    /// Whether no check has found anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    /// A model of exactly these assertions.
    pub(crate) fn model(&self, assertions: &[Term]) -> Option<&Assignment> {
        self.models.get(assertions)
    }

    /// The value of a constant in the last model that has one.
    pub(crate) fn value(&self, name: Symbol) -> Option<&Value> {
        self.values.get(name)
    }

    /// Keeps the model of a part.
    pub(crate) fn remember_model(&mut self, assertions: Vec<Term>, model: Assignment) {
        if self.models.len() >= MAX_MODELS {
            self.models.clear();
        }
        self.models.insert(assertions, model);
    }

    /// Keeps the values of a model of everything.
    pub(crate) fn remember_values(&mut self, model: &Assignment) {
        self.values.extend(model.clone());
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answer, Solver};

    #[test]
    fn a_part_that_was_solved_before_is_not_solved_again() {
        let mut solver = Solver::new();
        solver.declare("x", "String").unwrap();
        solver.declare("y", "String").unwrap();
        solver.assert_text("(str.contains (str.++ x \"a\" x) \"bab\")").unwrap();
        for (text, old_parts) in
            [("(= (str.++ y y) \"abab\")", 0), ("(not (= (str.++ y \"a\") (str.++ \"a\" y)))", 1)]
        {
            solver.push(1);
            solver.assert_text(text).unwrap();
            assert_eq!(solver.check(), Answer::Sat);
            assert_eq!(solver.statistics().get("preprocess.old-parts"), old_parts);
            solver.pop(1);
        }
    }

    #[test]
    fn the_values_of_an_earlier_check_are_tried() {
        let mut solver = Solver::new();
        solver.declare("i", "Int").unwrap();
        solver.declare("j", "Int").unwrap();
        solver.push(1);
        solver.assert_text("(and (= i 1009) (= j 1013))").unwrap();
        assert_eq!(solver.check(), Answer::Sat);
        solver.pop(1);
        solver.assert_text("(and (= (* i j) 1022117) (< 1 i j))").unwrap();
        assert_eq!(solver.check(), Answer::Sat);
        assert_eq!(solver.value_text("i").unwrap(), "1009");
    }
}

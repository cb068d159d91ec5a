//! Random formulas for a search, over the operators that all its solvers know, mean alike, and have methods for.
//!
//! A formula is text, so a search that runs for days keeps no more terms than those of the formula at hand.

use std::time::{Duration, Instant};

use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
use smelt_testgen::random::Random;
use smelt_testgen::random_formula::{Knobs, Weights, actions, insert};
use smelt_testgen::search::bandit::Maker;
use smelt_testgen::search::complexity::Complexity;
use smelt_testgen::search::contingent::contingent_script;

use super::measure::{Bench, Failed, Subject};
use crate::target::Target;

/// Operators that every string solver has methods for; formulas about others are made of these.
const PLAIN: [Op; 10] = [
    Op::Eq,
    Op::Not,
    Op::And,
    Op::Or,
    Op::StrConcat,
    Op::StrLen,
    Op::StrContains,
    Op::StrPrefixof,
    Op::StrToRe,
    Op::StrInRe,
];

/// In how many formulas an operator is tried.
const TRIES: usize = 4;

/// Makes formulas for some solvers.
#[derive(Debug, Clone)]
pub struct FormulaMaker {
    weights: Weights,
    actions: Vec<Op>,
}

impl FormulaMaker {
    /// Formulas that these solvers can be asked about; none if they have no operators in common.
    pub fn new(targets: &[Target]) -> Option<Self> {
        let is_common = |op: Op| {
            targets.iter().all(|target| {
                let meanings = &target.meanings;
                target.probe.capabilities.takes_operator(op)
                    && !meanings.older.contains(&op)
                    && !meanings.none.contains(&op)
            })
        };
        let actions: Vec<Op> = actions().into_iter().filter(|op| is_common(*op)).collect();
        let weights = Weights::default().filter(is_common);
        (!actions.is_empty()).then_some(FormulaMaker { weights, actions })
    }

    /// Leaves out operators on which one of the solvers gives up, and says which they are: a formula that has one of them
    /// most likely tells nothing about time.
    ///
    /// Each operator is asked about in a few small formulas, with nothing around it that solvers give up on, and all of them
    /// for no longer than `time`; those that are not asked about stay.
    pub(crate) fn leave_out_unknown(&mut self, bench: &Bench<'_>, time: Duration) -> Result<Vec<Op>, Failed> {
        let started = Instant::now();
        let plain: Vec<Op> = self.actions.iter().copied().filter(|op| PLAIN.contains(op)).collect();
        let weights = self.weights.clone().filter(|op| plain.contains(&op));
        let knobs = Knobs { literal_length: 4, variables: 3, assertions: 1, depth: 3, weights };
        let mut left_out = Vec::new();
        let mut random = Random::new(0);
        for op in self.actions.iter().copied().filter(|op| !plain.contains(op)) {
            for _ in 0..TRIES {
                if started.elapsed() >= time {
                    break;
                }
                let mut terms = Terms::new();
                let script = contingent_script(&mut terms, &knobs, &mut random);
                let Some(script) = insert(&mut terms, &script, op, &knobs, &mut random) else { continue };
                let mut subject = Subject::read(&text(&mut terms, &script));
                if bench.gives_up(&mut subject)? {
                    left_out.push(op);
                    break;
                }
            }
        }
        self.actions.retain(|op| !left_out.contains(op));
        self.weights = std::mem::take(&mut self.weights).filter(|op| !left_out.contains(&op));
        Ok(left_out)
    }

    /// The operators that formulas are changed by.
    pub fn operators(&self) -> &[Op] {
        &self.actions
    }

    fn knobs(&self, complexity: &Complexity) -> Knobs {
        Knobs {
            literal_length: complexity.literal_length,
            variables: complexity.variables,
            assertions: complexity.assertions,
            depth: complexity.depth,
            weights: self.weights.clone(),
        }
    }
}

impl Maker<String> for FormulaMaker {
    fn actions(&self) -> usize {
        self.actions.len()
    }

    fn fresh(&mut self, complexity: &Complexity, random: &mut Random) -> String {
        let mut terms = Terms::new();
        let script = contingent_script(&mut terms, &self.knobs(complexity), random);
        text(&mut terms, &script)
    }

    fn mutate(
        &mut self,
        formula: &String,
        action: usize,
        complexity: &Complexity,
        random: &mut Random,
    ) -> Option<String> {
        let mut terms = Terms::new();
        let script = read_script_as(&mut terms, formula, Dialect::V26).script;
        let knobs = self.knobs(complexity);
        let mutant = insert(&mut terms, &script, self.actions[action], &knobs, random)?;
        Some(text(&mut terms, &mutant))
    }
}

fn text(terms: &mut Terms, script: &Script) -> String {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(script);
    printer.finish()
}

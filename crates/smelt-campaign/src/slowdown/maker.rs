//! Random formulas for a search, over the operators that all its solvers know, mean alike, and have methods for.
//!
//! A formula is text, so a search that runs for days keeps no more terms than those of the formula at hand.

use std::io;

use smelt_oracle::run::Answer;
use smelt_runner::cache::Cache;
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
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

use super::measure::Subject;
use smelt_trial::SolverFailure;
use smelt_trial::target::Target;

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
    pub(crate) fn leave_out_unknown(
        &mut self,
        targets: &[Target],
        cache: &Cache,
    ) -> Result<Vec<Op>, SolverFailure> {
        let mut left_out = Vec::new();
        for target in targets {
            let unknown = unknown_to(target, cache).map_err(|error| SolverFailure::of(target, error))?;
            left_out.extend(unknown.into_iter().filter(|op| self.actions.contains(op)));
        }
        left_out.sort_unstable();
        left_out.dedup();
        self.actions.retain(|op| !left_out.contains(op));
        self.weights = std::mem::take(&mut self.weights).filter(|op| !left_out.contains(&op));
        Ok(left_out)
    }

    /// The operators that formulas are changed by.
    pub fn operators(&self) -> &[Op] {
        &self.actions
    }

    /// Each operator in a few small formulas, with nothing around it that solvers give up on.
    fn questions(&self) -> Vec<(Op, String)> {
        let weights = self.weights.clone().filter(|op| PLAIN.contains(&op));
        let knobs = Knobs { literal_length: 4, variables: 3, assertions: 1, depth: 3, weights };
        let mut random = Random::new(0);
        let mut questions = Vec::new();
        for op in self.actions.iter().copied().filter(|op| !PLAIN.contains(op)) {
            for _ in 0..TRIES {
                let mut terms = Terms::new();
                let script = contingent_script(&mut terms, &knobs, &mut random);
                if let Some(script) = insert(&mut terms, &script, op, &knobs, &mut random) {
                    questions.push((op, text(&mut terms, &script)));
                }
            }
        }
        questions
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

/// The operators on which a solver gives up, asked now unless it was asked before.
fn unknown_to(target: &Target, cache: &Cache) -> io::Result<Vec<Op>> {
    let Some(maker) = FormulaMaker::new(std::slice::from_ref(target)) else { return Ok(Vec::new()) };
    let questions = maker.questions();
    let texts: Vec<&str> = questions.iter().map(|(_, text)| text.as_str()).collect();
    let asked = blake3::hash(texts.concat().as_bytes()).to_hex().to_string();
    if let Some(names) = cache.get::<Vec<String>>(ENTRY, &target.solver, &asked) {
        return Ok(maker.actions.into_iter().filter(|op| names.contains(&format!("{op:?}"))).collect());
    }
    let mut session =
        Session::new(target.solver.clone(), Isolation::Reset, Limits::for_seconds(QUESTION_SECS));
    let mut unknown: Vec<Op> = Vec::new();
    let mut spent_ms = 0.0;
    for (op, text) in &questions {
        if unknown.contains(op) || spent_ms > 1e3 * ASKING_SECS {
            continue;
        }
        let mut subject = Subject::read(text);
        let run = session.run(&target.plain_text(&mut subject.terms, &subject.reading.script))?;
        spent_ms += run.cpu_ms;
        if run.answer == Answer::Unknown {
            unknown.push(*op);
        }
    }
    let names: Vec<String> = unknown.iter().map(|op| format!("{op:?}")).collect();
    cache.put(ENTRY, &target.solver, &asked, &names);
    Ok(unknown)
}

const ENTRY: &str = "gives-up";

/// Processor time for one question, and for all of them; what is not asked for want of time is taken for decided.
const QUESTION_SECS: f64 = 1.0;
const ASKING_SECS: f64 = 20.0;

fn text(terms: &mut Terms, script: &Script) -> String {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(script);
    printer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_is_asked_about_in_formulas_that_have_it() {
        let maker = FormulaMaker::new(&[]).unwrap();
        let questions = maker.questions();
        let asked = |op: Op| questions.iter().filter(|(about, _)| *about == op).count();
        let rest: Vec<Op> =
            maker.operators().iter().copied().filter(|op| !PLAIN.contains(op) && asked(*op) == 0).collect();
        // What gives no string, number or truth value may find no place.
        assert!(rest.len() * 4 < maker.operators().len(), "{rest:?}");
        for (op, text) in &questions {
            assert!(text.contains(op.info().name), "{op:?} {text}");
        }
    }

    #[test]
    fn mutants_differ_from_what_they_are_made_of() {
        let mut maker = FormulaMaker::new(&[]).unwrap();
        let mut random = Random::new(1);
        let complexity = Complexity { literal_length: 5, variables: 3, assertions: 3, depth: 3 };
        let formula = maker.fresh(&complexity, &mut random);
        let mutants: Vec<String> = (0..maker.actions())
            .filter_map(|action| maker.mutate(&formula, action, &complexity, &mut random))
            .collect();
        assert!(mutants.len() > 10 && mutants.iter().all(|mutant| *mutant != formula));
    }
}

//! Consistency: a solver asked the same in another way must not say the opposite.
//!
//! Of a share of the cases, every solver that decided is asked again with one change that cannot change the answer.
//! Which change it is depends on the case.

use smelt_smtlib::op::Op;
use smelt_smtlib::rename::rename_declared;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::{Judge, JudgeStep, Observed, blame};
use crate::evaluated::{EvaluatedRun, Formula};
use crate::finding::{Class, Evidence};
use crate::flatten::flatten;
use crate::run::Answer;

/// One in so many cases is looked at.
const SHARE: u64 = 16;

/// At most so many terms are asked for by value.
const MAX_VALUES: usize = 24;

/// Blames a solver for contradicting itself.
#[derive(Debug)]
pub(super) struct Inconsistency;

/// A way to ask the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Values,
    Assumptions,
    Names,
    Order,
}

impl Change {
    /// All of them.
    const ALL: [Change; 4] = [Change::Values, Change::Assumptions, Change::Names, Change::Order];

    /// The change for a case.
    fn of(sample_key: u64) -> Option<Change> {
        // Not the cases that other judges look at.
        (sample_key % SHARE == 1)
            .then(|| Change::ALL[(sample_key / SHARE % Change::ALL.len() as u64) as usize])
    }

    fn words(self) -> &'static str {
        match self {
            Change::Values => "values asked for with get-value",
            Change::Assumptions => "assertions as assumptions of check-sat-assuming",
            Change::Names => "other names",
            Change::Order => "assertions in another order",
        }
    }

    /// A plain case, asked in another way.
    fn apply(self, terms: &mut Terms, script: &Script) -> Option<Script> {
        match self {
            Change::Values => with_values(terms, script),
            Change::Assumptions => with_assumptions(terms, script),
            Change::Names => {
                let mut renamed = script.clone();
                rename_declared(terms, &mut renamed);
                (renamed.commands != script.commands).then_some(renamed)
            }
            Change::Order => reversed(script),
        }
    }

    /// What in a reply contradicts the first run, in words; nothing if they agree.
    fn contradiction(
        self,
        terms: &mut Terms,
        formula: &Formula,
        first: &EvaluatedRun,
        reply: &EvaluatedRun,
    ) -> Option<String> {
        let (before, after) = (first.run.answer, reply.run.answer);
        if after.is_decided() && after != before {
            return Some(format!("`{}`, then `{}`", before.word(), after.word()));
        }
        if self != Change::Values || after != Answer::Sat {
            return None;
        }
        let values = formula.contradicted_values(terms, &reply.run.output, reply.dialect);
        let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
        (!values.is_empty()).then(|| format!("the model contradicts {}", texts.join(" ")))
    }
}

impl Judge for Inconsistency {
    fn name(&self) -> &'static str {
        "consistency"
    }

    fn about(&self) -> &'static str {
        "a solver contradicts itself when it is asked the same in another way"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::Inconsistency]
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let Some(script) = flatten(terms, observed.script) else { return JudgeStep::Done(Vec::new()) };
        let Some(change) = Change::of(observed.sample_key) else { return JudgeStep::Done(Vec::new()) };
        let concerns = |checked: &&EvaluatedRun| match change {
            Change::Values => checked.run.answer == Answer::Sat,
            _ => checked.run.answer.is_decided(),
        };
        let deciders: Vec<&EvaluatedRun> = observed.runs.iter().filter(concerns).collect();
        if deciders.is_empty() {
            return JudgeStep::Done(Vec::new());
        }
        if replies.is_empty() {
            let Some(script) = change.apply(terms, &script) else { return JudgeStep::Done(Vec::new()) };
            return JudgeStep::Ask(
                deciders.iter().map(|checked| observed.ask(checked, script.clone())).collect(),
            );
        }
        let blamed = deciders.iter().zip(replies).filter_map(|(checked, reply)| {
            let evidence = Evidence::Contradiction {
                change: change.words().to_owned(),
                contradiction: change.contradiction(terms, observed.formula, checked, reply)?,
                output: reply.run.output.clone(),
            };
            Some(blame(Class::Inconsistency, checked, evidence))
        });
        JudgeStep::Done(blamed.collect())
    }
}

/// Asks for the model, then for the values of constants and terms.
fn with_values(terms: &Terms, script: &Script) -> Option<Script> {
    let assertions: Vec<Term> = script.assertions().collect();
    let mut values: Vec<Term> = subterms(terms, &assertions)
        .into_iter()
        .filter(|term| !terms.has_locals(*term) && !terms.is_binder(*term) && is_simple(terms.sort(*term)))
        .collect();
    values.truncate(MAX_VALUES);
    if values.is_empty() {
        return None;
    }
    let mut asking = script.clone();
    asking.push(Command::GetModel);
    asking.push(Command::GetValue(values));
    Some(asking)
}

fn is_simple(sort: Sort) -> bool {
    [Sort::BOOL, Sort::INT, Sort::STRING].contains(&sort)
}

/// Each assertion implied by a constant of its own, and all of these constants assumed.
fn with_assumptions(terms: &mut Terms, script: &Script) -> Option<Script> {
    let mut assuming = script.emptied();
    let mut assumptions = Vec::new();
    for command in &script.commands {
        match command {
            Command::Assert(term) => {
                let name = terms.symbols.fresh("assumed");
                let assumption = terms.constant(name, Sort::BOOL);
                let implication = terms.apply(Op::Implies, &[], &[assumption, *term]).ok()?;
                assuming.push(Command::DeclareConst(name, Sort::BOOL));
                assuming.push(Command::Assert(implication));
                assumptions.push(assumption);
            }
            Command::CheckSat => assuming.push(Command::CheckSatAssuming(assumptions.clone())),
            other => assuming.push(other.clone()),
        }
    }
    Some(assuming)
}

/// The assertions in reverse order; nothing if definitions stand between them or there is only one.
fn reversed(script: &Script) -> Option<Script> {
    let is_assertion = |command: &Command| matches!(command, Command::Assert(_));
    let first = script.commands.iter().position(is_assertion)?;
    let last = script.commands.iter().rposition(is_assertion)?;
    if first == last || !script.commands[first..=last].iter().all(is_assertion) {
        return None;
    }
    let mut turned = script.emptied();
    let (before, rest) = script.commands.split_at(first);
    let (assertions, after) = rest.split_at(last + 1 - first);
    for command in before.iter().chain(assertions.iter().rev()).chain(after) {
        turned.push(command.clone());
    }
    Some(turned)
}

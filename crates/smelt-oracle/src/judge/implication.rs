//! Implication: a solver decides a formula and gives up on the next of its chain, whose answer follows.
//!
//! What a weaker formula than a satisfiable one or a stronger one than an unsatisfiable one is, is known. The formula
//! before is asked again in a fresh process. An answer counts if its model is not refuted and nobody contradicts it.
//!
//! Follows chapter 6 of Winterer's thesis. A step that puts the first quantifier into a formula changes the logic, and
//! that solvers give up then is no news.

use smelt_smtlib::print::script_text;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::incompleteness::gives_up;
use super::{Judge, JudgeStep, Observed, Parent, blame};
use crate::case::Expectation;
use crate::evaluated::EvaluatedRun;
use crate::finding::{Class, Evidence};
use crate::run::Answer;

/// Blames a solver for giving up on what follows from a formula that it decides.
#[derive(Debug)]
pub(super) struct Implication;

impl Judge for Implication {
    fn name(&self) -> &'static str {
        "implication"
    }

    fn about(&self) -> &'static str {
        "a solver gives up on a formula whose answer follows from one that it decides"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::IncompletenessImplication]
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let Some(parent) = observed.parent else { return JudgeStep::Done(Vec::new()) };
        let suspects: Vec<&EvaluatedRun> = observed
            .saying(Answer::Unknown)
            .filter(|checked| gives_up(checked) && may_decide(observed, &parent, checked))
            .collect();
        if suspects.is_empty()
            || is_quantified(terms, observed.script) && !is_quantified(terms, parent.script)
        {
            return JudgeStep::Done(Vec::new());
        }
        if replies.is_empty() {
            let ask = |suspect: &&EvaluatedRun| observed.ask(suspect, parent.script.clone());
            return JudgeStep::Ask(suspects.iter().map(ask).collect());
        }
        let mut verdicts = Vec::new();
        for (suspect, reply) in suspects.iter().zip(replies) {
            if !implies(observed, &parent, reply) {
                continue;
            }
            let evidence = Evidence::EarlierLink {
                formula: script_text(terms, parent.script),
                answer: reply.run.answer,
                change: parent.change.to_owned(),
                reason: suspect.run.reason.clone().unwrap_or_default(),
            };
            verdicts.push(blame(Class::IncompletenessImplication, suspect, evidence));
        }
        JudgeStep::Done(verdicts)
    }
}

/// Whether a solver may have decided the formula before; if it was run, that is known.
fn may_decide(observed: &Observed<'_>, parent: &Parent<'_>, suspect: &EvaluatedRun) -> bool {
    let Some(runs) = parent.runs else { return true };
    let own = runs.iter().find(|checked| checked.run.solver == suspect.run.solver);
    own.is_none_or(|own| implies(observed, parent, own))
}

/// Whether a run of the formula before tells the answer to the case, and nobody says otherwise.
fn implies(observed: &Observed<'_>, parent: &Parent<'_>, run: &EvaluatedRun) -> bool {
    let (before, opposite) = match run.run.answer {
        Answer::Sat => (Expectation::Sat, Answer::Unsat),
        Answer::Unsat => (Expectation::Unsat, Answer::Sat),
        _ => return false,
    };
    let expected = parent.relation.expectation(before);
    let is_expected = observed.expectation == Expectation::None || observed.expectation == expected;
    let is_contradicted = observed.saying(opposite).next().is_some()
        || parent.runs.is_some_and(|runs| runs.iter().any(|other| other.run.answer == opposite));
    expected != Expectation::None && is_expected && !is_contradicted && !run.model.is_refuted()
}

fn is_quantified(terms: &Terms, script: &Script) -> bool {
    let roots: Vec<Term> = script.terms().collect();
    let is_quantifier = |term: Term| matches!(terms.head(term), Head::Forall(_) | Head::Exists(_));
    subterms(terms, &roots).into_iter().any(is_quantifier)
}

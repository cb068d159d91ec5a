//! Unsat cores: what a solver calls a core must be unsatisfiable by itself.
//!
//! Of a share of the cases, solvers that say `unsat` are asked for a core, and all solvers are asked about the core
//! alone. A model that our evaluator accepts refutes the core. A solver that no longer says `unsat` once cores are
//! wanted contradicts itself, which is the business of another judge.

use smelt_semantics::Budget;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sexp::{Kind, Scanner, Tape};
use smelt_smtlib::term::{Attribute, AttributeValue, Head, Term, Terms};

use super::truth::certificate;
use super::{Judge, JudgeStep, Observed, Question, blame};
use crate::case::Expectation;
use crate::evaluated::{EvaluatedRun, ModelCheck};
use crate::finding::{Class, Evidence};
use crate::flatten::{flatten, only};
use crate::run::Answer;

/// One in so many cases is looked at.
const SHARE: u64 = 8;

/// Blames a solver for a core that has a model.
#[derive(Debug)]
pub(super) struct InvalidCore;

impl Judge for InvalidCore {
    fn name(&self) -> &'static str {
        "core"
    }

    fn about(&self) -> &'static str {
        "a solver prints an unsat core that has a model"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::InvalidCore, Class::SoundnessRefutation]
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let Some(script) = flatten(terms, observed.script) else { return JudgeStep::Done(Vec::new()) };
        let assertion_count = script.assertions().count();
        // Where the case is satisfiable, `unsat` itself is wrong, which other judges say; a core adds nothing to that.
        if observed.expectation == Expectation::Sat || certificate(observed).is_some() {
            return JudgeStep::Done(Vec::new());
        }
        let refuters: Vec<&EvaluatedRun> = observed.saying(Answer::Unsat).collect();
        if !observed.sample_key.is_multiple_of(SHARE) || assertion_count < 2 || refuters.is_empty() {
            return JudgeStep::Done(Vec::new());
        }
        if replies.is_empty() {
            let script = with_names(terms, &script);
            return JudgeStep::Ask(
                refuters.iter().map(|checked| observed.ask(checked, script.clone())).collect(),
            );
        }
        let (with_cores, alone) = replies.split_at(refuters.len().min(replies.len()));
        let cores: Vec<(&EvaluatedRun, Vec<usize>)> = with_cores
            .iter()
            .filter(|reply| reply.run.answer == Answer::Unsat)
            .filter_map(|reply| Some((reply, core_in(&reply.run.output)?)))
            .filter(|(_, core)| {
                core.len() < assertion_count && core.iter().all(|number| *number < assertion_count)
            })
            .collect();
        if alone.is_empty() && !cores.is_empty() {
            return JudgeStep::Ask(
                cores.iter().flat_map(|(_, core)| questions(observed, &script, core)).collect(),
            );
        }
        // Every solver was asked about the first core, then about the second, and so on.
        let opinions = alone.chunks(observed.runs.len().max(1));
        let blamed = cores.iter().zip(opinions).filter_map(|((printer, core), opinions)| {
            let refuter = opinions
                .iter()
                .find(|reply| reply.run.answer == Answer::Sat && reply.model == ModelCheck::Accepted)?;
            let (solver, model) = (refuter.run.solver.clone(), refuter.run.output.clone());
            // A model of the core may be one of all assertions: then it is the answer that is wrong.
            let whole = observed.formula.check_model(terms, &model, refuter.dialect, Budget::default());
            if whole == ModelCheck::Accepted {
                return Some(blame(Class::SoundnessRefutation, printer, Evidence::Model { solver, model }));
            }
            let assertions = core.iter().map(|number| number + 1).collect();
            Some(blame(Class::InvalidCore, printer, Evidence::Core { assertions, solver, model }))
        });
        JudgeStep::Done(blamed.collect())
    }
}

/// Every solver about the core alone.
fn questions(observed: &Observed<'_>, script: &Script, core: &[usize]) -> Vec<Question> {
    let numbers: Vec<usize> = core.iter().map(|number| number + 1).collect();
    let script = only(script, &numbers);
    observed.runs.iter().map(|checked| observed.ask(checked, script.clone())).collect()
}

/// What the names of assertions begin with; their numbers follow.
const STEM: &str = "smelt-core-";

/// The script with a name for each assertion, and a request for the core in the end.
fn with_names(terms: &mut Terms, script: &Script) -> Script {
    let mut named = script.emptied();
    let option = terms.symbols.intern(":produce-unsat-cores");
    let yes = terms.symbols.intern("true");
    let keyword = terms.symbols.intern(":named");
    named.push(Command::SetOption(option, Some(yes)));
    let mut number = 0;
    for command in &script.commands {
        named.push(match command {
            Command::Assert(term) => {
                let name = terms.symbols.intern(&format!("{STEM}{number}"));
                number += 1;
                let attribute = Attribute { keyword, value: AttributeValue::Name(name) };
                let attributes = terms.intern_attributes(&[attribute]);
                let term = without_name(terms, *term);
                let sort = terms.sort(term);
                Command::Assert(terms.intern(Head::Annotated(attributes), &[term], sort))
            }
            other => other.clone(),
        });
    }
    named.push(Command::GetUnsatCore);
    named
}

/// The term without a name that an earlier call of [`with_names`] gave it, as in the scripts of findings: the names
/// given now are the same ones, and solvers reject a name that is defined twice.
fn without_name(terms: &Terms, term: Term) -> Term {
    let Head::Annotated(attributes) = terms.head(term) else { return term };
    let is_ours = |attribute: &Attribute| match attribute.value {
        AttributeValue::Name(name) => terms.symbols.text(name).starts_with(STEM),
        _ => false,
    };
    match terms.attributes(attributes) {
        [attribute] if is_ours(attribute) => terms.args(term)[0],
        _ => term,
    }
}

/// The assertions in a core that was printed, counted from 0.
fn core_in(output: &str) -> Option<Vec<usize>> {
    let mut scanner = Scanner::new(output);
    let mut tape = Tape::new();
    while let Ok(true) = scanner.read(&mut tape) {
        if tape.node(0).kind != Kind::List {
            continue;
        }
        let names = (1..tape.len()).map(|index| tape.node(index).span.text(output).trim_matches('|'));
        let numbers: Option<Vec<usize>> = names.map(|name| name.strip_prefix(STEM)?.parse().ok()).collect();
        if numbers.is_some() {
            return numbers;
        }
    }
    None
}

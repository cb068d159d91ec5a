//! Values and assumptions in full: what a solver prints after a check besides its answer must agree with it.
//!
//! After each `sat`, at any level of a session, it is asked for the model and for the values of the closed terms in
//! force, of parts of them and of all constants; after an `unsat` under assumptions for those that it needs. A value
//! that our evaluator gives another under the model is wrong, and so are needed assumptions that are not among those
//! that were made, or that have a model with all that is in force.

use std::collections::HashSet;

use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::script::{Command, Role, Script};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::trace::{answered_part, printed_after};
use super::{Judge, JudgeStep, Observed, Question, blame};
use crate::evaluated::{EvaluatedRun, Formula, ModelCheck};
use crate::finding::{Class, Evidence, JudgedModel, SolverAnswer, Verdict};
use crate::flatten::flatten_each;
use crate::run::Answer;

/// At most so many terms are asked for by value after a check.
const MAX_VALUES: usize = 64;
/// At most so many sets of needed assumptions are looked at in each session.
const MAX_ASSUMED: usize = 4;

/// Blames a solver for values that are not those of its model, and for needed assumptions that do not suffice.
#[derive(Debug)]
pub(super) struct Values;

impl Judge for Values {
    fn name(&self) -> &'static str {
        "values"
    }

    fn about(&self) -> &'static str {
        "`get-value` contradicts `get-model`, or needed assumptions do not suffice"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::InvalidModel, Class::InvalidCore]
    }

    /// It costs a run for each case and solver.
    fn is_usual(&self) -> bool {
        false
    }

    fn is_about_sessions(&self) -> bool {
        true
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let plain = flatten_each(terms, observed.script);
        let answers = |checked: &EvaluatedRun| checked.run.answers.iter().any(|answer| answer.is_decided());
        let asked: Vec<&EvaluatedRun> = observed.runs.iter().filter(|checked| answers(checked)).collect();
        if asked.is_empty() || plain.iter().all(Option::is_none) {
            return JudgeStep::Done(Vec::new());
        }
        let request = |terms: &mut Terms, checked: &EvaluatedRun| -> Question {
            observed.ask(checked, request(terms, observed.script, &plain, &checked.run.answers))
        };
        if replies.is_empty() {
            return JudgeStep::Ask(asked.iter().map(|checked| request(terms, checked)).collect());
        }
        let (sessions, rest) = replies.split_at(asked.len().min(replies.len()));
        let mut claims: Vec<Claim> = Vec::new();
        for (session, reply) in sessions.iter().enumerate() {
            claims.extend(claims_of(terms, observed.script, &plain, reply, session));
        }
        if rest.is_empty() && !claims.is_empty() {
            let mut questions = Vec::new();
            for claim in &claims {
                questions.push(request(terms, asked[claim.session]));
                questions
                    .extend(observed.runs.iter().map(|checked| observed.ask(checked, claim.script.clone())));
            }
            return JudgeStep::Ask(questions);
        }
        let mut verdicts: Vec<Verdict> = Vec::new();
        for (claim, replies) in claims.into_iter().zip(rest.chunks(observed.runs.len() + 1)) {
            let Some((again, opinions)) = replies.split_first() else { continue };
            let again = claims_of(terms, observed.script, &plain, again, claim.session);
            let is_again = again.iter().any(|other| other.check == claim.check && other.kind == claim.kind);
            let verdict = verdict(terms, &claim, &sessions[claim.session], opinions).filter(|_| is_again);
            let is_new = |verdict: &Verdict| {
                !verdicts
                    .iter()
                    .any(|known| (known.class, &known.culprit) == (verdict.class, &verdict.culprit))
            };
            verdicts.extend(verdict.filter(is_new));
        }
        JudgeStep::Done(verdicts)
    }
}

/// What is printed after a check and to be judged.
struct Claim {
    /// The position of the session.
    session: usize,
    /// The check, counted from 0.
    check: usize,
    kind: Kind,
    /// What was printed.
    printed: String,
    /// A value: what is in force, and that the term has this value. Assumptions: what is in force, and they themselves.
    script: Script,
    /// The model that refutes it already, and the number of the assertion that is false under it.
    refutation: Option<JudgedModel>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Value,
    /// The same, and the script asserts the whole model: no solver may call it satisfiable.
    PinnedValue,
    Assumptions,
    /// One of them was never made.
    ForeignAssumption,
}

impl Kind {
    fn is_value(self) -> bool {
        matches!(self, Kind::Value | Kind::PinnedValue)
    }
}

/// A script up to the last check that was answered, with requests that fit the answers.
fn request(terms: &mut Terms, script: &Script, plain: &[Option<Script>], answers: &[Answer]) -> Script {
    let mut asking = script.emptied();
    let assumes = script.commands.iter().any(|command| matches!(command, Command::CheckSatAssuming(_)));
    let option = terms.symbols.intern(":produce-unsat-assumptions");
    let is_set = |command: &Command| matches!(command, Command::SetOption(name, _) if *name == option);
    if assumes && !script.commands.iter().any(is_set) {
        let yes = terms.symbols.intern("true");
        asking.push(Command::SetOption(option, Some(yes)));
    }
    let mut checks = answers.iter().zip(plain);
    for command in answered_part(script, answers.len()) {
        match (command, command.role()) {
            (_, Role::Question) => {}
            (_, Role::Check) => {
                let Some((answer, plain)) = checks.next() else { break };
                asking.push(command.clone());
                match (answer, command, plain) {
                    (Answer::Sat, _, Some(plain)) => {
                        asking.push(Command::GetModel);
                        let values = values_of(terms, plain);
                        if !values.is_empty() {
                            asking.push(Command::GetValue(values));
                        }
                    }
                    (Answer::Unsat, Command::CheckSatAssuming(_), _) => {
                        asking.push(Command::GetUnsatAssumptions);
                    }
                    _ => {}
                }
            }
            _ => asking.push(command.clone()),
        }
    }
    asking
}

/// The constants of a plain script, used or not, and the closed terms in it; not those of sorts without literals.
fn values_of(terms: &mut Terms, plain: &Script) -> Vec<Term> {
    let mut values = Vec::new();
    for command in &plain.commands {
        match command {
            Command::DeclareConst(name, sort) => values.push(terms.constant(*name, *sort)),
            Command::DeclareFun(name, params, sort) if params.is_empty() => {
                values.push(terms.constant(*name, *sort));
            }
            _ => {}
        }
    }
    let assertions: Vec<Term> = plain.assertions().collect();
    values.extend(subterms(terms, &assertions));
    values.retain(|term| {
        !terms.has_locals(*term)
            && !terms.is_binder(*term)
            && !matches!(terms.sort(*term), Sort::UNKNOWN | Sort::REG_LAN)
    });
    let mut seen = HashSet::new();
    values.retain(|term| seen.insert(*term));
    values.truncate(MAX_VALUES);
    values
}

/// What a session printed that is wrong or has to be asked about.
fn claims_of(
    terms: &mut Terms,
    script: &Script,
    plain: &[Option<Script>],
    session: &EvaluatedRun,
    position: usize,
) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut assumed = 0;
    let checks: Vec<&Command> = script.commands.iter().filter(|one| one.role() == Role::Check).collect();
    for (check, answer) in session.run.answers.iter().enumerate().take(plain.len()) {
        let Some(form) = &plain[check] else { continue };
        let printed = printed_after(&session.run, check);
        match (answer, checks[check]) {
            (Answer::Sat, _) if !claims.iter().any(|claim: &Claim| claim.kind.is_value()) => {
                let found = false_value(terms, form, session, printed);
                claims.extend(found.map(|found| Claim { session: position, check, ..found }));
            }
            (Answer::Unsat, Command::CheckSatAssuming(made)) if assumed < MAX_ASSUMED => {
                if let Some(found) = needed(terms, form, made, session.dialect, printed) {
                    assumed += 1;
                    claims.push(Claim { session: position, check, ..found });
                }
            }
            _ => {}
        }
    }
    claims
}

/// The first value after a model that the model contradicts.
fn false_value(terms: &mut Terms, plain: &Script, session: &EvaluatedRun, printed: &str) -> Option<Claim> {
    let formula = Formula::of_script(terms, plain)?;
    let false_value = formula.contradicted_values(terms, printed, session.dialect).into_iter().next()?;
    let mut script = plain.emptied();
    let (check, before) = plain.commands.split_last()?;
    before.iter().for_each(|command| script.push(command.clone()));
    script.push(Command::Assert(false_value.claim));
    script.push(check.clone());
    let number = script.assertions().count();
    let mut tape = Tape::new();
    let model = match Scanner::new(printed).read(&mut tape) {
        Ok(true) => tape.node(0).span.text(printed),
        _ => return None,
    };
    let pinned = formula.pinned(terms, &script, model, session.dialect);
    let refutation = JudgedModel {
        solver: session.run.solver.clone(),
        text: model.to_owned(),
        false_assertions: vec![number],
    };
    Some(Claim {
        session: 0,
        check: 0,
        kind: if pinned.is_some() { Kind::PinnedValue } else { Kind::Value },
        printed: false_value.text,
        script: pinned.unwrap_or(script),
        refutation: Some(refutation),
    })
}

/// The assumptions that a solver says it needs, to be asked about.
fn needed(
    terms: &mut Terms,
    plain: &Script,
    made: &[Term],
    dialect: Dialect,
    printed: &str,
) -> Option<Claim> {
    let formula = Formula::of_script(terms, plain)?;
    let mut tape = Tape::new();
    if !matches!(Scanner::new(printed).read(&mut tape), Ok(true)) || printed.starts_with("(error") {
        return None;
    }
    let list = tape.node(0).span.text(printed).to_owned();
    let texts: Vec<String> =
        tape.children(0).map(|place| tape.node(place).span.text(printed).to_owned()).collect();
    let mut chosen = Vec::new();
    for text in texts {
        let term = formula.read_term(terms, &text, dialect);
        chosen.push(term.filter(|term| terms.sort(*term) == Sort::BOOL)?);
    }
    // Terms may come back in another form; constants and their negations do not.
    let is_foreign = chosen.iter().any(|term| is_literal(terms, *term) && !made.contains(term));
    let mut script = plain.emptied();
    let (check, before) = plain.commands.split_last()?;
    // The assumptions that were made are the last assertions.
    let kept = before.len().checked_sub(made.len())?;
    before[..kept].iter().for_each(|command| script.push(command.clone()));
    chosen.iter().for_each(|term| script.push(Command::Assert(*term)));
    script.push(check.clone());
    let kind = if is_foreign { Kind::ForeignAssumption } else { Kind::Assumptions };
    Some(Claim { session: 0, check: 0, kind, printed: list, script, refutation: None })
}

fn is_literal(terms: &Terms, term: Term) -> bool {
    let atom = if terms.op(term) == Some(Op::Not) { terms.args(term)[0] } else { term };
    matches!(terms.head(atom), Head::Global(_)) && terms.args(atom).is_empty()
}

/// What the replies of all solvers to the script of a claim make of it.
fn verdict(
    terms: &mut Terms,
    claim: &Claim,
    session: &EvaluatedRun,
    opinions: &[EvaluatedRun],
) -> Option<Verdict> {
    let has_said = |answer| opinions.iter().any(|reply| reply.run.answer == answer);
    let accepted = opinions
        .iter()
        .find(|reply| reply.run.answer == Answer::Sat && reply.model == ModelCheck::Accepted)
        .map(|reply| JudgedModel {
            solver: reply.run.solver.clone(),
            text: reply.run.output.clone(),
            false_assertions: Vec::new(),
        });
    let (class, said, model) = match claim.kind {
        Kind::PinnedValue if has_said(Answer::Sat) => return None,
        Kind::Value | Kind::PinnedValue => (Class::InvalidModel, Answer::Sat, claim.refutation.clone()),
        Kind::Assumptions => (Class::InvalidCore, Answer::Unsat, Some(accepted?)),
        Kind::ForeignAssumption => (Class::InvalidCore, Answer::Unsat, accepted),
    };
    let alone = opinions
        .iter()
        .map(|reply| SolverAnswer { solver: reply.run.solver.clone(), answer: reply.run.answer })
        .collect();
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(&claim.script);
    let script = printer.finish();
    let printed = Some(claim.printed.clone());
    let evidence = Evidence::Trace { check: claim.check + 1, said, printed, script, alone, model };
    Some(blame(class, session, evidence))
}

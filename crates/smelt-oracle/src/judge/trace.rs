//! Traces: an incremental session must answer each check as a script does that has just what is in force there.
//!
//! A case with several checks, levels or assumptions is run again with a request for a model after each `sat`. What our
//! evaluator accepts is settled; every other answer is compared with the plain form of its check, asked of the same
//! solver in a fresh process. Where they contradict each other, the session is run once more, and all solvers are asked
//! about the plain form: a model that our evaluator accepts shows a wrong `unsat`, one that it refutes an invalid model,
//! and otherwise the solver contradicts itself. Answers that are not decided never count.

use smelt_semantics::Budget;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::script::{Command, Role, Script};
use smelt_smtlib::term::Terms;

use super::weigh::is_outvoted;
use super::{Judge, JudgeStep, Observed, Question, blame};
use crate::evaluated::{EvaluatedRun, Formula, ModelCheck};
use crate::finding::{Class, Evidence, JudgedModel, SolverAnswer, Verdict};
use crate::flatten::{flatten_each, is_incremental};
use crate::run::{Answer, Run};

/// Cases with fewer checks are looked at by their share only: most of them check the same in several ways.
const FEW_CHECKS: usize = 3;
/// One in so many cases with few checks is looked at.
const SHARE: u64 = 4;
/// How sessions are run again, each as often as the others.
const WAYS: [Way; 4] = [Way::Models, Way::Models, Way::Silent, Way::Limited];
/// Limits on the effort of each check, smallest first, for the families that have them.
const LIMITS: [(&str, &str, [&str; 4]); 2] = [
    ("z3", ":rlimit", ["3000", "20000", "100000", "1000000"]),
    ("cvc5", ":rlimit-per", ["100", "300", "1000", "10000"]),
];
/// At most so many plain forms are asked of each solver.
const MAX_ALONE: usize = 16;

/// Blames a solver for what it answers in an incremental session.
#[derive(Debug)]
pub(super) struct TraceInconsistency;

/// How a session is run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With a request for a model after each `sat`.
    Models,
    /// Without any.
    Silent,
    /// The same, with a limit on effort for each check: what a check leaves behind that gave up must not show later.
    Limited,
}

/// The sample key nearest to this one with which a case is looked at however few checks it has, and in the same way: for
/// cases of which it is known that there is something to see.
pub fn always_looked_at(sample_key: u64) -> u64 {
    sample_key - sample_key % SHARE
}

impl Judge for TraceInconsistency {
    fn name(&self) -> &'static str {
        "trace"
    }

    fn about(&self) -> &'static str {
        "a check in a session is answered otherwise than what is in force there"
    }

    fn classes(&self) -> &'static [Class] {
        &[
            Class::TraceInconsistency,
            Class::SoundnessRefutation,
            Class::SoundnessSolution,
            Class::InvalidModel,
        ]
    }

    fn is_about_sessions(&self) -> bool {
        true
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let silent = || JudgeStep::Done(Vec::new());
        if !is_incremental(observed.script) {
            return silent();
        }
        let plain = flatten_each(terms, observed.script);
        if plain.len() < FEW_CHECKS && !observed.sample_key.is_multiple_of(SHARE) {
            return silent();
        }
        let asked: Vec<&EvaluatedRun> = observed
            .runs
            .iter()
            .filter(|checked| checked.run.answers.iter().any(|answer| answer.is_decided()))
            .collect();
        if asked.is_empty() {
            return silent();
        }
        let drawn = observed.sample_key / SHARE;
        let way = WAYS[(drawn % WAYS.len() as u64) as usize];
        let mut sessions_of = Vec::new();
        for checked in &asked {
            let mut script = session(observed.script, &checked.run.answers, way);
            if way == Way::Limited {
                script = limited(terms, &script, &checked.family, drawn / WAYS.len() as u64);
            }
            sessions_of.push(script);
        }
        let session =
            |position: usize| -> Question { observed.ask(asked[position], sessions_of[position].clone()) };
        if replies.is_empty() {
            return JudgeStep::Ask((0..asked.len()).map(session).collect());
        }
        let (sessions, rest) = replies.split_at(asked.len().min(replies.len()));
        let checks = Checks::new(terms, &plain, sessions);
        let suspects: Vec<Suspect> =
            (0..sessions.len()).flat_map(|session| checks.suspects(session, observed.sample_key)).collect();
        if rest.is_empty() && !suspects.is_empty() {
            let about =
                |suspect: &Suspect| observed.ask(asked[suspect.session], checks.plain_form(suspect.check));
            return JudgeStep::Ask(suspects.iter().map(about).collect());
        }
        let (alone, rest) = rest.split_at(suspects.len().min(rest.len()));
        let contradicted = checks.contradicted(&suspects, alone);
        if rest.is_empty() && !contradicted.is_empty() {
            let mut questions = Vec::new();
            for suspect in &contradicted {
                questions.push(session(suspect.session));
                let form = checks.plain_form(suspect.check);
                questions.extend(observed.runs.iter().map(|checked| observed.ask(checked, form.clone())));
            }
            return JudgeStep::Ask(questions);
        }
        let verdicts =
            contradicted.iter().zip(rest.chunks(observed.runs.len() + 1)).filter_map(|(suspect, replies)| {
                let (again, opinions) = replies.split_first()?;
                checks.verdict(terms, suspect, again, opinions)
            });
        JudgeStep::Done(verdicts.collect())
    }
}

/// A script up to the last check that was answered, with a request for a model after each check that was answered `sat`
/// and without all other questions.
fn session(script: &Script, answers: &[Answer], way: Way) -> Script {
    let mut session = script.emptied();
    let mut answers = answers.iter();
    for command in answered_part(script, answers.len()) {
        match command.role() {
            Role::Question => {}
            Role::Check => {
                session.push(command.clone());
                if answers.next() == Some(&Answer::Sat) && way == Way::Models {
                    session.push(Command::GetModel);
                }
            }
            _ => session.push(command.clone()),
        }
    }
    session
}

/// A script with a limit on the effort of each check, where a family has one.
fn limited(terms: &mut Terms, script: &Script, family: &str, drawn: u64) -> Script {
    let Some((_, option, values)) = LIMITS.iter().find(|(known, ..)| *known == family) else {
        return script.clone();
    };
    let value = values[(drawn % values.len() as u64) as usize];
    let (option, value) = (terms.symbols.intern(option), terms.symbols.intern(value));
    let mut limited = script.emptied();
    limited.push(Command::SetOption(option, Some(value)));
    script.commands.iter().for_each(|command| limited.push(command.clone()));
    limited
}

/// The commands of a script up to the last check that was answered, if so many were.
pub(super) fn answered_part(script: &Script, answered: usize) -> &[Command] {
    let end = script.commands.iter().position(|command| *command == Command::Exit);
    let commands = &script.commands[..end.unwrap_or(script.commands.len())];
    let checks = commands.iter().enumerate().filter(|(_, command)| command.role() == Role::Check);
    let last = checks.take(answered).last().map_or(0, |(position, _)| position + 1);
    &commands[..last]
}

/// An answer in a session that nothing supports yet.
#[derive(Debug, Clone, Copy)]
struct Suspect {
    /// The position of the session.
    session: usize,
    /// The check, counted from 0.
    check: usize,
    said: Answer,
}

/// The checks of a case with what sessions answer to them.
struct Checks<'r> {
    plain: &'r [Option<Script>],
    /// For each check what its models must satisfy.
    formulas: Vec<Option<Formula>>,
    sessions: &'r [EvaluatedRun],
    /// For each session what our evaluator says of the model of each check.
    models: Vec<Vec<ModelCheck>>,
}

impl<'r> Checks<'r> {
    fn new(terms: &mut Terms, plain: &'r [Option<Script>], sessions: &'r [EvaluatedRun]) -> Self {
        let formulas: Vec<Option<Formula>> =
            plain.iter().map(|form| Formula::of_script(terms, form.as_ref()?)).collect();
        let mut checks = Checks { plain, formulas, sessions, models: Vec::new() };
        for session in sessions {
            let models = (0..plain.len()).map(|check| checks.model(terms, session, check)).collect();
            checks.models.push(models);
        }
        checks
    }

    /// What our evaluator says of the model after a check of a session.
    fn model(&self, terms: &mut Terms, session: &EvaluatedRun, check: usize) -> ModelCheck {
        let Some(formula) = &self.formulas[check] else { return ModelCheck::Missing };
        let answer = session.run.answers.get(check).copied().unwrap_or(Answer::Error);
        if answer != Answer::Sat {
            return ModelCheck::Missing;
        }
        // The verdict shows what was printed, so it is about that model, also where no model could be one.
        let output = printed_after(&session.run, check);
        formula.check_model(terms, output, session.dialect, Budget::default())
    }

    /// The script of what is in force at a check.
    fn plain_form(&self, check: usize) -> Script {
        self.plain[check].clone().expect("what has no plain form is not suspect")
    }

    /// The answers of a session to be compared with plain forms: those that no model of theirs supports.
    fn suspects(&self, session: usize, sample_key: u64) -> Vec<Suspect> {
        let answers = &self.sessions[session].run.answers;
        let mut suspects: Vec<Suspect> = Vec::new();
        for (check, said) in answers.iter().copied().enumerate().take(self.plain.len()) {
            let is_settled = said == Answer::Sat && self.models[session][check] == ModelCheck::Accepted;
            if !said.is_decided() || is_settled || self.formulas[check].is_none() {
                continue;
            }
            // What contains all of an unsatisfiable set is refuted with it.
            let follows = |other: &Suspect| {
                other.said == said
                    && match said {
                        Answer::Unsat => self.contains(check, other.check),
                        _ => self.contains(check, other.check) && self.contains(other.check, check),
                    }
            };
            if !suspects.iter().any(follows) {
                suspects.push(Suspect { session, check, said });
            }
        }
        let first = (sample_key % suspects.len().max(1) as u64) as usize;
        if suspects.len() > MAX_ALONE {
            suspects.rotate_left(first);
            suspects.truncate(MAX_ALONE);
            suspects.sort_by_key(|suspect| suspect.check);
        }
        suspects
    }

    /// Whether all that is in force at the check `part` is in force at the check `whole` too.
    fn contains(&self, whole: usize, part: usize) -> bool {
        let (Some(whole), Some(part)) = (&self.plain[whole], &self.plain[part]) else { return false };
        part.commands.iter().all(|command| whole.commands.contains(command))
    }

    /// Whether a session printed a model of all that is in force at a check, and maybe of more.
    fn has_model(&self, check: usize) -> bool {
        self.models.iter().any(|models| {
            models.iter().enumerate().any(|(other, model)| {
                *model == ModelCheck::Accepted && (other == check || self.contains(other, check))
            })
        })
    }

    /// The first answer of each session that something contradicts: the answer of its solver to the plain form, a model,
    /// or our evaluator.
    fn contradicted(&self, suspects: &[Suspect], alone: &[EvaluatedRun]) -> Vec<Suspect> {
        let mut contradicted: Vec<Suspect> = Vec::new();
        for (suspect, reply) in suspects.iter().zip(alone) {
            let is_denied = reply.run.answer.is_decided() && reply.run.answer != suspect.said;
            let is_wrong = match suspect.said {
                Answer::Unsat => self.has_model(suspect.check),
                _ => self.models[suspect.session][suspect.check].is_refuted(),
            };
            let is_first = !contradicted.iter().any(|earlier| earlier.session == suspect.session);
            if is_first && (is_denied || is_wrong) {
                contradicted.push(*suspect);
            }
        }
        contradicted
    }

    /// What the session run again and all solvers on the plain form say together.
    fn verdict(
        &self,
        terms: &mut Terms,
        suspect: &Suspect,
        again: &EvaluatedRun,
        opinions: &[EvaluatedRun],
    ) -> Option<Verdict> {
        let Suspect { check, said, .. } = *suspect;
        let session = &self.sessions[suspect.session];
        if again.run.answers.get(check) != Some(&said) {
            return None;
        }
        let own = opinions.iter().find(|reply| reply.run.solver == session.run.solver)?;
        let others = opinions.iter().filter(|reply| reply.run.solver != own.run.solver);
        let alone = std::iter::once(own)
            .chain(others.clone())
            .map(|reply| SolverAnswer { solver: reply.run.solver.clone(), answer: reply.run.answer })
            .collect();
        let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
        printer.script(self.plain[check].as_ref()?);
        let script = printer.finish();
        let evidence =
            |model| Evidence::Trace { check: check + 1, said, printed: None, script, alone, model };
        if said == Answer::Unsat {
            let certificate = opinions
                .iter()
                .find(|reply| reply.run.answer == Answer::Sat && reply.model == ModelCheck::Accepted);
            if let Some(certificate) = certificate {
                let model = JudgedModel {
                    solver: certificate.run.solver.clone(),
                    text: certificate.run.output.clone(),
                    false_assertions: Vec::new(),
                };
                return Some(blame(Class::SoundnessRefutation, session, evidence(Some(model))));
            }
        } else {
            let refuters = opinions.iter().filter(|reply| reply.run.answer == Answer::Unsat);
            let is_outvoted = is_outvoted(&session.family, refuters.map(|reply| reply.family.as_str()));
            let printed = printed_after(&again.run, check).to_owned();
            let found = match self.model(terms, again, check) {
                ModelCheck::Refuted(numbers) if is_outvoted => {
                    Some((Class::SoundnessSolution, printed, numbers))
                }
                ModelCheck::Refuted(numbers) => Some((Class::InvalidModel, printed, numbers)),
                // No model is needed to see it.
                ModelCheck::Impossible(numbers) => Some((Class::SoundnessSolution, String::new(), numbers)),
                ModelCheck::Missing | ModelCheck::Accepted | ModelCheck::Undecided => None,
            };
            if let Some((class, text, false_assertions)) = found {
                let solver = session.run.solver.clone();
                let model = JudgedModel { solver, text, false_assertions };
                return Some(blame(class, session, evidence(Some(model))));
            }
        }
        let is_denied = own.run.answer.is_decided() && own.run.answer != said;
        is_denied.then(|| blame(Class::TraceInconsistency, session, evidence(None)))
    }
}

/// What was printed after a check.
pub(super) fn printed_after(run: &Run, check: usize) -> &str {
    match run.outputs.get(check) {
        Some(output) => output,
        None if check == 0 && run.answers.len() == 1 => &run.output,
        None => "",
    }
}

//! Confirmation: judges look at a case again in fresh processes, and get the runs that they ask for.
//!
//! A verdict that is formed at once must be formed again on the fresh runs, with the same class and culprit. A judge
//! that asks questions speaks on fresh runs only. Last, a verdict that an older definition of an operator explains is
//! marked as drift.

use std::collections::BTreeMap;
use std::io;

use smelt_oracle::evaluated::{EvaluatedRun, Formula};
use smelt_oracle::finding::{Class, Verdict};
use smelt_oracle::judge::{Judge, JudgeStep, Observed, Question, Venue};
use smelt_oracle::run::Run;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::term::Terms;

use crate::SolverFailure;
use crate::arbiter;
use crate::drift::{self, Drift};
use crate::judge::{is_dispute, suspicions};
use crate::target::Target;
use crate::trial::{Trial, evaluated};
use crate::worker::Worker;

/// A verdict that was formed in fresh processes.
#[derive(Debug)]
pub struct Confirmed {
    /// What the judge says.
    pub verdict: Verdict,
    /// Whether an older definition of an operator explains it.
    pub drift: Drift,
    /// The question that shows it, where that is not the case itself.
    pub demonstration: Option<Demonstration>,
    /// The runs that show it: of the question, or of the case.
    pub runs: Vec<EvaluatedRun>,
}

impl Confirmed {
    /// The verdict, which is drift if an older definition explains it.
    pub fn explained(&self) -> Verdict {
        self.drift.explain(self.verdict.clone())
    }
}

/// A question of a judge whose replies show what a solver does wrong.
#[derive(Debug)]
pub struct Demonstration {
    /// What the culprit was asked.
    pub script: String,
    /// What other solvers were asked in a wording that differs from the script, by their names.
    pub other_words: BTreeMap<String, String>,
}

/// Has judges look at a trial that was evaluated. If one has something to say, the case is run again in fresh processes and
/// those judges look again: the verdicts that count. The trial keeps what was run on the way, and no fresh runs if there
/// was nothing to confirm.
pub fn confirm(
    worker: &Worker<'_>,
    terms: &mut Terms,
    trial: &mut Trial,
    judges: &[&'static dyn Judge],
) -> Result<Vec<Confirmed>, SolverFailure> {
    let suspicions = suspicions(terms, trial, judges);
    if suspicions.is_empty() {
        return Ok(Vec::new());
    }
    let fresh = run_again(worker, terms, trial)?;
    let mut extra_runs = Vec::new();
    let mut unconfirmed = 0;
    let mut with_arbiter = fresh.clone();
    if let Some(arbiter) = worker.arbiter().filter(|_| suspicions.iter().any(|(_, step)| is_dispute(step))) {
        let answer = arbiter::ask(terms, trial, arbiter)?;
        extra_runs.push(answer.clone());
        with_arbiter.push(answer);
    }
    let mut verdicts: Vec<Shown> = Vec::new();
    for (judge, first_step) in suspicions {
        // The arbiter is heard in a dispute only.
        let runs = if is_dispute(&first_step) { &with_arbiter } else { &fresh };
        let observed = trial.observed(runs, Some(&trial.evaluated));
        let asking = Asking { worker, trial };
        let (spoken, replies) = asking.consult(terms, judge, &observed)?;
        match first_step {
            JudgeStep::Ask(_) => {
                for verdict in spoken {
                    let question = asking.demonstration(terms, &verdict, &replies);
                    verdicts.push(Shown { verdict, question });
                }
            }
            JudgeStep::Done(seen) => {
                let lost = seen.iter().filter(|one| !spoken.iter().any(|later| confirms(later, one)));
                unconfirmed += lost.count() as u64;
                let again =
                    spoken.into_iter().filter(|one| seen.iter().any(|earlier| confirms(one, earlier)));
                verdicts.extend(again.map(|verdict| Shown { verdict, question: None }));
            }
        }
        extra_runs.extend(replies.into_iter().map(|(_, reply)| reply));
    }
    // A core of a case on which `unsat` itself is wrong is not a second bug.
    let is_wrong = |shown: &&Shown| shown.verdict.class == Class::SoundnessRefutation;
    let wrong: Vec<Option<String>> =
        verdicts.iter().filter(is_wrong).map(|shown| shown.verdict.culprit.clone()).collect();
    verdicts.retain(|Shown { verdict, .. }| {
        verdict.class != Class::InvalidCore || !wrong.contains(&verdict.culprit)
    });
    let mut confirmed = Vec::new();
    for Shown { verdict, question } in verdicts {
        let drift = drift::find(terms, &trial.reading, worker, &verdict)?;
        let (demonstration, replies) = question.unzip();
        let runs = replies.flatten().unwrap_or_else(|| fresh.clone());
        confirmed.push(Confirmed { verdict, drift, demonstration, runs });
    }
    trial.fresh = fresh;
    trial.extra_runs.extend(extra_runs);
    trial.unconfirmed = unconfirmed;
    Ok(confirmed)
}

/// A verdict on fresh runs, with the question that shows it and the replies of all solvers that were asked the same; no
/// replies if the question was put to a session.
struct Shown {
    verdict: Verdict,
    question: Option<(Demonstration, Option<Vec<EvaluatedRun>>)>,
}

/// Whether a verdict on fresh runs confirms an earlier one. A dispute in which the arbiter tells who is wrong is settled,
/// not gone.
fn confirms(later: &Verdict, earlier: &Verdict) -> bool {
    (later.class == earlier.class && later.culprit == earlier.culprit)
        || (earlier.class == Class::Disputed && later.class.is_soundness())
}

/// The case in a fresh process of each solver that was run.
fn run_again(
    worker: &Worker<'_>,
    terms: &mut Terms,
    trial: &Trial,
) -> Result<Vec<EvaluatedRun>, SolverFailure> {
    let mut runs = Vec::new();
    for seen in &trial.evaluated {
        let Some(position) = worker.position(&seen.run.solver) else { continue };
        let target = &worker.targets()[position];
        let text = target.text(terms, &trial.reading.script);
        let run =
            target.run_cold(&text, worker.limits()).map_err(|error| SolverFailure::of(target, error))?;
        runs.push(evaluated(terms, &trial.formula, target, run));
    }
    Ok(runs)
}

/// The questions of a judge about a trial.
struct Asking<'a, 't> {
    worker: &'a Worker<'t>,
    trial: &'a Trial,
}

/// A question with its reply.
type Reply = (Question, EvaluatedRun);

impl Asking<'_, '_> {
    /// Asks what a judge wants to know until it speaks.
    fn consult(
        &self,
        terms: &mut Terms,
        judge: &dyn Judge,
        observed: &Observed<'_>,
    ) -> Result<(Vec<Verdict>, Vec<Reply>), SolverFailure> {
        let mut asked: Vec<Question> = Vec::new();
        let mut replies: Vec<EvaluatedRun> = Vec::new();
        loop {
            match judge.step(terms, observed, &replies) {
                JudgeStep::Done(verdicts) => return Ok((verdicts, asked.into_iter().zip(replies).collect())),
                // A judge that asks nothing wanted the fresh runs, and has them.
                JudgeStep::Ask(questions) if questions.is_empty() => return Ok((Vec::new(), Vec::new())),
                JudgeStep::Ask(questions) => {
                    for question in questions {
                        replies.push(self.reply(terms, &question)?);
                        asked.push(question);
                    }
                }
            }
        }
    }

    fn reply(&self, terms: &mut Terms, question: &Question) -> Result<EvaluatedRun, SolverFailure> {
        let position =
            self.worker.position(&question.solver).expect("judges ask solvers whose runs they have seen");
        let (target, limits) = (&self.worker.targets()[position], self.worker.limits());
        let run = match question.venue {
            Venue::Fresh => {
                let text = target.text(terms, &question.script);
                target.run_cold(&text, &longer(limits, question.time_factor))
            }
            Venue::Session => rerun_session(target, self.worker.history(position, self.trial), limits),
        };
        let run = run.map_err(|error| SolverFailure::of(target, error))?;
        let formula = formula_of(terms, question);
        Ok(evaluated(terms, &formula, target, run))
    }

    /// The question whose reply shows a verdict, with all replies to the same question.
    fn demonstration(
        &self,
        terms: &mut Terms,
        verdict: &Verdict,
        replies: &[Reply],
    ) -> Option<(Demonstration, Option<Vec<EvaluatedRun>>)> {
        // What was asked besides the case is then the formula before it.
        if verdict.class == Class::IncompletenessImplication {
            return None;
        }
        let (question, _) =
            replies.iter().find(|(question, _)| Some(&question.solver) == verdict.culprit.as_ref())?;
        let script = self.text_asked(terms, question);
        if question.venue == Venue::Session {
            return Some((Demonstration { script, other_words: BTreeMap::new() }, None));
        }
        let same: Vec<&Reply> = replies.iter().filter(|(other, _)| other.script == question.script).collect();
        let mut other_words = BTreeMap::new();
        for (other, _) in &same {
            let text = self.text_asked(terms, other);
            if text != script {
                other_words.insert(other.solver.clone(), text);
            }
        }
        let runs = same.into_iter().map(|(_, reply)| reply.clone()).collect();
        Some((Demonstration { script, other_words }, Some(runs)))
    }

    /// What a solver was asked, as text.
    fn text_asked(&self, terms: &mut Terms, question: &Question) -> String {
        let Some(position) = self.worker.position(&question.solver) else { return String::new() };
        let target = &self.worker.targets()[position];
        match question.venue {
            Venue::Fresh => target.text(terms, &question.script),
            Venue::Session => target.between().transcript(self.worker.history(position, self.trial)),
        }
    }
}

pub(crate) fn longer(limits: &Limits, factor: u32) -> Limits {
    Limits { wall: limits.wall * factor, cpu: limits.cpu * factor, ..*limits }
}

/// A session in a new process, asked everything that the old one was asked; the last run.
fn rerun_session(target: &Target, history: &[String], limits: &Limits) -> io::Result<Run> {
    let mut session = Session::new(target.solver.clone(), target.between(), *limits);
    let (last, before) = history.split_last().ok_or(io::ErrorKind::InvalidInput)?;
    for script in before {
        session.run(script)?;
    }
    session.run(last)
}

/// The formula of a question, with names that the case does not have.
pub(crate) fn formula_of(terms: &mut Terms, question: &Question) -> Formula {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(&question.script);
    let text = printer.finish();
    let reading = read_script_as(terms, &text, Dialect::V26);
    Formula::new(terms, &reading)
}

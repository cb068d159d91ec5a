//! A hearing: judges look at a case again, in fresh processes, and get the runs that they ask for.
//!
//! A verdict that is formed at once must be formed again on the fresh runs, with the same class and culprit. A judge
//! that asks questions speaks on fresh runs only.

use std::collections::BTreeMap;
use std::io;

use smelt_oracle::case::Case;
use smelt_oracle::evaluated::{EvaluatedRun, Formula, ModelCheck};
use smelt_oracle::finding::{Class, Verdict};
use smelt_oracle::judge::{Judge, Observed, Parent, Place, Question, Step};
use smelt_oracle::run::Run;
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::term::Terms;

use crate::target::{Runner, Target};

/// A case as judges look at it.
pub(crate) struct Hearing<'h> {
    pub case: &'h Case,
    pub reading: &'h Reading,
    pub formula: &'h Formula,
    /// The formula before the case in its chain.
    pub parent: Option<Parent<'h>>,
    /// A number drawn for the case.
    pub sample_key: u64,
    pub limits: Limits,
    /// Who is asked where solvers disagree and nothing tells who is right.
    pub opinion: Option<&'h Solver>,
}

/// What a hearing came to.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What fresh processes show, each with the question that shows it where that is not the case itself.
    pub verdicts: Vec<(Verdict, Option<Demonstration>)>,
    /// The runs in fresh processes.
    pub runs: Vec<EvaluatedRun>,
    /// How many verdicts on the first runs did not show again.
    pub unconfirmed: u64,
    /// All runs that were made on the way.
    pub extra_runs: Vec<EvaluatedRun>,
}

/// A question of a judge whose replies show what a solver does wrong.
#[derive(Debug)]
pub(crate) struct Demonstration {
    /// What the culprit was asked.
    pub script: String,
    /// The replies of all solvers that were asked the same; none if the question was put to a session.
    pub runs: Option<Vec<EvaluatedRun>>,
    /// What other solvers were asked in words of their own, by their names.
    pub other_words: BTreeMap<String, String>,
}

/// A judge that has something to say, or to ask.
pub(crate) struct Concern {
    judge: &'static dyn Judge,
    /// What it says of the first runs; nothing if it asks.
    verdicts: Option<Vec<Verdict>>,
}

impl Concern {
    fn is_dispute(&self) -> bool {
        self.verdicts.iter().flatten().any(|verdict| verdict.class == Class::Disputed)
    }
}

impl Hearing<'_> {
    /// The judges who are not content with the first runs.
    pub(crate) fn concerns(
        &self,
        terms: &mut Terms,
        judges: &[&'static dyn Judge],
        runs: &[EvaluatedRun],
    ) -> Vec<Concern> {
        let observed = self.observed(runs, None);
        judges
            .iter()
            .filter_map(|judge| match judge.step(terms, &observed, &[]) {
                Step::Done(verdicts) if verdicts.is_empty() => None,
                Step::Done(verdicts) => Some(Concern { judge: *judge, verdicts: Some(verdicts) }),
                Step::Ask(_) => Some(Concern { judge: *judge, verdicts: None }),
            })
            .collect()
    }

    /// Runs everything again in fresh processes and hears those judges.
    pub(crate) fn hear(
        &self,
        terms: &mut Terms,
        runners: &[Runner<'_>],
        first: &[EvaluatedRun],
        concerns: Vec<Concern>,
    ) -> Result<Outcome, (String, io::Error)> {
        let mut outcome = Outcome::default();
        for seen in first {
            let Some(runner) = runner(runners, &seen.run.solver) else { continue };
            let text = runner.target().text(terms, &self.reading.script);
            let run =
                runner.target().run_cold(&text, &self.limits).map_err(|error| failure(runner, error))?;
            outcome.runs.push(checked(terms, self.formula, runner.target(), run));
        }
        let fresh = outcome.runs.clone();
        let observed = self.observed(&fresh, Some(first));
        let mut with_opinion = fresh.clone();
        if concerns.iter().any(Concern::is_dispute)
            && let Some(opinion) = self.opinion
            && runner(runners, &opinion.name).is_none()
        {
            let opinion = self.opinion_of(terms, opinion)?;
            outcome.extra_runs.push(opinion.clone());
            with_opinion.push(opinion);
        }
        for concern in concerns {
            // Who is not under test is heard in a dispute only.
            let disputed = self.observed(&with_opinion, Some(first));
            let observed = if concern.is_dispute() { &disputed } else { &observed };
            let (spoken, replies) = self.consult(terms, runners, concern.judge, observed)?;
            let mut demonstration = |verdict: &Verdict| {
                // What was asked besides the case is then the formula before it.
                if verdict.class == Class::IncompletenessImplication {
                    return None;
                }
                let (question, _) = replies
                    .iter()
                    .find(|(question, _)| Some(&question.solver) == verdict.culprit.as_ref())?;
                let script = self.text_asked(terms, runners, question);
                if question.place == Place::Session {
                    return Some(Demonstration { script, runs: None, other_words: BTreeMap::new() });
                }
                let same: Vec<&(Question, EvaluatedRun)> =
                    replies.iter().filter(|(other, _)| other.script == question.script).collect();
                let mut other_words = BTreeMap::new();
                for (other, _) in &same {
                    let text = self.text_asked(terms, runners, other);
                    if text != script {
                        other_words.insert(other.solver.clone(), text);
                    }
                }
                let runs = Some(same.into_iter().map(|(_, reply)| reply.clone()).collect());
                Some(Demonstration { script, runs, other_words })
            };
            match concern.verdicts {
                None => {
                    let shown = spoken.into_iter().map(|verdict| (demonstration(&verdict), verdict));
                    outcome.verdicts.extend(shown.map(|(demonstration, verdict)| (verdict, demonstration)));
                }
                Some(seen) => {
                    // A dispute in which somebody else's opinion tells who is wrong is settled, not gone.
                    let confirms = |later: &Verdict, earlier: &Verdict| {
                        (later.class == earlier.class && later.culprit == earlier.culprit)
                            || (earlier.class == Class::Disputed && later.class.is_soundness())
                    };
                    let lost = seen.iter().filter(|one| !spoken.iter().any(|later| confirms(later, one)));
                    outcome.unconfirmed += lost.count() as u64;
                    let confirmed =
                        spoken.into_iter().filter(|one| seen.iter().any(|earlier| confirms(one, earlier)));
                    outcome.verdicts.extend(confirmed.map(|verdict| (verdict, None)));
                }
            }
            outcome.extra_runs.extend(replies.into_iter().map(|(_, reply)| reply));
        }
        // A core of a case on which `unsat` itself is wrong is not a second bug.
        let is_wrong = |(verdict, _): &&(Verdict, _)| verdict.class == Class::SoundnessRefutation;
        let wrong: Vec<Option<String>> =
            outcome.verdicts.iter().filter(is_wrong).map(|(verdict, _)| verdict.culprit.clone()).collect();
        outcome
            .verdicts
            .retain(|(verdict, _)| verdict.class != Class::InvalidCore || !wrong.contains(&verdict.culprit));
        Ok(outcome)
    }

    /// What a solver that is not under test says of the case.
    fn opinion_of(&self, terms: &mut Terms, solver: &Solver) -> Result<EvaluatedRun, (String, io::Error)> {
        let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
        printer.script(&self.reading.script);
        let text = format!("(set-option :produce-models true)\n{}(get-model)\n", printer.finish());
        let raw = cold::run(&solver.invocation, &text, &Limits::for_seconds(OPINION_SECS))
            .map_err(|error| (solver.name.clone(), error))?;
        let run = read_run(&solver.name, &raw);
        Ok(EvaluatedRun {
            model: self.formula.model_of(terms, &run, Dialect::V26),
            run,
            family: solver.family.name().to_owned(),
            version: None,
            dialect: Dialect::V26,
            is_warm: false,
        })
    }

    fn observed<'o>(&'o self, runs: &'o [EvaluatedRun], first: Option<&'o [EvaluatedRun]>) -> Observed<'o> {
        Observed {
            expectation: self.case.expectation,
            is_doubtful: self.case.is_doubtful,
            script: &self.reading.script,
            formula: self.formula,
            runs,
            first,
            parent: self.parent,
            sample_key: self.sample_key,
        }
    }

    /// Asks what a judge wants to know until it speaks.
    #[allow(clippy::type_complexity)]
    fn consult(
        &self,
        terms: &mut Terms,
        runners: &[Runner<'_>],
        judge: &dyn Judge,
        observed: &Observed<'_>,
    ) -> Result<(Vec<Verdict>, Vec<(Question, EvaluatedRun)>), (String, io::Error)> {
        let mut asked: Vec<Question> = Vec::new();
        let mut replies: Vec<EvaluatedRun> = Vec::new();
        loop {
            match judge.step(terms, observed, &replies) {
                Step::Done(verdicts) => return Ok((verdicts, asked.into_iter().zip(replies).collect())),
                // A judge that asks nothing wanted the fresh runs, and has them.
                Step::Ask(questions) if questions.is_empty() => return Ok((Vec::new(), Vec::new())),
                Step::Ask(questions) => {
                    for question in questions {
                        replies.push(self.reply(terms, runners, &question)?);
                        asked.push(question);
                    }
                }
            }
        }
    }

    fn reply(
        &self,
        terms: &mut Terms,
        runners: &[Runner<'_>],
        question: &Question,
    ) -> Result<EvaluatedRun, (String, io::Error)> {
        let runner = runner(runners, &question.solver).expect("judges ask solvers whose runs they have seen");
        let target = runner.target();
        let run = match question.place {
            Place::Fresh => {
                let text = target.text(terms, &question.script);
                target.run_cold(&text, &longer(self.limits, question.time_factor))
            }
            Place::Session => replay(target, runner.history(), self.limits),
        };
        let run = run.map_err(|error| failure(runner, error))?;
        let formula = formula_of(terms, question);
        Ok(checked(terms, &formula, target, run))
    }

    /// What a solver was asked, as text.
    fn text_asked(&self, terms: &mut Terms, runners: &[Runner<'_>], question: &Question) -> String {
        let Some(runner) = runner(runners, &question.solver) else { return String::new() };
        match question.place {
            Place::Fresh => runner.target().text(terms, &question.script),
            Place::Session => runner.target().between().transcript(runner.history()),
        }
    }
}

/// An opinion that takes longer most often never comes.
const OPINION_SECS: f64 = 1.0;

fn runner<'r, 't>(runners: &'r [Runner<'t>], solver: &str) -> Option<&'r Runner<'t>> {
    runners.iter().find(|runner| runner.target().solver.name == solver)
}

fn failure(runner: &Runner<'_>, error: io::Error) -> (String, io::Error) {
    (runner.target().solver.name.clone(), error)
}

fn longer(limits: Limits, factor: u32) -> Limits {
    Limits { wall: limits.wall * factor, cpu: limits.cpu * factor, ..limits }
}

/// A session in a new process, asked all that the old one was asked; the last run.
fn replay(target: &Target, history: &[String], limits: Limits) -> io::Result<Run> {
    let mut session = Session::new(target.solver.clone(), target.between(), limits);
    let (last, before) = history.split_last().ok_or(io::ErrorKind::InvalidInput)?;
    for script in before {
        session.run(script)?;
    }
    session.run(last)
}

/// The formula of a question, with names that the case does not have.
fn formula_of(terms: &mut Terms, question: &Question) -> Formula {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(&question.script);
    let text = printer.finish();
    let reading = read_script_as(terms, &text, Dialect::V26);
    Formula::new(terms, &reading)
}

/// A run with what our evaluator says of its model.
pub(crate) fn checked(terms: &mut Terms, formula: &Formula, target: &Target, run: Run) -> EvaluatedRun {
    let model = formula.model_of(terms, &run, target.dialect());
    with_model(target, run, model)
}

/// A run with what our evaluator said of its model.
pub(crate) fn with_model(target: &Target, run: Run, model: ModelCheck) -> EvaluatedRun {
    EvaluatedRun {
        model,
        run,
        family: target.solver.family.name().to_owned(),
        version: target.version(),
        dialect: target.dialect(),
        is_warm: false,
    }
}

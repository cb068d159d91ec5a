//! Screening: judges that ask questions ask them in warm sessions first, and only what looks wrong there is looked at in
//! fresh processes.
//!
//! Nearly all questions are answered as they should be, and a fresh process costs several times what a session needs for
//! an answer. Nothing that is found here counts: it tells which judges go on to [`confirm`](crate::confirm).

use smelt_oracle::evaluated::EvaluatedRun;
use smelt_oracle::judge::{Judge, JudgeStep, Question, Venue};
use smelt_oracle::run::Answer;
use smelt_runner::script_profile::ScriptProfile;
use smelt_smtlib::term::Terms;

use crate::SolverFailure;
use crate::confirm::{formula_of, longer};
use crate::judge::suspicions;
use crate::trial::{Trial, evaluated};
use crate::worker::Worker;

/// The judges that may have something to say about a trial that was evaluated. The runs that were made to find out are
/// added to the further runs of the trial.
pub fn screen(
    worker: &mut Worker<'_>,
    terms: &mut Terms,
    trial: &mut Trial,
    judges: &[&'static dyn Judge],
) -> Result<Vec<&'static dyn Judge>, SolverFailure> {
    let mut left = Vec::new();
    for (judge, step) in suspicions(terms, trial, judges) {
        let is_left = match step {
            JudgeStep::Ask(questions) if can_be_screened(judge, &questions) => {
                looks_wrong(worker, terms, trial, judge, questions)?
            }
            JudgeStep::Ask(_) | JudgeStep::Done(_) => true,
        };
        if is_left {
            left.push(judge);
        }
    }
    Ok(left)
}

/// Whether sessions can answer the questions of a judge: it wants answers and not times, and no session of a case.
fn can_be_screened(judge: &dyn Judge, questions: &[Question]) -> bool {
    let is_fresh = |question: &Question| question.venue == Venue::Fresh;
    !questions.is_empty() && !judge.is_about_time() && questions.iter().all(is_fresh)
}

/// Whether a judge says something once its questions are answered in sessions, or a session cannot answer them.
fn looks_wrong(
    worker: &mut Worker<'_>,
    terms: &mut Terms,
    trial: &mut Trial,
    judge: &dyn Judge,
    mut questions: Vec<Question>,
) -> Result<bool, SolverFailure> {
    let mut replies: Vec<EvaluatedRun> = Vec::new();
    loop {
        for question in &questions {
            let reply = reply(worker, terms, trial, question)?;
            trial.extra_runs.push(reply.clone());
            // What a session refuses or fails on, a fresh process may take.
            if matches!(reply.run.answer, Answer::Rejected | Answer::Error | Answer::Crash) {
                return Ok(true);
            }
            replies.push(reply);
        }
        match judge.step(terms, &trial.observed(&trial.evaluated, None), &replies) {
            JudgeStep::Done(verdicts) => return Ok(!verdicts.is_empty()),
            JudgeStep::Ask(more) if can_be_screened(judge, &more) => questions = more,
            JudgeStep::Ask(_) => return Ok(true),
        }
    }
}

/// The reply of a session, with as much time as the case got, and more if the judge wants more.
fn reply(
    worker: &mut Worker<'_>,
    terms: &mut Terms,
    trial: &Trial,
    question: &Question,
) -> Result<EvaluatedRun, SolverFailure> {
    let position = worker.position(&question.solver).expect("judges ask solvers whose runs they have seen");
    let target = &worker.targets()[position];
    let first_limit = trial.first_limits.get(position).copied();
    let limits = first_limit.map_or(*worker.limits(), |limit| limit.within(worker.limits()));
    let fragments = ScriptProfile::of(terms, &question.script).fragments;
    let text = target.text(terms, &question.script);
    let run = worker.ask(position, &text, fragments, &longer(&limits, question.time_factor))?;
    let formula = formula_of(terms, question);
    Ok(evaluated(terms, &formula, target, run))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use smelt_oracle::case::Case;
    use smelt_oracle::finding::{Class, Evidence, Verdict};
    use smelt_oracle::judge::Observed;
    use smelt_runner::family::Family;
    use smelt_runner::limits::Limits;

    use super::*;
    use crate::target::tests::{INTEGERS, target};
    use crate::worker::OlderCases;

    /// Asks every solver the case again, and blames those that do not say `sat`.
    #[derive(Debug)]
    struct Doubtful;

    impl Judge for Doubtful {
        fn name(&self) -> &'static str {
            "doubtful"
        }

        fn about(&self) -> &'static str {
            "a solver changes its mind"
        }

        fn classes(&self) -> &'static [Class] {
            &[Class::Inconsistency]
        }

        fn step(&self, _: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
            if replies.is_empty() {
                let question = |run: &EvaluatedRun| Question {
                    solver: run.run.solver.clone(),
                    script: observed.script.clone(),
                    venue: Venue::Fresh,
                    time_factor: 1,
                };
                return JudgeStep::Ask(observed.runs.iter().map(question).collect());
            }
            let changed = replies.iter().filter(|reply| reply.run.answer != Answer::Sat);
            let verdict = |reply: &EvaluatedRun| Verdict {
                class: Class::Inconsistency,
                culprit: Some(reply.run.solver.clone()),
                evidence: Evidence::Construction,
            };
            JudgeStep::Done(changed.map(verdict).collect())
        }
    }

    /// What is left of the judge if a solver answers the case in one way and the question in another, and how many runs
    /// were made for that.
    fn left(first: &str, second: &str) -> (usize, usize) {
        let folder = tempfile::tempdir().unwrap();
        let again = folder.path().join("again");
        let script = format!(
            "cat > /dev/null; if [ -e {0} ]; then echo '{second}'; else echo '{first}'; touch {0}; fi",
            again.display()
        );
        let mut solver = target(Family::Generic, &[]);
        solver.solver.invocation.program = "/bin/sh".into();
        solver.solver.invocation.args = vec!["-c".into(), script.into()];
        let targets = [solver];
        let mut worker = Worker::new(&targets, Limits::for_seconds(20.0), None);
        let mut terms = Terms::new();
        let mut trial = Trial::read(&mut terms, Case::unclaimed("", INTEGERS.to_owned()));
        worker.address(&mut terms, &mut trial, OlderCases::All);
        let stop = AtomicBool::new(false);
        let done = worker.run(std::slice::from_mut(&mut trial), &mut Everything, &stop).unwrap();
        assert_eq!(done.continue_value(), Some(1));
        trial.evaluate(&mut terms, &targets);
        let judges = screen(&mut worker, &mut terms, &mut trial, &[&Doubtful]).unwrap();
        assert!(trial.fresh.is_empty());
        (judges.len(), trial.extra_runs.len())
    }

    struct Everything;

    impl crate::worker::RunFilter for Everything {
        fn is_wanted(&self, _: &Trial, _: usize) -> bool {
            true
        }

        fn note_run(&mut self, _: &Trial, _: usize, _: &smelt_oracle::run::Run) {}
    }

    #[test]
    fn a_judge_whose_questions_are_answered_as_they_should_be_is_done() {
        assert_eq!(left("sat", "sat"), (0, 1));
    }

    #[test]
    fn a_judge_that_finds_something_wrong_goes_on() {
        assert_eq!(left("sat", "unsat"), (1, 1));
    }

    #[test]
    fn a_judge_whose_questions_a_session_cannot_answer_goes_on() {
        assert_eq!(left("sat", "(error \"no such option\")"), (1, 1));
    }
}

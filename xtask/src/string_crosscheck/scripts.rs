//! Runs scripts with several checks, in one session of ours and one of each other solver, and compares check by check.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context, Result};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_oracle::evaluated::ModelCheck;
use smelt_oracle::run::Answer;
use smelt_solver::{Session, Splitter};

use super::clock::Clock;
use super::formula::Formula;
use super::incremental::{Script, ScriptGenerator, ScriptStep};
use super::tally::{Problem, Tally};
use super::{Ours, SLOW, Worker, check_model};
use crate::task;

impl Worker<'_> {
    /// Compares all checks of one script.
    pub(super) fn compare_script(&mut self, number: u64, tally: &mut Tally) -> Result<()> {
        let seed = task::seed_of(self.options.seed, number);
        let script = ScriptGenerator::new(Xoshiro256PlusPlus::seed_from_u64(seed)).script();
        if self.options.list {
            println!("; {number}\n{}", script.text());
        }
        tally.scripts += 1;
        let clock = Clock::start();
        let ours = self.our_answers(&script);
        let time = clock.elapsed();
        let checks: Vec<(usize, &Formula, bool)> = script
            .steps
            .iter()
            .enumerate()
            .filter_map(|(position, step)| match step {
                ScriptStep::Check { flat, is_planted, .. } => Some((position, flat, *is_planted)),
                _ => None,
            })
            .collect();
        let share = time / checks.len().max(1) as u32;
        for (ours, (position, flat, is_planted)) in ours.iter().zip(&checks) {
            tally.count_ours(ours, share);
            let problem = match ours {
                Ours::Broken(what) => Problem::broken(flat, what),
                Ours::Unsat if *is_planted => Problem::refuted_plant(flat),
                _ => continue,
            };
            tally.problems.push(problem.in_script(&script.up_to(*position)));
        }
        if self.options.list {
            println!("; {ours:?} in {time:?}\n");
        }
        if time > SLOW {
            let whole =
                Formula { declarations: vec![script.text()], assertions: Vec::new(), plant: Vec::new() };
            tally.problems.push(Problem::slow(&whole, time));
        }
        for other in 0..self.others.len() {
            let theirs = self.their_answers(other, &script, checks.len())?;
            for ((ours, theirs), (position, flat, _)) in ours.iter().zip(theirs).zip(&checks) {
                tally.count_theirs(other, theirs, ours);
                if let (Ours::Sat, Answer::Unsat) | (Ours::Unsat, Answer::Sat) = (ours, theirs) {
                    let problem = self.judge(other, flat, ours, theirs)?;
                    tally.problems.push(problem.in_script(&script.up_to(*position)));
                }
            }
        }
        Ok(())
    }

    /// Our answer to each check, with models evaluated on the formula without scopes.
    fn our_answers(&self, script: &Script) -> Vec<Ours> {
        let mut session = Session::new(self.solver_options(), None);
        let mut answers = Vec::new();
        for step in &script.steps {
            let answered = catch_unwind(AssertUnwindSafe(|| step_answer(&mut session, step)));
            let is_panic = answered.is_err();
            match answered {
                Ok(answer) => answers.extend(answer),
                Err(_) => answers.push(Ours::Broken("panic".to_owned())),
            }
            // Nothing is known of a session after that.
            if is_panic || session.has_failed_model_check() {
                break;
            }
        }
        answers
    }

    /// The answers of another solver; those after a complaint are rejections, because it may have missed something.
    fn their_answers(&mut self, position: usize, script: &Script, count: usize) -> Result<Vec<Answer>> {
        let (solver, session) = &mut self.others[position];
        let family = solver.family;
        let limit = family.check_limit_of(self.options.limit_ms);
        let text = format!("{limit}{}{}{}", family.incremental(), family.logic(), script.text());
        let run = session.run(&text).with_context(|| format!("cannot run `{}`", solver.name))?;
        let mut answers = run.answers;
        // Checks without an answer are those after the end of the process.
        answers.resize(count, if run.answer.is_decided() { Answer::Error } else { run.answer });
        Ok(answers)
    }
}

/// What we say to one command, if it is a check.
fn step_answer(session: &mut Session, step: &ScriptStep) -> Option<Ours> {
    let mut say = |text: &str| {
        let pieces = Splitter::new().feed(&format!("{text}\n"));
        let replies: Vec<String> = pieces.iter().map(|piece| session.run(piece).text).collect();
        replies.join("\n")
    };
    match step {
        ScriptStep::Command(command) => {
            let reply = say(command);
            (!reply.is_empty()).then(|| Ours::Broken(format!("`{command}` is answered by {reply}")))
        }
        ScriptStep::Rejected(command) => {
            let reply = say(command);
            (!reply.starts_with("(error")).then(|| Ours::Broken(format!("`{command}` is not rejected")))
        }
        ScriptStep::Check { command, flat, .. } => Some(match say(command).as_str() {
            "unsat" => Ours::Unsat,
            "sat" => {
                let model = say("(get-model)");
                match check_model(&flat.text(), &model) {
                    ModelCheck::Accepted => Ours::Sat,
                    other => Ours::Broken(format!("the printed model is {other:?}: {model}")),
                }
            }
            "unknown" if session.has_failed_model_check() => Ours::Broken("failed model check".to_owned()),
            "unknown" => Ours::Unknown,
            other => Ours::Broken(format!("the answer is {other}")),
        }),
    }
}

#[cfg(test)]
mod tests {
    use smelt_solver::Options;

    use super::*;

    fn check(commands: &[ScriptStep], expected: &[Ours]) {
        let mut session = Session::new(Options::default(), None);
        let answers: Vec<Ours> = commands.iter().filter_map(|step| step_answer(&mut session, step)).collect();
        assert_eq!(answers, expected);
    }

    fn check_of(lines: &[&str]) -> ScriptStep {
        let declarations = lines.iter().map(|line| (*line).to_owned()).collect();
        let flat = Formula { declarations, assertions: Vec::new(), plant: Vec::new() };
        ScriptStep::Check { command: "(check-sat)".to_owned(), flat, is_planted: true }
    }

    #[test]
    fn checks_are_answered_and_models_evaluated_without_scopes() {
        let commands = ["(push 1)", "(declare-const n Int)", "(assert (= n 2))"];
        let mut steps: Vec<ScriptStep> =
            commands.iter().map(|text| ScriptStep::Command((*text).to_owned())).collect();
        steps.push(check_of(&["(declare-const n Int)", "(assert (= n 2))"]));
        steps.push(ScriptStep::Rejected("(assert (= n \"a\"))".to_owned()));
        steps.push(check_of(&[]));
        check(&steps, &[Ours::Sat, Ours::Unknown]);
        steps.push(ScriptStep::Rejected("(pop 1)".to_owned()));
        let broken = Ours::Broken("`(pop 1)` is not rejected".to_owned());
        check(&steps, &[Ours::Sat, Ours::Unknown, broken]);
    }
}

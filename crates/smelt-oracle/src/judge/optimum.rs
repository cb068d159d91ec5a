//! Optima: what a solver reports as the best value must be one that can be had, and no model may have a better one.
//!
//! Solvers that say `sat` of a case with objectives are asked for the values of these and for a model. The objectives are
//! evaluated under that model, and all solvers are asked, without any objectives, for a model that is better, and for one
//! that is as good where the model does not show that. See `docs/design/optimum.md` for what is not checked.

use dashu_ratio::RBig;
use smelt_semantics::Budget;
use smelt_smtlib::script::{Command, Extension, Role, Script};
use smelt_smtlib::term::{Term, Terms};

use super::weigh::lineages;
use super::{Judge, JudgeStep, Observed, Question, blame};
use crate::better::{Claims, beats, claims};
use crate::evaluated::{EvaluatedRun, ModelCheck};
use crate::finding::{Class, Evidence, ObjectiveValue, OptimumProblem, Verdict};
use crate::flatten::flatten;
use crate::objective_value::{Line, Reported, number_of, reported_objectives};
use crate::objectives::{Objective, PRIORITY, Priority, objectives};
use crate::run::Answer;

/// Blames a solver for the value that it reports of an objective.
#[derive(Debug)]
pub(super) struct InvalidOptimum;

impl Judge for InvalidOptimum {
    fn name(&self) -> &'static str {
        "optimum"
    }

    fn about(&self) -> &'static str {
        "the optimum that a solver reports is not the best value, or its model does not have it"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::InvalidOptimum]
    }

    fn step(&self, terms: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        let Some(task) = Task::of(terms, observed) else { return JudgeStep::Done(Vec::new()) };
        let optimizers: Vec<&EvaluatedRun> =
            observed.saying(Answer::Sat).filter(|checked| takes_objectives(checked)).collect();
        if optimizers.is_empty() {
            return JudgeStep::Done(Vec::new());
        }
        if replies.is_empty() {
            let script = task.request(terms, observed.script);
            return JudgeStep::Ask(optimizers.iter().map(|one| observed.ask(one, script.clone())).collect());
        }
        let (results, mut opinions) = replies.split_at(optimizers.len().min(replies.len()));
        let mut verdicts = Vec::new();
        let mut questions = Vec::new();
        let is_asked = !opinions.is_empty();
        for reply in results.iter().filter(|reply| reply.run.answer == Answer::Sat) {
            let Some(answer) = OptimumAnswer::of(terms, observed, &task, reply) else { continue };
            if let Some(problem) = answer.problem_of_model(&task) {
                verdicts.push(task.verdict(&answer, problem, None));
                continue;
            }
            let claims = claims(terms, &task.list, &answer.reported(), task.priority);
            if !is_asked {
                questions.extend(task.questions(observed, &claims));
                continue;
            }
            let count = claims.count() * observed.runs.len();
            let (own, rest) = opinions.split_at(count.min(opinions.len()));
            opinions = rest;
            verdicts.extend(task.judged(terms, observed, &answer, &claims, own));
        }
        // What the model shows needs no opinions, but all of it is said at once.
        if questions.is_empty() { JudgeStep::Done(verdicts) } else { JudgeStep::Ask(questions) }
    }
}

/// Whether solvers of the family of a run may know objectives.
fn takes_objectives(checked: &EvaluatedRun) -> bool {
    matches!(checked.family.as_str(), "z3" | "generic")
}

/// A case with objectives.
struct Task {
    list: Vec<Objective>,
    priority: Priority,
    /// Whether the script says how objectives are weighed.
    has_priority: bool,
    /// What is in force at the check, without objectives.
    plain: Script,
}

impl Task {
    fn of(terms: &mut Terms, observed: &Observed<'_>) -> Option<Task> {
        let found = objectives(terms, observed.script)?;
        if found.list.is_empty() {
            return None;
        }
        Some(Task {
            list: found.list,
            priority: found.priority.unwrap_or(Priority::Lexicographic),
            has_priority: found.priority.is_some(),
            plain: flatten(terms, observed.script)?,
        })
    }

    /// The case with requests for the values of its objectives and for a model.
    fn request(&self, terms: &mut Terms, script: &Script) -> Script {
        let mut asking = script.emptied();
        if !self.has_priority {
            // A solver may be started with another one.
            let (name, value) = (terms.symbols.intern(PRIORITY), terms.symbols.intern(self.priority.word()));
            asking.push(Command::SetOption(name, Some(value)));
        }
        let last = script.commands.iter().rposition(|command| command.role() == Role::Check);
        let kept = last.map_or(0, |last| last + 1);
        script.commands[..kept].iter().for_each(|command| asking.push(command.clone()));
        asking.push(Command::Extension(Extension {
            word: "get-objectives",
            role: Role::Question,
            parts: Vec::new(),
        }));
        asking.push(Command::GetModel);
        asking
    }

    /// All solvers about a better model, then about each value that no model shows.
    fn questions(&self, observed: &Observed<'_>, claims: &Claims) -> Vec<Question> {
        let formulas = claims.better.iter().chain(&claims.attained);
        let scripts = formulas.map(|formula| self.with(*formula));
        let about = |script: Script| {
            observed.runs.iter().map(|checked| observed.ask(checked, script.clone())).collect::<Vec<_>>()
        };
        scripts.flat_map(about).collect()
    }

    /// The hard assertions and a formula.
    fn with(&self, formula: Term) -> Script {
        let mut script = self.plain.clone();
        let check = script.commands.pop();
        script.origins.pop();
        script.push(Command::Assert(formula));
        script.push(check.unwrap_or(Command::CheckSat));
        script
    }

    /// What the opinions of all solvers about claims say about an answer.
    fn judged(
        &self,
        terms: &mut Terms,
        observed: &Observed<'_>,
        answer: &OptimumAnswer<'_>,
        claims: &Claims,
        opinions: &[EvaluatedRun],
    ) -> Option<Verdict> {
        let mut opinions = opinions.chunks(observed.runs.len().max(1));
        if let Some(formula) = claims.better
            && let Some(witness) = opinions
                .next()?
                .iter()
                .find(|reply| reply.run.answer == Answer::Sat && reply.model == ModelCheck::Accepted)
        {
            let values = values_of(terms, observed, &self.list, witness);
            // Where all can be evaluated the comparison is made once more.
            let is_better = beats(&self.list, &answer.reported(), &values, self.priority);
            let is_known = values.iter().all(Option::is_some);
            if is_better || !is_known {
                let problem = OptimumProblem::Better {
                    solver: witness.run.solver.clone(),
                    model: witness.run.output.clone(),
                };
                let mut verdict = self.verdict(answer, problem, Some(values));
                set_script(&mut verdict, terms, &self.with(formula));
                return Some(verdict);
            }
        }
        for (formula, replies) in claims.attained.iter().zip(opinions) {
            let deniers: Vec<&EvaluatedRun> =
                replies.iter().filter(|reply| reply.run.answer == Answer::Unsat).collect();
            let is_granted = replies.iter().any(|reply| reply.run.answer == Answer::Sat);
            if is_granted || lineages(deniers.iter().map(|reply| reply.family.as_str())).len() < 2 {
                continue;
            }
            let unsat = deniers.iter().map(|reply| reply.run.solver.clone()).collect();
            let mut verdict = self.verdict(answer, OptimumProblem::NotAttained { unsat }, None);
            set_script(&mut verdict, terms, &self.with(*formula));
            return Some(verdict);
        }
        None
    }

    fn verdict(
        &self,
        answer: &OptimumAnswer<'_>,
        problem: OptimumProblem,
        values: Option<Vec<Option<RBig>>>,
    ) -> Verdict {
        let values = values.as_ref().unwrap_or(&answer.values);
        let shown = |((objective, line), value): ((&Objective, &Line), &Option<RBig>)| ObjectiveValue {
            objective: objective.text.clone(),
            reported: line.text.clone(),
            value: value.as_ref().map(ToString::to_string),
        };
        let objectives = self.list.iter().zip(&answer.lines).zip(values).map(shown).collect();
        let priority = self.priority.word().to_owned();
        let evidence = Evidence::Optimum { priority, objectives, problem, script: String::new() };
        blame(Class::InvalidOptimum, answer.reply, evidence)
    }
}

fn set_script(verdict: &mut Verdict, terms: &mut Terms, with: &Script) {
    if let Evidence::Optimum { script, .. } = &mut verdict.evidence {
        *script = smelt_smtlib::print::script_text(terms, with);
    }
}

/// What a solver says of all objectives.
struct OptimumAnswer<'r> {
    reply: &'r EvaluatedRun,
    lines: Vec<Line>,
    /// What our evaluator says of its model.
    check: ModelCheck,
    /// The values of the objectives under its model, where they are known.
    values: Vec<Option<RBig>>,
}

impl<'r> OptimumAnswer<'r> {
    fn of(
        terms: &mut Terms,
        observed: &Observed<'_>,
        task: &Task,
        reply: &'r EvaluatedRun,
    ) -> Option<OptimumAnswer<'r>> {
        let lines = reported_objectives(&reply.run.output).filter(|lines| lines.len() == task.list.len())?;
        let model = model_in(&reply.run.output);
        let check = observed.formula.check_model(terms, model, reply.dialect, Budget::default());
        let values = values_of(terms, observed, &task.list, reply);
        Some(OptimumAnswer { reply, lines, check, values })
    }

    fn reported(&self) -> Vec<Option<Reported>> {
        self.lines.iter().map(|line| line.reported.clone()).collect()
    }

    /// What its own model shows. A model that is none shows nothing.
    fn problem_of_model(&self, task: &Task) -> Option<OptimumProblem> {
        if !matches!(self.check, ModelCheck::Accepted | ModelCheck::Undecided) {
            return None;
        }
        let model = model_in(&self.reply.run.output).to_owned();
        let reported = self.reported();
        if task.priority != Priority::Box {
            let numbers = reported.iter().map_while(|one| match one {
                Some(Reported::Best(value)) => value.as_number(),
                _ => None,
            });
            let differs = numbers
                .zip(&self.values)
                .any(|(number, value)| value.as_ref().is_some_and(|value| value != number));
            if differs {
                return Some(OptimumProblem::OtherValue { model });
            }
        }
        let is_better =
            self.check == ModelCheck::Accepted && beats(&task.list, &reported, &self.values, task.priority);
        is_better.then(|| OptimumProblem::Better { solver: self.reply.run.solver.clone(), model })
    }
}

/// The values of objectives under the model of a run, where they are known.
fn values_of(
    terms: &mut Terms,
    observed: &Observed<'_>,
    list: &[Objective],
    reply: &EvaluatedRun,
) -> Vec<Option<RBig>> {
    let wanted: Vec<Term> = list.iter().map(|objective| objective.term).collect();
    let values = observed.formula.values(terms, model_in(&reply.run.output), reply.dialect, &wanted);
    values.iter().map(|value| value.as_ref().and_then(number_of)).collect()
}

/// What follows the values of objectives in an output.
fn model_in(output: &str) -> &str {
    let Some(start) = output.find("(objectives") else { return output };
    let mut scanner = smelt_smtlib::sexp::Scanner::new(&output[start..]);
    match scanner.read(&mut smelt_smtlib::sexp::Tape::new()) {
        Ok(true) => &output[start + scanner.offset() as usize..],
        _ => "",
    }
}

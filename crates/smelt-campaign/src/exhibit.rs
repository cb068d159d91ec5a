//! Makes the exhibit of a finding: one formula, and all evidence about that very formula.
//!
//! A finding is about the case in which it was found. Whenever its report shows another formula, which is most often the
//! reduced one, everything is established anew for that formula: the verdict of the judges, what every solver prints, the
//! value of every assertion, and what the culprit says of its own evidence. A formula for which this fails has no exhibit,
//! and must not be shown.

use smelt_oracle::assertion_values::{AssertionValue, assertion_values, contradiction_values};
use smelt_oracle::evaluated::{Formula, ModelCheck};
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::flatten::{flatten, only};
use smelt_oracle::guilty_step::{GuiltyStep, RefutingModel, guilty_step};
use smelt_oracle::proof_request::proof_request;
use smelt_oracle::run::{Answer, Run};
use smelt_report::finding::exhibit::{Exhibit, FORMAT, OwnWords, Transcript};
use smelt_runner::answer::{read_run, text_of};
use smelt_runner::cache::Cache;
use smelt_runner::cold;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer, script_text};
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::term::Terms;
use smelt_store::finding::Finding;

use crate::campaign::command_of;
use crate::finding::operator_names;
use crate::hunt::HuntError;
use crate::replay::{Replay, ReplayError, case_text, replay};
use smelt_trial::target::{PRODUCE_MODELS, Target};

/// Solvers for an exhibit.
pub struct Stage<'s> {
    /// Those that the judges hear, the culprit among them.
    pub targets: &'s [Target],
    /// Those whose answers are only shown.
    pub others: &'s [Target],
    /// For each run.
    pub limits: &'s Limits,
    /// A solver that is asked where solvers disagree.
    pub opinion: Option<&'s Solver>,
}

/// A verdict of a replay, and the script that shows it where that is not the formula itself.
pub type Picked = (Verdict, Option<String>);

/// The exhibit of a finding with its formula as it is now; none if fresh processes do not show it, or the evidence cannot
/// be established for this formula. `pick` says which verdict of a replay is the finding.
pub fn exhibit(
    finding: &Finding,
    stage: &Stage<'_>,
    pick: &dyn Fn(&Replay) -> Option<Picked>,
) -> Result<Option<Exhibit>, ReplayError> {
    if let Evidence::WarmCold { .. } = &finding.verdict.evidence {
        return Ok(None);
    }
    let replay = replay(finding, stage.targets, stage.limits, stage.opinion)?;
    let Some((verdict, asked)) = pick(&replay) else { return Ok(None) };
    let mut terms = Terms::new();
    let formula = case_text(&mut terms, finding)?;
    let reading = read_script_as(&mut terms, &formula, Dialect::V26);
    let mut making = Making { terms, reading, stage, verdict, transcripts: Vec::new() };
    let Some(script) = making.show_culprit(asked, &formula)? else { return Ok(None) };
    making.show_others(&script)?;
    let Some(evaluated) = making.establish()? else { return Ok(None) };
    let itself = making.ask_culprit_itself()?;
    let guilty = making.ask_for_guilty_step()?;
    let operators = operator_names(&making.terms, &making.reading.script);
    let culprit = making.culprit();
    let is_older = |name: &&String| {
        culprit.iter().flat_map(|culprit| &culprit.meanings.older).any(|op| op.info().name == name.as_str())
    };
    let drifting = operators.iter().filter(is_older).cloned().collect();
    let Making { verdict, transcripts, .. } = making;
    Ok(Some(Exhibit {
        format: FORMAT,
        formula,
        script,
        verdict,
        operators,
        drifting,
        evaluated,
        transcripts: transcripts.into_iter().map(|(transcript, _)| transcript).collect(),
        itself,
        guilty,
    }))
}

/// An exhibit under way.
struct Making<'m> {
    terms: Terms,
    reading: Reading,
    stage: &'m Stage<'m>,
    verdict: Verdict,
    transcripts: Vec<(Transcript, Run)>,
}

impl Making<'_> {
    fn targets(&self) -> impl Iterator<Item = &Target> {
        self.stage.targets.iter().chain(self.stage.others)
    }

    fn culprit(&self) -> Option<Target> {
        let culprit = self.verdict.culprit.as_ref()?;
        self.targets().find(|target| target.solver.name == *culprit).cloned()
    }

    /// Runs the culprit on the shortest script that shows the finding; none if no script does.
    fn show_culprit(&mut self, asked: Option<String>, formula: &str) -> Result<Option<String>, ReplayError> {
        let Some(culprit) = self.culprit() else { return Ok(Some(formula.to_owned())) };
        let needs_no_request = asked.is_none()
            && (matches!(self.verdict.class, Class::Crash | Class::SoundnessRefutation)
                || matches!(self.verdict.evidence, Evidence::FalseUnderEveryModel { .. }));
        let whole = match asked {
            Some(asked) => asked,
            None => culprit.text(&mut self.terms, &self.reading.script),
        };
        let mut scripts = Vec::new();
        if needs_no_request {
            scripts.push(without_request(&whole));
        }
        scripts.push(whole);
        for script in scripts {
            let (transcript, run) = transcribe(&culprit.solver, &script, self.stage.limits)?;
            if self.is_shown_by(&culprit, &run) {
                let version = culprit.probe.version.clone();
                self.transcripts.push((Transcript { version, ..transcript }, run));
                return Ok(Some(script));
            }
        }
        Ok(None)
    }

    /// Whether a run of the culprit shows the finding. A model that it prints becomes the evidence.
    fn is_shown_by(&mut self, culprit: &Target, run: &Run) -> bool {
        match (&mut self.verdict.evidence, self.verdict.class) {
            (Evidence::Signature(signature), Class::Crash) => {
                run.signatures().any(|shown| shown == signature)
            }
            (Evidence::FalseAssertions { model, assertions }, _) => {
                let formula = Formula::new(&self.terms, &self.reading);
                match formula.model_of(&mut self.terms, run, culprit.dialect()) {
                    ModelCheck::Refuted(numbers) => {
                        *model = run.output.clone();
                        *assertions = numbers;
                        true
                    }
                    _ => false,
                }
            }
            (Evidence::FalseUnderEveryModel { assertions }, _) => {
                *assertions = Formula::new(&self.terms, &self.reading).contradictions(&self.terms);
                run.answer == Answer::Sat && !assertions.is_empty()
            }
            (Evidence::Core { assertions, .. }, _) => {
                run.answer == Answer::Unsat && core_numbers(&run.output) == *assertions
            }
            (Evidence::Trace { check, said, .. }, _) => run.answers.get(*check - 1) == Some(said),
            (_, Class::SoundnessRefutation) => run.answer == Answer::Unsat,
            (_, Class::SoundnessSolution) => run.answer == Answer::Sat,
            _ => true,
        }
    }

    /// Runs all solvers besides the culprit, each in its own words.
    fn show_others(&mut self, shown: &str) -> Result<(), ReplayError> {
        let targets: Vec<Target> = self.targets().cloned().collect();
        for target in &targets {
            let name = &target.solver.name;
            if self.transcripts.iter().any(|(transcript, _)| transcript.solver == *name)
                || target.takes(&self.terms, &self.reading.script).is_none()
            {
                continue;
            }
            let text = target.text(&mut self.terms, &self.reading.script);
            let (mut transcript, run) = transcribe(&target.solver, &text, self.stage.limits)?;
            transcript.version = target.probe.version.clone();
            transcript.script = (text != shown).then_some(text);
            self.transcripts.push((transcript, run));
        }
        Ok(())
    }

    /// The assertions under the model that is the evidence; none if the evidence does not hold for this formula. A model
    /// of the formula is taken from the runs that are shown.
    fn establish(&mut self) -> Result<Option<Vec<AssertionValue>>, ReplayError> {
        if let Evidence::FalseUnderEveryModel { assertions } = &self.verdict.evidence {
            let lines = contradiction_values(&mut self.terms, &self.reading);
            return Ok((lines.len() == assertions.len()).then_some(lines));
        }
        let printer = match &self.verdict.evidence {
            Evidence::Model { solver, .. } | Evidence::Core { solver, .. } => Some(solver.clone()),
            Evidence::FalseAssertions { .. } => self.verdict.culprit.clone(),
            _ => None,
        };
        let Some(printer) = printer else { return Ok(Some(Vec::new())) };
        if let Evidence::Model { .. } = &self.verdict.evidence {
            return self.establish_model(&printer);
        }
        let dialect = self.dialect_of(&printer);
        let (model, only) = match &self.verdict.evidence {
            Evidence::Core { model, assertions, .. } => (model.clone(), Some(assertions.clone())),
            Evidence::FalseAssertions { model, .. } => (model.clone(), None),
            _ => return Ok(None),
        };
        let mut lines = assertion_values(&mut self.terms, &self.reading, &model, dialect);
        lines.retain(|line| only.as_ref().is_none_or(|only| only.contains(&line.number)));
        let holds = match &self.verdict.evidence {
            Evidence::FalseAssertions { assertions, .. } => {
                let is_false = |line: &&AssertionValue| line.value == FALSE;
                let found: Vec<usize> = lines.iter().filter(is_false).map(|line| line.number).collect();
                found == *assertions
            }
            _ => {
                lines.iter().all(|line| line.value == TRUE)
                    && only.is_none_or(|only| only.len() == lines.len())
            }
        };
        Ok(holds.then_some(lines))
    }

    /// A model of the formula that a solver printed here: that of the solver named, or else any other.
    fn establish_model(&mut self, wanted: &str) -> Result<Option<Vec<AssertionValue>>, ReplayError> {
        let is_shown = self.transcripts.iter().any(|(transcript, _)| transcript.solver == wanted);
        if let Some(opinion) = self.stage.opinion.filter(|opinion| !is_shown && opinion.name == wanted) {
            let mut printer = Printer::new(&mut self.terms, Dialect::V26, Layout::Shared);
            printer.script(&self.reading.script);
            let text = format!("{PRODUCE_MODELS}{}{GET_MODEL}", printer.finish());
            let (transcript, run) = transcribe(opinion, &text, self.stage.limits)?;
            self.transcripts.push((Transcript { script: Some(text), ..transcript }, run));
        }
        let formula = Formula::new(&self.terms, &self.reading);
        let mut runs: Vec<Run> = self.transcripts.iter().map(|(_, run)| run.clone()).collect();
        runs.sort_by_key(|run| run.solver != wanted);
        for run in runs {
            let dialect = self.dialect_of(&run.solver);
            if formula.model_of(&mut self.terms, &run, dialect) == ModelCheck::Accepted {
                let lines = assertion_values(&mut self.terms, &self.reading, &run.output, dialect);
                self.verdict.evidence = Evidence::Model { solver: run.solver, model: run.output };
                return Ok(Some(lines));
            }
        }
        Ok(None)
    }

    fn dialect_of(&self, solver: &str) -> Dialect {
        self.targets().find(|target| target.solver.name == solver).map(Target::dialect).unwrap_or_default()
    }

    /// Asks the culprit about the model that refutes it, about the values of its own model, or about its
    /// core or the assertions that are false under every model alone.
    fn ask_culprit_itself(&mut self) -> Result<Option<OwnWords>, ReplayError> {
        let (Some(culprit), Some(script)) = (self.culprit(), flatten(&self.terms, &self.reading.script))
        else {
            return Ok(None);
        };
        let formula = Formula::new(&self.terms, &self.reading);
        let (asked, contradiction) = match (&self.verdict.evidence, self.verdict.class) {
            (Evidence::Model { solver, model }, Class::SoundnessRefutation) => {
                let dialect = self.dialect_of(solver);
                (formula.pinned(&mut self.terms, &script, model, dialect), Answer::Sat)
            }
            (Evidence::FalseAssertions { model, .. }, Class::InvalidModel) => {
                let dialect = culprit.dialect();
                (formula.pinned(&mut self.terms, &script, model, dialect), Answer::Unsat)
            }
            (Evidence::FalseUnderEveryModel { assertions }, Class::SoundnessSolution) => {
                (Some(only(&script, assertions)), Answer::Unsat)
            }
            (Evidence::Core { assertions, .. }, Class::InvalidCore) => {
                (Some(only(&script, assertions)), Answer::Sat)
            }
            _ => return Ok(None),
        };
        let Some(asked) = asked else { return Ok(None) };
        let text = without_request(&culprit.text(&mut self.terms, &asked));
        let (transcript, _) = transcribe(&culprit.solver, &text, self.stage.limits)?;
        let transcript = Transcript { version: culprit.probe.version.clone(), ..transcript };
        Ok(Some(OwnWords { script: text, transcript, contradiction }))
    }
}

impl Making<'_> {
    /// The first false step of the proof that the culprit prints of a wrong `unsat`; none if it prints none that is
    /// understood, or no step is known to be false.
    fn ask_for_guilty_step(&mut self) -> Result<Option<GuiltyStep>, ReplayError> {
        let (Some(culprit), Some(script)) = (self.culprit(), flatten(&self.terms, &self.reading.script))
        else {
            return Ok(None);
        };
        let family = culprit.solver.family.name();
        let Some(asking) = proof_request(&mut self.terms, &script, family, None) else { return Ok(None) };
        if self.verdict.class != Class::SoundnessRefutation {
            return Ok(None);
        }
        let text = culprit.text(&mut self.terms, &asking);
        let (_, run) = transcribe(&culprit.solver, &text, self.stage.limits)?;
        if run.answer != Answer::Unsat {
            return Ok(None);
        }
        let model = match &self.verdict.evidence {
            Evidence::Model { solver, model } => {
                Some(RefutingModel { text: model, dialect: self.dialect_of(solver) })
            }
            _ => None,
        };
        let plain = script_text(&mut self.terms, &script);
        Ok(guilty_step(&plain, &run.output, model))
    }
}

const TRUE: &str = "true";
const FALSE: &str = "false";

/// A text for a solver without what asks for a model.
fn without_request(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| *line != PRODUCE_MODELS && *line != GET_MODEL).collect()
}

const GET_MODEL: &str = "(get-model)\n";

/// Runs a solver on a text, with all that it prints.
fn transcribe(solver: &Solver, script: &str, limits: &Limits) -> Result<(Transcript, Run), ReplayError> {
    let raw = cold::run(&solver.invocation, script, limits)
        .map_err(|error| ReplayError::Run(HuntError::Solver { solver: solver.name.clone(), error }))?;
    let run = read_run(&solver.name, &raw);
    let transcript = Transcript {
        solver: solver.name.clone(),
        command: Some(command_of(solver)),
        version: None,
        hash: Cache::none().content_hash(solver).ok(),
        script: None,
        answer: run.answer,
        printed: kept(&text_of(&raw.stdout)),
        errors: kept(&text_of(&raw.stderr)),
        end: Some(raw.end.into()),
    };
    Ok((transcript, run))
}

/// The most characters of an output that are kept.
const MAX_OUTPUT: usize = 20_000;

fn kept(output: &str) -> String {
    match output.char_indices().nth(MAX_OUTPUT) {
        None => output.to_owned(),
        Some((end, _)) => format!("{}\n[.. {} more bytes]\n", &output[..end], output.len() - end),
    }
}

/// What the names of the assertions of a core begin with.
const CORE_STEM: &str = "smelt-core-";

/// The numbers of the assertions in a core that was printed, counted from 1.
fn core_numbers(output: &str) -> Vec<usize> {
    output
        .split(|letter: char| letter.is_whitespace() || "()|".contains(letter))
        .filter_map(|word| word.strip_prefix(CORE_STEM)?.parse::<usize>().ok())
        .map(|number| number + 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_read_from_what_was_printed() {
        assert_eq!(core_numbers("unsat\n(smelt-core-1 |smelt-core-10|)\n"), [2, 11]);
        assert_eq!(core_numbers("()"), [] as [usize; 0]);
    }

    #[test]
    fn a_script_without_a_request_keeps_its_logic_and_options() {
        let text = "(set-option :a b)\n(set-option :produce-models true)\n(set-logic ALL)\n(check-sat)\n(get-model)\n";
        assert_eq!(without_request(text), "(set-option :a b)\n(set-logic ALL)\n(check-sat)\n");
    }

    #[test]
    fn an_output_without_end_is_cut() {
        let text = kept(&"é".repeat(MAX_OUTPUT + 1));
        assert!(text.ends_with("[.. 2 more bytes]\n"), "{}", &text[text.len() - 40..]);
        assert_eq!(kept("sat\n"), "sat\n");
    }
}

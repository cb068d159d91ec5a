//! A trial: one case on its way through the solvers, with everything that is found out about it.
//!
//! Terms are not part of a trial: the trials of one chain share them, so functions that read or make terms are given
//! them first.

use smelt_oracle::case::{Case, Relation};
use smelt_oracle::evaluated::{EvaluatedRun, Formula, ModelCheck};
use smelt_oracle::judge::{Observed, Parent};
use smelt_oracle::run::Run;
use smelt_runner::fragment::Fragments;
use smelt_runner::script_profile::ScriptProfile;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use crate::omission::Omission;
use crate::target::Target;
use crate::worker::FirstLimit;

/// A case with its texts and its runs.
#[derive(Debug)]
pub struct Trial {
    /// The case.
    pub case: Case,
    /// The number by which its proposer knows where it comes from.
    pub origin: usize,
    /// What the last step of its chain did, for people; empty if there is nothing to say.
    pub detail: String,
    /// The formula before it in its chain, if one of the two follows from the other.
    pub parent: Option<ParentFormula>,
    /// The case as it reads.
    pub reading: Reading,
    /// The same, ready for models to be checked.
    pub formula: Formula,
    /// What is in the script.
    pub profile: ScriptProfile,
    /// A number drawn for the case: judges and solvers that get a sample of all cases are given some by it.
    pub sample_key: u64,
    /// For each target the position of the text that it is sent, or why it is not asked; empty before the trial is
    /// addressed.
    pub sent: Vec<Result<usize, Omission>>,
    /// The different texts that targets are sent.
    pub texts: Vec<String>,
    /// For each target its run, if it was run.
    pub runs: Vec<Option<Run>>,
    /// For each target how many formulas its session had been asked when it had answered this one; none if it answered in
    /// a fresh process.
    pub asked_before: Vec<Option<usize>>,
    /// For each target how much processor time its run got at first.
    pub first_limits: Vec<FirstLimit>,
    /// How many runs were repeated because the clock ended them.
    pub repeated: u64,
    /// The first runs with what our evaluator says of them.
    pub evaluated: Vec<EvaluatedRun>,
    /// The runs of the case in fresh processes, which confirm what seems wrong; none before that.
    pub fresh: Vec<EvaluatedRun>,
    /// All other runs: those that were repeated with more time, and those that were made to confirm it.
    pub extra_runs: Vec<EvaluatedRun>,
    /// How many verdicts on the first runs were not confirmed.
    pub unconfirmed: u64,
}

/// The formula before a case in its chain.
#[derive(Debug)]
pub struct ParentFormula {
    /// The formula.
    pub script: Script,
    /// How the case follows from it.
    pub relation: Relation,
    /// Its runs; none if it was not run.
    pub runs: Option<Vec<EvaluatedRun>>,
}

impl Trial {
    /// The trial of a case that reads as given and has these profile, not run yet. Its sample key is 0.
    pub fn new(terms: &Terms, case: Case, reading: Reading, profile: ScriptProfile) -> Trial {
        let formula = Formula::new(terms, &reading);
        Trial {
            case,
            origin: 0,
            detail: String::new(),
            parent: None,
            reading,
            formula,
            profile,
            sample_key: 0,
            sent: Vec::new(),
            texts: Vec::new(),
            runs: Vec::new(),
            asked_before: Vec::new(),
            first_limits: Vec::new(),
            repeated: 0,
            evaluated: Vec::new(),
            fresh: Vec::new(),
            extra_runs: Vec::new(),
            unconfirmed: 0,
        }
    }

    /// The trial of a case, whose script is read. Its sample key is 0.
    pub fn read(terms: &mut Terms, case: Case) -> Trial {
        let reading = read_script_as(terms, &case.script, Dialect::V26);
        let profile = ScriptProfile::of(terms, &reading.script);
        Trial::new(terms, case, reading, profile)
    }

    /// For each target whether it was run.
    pub fn was_run(&self) -> Vec<bool> {
        self.runs.iter().map(Option::is_some).collect()
    }

    /// The text for a target that the trial is sent to, with the fragments of formula that it is.
    pub(crate) fn text(&self, target: usize) -> (&str, Fragments) {
        let text = self.sent[target].as_ref().expect("the trial is sent to this target");
        (&self.texts[*text], self.profile.fragments)
    }

    /// Has our evaluator look at the runs. A model that was printed before is not evaluated again.
    pub fn evaluate(&mut self, terms: &mut Terms, targets: &[Target]) {
        let mut evaluated: Vec<EvaluatedRun> = Vec::with_capacity(self.runs.len());
        for (position, (target, run)) in targets.iter().zip(&self.runs).enumerate() {
            let Some(run) = run.clone() else { continue };
            let same = evaluated.iter().find(|seen| is_same_output(seen, &run, target));
            let model = match same {
                Some(seen) => seen.model.clone(),
                None => self.formula.model_of(terms, &run, target.dialect()),
            };
            let is_warm = self.asked_before[position].is_some();
            evaluated.push(EvaluatedRun { is_warm, ..with_model(target, run, model) });
        }
        self.evaluated = evaluated;
    }

    /// The trial as judges look at it, with the given runs. `first` are the runs that were made first, if these are those
    /// in fresh processes.
    pub fn observed<'o>(
        &'o self,
        runs: &'o [EvaluatedRun],
        first: Option<&'o [EvaluatedRun]>,
    ) -> Observed<'o> {
        let parent = self.parent.as_ref().map(|parent| Parent {
            script: &parent.script,
            relation: parent.relation,
            change: &self.detail,
            runs: parent.runs.as_deref(),
        });
        Observed {
            expectation: self.case.expectation,
            basis: &self.case.basis,
            script: &self.reading.script,
            formula: &self.formula,
            runs,
            first,
            parent,
            sample_key: self.sample_key,
        }
    }
}

/// Whether a run of a target shows the model that was seen before.
fn is_same_output(seen: &EvaluatedRun, run: &Run, target: &Target) -> bool {
    seen.dialect == target.dialect() && seen.run.answer == run.answer && seen.run.output == run.output
}

/// A run in a fresh process, with what our evaluator says of its model.
pub fn evaluated(terms: &mut Terms, formula: &Formula, target: &Target, run: Run) -> EvaluatedRun {
    let model = formula.model_of(terms, &run, target.dialect());
    with_model(target, run, model)
}

fn with_model(target: &Target, run: Run, model: ModelCheck) -> EvaluatedRun {
    EvaluatedRun {
        model,
        run,
        family: target.solver.family.name().to_owned(),
        version: target.version(),
        dialect: target.dialect(),
        is_warm: false,
    }
}

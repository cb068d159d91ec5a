//! What judges say at once of the runs of a trial, and which of them are not content with the first ones.
//!
//! A single run can also be judged by what is known of its formula without running anything else: by a [`Referee`].

use smelt_oracle::case::Case;
use smelt_oracle::evaluated::EvaluatedRun;
use smelt_oracle::finding::{Class, Verdict};
use smelt_oracle::judge::{Judge, JudgeStep, judge};
use smelt_oracle::references::lineage;
use smelt_smtlib::term::Terms;

use crate::trial::Trial;

/// Has judges look at the first runs of a trial that was evaluated: those that have something to say about them, or to
/// ask.
pub(crate) fn suspicions(
    terms: &mut Terms,
    trial: &Trial,
    judges: &[&'static dyn Judge],
) -> Vec<(&'static dyn Judge, JudgeStep)> {
    let observed = trial.observed(&trial.evaluated, None);
    let steps = judges.iter().map(|judge| (*judge, judge.step(terms, &observed, &[])));
    steps.filter(|(_, step)| !matches!(step, JudgeStep::Done(verdicts) if verdicts.is_empty())).collect()
}

/// Whether a judge says that solvers disagree and nothing tells who is wrong.
pub(crate) fn is_dispute(step: &JudgeStep) -> bool {
    matches!(step, JudgeStep::Done(verdicts) if verdicts.iter().any(|one| one.class == Class::Disputed))
}

/// What judges say at once of some runs of the case of a trial; those that ask for more runs say nothing.
pub fn verdicts(
    terms: &mut Terms,
    trial: &Trial,
    runs: &[EvaluatedRun],
    judges: &[&'static dyn Judge],
) -> Vec<Verdict> {
    let observed = trial.observed(runs, None);
    let said = |judge: &&'static dyn Judge| match judge.step(terms, &observed, &[]) {
        JudgeStep::Done(verdicts) => verdicts,
        JudgeStep::Ask(_) => Vec::new(),
    };
    judges.iter().flat_map(said).collect()
}

/// Judges single runs by opinions on their formulas, such as [`smelt_oracle::references::Known::opinions`] has.
///
/// The formula itself is not needed, since its models were evaluated before. Judges of crashes, models and answers are
/// asked, as in hunts: without a model, an answer that contradicts the opinions is disputed and not wrong.
pub struct Referee {
    judges: Vec<&'static dyn Judge>,
    /// A trial of no formula, since judges look at trials.
    trial: Trial,
    terms: Terms,
}

impl Default for Referee {
    fn default() -> Self {
        let mut terms = Terms::new();
        let trial = Trial::read(&mut terms, Case::unclaimed("", String::new()));
        let judges = ["crash", "model", "differential"].into_iter().filter_map(judge).collect();
        Referee { judges, trial, terms }
    }
}

impl Referee {
    /// The worst verdict against the solver of a run, or that nobody can tell who is wrong; none if nothing is wrong with
    /// the run. Who has an opinion is not judged.
    pub fn verdict(&mut self, run: &EvaluatedRun, opinions: Vec<EvaluatedRun>) -> Option<Verdict> {
        let mut suspect = EvaluatedRun { family: lineage(&run.family).to_owned(), ..run.clone() };
        // Verdicts name solvers, and who has an opinion may have the same name.
        while opinions.iter().any(|opinion| opinion.run.solver == suspect.run.solver) {
            suspect.run.solver.push('\'');
        }
        let name = suspect.run.solver.clone();
        let runs = [opinions, vec![suspect]].concat();
        let found = verdicts(&mut self.terms, &self.trial, &runs, &self.judges);
        let about_run =
            found.into_iter().filter(|verdict| verdict.culprit.as_ref().is_none_or(|one| *one == name));
        let worst = about_run.min_by_key(|verdict| verdict.class)?;
        Some(Verdict { culprit: worst.culprit.map(|_| run.run.solver.clone()), ..worst })
    }
}

#[cfg(test)]
mod tests {
    use smelt_oracle::evaluated::{ModelCheck, ModelWord};
    use smelt_oracle::references::Known;
    use smelt_oracle::run::{Answer, Run};

    use super::*;

    const ACCEPTED: ModelCheck = ModelCheck::Accepted;
    const MISSING: ModelCheck = ModelCheck::Missing;

    fn refuted() -> ModelCheck {
        ModelCheck::Refuted(vec![1])
    }

    fn known(references: &[(&str, Answer, Option<ModelWord>)]) -> Known {
        let mut known = Known::default();
        for (family, answer, model) in references {
            known.add_reference(family, *answer, *model);
        }
        known
    }

    fn class(known: &Known, family: &str, answer: Answer, model: ModelCheck) -> Option<Class> {
        let run =
            EvaluatedRun { model, ..EvaluatedRun::without_model(family, Run::saying("suspect", answer)) };
        Referee::default().verdict(&run, known.opinions()).map(|verdict| verdict.class)
    }

    #[test]
    fn an_accepted_model_settles_it() {
        let known = known(&[("z3", Answer::Unsat, None), ("cvc5", Answer::Sat, Some(ModelWord::Accepted))]);
        assert_eq!(class(&known, "z3", Answer::Unsat, MISSING), Some(Class::SoundnessRefutation));
        assert_eq!(class(&known, "z3", Answer::Sat, MISSING), None);
        assert_eq!(class(&known, "z3", Answer::Sat, refuted()), Some(Class::InvalidModel));
    }

    #[test]
    fn an_opinion_without_a_model_convicts_nobody() {
        let opinion = known(&[("cvc5", Answer::Sat, Some(ModelWord::Undecided))]);
        assert_eq!(class(&opinion, "z3", Answer::Unsat, MISSING), Some(Class::Disputed));
        let opinion = known(&[("cvc5", Answer::Unsat, None)]);
        assert_eq!(class(&opinion, "z3", Answer::Sat, MISSING), Some(Class::Disputed));
        assert_eq!(class(&opinion, "z3", Answer::Sat, ACCEPTED), None);
    }

    #[test]
    fn a_run_is_not_blamed_for_an_opinion_of_the_same_name() {
        let opinion = known(&[("z3", Answer::Unsat, None)]);
        let run = EvaluatedRun {
            model: ACCEPTED,
            ..EvaluatedRun::without_model("z3", Run::saying("z3", Answer::Sat))
        };
        assert_eq!(Referee::default().verdict(&run, opinion.opinions()), None);
        let certified = known(&[("z3", Answer::Sat, Some(ModelWord::Accepted))]);
        let run = EvaluatedRun::without_model("z3", Run::saying("certificate", Answer::Unsat));
        let verdict = Referee::default().verdict(&run, certified.opinions()).unwrap();
        assert_eq!(verdict.culprit.as_deref(), Some("certificate"));
    }

    #[test]
    fn a_wrong_sat_takes_two_other_lineages_and_a_failing_model() {
        let two = known(&[("z3", Answer::Unsat, None), ("cvc5", Answer::Unsat, None)]);
        assert_eq!(class(&two, "z3", Answer::Sat, refuted()), Some(Class::InvalidModel));
        assert_eq!(class(&two, "smelt", Answer::Sat, refuted()), Some(Class::SoundnessSolution));
        assert_eq!(class(&two, "smelt", Answer::Sat, MISSING), Some(Class::Disputed));
        let cvc = known(&[("cvc4", Answer::Unsat, None), ("cvc5", Answer::Unsat, None)]);
        assert_eq!(class(&cvc, "z3", Answer::Sat, refuted()), Some(Class::InvalidModel));
    }

    #[test]
    fn a_dispute_of_references_is_not_the_fault_of_releases() {
        let dispute = known(&[("z3", Answer::Unsat, None), ("cvc5", Answer::Sat, None)]);
        assert_eq!(class(&dispute, "z3", Answer::Sat, MISSING), None);
        assert_eq!(class(&dispute, "z3", Answer::Unsat, MISSING), None);
    }

    #[test]
    fn giving_up_and_rejecting_is_never_wrong() {
        let certified = known(&[("cvc5", Answer::Sat, Some(ModelWord::Accepted))]);
        for answer in [Answer::Unknown, Answer::Timeout, Answer::Rejected, Answer::Error, Answer::Memout] {
            assert_eq!(class(&certified, "z3", answer, MISSING), None);
        }
        assert_eq!(class(&known(&[]), "z3", Answer::Crash, MISSING), Some(Class::Crash));
    }
}

//! What references and models tell of a formula.
//!
//! Nothing is judged here: what is known becomes runs with which judges compare the run of another solver.

use crate::evaluated::{EvaluatedRun, ModelCheck, ModelWord};
use crate::run::{Answer, Run};

/// What is known of a formula.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    has_certificate: bool,
    /// The lineages of references that say `sat`.
    sat: Vec<String>,
    /// The lineages of references that say `unsat`.
    unsat: Vec<String>,
}

/// What is known of a formula, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Our evaluator accepted a model.
    CertifiedSat,
    /// References of at least two lineages say `unsat`.
    AgreedUnsat,
    /// References say `sat`, and no model is at hand.
    ClaimedSat,
    /// References of one lineage say `unsat`.
    ClaimedUnsat,
    /// References contradict each other, and no model is at hand.
    Disputed,
    /// No reference decides it.
    Open,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 6] = [
        Status::CertifiedSat,
        Status::AgreedUnsat,
        Status::ClaimedSat,
        Status::ClaimedUnsat,
        Status::Disputed,
        Status::Open,
    ];

    /// The words that users see.
    pub fn words(self) -> &'static str {
        match self {
            Status::CertifiedSat => "sat, certified by a model",
            Status::AgreedUnsat => "unsat, agreed",
            Status::ClaimedSat => "sat, without a model",
            Status::ClaimedUnsat => "unsat, one opinion",
            Status::Disputed => "disputed",
            Status::Open => "open",
        }
    }
}

/// The lineage of a family: what families of one lineage say is one opinion. cvc5 grew out of cvc4, and Bitwuzla out of
/// Boolector.
pub fn lineage(family: &str) -> &str {
    match family {
        "cvc4" | "cvc5" | "cvc5-gpl" => "cvc",
        "boolector" => "bitwuzla",
        other => other,
    }
}

impl Known {
    /// Adds what a reference of this family says.
    pub fn add_reference(&mut self, family: &str, answer: Answer, model: Option<ModelWord>) {
        let list = match answer {
            Answer::Sat => &mut self.sat,
            Answer::Unsat => &mut self.unsat,
            _ => return,
        };
        let lineage = lineage(family).to_owned();
        if !list.contains(&lineage) {
            list.push(lineage);
        }
        self.add_model(answer, model);
    }

    /// Adds what became of the model of any solver.
    pub fn add_model(&mut self, answer: Answer, model: Option<ModelWord>) {
        self.has_certificate |= answer == Answer::Sat && model == Some(ModelWord::Accepted);
    }

    /// Whether a model shows that the formula is satisfiable.
    pub fn has_certificate(&self) -> bool {
        self.has_certificate
    }

    /// What is known, in one word.
    pub fn status(&self) -> Status {
        match (self.has_certificate, self.sat.is_empty(), self.unsat.len()) {
            (true, _, _) => Status::CertifiedSat,
            (false, false, 0) => Status::ClaimedSat,
            (false, false, _) => Status::Disputed,
            (false, true, 0) => Status::Open,
            (false, true, 1) => Status::ClaimedUnsat,
            (false, true, _) => Status::AgreedUnsat,
        }
    }

    /// The same as runs of solvers that are named after their lineages, for judges to compare another run with. References
    /// that contradict each other say nothing; a model that our evaluator accepted outweighs all of them.
    pub fn opinions(&self) -> Vec<EvaluatedRun> {
        let (sat, unsat): (&[String], &[String]) = match self.status() {
            Status::CertifiedSat => return vec![opinion(CERTIFICATE, Answer::Sat, ModelCheck::Accepted)],
            Status::Disputed => (&[], &[]),
            _ => (&self.sat, &self.unsat),
        };
        let runs = |lineages: &[String], answer: Answer| -> Vec<EvaluatedRun> {
            lineages.iter().map(|lineage| opinion(lineage, answer, ModelCheck::Missing)).collect()
        };
        [runs(sat, Answer::Sat), runs(unsat, Answer::Unsat)].concat()
    }
}

/// The name of a run that stands for a model of unknown origin.
const CERTIFICATE: &str = "certificate";

fn opinion(lineage: &str, answer: Answer, model: ModelCheck) -> EvaluatedRun {
    EvaluatedRun { model, ..EvaluatedRun::without_model(lineage, Run::saying(lineage, answer)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(references: &[(&str, Answer, Option<ModelWord>)]) -> Known {
        let mut known = Known::default();
        for (family, answer, model) in references {
            known.add_reference(family, *answer, *model);
        }
        known
    }

    fn opinions(known: &Known) -> Vec<(String, Answer)> {
        known.opinions().into_iter().map(|run| (run.family, run.run.answer)).collect()
    }

    #[test]
    fn an_accepted_model_outweighs_all_references() {
        let known = known(&[("z3", Answer::Unsat, None), ("cvc5", Answer::Sat, Some(ModelWord::Accepted))]);
        assert_eq!(known.status(), Status::CertifiedSat);
        let opinions = known.opinions();
        assert_eq!(opinions.len(), 1);
        assert_eq!((opinions[0].run.answer, &opinions[0].model), (Answer::Sat, &ModelCheck::Accepted));
    }

    #[test]
    fn references_of_one_lineage_are_one_opinion() {
        let cvc = known(&[("cvc4", Answer::Unsat, None), ("cvc5", Answer::Unsat, None)]);
        assert_eq!(cvc.status(), Status::ClaimedUnsat);
        assert_eq!(opinions(&cvc), [("cvc".to_owned(), Answer::Unsat)]);
        let two = known(&[("z3", Answer::Unsat, None), ("cvc5", Answer::Unsat, None)]);
        assert_eq!((two.status(), opinions(&two).len()), (Status::AgreedUnsat, 2));
    }

    #[test]
    fn references_that_contradict_each_other_have_no_opinion() {
        let dispute = known(&[("z3", Answer::Unsat, None), ("cvc5", Answer::Sat, None)]);
        assert_eq!(dispute.status(), Status::Disputed);
        assert!(dispute.opinions().is_empty());
        assert!(known(&[("z3", Answer::Unknown, None)]).opinions().is_empty());
    }
}

//! What references and models tell of a formula, and what is wrong with a run by it.
//!
//! A model that our evaluator accepts settles that a formula is satisfiable. Without one, answers of references are
//! opinions: who contradicts them is in a dispute, not guilty. A `sat` is called wrong only if its model is none and two
//! references of other lineages say `unsat`.

use crate::evaluated::ModelWord;
use crate::finding::Class;
use crate::judge::weigh::{is_outvoted, is_refuted};
use crate::run::Answer;

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

/// The lineage of a family: cvc5 grew out of cvc4, and what both say is one opinion.
pub fn lineage(family: &str) -> &str {
    if family.starts_with("cvc") { "cvc" } else { family }
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

    /// What is wrong with a run of a solver of this family, if anything is.
    pub fn wrong(&self, family: &str, answer: Answer, model: Option<ModelWord>) -> Option<Class> {
        let own = lineage(family);
        match (answer, model) {
            (Answer::Crash, _) => Some(Class::Crash),
            _ if is_refuted(answer, self.has_certificate) => Some(Class::SoundnessRefutation),
            (Answer::Unsat, _) if !self.sat.is_empty() && self.unsat.is_empty() => Some(Class::Disputed),
            (Answer::Sat, Some(ModelWord::Refuted)) => {
                let is_outvoted = is_outvoted(own, self.unsat.iter().map(String::as_str));
                let is_unsat = is_outvoted && self.sat.is_empty() && !self.has_certificate;
                Some(if is_unsat { Class::SoundnessSolution } else { Class::InvalidModel })
            }
            (Answer::Sat, Some(ModelWord::Accepted)) => None,
            (Answer::Sat, _) if self.status() == Status::AgreedUnsat => Some(Class::Disputed),
            (Answer::Sat, _) if self.status() == Status::ClaimedUnsat => Some(Class::Disputed),
            _ => None,
        }
    }
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

    const ACCEPTED: Option<ModelWord> = Some(ModelWord::Accepted);
    const REFUTED: Option<ModelWord> = Some(ModelWord::Refuted);

    #[test]
    fn an_accepted_model_settles_it() {
        let known = known(&[("z3", Answer::Unsat, None), ("cvc5", Answer::Sat, ACCEPTED)]);
        assert_eq!(known.status(), Status::CertifiedSat);
        assert_eq!(known.wrong("z3", Answer::Unsat, None), Some(Class::SoundnessRefutation));
        assert_eq!(known.wrong("z3", Answer::Sat, None), None);
        assert_eq!(known.wrong("z3", Answer::Sat, REFUTED), Some(Class::InvalidModel));
    }

    #[test]
    fn an_opinion_without_a_model_convicts_nobody() {
        let opinion = known(&[("cvc5", Answer::Sat, Some(ModelWord::Undecided))]);
        assert_eq!(opinion.status(), Status::ClaimedSat);
        assert_eq!(opinion.wrong("z3", Answer::Unsat, None), Some(Class::Disputed));
        let opinion = known(&[("cvc5", Answer::Unsat, None)]);
        assert_eq!(opinion.status(), Status::ClaimedUnsat);
        assert_eq!(opinion.wrong("z3", Answer::Sat, None), Some(Class::Disputed));
        assert_eq!(opinion.wrong("z3", Answer::Sat, ACCEPTED), None);
    }

    #[test]
    fn a_wrong_sat_takes_two_other_lineages_and_a_failing_model() {
        let two = known(&[("z3", Answer::Unsat, None), ("cvc5", Answer::Unsat, None)]);
        assert_eq!(two.status(), Status::AgreedUnsat);
        assert_eq!(two.wrong("z3", Answer::Sat, REFUTED), Some(Class::InvalidModel));
        assert_eq!(two.wrong("smelt", Answer::Sat, REFUTED), Some(Class::SoundnessSolution));
        assert_eq!(two.wrong("smelt", Answer::Sat, None), Some(Class::Disputed));
        let cvc = known(&[("cvc4", Answer::Unsat, None), ("cvc5", Answer::Unsat, None)]);
        assert_eq!(cvc.status(), Status::ClaimedUnsat);
        assert_eq!(cvc.wrong("z3", Answer::Sat, REFUTED), Some(Class::InvalidModel));
    }

    #[test]
    fn a_dispute_of_references_is_not_the_fault_of_releases() {
        let dispute = known(&[("z3", Answer::Unsat, None), ("cvc5", Answer::Sat, None)]);
        assert_eq!(dispute.status(), Status::Disputed);
        assert_eq!(dispute.wrong("z3", Answer::Sat, None), None);
        assert_eq!(dispute.wrong("z3", Answer::Unsat, None), None);
    }

    #[test]
    fn giving_up_and_rejecting_is_never_wrong() {
        let certified = known(&[("cvc5", Answer::Sat, ACCEPTED)]);
        for answer in [Answer::Unknown, Answer::Timeout, Answer::Rejected, Answer::Error, Answer::Memout] {
            assert_eq!(certified.wrong("z3", answer, None), None);
        }
        assert_eq!(known(&[]).status(), Status::Open);
        assert_eq!(known(&[]).wrong("z3", Answer::Crash, None), Some(Class::Crash));
    }
}

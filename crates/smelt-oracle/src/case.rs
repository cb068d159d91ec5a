//! Cases: formulas with an expectation and a lineage.

use std::fmt::{self, Write};

use serde::{Deserialize, Serialize};

use crate::run::Answer;

/// What must hold of the answers to a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// Satisfiable, by a model that our evaluator has accepted.
    Sat,
    /// Unsatisfiable, by construction.
    Unsat,
    /// Nothing is known.
    None,
}

impl Expectation {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            Expectation::Sat => "sat",
            Expectation::Unsat => "unsat",
            Expectation::None => "none",
        }
    }

    /// The answer that is expected, if one is.
    pub fn answer(self) -> Option<Answer> {
        match self {
            Expectation::Sat => Some(Answer::Sat),
            Expectation::Unsat => Some(Answer::Unsat),
            Expectation::None => None,
        }
    }
}

/// What an expectation rests on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// A model that our evaluator has accepted, or how the case was made from seeds that are known to have no model.
    #[default]
    Certain,
    /// The agreement of solvers about the seeds, which may all be wrong: their families, and `status` for what files say.
    /// At least two of them agree on each seed.
    Agreed(Vec<String>),
    /// The label of a seed that no solver has confirmed.
    Unconfirmed,
}

/// What precedes the names of those who agree, in labels.
const AGREED: &str = "agreed by ";
/// The same where no solver agrees.
const UNCONFIRMED: &str = "unconfirmed";

impl Basis {
    /// Whether a claim on this basis counts as evidence against a solver.
    pub fn is_certain(&self) -> bool {
        *self == Basis::Certain
    }

    /// What a claim rests on that needs two others.
    pub fn and(self, other: Basis) -> Basis {
        match (self, other) {
            (Basis::Unconfirmed, _) | (_, Basis::Unconfirmed) => Basis::Unconfirmed,
            (Basis::Certain, basis) | (basis, Basis::Certain) => basis,
            (Basis::Agreed(mut families), Basis::Agreed(more)) => {
                families.extend(more);
                families.sort_unstable();
                families.dedup();
                Basis::Agreed(families)
            }
        }
    }

    /// What follows the answer in a label: nothing if it is certain.
    fn text(&self) -> String {
        match self {
            Basis::Certain => String::new(),
            Basis::Agreed(families) => format!("{AGREED}{}", families.join(" and ")),
            Basis::Unconfirmed => UNCONFIRMED.to_owned(),
        }
    }

    fn read(text: &str) -> Option<Basis> {
        match text.trim() {
            "" => Some(Basis::Certain),
            UNCONFIRMED => Some(Basis::Unconfirmed),
            text => {
                let families = text.strip_prefix(AGREED)?;
                Some(Basis::Agreed(families.split(" and ").map(|family| family.trim().to_owned()).collect()))
            }
        }
    }
}

/// What is expected of a formula, and what that rests on. Its text is the label of a seed, and the first line of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// What must hold.
    pub expectation: Expectation,
    /// What that rests on.
    pub basis: Basis,
}

impl Label {
    /// Nothing is known.
    pub const NONE: Label = Label { expectation: Expectation::None, basis: Basis::Certain };

    /// Reads a label such as `unsat` or `unsat agreed by cvc5 and z3`; anything else claims nothing.
    pub fn read(label: &str) -> Label {
        let label = label.trim();
        let (word, rest) = label.split_once(char::is_whitespace).unwrap_or((label, ""));
        match (word, Basis::read(rest)) {
            ("sat", Some(basis)) => Label { expectation: Expectation::Sat, basis },
            ("unsat", Some(basis)) => Label { expectation: Expectation::Unsat, basis },
            _ => Label::NONE,
        }
    }

    /// What it rests on, for people; none if nothing is claimed.
    pub fn ground(&self) -> Option<String> {
        Some(match (self.expectation, &self.basis) {
            (Expectation::None, _) => return None,
            (Expectation::Sat, Basis::Certain) => "certain by a model".to_owned(),
            (Expectation::Unsat, Basis::Certain) => "certain by construction".to_owned(),
            (_, basis) => basis.text(),
        })
    }
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expectation.word())?;
        if !self.basis.is_certain() {
            write!(formatter, " {}", self.basis.text())?;
        }
        Ok(())
    }
}

/// How a case follows from the one before it in its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Every model of the one before is a model of it.
    Weaker,
    /// Every model of it is a model of the one before.
    Stronger,
    /// Both have the same models.
    Equal,
}

impl Relation {
    /// What must hold of the case if this is the answer to the one before it.
    pub fn expectation(self, before: Expectation) -> Expectation {
        match (self, before) {
            (Relation::Weaker | Relation::Equal, Expectation::Sat) => Expectation::Sat,
            (Relation::Stronger | Relation::Equal, Expectation::Unsat) => Expectation::Unsat,
            _ => Expectation::None,
        }
    }
}

/// Where a case comes from: enough to make it again, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lineage {
    /// The technique that made it.
    pub technique: String,
    /// The seed formula it was made from.
    pub seed: String,
    /// The start of the generator of random numbers for this chain.
    pub random_seed: u64,
    /// How many steps of the chain led here.
    pub step: u32,
}

impl Lineage {
    /// Where a case comes from, and what the last step did, in one line.
    pub fn push_line(&self, detail: &str, text: &mut String) {
        text.push_str("seed ");
        push_in_one_line(&self.seed, text);
        let numbers = write!(text, ", random seed {}, step {}", self.random_seed, self.step);
        numbers.expect("a string takes any text");
        if !detail.is_empty() {
            text.push_str(", ");
            push_in_one_line(detail, text);
        }
    }
}

fn push_in_one_line(part: &str, text: &mut String) {
    if part.bytes().any(|byte| matches!(byte, b'\n' | b'\r')) {
        text.push_str(&part.replace(['\n', '\r'], " "));
    } else {
        text.push_str(part);
    }
}

/// A formula with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The formula as SMT-LIB 2.6 text.
    pub script: String,
    /// What must hold.
    pub expectation: Expectation,
    /// What that rests on.
    #[serde(default)]
    pub basis: Basis,
    /// Where it comes from.
    pub lineage: Lineage,
}

impl Case {
    /// A formula of which nothing is known, made by a technique without seeds.
    pub fn unclaimed(technique: &str, script: String) -> Case {
        let lineage =
            Lineage { technique: technique.to_owned(), seed: String::new(), random_seed: 0, step: 1 };
        Case { script, expectation: Expectation::None, basis: Basis::Certain, lineage }
    }

    /// What is expected, and what that rests on.
    pub fn label(&self) -> Label {
        Label { expectation: self.expectation, basis: self.basis.clone() }
    }

    /// The comments that a case starts with when it is written to a file.
    pub fn push_header(&self, detail: &str, text: &mut String) {
        text.push_str("; expect: ");
        text.push_str(self.expectation.word());
        if !self.basis.is_certain() {
            text.push(' ');
            text.push_str(&self.basis.text());
        }
        text.push_str("\n; technique: ");
        text.push_str(&self.lineage.technique);
        text.push_str("\n; lineage: ");
        self.lineage.push_line(detail, text);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_keeps_what_its_claim_rests_on() {
        for label in ["sat", "unsat", "none", "unsat unconfirmed", "unsat agreed by cvc5 and z3"] {
            assert_eq!(Label::read(label).to_string(), label);
        }
        for unknown in ["", "unsat perhaps", "satisfiable", "unsat agreed"] {
            assert_eq!(Label::read(unknown), Label::NONE, "{unknown}");
        }
    }

    #[test]
    fn a_claim_is_as_good_as_the_weakest_that_it_needs() {
        let agreed =
            |families: &[&str]| Basis::Agreed(families.iter().map(|one| (*one).to_owned()).collect());
        assert_eq!(Basis::Certain.and(Basis::Certain), Basis::Certain);
        assert_eq!(Basis::Certain.and(agreed(&["cvc5", "z3"])), agreed(&["cvc5", "z3"]));
        assert_eq!(agreed(&["smelt", "z3"]).and(agreed(&["cvc5", "z3"])), agreed(&["cvc5", "smelt", "z3"]));
        assert_eq!(agreed(&["cvc5", "z3"]).and(Basis::Unconfirmed), Basis::Unconfirmed);
    }
}

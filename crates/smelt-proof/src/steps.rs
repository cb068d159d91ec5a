//! Proofs that other solvers print, step by step: reading them, and testing each step by evaluation.
//!
//! A proof is hundreds of claims: each step says that its conclusion follows from its premises, and a step without
//! premises (a rewrite, a lemma of a theory, a tautology) that its conclusion is true under every assignment. Nothing
//! here searches for a proof of that; [`test_steps`] evaluates the steps on small and on corner values, so it finds
//! steps that are false and never shows that one is right.
//!
//! What is read is a [`Derivation`]: of z3 what `(get-proof)` prints, of cvc5 the formats `cpc` (with conclusions) and
//! `alethe`. What rules mean beyond "the conclusion follows" is in `treatment.rs`.

mod alethe;
mod assignment;
mod connectives;
mod cpc;
mod extent;
mod spell;
mod standalone;
mod table;
mod tester;
mod treatment;
mod z3;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Scope, read_term_tolerantly};
use smelt_smtlib::term::{Term, Terms};

pub use standalone::standalone;
pub use table::{RuleTally, StepTable, Unchecked};
pub use tester::{FalseStep, StepTest, TestLimits, test_steps};
pub use treatment::Treatment;

/// The formats of proofs that are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProofFormat {
    /// What z3 prints.
    Z3,
    /// The proof calculus of cvc5, printed with conclusions.
    Cpc,
    /// Alethe, as cvc5 prints it.
    Alethe,
}

/// A word that is not the name of a format that a solver can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("expected cpc or alethe")
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for ProofFormat {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        match word {
            "cpc" => Ok(ProofFormat::Cpc),
            "alethe" => Ok(ProofFormat::Alethe),
            _ => Err(UnknownFormat),
        }
    }
}

impl ProofFormat {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            ProofFormat::Z3 => "z3",
            ProofFormat::Cpc => "cpc",
            ProofFormat::Alethe => "alethe",
        }
    }

    /// The format of a proof in a solver's output; none if there is no proof in it.
    pub fn detect(text: &str) -> Option<ProofFormat> {
        let text = &text[extent::start(text)?..];
        let begins = |words: &[&str]| words.iter().filter_map(|word| text.find(word)).min();
        let z3 = begins(&["(proof"]);
        let step = begins(&["(step ", "(assume "]);
        match (z3, step) {
            (Some(z3), step) if step.is_none_or(|step| z3 < step) => Some(ProofFormat::Z3),
            (_, Some(_)) if text.contains("(cl") && !text.contains("(step @") => Some(ProofFormat::Alethe),
            (_, Some(_)) => Some(ProofFormat::Cpc),
            _ => None,
        }
    }
}

/// What a step is in its proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepRole {
    /// An assertion of the input.
    Assertion,
    /// Assumed until another step discharges it.
    Hypothesis,
    /// Claimed to follow.
    Derived,
}

/// One step of a proof.
#[derive(Debug, Clone, Copy)]
pub struct ProofStep {
    /// The number of its rule; see [`Derivation::rule`].
    pub rule: u32,
    /// What it is.
    pub role: StepRole,
    /// Its conclusion; none if it is not a formula, or was not understood.
    pub conclusion: Option<Term>,
    /// The line of the proof on which its conclusion stands, counted from 1.
    pub line: u32,
    first_premise: u32,
    premise_count: u32,
}

/// A proof: steps in an order in which premises come before what uses them.
#[derive(Debug)]
pub struct Derivation {
    /// The format it was read from.
    pub format: ProofFormat,
    /// The steps.
    pub steps: Vec<ProofStep>,
    premises: Vec<u32>,
    rules: Vec<String>,
    rule_numbers: FxHashMap<String, u32>,
}

/// A step as it is added.
struct NewStep<'s> {
    rule: &'s str,
    role: StepRole,
    premises: &'s [u32],
    conclusion: Option<Term>,
    line: u32,
}

impl Derivation {
    fn new(format: ProofFormat) -> Self {
        let (rules, rule_numbers) = (Vec::new(), FxHashMap::default());
        Derivation { format, steps: Vec::new(), premises: Vec::new(), rules, rule_numbers }
    }

    /// Claims without premises, each by the rule given with it; they are numbered from 1 by their lines.
    pub fn of_claims<'r>(claims: impl Iterator<Item = (&'r str, Term)>) -> Self {
        let mut derivation = Derivation::new(ProofFormat::Z3);
        for (line, (rule, conclusion)) in (1..).zip(claims) {
            let role = StepRole::Derived;
            derivation.add(&NewStep { rule, role, premises: &[], conclusion: Some(conclusion), line });
        }
        derivation
    }

    /// Adds a step and gives its number.
    fn add(&mut self, step: &NewStep<'_>) -> u32 {
        let rule = match self.rule_numbers.get(step.rule) {
            Some(number) => *number,
            None => {
                let number = self.rules.len() as u32;
                self.rules.push(step.rule.to_owned());
                self.rule_numbers.insert(step.rule.to_owned(), number);
                number
            }
        };
        let first_premise = self.premises.len() as u32;
        self.premises.extend_from_slice(step.premises);
        self.steps.push(ProofStep {
            rule,
            role: step.role,
            conclusion: step.conclusion,
            line: step.line,
            first_premise,
            premise_count: step.premises.len() as u32,
        });
        self.steps.len() as u32 - 1
    }

    /// The name of the rule of a step.
    pub fn rule(&self, step: &ProofStep) -> &str {
        &self.rules[step.rule as usize]
    }

    /// The numbers of the premises of a step.
    pub fn premises(&self, step: &ProofStep) -> &[u32] {
        let first = step.first_premise as usize;
        &self.premises[first..first + step.premise_count as usize]
    }
}

/// Why a proof could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableProof {
    /// What is wrong.
    pub message: String,
    /// The line, counted from 1.
    pub line: u32,
}

impl fmt::Display for UnreadableProof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for UnreadableProof {}

/// Proofs of this many bytes or more are not read: places in a text are 32 bits wide.
pub const MAX_PROOF_BYTES: usize = 1 << 30;

/// Reads the proof in what a solver printed, over the symbols of the script that it was asked about.
pub fn read_proof(
    terms: &mut Terms,
    scope: &Scope,
    text: &str,
    dialect: Dialect,
) -> Result<Derivation, UnreadableProof> {
    let unreadable = |message: &str| UnreadableProof { message: message.to_owned(), line: 1 };
    if text.len() >= MAX_PROOF_BYTES {
        return Err(unreadable("the proof has 1 GiB or more"));
    }
    let (Some(format), Some(start)) = (ProofFormat::detect(text), extent::start(text)) else {
        return Err(unreadable("found no proof of z3, cpc or Alethe"));
    };
    // Names that the proof introduces are gone when the scope is dropped.
    let mut source = Source { terms, scope: scope.clone(), text, dialect, lines: extent::Lines::new(text) };
    match format {
        ProofFormat::Z3 => z3::read(&mut source, start),
        ProofFormat::Cpc => cpc::read(&mut source, start),
        ProofFormat::Alethe => alethe::read(&mut source, start),
    }
}

/// The text of a proof and what its names mean so far.
struct Source<'a> {
    terms: &'a mut Terms,
    scope: Scope,
    text: &'a str,
    dialect: Dialect,
    lines: extent::Lines<'a>,
}

impl Source<'_> {
    /// Makes a name stand for a term.
    fn alias(&mut self, name: &str, term: Term) {
        let name = self.terms.symbols.intern(name.trim_matches('|'));
        let sort = self.terms.sort(term);
        self.scope.alias(name, term, sort);
    }

    /// Reads a term; what is not known in it becomes opaque.
    fn term(&mut self, text: &str) -> Option<Term> {
        read_term_tolerantly(self.terms, &mut self.scope, text, self.dialect)
    }

    fn error(&mut self, offset: usize, message: impl Into<String>) -> UnreadableProof {
        UnreadableProof { message: message.into(), line: self.lines.at(offset) }
    }
}

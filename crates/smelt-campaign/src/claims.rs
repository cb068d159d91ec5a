//! Triples of fusion and rules of weakening, tried on small domains and proved by solvers: what came of it, for people and
//! for programs.

use std::fmt::Write as _;

use serde::Serialize;
use smelt_runner::provers::{Provers, Testimony, is_refuted};
use smelt_testgen::fusion::triple::Triple;
use smelt_testgen::fusion::verify as triples;
use smelt_testgen::weakening::rule::{Domain, Rule};
use smelt_testgen::weakening::verify as rules;

/// One rule. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct RuleLine {
    id: String,
    claim: &'static str,
    domain: &'static str,
    theorem: String,
    holds: bool,
    /// How many assignments were tried, or for which it is false.
    tried: String,
    proofs: Vec<Testimony>,
    /// Whether proofs are for some languages only.
    instances: bool,
}

impl RuleLine {
    /// Tries a rule, and asks solvers for a proof.
    pub fn of(rule: &Rule, provers: &Provers) -> RuleLine {
        let doubts = rules::doubts(rule);
        let (holds, tried) = match rules::verify(rule) {
            rules::Verification::Holds(count) => (true, format!("{count} assignments")),
            rules::Verification::Fails(message) => (false, message),
        };
        RuleLine {
            id: rule.id.clone(),
            claim: rule.claim.word(),
            domain: match rule.domain {
                Domain::Formulas => "formulas",
                Domain::Languages => "languages",
            },
            theorem: rule.theorem(),
            holds,
            tried,
            proofs: provers.opinions(&doubts.scripts),
            instances: doubts.are_instances,
        }
    }

    /// Whether something shows that it is false.
    pub fn is_false(&self) -> bool {
        !self.holds || is_refuted(&self.proofs)
    }

    /// The same in a few lines.
    pub fn text(&self) -> String {
        let verdict = if self.holds { "holds for" } else { "fails:" };
        let mut text = format!("{:<34} {:<10} {verdict} {}\n", self.id, self.claim, self.tried);
        for Testimony { solver, opinion } in &self.proofs {
            let instances = if self.instances { " (for some languages)" } else { "" };
            let _ = writeln!(text, "  {solver}: {}{instances}", opinion.word());
        }
        text + &format!("  {}\n", self.theorem)
    }
}

/// One triple. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct TripleLine {
    triple: String,
    inverts: bool,
    /// How many assignments were tried, or for which it fails.
    tried: String,
    proofs: Vec<Testimony>,
}

impl TripleLine {
    /// Tries a triple, and asks solvers for a proof.
    pub fn of(triple: &Triple, provers: &Provers) -> TripleLine {
        let (inverts, tried) = match triples::verify(triple) {
            triples::Verification::Inverts(count) => (true, format!("{count} assignments")),
            triples::Verification::Fails(message) => (false, message),
        };
        let proofs = provers.opinions(&triples::doubts(triple));
        TripleLine { triple: triple.to_text(), inverts, tried, proofs }
    }

    /// Whether something shows that it does not invert.
    pub fn is_false(&self) -> bool {
        !self.inverts || is_refuted(&self.proofs)
    }

    /// The same in a few lines, which can be read as a file of triples.
    pub fn text(&self) -> String {
        let verdict = if self.inverts { "inverts for" } else { "fails:" };
        let mut text = format!("# {verdict} {}\n", self.tried);
        for Testimony { solver, opinion } in &self.proofs {
            let _ = writeln!(text, "# {solver}: {}", opinion.word());
        }
        text + &format!("{}\n", self.triple)
    }
}

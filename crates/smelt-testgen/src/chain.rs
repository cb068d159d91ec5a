//! Chains: what comes of a seed when one technique is applied again and again.

use smelt_oracle::case::{Case, Expectation, Lineage};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use crate::random::Random;
use crate::seed::Seed;
use crate::technique::Technique;

/// A chain ends when its text has grown to this many times that of its seed and this many bytes more.
const MAX_GROWTH: (usize, usize) = (2, 400);

/// A chain of cases. The seed, the technique and the random seed determine every byte of them.
pub struct Chain<'t> {
    technique: &'t dyn Technique,
    seed: String,
    random_seed: u64,
    script: Script,
    random: Random,
    step: u32,
    /// The text of the last case, or of the seed, has so many bytes.
    bytes: usize,
    max_bytes: usize,
}

impl<'t> Chain<'t> {
    /// The chain from a seed, before its first step.
    pub fn start(terms: &mut Terms, seed: &Seed, technique: &'t dyn Technique, random_seed: u64) -> Self {
        let bytes = text(terms, &seed.script).len();
        let (factor, more) = MAX_GROWTH;
        Chain {
            technique,
            seed: seed.name.clone(),
            random_seed,
            script: seed.script.clone(),
            random: Random::new(random_seed),
            step: 0,
            bytes,
            max_bytes: factor * bytes + more,
        }
    }

    /// Makes one step; none if nothing can be changed any more, or if the chain has become so long or its script so
    /// large that it had better start from its seed again.
    pub fn next(&mut self, terms: &mut Terms) -> Option<Case> {
        if self.step >= self.technique.chain_length() || self.bytes > self.max_bytes {
            return None;
        }
        if !self.technique.step(terms, &mut self.script, &mut self.random) {
            return None;
        }
        self.step += 1;
        let script = text(terms, &self.script);
        self.bytes = script.len();
        Some(Case {
            script,
            expectation: Expectation::None,
            lineage: Lineage {
                technique: self.technique.name().to_owned(),
                seed: self.seed.clone(),
                random_seed: self.random_seed,
                step: self.step,
            },
        })
    }

    /// How many steps were made.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// The script after the last step.
    pub fn script(&self) -> &Script {
        &self.script
    }
}

fn text(terms: &mut Terms, script: &Script) -> String {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.script(script);
    printer.finish()
}

//! Chains: what comes of a seed when one technique is applied again and again.

use smelt_oracle::case::{Case, Expectation, Lineage};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
use smelt_smtlib::walk::tree_size;

use crate::random::Random;
use crate::seed::Seed;
use crate::technique::Technique;

/// A chain ends when its script has grown to this many times the nodes of its seed, and by this many more.
const MAX_GROWTH: (u64, u64) = (3, 200);

/// A chain of cases. The seed, the technique and the random seed determine every byte of them.
pub struct Chain<'t> {
    technique: &'t dyn Technique,
    seed: String,
    random_seed: u64,
    script: Script,
    random: Random,
    step: u32,
    max_nodes: u64,
}

impl<'t> Chain<'t> {
    /// The chain from a seed, before its first step.
    pub fn start(terms: &Terms, seed: &Seed, technique: &'t dyn Technique, random_seed: u64) -> Self {
        let (factor, more) = MAX_GROWTH;
        Chain {
            technique,
            seed: seed.name.clone(),
            random_seed,
            script: seed.script.clone(),
            random: Random::new(random_seed),
            step: 0,
            max_nodes: nodes(terms, &seed.script).saturating_mul(factor).saturating_add(more),
        }
    }

    /// Makes one step; none if nothing can be changed any more, or the chain is as long as its technique wants.
    pub fn next(&mut self, terms: &mut Terms) -> Option<Case> {
        if !self.advance(terms) {
            return None;
        }
        let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
        printer.script(&self.script);
        Some(Case {
            script: printer.finish(),
            expectation: Expectation::None,
            lineage: Lineage {
                technique: self.technique.name().to_owned(),
                seed: self.seed.clone(),
                random_seed: self.random_seed,
                step: self.step,
            },
        })
    }

    /// Makes one step without printing its case; false where [`Chain::next`] has none.
    pub fn advance(&mut self, terms: &mut Terms) -> bool {
        if self.step >= self.technique.chain_length() || nodes(terms, &self.script) > self.max_nodes {
            return false;
        }
        let changed = self.technique.step(terms, &mut self.script, &mut self.random);
        self.step += u32::from(changed);
        changed
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

fn nodes(terms: &Terms, script: &Script) -> u64 {
    script.assertions().fold(0, |sum, assertion| sum.saturating_add(tree_size(terms, assertion)))
}

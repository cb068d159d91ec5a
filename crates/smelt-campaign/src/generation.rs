//! Cases without running anything: from seeds by techniques, in turns, and formulas without seeds.
//!
//! | to find | look in |
//! |---|---|
//! | formulas made by category, counted | [`construct`] |
//! | the formulas of a grammar by their numbers | [`enumerate`] |
//! | seeds, claims and operators, counted | [`stats`] |
//! | families of formulas over strings that grow, transformed seeds, random formulas | [`strings`] |

pub mod construct;
pub mod enumerate;
pub mod stats;
pub mod strings;

use std::collections::{BTreeMap, BTreeSet};

use smelt_oracle::case::{Case, Expectation};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
use smelt_testgen::chain::{Chain, Dropped};
use smelt_testgen::library::Library;
use smelt_testgen::technique::Technique;

use crate::schedule::{ChainPlan, Schedule, Share};

/// What there is to make cases with from seeds.
pub struct SeededGeneration {
    /// The techniques, which take turns.
    pub techniques: Vec<Box<dyn Technique>>,
    /// The seeds.
    pub library: Library,
    /// Random seed; the same seed makes the same cases.
    pub random_seed: u64,
    /// How many steps chains have at most; none if that is up to the techniques.
    pub steps: Option<u32>,
}

/// What was left out.
#[derive(Debug, Default)]
pub struct LeftOut {
    /// By technique the cases that do not read back.
    pub dropped: BTreeMap<&'static str, Dropped>,
    /// The positions of seeds that cannot be used.
    pub unusable: BTreeSet<usize>,
}

impl SeededGeneration {
    /// Makes this many cases and gives each to `take`, with its number from 1 on. The result is what was left out.
    pub fn make<E>(
        &self,
        count: u64,
        take: &mut dyn FnMut(u64, Made<'_>) -> Result<(), E>,
    ) -> Result<LeftOut, E> {
        let shares: Vec<Share> =
            self.techniques.iter().map(|technique| Share::of(technique.as_ref(), 1, self.steps)).collect();
        let mut left = LeftOut::default();
        let schedule = Schedule::new(&self.library, &shares, self.random_seed);
        // Seeds that give nothing are drawn again and again; at some time it is clear that none gives anything.
        let most_barren = 100 + 20 * self.library.len() as u64;
        let (mut made, mut barren) = (0, 0);
        for number in 0.. {
            if made == count || barren == most_barren {
                return Ok(left);
            }
            barren += 1;
            let ChainPlan { seed, technique, random_seed, length } = schedule.chain(number);
            let position = seed;
            let Some((mut terms, seed)) = self.library.copy(position) else {
                left.unusable.insert(position);
                continue;
            };
            let technique = self.techniques[technique].as_ref();
            let chain = Chain::start(&mut terms, &seed, technique, &self.library, random_seed);
            let mut chain = chain.with_length(length);
            while made < count {
                let Some(case) = chain.next(&mut terms) else { break };
                made += 1;
                barren = 0;
                let script = chain.script();
                let one =
                    Made { case: &case, detail: chain.detail(), seed: position, terms: &mut terms, script };
                take(made, one)?;
            }
            if chain.dropped().cases > 0 {
                left.dropped.entry(technique.name()).or_default().add(chain.dropped());
            }
        }
        Ok(left)
    }
}

/// A case as it was just made.
pub struct Made<'m> {
    /// The case.
    pub case: &'m Case,
    /// What the last step did, for people.
    pub detail: &'m str,
    /// The position of its seed.
    pub seed: usize,
    /// The terms of its script.
    pub terms: &'m mut Terms,
    /// Its script.
    pub script: &'m Script,
}

/// How many cases claim what.
#[derive(Debug, Default)]
pub struct ClaimShares {
    sat: u64,
    unsat: u64,
    none: u64,
}

impl ClaimShares {
    /// Counts a case that claims this.
    pub fn count(&mut self, expectation: Expectation) {
        match expectation {
            Expectation::Sat => self.sat += 1,
            Expectation::Unsat => self.unsat += 1,
            Expectation::None => self.none += 1,
        }
    }

    /// How many cases there are.
    pub fn all(&self) -> u64 {
        self.sat + self.unsat + self.none
    }

    /// The same in words.
    pub fn text(&self, technique: &str) -> String {
        let share = 100.0 * (self.sat + self.unsat) as f64 / self.all().max(1) as f64;
        format!(
            "{technique}: {} cases, {} expected sat, {} expected unsat, {} without a claim; {share:.1} % have one",
            self.all(),
            self.sat,
            self.unsat,
            self.none
        )
    }
}

//! What a technique works on: the script of a chain, where it started, and what is known of it.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;
use smelt_oracle::case::{Basis, Relation};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use crate::ground_truth::Truth;
use crate::library::Library;
use crate::operators::OperatorSet;
use crate::random::Random;
use crate::readers::{Readers, is_higher_order};
use crate::seed::Seed;
use crate::term_index::TermIndex;
use crate::weakening::Direction;

/// A script that is being changed.
#[derive(Debug, Clone)]
pub struct Mutant<'l> {
    /// The seed that the chain started from.
    pub seed: &'l Seed,
    /// The script as it is now.
    pub script: Script,
    /// What is known of it.
    pub truth: Truth,
    /// What it rests on that it is unsatisfiable, if it is thought to be.
    pub basis: Basis,
    /// What was done in the last step, for people; empty if there is nothing to say.
    pub detail: String,
    /// How the last step changed what satisfies the script, if the technique knows.
    pub relation: Option<Relation>,
    /// Whether the chain weakens or strengthens, once that is decided.
    pub direction: Option<Direction>,
    /// The solvers that shall read what the chain makes, once that is decided.
    readers: Option<Readers>,
    /// Other seeds.
    pub library: &'l Library,
    /// The complaints about names that we do not know which its seeds share; a case may have no others.
    pub(crate) complaints: Vec<String>,
    /// What the technique saw in the steps before: a step changes few terms.
    pub(crate) survey: TermIndex,
    /// All symbols of the text of the seed, found when they are asked for.
    pub(crate) symbols: OnceCell<FxHashSet<String>>,
}

/// A chain whose seed several solvers read takes operators that only one of them reads once in so many chains.
const ONE_READER_ONE_IN: u64 = 3;

impl<'l> Mutant<'l> {
    /// The operators that may be introduced. A chain keeps to those that some solvers read, so that its cases have readers.
    pub(crate) fn operators(&mut self, terms: &Terms, random: &mut Random) -> &'static OperatorSet {
        let seed = self.seed;
        let readers = *self.readers.get_or_insert_with(|| {
            let readers = seed.readers(terms);
            if readers == Readers::BOTH && random.one_in(ONE_READER_ONE_IN) {
                if random.one_in(2) { Readers::Z3 } else { Readers::CVC5 }
            } else {
                readers
            }
        });
        // Where functions are values, texts of extensions may mean something else.
        OperatorSet::read_by(if is_higher_order(terms, &seed.script) { Readers::BOTH } else { readers })
    }

    /// A seed, before anything is changed.
    pub fn new(seed: &'l Seed, library: &'l Library) -> Self {
        Mutant {
            seed,
            script: seed.script.clone(),
            truth: seed.truth.clone(),
            basis: seed.basis.clone(),
            detail: String::new(),
            relation: None,
            direction: None,
            readers: None,
            library,
            complaints: seed.complaints.clone(),
            survey: TermIndex::default(),
            symbols: OnceCell::new(),
        }
    }
}

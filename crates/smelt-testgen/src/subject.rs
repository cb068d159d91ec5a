//! What a technique works on: the script of a chain, where it started, and what is known of it.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;
use smelt_oracle::case::Relation;
use smelt_smtlib::script::Script;

use crate::library::Library;
use crate::seed::Seed;
use crate::survey::Survey;
use crate::truth::Truth;
use crate::weakening::Direction;

/// A script that is being changed.
#[derive(Debug, Clone)]
pub struct Subject<'l> {
    /// The seed that the chain started from.
    pub seed: &'l Seed,
    /// The script as it is now.
    pub script: Script,
    /// What is known of it.
    pub truth: Truth,
    /// Whether it is said to be unsatisfiable by a label that no solver has confirmed.
    pub is_doubtful: bool,
    /// What was done in the last step, for people; empty if there is nothing to say.
    pub detail: String,
    /// How the last step changed what satisfies the script, if the technique knows.
    pub relation: Option<Relation>,
    /// Whether the chain weakens or strengthens, once that is decided.
    pub direction: Option<Direction>,
    /// Other seeds.
    pub library: &'l Library,
    /// The complaints about names that we do not know which its seeds share; a case may have no others.
    pub(crate) complaints: Vec<String>,
    /// What the technique saw in the steps before: a step changes few terms.
    pub(crate) survey: Survey,
    /// All symbols of the text of the seed, found when they are asked for.
    pub(crate) symbols: OnceCell<FxHashSet<String>>,
}

impl<'l> Subject<'l> {
    /// A seed, before anything is changed.
    pub fn new(seed: &'l Seed, library: &'l Library) -> Self {
        Subject {
            seed,
            script: seed.script.clone(),
            truth: seed.truth.clone(),
            is_doubtful: seed.is_doubtful,
            detail: String::new(),
            relation: None,
            direction: None,
            library,
            complaints: seed.complaints.clone(),
            survey: Survey::default(),
            symbols: OnceCell::new(),
        }
    }
}

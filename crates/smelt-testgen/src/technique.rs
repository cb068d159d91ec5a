//! What a technique is, and the list of those there are.

use smelt_smtlib::term::Terms;

use crate::fusion::{Concatenation, Fusion};
use crate::generated::{Construct, Enumerate, RandomFormulas, StringFuzz};
use crate::mutant::Mutant;
use crate::mutation::{
    DataDrivenMutation, ExpressionSwap, GenerativeMutation, ModelPreservingMutation, OperatorMutation,
};
use crate::optimize::Optimize;
use crate::random::Random;
use crate::trace::Sessions;
use crate::unchanged::Unchanged;
use crate::variant::{self, Variant};
use crate::weakening::Weakening;

/// A way to make cases: it changes a script one step at a time.
pub trait Technique: Send + Sync {
    /// Its id, which users see.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// Whether it is used if the user does not choose.
    fn is_usual(&self) -> bool {
        true
    }

    /// Whether it makes use of what is known of a seed besides what the seed says itself.
    fn uses_truth(&self) -> bool {
        true
    }

    /// Whether it takes one seed after the other, so that none is taken again before all were; otherwise seeds are drawn.
    fn takes_every_seed(&self) -> bool {
        false
    }

    /// After how many steps a chain had better start from its seed again.
    fn chain_length(&self) -> u32;

    /// How large the text of a script may grow before its chain ends, if the text of its seed has so many bytes.
    fn max_bytes(&self, seed_bytes: usize) -> usize {
        2 * seed_bytes + 400
    }

    /// Changes the script a little, and what is known of it; false if nothing could be changed, and then the script is
    /// as it was.
    ///
    /// What it does depends on the mutant and on `random` alone, not on what else `terms` holds.
    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool;
}

/// Makes a technique with its default settings.
type Make = fn() -> Box<dyn Technique>;

/// The techniques that change seeds, by name. Some read rules when they are made, so nobody makes those that are not asked for.
const TECHNIQUES: [(&str, Make); 12] = [
    ("operator", || Box::new(OperatorMutation::default())),
    ("generative", || Box::new(GenerativeMutation)),
    ("data-driven", || Box::new(DataDrivenMutation)),
    ("expression-swap", || Box::new(ExpressionSwap)),
    ("fusion", || Box::new(Fusion::default())),
    ("model-preserving", || Box::new(ModelPreservingMutation::default())),
    (variant::NAME, || Box::new(Variant::default())),
    ("weakening", || Box::new(Weakening::default())),
    ("optimize", || Box::new(Optimize::default())),
    ("unchanged", || Box::new(Unchanged)),
    ("concat", || Box::new(Concatenation)),
    ("trace", || Box::new(Sessions)),
];

/// The techniques that make formulas from nothing, by name. They are used only if the user chooses them.
const GENERATORS: [(&str, Make); 4] = [
    ("construct", || Box::new(Construct::default())),
    ("enumerate", || Box::new(Enumerate::default())),
    ("random", || Box::new(RandomFormulas)),
    ("stringfuzz", || Box::new(StringFuzz)),
];

/// All techniques that change seeds, with their default settings.
pub fn techniques() -> Vec<Box<dyn Technique>> {
    TECHNIQUES.iter().map(|(_, make)| make()).collect()
}

/// All techniques that make formulas from nothing, with their default settings.
pub fn generators() -> Vec<Box<dyn Technique>> {
    GENERATORS.iter().map(|(_, make)| make()).collect()
}

/// The technique with this name, with its default settings.
pub fn technique(name: &str) -> Option<Box<dyn Technique>> {
    let (_, make) = TECHNIQUES.iter().chain(&GENERATORS).find(|(known, _)| *known == name)?;
    Some(make())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn techniques_have_the_names_by_which_they_are_found() {
        for (name, make) in TECHNIQUES.into_iter().chain(GENERATORS) {
            assert_eq!(make().name(), name);
        }
    }
}

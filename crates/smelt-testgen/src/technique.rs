//! What a technique is, and the list of those there are.

use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use crate::mutation::{GenerativeMutation, OperatorMutation};
use crate::random::Random;
use crate::unchanged::Unchanged;

/// A way to make cases: it changes a script one step at a time.
pub trait Technique: Send + Sync {
    /// Its id, which users see.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// After how many steps a chain had better start from its seed again.
    fn chain_length(&self) -> u32;

    /// Changes the script a little; false if nothing could be changed, and then the script is as it was.
    ///
    /// What it does depends on the script and on `random` alone, not on what else `terms` holds.
    fn step(&self, terms: &mut Terms, script: &mut Script, random: &mut Random) -> bool;
}

/// All techniques with their default settings.
pub fn techniques() -> Vec<Box<dyn Technique>> {
    vec![Box::new(OperatorMutation::default()), Box::new(GenerativeMutation::default()), Box::new(Unchanged)]
}

/// The technique with this name, with its default settings.
pub fn technique(name: &str) -> Option<Box<dyn Technique>> {
    techniques().into_iter().find(|technique| technique.name() == name)
}

//! What a technique is, and the list of those there are.

use smelt_smtlib::term::Terms;

use crate::fusion::{Concatenation, Fusion};
use crate::mutation::{
    DataDrivenMutation, ExpressionSwap, GenerativeMutation, ModelPreservingMutation, OperatorMutation,
};
use crate::random::Random;
use crate::subject::Subject;
use crate::unchanged::Unchanged;
use crate::variant::Variant;
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

    /// After how many steps a chain had better start from its seed again.
    fn chain_length(&self) -> u32;

    /// How large the text of a script may grow before its chain ends, if the text of its seed has so many bytes.
    fn max_bytes(&self, seed_bytes: usize) -> usize {
        2 * seed_bytes + 400
    }

    /// Changes the script a little, and what is known of it; false if nothing could be changed, and then the script is
    /// as it was.
    ///
    /// What it does depends on the subject and on `random` alone, not on what else `terms` holds.
    fn step(&self, terms: &mut Terms, subject: &mut Subject<'_>, random: &mut Random) -> bool;
}

/// All techniques with their default settings.
pub fn techniques() -> Vec<Box<dyn Technique>> {
    vec![
        Box::new(OperatorMutation::default()),
        Box::new(GenerativeMutation::default()),
        Box::new(DataDrivenMutation::default()),
        Box::new(ExpressionSwap),
        Box::new(Fusion::default()),
        Box::new(ModelPreservingMutation::default()),
        Box::new(Variant::default()),
        Box::new(Weakening::default()),
        Box::new(Unchanged),
        Box::new(Concatenation),
    ]
}

/// The technique with this name, with its default settings.
pub fn technique(name: &str) -> Option<Box<dyn Technique>> {
    techniques().into_iter().find(|technique| technique.name() == name)
}

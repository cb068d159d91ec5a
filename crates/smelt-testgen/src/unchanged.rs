//! The seeds as they are: what solvers make of them is worth knowing before anything is changed.

use smelt_smtlib::term::Terms;

use crate::mutant::Mutant;
use crate::random::Random;
use crate::technique::Technique;

/// Leaves a seed as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unchanged;

impl Technique for Unchanged {
    fn name(&self) -> &'static str {
        "unchanged"
    }

    fn summary(&self) -> &'static str {
        "seeds as they are"
    }

    fn uses_truth(&self) -> bool {
        false
    }

    fn takes_every_seed(&self) -> bool {
        true
    }

    fn chain_length(&self) -> u32 {
        1
    }

    fn step(&self, _: &mut Terms, _: &mut Mutant<'_>, _: &mut Random) -> bool {
        true
    }
}

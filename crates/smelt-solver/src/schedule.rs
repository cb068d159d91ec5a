//! Arms: ordered lists of engines with units of effort, and which of them a formula gets.
//!
//! [`probe`] looks at a formula once, [`select`] chooses by what it saw: as the paper does, or by a decision tree that was
//! learned from measurements. [`pipeline`] runs the engines.
//!
//! After Mora, Berzish, Kulczynski, Nowotka and Ganesh, «Z3str4: a multi-armed string solver», 2021, section 3.2. Figure 2
//! of the paper names the first engine of each class; what follows it is our choice.

pub mod fragment;
pub mod pipeline;
pub mod probe;
pub mod select;
pub mod tree;

use crate::engines::arrangement::Arrangement;
use crate::engines::cases::Cases;
use crate::engines::ground::Ground;
use crate::engines::guess::Guess;
use crate::engines::length_abstraction::LengthAbstraction;
use crate::engines::sequence::Sequence;
use crate::engines::{Engine, EngineOutcome};

/// An engine with the units of effort that it may take.
pub type BudgetedEngine = (&'static dyn Engine, u64);

/// An ordered list of engines.
pub struct Arm {
    /// The name that users know.
    pub name: &'static str,
    /// The engines in their order.
    pub steps: &'static [BudgetedEngine],
    /// The arm that begins otherwise, to race against.
    pub rival: &'static str,
}

/// What every arm begins with: engines that take next to no time.
pub static OPENING: &[BudgetedEngine] = &[(&Ground, u64::MAX), (&Guess, u64::MAX)];

/// Units of effort of an engine that others follow: what decides most of what it can decide,
const SHORT_TRY: u64 = 100_000;
/// and more.
const TRY: u64 = 400_000;
/// The same for the engine that searches without learning.
const LONG_TRY: u64 = 1_000_000;

/// All arms.
pub static ARMS: &[Arm] = &[
    Arm {
        name: "lengths-and-cases",
        steps: &[(&LengthAbstraction, TRY), (&Cases, LONG_TRY), (&LengthAbstraction, u64::MAX)],
        rival: "sequence-first",
    },
    Arm {
        name: "all-engines",
        steps: &[
            (&LengthAbstraction, TRY),
            (&Cases, LONG_TRY),
            (&Sequence, LONG_TRY),
            (&Arrangement, TRY),
            (&LengthAbstraction, u64::MAX),
        ],
        rival: "sequence-first",
    },
    Arm {
        name: "rounds",
        steps: &[
            (&LengthAbstraction, SHORT_TRY),
            (&Cases, SHORT_TRY),
            (&Sequence, SHORT_TRY),
            (&Arrangement, SHORT_TRY),
            (&Cases, LONG_TRY),
            (&Sequence, LONG_TRY),
            (&Arrangement, TRY),
            (&LengthAbstraction, u64::MAX),
        ],
        rival: "sequence-first",
    },
    Arm {
        name: "lengths-first",
        steps: &[
            (&LengthAbstraction, SHORT_TRY),
            (&Arrangement, SHORT_TRY),
            (&Sequence, SHORT_TRY),
            (&Cases, SHORT_TRY),
            (&LengthAbstraction, LONG_TRY),
            (&Arrangement, LONG_TRY),
            (&Sequence, LONG_TRY),
            (&LengthAbstraction, u64::MAX),
        ],
        rival: "sequence-first",
    },
    Arm {
        name: "arrangement-first",
        steps: &[
            (&Arrangement, SHORT_TRY),
            (&Sequence, SHORT_TRY),
            (&LengthAbstraction, SHORT_TRY),
            (&Cases, SHORT_TRY),
            (&Arrangement, LONG_TRY),
            (&Sequence, LONG_TRY),
            (&LengthAbstraction, LONG_TRY),
            (&Arrangement, u64::MAX),
        ],
        rival: "sequence-first",
    },
    Arm {
        name: "sequence-first",
        steps: &[
            (&Sequence, SHORT_TRY),
            (&Arrangement, SHORT_TRY),
            (&LengthAbstraction, SHORT_TRY),
            (&Cases, SHORT_TRY),
            (&Sequence, LONG_TRY),
            (&Arrangement, LONG_TRY),
            (&LengthAbstraction, LONG_TRY),
            (&Sequence, u64::MAX),
        ],
        rival: "lengths-and-cases",
    },
    Arm {
        name: "cases-first",
        steps: &[
            // Cases that get nowhere take all they may, so the engine that learns goes before them.
            (&LengthAbstraction, SHORT_TRY),
            (&Cases, SHORT_TRY),
            (&Sequence, SHORT_TRY),
            (&Arrangement, SHORT_TRY),
            (&Cases, LONG_TRY),
            (&LengthAbstraction, LONG_TRY),
            (&Sequence, TRY),
            (&Cases, u64::MAX),
        ],
        rival: "sequence-first",
    },
];

/// The arm with this name.
pub fn named(name: &str) -> Option<&'static Arm> {
    ARMS.iter().find(|arm| arm.name == name)
}

/// Whether an engine that gave up would do so again with more effort.
pub(crate) fn is_final(outcome: &EngineOutcome) -> bool {
    matches!(outcome, EngineOutcome::Unknown(crate::Reason::Incomplete(_) | crate::Reason::Unsupported(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::ENGINES;

    #[test]
    fn the_last_engine_of_an_arm_may_take_all_the_effort() {
        for arm in ARMS {
            let (_, units) = arm.steps.last().expect("an arm has engines");
            assert_eq!(*units, u64::MAX, "{}", arm.name);
            assert!(std::ptr::eq(named(arm.name).expect("it has a name"), arm));
            let rival = named(arm.rival).expect("its rival is an arm");
            assert_ne!(rival.steps[0].0.name(), arm.steps[0].0.name(), "{}", arm.name);
        }
    }

    #[test]
    fn every_engine_is_in_an_arm() {
        for engine in ENGINES {
            let mut steps = ARMS.iter().flat_map(|arm| arm.steps).chain(OPENING);
            assert!(steps.any(|(other, _)| other.name() == engine.name()), "{}", engine.name());
        }
    }
}

//! Which arm a formula gets.
//!
//! Two policies: that of the paper, by the class of the formula, and one that was learned from measurements, a decision tree
//! over the numbers of a probe. Both say why.

use std::sync::LazyLock;

use super::probe::Probe;
use super::tree::Tree;
use super::{ARMS, Arm, named};

/// How an arm is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// By the decision tree that was learned from measurements.
    #[default]
    Learned,
    /// By the class of the formula, as in the Z3str4 paper.
    Paper,
    /// Always this arm.
    Fixed(&'static str),
}

impl Policy {
    /// The policy or arm with this name.
    pub fn named(name: &str) -> Option<Policy> {
        match name {
            "learned" => Some(Policy::Learned),
            "paper" => Some(Policy::Paper),
            _ => named(name).map(|arm| Policy::Fixed(arm.name)),
        }
    }

    /// The names of all policies and arms.
    pub fn names() -> Vec<&'static str> {
        ["learned", "paper"].into_iter().chain(ARMS.iter().map(|arm| arm.name)).collect()
    }
}

/// The classes of formulas that the paper tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// There is a membership in a language.
    Regex,
    /// Most assertions are no word equations.
    MostlyNotEquations,
    /// In the conjunctive fragment.
    Conjunctive,
    /// None of these.
    Other,
}

impl Class {
    /// The class of a formula.
    pub fn of(probe: &Probe) -> Class {
        if probe.memberships > 0 {
            Class::Regex
        } else if probe.equations * 2 < probe.assertions {
            Class::MostlyNotEquations
        } else if probe.is_conjunctive {
            Class::Conjunctive
        } else {
            Class::Other
        }
    }

    /// The name that users know.
    pub fn name(self) -> &'static str {
        match self {
            Class::Regex => "regex",
            Class::MostlyNotEquations => "mostly-not-equations",
            Class::Conjunctive => "conjunctive",
            Class::Other => "other",
        }
    }

    fn arm(self) -> &'static str {
        match self {
            Class::Regex => "arrangement-first",
            Class::MostlyNotEquations | Class::Other => "sequence-first",
            Class::Conjunctive => "lengths-first",
        }
    }
}

/// An arm and why it was chosen.
pub struct Choice {
    /// The arm.
    pub arm: &'static Arm,
    /// Why, in words for users.
    pub why: String,
}

/// Chooses an arm for a formula.
pub fn select(policy: Policy, probe: &Probe) -> Choice {
    let (name, why) = match policy {
        Policy::Fixed(name) => (name, "the user wants it".to_owned()),
        Policy::Paper => {
            let class = Class::of(probe);
            (class.arm(), format!("the formula is of class {}", class.name()))
        }
        Policy::Learned => LEARNED.decide(probe),
    };
    Choice { arm: named(name).expect("policies name arms that exist"), why }
}

/// The tree that `bench/train_arms.py` wrote.
static LEARNED: LazyLock<Tree> =
    LazyLock::new(|| Tree::read(include_str!("learned.txt")).expect("the learned tree is well-formed"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::probe::tests::probe;

    #[test]
    fn classes_are_those_of_the_paper() {
        let class = |assertions: &[&str]| Class::of(&probe(assertions));
        assert_eq!(class(&["(= x y)", r#"(str.in_re x (str.to_re "a"))"#]), Class::Regex);
        assert_eq!(class(&["(= x y)", "(> i 3)", "(< i 9)"]), Class::MostlyNotEquations);
        assert_eq!(class(&["(= x y)", "(> (str.len x) 3)"]), Class::Conjunctive);
        assert_eq!(class(&["(= x y)", r#"(str.contains x "a")"#]), Class::Other);
    }

    #[test]
    fn every_name_of_a_policy_selects_an_arm() {
        let probe = probe(&["(= x y)"]);
        for name in Policy::names() {
            let policy = Policy::named(name).expect("it is a policy");
            assert!(!select(policy, &probe).arm.steps.is_empty());
        }
        assert_eq!(Policy::named("no-such-arm"), None);
    }

    #[test]
    fn the_learned_tree_names_only_numbers_and_arms_that_exist() {
        let nothing = Probe::default();
        assert_eq!(
            LEARNED.unknown_names(|name| nothing.number(name).is_some(), |arm| named(arm).is_some()),
            [""; 0]
        );
    }
}

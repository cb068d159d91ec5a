//! Techniques: ways to make cases out of seeds.
//!
//! A [`seed::Seed`] is a script read once and brought into a simple form. A [`technique::Technique`] changes a script
//! step by step; a [`chain::Chain`] repeats its steps and gives a case after each of them. Everything that is
//! generated is well-sorted by construction, over the operators of an [`operators::OperatorSet`].
//!
//! The crate is pure: no files, no clock, no processes. Chance comes from one seeded [`random::Random`], and what is
//! generated does not depend on what else stands in the arena of terms.

mod bank;
mod blocks;
pub mod built_in;
pub mod chain;
pub mod construct;
pub mod enumeration;
pub mod fusion;
pub mod generated;
pub mod library;
pub mod mutation;
mod names;
pub mod operators;
mod printed;
pub mod random;
pub mod random_formula;
pub mod scaling;
pub mod search;
pub mod seed;
mod shape;
mod small_domain;
pub mod stringfuzz;
pub mod subject;
mod survey;
pub mod technique;
pub mod truth;
pub mod unchanged;
pub mod variant;
pub mod weakening;

#[cfg(test)]
mod tests;

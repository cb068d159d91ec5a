//! Proposers: where the cases of a hunt come from.
//!
//! [`chains`] makes them from seeds and from nothing, by techniques that share the hunt by their yield; [`bandit`]
//! searches for formulas on which one solver is slow.

pub(crate) mod bandit;
pub(crate) mod chains;

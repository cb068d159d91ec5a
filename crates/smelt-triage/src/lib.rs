//! Findings made smaller, told apart and bisected.
//!
//! [`reduce`] makes a script smaller as long as a [`reduce::Criterion`] holds; [`reduce::criterion`] has those for commands
//! and findings. [`localize`] finds where a history changes, by what a [`localize::Laboratory`] measures at its points.

pub mod dedup;
pub mod localize;
pub mod reduce;

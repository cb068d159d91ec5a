//! Findings made smaller, told apart and bisected.
//!
//! [`reduce`] makes a script smaller as long as a [`reduce::Criterion`] holds; [`reduce::criterion`] has those for commands
//! and findings. [`bisect`] finds where a history changes, by what a [`bisect::Laboratory`] measures at its points.
//! [`cluster`] puts findings with one cause together, and [`file`] judges a formula that does not come from a hunt.

pub mod bisect;
pub mod cluster;
pub mod file;
pub mod reduce;

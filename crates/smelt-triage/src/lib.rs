//! Findings made smaller, told apart and dated.
//!
//! What must stay true of a finding is asked of a [`reduce::Criterion`], and what can be seen at a point of a history of a
//! [`localize::Laboratory`]; the caller brings them along: this crate knows formulas and histories, not solvers.

pub mod dedup;
pub mod localize;
pub mod reduce;

//! Findings made smaller, told apart and dated.
//!
//! What must stay true of a finding is asked of a [`reduce::Criterion`], which the caller brings along: this crate knows
//! formulas, not solvers.

pub mod reduce;

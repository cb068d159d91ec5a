//! Exact linear integer arithmetic: conjunctions of bounds on linear terms.
//!
//! The general simplex method finds rational solutions, [`integer_search`] makes them integer by divisibility tests,
//! cuts and branching. Every fact carries its reason, so that every contradiction comes with the causes that suffice
//! for it. Work is counted, never timed: a search that runs out of effort says so and answers nothing.
//!
//! Boolean structure is not handled here; [`crate::theory::search`] chooses which bounds hold.
//!
//! Follows Dutertre and de Moura, «A fast linear-arithmetic solver for DPLL(T)», 2006.

pub mod facts;
pub mod integer_search;
pub mod linear;
mod minimise;
mod propagate;
mod row;
pub mod simplex;

#[cfg(test)]
mod tests;

pub use facts::{Cause, Side};
pub use integer_search::{Integrality, SearchLimits};
pub use linear::{IntVar, Linear};
pub use simplex::{Feasibility, Simplex};

//! Searches that are guided by what runs of solvers cost.
//!
//! A search is asked for a formula and then told what came of it; who runs solvers is none of its business, so every
//! search can be tested with invented times.

pub mod bandit;
pub mod complexity;
pub mod contingent;
pub mod dtw;
pub mod evolution;
pub mod thompson;

//! Proof logs: what a check did, and its text for the checker in `smelt-proof`.
//!
//! The solver keeps a [`record::Record`] of a check if it is asked to; [`write`] turns one that ends with `unsat` into
//! the steps of a log.

pub(crate) mod record;
pub(crate) mod write;

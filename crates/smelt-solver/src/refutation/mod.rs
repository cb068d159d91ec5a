//! Refutation logs: how an `unsat` came about, step by step, and a checker for them.
//!
//! The solver keeps a [`record::Record`] of a check if it is asked to; [`write`] turns one that ends with `unsat` into
//! text. [`check`] reads the text next to the input and shows each step again by small procedures of its own, or counts it
//! as trusted. The format and what is checked: `docs/design/refutation.md`.

pub mod check;
mod read;
pub(crate) mod record;
mod replay;
pub(crate) mod write;

pub use check::{Rejected, Summary, check};

//! Logs of refutations, and a checker that is independent of the solver that writes them.
//!
//! A log says step by step why an input is unsatisfiable. [`log`] has its steps as types and writes them; [`check`] reads
//! a log next to its input and verifies each step. Clauses are verified by unit propagation, linear arithmetic by
//! elimination, strings of known lengths by enumeration, and rewriting by a small table of identities
//! ([`rewrite`]). A step that none of these verifies counts as *trusted*, by the name of its rule, in the [`Summary`].
//! Trusted steps are also evaluated on a sample of small values: one that is false for some of them is rejected.
//!
//! Proofs that other solvers print are read and tested in [`steps`]; `docs/design/proof-steps.md` says how.
//!
//! The crate is pure and knows nothing of the solver. The format is described in `docs/design/proof.md`.
//!
//! | to find | look in |
//! |---|---|
//! | the steps of a log, and how they are written and read | [`log`], `read.rs`; described in `docs/design/proof.md` |
//! | the checker, and what it counts as trusted | `check.rs`, `check/formula.rs`, `summary.rs` |
//! | identities that verify rewriting | the table in [`rewrite`], one file a theory in `rewrite/` |
//! | clauses: unit propagation, linear arithmetic, strings of known lengths | [`propagation`], `arithmetic.rs`, `fixed_length.rs` |
//! | evaluation of trusted steps on a sample of values | `counterexample.rs` |
//! | proofs of z3 and cvc5, their rules, and the table of what was checked | [`steps`], one file a format in `steps/` |

mod arithmetic;
mod boolean;
mod check;
mod counterexample;
mod expand;
mod fixed_length;
mod integer;
mod linear;
pub mod log;
pub mod propagation;
mod read;
pub mod replay;
pub mod rewrite;
pub mod steps;
mod summary;
#[cfg(test)]
mod testing;

pub use boolean::is_connective;
pub use check::{Rejected, check};
pub use summary::Summary;

//! The Boolean search with linear integer arithmetic inside.
//!
//! [`Search`] holds clauses over literals; some literals are opaque, others stand for `term <= constant` or
//! `term = constant`. It finds an assignment of both kinds, or a set of assumptions that cannot hold together. Clauses
//! may be added between checks; what was learnt stays. Everything is deterministic.
//!
//! String reasoning is not here: engines look at an assignment and answer with clauses.

mod boolean_search;
mod gate;
mod lia;
mod literal;
mod sat;
mod trace;

#[cfg(test)]
mod tests;

pub use boolean_search::{Assignment, Limits, LinearAtom, Search, SearchResult, WhyUnknown};
pub use gate::Gate;
pub use literal::Literal;
pub use trace::{Trace, TraceStep};

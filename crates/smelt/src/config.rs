//! What commands take from the user and the machine: profiles, consent, solvers, grammars, seeds, and options that
//! several commands have.

pub(crate) mod grammars;
pub(crate) mod memory;
pub(crate) mod profiles;
pub(crate) mod provers;
pub(crate) mod seeds;
pub(crate) mod solvers;
pub(crate) mod trust;
pub(crate) mod words;

//! What commands take from the user and the machine: consent, solvers, seeds, and options that several commands have.

pub(crate) mod memory;
pub(crate) mod provers;
pub(crate) mod queries;
pub(crate) mod seeds;
pub(crate) mod solvers;
pub(crate) mod trust;

//! Solver processes: started, limited, fed, read, measured, ended.
//!
//! This crate alone starts processes, always in a group of their own and with limits on time, memory and output.
//! What a solver does wrong is data ([`smelt_oracle::run::Run`]); errors are only for what keeps us from running it at
//! all.

pub mod answer;
pub mod between;
pub mod cache;
pub mod capability;
pub mod cold;
pub mod contents;
pub mod family;
pub mod kind;
pub mod limits;
pub mod options;
pub mod orphans;
pub mod probe;
pub mod session;
pub mod signals;
pub mod solver;
mod sys;
pub mod usage;
pub mod versions;

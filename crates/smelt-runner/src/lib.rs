//! Solver processes: started, limited, fed, read, measured, ended.
//!
//! This crate alone starts processes, always in a group of their own and with limits on time, memory and output.
//! What a solver does wrong is data ([`smelt_oracle::run::Run`]); errors are only for what keeps us from running it at
//! all.

pub mod answer;
pub mod between;
pub mod cache;
pub mod capability;
mod cgroup;
pub mod clock;
pub mod cold;
pub mod contents;
pub mod descendants;
pub mod family;
pub mod files;
pub mod identity;
pub mod installation;
pub mod interruption;
pub mod kind;
pub mod limits;
mod listing;
pub mod lock_file;
mod mark;
pub mod options;
pub mod orphans;
pub mod parallel;
pub mod probe;
pub mod process;
mod progress;
pub mod provers;
pub mod release_record;
pub mod sandbox;
pub mod session;
pub mod signals;
mod signature;
mod smoke;
pub mod solver;
mod sys;
pub mod timing;
pub mod usage;
pub mod versions;

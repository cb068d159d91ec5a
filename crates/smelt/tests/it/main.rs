//! Tests that run the built program as a user would, all in one binary: it is linked once.
//!
//! Only `disk_faults` is a binary of its own: it traces the program and lets its system calls fail one after the other, on
//! as many threads as there are cores, so nothing else should run at the same time.

// Clippy allows this in test functions, but not in what they share.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod bisect;
mod campaign;
mod check;
mod compare;
mod construct;
mod determinism;
mod dry_run;
mod enumerate;
mod eval;
mod evolve;
mod faults;
mod generate;
mod generation;
mod genetic;
mod help;
mod hostile;
mod hunt;
mod interrupts;
mod judges;
mod memory;
mod monitor;
mod optimum;
mod options;
mod parse_files;
mod print;
mod proof;
mod proof_steps;
mod random;
mod readme;
mod real_solvers;
mod reduce;
mod run;
mod sanitizers;
mod sharing;
mod slowdown;
mod solve;
mod stability;
#[path = "../support/mod.rs"]
mod support;
mod traces;
mod triage;
mod usage;

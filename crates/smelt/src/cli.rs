//! The commands of smelt, one file each: its arguments as `Args`, and `run`.

pub(crate) mod bench;
pub(crate) mod bisect;
pub(crate) mod check;
pub(crate) mod check_proof;
pub(crate) mod check_steps;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod eval;
pub(crate) mod findings;
pub(crate) mod generate;
pub(crate) mod hunt;
pub(crate) mod list;
pub(crate) mod monitor;
pub(crate) mod print;
pub(crate) mod reduce;
pub(crate) mod replay;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod scale;
pub(crate) mod solve;
pub(crate) mod solvers;
pub(crate) mod stability;
pub(crate) mod study;
pub(crate) mod triage;
pub(crate) mod triples;

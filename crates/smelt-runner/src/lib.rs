//! Solver processes: started, limited, fed, read, measured, ended.
//!
//! This crate alone starts processes, always in a group of their own and with limits on time, memory and output.
//! What a solver does wrong is data ([`smelt_oracle::run::Run`]); errors are only for what keeps us from running it at
//! all.
//!
//! | to find | look in |
//! |---|---|
//! | a process with all its descendants: started under limits, counted, ended; the only place that starts any | [`process`]; how descendants are known in `mark.rs`, found and ended in [`descendants`] |
//! | one process for one formula, under limits | [`cold`], [`limits`]; what it uses and whether it still computes in `progress.rs` |
//! | one process for many formulas, and what stands between them | [`session`], [`isolation`] |
//! | several solvers on one script after another | [`crews`] |
//! | a machine that has so much else to do that solvers wait | [`load`] |
//! | solvers without network, write access and tokens | [`sandbox`], `sys/namespaces.rs`; why so in `docs/design/sandbox.md` |
//! | system calls, the only unsafe code besides the host of libraries and the fake solver for tests | `sys.rs`, `sys/`; a process measured and ended in [`signals`] |
//! | Ctrl-C, Ctrl-Z and their like for a whole program | [`stop_signals`]; as a flag in [`interruption`] |
//! | what solvers print, read | [`answer`]; crash signatures in `signature.rs`, stack traces in `signature/stack.rs`, those of a debugger in [`crash_stack`]; why so in `docs/design/crashes.md` |
//! | times fit for publication: a core for each run, and what disturbs the machine | [`timing`] and below |
//! | names of solvers and how to start them | [`solver`], [`family`]; which program that really is in [`identity`] |
//! | options that hunts draw from | [`options`] |
//! | all solvers of a machine | [`installation`] |
//! | many items at once, results in order | [`parallel`] |
//! | proofs of triples and rules by solvers | [`provers`] |
//! | releases that commands want, found or installed | [`fetch`] |
//! | installed releases | [`versions`]; what is recorded of them and whether it still holds in [`release_record`]; `smelt.lock` in [`lock_file`]; the list of those that can be had in `listing.rs` |
//! | libraries made into programs | [`library`]; natively in `bin/solver-host.rs`, by Python in `cvc5_driver.py` and `bitwuzla_driver.py`; why so in `docs/design/hosts.md` |
//! | what a solver can do, found out by asking | [`probe`]; why it does not answer at all in `smoke.rs` |
//! | which operators, sorts, spellings and commands it takes | [`capability`]; the questions in `capability/questions.rs`, asked in `capability/ask.rs`, about bit-vectors where there are no integers: `numbers.rs` |
//! | what stands in a script, gathered once for all solvers | [`script_profile`] |
//! | which fragments of formulas are run warm | [`fragment`] |
//! | what was learned about solvers, kept on disk | [`cache`] |
//! | files that are whole or not there, without following links | [`files`] |
//! | a solver for tests that crashes, hangs, floods and forks when told to | `bin/fake-solver.rs`, used by `tests/faults.rs` |
//! | limits of time and memory for a solver in this process | [`watchdog`] |
//! | ending what is left running when smelt was killed | [`orphans`] |
//!
//! An `(error ..)` before a verdict voids it: Z3 drops an assertion that it cannot read and answers the rest. A
//! formula with an operator, sort or feature that a solver is known to refuse is not sent to it, and there is no run.
//! What probing learns is kept by the content of the program, its options and the questions, so it is never out of
//! date.

pub mod answer;
pub mod cache;
pub mod capability;
mod cgroup;
pub mod clock;
pub mod cold;
pub mod crash_stack;
pub mod crews;
pub mod descendants;
pub mod family;
pub mod fetch;
pub mod files;
pub mod fragment;
pub mod identity;
pub mod installation;
pub mod interruption;
pub mod isolation;
pub mod library;
pub mod limits;
mod listing;
pub mod load;
pub mod lock_file;
mod mark;
mod numbers;
pub mod options;
pub mod orphans;
pub mod parallel;
pub mod probe;
pub mod process;
mod progress;
pub mod provers;
pub mod release_record;
pub mod sandbox;
pub mod script_profile;
pub mod session;
pub mod signals;
mod signature;
mod smoke;
pub mod solver;
pub mod stop_signals;
mod sys;
pub mod timing;
pub mod usage;
pub mod versions;
pub mod watchdog;

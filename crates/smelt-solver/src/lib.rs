//! A solver for strings, regular expressions and linear integer arithmetic, in the style of Z3str4.
//!
//! It has no clock and starts nothing: it takes an effort budget and an interrupt flag.
//! Every `sat` is checked by [`smelt_semantics`] before it is an answer.
//!
//! [`Solver`] is the way in for programs, [`front::Session`] for SMT-LIB text:
//!
//! ```
//! use smelt_solver::{Answer, Solver};
//!
//! let mut solver = Solver::new();
//! solver.declare("x", "String").unwrap();
//! solver.assert_text(r#"(= (str.++ x "b") "ab")"#).unwrap();
//! assert_eq!(solver.check(), Answer::Sat);
//! assert_eq!(solver.value_text("x").as_deref(), Some("\"a\""));
//!
//! // What holds only for one check is assumed, and the core says which assumptions cannot hold.
//! let wrong = solver.term(r#"(= x "b")"#).unwrap();
//! assert_eq!(solver.check_assuming(&[wrong]), Answer::Unsat);
//! assert_eq!(solver.unsat_assumptions(), [wrong]);
//!
//! // Another thread may stop a check that takes too long.
//! let interrupt = solver.interrupt_flag();
//! interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
//! ```

pub mod answer;
pub mod arith;
pub mod arms;
pub mod automata;
pub mod core;
pub mod earlier;
pub mod effort;
pub mod engines;
pub mod fixed_length;
pub mod front;
pub mod log;
pub mod model;
pub mod number;
pub mod parts;
mod pipeline;
pub mod preprocess;
mod proof;
pub mod rewrite;
pub mod solver;
pub mod statistics;
pub mod word;

pub use answer::{Answer, Reason};
pub use solver::Solver;

//! A solver for strings, regular expressions and linear integer arithmetic, in the style of Z3str4.
//!
//! It has no clock and starts nothing: it takes an effort budget and an interrupt flag.
//! Every `sat` is checked by [`smelt_semantics`] before it is an answer.
//!
//! [`Solver`] is for programs, [`Session`] for SMT-LIB text:
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
//! // An assumption holds for one check only; the core lists the assumptions that contradict each other.
//! let wrong = solver.term(r#"(= x "b")"#).unwrap();
//! assert_eq!(solver.check_assuming(&[wrong]), Answer::Unsat);
//! assert_eq!(solver.unsat_assumptions(), [wrong]);
//!
//! // Another thread may stop a check that takes too long.
//! let interrupt = solver.interrupt_flag();
//! interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
//! ```

mod answer;
mod arith;
mod arms;
mod automata;
mod core;
mod earlier;
mod effort;
mod engines;
mod fixed_length;
mod front;
mod log;
mod model;
mod number;
mod parts;
mod pipeline;
mod preprocess;
mod proof;
mod rewrite;
mod solver;
mod statistics;
mod word;

pub use answer::{Answer, Reason};
pub use arms::select::Policy;
pub use front::{Piece, Reply, Session, Splitter};
pub use log::Event;
pub use parts::{Part, Parts};
pub use solver::{Options, Solver};
pub use statistics::Statistics;

/// Inner parts for tests and cross-checks of this workspace; they may change at any time.
#[doc(hidden)]
pub mod internals {
    pub use crate::arith::{IntVar, Linear};
    pub use crate::automata::alphabet::Alphabet;
    pub use crate::automata::{LetterMap, Occurrences, Re, Regexes, Replacement, Wanted};
    pub use crate::core::{Assignment, Limits, Literal, Outcome, Search};
    pub use crate::fixed_length::Constraint;
    pub use crate::number::Integer;
    pub use crate::rewrite::Rewriter;
    pub use crate::rewrite::rules::RULES;
    pub use crate::word::counts::{CountEquation, refute};
    pub use crate::word::{System, is_quadratic};
}

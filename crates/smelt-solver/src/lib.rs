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

mod ablation;
mod answer;
mod effort;
mod engines;
mod frontend;
mod log;
mod model;
mod model_cache;
mod preprocess;
mod proof;
mod rewrite;
mod schedule;
mod solver;
mod statistics;
mod theory;

pub use ablation::{Part, Parts};
pub use answer::{Answer, Reason};
pub use frontend::{Piece, Reply, Session, Splitter};
pub use log::Event;
pub use schedule::select::Policy;
pub use solver::{Options, Solver};
pub use statistics::Statistics;

/// Inner parts for tests and cross-checks of this workspace; they may change at any time.
#[doc(hidden)]
pub mod internals {
    pub use crate::rewrite::Rewriter;
    pub use crate::rewrite::rules::RULES;
    pub use crate::theory::arith::{IntVar, Linear};
    pub use crate::theory::fixed_length::Constraint;
    pub use crate::theory::number::Integer;
    pub use crate::theory::regex::alphabet::Alphabet;
    pub use crate::theory::regex::{LetterMap, Occurrences, Re, Regexes, Replacement, Wanted};
    pub use crate::theory::search::{Assignment, Limits, Literal, Outcome, Search};
    pub use crate::theory::word::counts::{CountEquation, refute};
    pub use crate::theory::word::{System, is_quadratic};
}

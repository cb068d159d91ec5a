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
//!
//! | to find | look in |
//! |---|---|
//! | the library interface | `solver.rs`; what a check says in `answer.rs`, what later checks remember of it in `model_cache.rs`, effort and interruption in `effort.rs` |
//! | SMT-LIB commands and their answers | `frontend/` |
//! | binders, definitions and foreign theories taken out, and quantifiers and choices between languages that can be done without | `preprocess/lower.rs`, `preprocess/quantifiers.rs`, `preprocess/language_ite.rs` |
//! | equations solved without search, free constants, components, functions | `preprocess/` |
//! | parts that can be switched off; counters; lines for `--verbose` | `ablation.rs`, `statistics.rs`, `log.rs` |
//! | rewrite rules, what bounds entail, and how much may be made (`Room`) | `rewrite/`; the table in `rewrite/rules.rs`, examples in `testdata/rules.txt` |
//! | arms: the order of engines and their effort, probes, and how an arm is chosen | `schedule.rs`, `schedule/`; run in `schedule/pipeline.rs` |
//! | what engines tell the next one | `engines/abstraction/share.rs` |
//! | guessing values and evaluating | `engines/guess/` |
//! | splitting cases and simplifying each | `engines/cases/` |
//! | formulas as clauses, linear atoms and guarded string constraints; rounds of assignments | `engines/abstraction/` |
//! | lengths by arithmetic, words by lengths | `engines/length_abstraction/` |
//! | word equations split by the order of lengths | `engines/arrangement/` |
//! | words by inferences: classes, normal forms, functions in context; the list of checks | `engines/sequence/` |
//! | regular languages, words of fixed lengths, word equations | `theory/regex/`, `theory/fixed_length/`, `theory/word/` |
//! | Boolean search with integers | `theory/search/`, `theory/arith/`, `theory/number/` |
//! | values for all symbols, and their check | `model.rs` |
//! | recording how an `unsat` came about, and writing it as a proof log | `proof/`; the format and the checker are in `smelt-proof` |
//!
//! A check lowers, rewrites and simplifies, splits into independent parts, and gives each part to one engine after the
//! other. Every step that loses a symbol logs a converter; a model goes back through all of them and is then evaluated
//! on the assertions as they were given. An engine answers `unsat` only with the procedure that proved it.
//! What no engine understands becomes a fresh constant: a refutation of the rest still counts, a model only if it
//! evaluates to true.

// Parts that only tests and cross-checks use are reached through `internals`.
#![cfg_attr(not(feature = "internals"), allow(dead_code, unused_imports))]

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
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::rewrite::Rewriter;
    pub use crate::rewrite::rules::RULES;
    pub use crate::theory::arith::{IntVar, Linear};
    pub use crate::theory::fixed_length::Constraint;
    pub use crate::theory::number::Integer;
    pub use crate::theory::regex::alphabet::Alphabet;
    pub use crate::theory::regex::{LetterMap, Occurrences, Re, Regexes, Replacement, Wanted};
    pub use crate::theory::search::{Assignment, Limits, Literal, Search, SearchResult};
    pub use crate::theory::word::counts::{CountEquation, refute};
    pub use crate::theory::word::{System, is_quadratic};
}

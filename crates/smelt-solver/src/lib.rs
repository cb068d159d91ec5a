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
//!
//! | to find | look in |
//! |---|---|
//! | the library interface | [`solver`]; what a check says in [`answer`], what later checks remember of it in [`earlier`], effort and interruption in [`effort`] |
//! | SMT-LIB commands and their answers | `front/` |
//! | binders, definitions and foreign theories taken out, and quantifiers and choices between languages that can be done without | `preprocess/lower.rs`, `preprocess/quantifiers.rs`, `preprocess/choices.rs` |
//! | equations solved without search, free constants, components, functions | `preprocess/` |
//! | parts that can be switched off; counters; lines for `--verbose` | [`parts`], [`statistics`], [`log`] |
//! | rewrite rules, what bounds entail, and how much may be made (`Room`) | `rewrite/`; the table in `rewrite/rules/mod.rs`, examples in `testdata/rules.txt` |
//! | arms: the order of engines and their effort, probes, and how an arm is chosen | `arms/`; run in `pipeline.rs` |
//! | what engines tell the next one | `engines/abstraction/share.rs` |
//! | guessing values and evaluating | `engines/guess/` |
//! | splitting cases and simplifying each | `engines/cases/` |
//! | formulas as clauses, linear atoms and guarded string constraints; rounds of assignments | `engines/abstraction/` |
//! | lengths by arithmetic, words by lengths | `engines/length_abstraction/` |
//! | word equations split by the order of lengths | `engines/arrangement/` |
//! | words by inferences: classes, normal forms, functions in context; the list of checks | `engines/sequence/` |
//! | regular languages, words of fixed lengths, word equations | `automata/`, `fixed_length/`, `word/` |
//! | Boolean search with integers | `core/`, `arith/`, `number/` |
//! | values for all symbols, and their check | `model/` |
//! | recording how an `unsat` came about, and writing it as a proof log | `proof/`; the format and the checker are in `smelt-proof` |
//!
//! A check lowers, rewrites and simplifies, splits into independent parts, and gives each part to one engine after the
//! other. Every step that loses a symbol logs a converter; a model goes back through all of them and is then evaluated
//! on the assertions as they were given. An engine says `unsat` only by naming the complete reasoning that shows it.
//! What no engine understands becomes a fresh constant: a refutation of the rest still counts, a model only if it
//! evaluates to true.

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

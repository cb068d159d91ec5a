//! Values, evaluation and models: what an SMT-LIB term means.
//!
//! [`eval::Evaluator`] gives a term its [`value::Value`] under a [`model::Model`], exactly as the standard says, or says
//! why it cannot; it never guesses. Every operator of the table has its meaning in one match without a fallback
//! branch. Effort is counted in a [`Budget`], so hostile input ends in "unknown" and not in a hang.
//!
//! The crate is pure: no files, no clock, no processes.
//!
//! | to find | look in |
//! |---|---|
//! | what an operator does to values | `apply.rs`, one match without a fallback branch; what needs more than a few lines in `apply/`, by theory |
//! | values of every sort | [`value`]; their arithmetic in [`bitvec`], [`float`], `string/`, `regex/`, `sequence.rs` |
//! | numbers that are not rational: roots, values of transcendental functions | `irrational/`, and operators on them in `eval/irrational.rs` |
//! | the heap of separation logic | `eval/separation.rs` |
//! | literals of values, and values of literals | [`literal`] |
//! | evaluation, quantifiers over finite sorts | [`eval`], [`domain`]; quantifiers over infinite ones in `eval/symbolic.rs` and `eval/formula.rs`; operators that call functions in `eval/iterate.rs`; values that the standard leaves open in `eval/open.rs` and `eval/choice.rs` |
//! | what solvers print as models, and checking scripts against them | [`model`]; the elements of uninterpreted sorts in `model/universe.rs` |
//! | the assertions in force at a check | [`environment`]; whether its recursive definitions have a solution in `recursion.rs` |
//! | why an assertion is false | [`explain`] |
//! | why there is no value, and the limit of effort | [`unknown`], `budget.rs` |

mod apply;
pub mod bitvec;
mod budget;
mod cost;
pub mod domain;
pub mod environment;
pub mod eval;
pub mod explain;
pub mod float;
mod irrational;
pub mod letters;
pub mod literal;
pub mod model;
pub mod print;
mod recursion;
pub mod regex;
mod sequence;
pub mod string;
pub mod unknown;
pub mod value;

pub use budget::{Budget, LimitReached};

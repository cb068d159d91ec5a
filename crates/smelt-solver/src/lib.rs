//! A solver for strings, regular expressions and linear integer arithmetic, in the style of Z3str4.
//!
//! It has no clock and starts nothing: it takes an effort budget and an interrupt flag.
//! Every `sat` is checked by [`smelt_semantics`] before it is an answer.

pub mod arith;
pub mod automata;
pub mod core;
pub mod fixed_length;
pub mod number;
pub mod word;

//! Values, evaluation and models: what an SMT-LIB term means.

pub mod bitvec;
mod budget;
pub mod float;
pub mod regex;
pub mod string;

pub use budget::{Budget, LimitReached};

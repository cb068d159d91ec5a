//! Decision procedures that engines are made of. None of them knows terms or rewriting as a whole.

pub mod arith;
pub mod fixed_length;
pub mod number;
pub mod regex;
pub mod search;
pub mod word;

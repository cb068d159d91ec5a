//! Exact numbers: integers that are machine words until they overflow, and rationals made of them.
//!
//! Nothing here rounds. An [`Integer`] outside the range of `i64` moves to a big number and moves back as soon as it
//! fits again, so equal numbers have equal representations.

mod integer;
mod rational;

pub use integer::Integer;
pub use rational::Rational;

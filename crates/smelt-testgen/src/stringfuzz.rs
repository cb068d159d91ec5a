//! StringFuzz: families of formulas over strings that grow with a number, and transformers of given formulas.
//!
//! [`generate`] makes the formulas of a [`Family`]; they are for scaling, and claim nothing of their answers.
//! [`transform`] changes a script by a [`Transformer`] and says what of the answer the change keeps; see [`Keeps`].
//!
//! Follows Blotsky, Mora, Berzish, Zheng, Kabir and Ganesh, "StringFuzz: A Fuzzer for String Solvers" (CAV 2018). What the
//! paper says transformers keep, they keep here on scripts whose operators allow it; on others nothing is claimed, where
//! StringFuzz claims too much (reversing literals says nothing about `substr`).

mod families;
mod keeps;
mod transform;
mod transform_chain;

pub use families::{Family, Settings, generate};
pub use keeps::Keeps;
pub use transform::{Transformed, Transformer, transform};
pub use transform_chain::TransformChain;

#[cfg(test)]
mod tests;

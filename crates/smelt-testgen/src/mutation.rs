//! Mutation: replacing one occurrence in an assertion by something else of the same sort.

mod generative;
mod operator;
mod scope;

pub use generative::GenerativeMutation;
pub use operator::OperatorMutation;

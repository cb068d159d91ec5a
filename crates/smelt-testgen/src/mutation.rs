//! Mutation: replacing one occurrence in an assertion by something else of the same sort.

mod generative;
mod model_preserving;
mod operator;
pub(crate) mod scope;

pub use generative::GenerativeMutation;
pub use model_preserving::ModelPreservingMutation;
pub use operator::OperatorMutation;

//! Mutation: replacing one occurrence in an assertion by something else of the same sort.

mod data_driven;
mod expression_swap;
mod generative;
mod model_preserving;
mod operator;
pub(crate) mod scope;

pub use data_driven::DataDrivenMutation;
pub use expression_swap::ExpressionSwap;
pub use generative::GenerativeMutation;
pub use model_preserving::ModelPreservingMutation;
pub(crate) use model_preserving::has_labels;
pub use operator::OperatorMutation;

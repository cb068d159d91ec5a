//! Equality of values, and operators that are defined by it alone.

use rustc_hash::FxHashSet;

use super::args::{Args, IntoOutcome};
use super::context::Context;
use crate::eval::EvalResult;
use crate::unknown::Unknown;
use crate::value::Value;

/// What looking a value up in a table costs, besides reading it.
const HASH_COST: u64 = 16;

impl Context<'_> {
    /// Whether two values of one sort are equal.
    pub(crate) fn equal(&mut self, left: &Value, right: &Value) -> Result<bool, Unknown> {
        match (left, right) {
            (Value::Int(int), Value::Real(real)) | (Value::Real(real), Value::Int(int)) => {
                Ok(real.is_int() && real.numerator() == int)
            }
            (Value::Regex(left), Value::Regex(right)) => {
                Ok(left == right || self.regexes.equal_languages(*left, *right, self.budget)?)
            }
            // Values of different kinds are a mistake of who made them, and equality of those says nothing.
            _ if std::mem::discriminant(left) != std::mem::discriminant(right)
                && !left.is_opaque_to_equality()
                && !right.is_opaque_to_equality() =>
            {
                Err(Unknown::IllSorted)
            }
            _ => {
                let is_known = !left.is_opaque_to_equality() && !right.is_opaque_to_equality();
                match left.equals(right, self.budget)? {
                    is_equal if is_equal || is_known => Ok(is_equal),
                    _ if left.surely_differs(right, self.budget)? => Ok(false),
                    _ => Err(Unknown::FunctionEquality),
                }
            }
        }
    }
}

impl Args<'_> {
    pub(super) fn pairwise_distinct(self, ctx: &mut Context<'_>) -> EvalResult {
        let has_real = self.0.iter().any(|value| matches!(value, Value::Real(_)));
        let has_int = self.0.iter().any(|value| matches!(value, Value::Int(_)));
        if (has_real && has_int) || self.0.iter().any(Value::is_opaque_to_equality) {
            return self.compare_all_pairs(ctx);
        }
        let mut seen = FxHashSet::default();
        for value in self.0 {
            ctx.budget.spend(value.weight().saturating_add(HASH_COST))?;
            if !seen.insert(value) {
                return false.ok();
            }
        }
        true.ok()
    }

    fn compare_all_pairs(self, ctx: &mut Context<'_>) -> EvalResult {
        for (position, left) in self.0.iter().enumerate() {
            for right in &self.0[position + 1..] {
                ctx.budget.spend(HASH_COST)?;
                if ctx.equal(left, right)? {
                    return false.ok();
                }
            }
        }
        true.ok()
    }
}
